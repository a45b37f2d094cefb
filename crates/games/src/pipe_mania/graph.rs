//! Walks: the board as a graph of nodes (cell, side entered).
//!
//! A walk joins pieces as a path does, but may use a piece twice, in two rotations. So a cheapest walk costs no more
//! than any path, and is found in a time that grows with the board. The search over paths (`paths.rs`) starts from here.
//!
//! Cells are numbered with an empty rim around the board, so that a step to any side needs no test. The cost of a step is
//! one for the piece that is entered, and for `pieces+rotations` the turns that the piece we leave needed to lead there.

use super::piece::{Kind, Tile};
use super::rules::{PipeMania, Place};
use crate::*;

/// No walk leads there.
pub(super) const NEVER: u32 = u32::MAX;

/// `cell * 4 + side entered`.
pub(super) type Node = u32;

pub(super) struct Graph {
    /// Of the padded board.
    cols: usize,
    /// For each padded cell, what kind of piece lies there, as an index into the tables.
    class: Vec<u8>,
    /// By class and side entered: where the piece can lead, and at what cost in turns.
    exits: [[Ways; 4]; CLASSES],
    /// By class and side left: from where it can have come.
    entries: [[Ways; 4]; CLASSES],
    /// What to add to a cell to reach its neighbour, by side.
    step: [isize; 4],
    /// For each padded cell, through which sides a path may enter it, `1 << side` each.
    open: Vec<u8>,
    /// The cells that a path never comes back to, and never goes on from.
    from: Option<u32>,
    to: Option<u32>,
}

const CLASSES: usize = 48;

/// At most two ways on: the side, and the turns it costs.
#[derive(Clone, Copy, Default)]
struct Ways {
    ways: [(u8, u8); 2],
    count: u8,
}

const NO_WAYS: Ways = Ways {
    ways: [(0, 0); 2],
    count: 0,
};

impl Ways {
    fn iter(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let ways = &self.ways[..usize::from(self.count)];
        ways.iter()
            .map(|&(side, turns)| (usize::from(side), u32::from(turns)))
    }

    fn push(&mut self, side: Side, turns: u8) {
        self.ways[usize::from(self.count)] = (side as u8, turns);
        self.count += 1;
    }
}

impl Graph {
    /// The graph of a level as it lies at the start; turns cost something or nothing.
    pub(super) fn new(level: &PipeMania, turns_cost: bool) -> Self {
        let cols = level.board.cols() + 2;
        let mut class = vec![class_of(Tile::EMPTY); cols * (level.board.rows() + 2)];
        for row in 0..level.board.rows() {
            let start = (row + 1) * cols + 1;
            let tiles = level.board.row(row).iter();
            class[start..]
                .iter_mut()
                .zip(tiles)
                .for_each(|(class, &tile)| *class = class_of(tile));
        }
        let (exits, entries) = tables(turns_cost);
        let open = |class: &u8| {
            let ways = exits[usize::from(*class)].iter().enumerate();
            ways.fold(0, |open, (side, ways)| {
                open | u8::from(ways.count > 0) << side
            })
        };
        let down = cols as isize;
        Self {
            cols,
            open: class.iter().map(open).collect(),
            class,
            exits,
            entries,
            step: [-down, 1, down, -1],
            from: None,
            to: None,
        }
    }

