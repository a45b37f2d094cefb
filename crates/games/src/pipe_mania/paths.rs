//! The exact search for the cheapest path, by either measure.
//!
//! The cheapest *walk* may use a piece twice; the cheapest *path* may not, and finding it is NP-hard in general. But on
//! most boards the cheapest walk is a path already, and where it is not, it crosses itself in few places.
//!
//! So we look for the cheapest walk, and when it crosses itself, every piece on the loop learns to *remember* the piece
//! where it crossed: from now on, walks that reach such a piece are told apart by which of the remembered pieces they have
//! used, and do not use them again. Then we look again. What we find costs no more than any path, so the first walk that
//! is a path is the best one, and where no walk is left, there is no path. Memories only grow, so it ends; and they are
//! local, so that a thousand crossings far apart do not multiply. (To add states only where a relaxed optimum breaks
//! the rule is the decremental state space relaxation of Boland, Dethridge and Dumitrescu, 2006, and of Righini and Salani,
//! 2008; memories along the loop are the dynamic ng-routes of Roberti and Mingozzi, 2014.)
//!
//! Each look is a run of A* (`rounds.rs`), bounded by the cheapest walk without memories.
//!
//! Pieces that the path must pass are remembered everywhere, the other way round: walks are told apart by what they lack.

use super::graph::{Graph, NEVER, Node, Way};
use super::piece::Kind;
use super::rounds::{Ended, Memory, Rounds};
use super::rules::{Move, Place, PipeMania};
use crate::*;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "local-memory",
        about: "remember a crossing only along the loop that met it, not on the whole board",
    },
    Rule {
        name: "required-bound",
        about: "bound the way that is left by the required pieces",
    },
];

pub(super) fn search(
    level: &PipeMania,
    measure: &str,
    switches: &Switches,
    budget: &Budget,
) -> Report<Move> {
    let mut effort = Effort::default();
    let mut best = Best::default();
    let ended = match Problem::new(level, measure, switches, budget) {
        Ok(Some(problem)) => problem.solve(&mut best, &mut effort, budget),
        Ok(None) => Ok(()),
        Err(limit) => Err(limit),
    };
    let found = best.path.map(|(cost, path)| (turns(level, &path), cost));
    let at_least = best.at_least;
    let outcome = match (ended, found) {
        (Ok(()), Some((plan, cost))) => Outcome::Optimal { plan, cost },
        (Ok(()), None) => Outcome::Unsolvable,
        (Err(_), Some((plan, cost))) if cost <= at_least => Outcome::Optimal { plan, cost },
        (Err(why), Some((plan, cost))) => Outcome::Feasible {
            plan,
            cost,
            at_least,
            why,
        },
        (Err(why), None) => Outcome::GaveUp { at_least, why },
    };
    Report { outcome, effort }
}

/// The turns that the pieces of a path need, in the order of the path.
fn turns(level: &PipeMania, path: &[Passage]) -> Vec<Move> {
    let mut plan = Vec::new();
    for &(place, entered, out) in path {
        let turns = level.board[place].turns_to_lead(entered, out);
        let mv = Move {
            row: place.0 as u16,
            col: place.1 as u16,
        };
        let turns = turns.expect("the search took this way through the piece");
        plan.extend((0..turns).map(|_| mv));
    }
    plan
}

/// A piece, and the sides through which the path enters and leaves it.
type Passage = (Place, Side, Side);

/// What is known so far.
#[derive(Default)]
pub(super) struct Best {
    /// No path costs less.
    pub(super) at_least: u32,
    /// The cheapest path so far: its cost, and how it passes the pieces between its ends.
    pub(super) path: Option<(u32, Vec<Passage>)>,
}

impl Best {
    pub(super) fn cost(&self) -> u32 {
        self.path.as_ref().map_or(NEVER, |(cost, _)| *cost)
    }
}

/// A level as a question about walks.
pub(super) struct Problem<'a> {
    pub(super) graph: Graph,
    pub(super) switches: &'a Switches,
    /// The nodes where a walk may begin, as if it had entered the B from behind, and those where it may end.
    pub(super) roots: Vec<Node>,
    pub(super) targets: Vec<Node>,
    /// The cells where it must begin and end; `None`: in any B.
    pub(super) from: Option<u32>,
    pub(super) to: Option<u32>,
    /// The required cells, sorted.
    pub(super) required: Vec<u32>,
}

