//! From an instance to a [`Problem`]: expressions become terms (`build.rs`, `matrix.rs`) in a store
//! that keeps each term once (`nodes.rs`, `arithmetic.rs`); constraints that hold permanently
//! shrink domains and merge variables (`simplify.rs`, `merge.rs`); the other terms become
//! constraints of the problem (`emit/`).
//!
//! A value or variable has a form of its own on each side of the store:
//!
//! | form | what it is | where |
//! |---|---|---|
//! | `Int`, `Bool` | a term: a constant, or a node of the store | everywhere here |
//! | `Meaning` | a name or expression: term, matrix of terms, or domain | `build.rs`, `matrix.rs` |
//! | `csp::Operand` | an argument of a posted constraint: a number or a variable | `emit/` |
//! | `csp::Quantity` | a variable, or a literal as 0 or 1 | merged variables, linear constraints |

mod arithmetic;
mod build;
mod emit;
mod matrix;
mod merge;
mod nodes;
mod print;
mod program;
mod rows;
mod scope;
mod simplify;
mod tabulate;
mod terms;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use ployglot_base::{BadText, Budget, Limit, Poll};
use ployglot_csp::{
    Constraint, Domain, Goal, Heuristic, Literal, Objective, Operand, Problem, Quantity, VarId,
};

use crate::evaluate::{GlobalValue, Shape};
use crate::instance::{Fault, Instance, Solution, Source};
use crate::model::{Role, Scalar};
use crate::value::{Matrix, Value};
use build::{Builder, Items, Meaning, TermMatrix};
use nodes::Nodes;
pub use nodes::{Bool, Int, IntId};
pub use terms::{Overflow, Posted, Terms};

/// A flat problem, and where the model's decision variables are in it.
#[derive(Clone, Debug)]
pub struct Unrolled {
    /// The problem, for a back end.
    pub problem: Problem,
    layout: Layout,
    /// The variables of `branching on`; empty if the model has none.
    shown: Vec<VarId>,
}

/// The optional steps from a model to its flat problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Constraints on single variables, and bounds of sums, shrink domains; the other constraints
    /// are rebuilt with these domains, until nothing changes.
    pub simplify: bool,
    /// Variables that are always equal become one. Needs `simplify`.
    pub merge: bool,
    /// Constraints on few variables that solvers would split become tables.
    pub tabulate: bool,
}

impl Default for Steps {
    fn default() -> Self {
        Steps {
            simplify: true,
            merge: true,
            tabulate: true,
        }
    }
}

/// Where the decision variables of the model are in a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// For each decision variable its name, its shape, and its cells row by row.
    finds: Vec<(String, Shape, Vec<Quantity>)>,
    /// The problem's variables of all cells, before merging.
    variables: Vec<VarId>,
}

/// The unrolled constraints of one instance, as terms.
#[derive(Default)]
pub(crate) struct UnrolledTerms {
    /// The constraints, which all must hold; sorted, each once.
    pub conjuncts: Vec<Bool>,
    objective: Option<(Goal, Int)>,
    branching: Vec<VarId>,
    heuristic: Option<Heuristic>,
    pub layout: Layout,
}

impl UnrolledTerms {
    /// The constraints, sorted, each once; none are left.
    pub fn take_conjuncts(&mut self) -> Vec<Bool> {
        let mut conjuncts = std::mem::take(&mut self.conjuncts);
        conjuncts.sort_unstable();
        conjuncts.dedup();
        conjuncts
    }
}

/// The name of a decision variable and the index of the cell; a scalar has no index.
type CellName = (String, Vec<i32>);

/// Unrolls instances of one model, one after the other, into one growing problem.
pub(crate) struct Unroller {
    nodes: Nodes,
    emitter: emit::Emitter,
    /// Variables by name and index; several where instances differ in the domain.
    variables: HashMap<CellName, Vec<(Domain, VarId)>>,
    /// How many variables solvers may have read: the domains of these can no longer be changed.
    published: usize,
    /// For each variable, its domain in the problem, reduced by the unit clauses posted so far.
    published_domains: Vec<Domain>,
    /// How many constraints were scanned: their variables are marked as mentioned.
    scanned: usize,
    steps: Steps,
}

