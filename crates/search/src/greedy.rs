//! Greedy best-first search: the state with the least lower bound first, at whatever cost it was
//! reached. It finds a plan soon if there is one, and proves nothing about it except what the bound
//! of the start implies. Ties go to the state that was reached at less cost, then to the state that
//! was found last. If all states have been expanded, there is no plan.

use ployglot_base::{Budget, Effort, Guide, Limit, Outcome, Progress, Report, Space};

use crate::bucket_queue::BucketQueue;
use crate::plan;
use crate::registry::{StateId, spare};
use crate::search_tree::SearchTree;
use crate::successors::Successors;
use crate::throttle::Throttle;

/// Greedy best-first search; see the module's documentation.
pub fn greedy<S: Space, G: Guide<S>>(
    space: &S,
    guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut guide = guide();
    let Some(bound) = guide.lower_bound(&space.start()) else {
        return Report {
            outcome: Outcome::Unsolvable,
            effort: Effort::default(),
        };
    };
    let at_least = if guide.is_admissible() { bound } else { 0 };
    let mut greedy = Greedy {
        space,
        guide,
        budget,
        tree: SearchTree::new(space.words()),
        open: BucketQueue::default(),
        effort: Effort::default(),
        spare: spare(budget),
        throttle: Throttle::new(budget),
        successors: Successors::new(budget),
    };
    let outcome = match greedy.search(at_least) {
        Ok(Some(goal)) => {
            let found = greedy.tree.plan_to(space, goal);
            plan::outcome(Some(found), at_least, Limit::Incomplete)
        }
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
    tree: SearchTree,
    /// State ids by h, then by g.
    open: BucketQueue,
    effort: Effort,
    spare: u64,
    /// For the bounds of the successors.
    throttle: Throttle,
    successors: Successors<S>,
}

impl<S: Space, G: Guide<S>> Greedy<'_, S, G> {
    fn search(&mut self, at_least: u32) -> Result<Option<StateId>, Limit> {
        self.successors.start(self.space, 0);
        if let Some(goal) = self.intern(0)? {
            return Ok(Some(goal));
        }
        let mut throttle = Throttle::new(self.budget);
        while let Some((h, g, id)) = self.open.pop() {
            throttle.tick(self.budget, || Progress {
                phase: "greedy",
                depth: h,
                expanded: self.effort.expanded,
                stored: self.effort.stored,
                at_least,
                ..Progress::default()
            })?;
            let registry = &self.tree.registry;
            let (guide, id) = (&mut self.guide, StateId(id));
            let generated = self
                .successors
                .expand(self.space, guide, registry, id, self.budget)?;
            self.effort.expanded += 1;
            self.effort.generated += generated as u64;
            if let Some(goal) = self.intern(g)? {
                return Ok(Some(goal));
            }
        }
        Ok(None)
    }

    /// Opens the new successors; gives the first that is a goal.
    fn intern(&mut self, parent_g: u32) -> Result<Option<StateId>, Limit> {
        let SearchTree { registry, parents } = &mut self.tree;
        let successors = self.successors.intern(registry, self.spare, self.budget)?;
        let mut goal = None;
        for (successor, id, _) in successors.filter(|&(.., new)| new) {
            parents.push(successor.parent);
            self.throttle.tick_for_time(self.budget)?;
            if goal.is_none() && self.space.is_goal(&successor.state) {
                goal = Some(id);
            } else if let Some(h) = self.guide.lower_bound(&successor.state) {
                let g = parent_g.saturating_add(successor.cost);
                self.open.push(h, g, id.0);
            }
        }
        self.effort.stored = registry.len() as u64;
        Ok(goal)
    }
}
