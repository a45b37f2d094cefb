//! States that no plan has are left out: those with two literals that never hold together in a state
//! of a plan (`abstraction::pairs`).
//!
//! An operator leads from states with certain literals to states with certain literals. So what is not
//! compatible with them is written into its relation (Torralba, Alcázar, Kissmann and Edelkamp 2017: e-deletion),
//! which costs nothing later on. Where an operator changes a variable whose value before or after it is not
//! known, some such states are still generated; then the sets themselves are narrowed.

use ployglot_base::Poll;
use rustc_hash::FxHashMap;

use super::bdd::{ALL, Bdd, Diagrams, Direction, NONE};
use super::encoding::Encoding;
use crate::abstraction::pairs::{Literal, Pairs, Sides, has};
use crate::circuit::FactId;
use crate::task::{Operator, Task};

/// The recursive calls after which no more conditions are added to the invariants: some seconds.
const MOST_WORK: u64 = 20_000_000;

/// What is left out.
pub(super) struct Narrowing<'a> {
    task: &'a Task,
    encoding: &'a Encoding,
    /// `None`: the task is too large for pairs.
    pairs: Option<Pairs>,
    /// Sets of values of a variable, before an operator or after it.
    known: FxHashMap<(u32, bool, Vec<u32>), Bdd>,
    poll: Poll,
    /// Whether the relations generate no state forward that is left out; and backward.
    complete: [bool; 2],
}

impl<'a> Narrowing<'a> {
    pub fn new(task: &'a Task, encoding: &'a Encoding, pairs: Option<Pairs>, poll: &Poll) -> Self {
        let complete = [pairs.is_some(); 2];
        Self {
            task,
            encoding,
            pairs,
            known: FxHashMap::default(),
            poll: poll.clone(),
            complete,
        }
    }

    /// The sets that are remembered.
    pub fn sets(&self) -> impl Iterator<Item = Bdd> {
        self.known.values().copied()
    }

    /// Whether what the relations generate must still be narrowed.
    pub fn is_complete(&self, direction: Direction) -> bool {
        self.complete[direction as usize]
    }

    /// The pairs of states, before and after the operator, that are not left out. `changes` are the variables
    /// that it may change. `None`: no plan has the operator.
    pub fn of_operator(
        &mut self,
        diagrams: &mut Diagrams,
        operator: &Operator,
        changes: &[u32],
    ) -> Option<Bdd> {
        let Some(pairs) = &self.pairs else {
            return Some(ALL);
        };
        let sides = Sides::of(self.task, operator)?;
        let before = pairs.compatible(&sides.before)?;
        let after = pairs.compatible(&sides.after)?;
        let both: Vec<u64> = before
            .iter()
            .zip(&after)
            .map(|(one, two)| one & two)
            .collect();
        let mut variables = self.restricted(&both);
        variables.extend(changes);
        variables.sort_unstable();
        variables.dedup();
        let mut set = ALL;
        for &variable in variables.iter().rev() {
            if !changes.contains(&variable) {
                let values = self.values(variable, &both);
                let values = self.with_values(diagrams, variable, values, false)?;
                set = diagrams.and(values, set);
                continue;
            }
            for (at, row) in [&before, &after].into_iter().enumerate() {
                let values = self.values(variable, row);
                // Forward, the states after the operator are generated; backward, those before it.
                self.complete[1 - at] &= values.len() == 1;
                let values = self.with_values(diagrams, variable, values, at == 1)?;
                set = diagrams.and(values, set);
            }
        }
        Some(set)
    }

