//! Where the ground hangs together by a single cell: cut vertices, by one depth-first search from
//! the avatar (Hopcroft and Tarjan 1973).
//!
//! A block on a cell that is no cut can be walked around: any side can be reached from any other.
//! On a cut, sides that lie in different parts of the rest cannot. And ice that is a cut is a
//! bridge that the avatar crosses once:
//! - of the parts that lie behind such bridges, those with work to do must lie one behind the
//!   other, never side by side;
//! - no block comes out of a part behind a bridge, because the avatar must cross to get behind the
//!   block, and then the bridge is gone; and only one block comes in, because the avatar steps on
//!   the bridge to push it on.

use super::bits::Bits;

/// What is to be done on the ground that is cut.
pub(super) struct Work<const N: usize> {
    pub(super) ground: Bits<N>,
    pub(super) ice: Bits<N>,
    pub(super) blocks: Bits<N>,
    /// Blocks that must be pushed: the avatar must come to their cells.
    pub(super) off_goal: Bits<N>,
    pub(super) goals: Bits<N>,
    /// Goals beside the ground, where a block may be pushed but the avatar may not go.
    pub(super) goals_beside: Bits<N>,
}

#[derive(Clone)]
pub(super) struct Cuts<const N: usize> {
    width: usize,
    /// The cells whose removal parts the ground.
    pub(super) cuts: Bits<N>,
    /// For each two sides: the cuts where both are in the same part.
    pub(super) same: [[Bits<N>; 4]; 4],
    /// For each side: the cuts where it is in the avatar's part.
    pub(super) near: [Bits<N>; 4],
    /// By bit: the number of the cell, in the order of the visits; `UNSEEN` before.
    number: Vec<u16>,
    cells: Vec<Cell>,
}

/// A cell of the ground, by its number.
#[derive(Clone, Copy)]
struct Cell {
    bit: u16,
    /// The number of the cell from which it was first seen.
    parent: u16,
    /// The least number beside the cells that hang on this one.
    low: u16,
    /// The sides where there is ground, and those of them still to be looked at; `1 << side`.
    links: u8,
    open: u8,
    cut: bool,
    children: u8,
    /// Children with work behind bridges.
    bridged: u8,
    /// What lies in this cell and those that hang on it.
    behind: Part,
}

/// What lies in a part of the ground.
#[derive(Clone, Copy, Default)]
struct Part {
    blocks: u16,
    off_goal: u16,
    goals: u16,
    /// Goals beside it, each perhaps counted more than once.
    beside: u16,
}

const UNSEEN: u16 = u16::MAX;

