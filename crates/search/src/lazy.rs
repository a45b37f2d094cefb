//! Lazy best-first search with preferred moves: a plan soon, then better ones (Richter and Westphal
//! 2010).
//!
//! An expensive estimate is computed once for each state that is expanded, not once for each that
//! is generated: a successor waits in the open list under its parent's estimate. The estimate comes
//! with preferred moves. These wait in a second open list as well, and the two lists take turns.
//! Whenever the least estimate so far decreases, the second list gets a thousand turns in addition.
//!
//! The first plan is found by the estimate alone. Then the search is restarted with the cost so far
//! added, at decreasing weights of the estimate, and prunes states that cannot lead to a cheaper
//! plan than the best. The search with the last weight runs to the end: if no state is left, the
//! plan is proven optimal, however bad the estimate was. Without a limit, every search ends with
//! that proof.

use ployglot_base::{Budget, Effort, Limit, Progress, Report, Space};

use crate::bucket_queue::BucketQueue;
use crate::plan::{self, FoundPlan};
use crate::registry::{StateId, spare};
use crate::search_tree::SearchTree;
use crate::throttle::Throttle;

/// An estimate with preferred moves.
pub trait Advisor<S: Space + ?Sized> {
    /// An estimate of the distance from the state to a goal; appends the preferred moves. `None`:
    /// there is certainly no plan from here.
    fn advise(&mut self, state: &S::State, preferred: &mut Vec<S::Move>) -> Option<u32>;
}

/// The weights of the estimate after the first plan, which is found regardless of the cost.
const WEIGHTS: [u32; 4] = [5, 3, 2, 1];
/// The additional turns of the preferred moves after progress.
const BOOST: i64 = 1000;

/// Searches until a plan is proven optimal, or, without `improve`, until there is one. Calls
/// `on_plan` for each plan that is cheaper than those before it. `at_least` is a known lower bound
/// on the cost of all plans.
pub fn lazy<S: Space>(
    space: &S,
    advisor: &mut impl Advisor<S>,
    at_least: u32,
    improve: bool,
    budget: &Budget,
    on_plan: &mut dyn FnMut(&FoundPlan<S::Move>),
) -> Report<S::Move> {
    let mut best: Option<FoundPlan<S::Move>> = None;
    let mut effort = Effort::default();
    let weights = [None].into_iter().chain(WEIGHTS.map(Some));
    let mut ended = Ok(());
    for weight in weights {
        let mut round = Round::new(space, weight, at_least, budget);
        loop {
            let below = best.as_ref().map_or(u32::MAX, |best| best.cost);
            let found = round.run(advisor, below);
            match found {
                Ok(Some(found)) => {
                    on_plan(&found);
                    best = Some(found);
                    let done = !improve || best.as_ref().is_some_and(|best| best.cost <= at_least);
                    if done {
                        ended = Err(Limit::Incomplete);
                    }
                    // The search with the last weight is not restarted, but continues.
                    if done || weight != WEIGHTS.last().copied() {
                        break;
                    }
                }
                Ok(None) => {
                    effort += round.effort;
                    return Report {
                        outcome: plan::proven(best, at_least),
                        effort,
                    };
                }
                Err(limit) => {
                    ended = Err(limit);
                    break;
                }
            }
        }
        effort += round.effort;
        if ended.is_err() {
            break;
        }
    }
    let why = ended.err().unwrap_or(Limit::Incomplete);
    Report {
        outcome: plan::outcome(best, at_least, why),
        effort,
    }
}

/// One search with one weight, from the start.
struct Round<'a, S: Space> {
    space: &'a S,
    budget: &'a Budget,
    /// The weight of the estimate; `None`: the cost so far does not count.
    weight: Option<u32>,
    at_least: u32,
    tree: SearchTree,
    /// The cost at which each state was reached.
    costs: Vec<u32>,
    /// Moves that have not been tried, each with the state that it starts from.
    waiting: Vec<(u32, S::Move)>,
    /// Indices of all waiting moves, and of the preferred ones.
    open: [BucketQueue; 2],
    /// How many turns each open list has had.
    turns: [i64; 2],
    least_estimate: Option<u32>,
    effort: Effort,
    spare: u64,
    throttle: Throttle,
    packed: Vec<u64>,
    moves: Vec<S::Move>,
    preferred: Vec<S::Move>,
}

