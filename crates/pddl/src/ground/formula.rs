//! Formulas under a binding, as nodes of the circuit.

use super::counting::count;
use super::nnf::{Leaf, Nnf};
use super::reach::{PredicateKind, Reach};
use super::relations::{Domains, Members, Query, UNBOUND};
use super::{CannotGround, Numbering, value};
use crate::circuit::*;
use crate::lifted::*;
use crate::task::{Axioms, Operator, Parts, Task};

/// A quantifier with more bindings than this is searched when it is evaluated, not written out.
const MOST_BINDINGS: usize = 20_000;

pub(super) struct Builder<'a> {
    pub domain: &'a Domain,
    problem: &'a Problem,
    pub reached: &'a Reach,
    domains: Domains<'a>,
    pub circuit: Circuit,
    facts: Numbering<Fact>,
    derived: Numbering<Fact>,
    numbers: Numbering<(FunctionId, Vec<ObjectId>)>,
    /// The functions that some action changes, other than the cost.
    changing: Vec<bool>,
    start: rustc_hash::FxHashSet<Fact>,
    values: rustc_hash::FxHashMap<(FunctionId, Vec<ObjectId>), f64>,
}

/// A conjunct that is certain once its slots are bound.
pub(super) enum Fixed<'a> {
    Equal(Term, Term, bool),
    Static(&'a Atom, bool),
}

impl<'a> Builder<'a> {
    pub fn new(
        domain: &'a Domain,
        problem: &'a Problem,
        reached: &'a Reach,
        domains: Domains<'a>,
        cost: Option<FunctionId>,
    ) -> Self {
        let mut changing = vec![false; domain.functions.len()];
        for action in &domain.actions {
            for leaf in super::leaves(&action.effect) {
                if let super::What::Change { function, .. } = leaf.what {
                    changing[usize::from(function.0)] = Some(function) != cost;
                }
            }
        }
        let values = problem
            .values
            .iter()
            .map(|v| ((v.function, v.arguments.clone()), v.value));
        Self {
            domain,
            problem,
            reached,
            domains,
            circuit: Circuit::default(),
            facts: Numbering::new(),
            derived: Numbering::new(),
            numbers: Numbering::new(),
            changing,
            start: problem.facts.iter().cloned().collect(),
            values: values.collect(),
        }
    }

    pub fn members(&mut self, types: &Either) -> Members {
        let id = self.domains.id(types);
        self.domains.members(id).clone()
    }

    fn kind(&self, predicate: PredicateId) -> PredicateKind {
        self.reached.kinds[usize::from(predicate.0)]
    }