impl<const N: usize> Cuts<N> {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            cuts: Bits::NONE,
            same: [[Bits::NONE; 4]; 4],
            near: [Bits::NONE; 4],
            number: vec![UNSEEN; N * 64],
            cells: Vec::new(),
        }
    }

    /// The bit beside a bit, by the order of `Side::ALL`; out of range where the board ends.
    #[inline]
    fn beside(&self, bit: u16, side: usize) -> usize {
        let bit = bit as usize;
        match side {
            0 => bit.wrapping_sub(self.width),
            1 => bit + 1,
            2 => bit + self.width,
            _ => bit.wrapping_sub(1),
        }
    }

    /// Finds the cuts of a connected ground; `false`: the ice bridges make a plan impossible.
    pub(super) fn explore(&mut self, avatar: usize, work: &Work<N>) -> bool {
        self.cuts = Bits::NONE;
        self.same = [[Bits::NONE; 4]; 4];
        self.near = [Bits::NONE; 4];
        self.number.fill(UNSEEN);
        self.cells.clear();
        self.visit(avatar, work);
        self.fold(work)
    }

    /// Numbers the cells, depth first.
    fn visit(&mut self, avatar: usize, work: &Work<N>) {
        self.enter(avatar, 0, work);
        let mut here = 0;
        loop {
            let cell = &mut self.cells[here];
            if cell.open == 0 {
                if here == 0 {
                    return;
                }
                here = cell.parent as usize;
                continue;
            }
            let side = cell.open.trailing_zeros() as usize;
            cell.open &= cell.open - 1;
            let bit = cell.bit;
            let next = self.beside(bit, side);
            if self.number[next] == UNSEEN {
                self.cells[here].children += 1;
                self.enter(next, here, work);
                here = self.cells.len() - 1;
            }
        }
    }

    #[inline]
    fn enter(&mut self, bit: usize, parent: usize, work: &Work<N>) {
        self.number[bit] = self.cells.len() as u16;
        let bit = bit as u16;
        let (mut links, mut beside) = (0, 0);
        for side in 0..4 {
            links |= u8::from(work.ground.contains(self.beside(bit, side))) << side;
        }
        if !work.goals_beside.is_empty() {
            let holds = |&side: &usize| work.goals_beside.contains(self.beside(bit, side));
            beside = (0..4).filter(holds).count() as u16;
        }
        self.cells.push(Cell {
            bit,
            parent: parent as u16,
            low: UNSEEN,
            links,
            open: links,
            cut: false,
            children: 0,
            bridged: 0,
            behind: Part {
                blocks: u16::from(work.blocks.contains(bit as usize)),
                off_goal: u16::from(work.off_goal.contains(bit as usize)),
                goals: u16::from(work.goals.contains(bit as usize)),
                beside,
            },
        });
    }

    /// From the last cell to the first: what hangs on each, and whether it is a cut.
    fn fold(&mut self, work: &Work<N>) -> bool {
        let all_blocks = (work.blocks & (work.ground | work.goals_beside)).count() as u16;
        let all_goals = (work.goals.count() + work.goals_beside.count()) as u16;
        for index in (1..self.cells.len()).rev() {
            let Cell { bit, links, .. } = self.cells[index];
            let mut low = self.cells[index].low;
            for side in (0..4).filter(|side| links >> side & 1 == 1) {
                low = low.min(self.number[self.beside(bit, side)]);
            }
            let cell = &mut self.cells[index];
            cell.low = low;
            let (behind, bridged, at) = (cell.behind, cell.bridged, cell.parent);
            let is_cut = cell.cut;

            let parent = &mut self.cells[at as usize];
            parent.low = parent.low.min(low);
            let parted = low >= at;
            parent.cut |= parted && (at > 0 || parent.children > 1);
            let bridge = parted && work.ice.contains(parent.bit as usize);
            if bridge {
                let outside = all_goals - behind.goals;
                if behind.blocks > behind.goals + behind.beside
                    || all_blocks - behind.blocks > outside + 1
                {
                    return false;
                }
            }
            parent.bridged += u8::from(bridged > 0 || (bridge && behind.off_goal > 0));
            if parent.bridged > 1 {
                return false;
            }
            parent.behind.blocks += behind.blocks;
            parent.behind.off_goal += behind.off_goal;
            parent.behind.goals += behind.goals;
            parent.behind.beside += behind.beside;
            if is_cut {
                self.part(index);
            }
        }
        if self.cells[0].cut {
            self.part(0);
        }
        true
    }

    /// Sorts the sides of a cut into parts.
    fn part(&mut self, index: usize) {
        let Cell { bit, links, .. } = self.cells[index];
        self.cuts.insert(bit as usize);
        // The part of a side: 0 is the avatar's; else the child that it hangs on, by its number.
        let mut parts = [UNSEEN; 4];
        for side in (0..4).filter(|side| links >> side & 1 == 1) {
            let number = self.number[self.beside(bit, side)];
            parts[side] = 0;
            if number as usize > index {
                // The child with the greatest number up to this one.
                let child = (0..4)
                    .filter(|other| links >> other & 1 == 1)
                    .map(|other| self.number[self.beside(bit, other)])
                    .filter(|&other| other <= number)
                    .filter(|&other| {
                        self.cells[other as usize].parent as usize == index && other > 0
                    })
                    .max()
                    .expect("a later neighbour hangs on a child");
                if self.cells[child as usize].low >= index as u16 {
                    parts[side] = child;
                }
            }
        }
        for (one, &part) in parts.iter().enumerate() {
            if part == UNSEEN {
                continue;
            }
            if part == 0 {
                self.near[one].insert(bit as usize);
            }
            for (two, &other) in parts.iter().enumerate() {
                if part == other {
                    self.same[one][two].insert(bit as usize);
                }
            }
        }
    }
}