impl<'a, S: Space> Round<'a, S> {
    fn new(space: &'a S, weight: Option<u32>, at_least: u32, budget: &'a Budget) -> Self {
        Self {
            space,
            budget,
            weight,
            at_least,
            tree: SearchTree::new(space.words()),
            costs: Vec::new(),
            waiting: Vec::new(),
            open: Default::default(),
            turns: [0; 2],
            least_estimate: None,
            effort: Effort::default(),
            spare: spare(budget),
            throttle: Throttle::new(budget),
            packed: vec![0; space.words()],
            moves: Vec::new(),
            preferred: Vec::new(),
        }
    }

    /// The next plan that costs less than `below`; `None`: there is none.
    fn run(
        &mut self,
        advisor: &mut impl Advisor<S>,
        below: u32,
    ) -> Result<Option<FoundPlan<S::Move>>, Limit> {
        if self.tree.registry.is_empty() {
            let start = self.space.start();
            if let Some(goal) = self.visit(advisor, &start, 0, 0, below)? {
                return Ok(Some(self.tree.plan_to(self.space, goal)));
            }
        }
        while let Some((parent, mv)) = self.pop() {
            self.throttle.tick(self.budget, || Progress {
                phase: "lazy",
                depth: self.least_estimate.unwrap_or(0),
                expanded: self.effort.expanded,
                stored: self.effort.stored,
                at_least: self.at_least,
                best: (below != u32::MAX).then_some(below),
                ..Progress::default()
            })?;
            let before = self.space.unpack(self.tree.registry.state(StateId(parent)));
            let cost = self.costs[parent as usize].saturating_add(self.space.cost(&before, mv));
            if cost >= below {
                continue;
            }
            let state = self.space.apply(&before, mv);
            self.effort.generated += 1;
            if let Some(goal) = self.visit(advisor, &state, parent, cost, below)? {
                return Ok(Some(self.tree.plan_to(self.space, goal)));
            }
        }
        Ok(None)
    }

    /// Expands a state if it is new, or reached at less cost than before; gives its id if it is a
    /// goal.
    fn visit(
        &mut self,
        advisor: &mut impl Advisor<S>,
        state: &S::State,
        parent: u32,
        cost: u32,
        below: u32,
    ) -> Result<Option<StateId>, Limit> {
        self.space.pack(state, &mut self.packed);
        let SearchTree { registry, parents } = &mut self.tree;
        registry.make_room(1, self.spare, self.budget)?;
        let (id, new) = registry.insert(&self.packed);
        if new {
            self.costs.push(cost);
            parents.push(parent);
            self.effort.stored += 1;
        } else {
            // The first plan may use any path; after it, a cheaper path counts.
            let known = self.costs[id.index()];
            if cost >= known || below == u32::MAX {
                return Ok(None);
            }
            self.costs[id.index()] = cost;
            parents[id.index()] = parent;
        }
        if self.space.is_goal(state) {
            return Ok(Some(id));
        }
        self.preferred.clear();
        let Some(estimate) = advisor.advise(state, &mut self.preferred) else {
            return Ok(None);
        };
        if self.least_estimate.is_none_or(|least| estimate < least) {
            self.least_estimate = Some(estimate);
            self.turns[1] -= BOOST;
        }
        self.moves.clear();
        self.space.moves(state, &mut self.moves);
        self.effort.expanded += 1;
        let waiting = self.waiting.len() + self.moves.len();
        if waiting > self.waiting.capacity() {
            let bytes = 2 * (waiting * size_of::<(u32, S::Move)>()) as u64;
            if waiting >= u32::MAX as usize || !self.budget.affords(bytes) {
                return Err(Limit::Memory);
            }
        }
        let key = match self.weight {
            None => estimate,
            Some(weight) => cost.saturating_add(estimate.saturating_mul(weight)),
        };
        for &mv in &self.moves {
            let item = self.waiting.len() as u32;
            self.waiting.push((id.0, mv));
            self.open[0].push(key, estimate, item);
            if self.preferred.contains(&mv) {
                self.open[1].push(key, estimate, item);
            }
        }
        Ok(None)
    }

