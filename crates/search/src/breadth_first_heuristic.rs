//! Breadth-first heuristic search (Zhou and Hansen 2006): a plan first, then one pass of layers
//! that proves that no shorter one exists.
//!
//! Where all moves cost the same and the guide answers sharply what a few moves can achieve, A*
//! spends its time on ties and on bounds that rise by one. Here a beam finds a plan, mostly an
//! optimal one. Then breadth-first layers follow all states from which the guide still `allows` a
//! plan that is shorter by one. Near the end the guide prunes more, the layers stop growing, and a
//! depth-first search of the last moves needs no memory at all; it also takes over when memory runs
//! low. A goal in a layer ends the pass with an optimal plan, so a poor plan from the beam costs
//! time but not the proof.
//!
//! Several threads share the work of a layer: each expands a part of it with a guide of its own and
//! asks the guide about the successors, which is nearly all the work. Then one thread inserts the
//! states that they found, in the order of the parts. So any number of threads fills the same
//! layers with the same states under the same ids.
//!
//! A beam that never dropped a state is itself a complete search, and small levels end there. Where
//! moves do not all cost 1, layers do not order states by cost: then A* takes over.

use std::ops::Range;

use ployglot_base::{Budget, Effort, Guide, Limit, Progress, Report, Space};

use crate::batch::Batch;
use crate::equal_costs::{Stop, astar_instead};
use crate::plan::{self, FoundPlan};
use crate::registry::{StateId, spare};
use crate::search_tree::SearchTree;
use crate::threads::run_each;
use crate::throttle::Throttle;

/// Breadth-first heuristic search; see the module's documentation.
pub fn breadth_first_heuristic<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut search = LayerSearch::new(space, guide(), budget);
    let ended = search.run(guide);
    let outcome = match ended {
        Ok(()) => plan::proven(search.best, search.at_least),
        Err(Stop::Limit(why)) => plan::outcome(search.best, search.at_least, why),
        Err(Stop::UnequalCosts) => return astar_instead(space, guide, budget, search.effort),
    };
    Report {
        outcome,
        effort: search.effort,
    }
}

/// The widths of the beams, which run one after the other.
const WIDTHS: [usize; 2] = [1 << 11, 1 << 14];
/// States are inserted into the registry in batches of this size, so that its cache misses overlap.
const BATCH: usize = 128;
/// How many states each thread expands before the states that it found are inserted.
const ROUND: usize = 1 << 13;
/// A layer of at least this size that is no larger than the one before is left to depth-first
/// search.
const LARGE: usize = 1 << 14;
/// Fewer states than this are not worth the start of a thread.
const MIN_SHARE: usize = 1 << 9;

struct LayerSearch<'a, S: Space, G> {
    space: &'a S,
    guide: G,
    budget: &'a Budget,
    best: Option<FoundPlan<S::Move>>,
    /// Proven: no plan costs less.
    at_least: u32,
    effort: Effort,
    throttle: Throttle,
    /// For the moves of a state.
    move_throttle: Throttle,
    /// The phase that is reported as progress.
    phase: &'static str,
    /// The depth of the states that are being expanded.
    depth: u32,
    /// From this depth on, layers are left to depth-first search in any case.
    depth_first_from: u32,
    /// `MIN_SHARE`, unless a test changes it.
    min_share: usize,
    /// The state that is being expanded.
    current: u32,
    /// Bytes of the budget that the registry leaves free.
    spare: u64,
    batch: Batch<Origin>,
    inserted: Vec<(StateId, bool)>,
    /// Moves that are still to be tried, and those of a single state.
    moves: Vec<S::Move>,
    listed: Vec<S::Move>,
}

/// Data of a state that is to be inserted.
struct Origin {
    parent: u32,
    /// The guide's estimate of the distance to a goal; 0 where it is not needed.
    estimate: u32,
}

/// A state of a layer. The order of the fields is the rank in a beam.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    estimate: u32,
    id: u32,
}

/// Keeps the states with the least rank. Like `sort_by_id` it is not generic, so that sorting, which is
/// much code, is compiled once and not for each space.
fn keep_best(layer: &mut Vec<Ranked>, width: usize) {
    layer.select_nth_unstable(width);
    layer.truncate(width);
}

fn sort_by_id(layer: &mut [Ranked]) {
    layer.sort_unstable_by_key(|state| state.id);
}

/// The plan to this state, continued by these moves, which cost 1 each.
fn plan_with<S: Space>(
    space: &S,
    tree: &SearchTree,
    end: u32,
    moves: &[S::Move],
) -> FoundPlan<S::Move> {
    let mut found = tree.plan_to(space, StateId(end));
    found.plan.extend_from_slice(moves);
    found.cost += moves.len() as u32;
    found
}

