//! IDA*: depth-first search with a growing bound on g + h (Korf 1985).
//!
//! It keeps the states of the current path, and a table of bounded size with states that were entered in this round: one
//! that is entered again at no smaller cost is left at once (Reinefeld and Marsland 1994). The table only ever saves
//! work; when it is full, it forgets. A state on the current path is never entered again, so the search ends even where
//! moves cost nothing. The guide is asked whether it `allows` a plan within the bound; how far the bound must grow is
//! found while the round goes on. Where costs vary much there are many rounds: then A* is the better choice.

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::entered::Entered;
use crate::pace::Pace;
use crate::plan::{self, Found};
use crate::registry::hash;

pub fn ida_star<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    deepen(space, guide(), budget, 0, None)
}

/// Goes on from what others have proven and found.
pub(crate) fn deepen<S: Space, G: Guide<S>>(
    space: &S,
    guide: G,
    budget: &Budget,
    mut at_least: u32,
    given: Option<Found<S::Move>>,
) -> Report<S::Move> {
    let mut dive = Dive::new(space, guide, budget, share(budget));
    dive.best = given.as_ref().map(|found| found.cost);
    let outcome = loop {
        if let Some(Found { plan, cost }) = given.as_ref().filter(|found| found.cost <= at_least) {
            let (plan, cost) = (plan.clone(), *cost);
            break Outcome::Optimal { plan, cost };
        }
        match dive.search(space.start(), 0, at_least, |_, _| false) {
            Err(why) => break plan::outcome(given, at_least, why),
            Ok(Some(path)) => {
                let Found { plan, cost } = plan::along(space, path.chunks_exact(space.words()));
                break Outcome::Optimal { plan, cost };
            }
            Ok(None) if dive.next == NEVER => break Outcome::Unsolvable,
            Ok(None) => at_least = dive.next_round(),
        }
    };
    Report {
        outcome,
        effort: dive.effort,
    }
}

/// The bytes that a table may take: a quarter of what is left, and a gigabyte at most.
fn share(budget: &Budget) -> u64 {
    budget
        .memory_left()
        .map_or(1 << 30, |left| left / 4)
        .min(1 << 30)
}

/// The bound need not grow: nothing was cut off by it.
pub(crate) const NEVER: u32 = u32::MAX;

/// Depth-first search below a state and a bound.
pub(crate) struct Dive<'a, S: Space, G> {
    space: &'a S,
    guide: G,
    budget: &'a Budget,
    pub(crate) effort: Effort,
    /// No plan that was cut off in this round costs less.
    pub(crate) next: u32,
    /// The cost of a plan that is known, to be told to whoever watches.
    pub(crate) best: Option<u32>,
    entered: Entered,
    pace: Pace,
    path: Vec<Frame<S>>,
    /// The moves of all states on the path that are still to be made, last first.
    moves: Vec<S::Move>,
    /// The packed states of the path, without the first.
    packed: Vec<u64>,
    listed: Vec<S::Move>,
    scratch: Vec<u64>,
}

struct Frame<S: Space> {
    state: S::State,
    hash: u64,
    g: u32,
    /// Its moves are those from here on.
    moves: usize,
}

impl<'a, S: Space, G: Guide<S>> Dive<'a, S, G> {
    /// With a table of at most so many bytes.
    pub(crate) fn new(space: &'a S, guide: G, budget: &'a Budget, table: u64) -> Self {
        Self {
            space,
            guide,
            budget,
            effort: Effort::default(),
            next: NEVER,
            best: None,
            entered: Entered::new(space.words(), table),
            pace: Pace::new(budget),
            path: Vec::new(),
            moves: Vec::new(),
            packed: Vec::new(),
            listed: Vec::new(),
            scratch: vec![0; space.words()],
        }
    }