impl Instance<'_> {
    /// The flat problem. [`Unrolled::solution`] maps its solutions to those of the instance.
    pub fn unroll(&self) -> Result<Unrolled, Fault> {
        self.unrolled(Steps::default(), &Poll::default())
    }

    /// [`Instance::unroll`] within a budget; the outer error is the limit that ended it.
    pub fn unroll_within(&self, budget: &Budget) -> Result<Result<Unrolled, Fault>, Limit> {
        self.unroll_by(Steps::default(), budget)
    }

    /// [`Instance::unroll_within`] by these steps.
    pub fn unroll_by(
        &self,
        steps: Steps,
        budget: &Budget,
    ) -> Result<Result<Unrolled, Fault>, Limit> {
        budget.stoppable("unrolling", |poll| self.unrolled(steps, poll))
    }

    fn unrolled(&self, steps: Steps, poll: &Poll) -> Result<Unrolled, Fault> {
        let mut unroller = Unroller::new().with_poll(poll);
        unroller.take_steps(steps);
        let mut terms = unroller.build(self, None)?;
        let conjuncts = std::mem::take(&mut terms.conjuncts);
        let posted = unroller.post_permanent(conjuncts);
        let posted = posted.and_then(|()| unroller.finish(&mut terms));
        posted.map_err(|TooLarge| self.too_large(poll))?;
        let shown = unroller.shown(&terms.branching);
        Ok(Unrolled {
            problem: unroller.emitter.problem,
            layout: terms.layout,
            shown,
        })
    }

    /// The error for a number that does not fit a problem: at the first constraint that has one
    /// without the others. Together with the others its numbers may have been smaller.
    pub(crate) fn too_large(&self, poll: &Poll) -> Fault {
        for (place, constraint) in self.model.constraints.iter().enumerate() {
            let mut unroller = Unroller::new().with_poll(poll);
            let fits = match unroller.build(self, Some(place)) {
                Err(fault) => return fault,
                Ok(terms) => unroller.post_permanent(terms.conjuncts),
            };
            if fits.is_err() {
                let message = "a number in this constraint does not fit 32 bits";
                return in_model(constraint.span.too_large(message));
            }
        }
        let message = "the objective does not fit 32 bits";
        let objective = self.model.objective.as_ref();
        in_model(objective.map_or_else(
            || TooLarge.into(),
            |(_, objective)| objective.span.too_large(message),
        ))
    }
}

/// A number does not fit 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl From<TooLarge> for BadText {
    fn from(TooLarge: TooLarge) -> Self {
        BadText::new(1, 1, "a number in this model does not fit 32 bits").beyond_limit()
    }
}

impl Unrolled {
    /// The solution of the model for these values of the problem's variables.
    pub fn solution(&self, values: &[i32]) -> Solution {
        self.layout.solution(values)
    }

    /// The problem's variables for the decision variables of the model, each once. Two solutions of
    /// the model are different exactly if these differ.
    pub fn decisions(&self) -> impl Iterator<Item = VarId> {
        self.layout.decisions()
    }

    /// The problem's variables by which listed solutions are distinguished, each once: those of
    /// `branching on`, if the model has that (solutions that differ only in other variables count
    /// as one, as they do for Savile Row and Conjure), otherwise all decision variables.
    pub fn shown(&self) -> Vec<VarId> {
        match self.shown.is_empty() {
            true => self.decisions().collect(),
            false => self.shown.clone(),
        }
    }
}

