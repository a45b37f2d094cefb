//! Certificates of projections: additive pattern databases (Culberson and Schaeffer 1998; Felner,
//! Korf and Hanan 2004).
//!
//! A pattern is a set of facts. Its abstract states are listed from the start, with their costs to
//! the goal; conditions that the pattern does not decide may hold or not, and effects whose
//! condition it does not decide may fire or not. Each operator's cost is counted in one pattern. As
//! one pseudo-Boolean constraint, the estimate is: the cost so far and the costs of the abstract
//! states that hold are at least the claimed cost.
//!
//! The proof shows for each pattern that a step lowers its cost by no more than what the operator
//! pays for it, by going through the abstract states; the sum over all patterns is then one line.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ployglot_base::Poll;
use rustc_hash::FxHashMap;

use super::CannotCertify;
use super::encode::{Encoding, bad_goal, bad_step, cost_terms, fact, operator};
use super::invariant::Invariant;
use super::opb::{Constraint, Kind, Known, Lit, Terms};
use super::proof::{Prover, gate_values, value};
use crate::circuit::FactId;
use crate::projection::parts;
use crate::task::State;

/// A pattern with more abstract states is left out.
const MOST_STATES: usize = 5_000;
/// A pattern is left out if an operator has more undecided conditions in an abstract state.
const MOST_UNDECIDED: usize = 4;

pub struct Patterns {
    patterns: Vec<Pattern>,
}

struct Pattern {
    facts: Vec<FactId>,
    /// The abstract states that cost something, with their costs.
    states: Vec<(Values, u64)>,
    numbers: FxHashMap<Values, usize>,
    /// For each operator that changes a fact of the pattern, what it pays here.
    shares: Vec<(usize, u64)>,
}

/// The values of a pattern's facts.
type Values = Box<[bool]>;

impl Patterns {
    /// The patterns of the estimate `projections`: the finest parts of the facts that no effect
    /// connects.
    pub fn new(encoding: &Encoding, poll: &Poll) -> Result<Self, CannotCertify> {
        let mut patterns = Vec::new();
        let mut all = parts(encoding.task);
        if all.len() < 2 {
            all.clear();
        }
        all.sort_by_key(|part| (part.len(), part[0]));
        let mut is_paid = vec![false; encoding.operators.len()];
        for facts in all {
            let mut pattern = Pattern {
                shares: Vec::new(),
                states: Vec::new(),
                numbers: FxHashMap::default(),
                facts,
            };
            for (at, each) in encoding.operators.iter().enumerate() {
                if each
                    .touched
                    .iter()
                    .any(|(fact, _)| pattern.at(*fact).is_some())
                {
                    let share = if is_paid[at] { 0 } else { each.cost };
                    pattern.shares.push((at, share));
                }
            }
            if pattern.list(encoding, poll)? {
                pattern
                    .shares
                    .iter()
                    .for_each(|share| is_paid[share.0] = true);
                patterns.push(pattern);
            }
        }
        Ok(Self { patterns })
    }

    pub fn are_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The estimate.
    pub fn bound(&self, state: &State) -> u64 {
        self.patterns
            .iter()
            .map(|pattern| pattern.cost(state))
            .sum()
    }

    pub fn define(
        &self,
        encoding: &Encoding,
        invariant: &mut Invariant,
        poll: &Poll,
        holds: &mut Vec<Lit>,
    ) -> Result<(), CannotCertify> {
        if self.are_empty() || encoding.bound == 0 {
            return Ok(());
        }
        invariant.comment("a: the facts of a pattern have given values.");
        let mut terms = cost_terms(encoding.bits);
        let mut number = 0;
        for pattern in &self.patterns {
            let mut defined = Vec::new();
            for (values, cost) in &pattern.states {
                poll.try_step()?;
                let lit = Lit::of(Kind::Abstract, number);
                number += 1;
                let facts = pattern.lits(values).map(|lit| (1, lit)).collect();
                let all = Constraint {
                    terms: facts,
                    degree: values.len() as u64,
                };
                defined.push((lit, invariant.define(lit, all)));
                terms.push((*cost, lit));
            }
            invariant.abstract_states.push(defined);
        }
        invariant
            .comment("h0: the cost so far and the patterns' costs are at least what is claimed.");
        let lit = sum();
        let degree = encoding.bound;
        invariant.sum = Some(invariant.define(lit, Constraint { terms, degree }));
        holds.push(lit);
        Ok(())
    }