    /// Looks for a plan that goes through `root`, reached at cost `g`, and costs at most `bound` in all. Gives the packed
    /// states after the root. States that `settled` says are in other hands at that cost or less are left alone.
    pub(crate) fn search(
        &mut self,
        root: S::State,
        g: u32,
        bound: u32,
        mut settled: impl FnMut(&[u64], u32) -> bool,
    ) -> Result<Option<Vec<u64>>, Limit> {
        let words = self.space.words();
        self.path.clear();
        self.moves.clear();
        self.packed.clear();
        if !self.allows(&root, g, bound) {
            return Ok(None);
        }
        if self.space.is_goal(&root) {
            return Ok(Some(Vec::new()));
        }
        self.space.pack(&root, &mut self.scratch);
        let root_hash = hash(&self.scratch);
        if self.entered.before(&self.scratch, root_hash, g) {
            return Ok(None);
        }
        let root_packed = self.scratch.clone();
        self.enter(root, root_hash, g, bound)?;
        while let Some(frame) = self.path.last() {
            if self.moves.len() == frame.moves {
                self.path.pop();
                self.packed
                    .truncate(self.path.len().saturating_sub(1) * words);
                continue;
            }
            let mv = self.moves.pop().expect("this state has moves left");
            let g = frame.g.saturating_add(self.space.cost(&frame.state, mv));
            let after = self.space.apply(&frame.state, mv);
            self.effort.generated += 1;
            if !self.allows(&after, g, bound) {
                continue;
            }
            self.space.pack(&after, &mut self.scratch);
            if self.space.is_goal(&after) {
                self.packed.extend_from_slice(&self.scratch);
                return Ok(Some(std::mem::take(&mut self.packed)));
            }
            let hash = hash(&self.scratch);
            if settled(&self.scratch, g)
                || self.entered.before(&self.scratch, hash, g)
                || self.on_path(hash, &root_packed)
            {
                continue;
            }
            self.packed.extend_from_slice(&self.scratch);
            self.enter(after, hash, g, bound)?;
        }
        Ok(None)
    }

    /// The bound of the next round.
    pub(crate) fn next_round(&mut self) -> u32 {
        self.entered.forget(self.budget);
        std::mem::replace(&mut self.next, NEVER)
    }

    /// Whether the packed state in `scratch` is on the path.
    fn on_path(&self, hash: u64, root: &[u64]) -> bool {
        let words = self.space.words();
        let states = std::iter::once(root).chain(self.packed.chunks_exact(words));
        let mut path = self.path.iter().zip(states);
        path.any(|(frame, packed)| frame.hash == hash && packed == self.scratch)
    }

    fn enter(&mut self, state: S::State, hash: u64, g: u32, bound: u32) -> Result<(), Limit> {
        let progress = || Progress {
            phase: "dive",
            depth: bound,
            expanded: self.effort.expanded,
            stored: self.path.len() as u64 + self.entered.len(),
            at_least: bound,
            best: self.best,
            ..Progress::default()
        };
        self.pace.tick(self.budget, progress)?;
        let first = self.moves.len();
        self.listed.clear();
        self.space.moves(&state, &mut self.listed);
        self.guide.narrow(&state, &mut self.listed);
        self.moves.extend(self.listed.iter().rev());
        self.path.push(Frame {
            state,
            hash,
            g,
            moves: first,
        });
        self.effort.expanded += 1;
        let stored = self.path.len() as u64 + self.entered.len();
        self.effort.stored = self.effort.stored.max(stored);
        Ok(())
    }

    /// Whether to go on below a state; if not, notes how far the bound would have to grow.
    fn allows(&mut self, state: &S::State, g: u32, bound: u32) -> bool {
        if g <= bound && self.guide.allows(state, bound - g) {
            return true;
        }
        // Once the least growth is needed anyway, no bound matters.
        let least = bound.saturating_add(1);
        if self.next > least
            && let Some(h) = self.guide.lower_bound(state)
        {
            let f = g.saturating_add(h).max(least);
            self.next = self.next.min(f);
        }
        false
    }
}
