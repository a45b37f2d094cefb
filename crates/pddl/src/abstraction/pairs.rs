//! Which two literals may hold together: the reachability part of h² (Haslum and Geffner 2000), by
//! rows of bits.
//!
//! A literal is that a fact holds, or that it does not. Pairs of the start are reachable; and where
//! an operator's condition is reachable, so is each of its effects together with each other effect
//! and with each literal that is compatible with the condition and that the operator does not
//! contradict. A pair that is not reachable never holds in a reachable state of the task: more than
//! mutex groups say, for example that a piece that the path has not reached is not turned yet.
//!
//! Conditional effects may fire or not, and of other conditions only the literals that they imply
//! are used (`Implied`), so more counts as reachable than is.
//!
//! The same backward (Alcázar and Torralba 2015): pairs of goal states lead to the goal; and where what
//! holds after an operator leads to the goal, so does each literal that it makes false together with each other
//! one that may hold before it. What is found in one direction narrows the other one (`Pairs::useful`):
//! the pairs that are left include all that occur in a state of a plan.

use ployglot_base::{Limit, Poll};

use crate::circuit::{FactId, TRUE};
use crate::invariants::Implied;
use crate::task::{Operator, Task};

/// `2 * fact` that it holds, `2 * fact + 1` that it does not.
pub(crate) type Literal = u32;

/// Pairs of literals that may hold together.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Pairs {
    /// Words of a row.
    words: usize,
    /// For each literal, the literals that may hold together with it.
    rows: Vec<u64>,
}

/// Tasks with more facts get no pairs.
const MAX_FACTS: usize = 8_000;
/// The work, in words, after which it is given up.
const MAX_WORK: usize = 500_000_000;

/// Directions that are searched at most.
const MAX_ROUNDS: usize = 6;

/// One effect of an operator, with what it needs and what is true after it. Backward, what holds before the
/// operator is made from what holds after it.
struct Rule {
    needs: Vec<Literal>,
    effects: Vec<Literal>,
    /// All literals that some effect of the operator makes true.
    beside: Vec<Literal>,
    /// The literals that do not survive the operator.
    lost: Vec<Literal>,
    /// Backward, what the operator's precondition needs; what is not compatible with it is lost too.
    before: Option<Vec<Literal>>,
    /// The number of changes when the rule was last applied.
    applied: usize,
}

/// The literals that a condition implies.
pub(crate) fn literals(implied: &Implied) -> Vec<Literal> {
    let positive = implied.positive.iter().map(|fact| fact.0 * 2);
    let negative = implied.negative.iter().map(|fact| fact.0 * 2 + 1);
    positive.chain(negative).collect()
}

impl Pairs {
    /// The pairs of reachable states. `None` where the task is too large.
    pub fn new(task: &Task, poll: &Poll) -> Result<Option<Self>, Limit> {
        if task.facts.len() > MAX_FACTS {
            return Ok(None);
        }
        Self::forward(task, None, &mut 0, poll)
    }

    /// The pairs that may hold in a state of a plan. `None` where the task is too large.
    pub fn useful(task: &Task, poll: &Poll) -> Result<Option<Self>, Limit> {
        let Some(mut pairs) = Self::new(task, poll)? else {
            return Ok(None);
        };
        // The mutex groups may know more.
        for group in &task.groups {
            for (at, one) in group.iter().enumerate() {
                poll.try_step()?;
                for other in &group[..at] {
                    pairs.remove(one.0 * 2, other.0 * 2);
                }
            }
        }
        let mut work = 0;
        for round in 0..MAX_ROUNDS {
            let narrower = match round % 2 == 0 {
                true => Self::backward(task, &pairs, &mut work, poll)?,
                false => Self::forward(task, Some(&pairs), &mut work, poll)?,
            };
            match narrower {
                Some(narrower) if narrower != pairs => pairs = narrower,
                _ => break,
            }
        }
        Ok(Some(pairs))
    }

    /// The pairs of states that the start leads to; if some are allowed, by states that have no others.
    /// `None`: it took too much work.
    fn forward(
        task: &Task,
        allowed: Option<&Pairs>,
        work: &mut usize,
        poll: &Poll,
    ) -> Result<Option<Self>, Limit> {
        let mut pairs = Self::none(task);
        let mut start = vec![0; pairs.words];
        for fact in 0..task.facts.len() {
            let holds = task.starts_with(FactId(fact as u32));
            set(&mut start, fact as u32 * 2 + u32::from(!holds));
        }
        for literal in ones(&start).collect::<Vec<_>>() {
            pairs.row_mut(literal).copy_from_slice(&start);
        }
        let rules = rules(task, poll)?;
        pairs.close(rules, allowed, work, poll)
    }

