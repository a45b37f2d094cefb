//! Satisficing planning: a plan soon, then better ones. Lazy search by the FF estimate and the
//! landmark count, with the preferred operators of FF, as LAMA does it (Richter and Westphal 2010). A
//! successor waits under the landmark count of its parent, less the landmarks that the operator reaches
//! and plus those that it loses: so the count is that of the successor in most cases, without computing it.
//!
//! While the cost so far does not count, a third estimate leads away from plateaus: the novelty of a state
//! with respect to the landmark count. Its lists have one turn in twenty of the others': with as many as the
//! others, Woodworking's fifth problem of 2011 had no plan in 10 CPU seconds.

use ployglot_base::{Budget, Limit, Outcome, Report, Space};
use ployglot_pddl::estimates::{Ff, LandmarkCount, Novelty, RelaxedTask};
use ployglot_pddl::pruning::{Pruning, Prunings, Symmetries};
use ployglot_pddl::satplan::shorten;
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Compact, Task};
use ployglot_search::lazy::{Advisor, Counts, Round, lazy};
use ployglot_search::registry::StateId;

use crate::beside::CHECK;

/// The lists by novelty have one turn in this many.
const NOVELTY_PERIOD: u32 = 20;

/// How to search for plans.
pub(crate) struct LazyOptions<'a> {
    /// Without them, the FF estimate is used alone.
    pub landmarks: bool,
    /// Without this, the first plan ends the search.
    pub improve: bool,
    pub prunings: Prunings,
    /// A known lower bound on the cost of all plans.
    pub at_least: u32,
    /// The budget with the gate at which the search waits for its turns.
    pub turns: Option<&'a Budget>,
}

/// Lazy search that reports each better plan, without its redundant operators. `graph` is the
/// relaxation of the task.
pub(crate) fn lazy_search(
    task: &Task,
    graph: &RelaxedTask,
    options: LazyOptions,
    budget: &Budget,
    report_plan: &mut dyn FnMut(&[OperatorId], u32),
) -> Result<Report<OperatorId>, Limit> {
    let LazyOptions {
        improve, at_least, ..
    } = options;
    let space = Compact::plain(task, options.turns.unwrap_or(budget))?;
    let mut advisor = RelaxedAdvisor::new(task, graph, options, budget)?;
    // A shortened plan may be better than later plans of the search: report only improvements.
    let mut best: Option<(Vec<OperatorId>, u32)> = None;
    let mut shorten_and_report = |plan: &[OperatorId]| {
        let shortened = shorten(task, plan, budget);
        if task.cut_off().is_some() {
            return;
        }
        let (plan, cost) = shortened.expect("the plan of a search is applicable");
        if best.as_ref().is_none_or(|(_, least)| cost < *least) {
            report_plan(&plan, cost);
            best = Some((plan, cost));
        }
    };
    let rounds = Round::sequence(costs_differ(task));
    let report = lazy(
        &space,
        &mut advisor,
        &rounds,
        at_least,
        improve,
        budget,
        &mut |found| shorten_and_report(&found.plan),
    );
    let Some((best, least)) = best else {
        return Ok(report);
    };
    let shortened = Outcome::at_limit(Some((best, least)), at_least, Limit::Incomplete);
    let outcome = shortened.join(report.outcome);
    Ok(Report { outcome, ..report })
}

/// Whether some operators cost more than others.
fn costs_differ(task: &Task) -> bool {
    let costs: Vec<_> = task
        .operators
        .iter()
        .map(|operator| &operator.costs)
        .collect();
    costs.iter().any(|one| *one != costs[0])
}

/// The FF estimate, its preferred operators, the landmark count and the novelty.
struct RelaxedAdvisor<'a> {
    graph: &'a RelaxedTask,
    ff: Ff<'a>,
    /// `None` where there are no landmarks.
    landmarks: Option<LandmarkCount>,
    /// `None` where no objects are interchangeable.
    symmetries: Option<Symmetries>,
    novelty: Novelty,
    round: Round,
    /// For each operator, the number of the last state in which it was preferred.
    preferred: Vec<u64>,
    states: u64,
    /// The budget with the gate, and the work since it was passed.
    turns: Option<&'a Budget>,
    work: u64,
}

