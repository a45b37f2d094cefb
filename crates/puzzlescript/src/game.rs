//! A compiled game: objects, rules in which every name is an object or a property of one layer,
//! win conditions and levels. Both engines work from this form.

use crate::set::Set;

/// A compiled game.
#[derive(Clone, Debug)]
pub struct Game {
    /// The title, if the prelude has one.
    pub title: Option<String>,
    /// The objects; their index is their number.
    pub objects: Vec<Object>,
    /// The objects of each collision layer.
    pub layers: Vec<Set>,
    /// What the player controls.
    pub player: Things,
    /// The rules before the movements happen.
    pub rules: Phase,
    /// The rules after the movements have happened.
    pub late: Phase,
    /// All of these must hold to win; without any, only the command `win` wins.
    pub wins: Vec<WinCondition>,
    /// Levels and messages in the order of the file.
    pub entries: Vec<Entry>,
    /// What the symbols of maps put into a cell.
    pub symbols: Vec<(char, Set)>,
    /// What fills the cells of a map.
    pub background: Background,
    /// The settings of the prelude.
    pub settings: Settings,
    /// The file has errors: the game may not work as written.
    pub faulty: bool,
}

/// What fills the cells of a map that have nothing of the background layer.
#[derive(Clone, Debug, Default)]
pub struct Background {
    /// The object where the map has no other one.
    pub default: Set,
    /// The objects of the layer of the background; `None` where it is in no layer.
    pub layer: Option<Set>,
}

impl Background {
    /// What fills a map with these cells: the background of the first cell that has one.
    pub fn of_cells<'c>(&self, cells: impl IntoIterator<Item = &'c Set>) -> Set {
        let of_layer = |cell: &Set| -> Set {
            let layer = self.layer.iter().flat_map(Set::iter);
            layer.filter(|&object| cell.contains(object)).collect()
        };
        let mut present = cells.into_iter().map(of_layer);
        let present = present.find(|cell| !cell.is_empty());
        present.unwrap_or_else(|| self.default.clone())
    }

    /// Whether a cell gets the background: it has nothing of its layer.
    pub fn fills(&self, cell: &Set) -> bool {
        self.layer.as_ref().is_none_or(|layer| !layer.meets(cell))
    }
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name in lower case.
    pub name: String,
    /// Its collision layer.
    pub layer: usize,
    /// The colours of its sprite: red, green and blue; `None` for a transparent one.
    pub colours: Vec<Option<[u8; 3]>>,
    /// Five rows of five pixels: the number of the colour, or `None` for a transparent pixel.
    pub sprite: Vec<Vec<Option<u8>>>,
}

/// Objects of which a cell must have one, or all.
#[derive(Clone, Debug)]
pub struct Things {
    /// The objects.
    pub objects: Set,
    /// Whether a cell must have all of them (an aggregate).
    pub all: bool,
}

impl Things {
    /// Whether a cell with these objects has them.
    pub fn are_in(&self, cell: &Set) -> bool {
        match self.all {
            true => self.objects.within(cell),
            false => self.objects.meets(cell),
        }
    }
}

/// Settings of the prelude that change what a turn does.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// A turn without input is played when a level starts.
    pub run_rules_on_level_start: bool,
    /// A turn in which no player moves is undone.
    pub require_player_movement: bool,
    /// There is no action key.
    pub no_action: bool,
    /// The player cannot undo.
    pub no_undo: bool,
    /// The player cannot restart.
    pub no_restart: bool,
    /// Turns happen by the clock.
    pub real_time: bool,
}

/// Groups of rules, applied one after the other.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    /// The groups.
    pub groups: Vec<Group>,
    /// For each group, the group to which a loop returns after it.
    pub loops: Vec<Option<usize>>,
}

/// Rules that are applied again and again until none changes anything.
#[derive(Clone, Debug)]
pub struct Group {
    /// The rules; at least one.
    pub rules: Vec<Rule>,
    /// Only one match of one rule is applied, chosen at random.
    pub random: bool,
    /// Among the groups with rigid rules, the number of this one.
    pub rigid: Option<usize>,
}

/// A rule in one direction, without ambiguous names and movements.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its line in the file, from 1.
    pub line: usize,
    /// The direction in which its rows lie.
    pub direction: Direction,
    /// Patterns that must all be on the board.
    pub rows: Vec<Vec<Cell>>,
    /// Whether there is a right side; without one, the rule only gives commands.
    pub changes: bool,
    /// Whether its movements must all happen or none.
    pub rigid: bool,
    /// What it commands where it matches.
    pub commands: Vec<Command>,
}

/// A cell of a pattern.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Any number of cells.
    Ellipsis,
    /// One cell: what must be there, and what is there afterwards.
    Pattern {
        /// The left side.
        before: Vec<Term>,
        /// The right side.
        after: Vec<Term>,
    },
}