    /// The pairs of states that lead to the goal by states that have only allowed pairs. `None`: it took
    /// too much work.
    fn backward(
        task: &Task,
        allowed: &Pairs,
        work: &mut usize,
        poll: &Poll,
    ) -> Result<Option<Self>, Limit> {
        let mut pairs = Self::none(task);
        let goal = Implied::of(task, task.goal);
        if let Some(goal) = allowed.compatible(&literals(&goal)).filter(|_| !goal.never) {
            for literal in ones(&goal) {
                let row = allowed.row(literal).iter().zip(&goal);
                let both: Vec<u64> = row.map(|(row, goal)| row & goal).collect();
                pairs.row_mut(literal).copy_from_slice(&both);
            }
        }
        let rules = backward_rules(task, allowed, poll)?;
        pairs.close(rules, Some(allowed), work, poll)
    }

    fn none(task: &Task) -> Self {
        let count = task.facts.len() * 2;
        let words = count.div_ceil(64);
        Self {
            words,
            rows: vec![0; count * words],
        }
    }

    /// Applies the rules until nothing changes.
    fn close(
        mut self,
        mut rules: Vec<Rule>,
        allowed: Option<&Pairs>,
        work: &mut usize,
        poll: &Poll,
    ) -> Result<Option<Self>, Limit> {
        // For each literal, the number of changes when its row last changed.
        let mut changed = vec![1usize; self.rows.len() / self.words.max(1)];
        let mut changes = 1;
        loop {
            let before = changes;
            for rule in &mut rules {
                poll.try_step()?;
                let newest = rule.needs.iter().map(|&need| changed[need as usize]).max();
                if newest.unwrap_or(changes) <= rule.applied {
                    continue;
                }
                rule.applied = changes;
                *work += self.words * (rule.needs.len() + rule.effects.len() + 1);
                if *work > MAX_WORK {
                    return Ok(None);
                }
                self.apply(rule, allowed, &mut changed, &mut changes);
            }
            if changes == before {
                return Ok(Some(self));
            }
        }
    }

    /// These two never hold together.
    fn remove(&mut self, one: Literal, other: Literal) {
        for (one, other) in [(one, other), (other, one)] {
            self.row_mut(one)[other as usize / 64] &= !(1 << (other % 64));
        }
    }

    fn row(&self, literal: Literal) -> &[u64] {
        let first = literal as usize * self.words;
        &self.rows[first..first + self.words]
    }

    fn row_mut(&mut self, literal: Literal) -> &mut [u64] {
        let first = literal as usize * self.words;
        &mut self.rows[first..first + self.words]
    }

    /// The literals that may hold where all of these do; `None` where they cannot hold together.
    pub fn compatible(&self, literals: &[Literal]) -> Option<Vec<u64>> {
        let mut all = match literals.split_first() {
            Some((first, _)) => self.row(*first).to_vec(),
            None => {
                let mut all = vec![0; self.words];
                let reachable = |&literal: &Literal| has(self.row(literal), literal);
                let count = (self.rows.len() / self.words.max(1)) as Literal;
                (0..count)
                    .filter(reachable)
                    .for_each(|literal| set(&mut all, literal));
                all
            }
        };
        for &literal in literals.iter().skip(1) {
            let row = self.row(literal).iter();
            all.iter_mut().zip(row).for_each(|(all, row)| *all &= row);
        }
        literals
            .iter()
            .all(|&literal| has(&all, literal))
            .then_some(all)
    }

    fn apply(
        &mut self,
        rule: &Rule,
        allowed: Option<&Pairs>,
        changed: &mut [usize],
        changes: &mut usize,
    ) {
        let Some(mut after) = self.compatible(&rule.needs) else {
            return;
        };
        if let (Some(before), Some(allowed)) = (&rule.before, allowed) {
            let Some(before) = allowed.compatible(before) else {
                return;
            };
            let both = after.iter_mut().zip(before);
            both.for_each(|(after, before)| *after &= before);
        }
        rule.lost
            .iter()
            .for_each(|&literal| after[literal as usize / 64] &= !(1 << (literal % 64)));
        for &effect in &rule.effects {
            let mut with = after.clone();
            with[(effect ^ 1) as usize / 64] &= !(1 << ((effect ^ 1) % 64));
            let beside = rule.beside.iter().filter(|&&other| other != effect ^ 1);
            beside.for_each(|&other| set(&mut with, other));
            set(&mut with, effect);
            if let Some(allowed) = allowed {
                let both = with.iter_mut().zip(allowed.row(effect));
                both.for_each(|(with, allowed)| *with &= allowed);
            }
            let row = self.row_mut(effect);
            let mut new = false;
            for (with, row) in with.iter_mut().zip(row) {
                *with &= !*row;
                *row |= *with;
                new |= *with != 0;
            }
            if !new {
                continue;
            }
            *changes += 1;
            changed[effect as usize] = *changes;
            for other in ones(&with) {
                set(self.row_mut(other), effect);
                changed[other as usize] = *changes;
            }
        }
    }
}