    /// The conjuncts that can cut a join short.
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
                _ => None,
            })
            .collect()
    }

    /// Whether the condition is false for certain under a binding that may not be complete.
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
                    && self.reached.relations.contains(atom.predicate, &tuple) != *positive
            }
        }
    }

    /// The bindings of a leaf's own variables, in slot order, that its condition's atoms leave.
    pub fn leaf_bindings(&mut self, leaf: &Leaf, environment: &[ObjectId]) -> Vec<Vec<ObjectId>> {
        let ranges: Vec<(Slot, Members)> = leaf
            .variables
            .iter()
            .map(|(slot, parameter)| (*slot, self.members(&parameter.types)))
            .collect();
        let mut needed = Vec::new();
        leaf.condition.needed(&mut needed);
        let fixed = self.fixed_conditions(&leaf.condition);
        self.bindings(needed, &ranges, &fixed, environment, usize::MAX)
            .expect("there is no limit")
    }

    /// All bindings of these variables that the atoms leave; `None` if there are more than `most`.
    fn bindings(
        &self,
        atoms: Vec<&Atom>,
        ranges: &[(Slot, Members)],
        fixed: &[Fixed],
        environment: &[ObjectId],
        most: usize,
    ) -> Option<Vec<Vec<ObjectId>>> {
        let first = environment.len();
        let query = Query {
            atoms,
            variables: ranges
                .iter()
                .map(|(slot, members)| (*slot, members))
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
            &self.reached.relations,
            &mut environment,
            &prune,
            &mut |environment| {
                found.push(environment[first..last].to_vec());
                found.len() <= most
            },
        );
        complete.then_some(found)
    }

    pub fn formula(
        &mut self,
        formula: &Nnf,
        environment: &mut Vec<ObjectId>,
    ) -> Result<NodeId, CannotGround> {
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
                Ok(if and {
                    self.circuit.and(nodes)
                } else {
                    self.circuit.or(nodes)
                })
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
                Ok(if *positive {
                    node
                } else {
                    self.circuit.not(node)
                })
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
                Ok(if *positive {
                    node
                } else {
                    self.circuit.not(node)
                })
            }
        }
    }

    fn quantified(
        &mut self,
        exists: bool,
        variables: &[Parameter],
        body: &Nnf,
        environment: &mut Vec<ObjectId>,
    ) -> Result<NodeId, CannotGround> {
        let first = environment.len();
        let slots = (first as u16..).map(Slot);
        let ranges: Vec<(Slot, Members)> = slots
            .zip(variables)
            .map(|(slot, variable)| (slot, self.members(&variable.types)))
            .collect();
        if exists
            && variables.len() > 1
            && let Some(count) = count(&ranges, body)
        {
            return self.counted(&count, &ranges, environment);
        }
        // Elsewhere an existential is false, and a universal true.
        let mut atoms = Vec::new();
        if exists {
            body.needed(&mut atoms)
        } else {
            body.refuting(&mut atoms)
        }
        let fixed = if exists {
            self.fixed_conditions(body)
        } else {
            Vec::new()
        };
        let Some(bindings) = self.bindings(atoms, &ranges, &fixed, environment, MOST_BINDINGS)
        else {
            return if exists {
                self.choose(&ranges, body, environment)
            } else {
                let negated = negate(body);
                let node = self.choose(&ranges, &negated, environment)?;
                Ok(self.circuit.not(node))
            };
        };
        let absorbing = if exists { TRUE } else { FALSE };
        let mut nodes = Vec::new();
        for binding in bindings {
            environment.extend_from_slice(&binding);
            let node = self.formula(body, environment);
            environment.truncate(first);
            let node = node?;
            if node == absorbing {
                return Ok(absorbing);
            }
            nodes.push(node);
        }
        Ok(if exists {
            self.circuit.or(nodes)
        } else {
            self.circuit.and(nodes)
        })
    }

    /// "There are g tuples such that every other one …": at most g do not.
    fn counted(
        &mut self,
        count: &super::counting::Count,
        ranges: &[(Slot, Members)],
        environment: &mut Vec<ObjectId>,
    ) -> Result<NodeId, CannotGround> {
        let first = environment.len();
        let inner: Vec<Members> = count
            .variables
            .iter()
            .map(|variable| self.members(&variable.types))
            .collect();
        let places: usize = inner.iter().map(|members| members.list.len()).product();
        let wanted = if count.distinct {
            count.tuples
        } else {
            count.tuples.min(1)
        };
        if places < wanted || ranges.iter().any(|(_, members)| members.list.is_empty()) {
            return Ok(FALSE);
        }
        // Inside the formula the inner variables follow the outer ones, which it does not read.
        environment.resize(first + ranges.len(), UNBOUND);
        let mut parts = Vec::new();
        let result = self.each_place(&inner, 0, &count.otherwise, environment, &mut parts);
        environment.truncate(first);
        result?;
        let exceptions = parts
            .into_iter()
            .map(|part| self.circuit.not(part))
            .collect();
        Ok(self.circuit.at_most(count.tuples, exceptions))
    }

    fn each_place(
        &mut self,
        inner: &[Members],
        at: usize,
        formula: &Nnf,
        environment: &mut Vec<ObjectId>,
        parts: &mut Vec<NodeId>,
    ) -> Result<(), CannotGround> {
        let Some(members) = inner.get(at) else {
            parts.push(self.formula(formula, environment)?);
            return Ok(());
        };
        for &object in &members.list {
            environment.push(object);
            let result = self.each_place(inner, at + 1, formula, environment, parts);
            environment.pop();
            result?;
        }
        Ok(())
    }

    /// An existential quantifier that is searched when it is evaluated.
    fn choose(
        &mut self,
        ranges: &[(Slot, Members)],
        body: &Nnf,
        environment: &mut Vec<ObjectId>,
    ) -> Result<NodeId, CannotGround> {
        let first = environment.len();
        environment.resize(first + ranges.len(), UNBOUND);
        let free = Free { first, ranges };
        let parts: Result<Vec<Open>, CannotGround> = body
            .conjuncts()
            .into_iter()
            .map(|part| self.open(part, &free, environment))
            .collect();
        environment.truncate(first);
        let sizes = ranges
            .iter()
            .map(|(_, members)| members.list.len() as u32)
            .collect();
        Ok(self.circuit.choice(Choice {
            sizes,
            parts: parts?,
        }))
    }

    /// A formula in which some variables are free.
    fn open(
        &mut self,
        formula: &Nnf,
        free: &Free,
        environment: &mut Vec<ObjectId>,
    ) -> Result<Open, CannotGround> {
        match formula {
            Nnf::And(parts) => Ok(Open::And(self.opens(parts, free, environment)?)),
            Nnf::Or(parts) => Ok(Open::Or(self.opens(parts, free, environment)?)),
            Nnf::Exists {
                variables, body, ..
            }
            | Nnf::Forall {
                variables, body, ..
            } => {
                let exists = matches!(formula, Nnf::Exists { .. });
                let ranges: Vec<Members> = variables
                    .iter()
                    .map(|variable| self.members(&variable.types))
                    .collect();
                let product = ranges
                    .iter()
                    .map(|members| members.list.len())
                    .product::<usize>();
                if product > MOST_BINDINGS {
                    return Err(CannotGround(format!(
                        "a quantifier inside a quantifier has {product} bindings, more than {MOST_BINDINGS}"
                    )));
                }
                let before = environment.len();
                let mut parts = Vec::new();
                for index in 0..product {
                    let mut rest = index;
                    for members in &ranges {
                        environment.push(members.list[rest % members.list.len()]);
                        rest /= members.list.len();
                    }
                    let part = self.open(body, free, environment);
                    environment.truncate(before);
                    parts.push(part?);
                }
                Ok(if exists {
                    Open::Or(parts)
                } else {
                    Open::And(parts)
                })
            }
            Nnf::Equal {
                left,
                right,
                positive,
            } => match (free.index(*left), free.index(*right)) {
                (None, None) => Ok(Open::Closed(self.formula(formula, environment)?)),
                (Some(at), None) => Ok(self.is(free, at, value(*right, environment), *positive)),
                (None, Some(at)) => Ok(self.is(free, at, value(*left, environment), *positive)),
                (Some(left), Some(right)) => {
                    let other = &free.ranges[right].1.list;
                    let same = |object| other.iter().position(|o| o == object).map(|at| at as u32);
                    let table = free.ranges[left].1.list.iter().map(same).collect();
                    Ok(Open::Same(left, right, table, *positive))
                }
            },
            Nnf::Literal { atom, .. } => {
                let used: Vec<usize> = atom
                    .arguments
                    .iter()
                    .filter_map(|&term| free.index(term))
                    .collect();
                self.table(formula, used, free, environment)
            }
            Nnf::Compare { .. } => Err(CannotGround(
                "a numeric comparison stands inside a quantifier with too many bindings"
                    .to_string(),
            )),
        }
    }

    fn opens(
        &mut self,
        parts: &[Nnf],
        free: &Free,
        environment: &mut Vec<ObjectId>,
    ) -> Result<Vec<Open>, CannotGround> {
        parts
            .iter()
            .map(|part| self.open(part, free, environment))
            .collect()
    }

    fn is(&self, free: &Free, at: usize, object: ObjectId, positive: bool) -> Open {
        match free.ranges[at]
            .1
            .list
            .iter()
            .position(|&member| member == object)
        {
            Some(index) => Open::Is(at, index as u32, positive),
            None => Open::Closed(self.circuit.constant(!positive)),
        }
    }

    /// A literal for every value of the free variables in it.
    fn table(
        &mut self,
        literal: &Nnf,
        mut used: Vec<usize>,
        free: &Free,
        environment: &mut Vec<ObjectId>,
    ) -> Result<Open, CannotGround> {
        used.sort();
        used.dedup();
        if used.is_empty() {
            return Ok(Open::Closed(self.formula(literal, environment)?));
        }
        let size = used
            .iter()
            .map(|&at| free.ranges[at].1.list.len())
            .product::<usize>();
        if size > MOST_BINDINGS {
            return Err(CannotGround(
                "an atom inside a quantifier with too many bindings has too many instances itself"
                    .to_string(),
            ));
        }
        let mut table = Vec::with_capacity(size);
        for index in 0..size {
            let mut rest = index;
            for &at in &used {
                let list = &free.ranges[at].1.list;
                environment[free.first + at] = list[rest % list.len()];
                rest /= list.len();
            }
            table.push(self.formula(literal, environment)?);
        }
        used.iter()
            .for_each(|&at| environment[free.first + at] = UNBOUND);
        Ok(Open::Table(used, table.into_boxed_slice()))
    }

    fn atom(&mut self, atom: &Atom, environment: &[ObjectId]) -> NodeId {
        let arguments: Vec<_> = atom
            .arguments
            .iter()
            .map(|&term| value(term, environment))
            .collect();
        if !self.reached.relations.contains(atom.predicate, &arguments) {
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

    /// The fact that an effect changes; `None` where the change changes nothing.
    pub fn changing_fact(&mut self, atom: &Atom, environment: &[ObjectId]) -> Option<FactId> {
        let node = self.atom(atom, environment);
        match *self.circuit.node(node) {
            Node::Fact(fact) => Some(fact),
            _ => None,
        }
    }

    pub fn derived_fact(&self, index: usize) -> Option<Fact> {
        self.derived.keys.get(index).cloned()
    }

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

    pub fn number_variable(&mut self, function: FunctionId, arguments: &[ObjectId]) -> NumberId {
        NumberId(self.numbers.id((function, arguments.to_vec())))
    }

    /// The task, with the state that it starts in.
    pub fn finish(self, operators: Vec<Operator>, axioms: Axioms, goal: NodeId) -> Task {
        let start = self
            .facts
            .keys
            .iter()
            .map(|fact| self.start.contains(fact))
            .collect();
        let number =
            |key: &(FunctionId, Vec<ObjectId>)| self.values.get(key).copied().unwrap_or(f64::NAN);
        let values = self.numbers.keys.iter().map(number).collect();
        debug_assert!(self.problem.objects.len() < UNBOUND.0 as usize);
        Task::new(Parts {
            facts: self.facts.keys,
            numbers: self.numbers.keys,
            circuit: self.circuit,
            operators,
            axioms,
            goal,
            start,
            values,
        })
    }
}

/// The variables of a `Choice`: from slot `first` on.
struct Free<'a> {
    first: usize,
    ranges: &'a [(Slot, Members)],
}

