//! Lazy best-first search with several estimates and preferred moves: a plan soon, then better ones
//! (Richter and Westphal 2010).
//!
//! Expensive estimates are computed once for each state that is expanded, not once for each that is
//! generated: a successor waits in the open lists under its parent's estimates, corrected by what can be
//! seen from the move alone. Each estimate has
//! two open lists, one of all successors and one of the successors by preferred moves. The lists
//! take turns. Whenever the least value of some estimate so far decreases, the lists of preferred
//! moves get a thousand turns in addition. Of several items with the least key, the one that has
//! waited longest comes first.
//!
//! The search is a sequence of rounds, each from the start. The first finds a plan by the estimates
//! alone. Later ones add the cost so far, at decreasing weights of the estimates, and prune states
//! that cannot lead to a cheaper plan than the best. The last round runs to the end: if no state is
//! left, the plan is proven optimal, however bad the estimates were. Without a limit, every search
//! ends with that proof.

use std::collections::{BTreeMap, VecDeque};

use ployglot_base::{Budget, Effort, Limit, Progress, Report, Space};

use crate::plan::{self, FoundPlan};
use crate::registry::{Registry, StateId, spare};
use crate::search_tree::SearchTree;
use crate::throttle::Throttle;

/// Several estimates, with preferred moves.
pub trait Advisor<S: Space + ?Sized> {
    /// The number of estimates in this round; at least 1.
    fn estimates(&self) -> usize;

    /// The lists of an estimate have one turn in this many of those of the others.
    fn period(&self, _estimate: usize) -> u32 {
        1
    }

    /// A round begins: all states are forgotten.
    fn restart(&mut self, round: Round);

    /// A state was reached by a path, for the first time or again. Ids are 0, 1, 2, … in the order in
    /// which states are reached first.
    fn reach(&mut self, state: &S::State, id: StateId, parent: Option<StateId>);

    /// Writes the estimates of the distance from a state that was reached to a goal. False: there is
    /// certainly no plan from here.
    fn estimate(&mut self, state: &S::State, id: StateId, estimates: &mut [u32]) -> bool;

    /// False: no plan has this move.
    fn allows(&self, _mv: S::Move) -> bool {
        true
    }

    /// Changes the estimates of the state that `estimate` was last called for to better ones of the state
    /// after a move, without looking at that state.
    fn look_ahead(&self, _mv: S::Move, _estimates: &mut [u32]) {}

    /// Whether a move is preferred in the state that `estimate` was last called for.
    fn prefers(&self, mv: S::Move) -> bool;

    /// A state that has a plan where this one does, and is the same for many such states. Of these,
    /// only the first is expanded while the cost so far does not count. `None`: this state itself.
    fn representative(&self, _state: &S::State) -> Option<S::State> {
        None
    }
}

/// What estimates count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// The number of moves.
    Moves,
    /// The cost of moves, and their number, so that moves without a cost count too.
    Costs,
}

/// One search from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// What the estimates count.
    pub counts: Counts,
    /// The weight of the estimates, to which the cost so far is added; `None`: the cost so far does
    /// not count.
    pub weight: Option<u32>,
}

impl Round {
    /// The rounds of LAMA: the first plan, without regard to costs; then, if the costs of moves
    /// differ, one with regard to them; then the cost so far counts more and more.
    pub fn sequence(costs_differ: bool) -> Vec<Round> {
        let (counts, weight) = (Counts::Moves, None);
        let mut rounds = vec![Round { counts, weight }];
        if costs_differ {
            let counts = Counts::Costs;
            rounds.push(Round { counts, weight });
        }
        let counts = if costs_differ {
            Counts::Costs
        } else {
            Counts::Moves
        };
        rounds.extend([5, 3, 2, 1].map(|weight| Round {
            counts,
            weight: Some(weight),
        }));
        rounds
    }
}

/// The additional turns of the preferred moves after progress.
const BOOST: i64 = 1000;