/// Cuts a range into parts of this length; the last may be shorter.
fn parts(range: Range<u32>, length: usize) -> impl Iterator<Item = Range<u32>> {
    let starts = range.clone().step_by(length.max(1));
    starts.map(move |start| start..range.end.min(start.saturating_add(length as u32)))
}

/// How a beam ended.
enum BeamEnd {
    /// No state was dropped: its plan is optimal, and if it has none, there is none.
    Complete,
    Incomplete,
}

impl<'a, S: Space, G: Guide<S>> LayerSearch<'a, S, G> {
    fn new(space: &'a S, guide: G, budget: &'a Budget) -> Self {
        Self {
            space,
            guide,
            budget,
            best: None,
            at_least: 0,
            effort: Effort::default(),
            throttle: Throttle::new(budget),
            move_throttle: Throttle::new(budget),
            phase: "beam",
            depth: 0,
            depth_first_from: u32::MAX,
            min_share: MIN_SHARE,
            current: 0,
            spare: spare(budget),
            batch: Batch::default(),
            inserted: Vec::new(),
            moves: Vec::new(),
            listed: Vec::new(),
        }
    }

    /// Only plans that cost at most this are of interest.
    fn max_cost(&self) -> u32 {
        match &self.best {
            Some(best) => best.cost.saturating_sub(1),
            None => u32::MAX,
        }
    }

    /// The whole search. Afterwards `best` is an optimal plan, or there is no plan.
    fn run(&mut self, guide: &(impl Fn() -> G + Sync)) -> Result<(), Stop> {
        let start = self.space.start();
        if self.space.is_goal(&start) {
            self.best = Some(FoundPlan {
                plan: Vec::new(),
                cost: 0,
            });
            return Ok(());
        }
        let Some(bound) = self.guide.lower_bound(&start) else {
            return Ok(());
        };
        self.at_least = bound;
        for width in WIDTHS {
            if let BeamEnd::Complete = self.beam(width)? {
                return Ok(());
            }
            if self.best.as_ref().is_some_and(|best| best.cost <= bound) {
                return Ok(());
            }
        }
        self.layers(guide)
    }

    /// Layers of at most `width` states, those with the least estimates.
    fn beam(&mut self, width: usize) -> Result<BeamEnd, Stop> {
        self.phase = "beam";
        let mut tree = self.new_tree()?;
        let mut layer = vec![Ranked { estimate: 0, id: 0 }];
        let mut next: Vec<Ranked> = Vec::new();
        let mut end = BeamEnd::Complete;
        self.depth = 0;
        while !layer.is_empty() && self.depth < self.max_cost() {
            for &Ranked { id, .. } in &layer {
                if self.batch.items.len() >= BATCH {
                    self.insert(&mut tree, |state| next.push(state))?;
                }
                if let Some(mv) = self.expand(&tree, id, true)? {
                    self.best = Some(plan_with(self.space, &tree, id, &[mv]));
                    return Ok(end);
                }
            }
            self.insert(&mut tree, |state| next.push(state))?;
            if next.len() > width {
                end = BeamEnd::Incomplete;
                keep_best(&mut next, width);
            }
            sort_by_id(&mut next);
            std::mem::swap(&mut layer, &mut next);
            next.clear();
            self.depth += 1;
        }
        Ok(end)
    }

    /// All states that may lead to a plan of interest, layer by layer.
    fn layers(&mut self, guide: &(impl Fn() -> G + Sync)) -> Result<(), Stop> {
        self.phase = "layer";
        let mut tree = self.new_tree()?;
        let mut layer = 0..1;
        self.depth = 0;
        while !layer.is_empty() && self.depth < self.max_cost() {
            self.at_least = self.at_least.max(self.depth + 1);
            match self.expand_layer(guide, &mut tree, layer.clone()) {
                Ok(None) => {}
                Ok(Some(plan)) => {
                    self.best = Some(plan);
                    return Ok(());
                }
                Err(Stop::Limit(Limit::Memory)) if self.best.is_some() => {
                    // States that wait in the batch are found again from their parents.
                    let waiting = self.batch.items.first();
                    let from = waiting.map_or(self.current, |first| first.parent.min(self.current));
                    let stored = tree.registry.len() as u32;
                    self.depth_first_all(guide, &tree, from..layer.end)?;
                    self.depth += 1;
                    return self.depth_first_all(guide, &tree, layer.end..stored);
                }
                Err(stop) => return Err(stop),
            }
            let after = layer.end..tree.registry.len() as u32;
            let stopped_growing = after.len() >= LARGE && after.len() <= layer.len();
            layer = after;
            self.depth += 1;
            if self.best.is_some() && (stopped_growing || self.depth >= self.depth_first_from) {
                self.at_least = self.at_least.max(self.depth + 1);
                return self.depth_first_all(guide, &tree, layer);
            }
        }
        Ok(())
    }

