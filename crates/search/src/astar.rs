//! A* (Hart, Nilsson and Raphael 1968): the state with the least g + h first.
//!
//! Ties go to the least h, and then to the state that was found last, so that the search runs deep
//! where it can. The bound is computed once for each state, stored, and raised to what the parent's
//! bound implies (pathmax). It need not be consistent: a state that is reached by a cheaper path is
//! opened again. A goal is noticed when it is generated. From then on only states that may lead to
//! a cheaper plan are opened, and the plan is proven optimal when none is left.
//!
//! A better guide can be added, whose bounds may cost more. A state gets its bound by that one when it is the next
//! to be expanded: most never are (Lazy A*: Tolpin and others 2013).
//!
//! When memory runs low, the states of the open list become roots of a depth-first search with a
//! growing bound, as in MREC (Sen and Bagchi 1989): the stored states stay and prune, but no state
//! is added.

use ployglot_base::{Budget, Effort, Guide, Limit, Progress, Report, Space};

use crate::ida_star::DepthFirst;
use crate::node::{NO_PARENT, Nodes, Path};
use crate::open_list::OpenList;
use crate::plan::{self, FoundPlan};
use crate::registry::{Registry, StateId, spare};
use crate::successors::Successors;
use crate::throttle::Throttle;

/// A* search; see the module's documentation.
pub fn astar<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut search = Astar::new(space, guide(), budget);
    let ended = search.run(u64::MAX);
    search.finish(ended, guide)
}

/// A* that stops after this many expansions. `Err`: it was stopped, after this effort.
pub fn astar_within<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
    expansions: u64,
) -> Result<Report<S::Move>, Effort> {
    let mut search = Astar::new(space, guide(), budget);
    match search.run(expansions) {
        Ok(Stage::Paused) => Err(search.effort),
        ended => Ok(search.finish(ended, guide)),
    }
}

/// An A* search that can be paused, and that accepts plans from other searches and better guides.
pub(crate) struct Astar<'a, S: Space, G> {
    space: &'a S,
    /// Its bounds are computed for each new state.
    guide: G,
    /// Its bounds are computed for the states that are the next to be expanded.
    better: Option<Better<G>>,
    budget: &'a Budget,
    registry: Registry,
    nodes: Nodes,
    open: OpenList,
    /// How often a state got a higher bound by the better guide.
    raised: u64,
    /// Proven: no plan costs less.
    at_least: u32,
    /// Only plans that cost less are of interest.
    below: u32,
    /// The goal of the best plan, if this search found it.
    goal: Option<StateId>,
    /// The best plan, if another search found it.
    added: Option<FoundPlan<S::Move>>,
    /// Bytes kept free for a search that needs less memory.
    spare: u64,
    effort: Effort,
    throttle: Throttle,
    /// For the bounds of the successors.
    bound_throttle: Throttle,
    /// The states that are being expanded.
    expanding: Vec<StateId>,
    successors: Successors<S>,
}

/// A guide whose bounds are computed late, and the states that have them.
struct Better<G> {
    guide: G,
    /// A bit for each state that has its bound.
    known: Vec<u64>,
}

impl<G> Better<G> {
    /// Whether this state had its bound already. From now on it has.
    fn notice(&mut self, id: StateId) -> bool {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        if word >= self.known.len() {
            self.known.resize((word + 1).max(2 * self.known.len()), 0);
        }
        let had = self.known[word] & bit != 0;
        self.known[word] |= bit;
        had
    }
}

/// How many states with the same f and h are expanded together, once `SINGLE` states have been
/// expanded one by one.
const TOGETHER: usize = 8;
const SINGLE: u64 = 1 << 12;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The requested number of states has been expanded; there are more.
    Paused,
    /// All states that may lead to a cheaper plan have been expanded.
    Exhausted,
}

impl<'a, S: Space, G: Guide<S>> Astar<'a, S, G> {
    pub(crate) fn new(space: &'a S, guide: G, budget: &'a Budget) -> Self {
        Self {
            space,
            guide,
            better: None,
            budget,
            registry: Registry::new(space.words()),
            nodes: Nodes::default(),
            open: OpenList::default(),
            raised: 0,
            at_least: 0,
            below: u32::MAX,
            goal: None,
            added: None,
            spare: spare(budget),
            effort: Effort::default(),
            throttle: Throttle::new(budget),
            bound_throttle: Throttle::new(budget),
            expanding: Vec::new(),
            successors: Successors::new(budget),
        }
    }