/// Searches until a plan is proven optimal, or, without `improve`, until there is one. Calls
/// `on_plan` for each plan that is cheaper than those before it. `at_least` is a known lower bound
/// on the cost of all plans.
pub fn lazy<S: Space>(
    space: &S,
    advisor: &mut impl Advisor<S>,
    rounds: &[Round],
    at_least: u32,
    improve: bool,
    budget: &Budget,
    on_plan: &mut dyn FnMut(&FoundPlan<S::Move>),
) -> Report<S::Move> {
    let mut best: Option<FoundPlan<S::Move>> = None;
    let mut effort = Effort::default();
    let mut why = Limit::Incomplete;
    for (number, &round) in rounds.iter().enumerate() {
        advisor.restart(round);
        let is_last = number + 1 == rounds.len();
        let mut search = RoundSearch::new(space, round, advisor.estimates(), at_least, budget);
        for (estimate, period) in search.periods.iter_mut().enumerate() {
            *period = i64::from(advisor.period(estimate));
        }
        let ended = loop {
            let below = best.as_ref().map_or(u32::MAX, |best| best.cost);
            match search.run(advisor, below) {
                Ok(Some(found)) => {
                    on_plan(&found);
                    let done = !improve || found.cost <= at_least;
                    best = Some(found);
                    if done {
                        break Err(Limit::Incomplete);
                    }
                    // The last round is not ended by a plan.
                    if !is_last {
                        break Ok(());
                    }
                }
                // Where states are not reopened, a cheaper plan may have been missed.
                Ok(None) if best.is_some() && round.weight.is_none() => break Ok(()),
                Ok(None) => {
                    effort += search.effort;
                    return Report {
                        outcome: plan::proven(best, at_least),
                        effort,
                    };
                }
                Err(limit) => break Err(limit),
            }
        };
        effort += search.effort;
        if let Err(limit) = ended {
            why = limit;
            break;
        }
    }
    Report {
        outcome: plan::outcome(best, at_least, why),
        effort,
    }
}

/// An open list: the least key first, then first in, first out.
#[derive(Default)]
struct OpenList {
    by_key: BTreeMap<u32, VecDeque<u32>>,
}

impl OpenList {
    fn push(&mut self, key: u32, item: u32) {
        self.by_key.entry(key).or_default().push_back(item);
    }

    fn pop(&mut self) -> Option<u32> {
        let mut least = self.by_key.first_entry()?;
        let item = least.get_mut().pop_front();
        if least.get().is_empty() {
            least.remove();
        }
        item
    }
}

/// The search of one round.
struct RoundSearch<'a, S: Space> {
    space: &'a S,
    budget: &'a Budget,
    weight: Option<u32>,
    at_least: u32,
    tree: SearchTree,
    /// The representatives of all states, where they are not the states themselves.
    representatives: Registry,
    /// The cost at which each state was reached.
    costs: Vec<u32>,
    /// Moves that have not been tried, each with the state that it starts from.
    waiting: Vec<(u32, S::Move)>,
    /// For each estimate, indices of all waiting moves, and of the preferred ones.
    open: Vec<[OpenList; 2]>,
    /// How many turns each open list has had.
    turns: Vec<[i64; 2]>,
    /// The least value of each estimate.
    least: Vec<u32>,
    estimates: Vec<u32>,
    /// The estimates of a state after a move.
    ahead: Vec<u32>,
    /// For each estimate, what a turn of its lists counts.
    periods: Vec<i64>,
    effort: Effort,
    spare: u64,
    throttle: Throttle,
    packed: Vec<u64>,
    moves: Vec<S::Move>,
}

