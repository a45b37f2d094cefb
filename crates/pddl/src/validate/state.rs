//! A state of a problem that is not grounded: the set of facts that hold, and the values of
//! functions.
//!
//! Formulas are evaluated as they were written. Derived predicates are computed anew after each
//! step, stratum by stratum, by trying every axiom on every binding until nothing more follows.
//! This is slow and simple on purpose. Two things are done better, because real plans need it: a
//! binding is given up as soon as a part of its condition decides (`each_where`), and a quantifier
//! that counts is counted (`counting`).
//!
//! At a limit of the budget the values of formulas have no meaning any more; `limit` has the limit.

use std::borrow::Cow;
use std::collections::HashMap;

use ployglot_base::{Budget, Limit, Poll};
use rustc_hash::FxHashSet as HashSet;

use super::counting::Count;
use crate::lifted::*;
use crate::plan::Step;

/// A state of a problem. Public so that faster representations can be tested against it.
#[derive(Clone)]
pub struct LiftedState<'a> {
    pub(super) domain: &'a Domain,
    problem: &'a Problem,
    /// All facts that hold, derived ones included.
    facts: HashSet<Fact>,
    values: HashMap<(FunctionId, Vec<ObjectId>), f64>,
    /// The derived predicates, those that others depend on first.
    strata: Vec<Vec<PredicateId>>,
    /// For each type, the objects of the type.
    objects: Vec<Vec<ObjectId>>,
    poll: Poll,
}

impl<'a> LiftedState<'a> {
    /// The initial state.
    pub fn initial(domain: &'a Domain, problem: &'a Problem) -> Self {
        Self::initial_within(domain, problem, &Budget::unlimited())
    }

    /// The initial state, for work within a budget.
    pub fn initial_within(domain: &'a Domain, problem: &'a Problem, budget: &Budget) -> Self {
        let values = problem
            .values
            .iter()
            .map(|v| ((v.function, v.arguments.clone()), v.value));
        let mut values: HashMap<_, _> = values.collect();
        // `total-cost` and the function of the metric start at 0 where the problem gives no value.
        for (id, function) in domain.functions.iter().enumerate() {
            let key = (FunctionId(id as u16), Vec::new());
            let metric = match &problem.metric {
                Metric::Minimize(value) | Metric::Maximize(value) => {
                    *value == Expression::Function(key.0, Vec::new())
                }
                Metric::Steps => false,
            };
            if function.parameters.is_empty() && (metric || function.name == "total-cost") {
                values.entry(key).or_insert(0.0);
            }
        }
        let facts = problem.facts.iter().cloned().collect();
        let mut state = LiftedState {
            domain,
            problem,
            facts,
            values,
            strata: domain
                .strata()
                .expect("the parser rejects axioms that cannot be stratified"),
            objects: (0..domain.types.len() as u16)
                .map(|id| {
                    let types = Either(vec![TypeId(id)]);
                    problem.objects_of(domain, &types).collect()
                })
                .collect(),
            poll: Poll::new(budget, "validate"),
        };
        state.derive();
        state
    }

    /// The limit that ended the work; then the state and its values have no meaning any more.
    pub fn limit(&self) -> Option<Limit> {
        self.poll.ended()
    }

    /// Why the goal does not hold; `None` where it does.
    pub fn unmet_goal(&self) -> Option<String> {
        self.why_not(&self.problem.goal, &mut Vec::new())
    }

    /// Every fact that holds, derived ones included.
    pub fn facts(&self) -> &HashSet<Fact> {
        &self.facts
    }

