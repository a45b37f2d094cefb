//! From an instance to a flat problem. Decision variables become symbolic values (`sym.rs`,
//! `represent.rs`); expressions are evaluated on symbolic values (`expression.rs`, `operator.rs`,
//! `call.rs`) to terms of the store that Essence Prime is unrolled to. Comprehensions are unrolled; a generator over
//! a decision collection binds each member that may be present, under the condition that it is.
//!
//! An expression that may be undefined pushes the conditions under which it is defined; the smallest
//! boolean expression around it adds them to its term. One that is always undefined is `None`.

mod attribute;
mod call;
mod collection;
mod compare;
mod expression;
mod generator;
mod layout;
mod operator;
mod partition;
mod represent;
mod select;
mod sym;
mod transform;

use std::sync::Arc;

use ployglot_base::{BadText, Budget, Limit, Poll};
use ployglot_csp::{Goal, Problem, Quantity, VarId};
use ployglot_eprime::{Bool, Fault, Int, Source, Span, Steps, Terms};

use crate::domain::Domain;
use crate::evaluate::GlobalValue;
use crate::instance::{Instance, Solution};
use crate::model::GlobalKind;
use crate::resolve::{Bounds, NamedDomain, resolve};
use crate::tree::{Binary, DomainNode, Kind, Node};
use crate::types::Type;
use crate::value::Value;
use collection::int_of;
use layout::{Cell, Layout};
use represent::Unrepresentable;
use sym::Sym;

/// A flat problem, and where the decision variables are in it.
#[derive(Clone, Debug)]
pub struct Refined {
    /// The problem, for a back end.
    pub problem: Problem,
    layouts: Layouts,
    quantities: Vec<Quantity>,
}

/// `None`: always undefined.
type Evaluated<T> = Result<Option<T>, BadText>;

/// What a declaration is to the refinement.
#[derive(Clone)]
enum Meaning {
    Sym(Sym),
    Domain(Domain),
    Named(Arc<crate::value::Named>),
    /// A letting that depends on decision variables: evaluated where it is used.
    Open,
    Undefined,
}

/// Refines one instance.
struct Refiner<'i> {
    instance: &'i Instance<'i>,
    globals: Vec<Meaning>,
    /// The bound variables, each with the condition under which it is defined: a `letting` that may
    /// be undefined matters where it is used.
    locals: Vec<(Bool, Option<Sym>)>,
    terms: Terms,
    /// The conditions under which what was evaluated so far is defined.
    conditions: Vec<Bool>,
    poll: Poll,
}

/// Returns `None` from the function around it if the value is undefined.
macro_rules! defined {
    ($value:expr) => {
        match $value? {
            Some(value) => value,
            None => return Ok(None),
        }
    };
}
use defined;

impl Instance<'_> {
    /// The flat problem. [`Refined::solution`] maps its solutions to those of the instance.
    pub fn refine(&self) -> Result<Refined, Fault> {
        self.refined(Steps::default(), &Poll::default())
    }

    /// [`Instance::refine`] within a budget; the outer error is the limit that ended it.
    pub fn refine_within(&self, budget: &Budget) -> Result<Result<Refined, Fault>, Limit> {
        self.refine_by(Steps::default(), budget)
    }

    /// [`Instance::refine_within`] by these steps from terms to the flat problem.
    pub fn refine_by(
        &self,
        steps: Steps,
        budget: &Budget,
    ) -> Result<Result<Refined, Fault>, Limit> {
        budget.stoppable("refining", |poll| self.refined(steps, poll))
    }

    fn refined(&self, steps: Steps, poll: &Poll) -> Result<Refined, Fault> {
        let mut terms = Terms::new(poll).by(steps);
        let layouts = self.post(&mut terms, poll).map_err(in_model)?;
        let posted = terms.finish().map_err(|_| too_large())?;
        Ok(Refined {
            problem: posted.problem,
            quantities: posted.quantities,
            layouts,
        })
    }

    /// The refined model as Essence Prime.
    pub fn eprime_within(&self, budget: &Budget) -> Result<Result<String, Fault>, Limit> {
        budget.stoppable("refining", |poll| {
            let mut terms = Terms::new(poll);
            let posted = self.post(&mut terms, poll).map_err(in_model);
            posted.map(|_| terms.eprime())
        })
    }

    /// Posts the constraints of the specification, and returns where the decision variables are.
    pub(crate) fn post(&self, terms: &mut Terms, poll: &Poll) -> Result<Layouts, BadText> {
        let mut refiner = Refiner {
            instance: self,
            globals: Vec::new(),
            locals: Vec::new(),
            terms: std::mem::replace(terms, Terms::new(poll)),
            conditions: Vec::new(),
            poll: poll.clone(),
        };
        let layouts = refiner.specification();
        *terms = refiner.terms;
        layouts
    }
}