    /// Inserts the successors of a layer into the tree; or gives a plan, if one of them is a goal.
    fn expand_layer(
        &mut self,
        guide: &(impl Fn() -> G + Sync),
        tree: &mut SearchTree,
        layer: Range<u32>,
    ) -> Result<Option<FoundPlan<S::Move>>, Stop> {
        let threads = self.threads(layer.len());
        if threads == 1 {
            for id in layer {
                self.current = id;
                if self.batch.items.len() >= BATCH {
                    self.insert(tree, |_| ())?;
                }
                if let Some(mv) = self.expand(tree, id, false)? {
                    return Ok(Some(plan_with(self.space, tree, id, &[mv])));
                }
            }
            self.insert(tree, |_| ())?;
            return Ok(None);
        }
        self.insert(tree, |_| ())?;
        for round in parts(layer, threads * ROUND) {
            self.current = round.start;
            let shares = parts(round.clone(), round.len().div_ceil(threads)).collect();
            let found = self.run_shares(guide, shares, |worker, share| {
                for id in share {
                    if let Some(mv) = worker.expand(tree, id, false)? {
                        return Ok((Batch::default(), Some((id, mv))));
                    }
                }
                Ok((std::mem::take(&mut worker.batch), None))
            })?;
            for (batch, goal) in found {
                if let Some((id, mv)) = goal {
                    return Ok(Some(plan_with(self.space, tree, id, &[mv])));
                }
                self.batch = batch;
                self.insert(tree, |_| ())?;
            }
        }
        Ok(None)
    }

    /// How many threads are worth starting for this many states.
    fn threads(&self, states: usize) -> usize {
        self.budget.threads().min(states / self.min_share).max(1)
    }

