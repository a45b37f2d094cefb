//! Grounding: from a planning problem with variables to a task without.
//!
//! First `reachability` finds the atoms that may ever be true. Then every action is instantiated by
//! joining the atoms of its precondition with these, and its formulas become nodes of one circuit,
//! simplified by what is static or unreachable. Quantifiers are written out only over bindings for
//! which those atoms may hold (`quantifier`); one that still has too many is evaluated by search
//! (`Choice`), unless it is a cardinality constraint (`counting`). In the end, what the goal does not
//! depend on is dropped (`relevance`).

mod counting;
mod equalities;
mod formula;
mod normal_form;
mod quantifier;
mod reachability;
mod relations;
mod relevance;

use std::rc::Rc;

use ployglot_base::{Budget, Limit, Poll};

use crate::circuit::*;
use crate::cutoff::Cutoff;
use crate::lifted::*;
use crate::plan::Step;
use crate::task::{Axioms, GroundEffect, NumberChange, Operator, Task};
use equalities::{Equalities, MAX_ALTERNATIVES, choices};
use formula::{Builder, Fixed};
use normal_form::{EffectKind, FlatEffect, Nnf, flat_effects};
use reachability::reachable_atoms;
use relations::{Members, Query, TypedObjects, UNBOUND};
use relevance::without_irrelevant_facts;

/// Why a problem was not grounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CannotGround {
    /// The grounder does not support it: a sentence for the user.
    Unsupported(String),
    /// It has more instances than the grounder makes: a sentence for the user.
    TooLarge(String),
    /// A limit ended the grounding.
    Limit(Limit),
}

impl std::fmt::Display for CannotGround {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            CannotGround::Unsupported(why) | CannotGround::TooLarge(why) => f.write_str(why),
            CannotGround::Limit(limit) => write!(f, "grounding was ended by a limit: {limit}"),
        }
    }
}

impl From<Limit> for CannotGround {
    fn from(limit: Limit) -> Self {
        CannotGround::Limit(limit)
    }
}

impl From<String> for CannotGround {
    fn from(why: String) -> Self {
        CannotGround::Unsupported(why)
    }
}

impl std::error::Error for CannotGround {}

/// The instances of an action are sorted if there are at most so many, which takes some tenths of a second.
const MOST_SORTED: usize = 500_000;

/// Tasks with more operators are not grounded: they would not fit in memory.
const MAX_OPERATORS: usize = 20_000_000;

/// Grounds a problem.
pub fn ground(domain: &Domain, problem: &Problem) -> Result<Task, CannotGround> {
    ground_within(domain, problem, &Budget::unlimited())
}

/// Grounds a problem within a budget.
pub fn ground_within(
    domain: &Domain,
    problem: &Problem,
    budget: &Budget,
) -> Result<Task, CannotGround> {
    let task = instantiate_all(domain, problem, budget)?;
    let task = without_irrelevant_facts(task, &Poll::new(budget, "relevance"))?;
    finish(task, budget)
}

/// Grounds a problem to all facts and operators that may be reached, also those that no plan needs:
/// the truth that `ground` is tested against.
pub fn ground_whole(domain: &Domain, problem: &Problem) -> Result<Task, CannotGround> {
    let budget = Budget::unlimited();
    finish(instantiate_all(domain, problem, &budget)?, &budget)
}

/// Adds what follows from the facts and operators.
fn finish(task: Task, budget: &Budget) -> Result<Task, CannotGround> {
    let mut task = task.with_operator_index(&Poll::new(budget, "ground"))?;
    if !task.circuit.choices.is_empty() {
        task.cutoff = Cutoff::new(budget);
    }
    Ok(task.with_mutex_groups(&Poll::new(budget, "mutex"))?)
}

