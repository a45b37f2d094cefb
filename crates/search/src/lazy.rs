//! Lazy best-first search with preferred moves: a plan soon, then better ones (Richter and Westphal 2010).
//!
//! An estimate that is dear is asked once for each state that is taken up, not once for each that is seen: a child waits under its
//! parent's estimate. The estimate comes with moves that it would take itself. These wait in a second queue as well, and the two take
//! turns; whenever the search comes closer to a goal than ever before, the second one gets a thousand turns on top.
//!
//! The first plan is found by the estimate alone. Then the search starts anew with the cost so far counted in, at falling weights of the
//! estimate, and leaves whatever cannot become cheaper than the best plan. The last weight goes on to the end: if no state is left, the
//! plan is proven best, however bad the estimate was. Without a limit, it comes to that.

use ployglot_base::{Budget, Effort, Limit, Outcome, Progress, Report, Space};

use crate::pace::Pace;
use crate::plan::{self, Found};
use crate::queue::Queue;
use crate::registry::{Registry, StateId, spare};

/// Somebody to ask which way to go.
pub trait Advisor<S: Space + ?Sized> {
    /// How far from a goal the state seems, and the moves that it would take from here. `None`: surely no plan exists from here.
    fn advise(&mut self, state: &S::State, preferred: &mut Vec<S::Move>) -> Option<u32>;
}

/// The weights of the estimate after the first plan, which has no eye for the cost.
const WEIGHTS: [u32; 4] = [5, 3, 2, 1];
/// The turns that coming closer is worth.
const BOOST: i64 = 1000;