impl Layout {
    /// The solution of the model for these values of the problem's variables.
    pub fn solution(&self, values: &[i32]) -> Solution {
        let item = |quantity: &Quantity| match quantity {
            Quantity::Var(var) => i64::from(values[var.index()]),
            Quantity::Truth(literal) => {
                i64::from(literal.holds_for(values[literal.variable().index()]))
            }
        };
        let value = |(name, shape, cells): &(String, Shape, Vec<Quantity>)| {
            let items: Vec<i64> = cells.iter().map(item).collect();
            let value = match (shape.axes.is_empty(), shape.ty.of) {
                (true, Scalar::Bool) => Value::Truth(items[0] != 0),
                (true, _) => Value::Number(items[0]),
                (false, of) => {
                    let axes = shape.axes.clone();
                    Value::Matrix(Matrix { axes, of, items }.into())
                }
            };
            (name.clone(), value)
        };
        Solution {
            values: self.finds.iter().map(value).collect(),
        }
    }

    /// The problem's variables for the decision variables of the model, each once.
    pub fn decisions(&self) -> impl Iterator<Item = VarId> {
        let mut seen = HashSet::new();
        let cells = self.finds.iter().flat_map(|(_, _, cells)| cells);
        cells.filter_map(move |cell| match cell {
            Quantity::Var(var) => seen.insert(*var).then_some(*var),
            // It was merged into a literal of another decision variable.
            Quantity::Truth(_) => None,
        })
    }
}

/// An error in the text of the model.
pub(crate) fn in_model(bad: BadText) -> Fault {
    Fault {
        source: Source::Model,
        bad,
    }
}

impl Unroller {
    pub fn new() -> Self {
        Unroller {
            nodes: Nodes::new(),
            emitter: emit::Emitter::default(),
            variables: HashMap::new(),
            published: 0,
            published_domains: Vec::new(),
            scanned: 0,
            steps: Steps {
                tabulate: false,
                ..Steps::default()
            },
        }
    }

    /// The same unroller, whose work this poll ends.
    pub fn with_poll(mut self, poll: &Poll) -> Self {
        self.set_poll(poll);
        self
    }

    /// From now on these steps are taken.
    pub fn take_steps(&mut self, steps: Steps) {
        self.steps = steps;
        self.nodes.keep_equal = !steps.merge;
    }

    /// From now on this poll ends the work.
    pub fn set_poll(&mut self, poll: &Poll) {
        self.nodes.poll = poll.clone();
        self.emitter.poll = poll.clone();
    }

    pub fn problem(&self) -> &Problem {
        &self.emitter.problem
    }

    /// Unrolls an instance to terms, or only one of its constraints. Variables of earlier instances
    /// are used again.
    pub fn build(
        &mut self,
        instance: &Instance,
        only: Option<usize>,
    ) -> Result<UnrolledTerms, Fault> {
        let mut conjuncts = Vec::new();
        let mut layout = Layout::default();
        let mut globals = Vec::new();
        for (place, value) in instance.evaluator.globals.iter().enumerate() {
            globals.push(match value.as_ref().expect("an instance has all values") {
                GlobalValue::Value(value) => constant(value),
                GlobalValue::Domain(domain) => Meaning::Domain(Rc::new(domain.clone())),
                GlobalValue::Ragged => match &instance.model.globals[place].role {
                    Role::Letting(_, expr) => Meaning::Ragged(Rc::new(expr.clone())),
                    _ => unreachable!("only lettings have rows of different lengths"),
                },
                GlobalValue::Find(shape) => {
                    let name = &instance.model.globals[place].name;
                    let vars = self.declare(name, shape);
                    if shape.domain.is_empty() && !vars.is_empty() {
                        conjuncts.push(Bool::FALSE);
                    }
                    let meaning = self.meaning(shape, &vars);
                    layout.variables.extend_from_slice(&vars);
                    let cells = vars.into_iter().map(Quantity::Var).collect();
                    layout.finds.push((name.clone(), shape.clone(), cells));
                    meaning
                }
            });
        }
        let mut builder = Builder::new(&mut self.nodes, globals);
        for (place, constraint) in instance.model.constraints.iter().enumerate() {
            if only.is_some_and(|only| only != place) {
                continue;
            }
            builder.assert(constraint, &mut conjuncts);
            if let Some(bad) = builder.error.take() {
                return Err(in_model(bad));
            }
        }
        let objective = instance.model.objective.as_ref();
        let objective = objective.filter(|_| only.is_none());
        let objective = objective.map(|(minimise, expr)| {
            let goal = match minimise {
                true => Goal::Minimise,
                false => Goal::Maximise,
            };
            (goal, builder.objective(expr, &mut conjuncts))
        });
        if let Some(bad) = builder.error.take() {
            return Err(in_model(bad));
        }
        let mut branching = Vec::new();
        for expr in instance.model.branching.iter().filter(|_| only.is_none()) {
            builder.branching(expr, &mut branching);
            if let Some(bad) = builder.error.take() {
                return Err(in_model(bad));
            }
        }
        conjuncts.retain(|&conjunct| conjunct != Bool::TRUE);
        conjuncts.sort_unstable();
        conjuncts.dedup();
        Ok(UnrolledTerms {
            conjuncts,
            objective,
            branching,
            heuristic: instance.model.heuristic.as_deref().and_then(heuristic),
            layout,
        })
    }

