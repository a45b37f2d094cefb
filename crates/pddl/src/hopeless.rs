//! Operators that no plan has: they are never applicable, or there is no plan after them.
//!
//! Two facts of a mutex group never hold together, so an operator that needs both is never applicable.
//! A fact is hopeless if there is no plan from any state in which it holds. That is shown as follows: while
//! it holds, the other facts of its mutex groups do not. Of these, all facts stay false for which every
//! operator that adds one of them needs one of them. If the goal needs one of them, it is never reached. An
//! operator that adds a hopeless fact in any case is in no plan.
//!
//! In Parking, a car may move behind itself by the text of the domain, and then never moves again. In the
//! relaxed task that was the cheapest way to leave a curb, so that the estimates were misleading: the greedy
//! search had no plan of the first problem of 2011 in 6 CPU seconds, and then had one in 1.05.

use ployglot_base::{Limit, Poll};

use crate::circuit::{FactId, TRUE};
use crate::invariants::Implied;
use crate::lists::Lists;
use crate::task::Task;

/// The conditions that are looked at before the search for hopeless facts ends: some tenths of a second.
const MAX_WORK: u64 = 50_000_000;

/// For each operator, whether no plan has it. Not all such operators are found.
pub(crate) fn hopeless_operators(task: &Task, poll: &Poll) -> Result<Vec<bool>, Limit> {
    let mut hopeless = Vec::with_capacity(task.operators.len());
    // One action for each effect that adds facts.
    let (mut operators, mut conditions, mut adds) = (Vec::new(), Vec::new(), Vec::new());
    for (at, operator) in (0u32..).zip(&task.operators) {
        poll.try_step()?;
        let precondition = Implied::of(task, operator.precondition);
        let never = precondition.never || excludes_itself(task, &precondition.positive);
        hopeless.push(never);
        if never {
            continue;
        }
        for effect in &operator.effects {
            let condition = Implied::of(task, effect.condition);
            let needed = precondition.positive.iter().chain(&condition.positive);
            operators.push(at);
            conditions.push(needed.map(|fact| fact.0).collect::<Vec<u32>>());
            adds.push(effect.adds.iter().map(|fact| fact.0).collect::<Vec<u32>>());
        }
    }
    let mut is_goal = vec![false; task.facts.len()];
    for fact in Implied::of(task, task.goal).positive {
        is_goal[fact.0 as usize] = true;
    }
    let conditions: Lists<u32> = conditions.into_iter().collect();
    let adds: Lists<u32> = adds.into_iter().collect();
    let mut search = HopelessFacts {
        task,
        is_goal,
        readers: inverse(task.facts.len(), &conditions),
        achievers: inverse(task.facts.len(), &adds),
        operators,
        conditions,
        adds,
        hopeless,
        stuck: vec![false; task.facts.len()],
        stuck_goals: 0,
        work: 0,
    };
    search.run(poll)?;
    Ok(search.hopeless)
}

/// Whether two of the facts are in one mutex group.
fn excludes_itself(task: &Task, facts: &[FactId]) -> bool {
    facts.iter().enumerate().any(|(at, &one)| {
        let groups = task.groups_of(one);
        let mut others = facts[..at].iter();
        others.any(|&other| {
            let shared = |group: &u32| groups.contains(group);
            other != one && task.groups_of(other).iter().any(shared)
        })
    })
}

/// For each fact, the lists that have it.
fn inverse(facts: usize, lists: &Lists<u32>) -> Lists<u32> {
    let pairs = (0..lists.len() as u32).flat_map(|list| {
        let items = lists.of(list).iter();
        items.map(move |&item| (item, list))
    });
    Lists::sorted(facts, pairs)
}