/// Searches until a plan is proven best, or, without `improve`, until there is one. Every plan that is cheaper than those before it is
/// told. `at_least` is known of the cost of all plans.
pub fn lazy<S: Space>(
    space: &S,
    advisor: &mut impl Advisor<S>,
    at_least: u32,
    improve: bool,
    budget: &Budget,
    tell: &mut dyn FnMut(&Found<S::Move>),
) -> Report<S::Move> {
    let mut best: Option<Found<S::Move>> = None;
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
                    tell(&found);
                    best = Some(found);
                    let done = !improve || best.as_ref().is_some_and(|best| best.cost <= at_least);
                    if done {
                        ended = Err(Limit::Incomplete);
                    }
                    // The last weight goes on where it is.
                    if done || weight != WEIGHTS.last().copied() {
                        break;
                    }
                }
                Ok(None) => {
                    effort += round.effort;
                    let outcome = match best {
                        Some(Found { plan, cost }) => Outcome::Optimal { plan, cost },
                        None => Outcome::Unsolvable,
                    };
                    return Report { outcome, effort };
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

/// One search, from the start.
struct Round<'a, S: Space> {
    space: &'a S,
    budget: &'a Budget,
    /// Of the estimate; `None`: nothing else counts.
    weight: Option<u32>,
    at_least: u32,
    registry: Registry,
    costs: Vec<u32>,
    parents: Vec<u32>,
    /// Moves that wait, each with the state that it starts from.
    waiting: Vec<(u32, S::Move)>,
    /// All of them, and the preferred ones.
    open: [Queue; 2],
    /// How many turns each queue has had.
    turns: [i64; 2],
    closest: Option<u32>,
    effort: Effort,
    spare: u64,
    pace: Pace,
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
            registry: Registry::new(space.words()),
            costs: Vec::new(),
            parents: Vec::new(),
            waiting: Vec::new(),
            open: Default::default(),
            turns: [0; 2],
            closest: None,
            effort: Effort::default(),
            spare: spare(budget),
            pace: Pace::new(budget),
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
    ) -> Result<Option<Found<S::Move>>, Limit> {
        if self.registry.is_empty() {
            let start = self.space.start();
            if let Some(goal) = self.visit(advisor, &start, 0, 0, below)? {
                return Ok(Some(self.plan(goal)));
            }
        }
        while let Some((parent, mv)) = self.pop() {
            self.pace.tick(self.budget, || Progress {
                phase: "lazy",
                depth: self.closest.unwrap_or(0),
                expanded: self.effort.expanded,
                stored: self.effort.stored,
                at_least: self.at_least,
                best: (below != u32::MAX).then_some(below),
                ..Progress::default()
            })?;
            let before = self.space.unpack(self.registry.state(StateId(parent)));
            let cost = self.costs[parent as usize].saturating_add(self.space.cost(&before, mv));
            if cost >= below {
                continue;
            }
            let state = self.space.apply(&before, mv);
            self.effort.generated += 1;
            if let Some(goal) = self.visit(advisor, &state, parent, cost, below)? {
                return Ok(Some(self.plan(goal)));
            }
        }
        Ok(None)
    }

    /// Takes up a state that is new, or that was dearer so far; gives it back if it is a goal.
    fn visit(
        &mut self,
        advisor: &mut impl Advisor<S>,
        state: &S::State,
        parent: u32,
        cost: u32,
        below: u32,
    ) -> Result<Option<StateId>, Limit> {
        self.space.pack(state, &mut self.packed);
        self.registry.make_room(1, self.spare, self.budget)?;
        let (id, new) = self.registry.insert(&self.packed);
        if new {
            self.costs.push(cost);
            self.parents.push(parent);
            self.effort.stored += 1;
        } else {
            // The first plan may come by any way; after it, the cheaper way counts.
            let known = self.costs[id.index()];
            if cost >= known || below == u32::MAX {
                return Ok(None);
            }
            self.costs[id.index()] = cost;
            self.parents[id.index()] = parent;
        }
        if self.space.is_goal(state) {
            return Ok(Some(id));
        }
        self.preferred.clear();
        let Some(estimate) = advisor.advise(state, &mut self.preferred) else {
            return Ok(None);
        };
        if self.closest.is_none_or(|closest| estimate < closest) {
            self.closest = Some(estimate);
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

    /// From the queue that has had fewer turns.
    fn pop(&mut self) -> Option<(u32, S::Move)> {
        let second = !self.open[1].is_empty() && self.turns[1] <= self.turns[0];
        let queue = usize::from(second);
        self.turns[queue] += 1;
        let (.., item) = self.open[queue].pop()?;
        Some(self.waiting[item as usize])
    }

    fn plan(&self, goal: StateId) -> Found<S::Move> {
        let parent = |id: StateId| (id.0 != 0).then(|| StateId(self.parents[id.index()]));
        let way = plan::way(goal, parent);
        plan::along(self.space, way.iter().map(|&id| self.registry.state(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers up to 40, to which one adds 1, 5 or 7 at a cost, or takes half of away; some are forbidden.
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

    /// Prefers large steps, which are dear.
    struct Hasty;

    impl Advisor<Numbers> for Hasty {
        fn advise(&mut self, state: &u32, preferred: &mut Vec<u32>) -> Option<u32> {
            preferred.push(7);
            Some(37u32.abs_diff(*state) * 3)
        }
    }

    #[test]
    fn plans_become_better_until_one_is_proven_best() {
        let blind = || ployglot_base::Blind;
        let exact = crate::astar::astar(&Numbers, &blind, &Budget::unlimited())
            .outcome
            .cost();
        let mut told = Vec::new();
        let mut tell = |found: &Found<u32>| told.push(found.cost);
        let report = lazy(
            &Numbers,
            &mut Hasty,
            0,
            true,
            &Budget::unlimited(),
            &mut tell,
        );
        assert!(
            matches!(report.outcome, Outcome::Optimal { .. }),
            "{report:?}"
        );
        assert_eq!(report.outcome.cost(), exact);
        assert!(
            told.len() > 1 && told.is_sorted_by(|a, b| a > b),
            "{told:?}"
        );
        let first = lazy(
            &Numbers,
            &mut Hasty,
            0,
            false,
            &Budget::unlimited(),
            &mut |_| (),
        );
        assert_eq!(first.outcome.cost(), told.first().copied());
        assert!(matches!(
            first.outcome,
            Outcome::Feasible {
                why: Limit::Incomplete,
                ..
            }
        ));
    }

    /// A space without a goal within reach.
    struct Nowhere;

    impl Advisor<Numbers> for Nowhere {
        fn advise(&mut self, state: &u32, _: &mut Vec<u32>) -> Option<u32> {
            (*state < 20).then_some(1)
        }
    }

    #[test]
    fn an_advisor_who_sees_dead_ends_proves_that_there_is_no_plan() {
        let report = lazy(
            &Numbers,
            &mut Nowhere,
            0,
            true,
            &Budget::unlimited(),
            &mut |_| (),
        );
        assert_eq!(report.outcome, Outcome::Unsolvable);
    }
}