impl<'a> RelaxedAdvisor<'a> {
    fn new(
        task: &'a Task,
        graph: &'a RelaxedTask,
        options: LazyOptions<'a>,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        // What comes before the search waits for its turns, too: landmarks of a large task take seconds.
        let before_search = options.turns.unwrap_or(budget);
        let landmarks = match options.landmarks {
            true => Some(LandmarkCount::new(task, graph, before_search)?),
            false => None,
        };
        let symmetries = match options.prunings.has(Pruning::Symmetries) {
            true => Symmetries::within(task, before_search)?,
            false => None,
        };
        Ok(Self {
            graph,
            ff: Ff::new(task, graph, budget),
            landmarks: landmarks.filter(|landmarks| !landmarks.is_empty()),
            symmetries,
            novelty: Novelty::new(task),
            round: Round {
                counts: Counts::Moves,
                weight: None,
            },
            preferred: vec![0; task.operators.len()],
            states: 0,
            turns: options.turns,
            work: 0,
        })
    }

    /// Waits for the next turn after so much work. Work is counted, so that the same run has the same turns.
    fn wait_for_turn(&mut self) {
        let Some(turns) = self.turns else { return };
        // Landmarks, novelty and successors take about as long as the relaxed plan.
        self.work += 2 * self.ff.take_work();
        while self.work >= CHECK {
            self.work -= CHECK;
            // At a limit the search ends by its own budget.
            let _ = turns.check_quietly();
        }
    }
}

impl Advisor<Compact<'_>> for RelaxedAdvisor<'_> {
    fn estimates(&self) -> usize {
        // A rank of novelty cannot be added to a cost.
        let novelty = self.round.weight.is_none();
        1 + usize::from(self.landmarks.is_some()) + usize::from(novelty)
    }

    fn period(&self, estimate: usize) -> u32 {
        match estimate < 1 + usize::from(self.landmarks.is_some()) {
            true => 1,
            false => NOVELTY_PERIOD,
        }
    }

    fn restart(&mut self, round: Round) {
        self.round = round;
        self.novelty.forget_states();
        match round.counts {
            Counts::Moves => self.ff.count(|_| 1),
            Counts::Costs => self.ff.count(|cost| cost.saturating_add(1)),
        }
        if let Some(landmarks) = &mut self.landmarks {
            landmarks.forget_states();
        }
    }

    fn reach(&mut self, state: &<Task as Space>::State, id: StateId, parent: Option<StateId>) {
        if let Some(landmarks) = &mut self.landmarks {
            landmarks.reach(state, id.index(), parent.map(StateId::index));
        }
    }

    fn estimate(
        &mut self,
        state: &<Task as Space>::State,
        id: StateId,
        estimates: &mut [u32],
    ) -> bool {
        let plan = self.ff.relaxed_plan(state);
        self.wait_for_turn();
        let Some(plan) = plan else { return false };
        self.states += 1;
        for operator in &plan.operators {
            self.preferred[operator.0 as usize] = self.states;
        }
        let counts = self.round.counts;
        let total = |cost: u32, count: u32| match counts {
            Counts::Moves => count,
            Counts::Costs => cost.saturating_add(count),
        };
        estimates[0] = total(plan.cost, plan.operators.len() as u32);
        if let Some(landmarks) = &mut self.landmarks {
            let (cost, count) = landmarks.count(state, id.index());
            estimates[1] = total(cost, count);
        }
        if self.round.weight.is_none()
            && let [.., estimate, novelty] = estimates
        {
            *novelty = self.novelty.rank(state, *estimate);
        }
        true
    }

    fn allows(&self, mv: OperatorId) -> bool {
        !self.graph.is_hopeless(mv)
    }

    fn look_ahead(&self, mv: OperatorId, estimates: &mut [u32]) {
        if let Some(landmarks) = &self.landmarks {
            let change = landmarks.change(mv);
            let (reached, lost) = match self.round.counts {
                Counts::Moves => (change.reached, change.lost),
                Counts::Costs => (
                    change.reached_cost.saturating_add(change.reached),
                    change.lost_cost.saturating_add(change.lost),
                ),
            };
            estimates[1] = estimates[1].saturating_add(lost).saturating_sub(reached);
        }
    }

    fn prefers(&self, mv: OperatorId) -> bool {
        self.preferred[mv.0 as usize] == self.states
    }

    fn representative(&self, state: &<Task as Space>::State) -> Option<<Task as Space>::State> {
        let symmetries = self.symmetries.as_ref()?;
        Some(symmetries.representative(state))
    }
}