    pub fn prove(&self, prover: &mut Prover) -> Result<(), CannotCertify> {
        let invariant = prover.invariant;
        let Some(defined) = invariant.sum else {
            return Ok(());
        };
        let mut added = vec![(defined.forward, 1), (invariant.after(defined).backward, 1)];
        added.extend(prover.encoding.cost.map(|id| (id, 1)));
        for (at, pattern) in self.patterns.iter().enumerate() {
            prover.lines.comment(&format!("Pattern {at}."));
            let consistent = Lit::of(Kind::Consistent, at as u32);
            let forward = pattern.prove(prover, at, consistent)?;
            added.push((forward, 1));
        }
        prover.lines.sum(&added);
        prover.lines.rup_clause([!sum(), !bad_step()]);
        prover.lines.rup_clause([!sum(), !bad_goal()]);
        Ok(())
    }

    /// A dropped state satisfies the condition.
    pub fn prove_state(&self, prover: &mut Prover, at: u32, state: &State) {
        let invariant = prover.invariant;
        let mut hints = prover.facts_after(at);
        for (pattern, states) in self.patterns.iter().zip(&invariant.abstract_states) {
            if let Some(&number) = pattern.numbers.get(&pattern.values(state)) {
                hints.push(invariant.after(states[number].1).backward);
            }
        }
        hints.extend(invariant.sum.map(|sum| invariant.after(sum).backward));
        let listed = Lit::of(Kind::Listed, at);
        let clause = Constraint::clause([!listed.after(), sum().after()]);
        prover.lines.rup_from(&clause, &hints);
    }
}

/// The variable of the estimate.
fn sum() -> Lit {
    Lit::of(Kind::Sum, 0)
}

/// What an operator may do in an abstract state: for each way in which the undecided conditions of
/// its effects may turn out, the next abstract state.
struct Branches {
    undecided: Vec<Lit>,
    /// In binary order of the conditions: the first one is the highest bit.
    next: Vec<Values>,
}

impl Pattern {
    /// The number of a fact in the pattern.
    fn at(&self, fact: FactId) -> Option<usize> {
        self.facts.binary_search(&fact).ok()
    }

    fn values(&self, state: &State) -> Values {
        self.facts.iter().map(|&fact| state.holds(fact)).collect()
    }

    fn lits<'a>(&'a self, values: &'a Values) -> impl Iterator<Item = Lit> + 'a {
        let pairs = self.facts.iter().zip(values.iter());
        pairs.map(|(&of, &holds)| fact(of).var.is(holds))
    }

    fn cost(&self, state: &State) -> u64 {
        let number = self.numbers.get(&self.values(state));
        number.map_or(0, |&number| self.states[number].1)
    }

    /// What the operator may do; `None` where it is not applicable.
    fn branches(
        &self,
        encoding: &Encoding,
        values: &Values,
        gates: &[Option<bool>],
        at: usize,
    ) -> Option<Branches> {
        let each = &encoding.operators[at];
        let of_fact = |fact: FactId| self.at(fact).map(|at| values[at]);
        let known = |known: Known| match known {
            Known::Constant(value) => Some(value),
            Known::Lit(lit) => value(lit, &of_fact, gates),
        };
        if each
            .precondition
            .iter()
            .any(|&part| known(part) == Some(false))
        {
            return None;
        }
        let effects = each.effects.iter().filter(|effect| {
            let mut changed = effect.adds.iter().chain(&effect.deletes);
            changed.any(|&fact| self.at(fact).is_some())
        });
        let effects: Vec<_> = effects.collect();
        let mut undecided: Vec<Lit> = Vec::new();
        for effect in &effects {
            if let (None, Known::Lit(lit)) = (known(effect.condition), effect.condition) {
                undecided.push(lit.var.is(true));
            }
        }
        undecided.sort();
        undecided.dedup();
        let count = undecided.len().min(MOST_UNDECIDED + 1);
        let next = (0..1usize << count).map(|choice| {
            let chosen = |lit: Lit| {
                let at = undecided.iter().position(|each| each.var == lit.var)?;
                let bit = choice >> (count - 1 - at.min(count - 1)) & 1 == 1;
                Some(bit == lit.positive)
            };
            let fires = |condition: Known| match (known(condition), condition) {
                (Some(value), _) => value,
                (None, Known::Lit(lit)) => chosen(lit).unwrap_or(false),
                (None, Known::Constant(value)) => value,
            };
            let mut next = values.clone();
            let firing: Vec<_> = effects
                .iter()
                .filter(|effect| fires(effect.condition))
                .collect();
            for effect in &firing {
                let changed = effect.deletes.iter().filter_map(|&fact| self.at(fact));
                changed.for_each(|at| next[at] = false);
            }
            for effect in &firing {
                let changed = effect.adds.iter().filter_map(|&fact| self.at(fact));
                changed.for_each(|at| next[at] = true);
            }
            next
        });
        let next = next.collect();
        Some(Branches { undecided, next })
    }

    fn gates(&self, encoding: &Encoding, values: &Values) -> Vec<Option<bool>> {
        gate_values(encoding, |fact| self.at(fact).map(|at| values[at]))
    }