    /// Runs each share of some work on a thread of its own, with a search of its own. Gives the
    /// results in the order of the shares.
    fn run_shares<W: Send, R: Send>(
        &mut self,
        guide: &(impl Fn() -> G + Sync),
        shares: Vec<W>,
        work: impl Fn(&mut LayerSearch<'a, S, G>, W) -> Result<R, Stop> + Sync,
    ) -> Result<Vec<R>, Stop> {
        let (space, budget, effort) = (self.space, self.budget, self.effort);
        let (phase, depth, at_least) = (self.phase, self.depth, self.at_least);
        let best = self.best.as_ref().map(|best| best.cost);
        let ends = run_each(shares, |share| {
            let mut worker = LayerSearch::new(space, guide(), budget);
            (worker.phase, worker.depth, worker.at_least) = (phase, depth, at_least);
            worker.effort = effort;
            worker.best = best.map(|cost| FoundPlan {
                plan: Vec::new(),
                cost,
            });
            let result = work(&mut worker, share);
            (result, worker.effort)
        });
        let mut results = Vec::new();
        for (result, after) in ends {
            self.effort.expanded += after.expanded - effort.expanded;
            self.effort.generated += after.generated - effort.generated;
            results.push(result);
        }
        results.into_iter().collect()
    }

    /// A tree with the start.
    fn new_tree(&mut self) -> Result<SearchTree, Stop> {
        let mut tree = SearchTree::new(self.space.words());
        self.batch.clear();
        let origin = Origin {
            parent: 0,
            estimate: 0,
        };
        self.batch.push(self.space, &self.space.start(), origin);
        self.insert(&mut tree, |_| ())?;
        Ok(tree)
    }

    /// Appends the moves of a state, all of which must cost 1.
    fn list_moves(&mut self, state: &S::State, moves: &mut Vec<S::Move>) -> Result<(), Stop> {
        let progress = || Progress {
            phase: self.phase,
            depth: self.depth,
            expanded: self.effort.expanded,
            stored: self.effort.stored,
            at_least: self.at_least,
            best: self.best.as_ref().map(|best| best.cost),
            ..Progress::default()
        };
        self.throttle.tick(self.budget, progress)?;
        let listed = &mut self.listed;
        listed.clear();
        self.space.moves(state, listed);
        self.guide.narrow(state, listed);
        if listed.iter().any(|&mv| self.space.cost(state, mv) != 1) {
            return Err(Stop::UnequalCosts);
        }
        self.effort.expanded += 1;
        self.effort.generated += listed.len() as u64;
        moves.extend_from_slice(listed);
        Ok(())
    }

    /// Adds the successors of a state to the batch, if the guide allows them; gives the move if one
    /// leads to a goal. Estimates are computed only if they are needed to rank the states.
    fn expand(
        &mut self,
        tree: &SearchTree,
        id: u32,
        ranked: bool,
    ) -> Result<Option<S::Move>, Stop> {
        let state = self.space.unpack(tree.registry.state(StateId(id)));
        let left = self.max_cost() - self.depth - 1;
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.list_moves(&state, &mut moves)?;
        for &mv in &moves {
            self.move_throttle.tick_quietly(self.budget)?;
            let after = self.space.apply(&state, mv);
            if !self.guide.allows(&after, left) {
                continue;
            }
            if self.space.is_goal(&after) {
                return Ok(Some(mv));
            }
            let estimate = if ranked {
                self.guide.estimate(&after)
            } else {
                0
            };
            let origin = Origin {
                parent: id,
                estimate,
            };
            self.batch.push(self.space, &after, origin);
        }
        self.moves = moves;
        Ok(None)
    }

    /// Inserts the batch into the tree; calls `on_new` for each state that is new.
    fn insert(
        &mut self,
        tree: &mut SearchTree,
        mut on_new: impl FnMut(Ranked),
    ) -> Result<(), Limit> {
        let SearchTree { registry, parents } = tree;
        let (batch, inserted) = (&mut self.batch, &mut self.inserted);
        inserted.clear();
        batch.insert_into(registry, self.spare, self.budget, inserted)?;
        for (&(id, new), origin) in inserted.iter().zip(&batch.items) {
            if new {
                parents.push(origin.parent);
                on_new(Ranked {
                    estimate: origin.estimate,
                    id: id.0,
                });
            }
        }
        batch.clear();
        self.effort.stored = self.effort.stored.max(registry.len() as u64);
        Ok(())
    }

    /// Depth-first search from each of these states, which are at the same depth, until none leads
    /// to a better plan. A plan must be known, so that the depth is bounded.
    fn depth_first_all(
        &mut self,
        guide: &(impl Fn() -> G + Sync),
        tree: &SearchTree,
        layer: Range<u32>,
    ) -> Result<(), Stop> {
        self.phase = "dive";
        let threads = self.threads(layer.len());
        if threads == 1 {
            for id in layer {
                while self.depth < self.max_cost()
                    && let Some(moves) = self.depth_first(tree, id)?
                {
                    self.best = Some(plan_with(self.space, tree, id, &moves));
                }
            }
            return Ok(());
        }
        for round in parts(layer, threads * ROUND) {
            // A new plan lowers the maximal cost, and the round begins again.
            while self.depth < self.max_cost() {
                // The work below states varies much, so neighbouring states go to different
                // threads.
                let shares = (0..threads as u32)
                    .map(|thread| (round.start + thread..round.end).step_by(threads));
                let found = self.run_shares(guide, shares.collect(), |worker, share| {
                    for id in share {
                        if let Some(moves) = worker.depth_first(tree, id)? {
                            return Ok(Some((id, moves)));
                        }
                    }
                    Ok(None)
                })?;
                let found = found.into_iter().flatten();
                let Some((id, moves)) = found.min_by_key(|(id, moves)| (moves.len(), *id)) else {
                    break;
                };
                self.best = Some(plan_with(self.space, tree, id, &moves));
            }
        }
        Ok(())
    }

    /// The moves from this state, which is at the current depth and no goal, to a goal within the
    /// maximal cost.
    fn depth_first(&mut self, tree: &SearchTree, id: u32) -> Result<Option<Vec<S::Move>>, Stop> {
        let root = self.space.unpack(tree.registry.state(StateId(id)));
        let max_moves = self.max_cost() - self.depth;
        // The states on the path, each with the index at which its moves begin in the list of moves
        // that are still to be tried.
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.list_moves(&root, &mut moves)?;
        let mut path = vec![(root, 0)];
        let mut made = Vec::new();
        while let Some((state, first)) = path.last() {
            if moves.len() == *first {
                path.pop();
                made.pop();
                continue;
            }
            let mv = moves.pop().expect("this state has moves left");
            self.move_throttle.tick_quietly(self.budget)?;
            let after = self.space.apply(state, mv);
            let left = max_moves - path.len() as u32;
            if !self.guide.allows(&after, left) {
                continue;
            }
            if self.space.is_goal(&after) {
                made.push(mv);
                self.moves = moves;
                return Ok(Some(made));
            }
            if left > 0 {
                let first = moves.len();
                self.list_moves(&after, &mut moves)?;
                path.push((after, first));
                made.push(mv);
            }
        }
        self.moves = moves;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breadth_first::breadth_first;
    use ployglot_base::{Blind, Outcome, Random};

    /// A random acyclic graph: from each state, a few moves lead to states with greater numbers.
    /// Moves to even states have the given cost, all others cost 1.
    struct Acyclic {
        next: Vec<Vec<u32>>,
        goal: u32,
        cost: u32,
    }

    impl Acyclic {
        fn new(seed: u64, states: usize) -> Self {
            let mut random = Random::new(seed);
            let next = (0..states).map(|from| {
                let moves = random.below(4);
                (0..moves)
                    .map(|_| (from + 1 + random.below(states / 8 + 1)).min(states - 1) as u32)
                    .collect()
            });
            Self {
                next: next.collect(),
                goal: (states - 1 - random.below(states / 4)) as u32,
                cost: 1,
            }
        }
    }

    impl Space for Acyclic {
        type State = u32;
        type Move = u32;
        fn start(&self) -> u32 {
            0
        }
        fn is_goal(&self, state: &u32) -> bool {
            *state == self.goal
        }
        fn moves(&self, state: &u32, moves: &mut Vec<u32>) {
            moves.extend(&self.next[*state as usize]);
        }
        fn apply(&self, _state: &u32, mv: u32) -> u32 {
            mv
        }
        fn cost(&self, _state: &u32, mv: u32) -> u32 {
            if mv.is_multiple_of(2) { self.cost } else { 1 }
        }
        fn words(&self) -> usize {
            1
        }
        fn pack(&self, state: &u32, words: &mut [u64]) {
            words[0] = u64::from(*state);
        }
        fn unpack(&self, words: &[u64]) -> u32 {
            words[0] as u32
        }
    }

    /// A guide that misleads the beam: it prefers the states with the least numbers, which are the
    /// farthest from the goal.
    struct Misleading;

    impl Guide<Acyclic> for Misleading {
        fn lower_bound(&mut self, _state: &u32) -> Option<u32> {
            Some(0)
        }
        fn estimate(&mut self, state: &u32) -> u32 {
            *state
        }
    }

    #[test]
    fn it_agrees_with_breadth_first_search() {
        let budget = Budget::unlimited();
        let mut unsolvable = 0;
        for seed in 0..300 {
            let mut graph = Acyclic::new(seed, 400);
            graph.cost = 1 + (seed % 10 == 0) as u32;
            let truth = breadth_first(&graph, &|| Blind, &budget).outcome;
            let found = breadth_first_heuristic(&graph, &|| Misleading, &budget).outcome;
            assert_eq!(found.cost(), truth.cost(), "{seed}");
            unsolvable += u32::from(truth == Outcome::Unsolvable);
        }
        assert!((10..290).contains(&unsolvable), "{unsolvable}");
    }

    /// Runs the phases separately: a beam of one state, layers, and depth-first search from any
    /// layer, with one thread and with more.
    #[test]
    fn the_cost_depends_on_no_width_depth_or_number_of_threads() {
        for seed in 0..300 {
            let graph = Acyclic::new(seed, 100);
            let truth = breadth_first(&graph, &|| Blind, &Budget::unlimited());
            let truth = truth.outcome.cost();
            let run = |width: usize, depth_first_from: u32, threads: usize| {
                let budget = Budget::unlimited().with_threads(threads);
                let mut search = LayerSearch::new(&graph, Misleading, &budget);
                if graph.is_goal(&0) {
                    return Some(0);
                }
                let Ok(_) = search.beam(width) else { panic!() };
                search.depth_first_from = depth_first_from;
                search.min_share = 1;
                let Ok(()) = search.layers(&|| Misleading) else {
                    panic!()
                };
                search.best.map(|best| best.cost)
            };
            for depth in 0..6 {
                // Starting threads takes time, so few seeds use them.
                let most = if seed % 10 == 0 { 3 } else { 1 };
                for threads in 1..=most {
                    let cost = run(1, depth, threads);
                    assert_eq!(cost, truth, "{seed} {depth} {threads}");
                }
            }
        }
    }

    #[test]
    fn the_parts_of_a_range_are_disjoint_and_cover_it() {
        for (range, length) in [(0..10, 3), (5..5, 2), (7..9, 100), (0..4, 2), (3..4, 1)] {
            let all: Vec<u32> = parts(range.clone(), length).flatten().collect();
            assert_eq!(all, range.clone().collect::<Vec<_>>());
            assert!(parts(range, length).all(|part| (1..=length).contains(&part.len())));
        }
    }
}