/// The effects of all operators as rules.
fn rules(task: &Task, poll: &Poll) -> Result<Vec<Rule>, Limit> {
    let mut rules = Vec::new();
    for operator in &task.operators {
        poll.try_step()?;
        let precondition = Implied::of(task, operator.precondition);
        if precondition.never {
            continue;
        }
        let adds = |fact: &FactId| {
            operator
                .effects
                .iter()
                .any(|effect| effect.adds.contains(fact))
        };
        let made = |effect: &crate::task::GroundEffect| -> Vec<Literal> {
            let added = effect.adds.iter().map(|fact| fact.0 * 2);
            let deleted = effect.deletes.iter().map(|fact| fact.0 * 2 + 1);
            added.chain(deleted).collect()
        };
        let beside: Vec<Literal> = operator.effects.iter().flat_map(made).collect();
        let mut lost = Vec::new();
        for effect in operator
            .effects
            .iter()
            .filter(|effect| effect.condition == TRUE)
        {
            lost.extend(effect.adds.iter().map(|fact| fact.0 * 2 + 1));
            let deleted = effect.deletes.iter().filter(|fact| !adds(fact));
            lost.extend(deleted.map(|fact| fact.0 * 2));
        }
        for effect in &operator.effects {
            let condition = Implied::of(task, effect.condition);
            if condition.never {
                continue;
            }
            let mut needs = literals(&precondition);
            needs.extend(literals(&condition));
            needs.sort_unstable();
            needs.dedup();
            rules.push(Rule {
                needs,
                effects: made(effect),
                beside: beside.clone(),
                lost: lost.clone(),
                before: None,
                applied: 0,
            });
        }
    }
    Ok(rules)
}

/// The rules for the way back.
fn backward_rules(task: &Task, allowed: &Pairs, poll: &Poll) -> Result<Vec<Rule>, Limit> {
    let mut rules = Vec::new();
    for operator in &task.operators {
        poll.try_step()?;
        let Some(sides) = Sides::of(task, operator) else {
            continue;
        };
        let Some(before) = allowed.compatible(&sides.before) else {
            continue;
        };
        let lost = sides.made.iter().map(|made| made ^ 1);
        let effects: Vec<Literal> = lost.filter(|&lost| has(&before, lost)).collect();
        rules.push(Rule {
            needs: sides.after,
            beside: effects.clone(),
            effects,
            lost: Vec::new(),
            before: Some(sides.before),
            applied: 0,
        });
    }
    Ok(rules)
}

/// What is known about the states on both sides of an operator.
pub(crate) struct Sides {
    /// Literals that hold before it, and after it.
    pub before: Vec<Literal>,
    pub after: Vec<Literal>,
    /// Literals that one of its effects makes true.
    made: Vec<Literal>,
}

impl Sides {
    /// `None`: the operator is never applicable.
    pub fn of(task: &Task, operator: &Operator) -> Option<Self> {
        let precondition = Implied::of(task, operator.precondition);
        if precondition.never {
            return None;
        }
        let before = literals(&precondition);
        let mut made = Vec::new();
        let mut after = Vec::new();
        let adds = |fact: &FactId| {
            let mut effects = operator.effects.iter();
            effects.any(|effect| effect.adds.contains(fact))
        };
        for effect in &operator.effects {
            let deleted = effect.deletes.iter().filter(|fact| !adds(fact));
            let certain = effect.adds.iter().map(|fact| fact.0 * 2);
            let certain = certain.chain(deleted.map(|fact| fact.0 * 2 + 1));
            if effect.condition == TRUE {
                after.extend(certain);
            }
            made.extend(effect.adds.iter().map(|fact| fact.0 * 2));
            made.extend(effect.deletes.iter().map(|fact| fact.0 * 2 + 1));
        }
        let kept = before
            .iter()
            .filter(|&&literal| !made.contains(&(literal ^ 1)));
        after.extend(kept);
        for list in [&mut after, &mut made] {
            list.sort_unstable();
            list.dedup();
        }
        Some(Self {
            before,
            after,
            made,
        })
    }
}