    /// The objects that a variable of these types ranges over.
    pub(super) fn range(&self, types: &Either) -> Cow<'_, [ObjectId]> {
        match types.0[..] {
            [one] => Cow::Borrowed(&self.objects[usize::from(one.0)]),
            _ => self.problem.objects_of(self.domain, types).collect(),
        }
    }

    pub(super) fn name(&self, object: ObjectId) -> &str {
        &self.problem.objects[object.0 as usize].name
    }

    pub(super) fn is_derived(&self, predicate: PredicateId) -> bool {
        self.domain.predicates[usize::from(predicate.0)].derived
    }

    /// Computes the derived facts anew.
    fn derive(&mut self) {
        let derived: HashSet<PredicateId> = self.strata.iter().flatten().copied().collect();
        self.facts.retain(|fact| !derived.contains(&fact.predicate));
        for stratum in 0..self.strata.len() {
            loop {
                let mut new = Vec::new();
                for axiom in &self.domain.axioms {
                    if !self.strata[stratum].contains(&axiom.predicate) {
                        continue;
                    }
                    let parts = Part::conjuncts(&axiom.body, 0);
                    let environment = &mut Vec::new();
                    self.each_where(&axiom.parameters, &parts, environment, &mut |environment| {
                        let fact = Fact {
                            predicate: axiom.predicate,
                            arguments: environment.clone(),
                        };
                        if !self.facts.contains(&fact) {
                            new.push(fact);
                        }
                        true
                    });
                }
                if new.is_empty() || self.poll.ended().is_some() {
                    break;
                }
                self.facts.extend(new);
            }
        }
    }

    /// Calls `visit` with the environment extended by every binding of the variables under which
    /// all parts have the values that they need, until `visit` returns false. Returns whether it
    /// never did. A part is evaluated as soon as the slots that it mentions are bound.
    pub(super) fn each_where(
        &self,
        variables: &[Parameter],
        parts: &[Part],
        environment: &mut Vec<ObjectId>,
        visit: &mut dyn FnMut(&mut Vec<ObjectId>) -> bool,
    ) -> bool {
        let ready = |part: &&Part| part.slots <= environment.len();
        let mut decided = parts.iter().filter(ready).collect::<Vec<_>>().into_iter();
        if !decided.all(|part| self.holds(part.formula, environment) == part.needed) {
            return true;
        }
        self.extend_where(variables, parts, environment, visit)
    }

    /// The same, where the parts whose slots are all bound have their values already.
    fn extend_where(
        &self,
        variables: &[Parameter],
        parts: &[Part],
        environment: &mut Vec<ObjectId>,
        visit: &mut dyn FnMut(&mut Vec<ObjectId>) -> bool,
    ) -> bool {
        let Some((first, rest)) = variables.split_first() else {
            return visit(environment);
        };
        for &object in self.range(&first.types).iter() {
            if self.poll.try_step().is_err() {
                return true;
            }
            environment.push(object);
            let bound = environment.len();
            let mut ready = parts.iter().filter(|part| part.slots == bound);
            let more = !ready.all(|part| self.holds(part.formula, environment) == part.needed)
                || self.extend_where(rest, parts, environment, visit);
            environment.pop();
            if !more {
                return false;
            }
        }
        true
    }

    pub(super) fn object(&self, term: Term, environment: &[ObjectId]) -> ObjectId {
        match term {
            Term::Object(object) => object,
            Term::Slot(slot) => environment[usize::from(slot.0)],
        }
    }

    pub(super) fn ground(&self, atom: &Atom, environment: &[ObjectId]) -> Fact {
        let arguments = atom
            .arguments
            .iter()
            .map(|&term| self.object(term, environment))
            .collect();
        Fact {
            predicate: atom.predicate,
            arguments,
        }
    }

    pub(super) fn holds(&self, formula: &Formula, environment: &mut Vec<ObjectId>) -> bool {
        match formula {
            Formula::And(parts) => parts.iter().all(|part| self.holds(part, environment)),
            Formula::Or(parts) => parts.iter().any(|part| self.holds(part, environment)),
            Formula::Not(body) => !self.holds(body, environment),
            Formula::Exists {
                first,
                variables,
                body,
            } => {
                if let Some(count) = Count::of(*first, variables, body)
                    && let Some(holds) = self.counts(&count, environment)
                {
                    return holds;
                }
                let parts = Part::conjuncts(body, environment.len());
                !self.each_where(variables, &parts, environment, &mut |_| false)
            }
            Formula::Forall {
                variables, body, ..
            } => {
                let parts = Part::refuting(body, environment.len());
                self.each_where(variables, &parts, environment, &mut |_| false)
            }
            Formula::Atom(atom) => self.facts.contains(&self.ground(atom, environment)),
            Formula::Equal(left, right) => {
                self.object(*left, environment) == self.object(*right, environment)
            }
            Formula::Compare(how, left, right) => {
                let (left, right) = (
                    self.value(left, environment),
                    self.value(right, environment),
                );
                match (left, right) {
                    (Some(left), Some(right)) => match how {
                        Comparison::Less => left < right,
                        Comparison::LessEqual => left <= right,
                        Comparison::Equal => left == right,
                        Comparison::GreaterEqual => left >= right,
                        Comparison::Greater => left > right,
                    },
                    _ => false,
                }
            }
        }
    }

    /// The value of an expression; `None` where it is undefined.
    pub(super) fn value(&self, expression: &Expression, environment: &[ObjectId]) -> Option<f64> {
        match expression {
            Expression::Number(number) => Some(*number),
            Expression::Function(function, terms) => {
                let arguments = terms
                    .iter()
                    .map(|&term| self.object(term, environment))
                    .collect();
                self.values.get(&(*function, arguments)).copied()
            }
            Expression::Negate(body) => self.value(body, environment).map(|value| -value),
            Expression::Binary(how, left, right) => {
                let (left, right) = (
                    self.value(left, environment)?,
                    self.value(right, environment)?,
                );
                let value = match how {
                    Arithmetic::Add => left + right,
                    Arithmetic::Subtract => left - right,
                    Arithmetic::Multiply => left * right,
                    Arithmetic::Divide => left / right,
                };
                value.is_finite().then_some(value)
            }
        }
    }

    /// Applies one step. `Err` is the reason why it is not applicable; the state is then unchanged.
    pub fn apply(&mut self, step: &Step) -> Result<(), String> {
        let action = &self.domain.actions[step.action];
        for (parameter, &object) in action.parameters.iter().zip(&step.arguments) {
            let types = &self.problem.objects[object.0 as usize].types;
            if !self.domain.fits(types, &parameter.types) {
                return Err(format!(
                    "{} is a {}, not a {}",
                    self.name(object),
                    self.domain.print_types(types),
                    self.domain.print_types(&parameter.types)
                ));
            }
        }
        let mut environment = step.arguments.clone();
        if let Some(why) = self.why_not(&action.precondition, &mut environment) {
            return Err(why);
        }
        // Conditions and values are those before the step. Deletes are applied first, then adds.
        let mut changes = Changes::default();
        self.collect(&action.effect, &mut environment, &mut changes)?;
        for fact in &changes.deletes {
            self.facts.remove(fact);
        }
        self.facts.extend(changes.adds);
        self.values.extend(changes.values);
        self.derive();
        Ok(())
    }

    /// Adds the changes that the effect makes under this binding.
    fn collect(
        &self,
        effect: &Effect,
        environment: &mut Vec<ObjectId>,
        changes: &mut Changes,
    ) -> Result<(), String> {
        match effect {
            Effect::And(parts) => parts
                .iter()
                .try_for_each(|part| self.collect(part, environment, changes)),
            Effect::Forall {
                variables, body, ..
            } => {
                let (parts, body) = match &**body {
                    Effect::When(condition, body) => {
                        (Part::conjuncts(condition, environment.len()), body)
                    }
                    _ => (Vec::new(), body),
                };
                let mut result = Ok(());
                self.each_where(variables, &parts, environment, &mut |inner| {
                    result = self.collect(body, inner, changes);
                    result.is_ok()
                });
                result
            }
            Effect::When(condition, body) => {
                if self.holds(condition, environment) {
                    self.collect(body, environment, changes)
                } else {
                    Ok(())
                }
            }
            Effect::Add(atom) => {
                changes.adds.push(self.ground(atom, environment));
                Ok(())
            }
            Effect::Delete(atom) => {
                changes.deletes.push(self.ground(atom, environment));
                Ok(())
            }
            Effect::Change {
                how,
                function,
                arguments,
                by,
            } => {
                let arguments: Vec<_> = arguments
                    .iter()
                    .map(|&term| self.object(term, environment))
                    .collect();
                let key = (*function, arguments);
                let undefined = || format!("{} has no value", self.print_function(&key));
                let by = self
                    .value(by, environment)
                    .ok_or("the effect's expression has no value")?;
                // Several changes of the same function accumulate.
                let before = changes
                    .values
                    .get(&key)
                    .or_else(|| self.values.get(&key))
                    .copied();
                let after = match how {
                    Change::Assign => by,
                    Change::Increase => before.ok_or_else(undefined)? + by,
                    Change::Decrease => before.ok_or_else(undefined)? - by,
                    Change::ScaleUp => before.ok_or_else(undefined)? * by,
                    Change::ScaleDown => before.ok_or_else(undefined)? / by,
                };
                if !after.is_finite() {
                    return Err(format!(
                        "{} would have no finite value",
                        self.print_function(&key)
                    ));
                }
                changes.values.insert(key, after);
                Ok(())
            }
        }
    }
}

