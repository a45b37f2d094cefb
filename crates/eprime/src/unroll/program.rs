//! A boolean term as a list of steps that computes its value for values of its variables. Two terms
//! that differ only in the names of their variables have equal programs.
//!
//! Where a function is undefined (a divisor of 0, an index out of range) the step has the value 0:
//! the conditions under which a term is defined are terms of their own (`build.rs`), and where they
//! do not hold, the value does not matter.

use std::collections::HashMap;

use ployglot_base::Poll;
use ployglot_csp::{Literal, VarId};

use super::nodes::{Bool, BoolNode, Int, IntId, IntNode, Nodes};
use crate::deep::deep;

/// The steps of a term, each of which may use the results of earlier ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Program {
    steps: Vec<Step>,
    /// The step with the value of the term, and whether that is negated.
    result: (usize, bool),
}

/// A constant, or the result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Source {
    Constant(i64),
    Step(usize),
}

/// What a step computes; truth values are 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// The variable at this place of the scope.
    Variable(usize),
    /// A statement about the variable at this place of the scope.
    Holds(usize, Literal),
    True,
    /// Steps, each perhaps negated.
    And(Box<[(usize, bool)]>),
    Same(usize, usize),
    Linear {
        terms: Box<[(i64, usize)]>,
        equal: bool,
        bound: i64,
    },
    AllDifferent(Box<[Source]>, Option<i64>),
    /// The items are one of the rows of this table.
    Table(Box<[Source]>, u32),
    Sum(Box<[(i64, usize)]>, i64),
    Element {
        items: Box<[Source]>,
        indices: Box<[(usize, Box<[i64]>)]>,
    },
    Product(Source, Source),
    Quotient(Source, Source),
    Remainder(Source, Source),
    Power(Source, Source),
    Absolute(usize),
    Minimum(Box<[Source]>),
    Maximum(Box<[Source]>),
}

/// A term is not compiled to more steps than this.
const MOST_STEPS: usize = 4000;

/// Translates terms to steps.
struct Compiler<'n> {
    nodes: &'n Nodes,
    /// The place of each variable in the scope.
    places: HashMap<VarId, usize>,
    bools: HashMap<usize, usize>,
    ints: HashMap<IntId, usize>,
    steps: Vec<Step>,
    /// For each step, the places of the variables that its result depends on, as bits.
    scopes: Vec<u64>,
    functions: u32,
    renamings: u32,
}

/// How complex a term is.
pub(crate) struct Shape {
    /// How many integer functions of two or more variables it has that are not sums. A function of
    /// one variable is a renaming of its values.
    pub functions: u32,
    /// How many integer functions of one variable it has.
    pub renamings: u32,
}

impl Program {
    /// The program of a term, whose variables are those of the scope; `None` if it is too long.
    pub fn compile(nodes: &Nodes, term: Bool, scope: &[VarId]) -> Option<(Program, Shape)> {
        let mut compiler = Compiler {
            nodes,
            places: scope.iter().copied().zip(0..).collect(),
            bools: HashMap::new(),
            ints: HashMap::new(),
            steps: Vec::new(),
            scopes: Vec::new(),
            functions: 0,
            renamings: 0,
        };
        let result = compiler.signed(term)?;
        let shape = Shape {
            functions: compiler.functions,
            renamings: compiler.renamings,
        };
        let steps = compiler.steps;
        Some((Program { steps, result }, shape))
    }

    pub fn length(&self) -> usize {
        self.steps.len()
    }

    /// The value of the term for these values of the scope; `None` if a number does not fit 64
    /// bits. `results` is room for the steps.
    pub fn holds(
        &self,
        values: &[i64],
        tables: &[Vec<Vec<i64>>],
        results: &mut Vec<i64>,
        poll: &Poll,
    ) -> Option<bool> {
        poll.steps(1 + self.steps.len() / 4);
        results.clear();
        for step in &self.steps {
            let result = step.value(values, tables, results)?;
            results.push(result);
        }
        let (step, negated) = self.result;
        Some((results[step] != 0) != negated)
    }
}