/// Whether the literal is in the set.
pub(crate) fn has(set: &[u64], literal: Literal) -> bool {
    set[literal as usize / 64] >> (literal % 64) & 1 == 1
}

fn set(bits: &mut [u64], literal: Literal) {
    bits[literal as usize / 64] |= 1 << (literal % 64);
}

fn ones(bits: &[u64]) -> impl Iterator<Item = Literal> + '_ {
    bits.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(at as Literal * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ployglot_base::{Budget, Space};
    use ployglot_testing::pddl::random_task;

    /// Every pair of literals of every reachable state of small random tasks is reachable.
    #[test]
    fn no_pair_of_a_reachable_state_is_missing() {
        let poll = Poll::new(&Budget::unlimited(), "test");
        let (mut missing, mut states) = (0, 0);
        for seed in 0..150 {
            let (domain, problem) = random_task(seed);
            let domain = crate::parse_domain(&domain).expect("a domain").value;
            let problem = crate::parse_problem(&problem, &domain)
                .expect("a problem")
                .value;
            let task = crate::ground_whole(&domain, &problem).expect("it can be grounded");
            let pairs = Pairs::new(&task, &poll)
                .expect("no limit")
                .expect("a small task");
            let mut seen = rustc_hash::FxHashSet::default();
            let mut open = vec![task.start()];
            while let Some(state) = open.pop() {
                if seen.len() > 300 || !seen.insert(state.clone()) {
                    continue;
                }
                let literal = |fact: u32| fact * 2 + u32::from(!state.holds(FactId(fact)));
                let all: Vec<Literal> = (0..task.facts.len() as u32).map(literal).collect();
                for &one in &all {
                    assert!(
                        all.iter().all(|&other| has(pairs.row(one), other)),
                        "seed {seed}"
                    );
                }
                let mut moves = Vec::new();
                task.moves(&state, &mut moves);
                open.extend(moves.iter().map(|&mv| task.apply(&state, mv)));
            }
            states += seen.len();
            // A fact and its negation never hold together, in any task.
            let facts = 0..task.facts.len() as u32;
            missing += facts
                .filter(|fact| !has(pairs.row(fact * 2), fact * 2 + 1))
                .count();
            assert!(
                (0..task.facts.len() as u32).all(|fact| !has(pairs.row(fact * 2), fact * 2 + 1))
            );
        }
        assert!(states > 1000 && missing > 100, "{states} {missing}");
    }

    /// Every pair of literals of every state of an optimal plan is useful, and some pairs are not.
    #[test]
    fn no_pair_of_a_plan_is_missing() {
        let poll = Poll::new(&Budget::unlimited(), "test");
        let (mut plans, mut fewer) = (0, 0);
        for seed in 0..300 {
            let (domain, problem) = random_task(seed);
            let domain = crate::parse_domain(&domain).expect("a domain").value;
            let problem = crate::parse_problem(&problem, &domain)
                .expect("a problem")
                .value;
            let task = crate::ground_whole(&domain, &problem).expect("it can be grounded");
            let useful = Pairs::useful(&task, &poll)
                .expect("no limit")
                .expect("a small task");
            let reachable = Pairs::new(&task, &poll)
                .expect("no limit")
                .expect("a small task");
            fewer += usize::from(useful != reachable);
            // Each state with the one before it; a state from which the goal is reached is in a plan.
            let mut states = vec![(task.start(), usize::MAX)];
            let mut seen: rustc_hash::FxHashSet<_> = [task.start()].into_iter().collect();
            let mut at = 0;
            while at < states.len() && at < 500 {
                let state = states[at].0.clone();
                if task.is_goal(&state) {
                    plans += 1;
                    let mut on_plan = at;
                    while let Some((state, before)) = states.get(on_plan) {
                        let literal = |fact: u32| fact * 2 + u32::from(!state.holds(FactId(fact)));
                        let all: Vec<Literal> = (0..task.facts.len() as u32).map(literal).collect();
                        let compatible = useful.compatible(&all);
                        assert!(compatible.is_some(), "seed {seed}");
                        on_plan = *before;
                    }
                }
                let mut moves = Vec::new();
                task.moves(&state, &mut moves);
                for mv in moves {
                    let after = task.apply(&state, mv);
                    if seen.insert(after.clone()) {
                        states.push((after, at));
                    }
                }
                at += 1;
            }
        }
        assert!(plans > 200 && fewer > 50, "{plans} {fewer}");
    }
}