/// All facts and operators that may be reached.
fn instantiate_all(
    domain: &Domain,
    problem: &Problem,
    budget: &Budget,
) -> Result<Task, CannotGround> {
    let metric = CostFunction::of(domain, problem)?;
    let mut typed_objects = TypedObjects::new(domain, problem);
    let poll = Poll::new(budget, "reach");
    let reachable = reachable_atoms(domain, problem, &mut typed_objects, &poll)?;
    let poll = Poll::new(budget, "ground");
    let mut builder = Builder::new(
        domain,
        problem,
        &reachable,
        typed_objects,
        metric.function,
        &poll,
    )?;
    let mut operators = Vec::new();
    for (index, action) in domain.actions.iter().enumerate() {
        instantiate(&mut builder, index, action, &metric, &mut operators)?;
    }
    let goal = builder.formula(&Nnf::of(&problem.goal), &mut Vec::new())?;
    let axioms = derive(&mut builder)?;
    Ok(builder.finish(operators, axioms, goal))
}

/// All operators of an action.
fn instantiate(
    builder: &mut Builder,
    index: usize,
    action: &Action,
    metric: &CostFunction,
    operators: &mut Vec<Operator>,
) -> Result<(), CannotGround> {
    let precondition = Nnf::of(&action.precondition);
    let flat_effects = flat_effects(&action.effect);
    let alternatives = alternatives(builder, &precondition, action.parameters.len());
    let slots = (0..action.parameters.len() as u16).map(Slot);
    let ranges: Vec<(Slot, Rc<Members>)> = slots
        .zip(&action.parameters)
        .map(|(slot, parameter)| (slot, builder.members(&parameter.types)))
        .collect();
    // All bindings are collected first: building formulas borrows the builder mutably.
    let mut bindings: Vec<Box<[ObjectId]>> = Vec::new();
    let poll = builder.poll;
    for (at, alternative) in alternatives.iter().enumerate() {
        let complete = alternative.each_binding(builder, &ranges, &mut |binding| {
            // A binding that several alternatives allow is found once.
            let mut before = alternatives[..at].iter();
            if !before.any(|other| other.allows(builder, binding)) {
                bindings.push(binding.into());
            }
            bindings.len() + operators.len() <= MAX_OPERATORS
        })?;
        if !complete {
            let name = &action.name;
            let why = format!("the action '{name}' has more than {MAX_OPERATORS} instances");
            return Err(CannotGround::TooLarge(why));
        }
    }
    // By the order of the objects, so that the order of the facts in the problem's file has no influence.
    if bindings.len() <= MOST_SORTED {
        bindings.sort_unstable();
    }
    for binding in bindings {
        let entry = size_of::<Operator>();
        poll.affords_entry(operators.len(), operators.capacity(), entry)?;
        let mut environment = binding.to_vec();
        let condition = builder.formula(&precondition, &mut environment)?;
        if condition == FALSE {
            continue;
        }
        let mut operator = Operator {
            step: Step {
                action: index,
                arguments: binding.into_vec(),
            },
            precondition: condition,
            effects: Vec::new(),
            changes: Vec::new(),
            costs: Vec::new(),
        };
        if metric.unit {
            operator.costs.push((TRUE, 1));
        }
        for effect in &flat_effects {
            add_effect(builder, effect, &mut environment, metric, &mut operator)?;
        }
        // An operator that changes nothing is never needed, because costs are not negative.
        if !operator.effects.is_empty() || !operator.changes.is_empty() {
            operators.push(operator);
        }
    }
    Ok(())
}

/// One choice of the parts of a precondition's disjunctions.
struct Alternative<'a> {
    /// Atoms that may hold under the bindings.
    atoms: Vec<&'a Atom>,
    /// Conditions that do not depend on the state.
    fixed: Vec<Fixed<'a>>,
    /// The equations among these conditions.
    equalities: Equalities,
}