impl Cell {
    /// The left and the right side; none where any number of cells may be.
    pub(crate) fn sides(&self) -> Option<(&[Term], &[Term])> {
        match self {
            Cell::Ellipsis => None,
            Cell::Pattern { before, after } => Some((before, after)),
        }
    }
}

/// Something in a cell of a rule.
#[derive(Clone, Debug)]
pub enum Term {
    /// None of these objects.
    No(Set),
    /// An object.
    Object {
        /// The object.
        object: usize,
        /// Its layer.
        layer: usize,
        /// Its movement.
        motion: Motion,
    },
    /// An object of a property, all of whose objects are in one layer.
    Property {
        /// The objects of the property.
        objects: Set,
        /// Their layer.
        layer: usize,
        /// The movement.
        motion: Motion,
    },
    /// On the right side: one of these objects, chosen at random.
    Random(Set),
}

/// The movement that a rule asks for or gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// None is mentioned.
    Any,
    /// `stationary`.
    Stationary,
    /// All of these movements, one bit each.
    Moving(u8),
    /// On the right side: a direction chosen at random.
    RandomDirection,
}

/// A direction. The order is that of the bits of a movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Towards the first row.
    Up,
    /// Towards the last row.
    Down,
    /// Towards the first column.
    Left,
    /// Towards the last column.
    Right,
}

impl Direction {
    /// The directions in the order of their bits.
    pub const ALL: [Direction; 4] = [
        Direction::Up,
        Direction::Down,
        Direction::Left,
        Direction::Right,
    ];

    /// Its bit in a movement.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The step in columns and rows.
    pub fn step(self) -> (isize, isize) {
        match self {
            Direction::Up => (0, -1),
            Direction::Down => (0, 1),
            Direction::Left => (-1, 0),
            Direction::Right => (1, 0),
        }
    }
}

/// The bit of the movement that the action key gives.
pub const ACTION: u8 = 16;
/// All bits of a movement.
pub const ALL_MOTIONS: u8 = 31;

/// A command of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The turn does not happen.
    Cancel,
    /// The level starts again, at its last checkpoint if there is one.
    Restart,
    /// The level is won.
    Win,
    /// A restart comes back to here.
    Checkpoint,
    /// Another turn without input follows.
    Again,
    /// A text is shown.
    Message(String),
    /// A sound effect.
    Sound(u8),
}

impl Command {
    /// Whether both are the same command; two messages are, whatever they say.
    pub fn same(&self, other: &Command) -> bool {
        match (self, other) {
            (Command::Message(_), Command::Message(_)) => true,
            _ => self == other,
        }
    }
}

/// A win condition.
#[derive(Clone, Debug)]
pub struct WinCondition {
    /// How many cells it is about.
    pub quantifier: Quantifier,
    /// What it counts.
    pub what: Things,
    /// Where; everything, if the condition does not say.
    pub on: Things,
}

/// How many of the things of a win condition must be where it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// None.
    No,
    /// At least one.
    Some,
    /// All.
    All,
}

/// An entry of the section of levels.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A text that is shown.
    Message(String),
    /// A level.
    Level(Level),
}

/// A level as it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its first line in the file, from 1.
    pub line: usize,
    /// The number of columns.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// The objects of each cell, column by column.
    pub cells: Vec<Set>,
}

impl Object {
    /// The colour of a pixel of the sprite; `None` where it is transparent.
    pub fn pixel(&self, row: usize, column: usize) -> Option<[u8; 3]> {
        let colour = (*self.sprite.get(row)?.get(column)?)?;
        *self.colours.get(usize::from(colour))?
    }
}

impl Game {
    /// The level with this index among levels and messages.
    pub fn level(&self, entry: usize) -> Option<&Level> {
        match self.entries.get(entry)? {
            Entry::Level(level) => Some(level),
            Entry::Message(_) => None,
        }
    }

    /// The indices of the levels among levels and messages.
    pub fn levels(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.entries.len()).filter(|&entry| self.level(entry).is_some())
    }
}

/// A key that the player presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// The arrow up.
    Up,
    /// The arrow left.
    Left,
    /// The arrow down.
    Down,
    /// The arrow right.
    Right,
    /// The action key.
    Action,
}

impl Input {
    /// All keys, in the order of the reference engine.
    pub const ALL: [Input; 5] = [
        Input::Up,
        Input::Left,
        Input::Down,
        Input::Right,
        Input::Action,
    ];

    /// The name of the key.
    pub fn name(self) -> &'static str {
        ["up", "left", "down", "right", "action"][self as usize]
    }

    /// The bit of the movement that it gives to the player.
    pub fn bit(self) -> u8 {
        match self {
            Input::Up => Direction::Up.bit(),
            Input::Left => Direction::Left.bit(),
            Input::Down => Direction::Down.bit(),
            Input::Right => Direction::Right.bit(),
            Input::Action => ACTION,
        }
    }
}
