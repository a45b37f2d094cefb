//! A* on bitboards, for levels that are small enough.
//!
//! With the incremental bound (`bitboard_bound.rs`) a move takes a few dozen instructions, and
//! memory is the bottleneck. Hence *partial expansion* (Yoshizumi, Miura and Ishida 2000): of a
//! state's successors, only those with at most the current f are stored, and the state returns to
//! the open list under the least f of the others. On the hardest levels five of six successors are
//! never stored. Ties in f are broken in favour of the newest state, so that the last round finds
//! its plan early.
//!
//! If the search takes longer, a beam search looks for a plan (`beam.rs`). With its plan, the last
//! round can be skipped if its f equals the cost of the plan, and there is a plan to report when a
//! limit is reached. When memory runs out, iterative deepening continues from the proven bound
//! (`deepening.rs`).
//!
//! Breadth-first search with a growing limit on f was tried: it stores the same states, but its
//! last round, which has the plan, visits all of them.

use super::beam;
use super::bitboard::{BitLevel, Bitboard, Packed, Set};
use super::bitboard_bound::BitboardBound;
use super::deepening::IterativeDeepening;
use super::fast::State;
use super::nodes::{Node, Nodes};
use super::rules::{Move, Puzznic};
use crate::*;

pub(super) const BITBOARD: GameSearch<Puzznic> = GameSearch {
    name: "bitboard",
    about: "A* on bitboards with partial expansion: stores only the successors that it needs next",
    measures: &["moves"],
    run: |level, _measure, switches, budget| search(level, switches, budget),
};

const MOST_PATTERNS: usize = 16;
const MOST_WORDS: usize = 6;

/// Whether the level is small enough for this search.
pub(super) fn fits(level: &Puzznic) -> bool {
    let words = BitLevel::<u128>::new(level).map(|bits| bits.words());
    level.letters.len() <= MOST_PATTERNS && words.is_some_and(|words| words <= MOST_WORDS)
}

pub(super) fn search(level: &Puzznic, switches: &Switches, budget: &Budget) -> Report<Move> {
    let report = |outcome| Report {
        outcome,
        effort: Effort::default(),
    };
    if level.is_goal(&level.start) {
        let (plan, cost) = (Vec::new(), 0);
        return report(Outcome::Optimal { plan, cost });
    }
    if !fits(level) {
        let (at_least, why) = (1, Limit::Incomplete);
        return report(Outcome::GaveUp { at_least, why });
    }
    match BitLevel::<u64>::new(level) {
        Some(bits) => search_sized(level, &bits, switches, budget),
        None => {
            let bits = BitLevel::<u128>::new(level).expect("it fits");
            search_sized(level, &bits, switches, budget)
        }
    }
}

/// Runs the search that was compiled for the numbers of patterns and words of this level.
fn search_sized<S: Set>(
    level: &Puzznic,
    bits: &BitLevel<S>,
    switches: &Switches,
    budget: &Budget,
) -> Report<Move> {
    match (level.letters.len(), bits.words()) {
        (0..=4, 1) => Search::<S, 4, 1>::new(level, bits, switches).run(budget),
        (0..=4, 2) => Search::<S, 4, 2>::new(level, bits, switches).run(budget),
        (0..=8, 1) => Search::<S, 8, 1>::new(level, bits, switches).run(budget),
        (0..=8, 2) => Search::<S, 8, 2>::new(level, bits, switches).run(budget),
        (0..=8, 3) => Search::<S, 8, 3>::new(level, bits, switches).run(budget),
        _ => Search::<S, MOST_PATTERNS, MOST_WORDS>::new(level, bits, switches).run(budget),
    }
}

struct Search<'a, S: Set, const N: usize, const W: usize> {
    level: &'a Puzznic,
    bits: &'a BitLevel<S>,
    bound: BitboardBound<'a, S, N>,
    nodes: Nodes<W>,
    /// The open list: one bucket for each f.
    open: Vec<Vec<u32>>,
    /// The boards of the best plan that the beam has found, without the start.
    best: Option<Vec<Packed<W>>>,
    expansions: u64,
    effort: Effort,
}

/// Numbers of expansions after which a beam of the given width runs.
const BEAMS: [(u64, usize); 2] = [(1 << 14, 500), (1 << 20, 10_000)];

impl<'a, S: Set, const N: usize, const W: usize> Search<'a, S, N, W> {
    fn new(level: &'a Puzznic, bits: &'a BitLevel<S>, switches: &'a Switches) -> Self {
        Self {
            level,
            bits,
            bound: BitboardBound::new(level, bits, switches),
            nodes: Nodes::new(),
            open: Vec::new(),
            best: None,
            expansions: 0,
            effort: Effort::default(),
        }
    }

    fn run(mut self, budget: &Budget) -> Report<Move> {
        let outcome = self.outcome(budget);
        self.effort.stored = self.effort.stored.max(self.nodes.len() as u64);
        Report {
            outcome,
            effort: self.effort,
        }
    }

