//! IDA*: depth-first search with a growing bound on g + h (Korf 1985).
//!
//! It keeps the states of the current path, and a transposition table of bounded size: a state that
//! was reached in this round at the same cost or less is not searched again (Reinefeld and Marsland
//! 1994). The table only saves work; when it is full, it forgets states. A state on the current
//! path is never entered again, so the search ends even where moves cost nothing. The search asks
//! the guide whether it `allows` a plan within the bound, and finds the next bound during the
//! round. Where costs vary much there are many rounds: then A* is the better choice.

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::plan::{self, FoundPlan};
use crate::registry::hash;
use crate::throttle::Throttle;
use crate::transposition_table::TranspositionTable;

/// IDA* search; see the module's documentation.
pub fn ida_star<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    iterative_deepening(space, guide(), budget, 0, None)
}

/// Continues from a lower bound that is proven and a plan that is known.
pub(crate) fn iterative_deepening<S: Space, G: Guide<S>>(
    space: &S,
    guide: G,
    budget: &Budget,
    mut at_least: u32,
    known: Option<FoundPlan<S::Move>>,
) -> Report<S::Move> {
    let mut search = DepthFirst::new(space, guide, budget, table_bytes(budget));
    search.best = known.as_ref().map(|found| found.cost);
    let outcome = loop {
        if known.as_ref().is_some_and(|found| found.cost <= at_least) {
            break plan::proven(known, at_least);
        }
        match search.search(space.start(), 0, at_least, |_, _| false) {
            Err(why) => break plan::outcome(known, at_least, why),
            Ok(Some(path)) => {
                let found = plan::along(space, path.chunks_exact(space.words()));
                break plan::proven(Some(found), at_least);
            }
            // There is no plan; a plan that is known contradicts that.
            Ok(None) if search.next_bound == NEVER => {
                let known = plan::outcome(known, at_least, Limit::Incomplete);
                break known.join(Outcome::Unsolvable);
            }
            Ok(None) => at_least = search.next_round(),
        }
    };
    Report {
        outcome,
        effort: search.effort,
    }
}

/// The size of the transposition table in bytes: a quarter of the memory that is left, and a
/// gigabyte at most.
fn table_bytes(budget: &Budget) -> u64 {
    budget
        .memory_left()
        .map_or(1 << 30, |left| left / 4)
        .min(1 << 30)
}

/// The next bound of a round that was not cut off by its bound.
const NEVER: u32 = u32::MAX;

/// Depth-first search within a bound.
pub(crate) struct DepthFirst<'a, S: Space, G> {
    space: &'a S,
    guide: G,
    budget: &'a Budget,
    pub(crate) effort: Effort,
    /// No plan that was cut off in this round costs less.
    pub(crate) next_bound: u32,
    /// The cost of a plan that is known; only for the progress report.
    pub(crate) best: Option<u32>,
    table: TranspositionTable,
    throttle: Throttle,
    /// For the moves of a state.
    move_throttle: Throttle,
    path: Vec<Frame<S>>,
    /// The moves of all states on the path that are still to be tried, in reverse order.
    moves: Vec<S::Move>,
    /// The packed states of the path, without the first.
    packed: Vec<u64>,
    /// Buffers for the moves of one state and for one packed state.
    listed: Vec<S::Move>,
    scratch: Vec<u64>,
}

struct Frame<S: Space> {
    state: S::State,
    hash: u64,
    g: u32,
    /// Its moves in `DepthFirst::moves` begin at this index.
    first_move: usize,
}

impl<'a, S: Space, G: Guide<S>> DepthFirst<'a, S, G> {
    /// With a transposition table of at most this many bytes.
    pub(crate) fn new(space: &'a S, guide: G, budget: &'a Budget, table_bytes: u64) -> Self {
        Self {
            space,
            guide,
            budget,
            effort: Effort::default(),
            next_bound: NEVER,
            best: None,
            table: TranspositionTable::new(space.words(), table_bytes),
            throttle: Throttle::new(budget),
            move_throttle: Throttle::new(budget),
            path: Vec::new(),
            moves: Vec::new(),
            packed: Vec::new(),
            listed: Vec::new(),
            scratch: vec![0; space.words()],
        }
    }

    /// Looks for a plan through `root`, which was reached at cost `g`, that costs at most `bound`
    /// in total. Gives the packed states after the root. States for which `settled` is true need
    /// not be searched at this cost.
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
        if self.table.reached_before(&self.scratch, root_hash, g) {
            return Ok(None);
        }
        let root_packed = self.scratch.clone();
        self.enter(root, root_hash, g, bound)?;
        while let Some(frame) = self.path.last() {
            if self.moves.len() == frame.first_move {
                self.path.pop();
                self.packed
                    .truncate(self.path.len().saturating_sub(1) * words);
                continue;
            }
            let mv = self.moves.pop().expect("this state has moves left");
            self.move_throttle.tick_quietly(self.budget)?;
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
                || self.table.reached_before(&self.scratch, hash, g)
                || self.on_path(hash, &root_packed)
            {
                continue;
            }
            self.packed.extend_from_slice(&self.scratch);
            self.enter(after, hash, g, bound)?;
        }
        Ok(None)
    }

    /// Begins the next round, and gives its bound.
    pub(crate) fn next_round(&mut self) -> u32 {
        self.table.next_round(self.budget);
        std::mem::replace(&mut self.next_bound, NEVER)
    }

    /// Whether the packed state in `scratch` is on the path.
    fn on_path(&self, hash: u64, root: &[u64]) -> bool {
        let words = self.space.words();
        let states = std::iter::once(root).chain(self.packed.chunks_exact(words));
        let mut path = self.path.iter().zip(states);
        path.any(|(frame, packed)| frame.hash == hash && packed == self.scratch)
    }

    /// Appends a state to the path, and lists its moves.
    fn enter(&mut self, state: S::State, hash: u64, g: u32, bound: u32) -> Result<(), Limit> {
        let progress = || Progress {
            phase: "dive",
            depth: bound,
            expanded: self.effort.expanded,
            stored: self.path.len() as u64 + self.table.len(),
            at_least: bound,
            best: self.best,
            ..Progress::default()
        };
        self.throttle.tick(self.budget, progress)?;
        let first = self.moves.len();
        self.listed.clear();
        self.space.moves(&state, &mut self.listed);
        self.guide.narrow(&state, &mut self.listed);
        self.moves.extend(self.listed.iter().rev());
        self.path.push(Frame {
            state,
            hash,
            g,
            first_move: first,
        });
        self.effort.expanded += 1;
        let stored = self.path.len() as u64 + self.table.len();
        self.effort.stored = self.effort.stored.max(stored);
        Ok(())
    }

    /// Whether to continue from a state; if not, records how far the bound would have to grow.
    fn allows(&mut self, state: &S::State, g: u32, bound: u32) -> bool {
        if g <= bound && self.guide.allows(state, bound - g) {
            return true;
        }
        // Once the next bound is the least possible, no other value matters.
        let least = bound.saturating_add(1);
        if self.next_bound > least
            && let Some(h) = self.guide.lower_bound(state)
        {
            let f = g.saturating_add(h).max(least);
            self.next_bound = self.next_bound.min(f);
        }
        false
    }
}
