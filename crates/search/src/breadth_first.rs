//! Breadth-first search, layer by layer. It uses no guide at all, so that it can judge those that do.
//!
//! The registry numbers states in the order in which they are found, so a layer is a range of numbers and there is no
//! queue. A goal is recognised when it is first generated, one layer early; that is a proof only if all moves cost alike,
//! so the rest of the layer still lists its moves and looks at their costs. Where two costs differ, or a move costs
//! nothing, layers mean nothing: then A* without a guide does the work, which is Dijkstra's algorithm.

use ployglot_base::{Blind, Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::astar::astar;
use crate::brood::Brood;
use crate::pace::Pace;
use crate::plan;
use crate::registry::{Registry, StateId, spare};

pub fn breadth_first<S: Space, G: Guide<S>>(
    space: &S,
    _guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut layers = Layers::new(space, budget);
    let outcome = match layers.search() {
        Ok(Some(goal)) => layers.solved(goal),
        Ok(None) => Outcome::Unsolvable,
        Err(End::Limit(why)) => layers.ended(why),
        Err(End::Uneven) => {
            let mut report = astar(space, &|| Blind, budget);
            report.effort += layers.effort;
            return report;
        }
    };
    Report {
        outcome,
        effort: layers.effort,
    }
}

/// How many children are interned together.
const TOGETHER: usize = 64;

enum End {
    Limit(Limit),
    /// Two moves cost differently, or one costs nothing.
    Uneven,
}

struct Layers<'a, S: Space> {
    space: &'a S,
    budget: &'a Budget,
    registry: Registry,
    parents: Vec<u32>,
    depth: u32,
    /// What every move so far has cost.
    cost: Option<u32>,
    goal: Option<StateId>,
    effort: Effort,
    spare: u64,
    brood: Brood<S>,
}

impl<'a, S: Space> Layers<'a, S> {
    fn new(space: &'a S, budget: &'a Budget) -> Self {
        Self {
            space,
            budget,
            registry: Registry::new(space.words()),
            parents: Vec::new(),
            depth: 0,
            cost: None,
            goal: None,
            effort: Effort::default(),
            spare: spare(budget),
            brood: Brood::new(),
        }
    }

    fn search(&mut self) -> Result<Option<StateId>, End> {
        self.brood.start(self.space, 0);
        self.intern().map_err(End::Limit)?;
        if self.goal.is_some() {
            return Ok(self.goal);
        }
        let mut pace = Pace::new(self.budget);
        let mut layer = 0..1;
        while !layer.is_empty() {
            for id in layer.clone() {
                pace.tick(self.budget, || self.progress())
                    .map_err(End::Limit)?;
                self.expand(StateId(id))?;
            }
            self.intern().map_err(End::Limit)?;
            if self.goal.is_some() {
                return Ok(self.goal);
            }
            layer = layer.end..self.registry.len() as u32;
            self.depth += 1;
        }
        Ok(None)
    }

    fn expand(&mut self, id: StateId) -> Result<(), End> {
        let state = self.space.unpack(self.registry.state(id));
        if self.goal.is_some() {
            let mut moves = Vec::new();
            self.space.moves(&state, &mut moves);
            let mut costs = moves.iter().map(|&mv| self.space.cost(&state, mv));
            let even = costs.all(|cost| Some(cost) == self.cost);
            return if even { Ok(()) } else { Err(End::Uneven) };
        }
        let before = self.brood.len();
        self.brood.raise(self.space, &mut Blind, &state, id.0);
        for cost in self.brood.last_costs() {
            if cost == 0 || *self.cost.get_or_insert(cost) != cost {
                return Err(End::Uneven);
            }
        }
        self.effort.expanded += 1;
        self.effort.generated += (self.brood.len() - before) as u64;
        if self.brood.len() < TOGETHER {
            return Ok(());
        }
        self.intern().map_err(End::Limit)
    }

    /// Takes the children into the registry, and looks for a goal among the new ones.
    fn intern(&mut self) -> Result<(), Limit> {
        let children = self
            .brood
            .intern(&mut self.registry, self.spare, self.budget)?;
        for (child, id, new) in children {
            if new {
                self.parents.push(child.parent);
                if self.goal.is_none() && self.space.is_goal(&child.state) {
                    self.goal = Some(id);
                }
            }
        }
        self.effort.stored = self.registry.len() as u64;
        Ok(())
    }

    fn solved(&self, goal: StateId) -> Outcome<S::Move> {
        let plan::Found { plan, cost } = self.plan(goal);
        Outcome::Optimal { plan, cost }
    }

    fn ended(&self, why: Limit) -> Outcome<S::Move> {
        let found = self.goal.map(|goal| self.plan(goal));
        plan::outcome(found, self.at_least(), why)
    }

    fn plan(&self, goal: StateId) -> plan::Found<S::Move> {
        let parent = |id: StateId| (id.0 != 0).then(|| StateId(self.parents[id.index()]));
        let way = plan::way(goal, parent);
        plan::along(self.space, way.iter().map(|&id| self.registry.state(id)))
    }

    /// No goal is nearer than the layer that is being expanded. One layer more would be true too if no cheaper move
    /// could come, but that is not known.
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