    fn outcome(&mut self, budget: &Budget) -> Outcome<Move> {
        let start: Bitboard<S, N> = self.bits.bitboard_of(&self.level.start);
        let Some(h) = self.bound.lower_bound(&start) else {
            return Outcome::Unsolvable;
        };
        self.nodes.add_to_batch(Node {
            state: self.bits.pack(&start),
            parent: u32::MAX,
            g: 0,
        });
        self.nodes.insert_batch(|_| ());
        self.push_open(h, 0);
        let mut f = h;
        while (f as usize) < self.open.len() {
            if self.best_cost().is_some_and(|cost| cost <= f) {
                break;
            }
            let Some(id) = self.open[f as usize].pop() else {
                self.open[f as usize] = Vec::new();
                f += 1;
                continue;
            };
            if self.expansions.is_multiple_of(256) {
                match budget.check(|| self.progress(f)) {
                    Ok(()) if self.nodes.has_room(budget) => {}
                    Ok(()) | Err(Limit::Memory) => {
                        return self.deepen(&start, f, budget);
                    }
                    Err(why) => return Outcome::at_limit(self.take_best(), f, why),
                }
            }
            let width = |&(expansions, width): &(u64, usize)| {
                (expansions == self.expansions).then_some(width)
            };
            if let Some(width) = BEAMS.iter().find_map(width) {
                self.run_beam(&start, width, budget);
            }
            if let Some(goal) = self.expand(id, f) {
                self.best = Some(self.path_to(goal));
                return Outcome::proven(self.take_best(), f);
            }
        }
        Outcome::proven(self.take_best(), f)
    }

    /// The best plan so far, with its cost.
    fn take_best(&mut self) -> Option<(Vec<Move>, u32)> {
        let plan = self.best.take().map(|best| self.plan(best))?;
        let cost = plan.len() as u32;
        Some((plan, cost))
    }

    fn best_cost(&self) -> Option<u32> {
        self.best.as_ref().map(|best| best.len() as u32)
    }

    fn progress(&self, f: u32) -> Progress {
        Progress {
            phase: "bound",
            depth: f,
            expanded: self.effort.expanded,
            stored: self.nodes.len() as u64,
            at_least: f,
            best: self.best_cost(),
            ..Progress::default()
        }
    }

    fn run_beam(&mut self, start: &Bitboard<S, N>, width: usize, budget: &Budget) {
        let below = self.best_cost().unwrap_or(u32::MAX);
        let found = beam::search(
            self.bits,
            &mut self.bound,
            start,
            width,
            below,
            budget,
            &mut self.effort,
        );
        self.best = found.or(self.best.take());
    }

    /// Continues with iterative deepening, after freeing the stored nodes. Every plan costs at
    /// least `f`.
    fn deepen(&mut self, start: &Bitboard<S, N>, f: u32, budget: &Budget) -> Outcome<Move> {
        self.effort.stored = self.nodes.len() as u64;
        self.nodes = Nodes::new();
        self.open = Vec::new();
        self.bound.clear_caches();
        if self.best.is_none() {
            self.run_beam(start, BEAMS[0].1, budget);
        }
        let best = self.best_cost();
        let mut deepening = IterativeDeepening::new(self.bits, &mut self.bound, budget, best);
        let (at_least, ended) = deepening.run(start, f);
        self.effort += deepening.effort();
        match ended {
            Ok(Some(path)) => {
                self.best = Some(path);
                Outcome::proven(self.take_best(), at_least)
            }
            // No plan is cheaper than the best one.
            Ok(None) if best.is_some_and(|best| best <= at_least) => {
                Outcome::proven(self.take_best(), at_least)
            }
            // There is no plan; a plan that is known contradicts that.
            Ok(None) => Outcome::at_limit(self.take_best(), at_least, Limit::Incomplete)
                .join(Outcome::Unsolvable),
            Err(why) => Outcome::at_limit(self.take_best(), at_least, why),
        }
    }

    fn push_open(&mut self, f: u32, id: u32) {
        let f = f as usize;
        if self.open.len() <= f {
            self.open.resize_with(f + 1, Vec::new);
        }
        self.open[f].push(id);
    }

    /// Expands a node partially: stores the successors whose f is at most this one, and puts the
    /// node back into the open list under the least f of the others. Returns the goal if it is
    /// among those stored.
    fn expand(&mut self, id: u32, f: u32) -> Option<u32> {
        let node = *self.nodes.get(id);
        let board: Bitboard<S, N> = self.bits.unpack(&node.state);
        let g = u32::from(node.g) + 1;
        let mut next = u32::MAX;
        let (bits, nodes) = (self.bits, &mut self.nodes);
        let moves = self.bound.successors(&board, g, f, |after, h| {
            if g + h > f {
                next = next.min(g + h);
                return;
            }
            nodes.add_to_batch(Node {
                state: bits.pack(after),
                parent: id,
                g: g as u16,
            });
        });
        let open = &mut self.open[f as usize];
        let before = open.len();
        nodes.insert_batch(|child| open.push(child));
        // The goal, an empty board, packs into zeros.
        let mut stored = open[before..].iter().copied();
        let goal = stored.find(|&child| nodes.get(child).state == [0; W]);
        self.expansions += 1;
        self.effort.expanded += 1;
        self.effort.generated += moves;
        if next < u32::MAX {
            self.push_open(next, id);
        }
        goal
    }

    /// The boards from the start to this node, without the start.
    fn path_to(&self, goal: u32) -> Vec<Packed<W>> {
        let mut path = Vec::new();
        let mut id = goal;
        while self.nodes.get(id).parent != u32::MAX {
            path.push(self.nodes.get(id).state);
            id = self.nodes.get(id).parent;
        }
        path.reverse();
        path
    }

    /// The moves between consecutive boards of a path.
    fn plan(&self, path: Vec<Packed<W>>) -> Vec<Move> {
        let mut state = self.level.start();
        let mut plan = Vec::new();
        for packed in path {
            let pack =
                |state: &State| -> Packed<W> { self.bits.pack(&self.bits.bitboard_of::<N>(state)) };
            let mut moves = Vec::new();
            self.level.moves(&state, &mut moves);
            let mut moves = moves.into_iter();
            let mv = moves.find(|&mv| pack(&self.level.apply(&state, mv)) == packed);
            let mv = mv.expect("the fast rules and the bitboards agree");
            state = self.level.apply(&state, mv);
            plan.push(mv);
        }
        plan
    }
}
