//! Sweep: a plan first, then one pass of layers that proves that no shorter one exists.
//!
//! Where all moves cost the same and the guide knows well what a few moves can achieve, A* spends itself on ties and
//! on bounds that rise by one. Here a beam finds a plan, mostly a best one; then breadth-first layers follow every
//! state from which the guide still `allows` a plan that is shorter by one. Towards the end the guide sees more, the layers
//! stop growing, and a depth-first search of the last moves needs no memory at all; it also takes over when memory runs
//! low. A goal in a layer ends the pass with a best plan, so a poor plan from the beam costs time and not the proof.
//!
//! Several threads share the work of a layer: each expands a part of it with a guide of its own and asks the guide about the
//! children, which is nearly all there is to do; then one thread takes in what they found, in the order of the parts. So any
//! number of threads fills the same layers with the same states under the same numbers.
//!
//! A beam that never had to drop a state is itself a complete search, and small levels end there. Where moves cost
//! differently, layers mean nothing: then A* does the work.

use std::ops::Range;
use std::panic::resume_unwind;

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::astar::astar;
use crate::pace::Pace;
use crate::plan::{self, Found};
use crate::registry::{Registry, StateId, spare};

pub fn sweep<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut sweep = Sweep::new(space, guide(), budget);
    let ended = sweep.run(guide);
    let outcome = match ended {
        Ok(()) => match sweep.best {
            Some(Found { plan, cost }) => Outcome::Optimal { plan, cost },
            None => Outcome::Unsolvable,
        },
        Err(End::Limit(why)) => plan::outcome(sweep.best, sweep.at_least, why),
        Err(End::Uneven) => {
            let mut report = astar(space, guide, budget);
            report.effort += sweep.effort;
            return report;
        }
    };
    Report {
        outcome,
        effort: sweep.effort,
    }
}

/// How many states the beams keep in each layer, one after the other.
const WIDTHS: [usize; 2] = [1 << 11, 1 << 14];
/// States are taken into the registry in batches, so that its cache misses overlap.
const BATCH: usize = 128;
/// How many states each thread expands before it hands over what it has found.
const ROUND: usize = 1 << 13;
/// A layer of this size, or larger, that is no larger than the one before is left to depth-first search.
const LARGE: usize = 1 << 14;

enum End {
    Limit(Limit),
    /// A move does not cost 1.
    Uneven,
}

impl From<Limit> for End {
    fn from(limit: Limit) -> Self {
        End::Limit(limit)
    }
}

struct Sweep<'a, S: Space, G> {
    space: &'a S,
    guide: G,
    budget: &'a Budget,
    best: Option<Found<S::Move>>,
    /// Proven: no plan costs less.
    at_least: u32,
    effort: Effort,
    pace: Pace,
    phase: &'static str,
    depth: u32,
    /// From this depth on, layers are left to depth-first search in any case.
    dive_from: u32,
    /// A thread for fewer states is not worth its start.
    few: usize,
    /// The state that is being expanded.
    at: u32,
    /// Kept free for others.
    spare: u64,
    batch: Batch,
    moves: Vec<S::Move>,
    listed: Vec<S::Move>,
}

/// States on their way into a registry.
#[derive(Default)]
struct Batch {
    packed: Vec<u64>,
    /// Of each: the state it came from, and how far from the goal it seems.
    origins: Vec<(u32, u32)>,
    found: Vec<(StateId, bool)>,
}

/// States and where they came from.
struct Store {
    registry: Registry,
    parents: Vec<u32>,
}

impl Store {
    fn new(words: usize) -> Self {
        Self {
            registry: Registry::new(words),
            parents: Vec::new(),
        }
    }

    /// The plan to this state, and on by these moves.
    fn plan_with<S: Space>(&self, space: &S, end: u32, moves: &[S::Move]) -> Found<S::Move> {
        let way = plan::way(StateId(end), |id| {
            let parent = self.parents[id.index()];
            (parent != NO_PARENT).then_some(StateId(parent))
        });
        let mut found = plan::along(space, way.into_iter().map(|id| self.registry.state(id)));
        found.plan.extend_from_slice(moves);
        found.cost += moves.len() as u32;
        found
    }
}

