//! The guide: what follows from the rules of the game about dead ends and distances.

use ployglot_puzzlescript::{Input, LevelGuide, PuzzleState, RULES};

use super::PuzzleScript;
use crate::*;

impl Knowledge for PuzzleScript {
    const RULES: &'static [Rule] = &{
        let mut rules = [Rule {
            name: "",
            about: "",
        }; RULES.len()];
        let mut index = 0;
        while index < RULES.len() {
            let (name, about) = RULES[index];
            rules[index] = Rule { name, about };
            index += 1;
        }
        rules
    };

    fn guide(&self, switches: &Switches) -> impl Guide<Self> + Send {
        LevelKnowledge(LevelGuide::new(self.space.clone(), switches))
    }

    fn unproven(&self) -> Option<String> {
        self.space.refusal().map(|refusal| refusal.to_string())
    }

    fn with_switches(&self, switches: &Switches) -> Option<Self> {
        self.switched(switches)
    }
}

struct LevelKnowledge(LevelGuide);

impl Guide<PuzzleScript> for LevelKnowledge {
    fn lower_bound(&mut self, state: &PuzzleState) -> Option<u32> {
        self.0.lower_bound(state)
    }

    fn narrow(&mut self, state: &PuzzleState, moves: &mut Vec<Input>) {
        self.0.narrow(state, moves);
    }
}