impl<'a> Problem<'a> {
    /// `None`: there are no two ends.
    fn new(
        level: &PipeMania,
        measure: &str,
        switches: &'a Switches,
        budget: &Budget,
    ) -> Result<Option<Self>, Limit> {
        budget.check(Progress::default)?;
        let graph = Graph::new(level, measure != "pieces");
        let ends: Vec<u32> = level.ends().into_iter().map(|end| graph.cell(end)).collect();
        if ends.len() < 2 {
            return Ok(None);
        }
        let mut from = level.from.map(|end| graph.cell(end));
        let mut to = level.to.map(|end| graph.cell(end));
        if let [first, second] = ends[..] {
            // Of two ends, the one that is not named is the other one; and without one-way pieces, a path can be read
            // backwards.
            let two_way = level.board.cells().iter().all(|tile| tile.kind != Kind::OneWay);
            let other = |end: u32| if end == first { second } else { first };
            from = from.or(to.map(other)).or(two_way.then_some(first));
            to = to.or(from.map(other));
        }
        let nodes = |mine: Option<u32>, yours: Option<u32>| -> Vec<Node> {
            let ends = ends.iter().filter(|&&end| mine.is_none_or(|mine| mine == end));
            let ends = ends.filter(|&&end| yours != Some(end));
            ends.flat_map(|&end| graph.ways_in(end)).collect()
        };
        let (roots, targets) = (nodes(from, to), nodes(to, from));
        let mut required: Vec<u32> = level.required().into_iter().map(|it| graph.cell(it)).collect();
        required.sort_unstable();
        Ok(Some(Self {
            roots,
            targets,
            graph,
            switches,
            from,
            to,
            required,
        }))
    }

    fn solve(&self, best: &mut Best, effort: &mut Effort, budget: &Budget) -> Result<(), Limit> {
        let Some(mut rounds) = Rounds::new(self, best, budget)? else {
            return Ok(());
        };
        let mut memory = Memory::new(self.graph.slots());
        let way = Way::Forward;
        loop {
            let ended = rounds.run(way, &memory, best, budget);
            *effort += rounds.effort();
            let walk = match ended? {
                Ended::Walk(cost, walk) => {
                    best.at_least = cost;
                    walk
                }
                Ended::Nothing => return Ok(()),
            };
            let crossings = self.crossings(&walk);
            if crossings.is_empty() {
                best.path = Some((best.at_least, self.pieces(&walk)));
                return Ok(());
            }
            let local = self.switches.on("local-memory");
            for (first, second) in crossings {
                let slot = self.graph.slot(walk[first]);
                if local {
                    let onto = walk[first + 1..second].iter();
                    onto.for_each(|&node| memory.learn(self.graph.slot(node), slot));
                } else {
                    (0..self.graph.slots() as u32).for_each(|onto| memory.learn(onto, slot));
                }
            }
        }
    }

    /// Whether a walk in this way may end in a node.
    pub(super) fn arrives(&self, node: Node, way: Way) -> bool {
        let named = match way {
            Way::Forward => self.to,
            Way::Backward => self.from,
        };
        match named {
            Some(end) => node / 4 == end,
            None => self.graph.is_end(node),
        }
    }

    /// The pairs of places in a walk between which it makes a loop: each slot that it uses again, and where it was used
    /// last.
    fn crossings(&self, walk: &[Node]) -> Vec<(usize, usize)> {
        let mut uses: Vec<_> = walk.iter().enumerate().map(|(at, &node)| (self.graph.slot(node), at)).collect();
        uses.sort_unstable();
        let pairs = uses.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        pairs.map(|pair| (pair[0].1, pair[1].1)).collect()
    }

    /// The pieces between the ends of a walk.
    fn pieces(&self, walk: &[Node]) -> Vec<Passage> {
        let between = walk.windows(2).skip(1);
        between
            .map(|pair| {
                let entered = Side::ALL[pair[0] as usize % 4];
                let out = Side::ALL[pair[1] as usize % 4].opposite();
                (self.graph.place(pair[0] / 4), entered, out)
            })
            .collect()
    }
}