/// An error in the specification.
pub(crate) fn in_model(bad: BadText) -> Fault {
    let source = Source::Model;
    Fault { source, bad }
}

/// The error for a number that does not fit a problem.
pub(crate) fn too_large() -> Fault {
    let message = "a number in this specification does not fit 32 bits";
    in_model(BadText::new(1, 1, message).beyond_limit())
}

/// Where each decision variable is among the variables of a problem.
pub(crate) type Layouts = Vec<(String, Layout)>;

/// The solution of the specification for these values of the problem's variables.
pub(crate) fn read_solution(
    layouts: &[(String, Layout)],
    quantities: &[Quantity],
    values: &[i32],
) -> Solution {
    let of = |cell: Cell| match cell {
        Cell::Number(number) => number,
        Cell::Var(var) => match quantities[var.index()] {
            Quantity::Var(var) => i64::from(values[var.index()]),
            Quantity::Truth(literal) => {
                i64::from(literal.holds_for(values[literal.variable().index()]))
            }
        },
    };
    let values = layouts
        .iter()
        .map(|(name, layout)| (name.clone(), layout.value(&of)));
    Solution {
        values: values.collect(),
    }
}

impl Refined {
    /// The solution of the specification for these values of the problem's variables.
    pub fn solution(&self, values: &[i32]) -> Solution {
        read_solution(&self.layouts, &self.quantities, values)
    }

    /// The problem's variables for the decision variables, each once. Two solutions of the
    /// specification are different exactly if these differ.
    pub fn decisions(&self) -> impl Iterator<Item = VarId> {
        let mut all = Vec::new();
        for (_, layout) in &self.layouts {
            layout.for_each_cell(&mut |cell| {
                if let Cell::Var(var) = cell {
                    all.push(match self.quantities[var.index()] {
                        Quantity::Var(var) => var,
                        Quantity::Truth(literal) => literal.variable(),
                    });
                }
            });
        }
        all.sort_unstable();
        all.dedup();
        all.into_iter()
    }
}

impl Bounds for Refiner<'_> {
    fn constant(&mut self, node: &Node) -> Evaluated<Value> {
        let sym = defined!(self.sym(node));
        match sym.value() {
            Some(value) => Ok(Some(value)),
            None => {
                let message = "a domain cannot depend on a decision variable here";
                Err(node.span.error(message))
            }
        }
    }

    fn named(&mut self, place: usize) -> NamedDomain {
        match &self.globals[place] {
            Meaning::Domain(domain) => NamedDomain::Domain(domain.clone()),
            Meaning::Named(named) => NamedDomain::Type(named.clone()),
            _ => NamedDomain::Undefined,
        }
    }
}

