//! What an engine does: it plays the rules of one turn. There are two, which share no code: the slow
//! one follows the manual, the fast one works on bits.

use crate::game::{Command, Input, Level};
use crate::random::Random;
use crate::set::Set;

/// Rounds of a group of rules, and returns of a loop, after which the engine stops repeating them.
pub(crate) const MOST_ROUNDS: usize = 200;

/// Plays the rules of a game.
pub trait Engine {
    /// The objects and movements of all cells.
    type Board: Clone;

    /// The board on which a level starts.
    fn board(&self, level: &Level) -> Self::Board;

    /// Plays the rules of one turn: the player gets the movement of the input, rules are applied,
    /// movements happen, late rules are applied. What the commands do is left to the caller.
    fn turn(&self, board: &mut Self::Board, input: Option<Input>, random: &mut Random) -> Turn;

    /// Whether all win conditions hold; never where there are none.
    fn has_won(&self, board: &Self::Board) -> bool;

    /// Whether two boards of one level have the same objects.
    fn same_objects(&self, one: &Self::Board, other: &Self::Board) -> bool;

    /// Ends all movements. Only a late rule with a random direction leaves some after a turn.
    fn stop(&self, board: &mut Self::Board);

    /// The objects of each cell, column by column.
    fn cells(&self, board: &Self::Board) -> Vec<Set>;
}

/// What a turn leaves to the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// The commands of the rules that matched, each once.
    pub commands: Vec<Command>,
    /// Whether there was a player, and none left its cell.
    pub stuck: bool,
}

impl Turn {
    /// Whether a command was given; the text of a message does not matter.
    pub fn has(&self, command: &Command) -> bool {
        self.commands.iter().any(|given| given.same(command))
    }

    /// Adds the commands of a rule. `cancel` drops all others, `restart` all but `cancel`.
    pub(crate) fn command(&mut self, commands: &[Command]) {
        let cancels = commands.contains(&Command::Cancel);
        let restarts = commands.contains(&Command::Restart);
        if self.has(&Command::Cancel) || self.has(&Command::Restart) && !cancels {
            return;
        }
        if cancels || restarts {
            self.commands.clear();
        }
        for command in commands {
            if !self.has(command) {
                self.commands.push(command.clone());
            }
        }
    }
}

impl<E: Engine> Engine for &E {
    type Board = E::Board;

    fn board(&self, level: &Level) -> E::Board {
        (*self).board(level)
    }

    fn turn(&self, board: &mut E::Board, input: Option<Input>, random: &mut Random) -> Turn {
        (*self).turn(board, input, random)
    }

    fn has_won(&self, board: &E::Board) -> bool {
        (*self).has_won(board)
    }

    fn same_objects(&self, one: &E::Board, other: &E::Board) -> bool {
        (*self).same_objects(one, other)
    }

    fn stop(&self, board: &mut E::Board) {
        (*self).stop(board);
    }

    fn cells(&self, board: &E::Board) -> Vec<Set> {
        (*self).cells(board)
    }
}
