//! Breadth-first search, layer by layer. It uses no guide at all, so that it can judge those that do.
//!
//! The registry numbers states in the order in which they are found, so a layer is a range of numbers and there is no
//! queue. A goal is recognised when it is first generated, one layer early; that is a proof only if all moves cost alike,
//! so the rest of the layer still lists its moves and looks at their costs. Where two costs differ, or a move costs
//! nothing, layers mean nothing: then A* without a guide does the work, which is Dijkstra's algorithm.

use ployglot_base::{Blind, Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::astar::astar;
use crate::pace::Pace;
use crate::plan;
use crate::registry::{Registry, StateId};

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
    moves: Vec<S::Move>,
    children: Vec<S::State>,
    packed: Vec<u64>,
    found: Vec<(StateId, bool)>,
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
            moves: Vec::new(),
            children: Vec::new(),
            packed: Vec::new(),
            found: Vec::new(),
        }
    }

    fn search(&mut self) -> Result<Option<StateId>, End> {
        let start = self.space.start();
        self.children.push(start);
        self.intern(0).map_err(End::Limit)?;
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
        self.moves.clear();
        self.space.moves(&state, &mut self.moves);
        for &mv in &self.moves {
            let cost = self.space.cost(&state, mv);
            if cost == 0 || *self.cost.get_or_insert(cost) != cost {
                return Err(End::Uneven);
            }
        }
        if self.goal.is_some() {
            return Ok(());
        }
        self.effort.expanded += 1;
        self.effort.generated += self.moves.len() as u64;
        let after = self.moves.iter().map(|&mv| self.space.apply(&state, mv));
        self.children.extend(after);
        self.intern(id.0).map_err(End::Limit)
    }

    /// Takes the children into the registry, and looks for a goal among the new ones.
    fn intern(&mut self, parent: u32) -> Result<(), Limit> {
        let words = self.space.words();
        self.packed.resize(self.children.len() * words, 0);
        for (child, packed) in self
            .children
            .iter()
            .zip(self.packed.chunks_exact_mut(words))
        {
            self.space.pack(child, packed);
        }
        self.registry
            .make_room(self.children.len(), 0, self.budget)?;
        self.registry.insert_all(&self.packed, &mut self.found);
        for (child, (id, new)) in self.children.drain(..).zip(self.found.drain(..)) {
            if new {
                self.parents.push(parent);
                if self.goal.is_none() && self.space.is_goal(&child) {
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
