//! Where the ground hangs together by a single cell: cut vertices, by one depth-first search from the avatar (Hopcroft and
//! Tarjan 1973).
//!
//! A block on a cell that is no cut can be walked around: any side can be reached from any other. On a cut, sides that lie in
//! different parts of the rest cannot. And ice that is a cut is a bridge that the avatar crosses once:
//! - of the parts that lie behind such bridges, those with work to do must lie one behind the other, never side by side;
//! - no block comes out of a part behind a bridge, because the avatar must cross to get behind the block, and then the
//!   bridge is gone; and only one block comes in, because the avatar steps on the bridge to push it on.

use super::bits::Bits;

/// What is to be done on the ground that is cut.
pub(super) struct Work<const N: usize> {
    pub(super) ground: Bits<N>,
    pub(super) ice: Bits<N>,
    pub(super) blocks: Bits<N>,
    /// Blocks that must be pushed: the avatar must come to their cells.
    pub(super) astray: Bits<N>,
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
    /// By bit: the order of the visits, from 1; and the earliest that can be reached from the part behind.
    order: Vec<u16>,
    low: Vec<u16>,
    path: Vec<Step>,
}

/// A cell on the way from the avatar to where the search is now.
#[derive(Clone, Copy)]
struct Step {
    bit: usize,
    /// The next side to look at.
    side: usize,
    /// The order numbers of its children, and whether each is parted from the rest by this cell.
    children: [(u16, bool); 4],
    count: usize,
    behind: Part,
    /// Children with work behind bridges.
    bridged: u32,
}

/// What lies in a part of the ground.
#[derive(Clone, Copy, Default)]
struct Part {
    blocks: u32,
    astray: u32,
    goals: u32,
    /// Goals beside it, each perhaps counted more than once.
    beside: u32,
}

impl<const N: usize> Cuts<N> {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            cuts: Bits::NONE,
            same: [[Bits::NONE; 4]; 4],
            near: [Bits::NONE; 4],
            order: vec![0; N * 64],
            low: vec![0; N * 64],
            path: Vec::new(),
        }
    }

    /// The neighbours in the order of `Side::ALL`. The ground has no bits where these would leave the board.
    fn beside(&self, bit: usize) -> [usize; 4] {
        let out = N * 64;
        [
            bit.checked_sub(self.width).unwrap_or(out),
            bit + 1,
            bit + self.width,
            bit.checked_sub(1).unwrap_or(out),
        ]
    }

    /// Finds the cuts of a connected ground; `false`: the ice bridges make a plan impossible.
    pub(super) fn explore(&mut self, avatar: usize, work: &Work<N>) -> bool {
        self.cuts = Bits::NONE;
        self.same = [[Bits::NONE; 4]; 4];
        self.near = [Bits::NONE; 4];
        self.order.fill(0);
        self.path.clear();
        let carries = |bit: usize| bit < N * 64 && work.ground.contains(bit);
        let all_blocks = (work.blocks & work.ground).count() + (work.blocks & work.goals_beside).count();
        let all_goals = (work.goals & work.ground).count() + work.goals_beside.count();
        let mut visits = 0;
        self.enter(avatar, &mut visits, work);
        loop {
            let here = self.path.last_mut().expect("the path ends at the avatar");
            let bit = here.bit;
            if here.side < 4 {
                let side = here.side;
                here.side += 1;
                let next = self.beside(bit)[side];
                if !carries(next) {
                    continue;
                }
                if self.order[next] == 0 {
                    self.enter(next, &mut visits, work);
                } else {
                    self.low[bit] = self.low[bit].min(self.order[next]);
                }
                continue;
            }
            // All sides are done.
            let done = self.path.pop().expect("just seen");
            self.part(&done, work);
            let Some(parent) = self.path.last_mut() else {
                return true;
            };
            self.low[parent.bit] = self.low[parent.bit].min(self.low[bit]);
            let parted = self.low[bit] >= self.order[parent.bit];
            parent.children[parent.count] = (self.order[bit], parted);
            parent.count += 1;

            let behind = done.behind;
            let bridge = parted && work.ice.contains(parent.bit);
            if bridge {
                let outside = all_goals - behind.goals;
                if behind.blocks > behind.goals + behind.beside
                    || all_blocks - behind.blocks > outside + 1
                {
                    return false;
                }
            }
            parent.bridged += u32::from(done.bridged > 0 || bridge && behind.astray > 0);
            if parent.bridged > 1 {
                return false;
            }
            parent.behind.blocks += behind.blocks;
            parent.behind.astray += behind.astray;
            parent.behind.goals += behind.goals;
            parent.behind.beside += behind.beside;
        }
    }

    fn enter(&mut self, bit: usize, visits: &mut u16, work: &Work<N>) {
        *visits += 1;
        self.order[bit] = *visits;
        self.low[bit] = *visits;
        let mut beside = 0;
        if !work.goals_beside.is_empty() {
            let holds = |&bit: &usize| bit < N * 64 && work.goals_beside.contains(bit);
            beside = self.beside(bit).iter().filter(|bit| holds(bit)).count() as u32;
        }
        self.path.push(Step {
            bit,
            side: 0,
            children: [(0, false); 4],
            count: 0,
            behind: Part {
                blocks: u32::from(work.blocks.contains(bit)),
                astray: u32::from(work.astray.contains(bit)),
                goals: u32::from(work.goals.contains(bit)),
                beside,
            },
            bridged: 0,
        });
    }

    /// Sorts the sides of a cell into parts, if it is a cut.
    fn part(&mut self, cell: &Step, work: &Work<N>) {
        let children = &cell.children[..cell.count];
        let root = self.order[cell.bit] == 1;
        let cut = children.iter().any(|child| child.1) && (!root || cell.count > 1);
        if !cut {
            return;
        }
        self.cuts.insert(cell.bit);
        // The part of a side: 0 is the avatar's; else the child that it hangs on, by its order number.
        let parts = self.beside(cell.bit).map(|bit| {
            if bit >= N * 64 || !work.ground.contains(bit) {
                return None;
            }
            let order = self.order[bit];
            let child = children.iter().rev().find(|child| child.0 <= order);
            Some(child.map_or(0, |&(order, parted)| if parted { order } else { 0 }))
        });
        for (one, part) in parts.iter().enumerate() {
            if *part == Some(0) {
                self.near[one].insert(cell.bit);
            }
            for (two, other) in parts.iter().enumerate() {
                if part.is_some() && part == other {
                    self.same[one][two].insert(cell.bit);
                }
            }
        }
    }
}
