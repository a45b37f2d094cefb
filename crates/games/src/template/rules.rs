//! The rules, written twice: as the prose states them (`Rules`), and fast (`Space`).

use crate::*;

/// A row of cells, the token's first cell, and the goal, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub(super) cells: u16,
    pub(super) start: u16,
    pub(super) goal: Option<u16>,
}

/// Where the token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State(pub(super) u16);

/// One step to the left or right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(pub Side);

impl Rules for Template {
    const MEASURES: &'static [Measure] = &[Measure {
        name: "steps",
        additive: true,
    }];

    /// The token steps to the neighbouring cell, which must exist.
    fn play(&self, state: &State, mv: Move) -> Result<State, Refusal> {
        let next = match mv.0 {
            Side::Right => state.0.checked_add(1).filter(|&cell| cell < self.cells),
            Side::Left => state.0.checked_sub(1),
            Side::Up | Side::Down => {
                return Err(Refusal::new("the token steps left or right only"));
            }
        };
        let off = || {
            Refusal::new(format!(
                "the row ends there: the token cannot step {}",
                mv.0.name()
            ))
        };
        next.map(State).ok_or_else(off)
    }

    fn writable_moves(&self, _state: &State) -> Vec<Move> {
        vec![Move(Side::Right), Move(Side::Left)]
    }

    fn shortfall(&self, state: &State) -> Option<String> {
        match self.goal {
            None => Some("the level has no goal".to_string()),
            Some(goal) if goal == state.0 => None,
            Some(goal) => Some(format!(
                "the token is {} cells from the goal",
                goal.abs_diff(state.0)
            )),
        }
    }
}

impl Space for Template {
    type State = State;
    type Move = Move;

    fn start(&self) -> State {
        State(self.start)
    }

    fn is_goal(&self, state: &State) -> bool {
        self.goal == Some(state.0)
    }

    fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        if state.0 + 1 < self.cells {
            moves.push(Move(Side::Right));
        }
        if state.0 > 0 {
            moves.push(Move(Side::Left));
        }
    }

    fn apply(&self, state: &State, mv: Move) -> State {
        State(if mv.0 == Side::Right {
            state.0 + 1
        } else {
            state.0 - 1
        })
    }

    fn words(&self) -> usize {
        1
    }

    fn pack(&self, state: &State, words: &mut [u64]) {
        words[0] = u64::from(state.0);
    }

    fn unpack(&self, words: &[u64]) -> State {
        State(words[0] as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a move on a row and compares the next row, or the refusal.
    fn check(row: &str, mv: Side, expected: &str) {
        let document = Document::parse(&format!("game: template\n{row}\n")).unwrap();
        let level = Template::parse(&document).unwrap();
        let found = match level.play(&level.start(), Move(mv)) {
            Ok(next) => level.write(&next).rows.join("\n"),
            Err(refusal) => format!("refused: {}", refusal.0),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn the_token_steps_to_its_neighbour() {
        check("T.X", Side::Right, ".TX");
        check(".TX", Side::Right, "..*");
    }

    #[test]
    fn the_token_stays_on_the_row() {
        check(
            "T.X",
            Side::Left,
            "refused: the row ends there: the token cannot step left",
        );
    }
}