    /// Adds a better guide, whose bounds may not depend on the states that it was asked for before. The best one so far
    /// is now the one whose bounds are computed for each new state.
    pub(crate) fn improve(&mut self, guide: G) {
        let known = Vec::new();
        if let Some(before) = self.better.replace(Better { guide, known }) {
            self.guide = before.guide;
        }
    }

    /// Expands this many more states; one whose bound is raised by the better guide counts, too.
    pub(crate) fn run(&mut self, expansions: u64) -> Result<Stage, Limit> {
        if self.registry.is_empty() {
            self.successors.start(self.space, NO_PARENT);
            self.intern()?;
        }
        let end = self.handled().saturating_add(expansions);
        while let Some((f, h)) = self.open.least() {
            if f >= self.below {
                return Ok(Stage::Exhausted);
            }
            self.at_least = self.at_least.max(f);
            if self.handled() >= end {
                return Ok(Stage::Paused);
            }
            let progress = || Progress {
                phase: "bound",
                depth: f,
                expanded: self.effort.expanded,
                stored: self.effort.stored,
                at_least: self.at_least,
                best: (self.below < u32::MAX).then_some(self.below),
                ..Progress::default()
            };
            self.throttle.tick(self.budget, progress)?;
            self.close_some(f, h);
            if let Err(why) = self.expand() {
                for &id in &self.expanding {
                    self.nodes.reopen(id);
                    self.open.push(f, h, id);
                }
                return Err(why);
            }
        }
        Ok(Stage::Exhausted)
    }

    fn handled(&self) -> u64 {
        self.effort.expanded + self.raised
    }

    /// Takes a few states with these keys, which are the least, from the open list. Those whose bound is higher
    /// by the better guide return to it.
    fn close_some(&mut self, f: u32, h: u32) {
        // One by one at first, so that small searches do no unnecessary work.
        let most = if self.effort.expanded < SINGLE {
            1
        } else {
            TOGETHER
        };
        self.expanding.clear();
        let mut taken = 0;
        while taken < most && self.open.least() == Some((f, h)) {
            let Some(id) = self.open.close_least(&mut self.nodes) else {
                continue;
            };
            taken += 1;
            match self.raise(id, h) {
                true => self.raised += 1,
                false => self.expanding.push(id),
            }
        }
    }

    /// Whether a state has a higher bound than this by the better guide. If so, it waits under that one, unless it leads
    /// to no cheaper plan.
    fn raise(&mut self, id: StateId, h: u32) -> bool {
        let Some(better) = &mut self.better else {
            return false;
        };
        if better.notice(id) {
            return false;
        }
        let state = self.space.unpack(self.registry.state(id));
        let node = self.nodes.raise(id, better.guide.lower_bound(&state));
        if node.allows_below(self.below) && node.h() <= h {
            return false;
        }
        let (f, h) = (node.f(), node.h());
        let waits = node.allows_below(self.below);
        self.nodes.reopen(id);
        if waits {
            self.open.push(f, h, id);
        }
        true
    }

    fn expand(&mut self) -> Result<(), Limit> {
        self.successors.clear();
        for &id in &self.expanding {
            let (guide, registry) = (&mut self.guide, &self.registry);
            self.successors
                .expand(self.space, guide, registry, id, self.budget)?;
        }
        let generated = self.successors.len() as u64;
        self.intern()?;
        self.effort.expanded += self.expanding.len() as u64;
        self.effort.generated += generated;
        Ok(())
    }

    /// Inserts the successors into the registry, and opens those that are new or reached by a
    /// cheaper path.
    fn intern(&mut self) -> Result<(), Limit> {
        let successors = self
            .successors
            .intern(&mut self.registry, self.spare, self.budget)?;
        for (successor, id, new) in successors {
            let parent = StateId(successor.parent);
            let path = match self.nodes.get(parent) {
                Some(node) => node.path_on(parent, 0, successor.cost),
                None => Path::START,
            };
            self.bound_throttle.tick_for_time(self.budget)?;
            let mut own_bound = None;
            let lower_bound = || {
                own_bound = self.guide.lower_bound(&successor.state);
                own_bound
            };
            let Some(node) = self.nodes.record(id, new, path, lower_bound) else {
                continue;
            };
            // If the bounds are true, none is left at a goal. If the parent's bound was too high,
            // the goal must be seen nevertheless, so that the contradiction is.
            let may_be_goal = node.h() == 0 || own_bound == Some(0);
            if may_be_goal && node.g < self.below && self.space.is_goal(&successor.state) {
                self.below = node.g;
                self.goal = Some(id);
                continue;
            }
            if !node.allows_below(self.below) {
                continue;
            }
            self.open.push(node.f(), node.h(), id);
        }
        self.effort.stored = self.registry.len() as u64;
        Ok(())
    }