    /// The variables of a decision variable, row by row.
    fn declare(&mut self, name: &str, shape: &Shape) -> Vec<VarId> {
        let domain = match shape.domain.is_empty() {
            // There is no solution, but a variable needs a value.
            true => Domain::constant(0),
            false => shape.domain.clone(),
        };
        let mut indices: Vec<Vec<i32>> = vec![Vec::new()];
        let poll = &self.nodes.poll;
        for axis in &shape.axes {
            poll.allocate::<Vec<i32>>((indices.len() as u64).saturating_mul(axis.domain.len()));
            let longer = indices.iter().flat_map(|index| {
                axis.domain.values().map(move |member| {
                    poll.step();
                    let mut index = index.clone();
                    index.push(member);
                    index
                })
            });
            indices = longer.collect();
        }
        let mut vars = Vec::with_capacity(indices.len());
        for index in indices {
            self.nodes.poll.step();
            let shown = match index.is_empty() {
                true => name.to_string(),
                false => {
                    let members: Vec<String> = index.iter().map(i32::to_string).collect();
                    format!("{name}[{}]", members.join(","))
                }
            };
            vars.push(self.variable_shown_as(shown, name, index, &domain));
        }
        vars
    }

    /// The variable of this name, index and domain: that of an earlier instance, or a new one.
    fn variable(&mut self, name: &str, index: Vec<i32>, domain: &Domain) -> VarId {
        self.variable_shown_as(name.to_string(), name, index, domain)
    }

    fn variable_shown_as(
        &mut self,
        shown: String,
        name: &str,
        index: Vec<i32>,
        domain: &Domain,
    ) -> VarId {
        let known = self.variables.entry((name.to_string(), index)).or_default();
        if let Some(&(_, var)) = known.iter().find(|(declared, _)| declared == domain) {
            return var;
        }
        let Unroller { emitter, nodes, .. } = self;
        let var = emitter.variable(nodes, domain.clone(), Some(shown));
        known.push((domain.clone(), var));
        var
    }

    /// A decision variable as a term or a matrix of terms.
    fn meaning(&mut self, shape: &Shape, vars: &[VarId]) -> Meaning {
        let nodes = &mut self.nodes;
        let vars = vars.iter();
        let items = match shape.ty.of {
            Scalar::Bool => Items::Bools(vars.map(|var| nodes.literal(var.is_true())).collect()),
            _ => Items::Ints(vars.map(|&var| nodes.var(var)).collect()),
        };
        match shape.axes.is_empty() {
            true => items.get(0),
            false => Meaning::Matrix(Rc::new(TermMatrix {
                axes: shape.axes.clone(),
                items,
            })),
        }
    }