impl Step {
    fn value(&self, values: &[i64], tables: &[Vec<Vec<i64>>], results: &[i64]) -> Option<i64> {
        let of = |source: &Source| match *source {
            Source::Constant(number) => number,
            Source::Step(step) => results[step],
        };
        let sum = |terms: &[(i64, usize)], start: i64| {
            terms.iter().try_fold(start, |sum, &(factor, step)| {
                sum.checked_add(factor.checked_mul(results[step])?)
            })
        };
        Some(match self {
            Step::Variable(place) => values[*place],
            Step::Holds(place, literal) => {
                i64::from(literal.holds_for(i32::try_from(values[*place]).ok()?))
            }
            Step::True => 1,
            Step::And(parts) => {
                let holds = |&(step, negated): &(usize, bool)| (results[step] != 0) != negated;
                i64::from(parts.iter().all(holds))
            }
            Step::Same(a, b) => i64::from((results[*a] != 0) == (results[*b] != 0)),
            Step::Linear {
                terms,
                equal,
                bound,
            } => {
                let sum = sum(terms, 0)?;
                i64::from(if *equal { sum == *bound } else { sum <= *bound })
            }
            Step::AllDifferent(items, except) => {
                let mut items: Vec<i64> = items.iter().map(of).collect();
                items.retain(|&item| Some(item) != *except);
                items.sort_unstable();
                i64::from(items.windows(2).all(|pair| pair[0] != pair[1]))
            }
            Step::Table(items, place) => {
                let items: Vec<i64> = items.iter().map(of).collect();
                i64::from(tables[*place as usize].binary_search(&items).is_ok())
            }
            Step::Sum(terms, constant) => sum(terms, *constant)?,
            Step::Element { items, indices } => {
                let mut at = Some(0);
                for (step, members) in indices {
                    let place = members.iter().position(|&member| member == results[*step]);
                    at = at.zip(place).map(|(at, place)| at * members.len() + place);
                }
                at.map_or(0, |at| of(&items[at]))
            }
            Step::Product(a, b) => of(a).checked_mul(of(b))?,
            Step::Quotient(a, b) | Step::Remainder(a, b) => {
                let (a, b) = (of(a), of(b));
                if b == 0 {
                    return Some(0);
                }
                let quotient = a.checked_div(b)?;
                let below = a % b != 0 && (a < 0) != (b < 0);
                let quotient = quotient - i64::from(below);
                match self {
                    Step::Quotient(..) => quotient,
                    _ => a.checked_sub(quotient.checked_mul(b)?)?,
                }
            }
            Step::Power(a, b) => match u32::try_from(of(b)) {
                Ok(exponent) => of(a).checked_pow(exponent)?,
                Err(_) if of(b) < 0 => 0,
                Err(_) => return None,
            },
            Step::Absolute(step) => results[*step].checked_abs()?,
            Step::Minimum(items) => items.iter().map(of).min()?,
            Step::Maximum(items) => items.iter().map(of).max()?,
        })
    }
}

/// What a step reads.
enum Input {
    Variable(usize),
    Step(usize),
}

impl Step {
    /// Whether it is an integer function that is not a sum.
    fn is_function(&self) -> bool {
        match self {
            Step::Element { .. }
            | Step::Product(..)
            | Step::Quotient(..)
            | Step::Remainder(..)
            | Step::Power(..)
            | Step::Absolute(_)
            | Step::Minimum(_)
            | Step::Maximum(_) => true,
            Step::Variable(_)
            | Step::Holds(..)
            | Step::True
            | Step::And(_)
            | Step::Same(..)
            | Step::Linear { .. }
            | Step::AllDifferent(..)
            | Step::Table(..)
            | Step::Sum(..) => false,
        }
    }

    fn for_each_source(&self, visit: &mut dyn FnMut(Input)) {
        let mut sources = |items: &[Source]| {
            for item in items {
                if let Source::Step(step) = *item {
                    visit(Input::Step(step));
                }
            }
        };
        match self {
            Step::True => {}
            Step::AllDifferent(items, _)
            | Step::Table(items, _)
            | Step::Minimum(items)
            | Step::Maximum(items) => sources(items),
            Step::Product(a, b)
            | Step::Quotient(a, b)
            | Step::Remainder(a, b)
            | Step::Power(a, b) => sources(&[*a, *b]),
            Step::Element { items, indices } => {
                sources(items);
                indices
                    .iter()
                    .for_each(|(step, _)| visit(Input::Step(*step)));
            }
            Step::Variable(place) | Step::Holds(place, _) => visit(Input::Variable(*place)),
            Step::And(parts) => parts.iter().for_each(|(step, _)| visit(Input::Step(*step))),
            Step::Same(a, b) => {
                visit(Input::Step(*a));
                visit(Input::Step(*b));
            }
            Step::Linear { terms, .. } | Step::Sum(terms, _) => {
                terms.iter().for_each(|(_, step)| visit(Input::Step(*step)));
            }
            Step::Absolute(step) => visit(Input::Step(*step)),
        }
    }
}

