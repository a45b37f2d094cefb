//! A* over bit boards, for levels that fit into them.
//!
//! The bound (`estimate.rs`) makes a move a matter of a few dozen instructions, and memory the limit. Hence *partial expansion* (Yoshizumi, Miura and Ishida 2000): of a state's
//! successors only those are stored whose f is the current one, and the state waits for its next turn under the least f
//! of the others. On the hardest levels five of six successors are never stored. Among equal f the youngest goes first,
//! so that the last round finds its plan early.
//!
//! Where the search takes longer, a beam looks for a plan (`beam.rs`). With it the last round need not be run if its f is
//! what the plan costs, and there is a plan to show when a limit comes. When memory runs out, depth-first search goes on
//! from the bound that is proven (`deepening.rs`).
//!
//! Breadth-first search below a growing limit on f was tried: it stores the same states, but its last round, where the
//! plan is, goes through all of them.

use super::beam;
use super::bitboard::{Bitboard, Board, Packed, Set};
use super::deepening::Deepening;
use super::estimate::Estimate;
use super::fast::State;
use super::nodes::{Node, Nodes};
use super::rules::{Move, Puzznic};
use crate::*;

pub(super) const SEARCHES: &[GameSearch<Puzznic>] = &[GameSearch {
    name: "bitboard",
    about: "A* over bit boards, which stores only the successors that it needs next",
    measures: &["moves"],
    run: |level, _measure, switches, budget| search(level, switches, budget),
}];

const MOST_PATTERNS: usize = 16;
const MOST_WORDS: usize = 6;

/// Whether the search can take this level.
pub(super) fn fits(level: &Puzznic) -> bool {
    let words = Bitboard::<u128>::new(level).map(|board| board.words());
    level.letters.len() <= MOST_PATTERNS && words.is_some_and(|words| words <= MOST_WORDS)
}

pub(super) fn search(level: &Puzznic, switches: &Switches, budget: &Budget) -> Report<Move> {
    let at_once = |outcome| Report {
        outcome,
        effort: Effort::default(),
    };
    if level.is_goal(&level.start) {
        let (plan, cost) = (Vec::new(), 0);
        return at_once(Outcome::Optimal { plan, cost });
    }
    if !fits(level) {
        let (at_least, why) = (1, Limit::Incomplete);
        return at_once(Outcome::GaveUp { at_least, why });
    }
    match Bitboard::<u64>::new(level) {
        Some(board) => sized(level, &board, switches, budget),
        None => {
            let board = Bitboard::<u128>::new(level).expect("it fits");
            sized(level, &board, switches, budget)
        }
    }
}

/// The search with sizes that the compiler knows.
fn sized<S: Set>(
    level: &Puzznic,
    board: &Bitboard<S>,
    switches: &Switches,
    budget: &Budget,
) -> Report<Move> {
    match (level.letters.len(), board.words()) {
        (0..=4, 1) => Search::<S, 4, 1>::new(level, board, switches).run(budget),
        (0..=4, 2) => Search::<S, 4, 2>::new(level, board, switches).run(budget),
        (0..=8, 1) => Search::<S, 8, 1>::new(level, board, switches).run(budget),
        (0..=8, 2) => Search::<S, 8, 2>::new(level, board, switches).run(budget),
        (0..=8, 3) => Search::<S, 8, 3>::new(level, board, switches).run(budget),
        _ => Search::<S, MOST_PATTERNS, MOST_WORDS>::new(level, board, switches).run(budget),
    }
}

struct Search<'a, S: Set, const N: usize, const W: usize> {
    level: &'a Puzznic,
    board: &'a Bitboard<S>,
    estimate: Estimate<'a, S, N>,
    nodes: Nodes<W>,
    /// By f, the states that wait for a turn.
    open: Vec<Vec<u32>>,
    /// The boards of the best plan that the beam has found, the start left out.
    best: Option<Vec<Packed<W>>>,
    turns: u64,
    effort: Effort,
}

/// After so many turns, a beam of this width.
const BEAMS: [(u64, usize); 2] = [(1 << 14, 500), (1 << 20, 10_000)];

