//! Formulas and numeric expressions under a binding, as nodes of the circuit.

use std::rc::Rc;

use ployglot_base::{Limit, Poll};

use super::normal_form::{FlatEffect, Nnf};
use super::reachability::{PredicateKind, Reachable};
use super::relations::{Members, Query, TypedObjects, UNBOUND};
use super::{CannotGround, value};
use crate::circuit::*;
use crate::cutoff::Cutoff;
use crate::interner::Interner;
use crate::lifted::*;
use crate::task::{Axioms, Index, Operator, State, Task};

/// Builds the circuit of a task, and numbers the facts, derived facts and numbers that it mentions.
pub(super) struct Builder<'a> {
    pub domain: &'a Domain,
    problem: &'a Problem,
    pub reachable: &'a Reachable,
    typed_objects: TypedObjects<'a>,
    pub circuit: Circuit,
    facts: Interner<Fact>,
    derived: Interner<Fact>,
    numbers: Interner<(FunctionId, Vec<ObjectId>)>,
    /// For each function, whether some action changes it and it is not the cost.
    changing: Vec<bool>,
    start: rustc_hash::FxHashSet<Fact>,
    values: rustc_hash::FxHashMap<(FunctionId, Vec<ObjectId>), f64>,
    pub poll: &'a Poll,
}