impl Refiner<'_> {
    /// Posts all constraints and the objective.
    fn specification(&mut self) -> Result<Layouts, BadText> {
        let layouts = self.declare()?;
        let model = self.instance.model;
        for constraint in &model.constraints {
            self.assert(constraint)?;
        }
        if let Some(objective) = &model.objective {
            let goal = match objective.minimise {
                true => Goal::Minimise,
                false => Goal::Maximise,
            };
            let value = self.sym(&objective.of)?;
            for condition in std::mem::take(&mut self.conditions) {
                self.terms.post(condition);
            }
            let number = match value {
                Some(Sym::Bool(term)) => Some(self.terms.number(term)),
                Some(value) => int_of(&value),
                None => None,
            };
            if number.is_none() {
                self.terms.post(Bool::FALSE);
            }
            self.overflow(objective.of.span)?;
            let number = number.unwrap_or(Int::Constant(0));
            self.terms.optimise(goal, number);
        }
        self.branch(&layouts);
        Ok(layouts)
    }

    /// Parameters become constants, decision variables get representations.
    fn declare(&mut self) -> Result<Layouts, BadText> {
        let mut layouts = Vec::new();
        let model = self.instance.model;
        for (place, value) in self.instance.evaluator.globals.iter().enumerate() {
            let global = &model.globals[place];
            let meaning = match value {
                GlobalValue::Value(value) => Meaning::Sym(Sym::constant(value)),
                GlobalValue::Domain(domain) => Meaning::Domain(domain.clone()),
                GlobalValue::Named(named) => Meaning::Named(named.clone()),
                GlobalValue::Open => Meaning::Open,
                GlobalValue::Undefined => Meaning::Undefined,
                GlobalValue::Find(None) => {
                    // Without a domain there is no solution.
                    self.terms.post(Bool::FALSE);
                    Meaning::Undefined
                }
                GlobalValue::Find(Some(domain)) => {
                    let represented = self.represent(domain, &global.name, Bool::TRUE);
                    let (sym, layout) = represented.map_err(|why| {
                        let span = match &global.kind {
                            GlobalKind::Find(node) => node.span,
                            _ => global.span,
                        };
                        span.error(match why {
                            Unrepresentable::Infinite => {
                                "the domain of a decision variable must be finite"
                            }
                            Unrepresentable::TooLarge => "this domain is too large",
                        })
                    })?;
                    layouts.push((global.name.clone(), layout));
                    Meaning::Sym(sym)
                }
            };
            self.globals.push(meaning);
        }
        Ok(layouts)
    }

    /// The variables to decide first.
    fn branch(&mut self, layouts: &[(String, Layout)]) {
        let model = self.instance.model;
        let mut first = Vec::new();
        for node in &model.branching {
            if let Kind::Global(place) = node.kind
                && let Some((_, layout)) = layouts
                    .iter()
                    .find(|(name, _)| *name == model.globals[place].name)
            {
                layout.for_each_cell(&mut |cell| {
                    if let Cell::Var(var) = cell {
                        first.push(var);
                    }
                });
            }
        }
        self.terms.branch(first, model.heuristic.as_deref());
    }

    /// An error if a number was too large.
    fn overflow(&mut self, span: Span) -> Result<(), BadText> {
        match self.terms.overflowed() {
            true => Err(span.error("the numbers of this expression are too large")),
            false => Ok(()),
        }
    }

    /// The constraint must hold.
    fn assert(&mut self, node: &Node) -> Result<(), BadText> {
        if let Kind::Binary(Binary::And, sides) = &node.kind {
            self.assert(&sides[0])?;
            return self.assert(&sides[1]);
        }
        let term = self.truth(node)?;
        self.overflow(node.span)?;
        self.terms.post(term);
        Ok(())
    }

    /// A boolean expression as a term that is false where a part is undefined.
    fn truth(&mut self, node: &Node) -> Result<Bool, BadText> {
        match self.sym(node)? {
            Some(Sym::Bool(term)) => Ok(term),
            _ => Ok(Bool::FALSE),
        }
    }

    /// An expression as a symbolic value.
    fn sym(&mut self, node: &Node) -> Evaluated<Sym> {
        self.poll.step();
        if node.ty != Type::Bool {
            return crate::deep::deep(|| self.inside(node));
        }
        let mark = self.conditions.len();
        let value = crate::deep::deep(|| self.inside(node))?;
        let mut parts = self.conditions.split_off(mark);
        let term = match value {
            Some(Sym::Bool(term)) => term,
            _ => Bool::FALSE,
        };
        if parts.is_empty() || term == Bool::FALSE {
            return Ok(Some(Sym::Bool(term)));
        }
        parts.push(term);
        Ok(Some(Sym::Bool(self.terms.and(parts))))
    }

    fn int(&mut self, node: &Node) -> Evaluated<Int> {
        let sym = defined!(self.sym(node));
        match sym {
            Sym::Bool(term) => Ok(Some(self.terms.number(term))),
            sym => match int_of(&sym) {
                Some(term) => Ok(Some(term)),
                None => Err(node.span.error("expected a number")),
            },
        }
    }

    fn several(&mut self, nodes: &[Node]) -> Evaluated<Vec<Sym>> {
        let mut syms = Vec::with_capacity(nodes.len());
        for node in nodes {
            syms.push(defined!(self.sym(node)));
        }
        Ok(Some(syms))
    }

    /// Adds a condition under which the value is defined. False if it never holds.
    fn demand(&mut self, condition: Bool) -> bool {
        if condition != Bool::TRUE {
            self.conditions.push(condition);
        }
        condition != Bool::FALSE
    }

    fn domain(&mut self, node: &DomainNode) -> Evaluated<Domain> {
        resolve(self, node)
    }
}
