//! Walks: the board as a graph of nodes (cell, side entered).
//!
//! A walk connects pieces like a path, but may use a piece twice, in two rotations. So the cheapest
//! walk costs no more than any path, and Dijkstra's algorithm finds it in linear time
//! (`distances.rs`). The search for paths (`paths.rs`) starts from here.
//!
//! The board is padded with a border of empty cells, so that stepping to a neighbour needs no
//! bounds check. An edge costs 1 for the piece that is entered; for `pieces+rotations`, plus the
//! quarter turns that the piece being left needs to lead there.

use super::piece::{Kind, Tile};
use super::rules::{PipeMania, Place};
use crate::*;

/// The distance of a node that no walk reaches.
pub(super) const UNREACHABLE: u32 = u32::MAX;

/// A padded cell and the side through which it is entered: `cell * 4 + side`.
pub(super) type Node = u32;

pub(super) struct Graph {
    /// Columns of the padded board.
    cols: usize,
    /// For each padded cell, the class of its piece: an index into `exits` and `entries`.
    class: Vec<u8>,
    /// By class and side entered: the sides to which the piece can lead, with the cost in turns.
    exits: [[Links; 4]; CLASSES],
    /// By class and side left: the sides through which the path can have entered.
    entries: [[Links; 4]; CLASSES],
    /// By side: what to add to a cell number to get its neighbour.
    offset: [isize; 4],
    /// For each padded cell, the sides through which a path may enter it, as bits `1 << side`.
    open: Vec<u8>,
    /// The named start, which a path never re-enters.
    from: Option<u32>,
    /// The named end, which a path never leaves.
    to: Option<u32>,
}

const CLASSES: usize = 48;

/// At most two sides, each with its cost in turns.
#[derive(Clone, Copy, Default)]
struct Links {
    links: [(u8, u8); 2],
    count: u8,
}

const NO_LINKS: Links = Links {
    links: [(0, 0); 2],
    count: 0,
};

impl Links {
    fn iter(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let links = &self.links[..usize::from(self.count)];
        links
            .iter()
            .map(|&(side, turns)| (usize::from(side), u32::from(turns)))
    }

    fn push(&mut self, side: Side, turns: u8) {
        self.links[usize::from(self.count)] = (side as u8, turns);
        self.count += 1;
    }
}

impl Graph {
    /// The graph of a level's start state. `turns_cost`: whether quarter turns count.
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
            let links = exits[usize::from(*class)].iter().enumerate();
            links.fold(0, |open, (side, links)| {
                open | u8::from(links.count > 0) << side
            })
        };
        let down = cols as isize;
        Self {
            cols,
            open: class.iter().map(open).collect(),
            class,
            exits,
            entries,
            offset: [-down, 1, down, -1],
            from: None,
            to: None,
        }
    }

    /// Names the cells where paths begin and end: from now on, no walk enters `from` or leaves
    /// `to`.
    pub(super) fn set_ends(&mut self, from: Option<u32>, to: Option<u32>) {
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

    /// The slot that entering a node uses up: the piece, or one of the two channels of a cross. A
    /// path uses each slot at most once.
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

    /// Closes a node: from now on, no walk enters it.
    pub(super) fn close(&mut self, node: Node) {
        self.open[node as usize / 4] &= !(1 << (node % 4));
    }

    /// For each padded cell, the sides through which a path may enter it, as bits `1 << side`.
    pub(super) fn open(&self) -> &[u8] {
        &self.open
    }

    pub(super) fn replace_open(&mut self, open: Vec<u8>) -> Vec<u8> {
        std::mem::replace(&mut self.open, open)
    }

    pub(super) fn open_nodes(&self) -> impl Iterator<Item = Node> + '_ {
        (0..self.nodes() as Node).filter(|&node| self.is_open(node))
    }

    /// The other open nodes with the same slot: a path that uses this node uses none of them.
    pub(super) fn conflicting(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let nodes = (0..4).map(move |side| node / 4 * 4 + side);
        nodes.filter(move |&other| {
            other != node && self.is_open(other) && self.slot(other) == self.slot(node)
        })
    }

    /// The nodes of a cell through which a path can pass; for a B, the two along its axis.
    pub(super) fn nodes_of(&self, cell: u32) -> impl Iterator<Item = Node> + '_ {
        let exits = &self.exits[usize::from(self.class[cell as usize])];
        let sides = (0..4).filter(|&side| exits[side as usize].count > 0);
        sides.map(move |side| cell * 4 + side)
    }

    /// The successors (forward) or predecessors (backward) of a node, each with the cost of the
    /// edge.
    pub(super) fn edges(
        &self,
        node: Node,
        direction: Direction,
    ) -> impl Iterator<Item = (Node, u32)> + '_ {
        let (cell, side) = (node as usize / 4, node as usize % 4);
        let (from, links) = match direction {
            Direction::Forward if self.to == Some(cell as u32) => (cell, &NO_LINKS),
            Direction::Backward if self.from == Some(cell as u32) => (cell, &NO_LINKS),
            Direction::Forward => (cell, &self.exits[usize::from(self.class[cell])][side]),
            Direction::Backward => {
                let before = (cell as isize + self.offset[side]) as usize;
                let class = usize::from(self.class[before]);
                (before, &self.entries[class][(side + 2) % 4])
            }
        };
        links.iter().filter_map(move |(side, turns)| {
            let next = match direction {
                Direction::Forward => {
                    let next = (from as isize + self.offset[side]) as usize;
                    (next * 4 + (side + 2) % 4) as Node
                }
                Direction::Backward => (from * 4 + side) as Node,
            };
            let open = self.is_open(next)
                || direction == Direction::Backward && self.from == Some(next / 4);
            let open = open && (direction == Direction::Forward || self.to != Some(next / 4));
            open.then_some((next, turns + 1))
        })
    }
}

/// The direction in which walks are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Away from where paths begin.
    Forward,
    /// Back from where paths end.
    Backward,
}

fn class_of(tile: Tile) -> u8 {
    tile.kind as u8 * 8 + tile.rotation * 2 + u8::from(tile.fixed)
}

/// For each class of piece, the tables `exits` and `entries`.
fn tables(turns_cost: bool) -> ([[Links; 4]; CLASSES], [[Links; 4]; CLASSES]) {
    let mut exits = [[Links::default(); 4]; CLASSES];
    let mut entries = [[Links::default(); 4]; CLASSES];
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