/// The alternatives of a precondition: its disjunctions in which every part has a condition that
/// does not depend on the state are split. Without such disjunctions there is one alternative.
fn alternatives<'a>(
    builder: &Builder,
    precondition: &'a Nnf,
    parameters: usize,
) -> Vec<Alternative<'a>> {
    let split = precondition.conjuncts().into_iter();
    let split: Vec<Vec<&Nnf>> = split
        .filter_map(|conjunct| match conjunct {
            Nnf::Or(parts) if builder.fixed_disjunction(parts).is_some() => {
                Some(parts.iter().collect())
            }
            _ => None,
        })
        .collect();
    let choices = choices(&split, MAX_ALTERNATIVES).into_iter();
    let alternatives = choices.filter_map(|parts| {
        let mut alternative = Alternative {
            atoms: Vec::new(),
            fixed: Vec::new(),
            equalities: Equalities::new(parameters),
        };
        let formulas = std::iter::once(precondition).chain(parts.into_iter().copied());
        for formula in formulas {
            formula.needed(&mut alternative.atoms);
            alternative.fixed.extend(builder.fixed_conditions(formula));
        }
        for condition in &alternative.fixed {
            if let Fixed::Equal(left, right, true) = condition
                && !alternative.equalities.unite(*left, *right)
            {
                return None;
            }
        }
        Some(alternative)
    });
    alternatives.collect()
}

impl Alternative<'_> {
    /// Calls `visit` with every binding under which all atoms may hold and no fixed condition fails,
    /// until it returns false. Whether all bindings were visited.
    fn each_binding(
        &self,
        builder: &Builder,
        ranges: &[(Slot, Rc<Members>)],
        visit: &mut dyn FnMut(&[ObjectId]) -> bool,
    ) -> Result<bool, CannotGround> {
        let atoms: Vec<Atom> = (self.atoms.iter())
            .map(|atom| self.equalities.apply(atom))
            .collect();
        let bound = ranges
            .iter()
            .filter(|(slot, _)| !self.equalities.replaces(usize::from(slot.0)));
        let query = Query {
            atoms: atoms.iter().collect(),
            variables: bound.map(|(slot, members)| (*slot, &**members)).collect(),
        };
        let replaced = self.equalities.replaced();
        let fill = |environment: &mut [ObjectId]| {
            for &(slot, term) in &replaced {
                environment[usize::from(slot.0)] = value(term, environment);
            }
        };
        let fails = |environment: &[ObjectId]| {
            let failing = |condition| builder.fails(condition, environment);
            self.fixed.iter().any(failing)
        };
        let prune = |environment: &[ObjectId]| {
            if replaced.is_empty() {
                return fails(environment);
            }
            let mut filled = environment.to_vec();
            fill(&mut filled);
            let outside = |&(slot, _): &(Slot, Term)| {
                let object = filled[usize::from(slot.0)];
                object != UNBOUND && !ranges[usize::from(slot.0)].1.contains(object)
            };
            replaced.iter().any(outside) || fails(&filled)
        };
        let mut environment = vec![UNBOUND; ranges.len()];
        let complete = query.each(
            &builder.reachable.relations,
            &mut environment,
            builder.poll,
            &prune,
            &mut |environment| {
                fill(environment);
                let more = visit(environment);
                for (slot, _) in &replaced {
                    environment[usize::from(slot.0)] = UNBOUND;
                }
                more
            },
        )?;
        Ok(complete)
    }

    /// Whether `each_binding` visits this binding.
    fn allows(&self, builder: &Builder, binding: &[ObjectId]) -> bool {
        let holds = |atom: &&Atom| {
            let terms = atom.arguments.iter();
            let tuple: Vec<ObjectId> = terms.map(|&term| value(term, binding)).collect();
            let relations = &builder.reachable.relations;
            relations.contains(atom.predicate, &tuple)
        };
        self.atoms.iter().all(holds)
            && !self
                .fixed
                .iter()
                .any(|condition| builder.fails(condition, binding))
    }
}

