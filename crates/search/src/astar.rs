//! A* (Hart, Nilsson and Raphael 1968): the state with the least g + h first.
//!
//! Ties go to the least h, and then to the state that was found last, so that the search runs deep where it can. The
//! bound is asked once for each state and kept, raised to what the parent's bound implies (pathmax). It need not be
//! consistent: a state that is reached more cheaply is opened again. A goal is noticed when it is generated; from then on
//! only states that promise less are opened, and it is proven best when none is left.
//!
//! When memory runs low, the states of the open list become roots of a depth-first search with a growing bound, as in
//! MREC (Sen and Bagchi 1989): what is stored stays, and prunes, but nothing is added.

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::brood::Brood;
use crate::ida_star::Dive;
use crate::pace::Pace;
use crate::plan::{self, Found};
use crate::queue::Queue;
use crate::registry::{Registry, StateId, spare};

pub fn astar<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut search = Astar::new(space, guide(), budget);
    let ended = search.run(u64::MAX);
    if ended == Err(Limit::Memory) {
        return search.dive(guide());
    }
    search.report(ended)
}

/// The same, as long as it expands no more states than so many; else what was spent. For those who would then rather think again.
pub fn astar_within<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
    expansions: u64,
) -> Result<Report<S::Move>, Effort> {
    let mut search = Astar::new(space, guide(), budget);
    match search.run(expansions) {
        Ok(Stage::Paused) => Err(search.effort),
        Err(Limit::Memory) => Ok(search.dive(guide())),
        ended => Ok(search.report(ended)),
    }
}

/// A search that can be paused, and told of plans that others found.
pub(crate) struct Astar<'a, S: Space, G> {
    space: &'a S,
    guide: G,
    budget: &'a Budget,
    registry: Registry,
    nodes: Vec<Node>,
    open: Queue,
    /// Proven: no plan costs less.
    at_least: u32,
    /// Only plans that cost less are of interest.
    below: u32,
    goal: Option<StateId>,
    given: Option<Found<S::Move>>,
    /// Kept free for a search that needs less.
    spare: u64,
    effort: Effort,
    pace: Pace,
    /// The states that are being expanded.
    taken: Vec<u32>,
    brood: Brood<S>,
}

/// What is known of a stored state.
struct Node {
    parent: u32,
    /// The cost of the cheapest way here so far.
    g: u32,
    /// The lower bound, cut at `u16`, which keeps it a lower bound; or `DEAD`.
    h: u16,
    closed: bool,
}

/// How many states with the same f and h are expanded together, once so many have been expanded one by one.
const TOGETHER: usize = 8;
const PATIENCE: u64 = 1 << 12;
const DEAD: u16 = u16::MAX;
const NO_PARENT: u32 = u32::MAX;

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// As many states as were asked for have been expanded; there are more.
    Paused,
    /// Every state that promised a cheaper plan has been expanded.
    Exhausted,
}

impl<'a, S: Space, G: Guide<S>> Astar<'a, S, G> {
    pub(crate) fn new(space: &'a S, guide: G, budget: &'a Budget) -> Self {
        Self {
            space,
            guide,
            budget,
            registry: Registry::new(space.words()),
            nodes: Vec::new(),
            open: Queue::default(),
            at_least: 0,
            below: u32::MAX,
            goal: None,
            given: None,
            spare: spare(budget),
            effort: Effort::default(),
            pace: Pace::new(budget),
            taken: Vec::new(),
            brood: Brood::new(),
        }
    }

