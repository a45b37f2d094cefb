//! Greedy best-first search: the state with the least lower bound first, whatever it cost to get there. It finds a plan
//! soon if there is one, and proves nothing about it but what the bound of the start says. Ties go to the cheaper way,
//! then to the state that was found last. If every state has been expanded, there is no plan.

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::brood::Brood;
use crate::pace::Pace;
use crate::plan;
use crate::queue::Queue;
use crate::registry::{Registry, StateId, spare};

pub fn greedy<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut guide = guide();
    let Some(at_least) = guide.lower_bound(&space.start()) else {
        return Report {
            outcome: Outcome::Unsolvable,
            effort: Effort::default(),
        };
    };
    let mut greedy = Greedy {
        space,
        guide,
        budget,
        registry: Registry::new(space.words()),
        parents: Vec::new(),
        open: Queue::default(),
        effort: Effort::default(),
        spare: spare(budget),
        brood: Brood::new(),
    };
    let outcome = match greedy.search(at_least) {
        Ok(Some(goal)) => plan::outcome(Some(greedy.plan(goal)), at_least, Limit::Incomplete),
        Ok(None) => Outcome::Unsolvable,
        Err(why) => Outcome::GaveUp { at_least, why },
    };
    Report {
        outcome,
        effort: greedy.effort,
    }
}

struct Greedy<'a, S: Space, G> {
    space: &'a S,
    guide: G,
    budget: &'a Budget,
    registry: Registry,
    parents: Vec<u32>,
    open: Queue,
    effort: Effort,
    spare: u64,
    brood: Brood<S>,
}

impl<S: Space, G: Guide<S>> Greedy<'_, S, G> {
    fn search(&mut self, at_least: u32) -> Result<Option<StateId>, Limit> {
        self.brood.start(self.space, 0);
        if let Some(goal) = self.intern(0)? {
            return Ok(Some(goal));
        }
        let mut pace = Pace::new(self.budget);
        while let Some((h, g, id)) = self.open.pop() {
            pace.tick(self.budget, || Progress {
                phase: "greedy",
                depth: h,
                expanded: self.effort.expanded,
                stored: self.effort.stored,
                at_least,
                ..Progress::default()
            })?;
            let state = self.space.unpack(self.registry.state(StateId(id)));
            self.brood.raise(self.space, &mut self.guide, &state, id);
            self.effort.expanded += 1;
            self.effort.generated += self.brood.len() as u64;
            if let Some(goal) = self.intern(g)? {
                return Ok(Some(goal));
            }
        }
        Ok(None)
    }

    /// Opens the new children; gives the first that is a goal.
    fn intern(&mut self, parent_g: u32) -> Result<Option<StateId>, Limit> {
        let children = self
            .brood
            .intern(&mut self.registry, self.spare, self.budget)?;
        let mut goal = None;
        for (child, id, _) in children.filter(|&(.., new)| new) {
            self.parents.push(child.parent);
            if goal.is_none() && self.space.is_goal(&child.state) {
                goal = Some(id);
            } else if let Some(h) = self.guide.lower_bound(&child.state) {
                self.open.push(h, parent_g.saturating_add(child.cost), id.0);
            }
        }
        self.effort.stored = self.registry.len() as u64;
        Ok(goal)
    }

    fn plan(&self, goal: StateId) -> plan::Found<S::Move> {
        let parent = |id: StateId| (id.0 != 0).then(|| StateId(self.parents[id.index()]));
        let way = plan::way(goal, parent);
        plan::along(self.space, way.iter().map(|&id| self.registry.state(id)))
    }
}