    /// The report of a search that ended; where memory ended it, after a depth-first search.
    pub(crate) fn finish(
        self,
        ended: Result<Stage, Limit>,
        guide: &(impl Fn() -> G + Sync),
    ) -> Report<S::Move> {
        match ended {
            Err(Limit::Memory) => self.finish_depth_first(guide()),
            ended => self.report(ended),
        }
    }

    /// Continues depth-first from the open states, with the memory that was kept free.
    fn finish_depth_first(mut self, guide: G) -> Report<S::Move> {
        // Not even the start could be stored: nothing is known, and an empty open list proves
        // nothing.
        if self.registry.is_empty() {
            return self.report(Err(Limit::Memory));
        }
        // Closing a root makes sure that it is listed once, even if it waits under several keys.
        let mut roots = Vec::new();
        while !self.open.is_empty() {
            roots.extend(self.open.close_least(&mut self.nodes));
        }
        let mut search = DepthFirst::new(self.space, guide, self.budget, self.spare / 2);
        search.best = (self.below < u32::MAX).then_some(self.below);
        let ended = loop {
            if self.at_least >= self.below {
                break Ok(Stage::Exhausted);
            }
            match self.depth_first_round(&roots, &mut search) {
                Err(why) => break Err(why),
                Ok(Some(found)) => {
                    self.added = Some(found);
                    self.goal = None;
                    break Ok(Stage::Exhausted);
                }
                Ok(None) => self.at_least = search.next_round(),
            }
        };
        self.effort += search.effort;
        self.report(ended)
    }

    /// One round: a plan that costs `at_least`, if there is one.
    fn depth_first_round(
        &self,
        roots: &[StateId],
        search: &mut DepthFirst<'a, S, G>,
    ) -> Result<Option<FoundPlan<S::Move>>, Limit> {
        let words = self.space.words();
        for &root in roots {
            let node = &self.nodes[root];
            if node.f() > self.at_least {
                search.next_bound = search.next_bound.min(node.f());
                continue;
            }
            // A state that is stored at this cost or less has been expanded, or is a root itself.
            let settled = |state: &[u64], g: u32| {
                let known = self.registry.find(state);
                known.is_some_and(|id| self.nodes[id].g <= g)
            };
            let state = self.space.unpack(self.registry.state(root));
            if let Some(path) = search.search(state, node.g, self.at_least, settled)? {
                let ids = self.path_to(root);
                let stored = ids.iter().map(|&id| self.registry.state(id));
                let found = plan::along(self.space, stored.chain(path.chunks_exact(words)));
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The states after the start, on the path to this one.
    fn path_to(&self, end: StateId) -> Vec<StateId> {
        plan::path(end, |id| {
            let parent = self.nodes[id].parent;
            (parent != NO_PARENT).then_some(StateId(parent))
        })
    }

    /// The report of a search that ended.
    pub(crate) fn report(self, ended: Result<Stage, Limit>) -> Report<S::Move> {
        let found = self.best();
        let outcome = match ended {
            Ok(Stage::Paused) => plan::outcome(found, self.at_least, Limit::Incomplete),
            Ok(Stage::Exhausted) => plan::proven(found, self.at_least),
            Err(why) => plan::outcome(found, self.at_least, why),
        };
        Report {
            outcome,
            effort: self.effort,
        }
    }

    /// Only plans that cost less than this are of interest.
    pub(crate) fn below(&self) -> u32 {
        self.below
    }

    /// The lower bound that is proven so far.
    pub(crate) fn at_least(&self) -> u32 {
        self.at_least
    }

    /// Adds a plan from another search. From now on only cheaper ones are of interest.
    pub(crate) fn add_plan(&mut self, found: FoundPlan<S::Move>) {
        if found.cost < self.below {
            self.below = found.cost;
            self.goal = None;
            self.added = Some(found);
        }
    }

    /// What the search has done so far.
    pub(crate) fn effort(&self) -> Effort {
        self.effort
    }

    /// Counts work that was done elsewhere for this search.
    pub(crate) fn add_effort(&mut self, effort: Effort) {
        self.effort += effort;
    }

    pub(crate) fn best(&self) -> Option<FoundPlan<S::Move>> {
        let own = self.goal.map(|goal| {
            let path = self.path_to(goal);
            let states = path.iter().map(|&id| self.registry.state(id));
            plan::along(self.space, states)
        });
        own.or_else(|| self.added.clone())
    }
}