    /// Expands so many states more.
    pub(crate) fn run(&mut self, expansions: u64) -> Result<Stage, Limit> {
        if self.registry.is_empty() {
            self.brood.start(self.space, NO_PARENT);
            self.intern()?;
        }
        let end = self.effort.expanded.saturating_add(expansions);
        while let Some((f, h)) = self.open.least() {
            self.at_least = self.at_least.max(f);
            if f >= self.below {
                return Ok(Stage::Exhausted);
            }
            if self.effort.expanded >= end {
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
            self.pace.tick(self.budget, progress)?;
            self.take(f, h);
            if let Err(why) = self.expand() {
                for &id in &self.taken {
                    self.nodes[id as usize].closed = false;
                    self.open.push(f, h, id);
                }
                return Err(why);
            }
        }
        Ok(Stage::Exhausted)
    }

    /// Takes a few states with these keys, which are the least, from the open list.
    fn take(&mut self, f: u32, h: u32) {
        // One by one at first, so that small searches do nothing in vain.
        let most = if self.effort.expanded < PATIENCE {
            1
        } else {
            TOGETHER
        };
        self.taken.clear();
        while self.taken.len() < most && self.open.least() == Some((f, h)) {
            let (.., id) = self.open.pop().expect("it has a least item");
            let node = &mut self.nodes[id as usize];
            // What was pushed again with a better g is found here a second time.
            if !node.closed && node.g == f - h {
                node.closed = true;
                self.taken.push(id);
            }
        }
    }

    fn expand(&mut self) -> Result<(), Limit> {
        self.brood.clear();
        for &id in &self.taken {
            let state = self.space.unpack(self.registry.state(StateId(id)));
            self.brood.raise(self.space, &mut self.guide, &state, id);
        }
        let generated = self.brood.len() as u64;
        self.intern()?;
        self.effort.expanded += self.taken.len() as u64;
        self.effort.generated += generated;
        Ok(())
    }

    /// Takes the children of states into the registry, and opens those that are new or reached more cheaply.
    fn intern(&mut self) -> Result<(), Limit> {
        let children = self
            .brood
            .intern(&mut self.registry, self.spare, self.budget)?;
        for (child, id, new) in children {
            let (parent_g, parent_h) = match self.nodes.get(child.parent as usize) {
                Some(node) => (node.g, node.h),
                None => (0, 0),
            };
            let g = parent_g.saturating_add(child.cost);
            let implied = u32::from(parent_h).saturating_sub(child.cost) as u16;
            if new {
                let h = match self.guide.lower_bound(&child.state) {
                    Some(bound) => bound.min(u32::from(DEAD) - 1) as u16,
                    None => DEAD,
                };
                self.nodes.push(Node {
                    parent: child.parent,
                    g,
                    h: h.max(implied),
                    closed: false,
                });
            } else {
                let node = &mut self.nodes[id.index()];
                node.h = node.h.max(implied);
                if g >= node.g {
                    continue;
                }
                node.g = g;
                node.parent = child.parent;
                node.closed = false;
            }
            let node = &self.nodes[id.index()];
            let f = g.saturating_add(u32::from(node.h));
            if node.h == DEAD || f >= self.below {
                continue;
            }
            if node.h == 0 && self.space.is_goal(&child.state) {
                self.below = g;
                self.goal = Some(id);
                continue;
            }
            self.open.push(f, u32::from(node.h), id.0);
        }
        self.effort.stored = self.registry.len() as u64;
        Ok(())
    }

    /// Goes on depth-first from the open states, with what memory was kept free.
    pub(crate) fn dive(mut self, guide: G) -> Report<S::Move> {
        // Not even the start has found room: nothing is known, and an empty open list proves nothing.
        if self.registry.is_empty() {
            return self.report(Err(Limit::Memory));
        }
        let mut roots: Vec<u32> = Vec::new();
        while let Some((f, h, id)) = self.open.pop() {
            let node = &mut self.nodes[id as usize];
            if !node.closed && node.g == f - h {
                // Each once, though it may be queued under an old bound and a new one.
                node.closed = true;
                roots.push(id);
            }
        }
        let mut dive = Dive::new(self.space, guide, self.budget, self.spare / 2);
        dive.best = (self.below < u32::MAX).then_some(self.below);
        let ended = loop {
            if self.at_least >= self.below {
                break Ok(Stage::Exhausted);
            }
            match self.dive_once(&roots, &mut dive) {
                Err(why) => break Err(why),
                Ok(Some(found)) => {
                    self.given = Some(found);
                    self.goal = None;
                    break Ok(Stage::Exhausted);
                }
                Ok(None) => self.at_least = dive.next_round(),
            }
        };
        self.effort += dive.effort;
        self.report(ended)
    }

    /// One round: a plan that costs `at_least`, if there is one.
    fn dive_once(
        &self,
        roots: &[u32],
        dive: &mut Dive<'a, S, G>,
    ) -> Result<Option<Found<S::Move>>, Limit> {
        let words = self.space.words();
        for &root in roots {
            let root = StateId(root);
            let node = &self.nodes[root.index()];
            let f = node.g.saturating_add(u32::from(node.h));
            if f > self.at_least {
                dive.next = dive.next.min(f);
                continue;
            }
            // What is stored at this cost or less has been expanded, or is a root itself.
            let settled = |state: &[u64], g: u32| {
                let known = self.registry.find(state);
                known.is_some_and(|id| self.nodes[id.index()].g <= g)
            };
            let state = self.space.unpack(self.registry.state(root));
            if let Some(path) = dive.search(state, node.g, self.at_least, settled)? {
                let ids = self.way_to(root);
                let stored = ids.iter().map(|&id| self.registry.state(id));
                let found = plan::along(self.space, stored.chain(path.chunks_exact(words)));
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The states after the start, on the way to this one.
    fn way_to(&self, end: StateId) -> Vec<StateId> {
        plan::way(end, |id| {
            let parent = self.nodes[id.index()].parent;
            (parent != NO_PARENT).then_some(StateId(parent))
        })
    }

    /// What came of it.
    pub(crate) fn report(self, ended: Result<Stage, Limit>) -> Report<S::Move> {
        let found = self.best();
        let outcome = match ended {
            Ok(Stage::Paused) => plan::outcome(found, self.at_least, Limit::Incomplete),
            Ok(Stage::Exhausted) => match found {
                Some(Found { plan, cost }) => Outcome::Optimal { plan, cost },
                None => Outcome::Unsolvable,
            },
            Err(why) => plan::outcome(found, self.at_least, why),
        };
        Report {
            outcome,
            effort: self.effort,
        }
    }

    /// What a plan must cost less than to be of interest.
    pub(crate) fn below(&self) -> u32 {
        self.below
    }

    /// Proven so far.
    pub(crate) fn at_least(&self) -> u32 {
        self.at_least
    }

    /// A plan from elsewhere. Only better ones are looked for from now on.
    pub(crate) fn give(&mut self, found: Found<S::Move>) {
        if found.cost < self.below {
            self.below = found.cost;
            self.goal = None;
            self.given = Some(found);
        }
    }

    pub(crate) fn add_effort(&mut self, effort: Effort) {
        self.effort += effort;
    }

    fn best(&self) -> Option<Found<S::Move>> {
        let own = self.goal.map(|goal| {
            let way = self.way_to(goal);
            let states = way.iter().map(|&id| self.registry.state(id));
            plan::along(self.space, states)
        });
        own.or_else(|| self.given.clone())
    }
}
