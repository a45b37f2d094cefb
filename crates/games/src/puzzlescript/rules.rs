//! The rules: the slow engine for the referee (`Rules`), the fast one for searches (`Space`). Both
//! are in the crate `ployglot-puzzlescript` and share no code.

use ployglot_base::Switches;
use ployglot_puzzlescript::{Input, LevelSpace, PuzzleState, Quantifier, Status, Things};

use super::PuzzleScript;
use crate::*;

impl Rules for PuzzleScript {
    const MEASURES: &'static [Measure] = &[Measure {
        name: "moves",
        additive: true,
    }];

    /// A key may be pressed as long as the level is played; it need not change anything.
    fn play(&self, state: &PuzzleState, mv: Input) -> Result<PuzzleState, Refusal> {
        if !self.space.inputs().contains(&mv) {
            return Err(Refusal::new(format!("this game has no {} key", mv.name())));
        }
        match state.status() {
            Status::Playing => Ok(self.space.play_slowly(state, mv)),
            Status::Won => Err(Refusal::new("the level is won already")),
            Status::Stuck => Err(Refusal::new(
                "the rules have restarted the level, or its turns never end",
            )),
        }
    }

    fn writable_moves(&self, _state: &PuzzleState) -> Vec<Input> {
        self.space.inputs().to_vec()
    }

    fn shortfall(&self, state: &PuzzleState) -> Option<String> {
        match state.status() {
            Status::Won => None,
            Status::Stuck => {
                Some("the rules have restarted the level, or its turns never end".to_string())
            }
            Status::Playing => Some(self.missing(state)),
        }
    }
}

impl PuzzleScript {
    /// The first win condition that does not hold, in the words of the file.
    fn missing(&self, state: &PuzzleState) -> String {
        let game = self.space.game();
        let cells = self.space.cells(state);
        let open = game.wins.iter().find(|win| {
            let mut what = cells.iter().filter(|cell| win.what.are_in(cell));
            match win.quantifier {
                Quantifier::No => what.any(|cell| win.on.are_in(cell)),
                Quantifier::Some => !what.any(|cell| win.on.are_in(cell)),
                Quantifier::All => !what.all(|cell| win.on.are_in(cell)),
            }
        });
        let Some(win) = open else {
            return "the level is not won: no turn has won it yet".to_string();
        };
        let names = |things: &Things| {
            let names = things.objects.iter();
            let names = names.map(|object| game.objects[object].name.clone());
            let names: Vec<String> = names.collect();
            names.join(if things.all { " and " } else { " or " })
        };
        let quantifier = match win.quantifier {
            Quantifier::No => "no",
            Quantifier::Some => "some",
            Quantifier::All => "all",
        };
        let everywhere = win.on.objects.iter().count() == game.objects.len() && !win.on.all;
        match everywhere {
            true => format!("not yet: {quantifier} {}", names(&win.what)),
            false => format!(
                "not yet: {quantifier} {} on {}",
                names(&win.what),
                names(&win.on)
            ),
        }
    }

    /// The same level with rules of its space switched off.
    pub(super) fn switched(&self, switches: &Switches) -> Option<Self> {
        let game = self.space.shared_game();
        let space = LevelSpace::new(game, 0, self.opening, switches)?;
        Some(Self {
            space: space.into(),
            ..self.clone()
        })
    }
}

impl Space for PuzzleScript {
    type State = PuzzleState;
    type Move = Input;

    fn start(&self) -> PuzzleState {
        self.space.start()
    }

    fn is_goal(&self, state: &PuzzleState) -> bool {
        self.space.is_goal(state)
    }

    fn moves(&self, state: &PuzzleState, moves: &mut Vec<Input>) {
        self.space.moves(state, moves);
    }

    fn apply(&self, state: &PuzzleState, mv: Input) -> PuzzleState {
        self.space.apply(state, mv)
    }

    fn words(&self) -> usize {
        self.space.words()
    }

    fn pack(&self, state: &PuzzleState, words: &mut [u64]) {
        self.space.pack(state, words);
    }

    fn unpack(&self, words: &[u64]) -> PuzzleState {
        self.space.unpack(words)
    }
}