    /// The next move from the open list that has had fewer turns.
    fn pop(&mut self) -> Option<(u32, S::Move)> {
        let preferred = !self.open[1].is_empty() && self.turns[1] <= self.turns[0];
        let list = usize::from(preferred);
        self.turns[list] += 1;
        let (.., item) = self.open[list].pop()?;
        Some(self.waiting[item as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::Outcome;

    /// From 3 to 37: add 1, 5 or 7 at a cost, or halve for nothing. Sums above 40 and multiples of
    /// 10 are forbidden.
    struct Numbers;

    impl Space for Numbers {
        type State = u32;
        type Move = u32;

        fn start(&self) -> u32 {
            3
        }

        fn is_goal(&self, state: &u32) -> bool {
            *state == 37
        }

        fn moves(&self, state: &u32, moves: &mut Vec<u32>) {
            let all = [1, 5, 7]
                .into_iter()
                .filter(|add| state + add <= 40 && !(state + add).is_multiple_of(10));
            moves.extend(all);
            if state.is_multiple_of(2) {
                moves.push(0);
            }
        }

        fn apply(&self, state: &u32, mv: u32) -> u32 {
            if mv == 0 { state / 2 } else { state + mv }
        }

        fn cost(&self, _: &u32, mv: u32) -> u32 {
            [0, 2, 0, 0, 0, 11, 0, 15][mv as usize]
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

    /// Prefers large steps, which are expensive.
    struct LargeSteps;

    impl Advisor<Numbers> for LargeSteps {
        fn advise(&mut self, state: &u32, preferred: &mut Vec<u32>) -> Option<u32> {
            preferred.push(7);
            Some(37u32.abs_diff(*state) * 3)
        }
    }

    #[test]
    fn plans_improve_until_one_is_proven_optimal() {
        let blind = || ployglot_base::Blind;
        let exact = crate::astar::astar(&Numbers, &blind, &Budget::unlimited())
            .outcome
            .cost();
        let mut costs = Vec::new();
        let mut on_plan = |found: &FoundPlan<u32>| costs.push(found.cost);
        let report = lazy(
            &Numbers,
            &mut LargeSteps,
            0,
            true,
            &Budget::unlimited(),
            &mut on_plan,
        );
        assert!(
            matches!(report.outcome, Outcome::Optimal { .. }),
            "{report:?}"
        );
        assert_eq!(report.outcome.cost(), exact);
        assert!(
            costs.len() > 1 && costs.is_sorted_by(|a, b| a > b),
            "{costs:?}"
        );
        let first = lazy(
            &Numbers,
            &mut LargeSteps,
            0,
            false,
            &Budget::unlimited(),
            &mut |_| (),
        );
        assert_eq!(first.outcome.cost(), costs.first().copied());
        assert!(matches!(
            first.outcome,
            Outcome::Feasible {
                why: Limit::Incomplete,
                ..
            }
        ));
    }

    /// Claims that all states from 20 on are dead ends.
    struct DeadEnds;

    impl Advisor<Numbers> for DeadEnds {
        fn advise(&mut self, state: &u32, _: &mut Vec<u32>) -> Option<u32> {
            (*state < 20).then_some(1)
        }
    }

    #[test]
    fn if_all_paths_lead_to_dead_ends_there_is_no_plan() {
        let report = lazy(
            &Numbers,
            &mut DeadEnds,
            0,
            true,
            &Budget::unlimited(),
            &mut |_| (),
        );
        assert_eq!(report.outcome, Outcome::Unsolvable);
    }
}