/// A conjunct whose value does not depend on the state.
pub(super) enum Fixed<'a> {
    Equal(Term, Term, bool),
    Static(&'a Atom, bool),
    /// One of these conjunctions.
    OneOf(Vec<Vec<Fixed<'a>>>),
}

impl<'a> Builder<'a> {
    pub fn new(
        domain: &'a Domain,
        problem: &'a Problem,
        reachable: &'a Reachable,
        typed_objects: TypedObjects<'a>,
        cost: Option<FunctionId>,
        poll: &'a Poll,
    ) -> Result<Self, Limit> {
        let mut changing = vec![false; domain.functions.len()];
        for action in &domain.actions {
            for effect in super::flat_effects(&action.effect) {
                if let super::EffectKind::Change { function, .. } = effect.kind {
                    changing[usize::from(function.0)] = Some(function) != cost;
                }
            }
        }
        let values = problem
            .values
            .iter()
            .map(|v| ((v.function, v.arguments.clone()), v.value));
        let mut values: rustc_hash::FxHashMap<_, _> = values.collect();
        // A cost starts at 0 where the problem gives no value.
        for function in super::costs(domain, problem) {
            values.entry((function, Vec::new())).or_insert(0.0);
        }
        // The facts of predicates that cannot change are in the relations.
        let kind = |fact: &&Fact| reachable.kinds[usize::from(fact.predicate.0)];
        let changing_facts = problem
            .facts
            .iter()
            .filter(|fact| kind(fact) != PredicateKind::Static);
        poll.try_step()?;
        Ok(Self {
            domain,
            problem,
            reachable,
            typed_objects,
            circuit: Circuit::default(),
            facts: Interner::default(),
            derived: Interner::default(),
            numbers: Interner::default(),
            changing,
            start: changing_facts.cloned().collect(),
            values,
            poll,
        })
    }

    /// The objects that a variable of these types ranges over.
    pub fn members(&mut self, types: &Either) -> Rc<Members> {
        let id = self.typed_objects.id(types);
        self.typed_objects.members(id).clone()
    }

    fn kind(&self, predicate: PredicateId) -> PredicateKind {
        self.reachable.kinds[usize::from(predicate.0)]
    }

    /// The conjuncts whose value does not depend on the state: they can prune a join.
    pub fn fixed_conditions<'f>(&self, formula: &'f Nnf) -> Vec<Fixed<'f>> {
        let conjuncts = formula.conjuncts().into_iter();
        conjuncts
            .filter_map(|conjunct| match conjunct {
                Nnf::Equal {
                    left,
                    right,
                    positive,
                } => Some(Fixed::Equal(*left, *right, *positive)),
                Nnf::Literal {
                    atom,
                    positive: false,
                } if self.kind(atom.predicate) == PredicateKind::Static => {
                    Some(Fixed::Static(atom, false))
                }
                Nnf::Or(parts) => self.fixed_disjunction(parts),
                _ => None,
            })
            .collect()
    }

    /// The fixed conditions of each part; `None` where a part has none, so that the disjunction never
    /// fails by them.
    pub fn fixed_disjunction<'f>(&self, parts: &'f [Nnf]) -> Option<Fixed<'f>> {
        let parts = parts.iter().map(|part| {
            let mut fixed = self.fixed_conditions(part);
            // Positive literals outside of disjunctions are joined.
            for conjunct in part.conjuncts() {
                if let Nnf::Literal {
                    atom,
                    positive: true,
                } = conjunct
                    && self.kind(atom.predicate) == PredicateKind::Static
                {
                    fixed.push(Fixed::Static(atom, true));
                }
            }
            Some(fixed).filter(|fixed| !fixed.is_empty())
        });
        parts.collect::<Option<_>>().map(Fixed::OneOf)
    }

    /// Whether the condition is false under a partial binding, whatever the other slots are bound
    /// to.
    pub fn fails(&self, condition: &Fixed, environment: &[ObjectId]) -> bool {
        let look = |term: Term| match term {
            Term::Object(object) => object,
            Term::Slot(slot) => environment
                .get(usize::from(slot.0))
                .copied()
                .unwrap_or(UNBOUND),
        };
        match condition {
            Fixed::Equal(left, right, positive) => {
                let (left, right) = (look(*left), look(*right));
                left != UNBOUND && right != UNBOUND && (left == right) != *positive
            }
            Fixed::Static(atom, positive) => {
                let tuple: Vec<_> = atom.arguments.iter().map(|&term| look(term)).collect();
                !tuple.contains(&UNBOUND)
                    && self.reachable.relations.contains(atom.predicate, &tuple) != *positive
            }
            Fixed::OneOf(parts) => parts
                .iter()
                .all(|part| part.iter().any(|fixed| self.fails(fixed, environment))),
        }
    }

    /// The bindings of the variables that quantifiers in the effect bind, in slot order, under
    /// which its condition may hold.
    pub fn effect_bindings(
        &mut self,
        effect: &FlatEffect,
        environment: &[ObjectId],
    ) -> Result<Vec<Vec<ObjectId>>, Limit> {
        // Most effects have no variables of their own.
        if effect.variables.is_empty() {
            return Ok(vec![Vec::new()]);
        }
        let ranges: Vec<(Slot, Rc<Members>)> = effect
            .variables
            .iter()
            .map(|(slot, parameter)| (*slot, self.members(&parameter.types)))
            .collect();
        let mut needed = Vec::new();
        effect.condition.needed(&mut needed);
        let fixed = self.fixed_conditions(&effect.condition);
        let all = self.bindings(needed, &ranges, &fixed, environment, usize::MAX)?;
        Ok(all.expect("any number is allowed"))
    }

    /// The bindings of these variables under which the atoms may hold; `None` if there are more
    /// than `most`.
    pub fn bindings(
        &self,
        atoms: Vec<&Atom>,
        ranges: &[(Slot, Rc<Members>)],
        fixed: &[Fixed],
        environment: &[ObjectId],
        most: usize,
    ) -> Result<Option<Vec<Vec<ObjectId>>>, Limit> {
        let first = environment.len();
        let query = Query {
            atoms,
            variables: ranges
                .iter()
                .map(|(slot, members)| (*slot, &**members))
                .collect(),
        };
        let mut found: Vec<Vec<ObjectId>> = Vec::new();
        let prune = |environment: &[ObjectId]| {
            fixed
                .iter()
                .any(|condition| self.fails(condition, environment))
        };
        let mut environment = environment.to_vec();
        let last = first + ranges.len();
        let complete = query.each(
            &self.reachable.relations,
            &mut environment,
            self.poll,
            &prune,
            &mut |environment| {
                found.push(environment[first..last].to_vec());
                found.len() <= most
            },
        )?;
        Ok(complete.then_some(found))
    }

    /// The node of a formula under this binding.
    pub fn formula(
        &mut self,
        formula: &Nnf,
        environment: &mut Vec<ObjectId>,
    ) -> Result<NodeId, CannotGround> {
        self.poll.try_step()?;
        self.circuit.affords_one(self.poll)?;
        match formula {
            Nnf::And(parts) | Nnf::Or(parts) => {
                let and = matches!(formula, Nnf::And(_));
                let absorbing = if and { FALSE } else { TRUE };
                let mut nodes = Vec::with_capacity(parts.len());
                for part in parts {
                    let node = self.formula(part, environment)?;
                    if node == absorbing {
                        return Ok(absorbing);
                    }
                    nodes.push(node);
                }
                Ok(self.circuit.and_or(and, nodes))
            }
            Nnf::Exists {
                variables, body, ..
            }
            | Nnf::Forall {
                variables, body, ..
            } => {
                let exists = matches!(formula, Nnf::Exists { .. });
                self.quantified(exists, variables, body, environment)
            }
            Nnf::Literal { atom, positive } => {
                let node = self.atom(atom, environment);
                Ok(self.circuit.signed(node, *positive))
            }
            Nnf::Equal {
                left,
                right,
                positive,
            } => {
                let same = value(*left, environment) == value(*right, environment);
                Ok(self.circuit.constant(same == *positive))
            }
            Nnf::Compare {
                how,
                left,
                right,
                positive,
            } => {
                let (left, right) = (
                    self.number(left, environment),
                    self.number(right, environment),
                );
                let node = self.circuit.compare(*how, left, right);
                Ok(self.circuit.signed(node, *positive))
            }
        }
    }

    /// The node of an atom under this binding: a constant where it is static or unreachable.
    fn atom(&mut self, atom: &Atom, environment: &[ObjectId]) -> NodeId {
        let arguments: Vec<_> = atom
            .arguments
            .iter()
            .map(|&term| value(term, environment))
            .collect();
        if !self
            .reachable
            .relations
            .contains(atom.predicate, &arguments)
        {
            return FALSE;
        }
        let fact = Fact {
            predicate: atom.predicate,
            arguments,
        };
        match self.kind(atom.predicate) {
            PredicateKind::Static => TRUE,
            PredicateKind::Growing if self.start.contains(&fact) => TRUE,
            PredicateKind::Growing | PredicateKind::Fluent => {
                let id = FactId(self.facts.id(fact));
                self.circuit.fact(id)
            }
            PredicateKind::Derived => {
                let id = DerivedId(self.derived.id(fact));
                self.circuit.derived(id)
            }
        }
    }

    /// The fact that an effect changes; `None` where the atom is constant.
    pub fn changing_fact(&mut self, atom: &Atom, environment: &[ObjectId]) -> Option<FactId> {
        let node = self.atom(atom, environment);
        match *self.circuit.node(node) {
            Node::Fact(fact) => Some(fact),
            _ => None,
        }
    }

    /// The derived fact with this number; `None` where formulas have mentioned fewer derived facts.
    pub fn derived_fact(&self, index: usize) -> Option<Fact> {
        self.derived.keys().get(index).cloned()
    }

    /// The expression under this binding.
    pub fn number(&mut self, expression: &Expression, environment: &[ObjectId]) -> Number {
        match expression {
            Expression::Number(number) => Number::constant(*number),
            Expression::Function(function, terms) => {
                let arguments: Vec<_> =
                    terms.iter().map(|&term| value(term, environment)).collect();
                if self.changing[usize::from(function.0)] {
                    return Number::Variable(self.number_variable(*function, &arguments));
                }
                let known = self.values.get(&(*function, arguments)).copied();
                Number::constant(known.unwrap_or(f64::NAN))
            }
            Expression::Negate(body) => {
                let body = self.number(body, environment);
                fold(Arithmetic::Subtract, Number::constant(0.0), body)
            }
            Expression::Binary(how, left, right) => {
                let (left, right) = (
                    self.number(left, environment),
                    self.number(right, environment),
                );
                fold(*how, left, right)
            }
        }
    }

    /// The number that a function has for these arguments.
    pub fn number_variable(&mut self, function: FunctionId, arguments: &[ObjectId]) -> NumberId {
        NumberId(self.numbers.id((function, arguments.to_vec())))
    }

    /// The finished task.
    pub fn finish(self, operators: Vec<Operator>, axioms: Axioms, goal: NodeId) -> Task {
        let start: Vec<bool> = self
            .facts
            .keys()
            .iter()
            .map(|fact| self.start.contains(fact))
            .collect();
        let number =
            |key: &(FunctionId, Vec<ObjectId>)| self.values.get(key).copied().unwrap_or(f64::NAN);
        let values: Vec<f64> = self.numbers.keys().iter().map(number).collect();
        debug_assert!(self.problem.objects.len() < UNBOUND.0 as usize);
        Task {
            facts: self.facts.into_keys(),
            numbers: self.numbers.into_keys(),
            circuit: self.circuit,
            operators,
            axioms,
            goal,
            groups: Vec::new(),
            start: State::new(&start, &values),
            index: Index::default(),
            cutoff: Cutoff::default(),
        }
    }
}

/// The operation on two expressions; a constant where both are.
fn fold(how: Arithmetic, left: Number, right: Number) -> Number {
    match (&left, &right) {
        (Number::Constant(a), Number::Constant(b)) => {
            Number::constant(calculate(how, f64::from_bits(*a), f64::from_bits(*b)))
        }
        _ => Number::Binary(how, Box::new(left), Box::new(right)),
    }
}