    /// Lists the abstract states with their costs. Whether the pattern is of use and small enough.
    fn list(&mut self, encoding: &Encoding, poll: &Poll) -> Result<bool, CannotCertify> {
        let task = encoding.task;
        let start: Values = self.facts.iter().map(|&of| task.starts_with(of)).collect();
        let mut numbers = FxHashMap::from_iter([(start.clone(), 0usize)]);
        let mut states = vec![start];
        let mut into: Vec<Vec<(u32, u64)>> = vec![Vec::new()];
        let mut costs = Vec::new();
        let mut at = 0;
        while let Some(values) = states.get(at).cloned() {
            let gates = self.gates(encoding, &values);
            let of_fact = |fact: FactId| self.at(fact).map(|at| values[at]);
            let is_goal = match encoding.goal {
                Known::Constant(goal) => goal,
                Known::Lit(lit) => value(lit, &of_fact, &gates) != Some(false),
            };
            costs.push(if is_goal { 0 } else { encoding.bound });
            for &(operator, share) in &self.shares {
                poll.try_step()?;
                let Some(branches) = self.branches(encoding, &values, &gates, operator) else {
                    continue;
                };
                if branches.undecided.len() > MOST_UNDECIDED {
                    return Ok(false);
                }
                for next in branches.next {
                    let new = states.len();
                    let number = *numbers.entry(next.clone()).or_insert(new);
                    if number == new {
                        if new >= MOST_STATES {
                            return Ok(false);
                        }
                        states.push(next);
                        into.push(Vec::new());
                    }
                    into[number].push((at as u32, share));
                }
            }
            at += 1;
        }
        let goals = (0..states.len()).filter(|&at| costs[at] == 0);
        let mut queue: BinaryHeap<_> = goals.map(|at| Reverse((0u64, at))).collect();
        while let Some(Reverse((cost, at))) = queue.pop() {
            if cost > costs[at] {
                continue;
            }
            for &(from, share) in &into[at] {
                poll.try_step()?;
                if cost + share < costs[from as usize] {
                    costs[from as usize] = cost + share;
                    queue.push(Reverse((cost + share, from as usize)));
                }
            }
        }
        for (values, cost) in states.into_iter().zip(costs) {
            if cost > 0 {
                self.numbers.insert(values.clone(), self.states.len());
                self.states.push((values, cost));
            }
        }
        Ok(!self.states.is_empty())
    }

    /// Proves that a step lowers the cost of the pattern by at most the operator's share. Returns
    /// the constraint that says so where `consistent` is true, which is proven for every step.
    fn prove(
        &self,
        prover: &mut Prover,
        number: usize,
        consistent: Lit,
    ) -> Result<u64, CannotCertify> {
        let encoding = prover.encoding;
        let lits = prover.invariant.abstract_states[number]
            .iter()
            .map(|known| known.0);
        let lits: Vec<Lit> = lits.collect();
        let costs = self.states.iter().map(|state| state.1);
        let mut terms: Terms = Vec::new();
        terms.extend(
            costs
                .clone()
                .zip(&lits)
                .map(|(cost, lit)| (cost, lit.after())),
        );
        let shares = self.shares.iter().filter(|(_, share)| *share > 0);
        terms.extend(shares.map(|&(at, share)| (share, operator(at))));
        terms.extend(costs.clone().zip(&lits).map(|(cost, lit)| (cost, !*lit)));
        let degree = costs.sum();
        let defined = prover
            .lines
            .define(consistent, Constraint { terms, degree });
        for ((values, _), &lit) in self.states.iter().zip(&lits) {
            let gates = self.gates(encoding, values);
            let mut used = Vec::new();
            for &(at, _) in &self.shares {
                prover.poll.try_step()?;
                let Some(branches) = self.branches(encoding, values, &gates, at) else {
                    continue;
                };
                // First with all conditions decided, then with one less, and so on.
                for decided in (0..=branches.undecided.len()).rev() {
                    for choice in 0..1usize << decided {
                        let conditions = &branches.undecided[..decided];
                        let chosen = conditions.iter().enumerate().map(|(bit, condition)| {
                            let holds = choice >> (decided - 1 - bit) & 1 == 1;
                            condition.var.is(!holds)
                        });
                        let clause = [!lit, !operator(at), consistent].into_iter().chain(chosen);
                        used.push(prover.lines.rup_clause(clause));
                    }
                }
            }
            prover.lines.rup_clause([!lit, !bad_step(), consistent]);
            prover.lines.rup_clause([!lit, !bad_goal()]);
            prover.lines.delete(&used);
        }
        prover.lines.rup_clause([!bad_step(), consistent]);
        Ok(defined.forward)
    }
}
