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

use ployglot_base::{Limit, Poll};

use crate::circuit::{FactId, TRUE};
use crate::invariants::Implied;
use crate::task::Task;

/// `2 * fact` that it holds, `2 * fact + 1` that it does not.
pub(super) type Literal = u32;

/// The reachable pairs of literals.
pub(super) struct Pairs {
    /// Words of a row.
    words: usize,
    /// For each literal, the literals that may hold together with it.
    rows: Vec<u64>,
}

/// Tasks with more facts get no pairs.
const MAX_FACTS: usize = 8_000;
/// The work, in words, after which it is given up.
const MAX_WORK: usize = 500_000_000;

/// One effect of an operator, with what it needs and what is true after it.
struct Rule {
    needs: Vec<Literal>,
    effects: Vec<Literal>,
    /// All literals that some effect of the operator makes true.
    beside: Vec<Literal>,
    /// The literals that do not survive the operator.
    lost: Vec<Literal>,
    /// The number of changes when the rule was last applied.
    applied: usize,
}

/// The literals that a condition implies.
pub(super) fn literals(implied: &Implied) -> Vec<Literal> {
    let positive = implied.positive.iter().map(|fact| fact.0 * 2);
    let negative = implied.negative.iter().map(|fact| fact.0 * 2 + 1);
    positive.chain(negative).collect()
}

impl Pairs {
    /// `None` where the task is too large.
    pub fn new(task: &Task, poll: &Poll) -> Result<Option<Self>, Limit> {
        let count = task.facts.len() * 2;
        if task.facts.len() > MAX_FACTS {
            return Ok(None);
        }
        let words = count.div_ceil(64);
        let mut pairs = Self {
            words,
            rows: vec![0; count * words],
        };
        let mut start = vec![0; words];
        for fact in 0..task.facts.len() {
            let holds = task.starts_with(FactId(fact as u32));
            set(&mut start, fact as u32 * 2 + u32::from(!holds));
        }
        for literal in ones(&start).collect::<Vec<_>>() {
            pairs.row_mut(literal).copy_from_slice(&start);
        }
        let mut rules = rules(task, poll)?;
        // For each literal, the number of changes when its row last changed.
        let mut changed = vec![1usize; count];
        let mut changes = 1;
        let mut work = 0;
        loop {
            let before = changes;
            for rule in &mut rules {
                poll.try_step()?;
                let newest = rule.needs.iter().map(|&need| changed[need as usize]).max();
                if newest.unwrap_or(changes) <= rule.applied {
                    continue;
                }
                rule.applied = changes;
                work += words * (rule.needs.len() + rule.effects.len() + 1);
                if work > MAX_WORK {
                    return Ok(None);
                }
                pairs.apply(rule, &mut changed, &mut changes);
            }
            if changes == before {
                return Ok(Some(pairs));
            }
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

    fn apply(&mut self, rule: &Rule, changed: &mut [usize], changes: &mut usize) {
        let Some(mut after) = self.compatible(&rule.needs) else {
            return;
        };
        rule.lost
            .iter()
            .for_each(|&literal| after[literal as usize / 64] &= !(1 << (literal % 64)));
        for &effect in &rule.effects {
            let mut with = after.clone();
            with[(effect ^ 1) as usize / 64] &= !(1 << ((effect ^ 1) % 64));
            let beside = rule.beside.iter().filter(|&&other| other != effect ^ 1);
            beside.for_each(|&other| set(&mut with, other));
            set(&mut with, effect);
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
                applied: 0,
            });
        }
    }
    Ok(rules)
}

/// Whether the literal is in the set.
pub(super) fn has(set: &[u64], literal: Literal) -> bool {
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
}