impl<'a, S: Set, const N: usize, const W: usize> Search<'a, S, N, W> {
    fn new(level: &'a Puzznic, board: &'a Bitboard<S>, switches: &'a Switches) -> Self {
        Self {
            level,
            board,
            estimate: Estimate::new(level, board, switches),
            nodes: Nodes::new(),
            open: Vec::new(),
            best: None,
            turns: 0,
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
        let start: Board<S, N> = self.board.board(&self.level.start);
        let Some(h) = self.estimate.whole(&start) else {
            return Outcome::Unsolvable;
        };
        self.nodes.expect(Node {
            state: self.board.pack(&start),
            parent: u32::MAX,
            g: 0,
        });
        self.nodes.insert_expected(|_| ());
        self.wait(h, 0);
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
            if self.turns.is_multiple_of(256) {
                match budget.check(|| self.progress(f)) {
                    Ok(()) if self.nodes.has_room(budget) => {}
                    Ok(()) | Err(Limit::Memory) => {
                        return self.with_less_memory(&start, f, budget);
                    }
                    Err(why) => return self.at_a_limit(f, why),
                }
            }
            let width = |&(turns, width): &(u64, usize)| (turns == self.turns).then_some(width);
            if let Some(width) = BEAMS.iter().find_map(width) {
                self.look_for_a_plan(&start, width, budget);
            }
            if let Some(goal) = self.expand(id, f) {
                let plan = self.plan(self.way(goal));
                let cost = plan.len() as u32;
                return Outcome::Optimal { plan, cost };
            }
        }
        match self.best.take() {
            Some(best) => {
                let plan = self.plan(best);
                let cost = plan.len() as u32;
                Outcome::Optimal { plan, cost }
            }
            None => Outcome::Unsolvable,
        }
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

    fn at_a_limit(&mut self, at_least: u32, why: Limit) -> Outcome<Move> {
        let Some(best) = self.best.take() else {
            return Outcome::GaveUp { at_least, why };
        };
        let plan = self.plan(best);
        let cost = plan.len() as u32;
        if cost <= at_least {
            return Outcome::Optimal { plan, cost };
        }
        Outcome::Feasible {
            plan,
            cost,
            at_least,
            why,
        }
    }

    fn look_for_a_plan(&mut self, start: &Board<S, N>, width: usize, budget: &Budget) {
        let below = self.best_cost().unwrap_or(u32::MAX);
        let found = beam::search(
            self.board,
            &mut self.estimate,
            start,
            width,
            below,
            budget,
            &mut self.effort,
        );
        self.best = found.or(self.best.take());
    }

    /// Every plan costs at least `f`; what was stored is given back.
    fn with_less_memory(&mut self, start: &Board<S, N>, f: u32, budget: &Budget) -> Outcome<Move> {
        self.effort.stored = self.nodes.len() as u64;
        self.nodes = Nodes::new();
        self.open = Vec::new();
        self.estimate.forget();
        if self.best.is_none() {
            self.look_for_a_plan(start, BEAMS[0].1, budget);
        }
        let best = self.best_cost();
        let mut deepening = Deepening::new(self.board, &mut self.estimate, budget, best);
        let (at_least, ended) = deepening.run(start, f);
        self.effort += deepening.effort();
        match ended {
            Ok(Some(way)) => {
                let plan = self.plan(way);
                let cost = plan.len() as u32;
                Outcome::Optimal { plan, cost }
            }
            // Nothing is cheaper than the best plan, or there is none.
            Ok(None) if self.best.is_none() => Outcome::Unsolvable,
            Ok(None) => self.at_a_limit(u32::MAX, Limit::Incomplete),
            Err(why) => self.at_a_limit(at_least, why),
        }
    }

    fn wait(&mut self, f: u32, id: u32) {
        let f = f as usize;
        if self.open.len() <= f {
            self.open.resize_with(f + 1, Vec::new);
        }
        self.open[f].push(id);
    }

    /// A turn: stores the successors whose f has come, and waits for the others. The goal, if it is one of them.
    fn expand(&mut self, id: u32, f: u32) -> Option<u32> {
        let node = *self.nodes.get(id);
        let board: Board<S, N> = self.board.unpack(&node.state);
        let g = u32::from(node.g) + 1;
        let mut next = u32::MAX;
        let (rules, nodes) = (self.board, &mut self.nodes);
        let moves = self.estimate.successors(&board, g, f, |after, h| {
            if g + h > f {
                next = next.min(g + h);
                return;
            }
            nodes.expect(Node {
                state: rules.pack(after),
                parent: id,
                g: g as u16,
            });
        });
        let open = &mut self.open[f as usize];
        let before = open.len();
        nodes.insert_expected(|child| open.push(child));
        // An empty board packs into zeros.
        let mut stored = open[before..].iter().copied();
        let goal = stored.find(|&child| nodes.get(child).state == [0; W]);
        self.turns += 1;
        self.effort.expanded += 1;
        self.effort.generated += moves;
        if next < u32::MAX {
            self.wait(next, id);
        }
        goal
    }

    /// The boards that lead to this state, the start left out.
    fn way(&self, goal: u32) -> Vec<Packed<W>> {
        let mut way = Vec::new();
        let mut id = goal;
        while self.nodes.get(id).parent != u32::MAX {
            way.push(self.nodes.get(id).state);
            id = self.nodes.get(id).parent;
        }
        way.reverse();
        way
    }

    /// The moves from board to board.
    fn plan(&self, way: Vec<Packed<W>>) -> Vec<Move> {
        let mut state = self.level.start();
        let mut plan = Vec::new();
        for packed in way {
            let pack =
                |state: &State| -> Packed<W> { self.board.pack(&self.board.board::<N>(state)) };
            let mut moves = Vec::new();
            self.level.moves(&state, &mut moves);
            let mut moves = moves.into_iter();
            let mv = moves.find(|&mv| pack(&self.level.apply(&state, mv)) == packed);
            let mv = mv.expect("the fast rules and the bit boards agree");
            state = self.level.apply(&state, mv);
            plan.push(mv);
        }
        plan
    }
}