const NO_PARENT: u32 = u32::MAX;
const FEW: usize = 1 << 9;

/// Cuts a range into pieces of this length; the last may be shorter.
fn parts(range: Range<u32>, length: usize) -> impl Iterator<Item = Range<u32>> {
    let starts = range.clone().step_by(length.max(1));
    starts.map(move |start| start..range.end.min(start.saturating_add(length as u32)))
}

/// How a beam ended.
enum Beam {
    /// No state was dropped: what it found is best, and if it found nothing, there is nothing.
    Complete,
    Narrow,
}

impl<'a, S: Space, G: Guide<S>> Sweep<'a, S, G> {
    fn new(space: &'a S, guide: G, budget: &'a Budget) -> Self {
        Self {
            space,
            guide,
            budget,
            best: None,
            at_least: 0,
            effort: Effort::default(),
            pace: Pace::new(budget),
            phase: "beam",
            depth: 0,
            dive_from: u32::MAX,
            few: FEW,
            at: 0,
            spare: spare(budget),
            batch: Batch::default(),
            moves: Vec::new(),
            listed: Vec::new(),
        }
    }

    /// The plans of interest cost no more than this.
    fn limit(&self) -> u32 {
        match &self.best {
            Some(best) => best.cost.saturating_sub(1),
            None => u32::MAX,
        }
    }