impl Free<'_> {
    fn index(&self, term: Term) -> Option<usize> {
        match term {
            Term::Slot(slot) => usize::from(slot.0)
                .checked_sub(self.first)
                .filter(|&at| at < self.ranges.len()),
            Term::Object(_) => None,
        }
    }
}

fn fold(how: Arithmetic, left: Number, right: Number) -> Number {
    match (&left, &right) {
        (Number::Constant(a), Number::Constant(b)) => {
            Number::constant(calculate(how, f64::from_bits(*a), f64::from_bits(*b)))
        }
        _ => Number::Binary(how, Box::new(left), Box::new(right)),
    }
}

/// The negation, pushed down.
fn negate(formula: &Nnf) -> Nnf {
    let all = |parts: &[Nnf]| parts.iter().map(negate).collect();
    match formula.clone() {
        Nnf::And(parts) => Nnf::Or(all(&parts)),
        Nnf::Or(parts) => Nnf::And(all(&parts)),
        Nnf::Exists {
            first,
            variables,
            body,
        } => Nnf::Forall {
            first,
            variables,
            body: Box::new(negate(&body)),
        },
        Nnf::Forall {
            first,
            variables,
            body,
        } => Nnf::Exists {
            first,
            variables,
            body: Box::new(negate(&body)),
        },
        Nnf::Literal { atom, positive } => Nnf::Literal {
            atom,
            positive: !positive,
        },
        Nnf::Equal {
            left,
            right,
            positive,
        } => Nnf::Equal {
            left,
            right,
            positive: !positive,
        },
        Nnf::Compare {
            how,
            left,
            right,
            positive,
        } => Nnf::Compare {
            how,
            left,
            right,
            positive: !positive,
        },
    }
}
