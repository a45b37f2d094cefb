//! Breadth-first search, layer by layer. It uses no guide at all, so that it can check searches
//! that do.
//!
//! The registry numbers states in the order in which they are found, so a layer is a range of ids
//! and there is no queue. A goal is recognised when it is first generated, one layer early. That is
//! a proof only if all moves cost the same, so for the rest of the layer the moves are still listed
//! and their costs compared. Where two costs differ, or a move costs nothing, layers do not order
//! states by cost: then A* without a guide takes over, which is Dijkstra's algorithm.

use ployglot_base::{Blind, Budget, Effort, Guide, Limit, Progress, Report, Space};

use crate::equal_costs::{Stop, astar_instead};
use crate::plan;
use crate::registry::{StateId, spare};
use crate::search_tree::SearchTree;
use crate::successors::Successors;
use crate::throttle::Throttle;

/// Breadth-first search; see the module's documentation. The guide is not used.
pub fn breadth_first<S: Space, G: Guide<S>>(
    space: &S,
    _guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut layers = Layers::new(space, budget);
    let outcome = match layers.search() {
        Ok(()) => plan::proven(layers.plan(), 0),
        Err(Stop::Limit(why)) => plan::outcome(layers.plan(), layers.at_least(), why),
        Err(Stop::UnequalCosts) => {
            return astar_instead(space, &|| Blind, budget, layers.effort);
        }
    };
    Report {
        outcome,
        effort: layers.effort,
    }
}

/// How many successors are interned together.
const TOGETHER: usize = 64;

struct Layers<'a, S: Space> {
    space: &'a S,
    budget: &'a Budget,
    tree: SearchTree,
    depth: u32,
    /// The cost of every move so far.
    cost: Option<u32>,
    goal: Option<StateId>,
    effort: Effort,
    spare: u64,
    successors: Successors<S>,
}

impl<'a, S: Space> Layers<'a, S> {
    fn new(space: &'a S, budget: &'a Budget) -> Self {
        Self {
            space,
            budget,
            tree: SearchTree::new(space.words()),
            depth: 0,
            cost: None,
            goal: None,
            effort: Effort::default(),
            spare: spare(budget),
            successors: Successors::new(budget),
        }
    }

    /// Expands layers until there is a goal, or no state is left.
    fn search(&mut self) -> Result<(), Stop> {
        self.successors.start(self.space, 0);
        self.intern()?;
        let mut throttle = Throttle::new(self.budget);
        let mut layer = 0..1;
        while self.goal.is_none() && !layer.is_empty() {
            for id in layer.clone() {
                throttle.tick(self.budget, || self.progress())?;
                self.expand(StateId(id))?;
            }
            self.intern()?;
            layer = layer.end..self.tree.registry.len() as u32;
            self.depth += 1;
        }
        Ok(())
    }

    fn expand(&mut self, id: StateId) -> Result<(), Stop> {
        if self.goal.is_some() {
            return self.compare_costs(id);
        }
        let registry = &self.tree.registry;
        let generated =
            self.successors
                .expand(self.space, &mut Blind, registry, id, self.budget)?;
        for cost in self.successors.last_costs() {
            if cost == 0 || *self.cost.get_or_insert(cost) != cost {
                return Err(Stop::UnequalCosts);
            }
        }
        self.effort.expanded += 1;
        self.effort.generated += generated as u64;
        if self.successors.len() < TOGETHER {
            return Ok(());
        }
        Ok(self.intern()?)
    }

    /// For a state that need not be expanded, because a goal is known: whether its moves cost the
    /// same as all others.
    fn compare_costs(&self, id: StateId) -> Result<(), Stop> {
        let state = self.space.unpack(self.tree.registry.state(id));
        let mut moves = Vec::new();
        self.space.moves(&state, &mut moves);
        let mut costs = moves.iter().map(|&mv| self.space.cost(&state, mv));
        if costs.all(|cost| Some(cost) == self.cost) {
            Ok(())
        } else {
            Err(Stop::UnequalCosts)
        }
    }

    /// Inserts the successors into the registry, and looks for a goal among the new ones.
    fn intern(&mut self) -> Result<(), Limit> {
        let SearchTree { registry, parents } = &mut self.tree;
        let successors = self.successors.intern(registry, self.spare, self.budget)?;
        for (successor, id, new) in successors {
            if new {
                parents.push(successor.parent);
                if self.goal.is_none() && self.space.is_goal(&successor.state) {
                    self.goal = Some(id);
                }
            }
        }
        self.effort.stored = registry.len() as u64;
        Ok(())
    }

    fn plan(&self) -> Option<plan::FoundPlan<S::Move>> {
        self.goal.map(|goal| self.tree.plan_to(self.space, goal))
    }

    /// No goal is nearer than the layer that is being expanded. It is not known yet whether the
    /// moves of that layer cost as much as those before, so its own moves do not count.
    fn at_least(&self) -> u32 {
        self.depth.saturating_mul(self.cost.unwrap_or(0))
    }

    fn progress(&self) -> Progress {
        Progress {
            phase: "layer",
            depth: self.depth,
            expanded: self.effort.expanded,
            stored: self.effort.stored,
            at_least: self.at_least(),
            ..Progress::default()
        }
    }
}