/// Adds a change to the operator, for all bindings of the change's own variables.
fn add_effect(
    builder: &mut Builder,
    effect: &FlatEffect,
    environment: &mut Vec<ObjectId>,
    metric: &CostFunction,
    operator: &mut Operator,
) -> Result<(), CannotGround> {
    let bindings = builder.effect_bindings(effect, environment)?;
    let before = environment.len();
    for binding in bindings {
        environment.truncate(before);
        environment.extend_from_slice(&binding);
        let condition = builder.formula(&effect.condition, environment)?;
        if condition == FALSE {
            continue;
        }
        match &effect.kind {
            EffectKind::Add(atom) => {
                if let Some(fact) = builder.changing_fact(atom, environment) {
                    operator.effect(condition).adds.push(fact);
                }
            }
            EffectKind::Delete(atom) => {
                if let Some(fact) = builder.changing_fact(atom, environment) {
                    operator.effect(condition).deletes.push(fact);
                }
            }
            EffectKind::Change { function, by, .. } if metric.function == Some(*function) => {
                let cost = metric.amount(builder, by, environment)?;
                operator.costs.push((condition, cost));
            }
            // A cost that the metric does not use.
            EffectKind::Change { function, .. } if metric.ignored == Some(*function) => {}
            EffectKind::Change {
                how,
                function,
                arguments,
                by,
            } => {
                let arguments: Vec<_> = arguments
                    .iter()
                    .map(|&term| value(term, environment))
                    .collect();
                let target = builder.number_variable(*function, &arguments);
                let by = builder.number(by, environment);
                operator.changes.push(NumberChange {
                    condition,
                    how: *how,
                    target,
                    by,
                });
            }
        }
    }
    environment.truncate(before);
    Ok(())
}

/// The bodies of all derived facts that formulas mention, directly or through other bodies.
fn derive(builder: &mut Builder) -> Result<Axioms, CannotGround> {
    let bodies: Vec<(PredicateId, Nnf)> = builder
        .domain
        .axioms
        .iter()
        .map(|axiom| (axiom.predicate, Nnf::of(&axiom.body)))
        .collect();
    let parameters: Vec<Vec<Rc<Members>>> = builder
        .domain
        .axioms
        .iter()
        .map(|axiom| {
            axiom
                .parameters
                .iter()
                .map(|parameter| builder.members(&parameter.types))
                .collect()
        })
        .collect();
    let mut nodes = Vec::new();
    let mut next = 0;
    while let Some(fact) = builder.derived_fact(next) {
        let mut parts = Vec::new();
        for ((predicate, body), parameters) in bodies.iter().zip(&parameters) {
            let fits = |(members, &object): (&Rc<Members>, &ObjectId)| members.contains(object);
            if *predicate == fact.predicate && parameters.iter().zip(&fact.arguments).all(fits) {
                parts.push(builder.formula(body, &mut fact.arguments.clone())?);
            }
        }
        nodes.push(builder.circuit.or(parts));
        next += 1;
    }
    Ok(Axioms::new(&builder.circuit, nodes, builder.poll)?)
}

/// The object that a term stands for under this binding.
pub(crate) fn value(term: Term, environment: &[ObjectId]) -> ObjectId {
    match term {
        Term::Object(object) => object,
        Term::Slot(slot) => environment[usize::from(slot.0)],
    }
}

impl Operator {
    /// The effect under this condition; a new one where there is none.
    fn effect(&mut self, condition: NodeId) -> &mut GroundEffect {
        let known = self
            .effects
            .iter()
            .position(|effect| effect.condition == condition);
        let at = known.unwrap_or_else(|| {
            self.effects.push(GroundEffect {
                condition,
                adds: Vec::new(),
                deletes: Vec::new(),
            });
            self.effects.len() - 1
        });
        &mut self.effects[at]
    }
}

/// The functions that start at 0 where the problem gives no value: `total-cost`, and the function
/// that the metric minimises or maximises.
fn costs(domain: &Domain, problem: &Problem) -> impl Iterator<Item = FunctionId> {
    let total = domain
        .functions
        .iter()
        .position(|function| function.name == "total-cost");
    let metric = match &problem.metric {
        Metric::Minimize(Expression::Function(function, arguments))
        | Metric::Maximize(Expression::Function(function, arguments))
            if arguments.is_empty() =>
        {
            Some(*function)
        }
        _ => None,
    };
    let total = total.map(|index| FunctionId(index as u16));
    total.into_iter().chain(metric)
}

