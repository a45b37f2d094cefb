//! The judge of PDDL plans. It evaluates the formulas as they were written, on a set of facts, one step at a time, and
//! shares no code with the grounder or the searches.
//!
//! Derived predicates are computed anew after each step, stratum by stratum, by trying every axiom on every binding until
//! nothing more follows. That is slow and obvious on purpose.

use std::borrow::Cow;
use std::collections::HashMap;

use rustc_hash::FxHashSet as HashSet;

use crate::lifted::*;
use crate::plan::{Step, print_step};

/// What the judge says of a plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Every step is applicable, the goal holds at the end; the metric's value.
    Valid { cost: f64 },
    /// Step number `at` (from 1) cannot be taken.
    Fails {
        at: usize,
        step: String,
        why: String,
    },
    /// All steps can be taken, but the goal does not hold.
    Misses { why: String },
}

/// How many slots must be bound before a formula can be looked at: for a literal those that it names, for all else all.
fn bound_by(formula: &Formula, all: usize) -> usize {
    let last = |terms: &[Term]| {
        let slots = terms.iter().map(|term| match term {
            Term::Slot(slot) => usize::from(slot.0) + 1,
            Term::Object(_) => 0,
        });
        slots.max().unwrap_or(0)
    };
    match formula {
        Formula::Atom(atom) => last(&atom.arguments),
        Formula::Equal(left, right) => last(&[*left, *right]),
        Formula::Not(body) => bound_by(body, all),
        _ => all,
    }
}

pub fn validate(domain: &Domain, problem: &Problem, plan: &[Step]) -> Verdict {
    let mut world = World::start(domain, problem);
    for (index, step) in plan.iter().enumerate() {
        if let Err(why) = world.take(step) {
            return Verdict::Fails {
                at: index + 1,
                step: print_step(step, domain, problem),
                why,
            };
        }
    }
    if let Some(why) = world.shortfall() {
        return Verdict::Misses { why };
    }
    let cost = match &problem.metric {
        Metric::Steps => Some(plan.len() as f64),
        Metric::Minimize(value) | Metric::Maximize(value) => world.value(value, &[]),
    };
    match cost {
        Some(cost) => Verdict::Valid { cost },
        None => Verdict::Misses {
            why: "the metric has no value at the end".to_string(),
        },
    }
}

/// The facts that hold now. Slow, and public so that whatever is fast can be compared with it.
#[derive(Clone)]
pub struct World<'a> {
    domain: &'a Domain,
    problem: &'a Problem,
    /// Derived ones included.
    facts: HashSet<Fact>,
    values: HashMap<(FunctionId, Vec<ObjectId>), f64>,
    /// The derived predicates, those that others need first.
    strata: Vec<Vec<PredicateId>>,
    /// By type: its objects.
    objects: Vec<Vec<ObjectId>>,
}

impl<'a> World<'a> {
    pub fn start(domain: &'a Domain, problem: &'a Problem) -> Self {
        let values = problem
            .values
            .iter()
            .map(|v| ((v.function, v.arguments.clone()), v.value));
        let mut values: HashMap<_, _> = values.collect();
        // `total-cost` starts at 0 even where nobody says so.
        if let Some(total) = domain
            .functions
            .iter()
            .position(|function| function.name == "total-cost")
        {
            values
                .entry((FunctionId(total as u16), Vec::new()))
                .or_insert(0.0);
        }
        let facts = problem.facts.iter().cloned().collect();
        let mut world = World {
            domain,
            problem,
            facts,
            values,
            strata: domain
                .strata()
                .expect("the parser refuses what cannot be stratified"),
            objects: (0..domain.types.len() as u16)
                .map(|id| {
                    let types = Either(vec![TypeId(id)]);
                    problem.objects_of(domain, &types).collect()
                })
                .collect(),
        };
        world.derive();
        world
    }

    /// Why the goal does not hold; `None` where it does.
    pub fn shortfall(&self) -> Option<String> {
        self.why_not(&self.problem.goal, &mut Vec::new())
    }