    /// The variables of which some literal is not compatible, in their order.
    fn restricted(&self, compatible: &[u64]) -> Vec<u32> {
        let mut variables = Vec::new();
        for (at, &word) in (0u32..).zip(compatible) {
            self.poll.step();
            let mut missing = !word;
            while missing != 0 {
                let fact = (at * 64 + missing.trailing_zeros()) / 2;
                missing &= missing - 1;
                // The last word is not full.
                if let Some((variable, _)) = self.encoding.of_fact.get(fact as usize) {
                    variables.push(*variable);
                }
            }
        }
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// The values that a variable may have beside literals of which these are compatible with all.
    fn values(&self, variable: u32, compatible: &[u64]) -> Vec<u32> {
        self.poll.step();
        let variable = &self.encoding.variables[variable as usize];
        let negative = |fact: &FactId| has(compatible, fact.0 * 2 + 1);
        let must: Vec<&FactId> = variable
            .facts
            .iter()
            .filter(|fact| !negative(fact))
            .collect();
        let facts = variable.facts.iter().filter(|fact| match must[..] {
            [] => true,
            [only] => only == *fact,
            _ => false,
        });
        let facts = facts.filter(|fact| has(compatible, fact.0 * 2));
        let mut values: Vec<u32> = facts
            .map(|fact| self.encoding.of_fact[fact.0 as usize].1)
            .collect();
        if must.is_empty() && !variable.is_total() {
            values.push(0);
        }
        values
    }

    /// The states in which a variable has one of these values. `None`: there is none.
    fn with_values(
        &mut self,
        diagrams: &mut Diagrams,
        variable: u32,
        values: Vec<u32>,
        after: bool,
    ) -> Option<Bdd> {
        if values.is_empty() {
            return None;
        }
        if values.len() == 1 << self.encoding.variables[variable as usize].bits().len() {
            return Some(ALL);
        }
        let encoding = self.encoding;
        let set = self.known.entry((variable, after, values));
        Some(*set.or_insert_with_key(|(variable, after, values)| {
            let values = values.iter();
            let sets: Vec<Bdd> = values
                .map(|&value| encoding.value(diagrams, *variable, value, *after))
                .collect();
            diagrams.any_of(&sets)
        }))
    }

    /// What of a set is not left out, as far as that is found in a limited time.
    pub fn narrow(&mut self, diagrams: &mut Diagrams, set: Bdd) -> Bdd {
        let mut narrowed = set;
        self.conditions(diagrams, |diagrams, condition| {
            narrowed = diagrams.and(narrowed, condition);
        });
        narrowed
    }

    /// Sets that contain every state of a plan. They are conjunctions of as many conditions as have fewer than
    /// `most` nodes together.
    pub fn invariants(&mut self, diagrams: &mut Diagrams, most: usize) -> Vec<Bdd> {
        let mut merged: Vec<Bdd> = Vec::new();
        self.conditions(diagrams, |diagrams, condition| {
            if condition == ALL {
                return;
            }
            let last = merged.last().copied().unwrap_or(ALL);
            let both = diagrams.and(last, condition);
            if diagrams.size(&[both], most) < most {
                merged.pop();
                merged.push(both);
            } else {
                merged.push(condition);
            }
        });
        merged
    }

    /// Conditions that hold in every state of a plan: each variable has a value, and beside each fact is only
    /// what is compatible with it.
    fn conditions(&mut self, diagrams: &mut Diagrams, mut each: impl FnMut(&mut Diagrams, Bdd)) {
        let start = diagrams.work();
        for variable in 0..self.encoding.variables.len() as u32 {
            let values = (0..self.encoding.variables[variable as usize].values()).collect();
            if let Some(condition) = self.with_values(diagrams, variable, values, false) {
                each(diagrams, condition);
            }
        }
        if self.pairs.is_none() {
            let conditions = self.encoding.by_groups(self.task, diagrams);
            conditions
                .into_iter()
                .for_each(|condition| each(diagrams, condition));
            return;
        }
        for fact in (0..self.task.facts.len() as u32).map(FactId) {
            if diagrams.work() - start > MOST_WORK {
                return;
            }
            let condition = self.beside(diagrams, fact);
            each(diagrams, condition);
        }
    }

    /// The states in which a fact does not hold, or nothing that is not compatible with it.
    fn beside(&mut self, diagrams: &mut Diagrams, fact: FactId) -> Bdd {
        let holds = self.encoding.fact(diagrams, fact);
        let own = self.encoding.of_fact[fact.0 as usize].0;
        let literal: Literal = fact.0 * 2;
        let compatible = self.pairs.as_ref();
        let compatible = compatible.and_then(|pairs| pairs.compatible(&[literal]));
        let Some(compatible) = compatible else {
            return !holds;
        };
        let mut beside = ALL;
        for other in self.restricted(&compatible).into_iter().rev() {
            if other != own {
                let values = self.values(other, &compatible);
                let values = self.with_values(diagrams, other, values, false);
                beside = diagrams.and(values.unwrap_or(NONE), beside);
            }
        }
        !diagrams.without(holds, beside)
    }
}