/// The function that the metric minimises. Actions may only increase it, by constant amounts.
struct CostFunction {
    /// `None` where every step costs 1.
    function: Option<FunctionId>,
    /// Every step costs 1.
    unit: bool,
    /// `total-cost` where the metric does not mention it.
    ignored: Option<FunctionId>,
}

impl CostFunction {
    fn of(domain: &Domain, problem: &Problem) -> Result<Self, CannotGround> {
        let total = domain
            .functions
            .iter()
            .position(|function| function.name == "total-cost");
        let total = total.map(|index| FunctionId(index as u16));
        let read = |function: FunctionId| {
            let in_actions = domain.actions.iter().any(|action| {
                reads(&action.precondition, function) || effect_reads(&action.effect, function)
            });
            in_actions
                || domain
                    .axioms
                    .iter()
                    .any(|axiom| reads(&axiom.body, function))
                || reads(&problem.goal, function)
        };
        match &problem.metric {
            Metric::Steps => {
                let ignored = total.filter(|&total| !read(total));
                Ok(Self {
                    function: None,
                    unit: true,
                    ignored,
                })
            }
            Metric::Minimize(Expression::Function(function, arguments)) if arguments.is_empty() => {
                let name = &domain.functions[usize::from(function.0)].name;
                let grows = domain.actions.iter().all(|action| {
                    flat_effects(&action.effect)
                        .iter()
                        .all(|effect| match &effect.kind {
                            EffectKind::Change {
                                how,
                                function: changed,
                                ..
                            } => changed != function || *how == Change::Increase,
                            _ => true,
                        })
                });
                if !grows || read(*function) {
                    let why = "must only be increased, and no condition may read it";
                    return Err(format!("the metric '{name}' {why}").into());
                }
                Ok(Self {
                    function: Some(*function),
                    unit: false,
                    ignored: None,
                })
            }
            _ => Err(CannotGround::Unsupported(
                "the metric must be '(minimize (FUNCTION))' for a function that actions increase"
                    .to_string(),
            )),
        }
    }

    /// The amount of an increase: constant, whole and not negative.
    fn amount(
        &self,
        builder: &mut Builder,
        by: &Expression,
        environment: &[ObjectId],
    ) -> Result<u32, CannotGround> {
        let Number::Constant(bits) = builder.number(by, environment) else {
            return Err("a cost depends on numbers that change".to_string().into());
        };
        let cost = f64::from_bits(bits);
        if cost.is_nan() {
            return Err("a cost has no value in the problem's ':init'"
                .to_string()
                .into());
        }
        if cost < 0.0 || cost.fract() != 0.0 || cost > f64::from(u32::MAX / 2) {
            let why = format!("a cost is a whole number that is not negative, found {cost}");
            return Err(why.into());
        }
        Ok(cost as u32)
    }
}

/// Whether the formula reads the function.
fn reads(formula: &Formula, function: FunctionId) -> bool {
    match formula {
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| reads(part, function)),
        Formula::Not(body) | Formula::Exists { body, .. } | Formula::Forall { body, .. } => {
            reads(body, function)
        }
        Formula::Atom(_) | Formula::Equal(..) => false,
        Formula::Compare(_, left, right) => left.reads(function) || right.reads(function),
    }
}

/// Whether a condition or an amount in the effect reads the function.
fn effect_reads(effect: &Effect, function: FunctionId) -> bool {
    match effect {
        Effect::And(parts) => parts.iter().any(|part| effect_reads(part, function)),
        Effect::Forall { body, .. } => effect_reads(body, function),
        Effect::When(condition, body) => reads(condition, function) || effect_reads(body, function),
        Effect::Add(_) | Effect::Delete(_) => false,
        Effect::Change { by, .. } => by.reads(function),
    }
}

impl Expression {
    fn reads(&self, function: FunctionId) -> bool {
        match self {
            Expression::Number(_) => false,
            Expression::Function(read, _) => *read == function,
            Expression::Negate(body) => body.reads(function),
            Expression::Binary(_, left, right) => left.reads(function) || right.reads(function),
        }
    }
}