    /// Adds constraints that hold for this instance and all later ones.
    pub fn post_permanent(&mut self, conjuncts: Vec<Bool>) -> Result<(), TooLarge> {
        let simplified = match self.steps.simplify {
            true => simplify::simplify(&mut self.nodes, conjuncts),
            false => Some(conjuncts),
        };
        let Some(mut conjuncts) = simplified else {
            self.emitter.problem.post(Constraint::Clause(Vec::new()));
            return Ok(());
        };
        if self.steps.tabulate {
            conjuncts = tabulate::tabulate(&mut self.nodes, conjuncts);
        }
        // Narrow the domains: of new variables in place, of published ones by unit clauses.
        let problem = &mut self.emitter.problem;
        for place in 0..problem.variables.len() {
            self.nodes.poll.step();
            let current = &self.nodes.current[place];
            if place >= self.published_domains.len() {
                self.published_domains
                    .push(problem.variables[place].domain.clone());
            }
            if *current == self.published_domains[place] {
                continue;
            }
            let before = std::mem::replace(&mut self.published_domains[place], current.clone());
            if place >= self.published {
                problem.variables[place].domain = current.clone();
                continue;
            }
            let var = VarId(place as u32);
            let (low, high) = (current.min(), current.max());
            let mut units = vec![Literal::AtLeast(var, low), Literal::AtMost(var, high)];
            let gaps = before.intersect(&Domain::range(low, high)).minus(current);
            self.nodes.poll.allocate::<Literal>(gaps.len());
            units.extend(gaps.values().map(|value| Literal::IsNot(var, value)));
            for unit in units {
                if unit.known(&before) != Some(true) {
                    problem.post(Constraint::Clause(vec![unit]));
                }
            }
        }
        // The value of a merged variable does not matter; it keeps one.
        let is_new = |(var, _): &(VarId, Quantity)| var.index() >= self.published;
        for (var, _) in self.nodes.representatives.all().filter(is_new) {
            let least = Domain::constant(self.nodes.current[var.index()].min());
            problem.variables[var.index()].domain = least;
        }
        self.emitter.emit(&mut self.nodes, &conjuncts, None);
        self.mark_mentioned();
        self.checked()
    }

    /// Marks the variables of new constraints as mentioned: they can no longer be merged into
    /// others.
    fn mark_mentioned(&mut self) {
        let problem = &self.emitter.problem;
        for rule in &problem.constraints[self.scanned..] {
            self.nodes.poll.step();
            rule.for_each_variable(&mut |var| self.nodes.representatives.mention(var));
        }
        if let Some(objective) = problem.objective {
            self.nodes.representatives.mention(objective.value);
        }
        self.scanned = problem.constraints.len();
    }

    /// Adds constraints that hold if the returned literal, of a new variable, does.
    pub fn post_conditional(
        &mut self,
        conjuncts: &[Bool],
        name: String,
    ) -> Result<Literal, TooLarge> {
        let active = self
            .emitter
            .variable(&mut self.nodes, Domain::bool(), Some(name))
            .is_true();
        let conjuncts = simplify::simplified(&mut self.nodes, conjuncts);
        self.emitter
            .emit(&mut self.nodes, &conjuncts, Some(!active));
        self.mark_mentioned();
        self.checked()?;
        Ok(active)
    }

    /// Makes the literal false permanently, so that the constraints under it are satisfied.
    pub fn retire(&mut self, active: Literal) {
        self.emitter.problem.post(Constraint::Clause(vec![!active]));
    }