    /// Afterwards `best` is best, or there is no plan.
    fn run(&mut self, guide: &(impl Fn() -> G + Sync)) -> Result<(), End> {
        let start = self.space.start();
        if self.space.is_goal(&start) {
            self.best = Some(Found {
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
            if let Beam::Complete = self.beam(width)? {
                return Ok(());
            }
            if self.best.as_ref().is_some_and(|best| best.cost <= bound) {
                return Ok(());
            }
        }
        self.layers(guide)
    }

    /// Layers of at most `width` states, the most promising ones.
    fn beam(&mut self, width: usize) -> Result<Beam, End> {
        self.phase = "beam";
        let mut store = self.store()?;
        let mut layer = vec![(0, 0)];
        let mut next: Vec<(u32, u32)> = Vec::new();
        let mut complete = true;
        self.depth = 0;
        while !layer.is_empty() && self.depth < self.limit() {
            for &(_, id) in &layer {
                if self.batch.origins.len() >= BATCH {
                    self.flush(&mut store, &mut next)?;
                }
                if let Some(mv) = self.expand(&store, id, true)? {
                    self.best = Some(store.plan_with(self.space, id, &[mv]));
                    return Ok(if complete {
                        Beam::Complete
                    } else {
                        Beam::Narrow
                    });
                }
            }
            self.flush(&mut store, &mut next)?;
            if next.len() > width {
                complete = false;
                next.select_nth_unstable(width);
                next.truncate(width);
            }
            next.sort_unstable_by_key(|&(_, id)| id);
            std::mem::swap(&mut layer, &mut next);
            next.clear();
            self.depth += 1;
        }
        Ok(if complete {
            Beam::Complete
        } else {
            Beam::Narrow
        })
    }

    /// Every state that may lead to a plan of interest, layer by layer.
    fn layers(&mut self, guide: &(impl Fn() -> G + Sync)) -> Result<(), End> {
        self.phase = "layer";
        let mut store = self.store()?;
        let mut next = Vec::new();
        let mut layer = 0..1;
        self.depth = 0;
        while !layer.is_empty() && self.depth < self.limit() {
            self.at_least = self.at_least.max(self.depth + 1);
            next.clear();
            match self.fill(guide, &mut store, layer.clone(), &mut next) {
                Ok(None) => {}
                Ok(Some(goal)) => {
                    self.best = Some(goal);
                    return Ok(());
                }
                Err(End::Limit(Limit::Memory)) if self.best.is_some() => {
                    // States that wait in the batch are found again below the ones they came from.
                    let waiting = self.batch.origins.first();
                    let from = waiting.map_or(self.at, |&(parent, _)| parent.min(self.at));
                    let stored = store.registry.len() as u32;
                    self.dive_all(guide, &store, from..layer.end)?;
                    self.depth += 1;
                    return self.dive_all(guide, &store, layer.end..stored);
                }
                Err(end) => return Err(end),
            }
            let after = layer.end..store.registry.len() as u32;
            let slow = after.len() >= LARGE && after.len() <= layer.len();
            layer = after;
            self.depth += 1;
            if self.best.is_some() && (slow || self.depth >= self.dive_from) {
                self.at_least = self.at_least.max(self.depth + 1);
                return self.dive_all(guide, &store, layer);
            }
        }
        Ok(())
    }

    /// Stores what comes after a layer; or gives the plan, if a goal is among it.
    fn fill(
        &mut self,
        guide: &(impl Fn() -> G + Sync),
        store: &mut Store,
        layer: Range<u32>,
        next: &mut Vec<(u32, u32)>,
    ) -> Result<Option<Found<S::Move>>, End> {
        let threads = self.threads(layer.len());
        if threads == 1 {
            for id in layer {
                self.at = id;
                if self.batch.origins.len() >= BATCH {
                    next.clear();
                    self.flush(store, next)?;
                }
                if let Some(mv) = self.expand(store, id, false)? {
                    return Ok(Some(store.plan_with(self.space, id, &[mv])));
                }
            }
            return self.flush(store, next).map(|()| None);
        }
        self.flush(store, next)?;
        for round in parts(layer, threads * ROUND) {
            self.at = round.start;
            let shares = parts(round.clone(), round.len().div_ceil(threads)).collect();
            let found = self.share(guide, shares, |helper, share| {
                for id in share {
                    if let Some(mv) = helper.expand(store, id, false)? {
                        return Ok((Batch::default(), Some((id, mv))));
                    }
                }
                Ok((std::mem::take(&mut helper.batch), None))
            })?;
            for (batch, goal) in found {
                if let Some((id, mv)) = goal {
                    return Ok(Some(store.plan_with(self.space, id, &[mv])));
                }
                next.clear();
                self.batch = batch;
                self.flush(store, next)?;
            }
        }
        Ok(None)
    }

    /// How many threads are worth their start for this many states.
    fn threads(&self, states: usize) -> usize {
        self.budget.threads().min(states / self.few).max(1)
    }

    /// Gives each share to a thread of its own, and what came of them in the order of the shares.
    fn share<W: Send, R: Send>(
        &mut self,
        guide: &(impl Fn() -> G + Sync),
        shares: Vec<W>,
        work: impl Fn(&mut Sweep<'a, S, G>, W) -> Result<R, End> + Sync,
    ) -> Result<Vec<R>, End> {
        let (space, budget, effort) = (self.space, self.budget, self.effort);
        let (phase, depth, at_least) = (self.phase, self.depth, self.at_least);
        let best = self.best.as_ref().map(|best| best.cost);
        let help = |share| {
            let mut helper = Sweep::new(space, guide(), budget);
            (helper.phase, helper.depth, helper.at_least) = (phase, depth, at_least);
            helper.effort = effort;
            helper.best = best.map(|cost| Found {
                plan: Vec::new(),
                cost,
            });
            let result = work(&mut helper, share);
            (result, helper.effort)
        };
        let ends = std::thread::scope(|scope| {
            let help = &help;
            let helpers = shares
                .into_iter()
                .map(|share| scope.spawn(move || help(share)));
            let helpers: Vec<_> = helpers.collect();
            let ends = helpers.into_iter().map(|helper| helper.join());
            ends.map(|end| end.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect::<Vec<_>>()
        });
        let mut results = Vec::new();
        for (result, after) in ends {
            self.effort.expanded += after.expanded - effort.expanded;
            self.effort.generated += after.generated - effort.generated;
            results.push(result);
        }
        results.into_iter().collect()
    }

    fn store(&mut self) -> Result<Store, End> {
        let mut store = Store::new(self.space.words());
        self.batch.clear();
        self.batch
            .push(self.space, &self.space.start(), (NO_PARENT, 0));
        let mut ids = Vec::new();
        self.flush(&mut store, &mut ids)?;
        Ok(store)
    }

    /// Appends the moves of a state, all of which must cost 1.
    fn list_moves(&mut self, state: &S::State, moves: &mut Vec<S::Move>) -> Result<(), End> {
        let progress = || Progress {
            phase: self.phase,
            depth: self.depth,
            expanded: self.effort.expanded,
            stored: self.effort.stored,
            at_least: self.at_least,
            best: self.best.as_ref().map(|best| best.cost),
            ..Progress::default()
        };
        self.pace.tick(self.budget, progress)?;
        let listed = &mut self.listed;
        listed.clear();
        self.space.moves(state, listed);
        self.guide.narrow(state, listed);
        if listed.iter().any(|&mv| self.space.cost(state, mv) != 1) {
            return Err(End::Uneven);
        }
        self.effort.expanded += 1;
        self.effort.generated += listed.len() as u64;
        moves.extend_from_slice(listed);
        Ok(())
    }

    /// Puts the states after this one into the batch, if they are of interest; gives the move if one leads to a goal.
    fn expand(&mut self, store: &Store, id: u32, ranked: bool) -> Result<Option<S::Move>, End> {
        let state = self.space.unpack(store.registry.state(StateId(id)));
        let left = self.limit() - self.depth - 1;
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.list_moves(&state, &mut moves)?;
        for &mv in &moves {
            let after = self.space.apply(&state, mv);
            if !self.guide.allows(&after, left) {
                continue;
            }
            if self.space.is_goal(&after) {
                return Ok(Some(mv));
            }
            let seems = if ranked {
                self.guide.estimate(&after)
            } else {
                0
            };
            self.batch.push(self.space, &after, (id, seems));
        }
        self.moves = moves;
        Ok(None)
    }

    /// Takes the batch into the store, and lists the states that are new.
    fn flush(&mut self, store: &mut Store, new: &mut Vec<(u32, u32)>) -> Result<(), End> {
        let batch = &mut self.batch;
        store
            .registry
            .make_room(batch.origins.len(), self.spare, self.budget)?;
        batch.found.clear();
        store.registry.insert_all(&batch.packed, &mut batch.found);
        for (&(id, is_new), &(parent, seems)) in batch.found.iter().zip(&batch.origins) {
            if is_new {
                store.parents.push(parent);
                new.push((seems, id.0));
            }
        }
        batch.clear();
        self.effort.stored = self.effort.stored.max(store.registry.len() as u64);
        Ok(())
    }

    /// Searches below each of these states, which are at the same depth, until none leads to a better plan. A plan must
    /// be known, so that there is a limit.
    fn dive_all(
        &mut self,
        guide: &(impl Fn() -> G + Sync),
        store: &Store,
        layer: Range<u32>,
    ) -> Result<(), End> {
        self.phase = "dive";
        let threads = self.threads(layer.len());
        if threads == 1 {
            for id in layer {
                while self.depth < self.limit()
                    && let Some(moves) = self.dive(store, id)?
                {
                    self.best = Some(store.plan_with(self.space, id, &moves));
                }
            }
            return Ok(());
        }
        for round in parts(layer, threads * ROUND) {
            // What is found makes the limit smaller, and the round begins again.
            while self.depth < self.limit() {
                // One has many states below it and another few, so threads take turns.
                let shares = (0..threads as u32)
                    .map(|name| (round.start + name..round.end).step_by(threads));
                let found = self.share(guide, shares.collect(), |helper, share| {
                    for id in share {
                        if let Some(moves) = helper.dive(store, id)? {
                            return Ok(Some((id, moves)));
                        }
                    }
                    Ok(None)
                })?;
                let found = found.into_iter().flatten();
                let Some((id, moves)) = found.min_by_key(|(id, moves)| (moves.len(), *id)) else {
                    break;
                };
                self.best = Some(store.plan_with(self.space, id, &moves));
            }
        }
        Ok(())
    }

    /// The moves from this state, which is at the current depth and no goal, to a goal within the limit.
    fn dive(&mut self, store: &Store, id: u32) -> Result<Option<Vec<S::Move>>, End> {
        let root = self.space.unpack(store.registry.state(StateId(id)));
        let most = self.limit() - self.depth;
        // The states on the path, each with its place in the list of moves that are still to be tried.
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
            let after = self.space.apply(state, mv);
            let left = most - path.len() as u32;
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

impl Batch {
    fn push<S: Space>(&mut self, space: &S, state: &S::State, origin: (u32, u32)) {
        let at = self.packed.len();
        self.packed.resize(at + space.words(), 0);
        space.pack(state, &mut self.packed[at..]);
        self.origins.push(origin);
    }

    fn clear(&mut self) {
        self.packed.clear();
        self.origins.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breadth_first::breadth_first;
    use ployglot_base::{Blind, Random};

    /// Random layered graphs: from each of so many states of a layer, a few moves lead to states of the next layers.
    struct Maze {
        next: Vec<Vec<u32>>,
        goal: u32,
        cost: u32,
    }

    impl Maze {
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

    impl Space for Maze {
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

    /// A beam that is misled: it keeps the states that are farthest from the goal.
    struct Misled;

    impl Guide<Maze> for Misled {
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
            let mut maze = Maze::new(seed, 400);
            maze.cost = 1 + (seed % 10 == 0) as u32;
            let truth = breadth_first(&maze, &|| Blind, &budget).outcome;
            let found = sweep(&maze, &|| Misled, &budget).outcome;
            assert_eq!(found.cost(), truth.cost(), "{seed}");
            unsolvable += u32::from(truth == Outcome::Unsolvable);
        }
        assert!((10..290).contains(&unsolvable), "{unsolvable}");
    }

    /// Runs the parts by themselves: a beam of one state, layers, and dives from any layer, with one thread and with more.
    #[test]
    fn narrow_beams_early_dives_and_threads_change_nothing() {
        for seed in 0..300 {
            let maze = Maze::new(seed, 100);
            let truth = breadth_first(&maze, &|| Blind, &Budget::unlimited());
            let truth = truth.outcome.cost();
            let run = |width: usize, dive_at: u32, threads: usize| {
                let budget = Budget::unlimited().with_threads(threads);
                let mut sweep = Sweep::new(&maze, Misled, &budget);
                if maze.is_goal(&0) {
                    return Some(0);
                }
                let Ok(_) = sweep.beam(width) else { panic!() };
                sweep.dive_from = dive_at;
                sweep.few = 1;
                let Ok(()) = sweep.layers(&|| Misled) else {
                    panic!()
                };
                sweep.best.map(|best| best.cost)
            };
            for dive_at in 0..6 {
                // Threads take their time to start.
                let most = if seed % 10 == 0 { 3 } else { 1 };
                for threads in 1..=most {
                    let cost = run(1, dive_at, threads);
                    assert_eq!(cost, truth, "{seed} {dive_at} {threads}");
                }
            }
        }
    }

    #[test]
    fn parts_are_all_of_it() {
        for (range, length) in [(0..10, 3), (5..5, 2), (7..9, 100), (0..4, 2), (3..4, 1)] {
            let all: Vec<u32> = parts(range.clone(), length).flatten().collect();
            assert_eq!(all, range.clone().collect::<Vec<_>>());
            assert!(parts(range, length).all(|part| (1..=length).contains(&part.len())));
        }
    }
}