impl<'a, S: Space> RoundSearch<'a, S> {
    fn new(
        space: &'a S,
        round: Round,
        estimates: usize,
        at_least: u32,
        budget: &'a Budget,
    ) -> Self {
        Self {
            space,
            budget,
            weight: round.weight,
            at_least,
            tree: SearchTree::new(space.words()),
            representatives: Registry::new(space.words()),
            costs: Vec::new(),
            waiting: Vec::new(),
            open: std::iter::repeat_with(Default::default)
                .take(estimates)
                .collect(),
            turns: vec![[0; 2]; estimates],
            least: vec![u32::MAX; estimates],
            estimates: vec![0; estimates],
            ahead: vec![0; estimates],
            periods: vec![1; estimates],
            effort: Effort::default(),
            spare: spare(budget),
            throttle: Throttle::new(budget),
            packed: vec![0; space.words()],
            moves: Vec::new(),
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
            if let Some(goal) = self.visit(advisor, &start, None, 0)? {
                return Ok(Some(self.tree.plan_to(self.space, goal)));
            }
        }
        while let Some((parent, mv)) = self.pop() {
            self.throttle.tick(self.budget, || Progress {
                phase: "lazy",
                depth: self.least[0],
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
            if let Some(goal) = self.visit(advisor, &state, Some(StateId(parent)), cost)? {
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
        parent: Option<StateId>,
        cost: u32,
    ) -> Result<Option<StateId>, Limit> {
        if self.weight.is_none()
            && let Some(representative) = advisor.representative(state)
        {
            self.space.pack(&representative, &mut self.packed);
            self.representatives.make_room(1, self.spare, self.budget)?;
            if !self.representatives.insert(&self.packed).1 {
                return Ok(None);
            }
        }
        self.space.pack(state, &mut self.packed);
        let SearchTree { registry, parents } = &mut self.tree;
        registry.make_room(1, self.spare, self.budget)?;
        let (id, new) = registry.insert(&self.packed);
        advisor.reach(state, id, parent);
        let from = parent.map_or(0, |parent| parent.0);
        if new {
            self.costs.push(cost);
            parents.push(from);
            self.effort.stored += 1;
        } else {
            // Where the cost so far does not count, a cheaper path does not either.
            if cost >= self.costs[id.index()] || self.weight.is_none() {
                return Ok(None);
            }
            self.costs[id.index()] = cost;
            parents[id.index()] = from;
        }
        if self.space.is_goal(state) {
            return Ok(Some(id));
        }
        if !advisor.estimate(state, id, &mut self.estimates) {
            return Ok(None);
        }
        let mut progress = false;
        for (least, &estimate) in self.least.iter_mut().zip(&self.estimates) {
            progress |= estimate < *least;
            *least = estimate.min(*least);
        }
        if progress {
            self.turns.iter_mut().for_each(|turns| turns[1] -= BOOST);
        }
        self.moves.clear();
        self.space.moves(state, &mut self.moves);
        self.moves.retain(|&mv| advisor.allows(mv));
        self.effort.expanded += 1;
        let waiting = self.waiting.len() + self.moves.len();
        if waiting > self.waiting.capacity() {
            let bytes = 2 * (waiting * size_of::<(u32, S::Move)>()) as u64;
            if waiting >= u32::MAX as usize || !self.budget.affords(bytes) {
                return Err(Limit::Memory);
            }
        }
        for &mv in &self.moves {
            let item = self.waiting.len() as u32;
            self.waiting.push((id.0, mv));
            let preferred = advisor.prefers(mv);
            self.ahead.copy_from_slice(&self.estimates);
            advisor.look_ahead(mv, &mut self.ahead);
            for (open, &estimate) in self.open.iter_mut().zip(&self.ahead) {
                let key = match self.weight {
                    None => estimate,
                    Some(weight) => cost.saturating_add(estimate.saturating_mul(weight)),
                };
                open[0].push(key, item);
                if preferred {
                    open[1].push(key, item);
                }
            }
        }
        Ok(None)
    }

    /// The next move from the open list that has had the fewest turns, of those that are not empty.
    fn pop(&mut self) -> Option<(u32, S::Move)> {
        let lists = (0..self.open.len()).flat_map(|estimate| [(estimate, 0), (estimate, 1)]);
        let filled = lists.filter(|&(estimate, kind)| !self.open[estimate][kind].by_key.is_empty());
        let (estimate, kind) = filled.min_by_key(|&(estimate, kind)| self.turns[estimate][kind])?;
        self.turns[estimate][kind] += self.periods[estimate];
        let item = self.open[estimate][kind].pop()?;
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
        fn estimates(&self) -> usize {
            2
        }

        fn restart(&mut self, _: Round) {}

        fn reach(&mut self, _: &u32, _: StateId, _: Option<StateId>) {}

        fn estimate(&mut self, state: &u32, _: StateId, estimates: &mut [u32]) -> bool {
            let distance = 37u32.abs_diff(*state);
            estimates.copy_from_slice(&[distance * 3, distance / 7]);
            true
        }

        fn prefers(&self, mv: u32) -> bool {
            mv == 7
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
            &Round::sequence(true),
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
            &Round::sequence(true),
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
        fn estimates(&self) -> usize {
            1
        }

        fn restart(&mut self, _: Round) {}

        fn reach(&mut self, _: &u32, _: StateId, _: Option<StateId>) {}

        fn estimate(&mut self, state: &u32, _: StateId, estimates: &mut [u32]) -> bool {
            estimates[0] = 1;
            *state < 20
        }

        fn prefers(&self, _: u32) -> bool {
            false
        }
    }

    #[test]
    fn if_all_paths_lead_to_dead_ends_there_is_no_plan() {
        let report = lazy(
            &Numbers,
            &mut DeadEnds,
            &Round::sequence(false),
            0,
            true,
            &Budget::unlimited(),
            &mut |_| (),
        );
        assert_eq!(report.outcome, Outcome::Unsolvable);
    }
}