impl Compiler<'_> {
    fn push(&mut self, step: Step) -> Option<usize> {
        if self.steps.len() == MOST_STEPS {
            return None;
        }
        let mut scope = 0;
        step.for_each_source(&mut |source| match source {
            Input::Variable(place) => scope |= 1u64 << place.min(63),
            Input::Step(step) => scope |= self.scopes[step],
        });
        if step.is_function() {
            match scope.count_ones() > 1 {
                true => self.functions += 1,
                false => self.renamings += 1,
            }
        }
        self.scopes.push(scope);
        self.steps.push(step);
        Some(self.steps.len() - 1)
    }

    fn place(&mut self, var: VarId) -> usize {
        self.places[&var]
    }

    fn signed(&mut self, term: Bool) -> Option<(usize, bool)> {
        Some((self.bool(term)?, term.negative()))
    }

    fn bool(&mut self, term: Bool) -> Option<usize> {
        if let Some(&known) = self.bools.get(&term.node()) {
            return Some(known);
        }
        let step = deep(|| self.bool_step(term))?;
        let step = self.push(step)?;
        self.bools.insert(term.node(), step);
        Some(step)
    }

    fn bool_step(&mut self, term: Bool) -> Option<Step> {
        let nodes = self.nodes;
        Some(match nodes.bool(term) {
            BoolNode::True => Step::True,
            BoolNode::Literal(literal) => {
                let place = self.place(literal.variable());
                // All programs speak of one variable, so that they can be compared.
                Step::Holds(place, literal.about(VarId(0)))
            }
            BoolNode::And(parts) => {
                let parts = parts.iter().map(|&part| self.signed(part));
                Step::And(parts.collect::<Option<_>>()?)
            }
            BoolNode::Iff(a, b) => Step::Same(self.bool(*a)?, self.bool(*b)?),
            BoolNode::Linear {
                terms,
                equal,
                bound,
            } => Step::Linear {
                terms: self.terms(terms)?,
                equal: *equal,
                bound: *bound,
            },
            BoolNode::AllDifferent(items, except) => {
                Step::AllDifferent(self.sources(items)?, *except)
            }
            BoolNode::Table(items, place) => Step::Table(self.sources(items)?, *place),
        })
    }

    fn terms(&mut self, terms: &[(i64, IntId)]) -> Option<Box<[(i64, usize)]>> {
        let terms = terms
            .iter()
            .map(|&(factor, node)| Some((factor, self.int(node)?)));
        terms.collect()
    }

    fn sources(&mut self, items: &[Int]) -> Option<Box<[Source]>> {
        items.iter().map(|&item| self.source(item)).collect()
    }

    fn source(&mut self, item: Int) -> Option<Source> {
        Some(match item {
            Int::Constant(number) => Source::Constant(number),
            Int::Node(node) => Source::Step(self.int(node)?),
        })
    }

    fn int(&mut self, node: IntId) -> Option<usize> {
        if let Some(&known) = self.ints.get(&node) {
            return Some(known);
        }
        let step = deep(|| self.int_step(node))?;
        let step = self.push(step)?;
        self.ints.insert(node, step);
        Some(step)
    }

    fn int_step(&mut self, node: IntId) -> Option<Step> {
        let nodes = self.nodes;
        Some(match nodes.int(node) {
            IntNode::Var(var) => Step::Variable(self.place(*var)),
            IntNode::FromBool(term) => {
                let part = self.signed(*term)?;
                Step::And(Box::new([part]))
            }
            IntNode::Sum(terms, constant) => Step::Sum(self.terms(terms)?, *constant),
            IntNode::Element { items, indices } => {
                let indices = indices.iter().map(|open| {
                    let step = self.int(open.index)?;
                    Some((step, open.members.clone()))
                });
                let indices = indices.collect::<Option<_>>()?;
                Step::Element {
                    items: self.sources(items)?,
                    indices,
                }
            }
            IntNode::Product(a, b) => Step::Product(self.source(*a)?, self.source(*b)?),
            IntNode::Quotient(a, b) => Step::Quotient(self.source(*a)?, self.source(*b)?),
            IntNode::Remainder(a, b) => Step::Remainder(self.source(*a)?, self.source(*b)?),
            IntNode::Power(a, b) => Step::Power(self.source(*a)?, self.source(*b)?),
            IntNode::Absolute(of) => Step::Absolute(self.int(*of)?),
            IntNode::Minimum(items) => Step::Minimum(self.sources(items)?),
            IntNode::Maximum(items) => Step::Maximum(self.sources(items)?),
        })
    }
}