/// The changes of one step.
#[derive(Default)]
struct Changes {
    adds: Vec<Fact>,
    deletes: Vec<Fact>,
    values: HashMap<(FunctionId, Vec<ObjectId>), f64>,
}

/// A part of a condition, with the value that it needs.
pub(super) struct Part<'a> {
    formula: &'a Formula,
    needed: bool,
    /// How many slots must be bound before it can be evaluated.
    slots: usize,
}

impl<'a> Part<'a> {
    /// Parts that all hold exactly where the formula holds. `bound` slots are bound already.
    pub(super) fn conjuncts(formula: &'a Formula, bound: usize) -> Vec<Self> {
        let mut parts = Vec::new();
        Self::split(formula, true, bound, &mut parts);
        parts
    }

    /// Parts that all have their values exactly where the formula does not hold.
    pub(super) fn refuting(formula: &'a Formula, bound: usize) -> Vec<Self> {
        let mut parts = Vec::new();
        Self::split(formula, false, bound, &mut parts);
        parts
    }

    fn split(formula: &'a Formula, needed: bool, bound: usize, parts: &mut Vec<Self>) {
        match (formula, needed) {
            (Formula::And(inner), true) | (Formula::Or(inner), false) => {
                inner
                    .iter()
                    .for_each(|part| Self::split(part, needed, bound, parts));
            }
            (Formula::Not(inner), _) => Self::split(inner, !needed, bound, parts),
            _ => parts.push(Self {
                formula,
                needed,
                slots: mentioned(formula).max(bound),
            }),
        }
    }
}