struct HopelessFacts<'a> {
    task: &'a Task,
    /// For each fact, whether the goal needs it.
    is_goal: Vec<bool>,
    /// For each action, its operator, the facts that it needs, and those that it adds.
    operators: Vec<u32>,
    conditions: Lists<u32>,
    adds: Lists<u32>,
    /// For each fact, the actions that need it, and those that add it.
    readers: Lists<u32>,
    achievers: Lists<u32>,
    /// For each operator, whether no plan has it.
    hopeless: Vec<bool>,
    /// For each fact, whether it is false and may stay so.
    stuck: Vec<bool>,
    /// The number of stuck facts that the goal needs.
    stuck_goals: usize,
    work: u64,
}

impl HopelessFacts<'_> {
    /// Finds hopeless facts, until there are no more.
    fn run(&mut self, poll: &Poll) -> Result<(), Limit> {
        let mut known = vec![false; self.task.facts.len()];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for fact in (0..self.task.facts.len() as u32).map(FactId) {
                poll.try_step()?;
                if self.work > MAX_WORK {
                    return Ok(());
                }
                if known[fact.0 as usize] || !self.is_hopeless(fact) {
                    continue;
                }
                known[fact.0 as usize] = true;
                changed |= self.drop_achievers(fact);
            }
        }
        Ok(())
    }

    /// The operators that add the fact in any case are in no plan. Whether that is new of one.
    fn drop_achievers(&mut self, fact: FactId) -> bool {
        let mut new = false;
        for &action in self.achievers.of(fact.0) {
            let operator = self.operators[action as usize] as usize;
            let mut effects = self.task.operators[operator].effects.iter();
            if effects.any(|effect| effect.condition == TRUE && effect.adds.contains(&fact)) {
                new |= !std::mem::replace(&mut self.hopeless[operator], true);
            }
        }
        new
    }

    /// Whether it is shown that there is no plan from a state with this fact.
    fn is_hopeless(&mut self, fact: FactId) -> bool {
        let task = self.task;
        let groups = task.groups_of(fact).iter();
        let mut false_facts: Vec<u32> = groups
            .flat_map(|&group| task.groups[group as usize].iter())
            .filter(|&&other| other != fact)
            .map(|other| other.0)
            .collect();
        false_facts.sort_unstable();
        false_facts.dedup();
        self.work += false_facts.len() as u64;
        for &other in &false_facts {
            self.stuck[other as usize] = true;
            self.stuck_goals += usize::from(self.is_goal[other as usize]);
        }
        let mut regained = Vec::new();
        for &other in &false_facts {
            if self.stuck_goals == 0 {
                break;
            }
            if self.stuck[other as usize] && self.is_achieved(other) {
                self.regain(other, &mut regained);
            }
        }
        while let Some(fact) = regained.pop().filter(|_| self.stuck_goals > 0) {
            for at in 0..self.readers.of(fact).len() {
                let action = self.readers.of(fact)[at];
                self.work += 1;
                let mut added = self.adds.of(action).iter();
                if added.any(|&added| self.stuck[added as usize]) && self.is_open(action) {
                    for at in 0..self.adds.of(action).len() {
                        self.regain(self.adds.of(action)[at], &mut regained);
                    }
                }
            }
        }
        let hopeless = self.stuck_goals > 0;
        for other in false_facts {
            self.stuck[other as usize] = false;
        }
        self.stuck_goals = 0;
        hopeless
    }

    /// The fact may become true again.
    fn regain(&mut self, fact: u32, regained: &mut Vec<u32>) {
        if std::mem::take(&mut self.stuck[fact as usize]) {
            self.stuck_goals -= usize::from(self.is_goal[fact as usize]);
            regained.push(fact);
        }
    }

    /// Whether an action that needs no stuck fact adds the fact.
    fn is_achieved(&mut self, fact: u32) -> bool {
        let achievers = self.achievers.of(fact);
        let found = achievers.iter().position(|&action| self.is_open(action));
        self.work += found.unwrap_or(achievers.len()) as u64;
        found.is_some()
    }

    /// Whether an action may be in a plan and needs no stuck fact.
    fn is_open(&self, action: u32) -> bool {
        let mut needed = self.conditions.of(action).iter();
        !self.hopeless[self.operators[action as usize] as usize]
            && needed.all(|&fact| !self.stuck[fact as usize])
    }
}