    /// Sets objective, branching and layout for the instance that is solved next.
    pub fn finish(&mut self, terms: &mut UnrolledTerms) -> Result<(), TooLarge> {
        self.emitter.problem.objective = None;
        if let Some((goal, value)) = terms.objective {
            let value = simplify::simplified_int(&mut self.nodes, value);
            self.nodes.use_current = true;
            let value = match self.emitter.operand(&mut self.nodes, value) {
                Operand::Var(var) => var,
                Operand::Number(number) => {
                    let domain = Domain::constant(number);
                    self.emitter.variable(&mut self.nodes, domain, None)
                }
            };
            self.nodes.use_current = false;
            self.emitter.problem.objective = Some(Objective { goal, value });
        }
        self.mark_mentioned();
        let representatives = &self.nodes.representatives;
        for cell in terms
            .layout
            .finds
            .iter_mut()
            .flat_map(|(_, _, cells)| cells)
        {
            if let Quantity::Var(var) = *cell {
                *cell = representatives.resolve(var);
            }
        }
        let branching = |&var: &VarId| match representatives.resolve(var) {
            Quantity::Var(var) => var,
            Quantity::Truth(literal) => literal.variable(),
        };
        // A heuristic without `branching on` is one for all decision variables.
        let all: Vec<VarId> = match terms.branching.is_empty() && terms.heuristic.is_some() {
            true => terms.layout.variables.clone(),
            false => terms.branching.clone(),
        };
        self.emitter.problem.branching = all.iter().map(branching).collect();
        self.emitter.problem.heuristic = terms.heuristic;
        self.emitter.problem.in_order = terms.heuristic == Some(Heuristic::Static);
        self.emitter.problem.merged = representatives.all().collect();
        self.published = self.emitter.problem.variables.len();
        self.checked()
    }

    /// The problem's variables for these branching variables, each once. One that was merged into a
    /// literal of a variable that is not shown gets a variable of its own again.
    fn shown(&mut self, branching: &[VarId]) -> Vec<VarId> {
        let resolved: Vec<Quantity> = branching
            .iter()
            .map(|&var| self.nodes.representatives.resolve(var))
            .collect();
        let mut shown = Vec::new();
        let mut seen = HashSet::new();
        for quantity in &resolved {
            if let Quantity::Var(var) = *quantity
                && seen.insert(var)
            {
                shown.push(var);
            }
        }
        let mut literals = HashSet::new();
        for quantity in resolved {
            if let Quantity::Truth(literal) = quantity
                && !seen.contains(&literal.variable())
                && literals.insert(literal)
            {
                let own = self.emitter.variable(&mut self.nodes, Domain::bool(), None);
                let problem = &mut self.emitter.problem;
                problem.post(Constraint::Clause(vec![!own.is_true(), literal]));
                problem.post(Constraint::Clause(vec![own.is_true(), !literal]));
                shown.push(own);
            }
        }
        shown
    }

    /// For each variable of the problem, the quantity that has its value.
    pub fn quantities(&self) -> Vec<Quantity> {
        let count = self.problem().variables.len() as u32;
        let resolve = |place: u32| self.nodes.representatives.resolve(VarId(place));
        (0..count).map(resolve).collect()
    }

    /// An error if a number was too large since the last call.
    fn checked(&mut self) -> Result<(), TooLarge> {
        match std::mem::take(&mut self.nodes.overflow) {
            true => Err(TooLarge),
            false => Ok(()),
        }
    }
}

/// The heuristic of this name.
fn heuristic(name: &str) -> Option<Heuristic> {
    Some(match name {
        "static" => Heuristic::Static,
        "sdf" => Heuristic::SmallestDomain,
        "ldf" => Heuristic::LargestDomain,
        "srf" => Heuristic::SmallestRatio,
        "conflict" => Heuristic::Conflict,
        "wdeg" => Heuristic::WeightedDegree,
        "domoverwdeg" => Heuristic::DomainOverWeightedDegree,
        _ => return None,
    })
}

/// A value as constant terms.
fn constant(value: &Value) -> Meaning {
    match value {
        Value::Matrix(matrix) => Meaning::Matrix(Rc::new(TermMatrix {
            axes: matrix.axes.clone(),
            items: Items::constants(matrix.of, matrix.items.iter().copied()),
        })),
        Value::Truth(truth) => Meaning::Bool(Bool::of(*truth)),
        Value::Number(number) => Meaning::Int(Int::Constant(*number)),
    }
}