/// How many slots must be bound before a formula can be evaluated: all up to the last that it
/// mentions. The variables of a quantifier follow those that are bound around it.
fn mentioned(formula: &Formula) -> usize {
    let last = |terms: &[Term]| {
        let slots = terms.iter().map(|term| match term {
            Term::Slot(slot) => usize::from(slot.0) + 1,
            Term::Object(_) => 0,
        });
        slots.max().unwrap_or(0)
    };
    match formula {
        Formula::And(parts) | Formula::Or(parts) => parts.iter().map(mentioned).max().unwrap_or(0),
        Formula::Not(body) => mentioned(body),
        Formula::Exists { first, .. } | Formula::Forall { first, .. } => usize::from(first.0),
        Formula::Atom(atom) => last(&atom.arguments),
        Formula::Equal(left, right) => last(&[*left, *right]),
        Formula::Compare(_, left, right) => last(&terms_of(left)).max(last(&terms_of(right))),
    }
}

/// The terms that an expression mentions.
fn terms_of(expression: &Expression) -> Vec<Term> {
    match expression {
        Expression::Number(_) => Vec::new(),
        Expression::Function(_, terms) => terms.clone(),
        Expression::Negate(body) => terms_of(body),
        Expression::Binary(_, left, right) => [terms_of(left), terms_of(right)].concat(),
    }
}