    /// Every fact that holds, derived ones included.
    pub fn facts(&self) -> &HashSet<Fact> {
        &self.facts
    }

    /// What a variable of these types ranges over.
    fn range(&self, types: &Either) -> Cow<'_, [ObjectId]> {
        match types.0[..] {
            [one] => Cow::Borrowed(&self.objects[usize::from(one.0)]),
            _ => self.problem.objects_of(self.domain, types).collect(),
        }
    }

    fn name(&self, object: ObjectId) -> &str {
        &self.problem.objects[object.0 as usize].name
    }

    fn is_derived(&self, predicate: PredicateId) -> bool {
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
                    self.for_each(&axiom.parameters, &mut Vec::new(), &mut |environment| {
                        let fact = Fact {
                            predicate: axiom.predicate,
                            arguments: environment.clone(),
                        };
                        if !self.facts.contains(&fact) && self.holds(&axiom.body, environment) {
                            new.push(fact);
                        }
                        true
                    });
                }
                if new.is_empty() {
                    break;
                }
                self.facts.extend(new);
            }
        }
    }

    /// Calls `visit` with the environment extended by every binding of the variables, until it says false.
    fn for_each(
        &self,
        variables: &[Parameter],
        environment: &mut Vec<ObjectId>,
        visit: &mut dyn FnMut(&mut Vec<ObjectId>) -> bool,
    ) -> bool {
        let Some((first, rest)) = variables.split_first() else {
            return visit(environment);
        };
        for &object in self.range(&first.types).iter() {
            environment.push(object);
            let go_on = self.for_each(rest, environment, visit);
            environment.pop();
            if !go_on {
                return false;
            }
        }
        true
    }

    fn object(&self, term: Term, environment: &[ObjectId]) -> ObjectId {
        match term {
            Term::Object(object) => object,
            Term::Slot(slot) => environment[usize::from(slot.0)],
        }
    }

    fn ground(&self, atom: &Atom, environment: &[ObjectId]) -> Fact {
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

    fn holds(&self, formula: &Formula, environment: &mut Vec<ObjectId>) -> bool {
        match formula {
            Formula::And(parts) => parts.iter().all(|part| self.holds(part, environment)),
            Formula::Or(parts) => parts.iter().any(|part| self.holds(part, environment)),
            Formula::Not(body) => !self.holds(body, environment),
            Formula::Exists {
                variables, body, ..
            } => {
                let before = environment.len();
                let all = before + variables.len();
                let parts = match &**body {
                    Formula::And(parts) => &parts[..],
                    other => std::slice::from_ref(other),
                };
                let parts: Vec<(usize, &Formula)> = parts
                    .iter()
                    .map(|part| (bound_by(part, all), part))
                    .collect();
                let mut ready = parts.iter().filter(|(slots, _)| *slots <= before);
                ready.all(|(_, part)| self.holds(part, environment))
                    && self.exists(variables, &parts, environment)
            }
            Formula::Forall {
                variables, body, ..
            } => self.for_each(variables, environment, &mut |inner| self.holds(body, inner)),
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

    /// Whether the variables can be bound so that the parts hold. A part is looked at as soon as its slots are bound, and not only at
    /// the end: this is all the haste that the judge allows himself.
    fn exists(
        &self,
        variables: &[Parameter],
        parts: &[(usize, &Formula)],
        environment: &mut Vec<ObjectId>,
    ) -> bool {
        let Some((first, rest)) = variables.split_first() else {
            return true;
        };
        for &object in self.range(&first.types).iter() {
            environment.push(object);
            let bound = environment.len();
            let mut ready = parts.iter().filter(|(slots, _)| *slots == bound);
            let found = ready.all(|(_, part)| self.holds(part, environment))
                && self.exists(rest, parts, environment);
            environment.pop();
            if found {
                return true;
            }
        }
        false
    }

    /// `None`: undefined.
    fn value(&self, expression: &Expression, environment: &[ObjectId]) -> Option<f64> {
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

    /// Takes one step, or says why it cannot be taken; then nothing has changed.
    pub fn take(&mut self, step: &Step) -> Result<(), String> {
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
        // All conditions and values are those before the step; then what is deleted goes, then what is added comes.
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
                let mut result = Ok(());
                self.for_each(variables, environment, &mut |inner| {
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
                // Increases of the same function add up; each starts from what the others left.
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

    /// Why a formula is false, down to the atom; `None` where it holds.
    fn why_not(&self, formula: &Formula, environment: &mut Vec<ObjectId>) -> Option<String> {
        if self.holds(formula, environment) {
            return None;
        }
        Some(match formula {
            Formula::And(parts) => {
                return parts
                    .iter()
                    .find_map(|part| self.why_not(part, environment));
            }
            Formula::Or(parts) if parts.is_empty() => "an empty 'or' never holds".to_string(),
            Formula::Or(parts) => {
                let reasons: Vec<_> = parts
                    .iter()
                    .take(3)
                    .filter_map(|part| self.why_not(part, environment))
                    .collect();
                let more = if parts.len() > 3 { ", …" } else { "" };
                format!(
                    "none of {} choices holds: {}{more}",
                    parts.len(),
                    reasons.join(", ")
                )
            }
            Formula::Not(body) => match &**body {
                Formula::Atom(atom) => {
                    format!("{} holds", self.print_fact(&self.ground(atom, environment)))
                }
                Formula::Equal(left, _) => {
                    format!("both are {}", self.name(self.object(*left, environment)))
                }
                _ => "a condition holds that must not".to_string(),
            },
            Formula::Exists { variables, .. } => {
                let names: Vec<_> = variables
                    .iter()
                    .map(|variable| variable.name.as_str())
                    .collect();
                format!("there is no fitting {}", names.join(", "))
            }
            Formula::Forall {
                variables, body, ..
            } => {
                let first = environment.len();
                let mut reason = String::new();
                self.for_each(variables, environment, &mut |inner| {
                    let Some(why) = self.why_not(body, inner) else {
                        return true;
                    };
                    let bound: Vec<_> = variables
                        .iter()
                        .zip(&inner[first..])
                        .map(|(variable, &object)| {
                            format!("{} = {}", variable.name, self.name(object))
                        })
                        .collect();
                    reason = format!("for {}: {why}", bound.join(", "));
                    false
                });
                reason
            }
            Formula::Atom(atom) => {
                let fact = self.ground(atom, environment);
                let kind = if self.is_derived(fact.predicate) {
                    "does not follow"
                } else {
                    "does not hold"
                };
                format!("{} {kind}", self.print_fact(&fact))
            }
            Formula::Equal(left, right) => {
                let (left, right) = (
                    self.object(*left, environment),
                    self.object(*right, environment),
                );
                format!("{} is not {}", self.name(left), self.name(right))
            }
            Formula::Compare(_, left, right) => {
                let print = |value: Option<f64>| {
                    value.map_or("undefined".to_string(), |value| value.to_string())
                };
                let (left, right) = (
                    self.value(left, environment),
                    self.value(right, environment),
                );
                format!(
                    "the comparison of {} and {} is false",
                    print(left),
                    print(right)
                )
            }
        })
    }

    fn print_fact(&self, fact: &Fact) -> String {
        let name = &self.domain.predicates[usize::from(fact.predicate.0)].name;
        self.print_call(name, &fact.arguments)
    }

    fn print_function(&self, (function, arguments): &(FunctionId, Vec<ObjectId>)) -> String {
        self.print_call(
            &self.domain.functions[usize::from(function.0)].name,
            arguments,
        )
    }

    fn print_call(&self, name: &str, arguments: &[ObjectId]) -> String {
        let words: Vec<_> = std::iter::once(name)
            .chain(arguments.iter().map(|&object| self.name(object)))
            .collect();
        format!("({})", words.join(" "))
    }
}

#[derive(Default)]
struct Changes {
    adds: Vec<Fact>,
    deletes: Vec<Fact>,
    values: HashMap<(FunctionId, Vec<ObjectId>), f64>,
}