    /// From now on, no walk comes back to the one cell or goes on from the other.
    pub(super) fn name_ends(&mut self, from: Option<u32>, to: Option<u32>) {
        (self.from, self.to) = (from, to);
        if let Some(from) = from {
            self.open[from as usize] = 0;
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.class.len() * 4
    }

    pub(super) fn cell(&self, (row, col): Place) -> u32 {
        ((row + 1) * self.cols + col + 1) as u32
    }

    pub(super) fn place(&self, cell: u32) -> Place {
        (cell as usize / self.cols - 1, cell as usize % self.cols - 1)
    }

    pub(super) fn is_end(&self, node: Node) -> bool {
        self.class[node as usize / 4] / 8 == Kind::End as u8
    }

    /// What is used up by entering a node: the piece, or one of the two channels of a cross.
    pub(super) fn slot(&self, node: Node) -> u32 {
        let cell = node / 4;
        let is_cross = self.class[cell as usize] / 8 == Kind::Cross as u8;
        cell * 2 + u32::from(is_cross && node.is_multiple_of(2))
    }

    pub(super) fn slots(&self) -> usize {
        self.class.len() * 2
    }

    pub(super) fn is_open(&self, node: Node) -> bool {
        self.open[node as usize / 4] >> (node % 4) & 1 == 1
    }

    /// From now on, no walk enters this node.
    pub(super) fn close(&mut self, node: Node) {
        self.open[node as usize / 4] &= !(1 << (node % 4));
    }

    /// For each cell, through which sides a path may enter it, `1 << side` each.
    pub(super) fn open(&self) -> &[u8] {
        &self.open
    }

    pub(super) fn replace_open(&mut self, open: Vec<u8>) -> Vec<u8> {
        std::mem::replace(&mut self.open, open)
    }

    pub(super) fn open_nodes(&self) -> impl Iterator<Item = Node> + '_ {
        (0..self.nodes() as Node).filter(|&node| self.is_open(node))
    }

    /// The other open nodes that use up the same slot.
    pub(super) fn twins(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let nodes = (0..4).map(move |side| node / 4 * 4 + side);
        nodes.filter(move |&twin| {
            twin != node && self.is_open(twin) && self.slot(twin) == self.slot(node)
        })
    }

    /// The nodes of a cell: for a B, those along its opening.
    pub(super) fn nodes_of(&self, cell: u32) -> impl Iterator<Item = Node> + '_ {
        let exits = &self.exits[usize::from(self.class[cell as usize])];
        let sides = (0..4).filter(|&side| exits[side as usize].count > 0);
        sides.map(move |side| cell * 4 + side)
    }

    /// The nodes that a walk can step to (forward) or come from (backward), each with the cost of the step.
    pub(super) fn steps(&self, node: Node, way: Way) -> impl Iterator<Item = (Node, u32)> + '_ {
        let (cell, side) = (node as usize / 4, node as usize % 4);
        let (from, ways) = match way {
            Way::Forward if self.to == Some(cell as u32) => (cell, &NO_WAYS),
            Way::Backward if self.from == Some(cell as u32) => (cell, &NO_WAYS),
            Way::Forward => (cell, &self.exits[usize::from(self.class[cell])][side]),
            Way::Backward => {
                let before = (cell as isize + self.step[side]) as usize;
                let class = usize::from(self.class[before]);
                (before, &self.entries[class][(side + 2) % 4])
            }
        };
        ways.iter().filter_map(move |(side, turns)| {
            let next = match way {
                Way::Forward => {
                    let next = (from as isize + self.step[side]) as usize;
                    (next * 4 + (side + 2) % 4) as Node
                }
                Way::Backward => (from * 4 + side) as Node,
            };
            let open = self.is_open(next) || way == Way::Backward && self.from == Some(next / 4);
            let open = open && (way == Way::Forward || self.to != Some(next / 4));
            open.then_some((next, turns + 1))
        })
    }
}

/// The way in which walks are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// From where a path begins.
    Forward,
    /// From where it ends.
    Backward,
}

fn class_of(tile: Tile) -> u8 {
    tile.kind as u8 * 8 + tile.rotation * 2 + u8::from(tile.fixed)
}

/// Where each class of piece can lead, and from where.
fn tables(turns_cost: bool) -> ([[Ways; 4]; CLASSES], [[Ways; 4]; CLASSES]) {
    let mut exits = [[Ways::default(); 4]; CLASSES];
    let mut entries = [[Ways::default(); 4]; CLASSES];
    let kinds = Kind::LETTERS.iter().map(|&(_, kind)| kind);
    let tiles = kinds.flat_map(|kind| {
        (0..8).map(move |bits| Tile {
            kind,
            rotation: bits / 2,
            fixed: bits % 2 == 1,
        })
    });
    for tile in tiles {
        let class = usize::from(class_of(tile));
        for entered in Side::ALL {
            for out in Side::ALL {
                if let Some(turns) = tile.turns_to_lead(entered, out) {
                    let turns = if turns_cost { turns } else { 0 };
                    exits[class][entered as usize].push(out, turns);
                    entries[class][out as usize].push(entered, turns);
                }
            }
        }
    }
    (exits, entries)
}
