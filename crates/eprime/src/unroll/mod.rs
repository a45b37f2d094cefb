//! An instance to a [`Problem`]: terms are built (`build.rs`, `matrix.rs`) into a store that keeps each once (`nodes.rs`,
//! `arithmetic.rs`), what is known for good is used (`simplify.rs`, `merge.rs`), and the rest becomes rules (`emit.rs`).

mod arithmetic;
mod build;
mod emit;
mod matrix;
mod merge;
mod nodes;
mod simplify;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use ployglot_base::BadText;
use ployglot_csp::{
    Constraint, Domain, Goal, Literal, Objective, Operand, Problem, Quantity, VarId,
};

use crate::evaluate::{Known, Shape};
use crate::instance::{Fault, Instance, Solution, Source};
use crate::model::{ExprKind, Scalar, Type};
use crate::value::{Matrix, Value};
use build::{Builder, Cell, Grid, Meaning};
pub(crate) use nodes::Bool;
use nodes::{Int, Nodes};

/// A problem, and where the model's decision variables are in it.
#[derive(Clone, Debug)]
pub struct Unrolled {
    pub problem: Problem,
    layout: Layout,
}

/// Where the decision variables of the model are in a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    finds: Vec<(String, Shape, Vec<Quantity>)>,
}

/// The unrolled constraints of one instance, as terms.
pub(crate) struct Raw {
    pub pieces: Vec<Bool>,
    objective: Option<(Goal, Int)>,
    branching: Vec<VarId>,
    in_order: bool,
    pub layout: Layout,
}

/// What a model calls a variable: a name, and an index if it is a cell.
type Spoken = (String, Vec<i32>);

/// Where problems are made, one or several in a row that share what they have in common.
pub(crate) struct Workshop {
    nodes: Nodes,
    emitter: emit::Emitter,
    /// Variables by name and index; several if their domains differ.
    variables: HashMap<Spoken, Vec<(Domain, VarId)>>,
    /// Variables below this may have been taken in by a solver; their domains are settled.
    settled: usize,
    /// What solvers know of each variable by now.
    told: Vec<Domain>,
    /// Of these rules it is noted of whom they speak.
    noted: usize,
}

impl Instance<'_> {
    /// The flat problem. Its solutions, seen through [`Unrolled::solution`], are those of the instance.
    pub fn unroll(&self) -> Result<Unrolled, Fault> {
        let mut workshop = Workshop::new();
        let mut raw = workshop.build(self)?;
        let pieces = std::mem::take(&mut raw.pieces);
        workshop.post_for_good(pieces).map_err(in_model)?;
        workshop.finish(&mut raw).map_err(in_model)?;
        Ok(Unrolled {
            problem: workshop.emitter.problem,
            layout: raw.layout,
        })
    }
}

impl Unrolled {
    /// The model's view of the problem's values.
    pub fn solution(&self, values: &[i32]) -> Solution {
        self.layout.solution(values)
    }

    /// The variables that stand for decision variables of the model, each once; two solutions differ just if these do.
    pub fn decisions(&self) -> impl Iterator<Item = VarId> {
        self.layout.decisions()
    }
}

impl Layout {
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

    pub fn decisions(&self) -> impl Iterator<Item = VarId> {
        let mut seen = HashSet::new();
        let cells = self.finds.iter().flat_map(|(_, _, cells)| cells);
        cells.filter_map(move |cell| match cell {
            Quantity::Var(var) => seen.insert(*var).then_some(*var),
            // Merged into a literal of another decision variable.
            Quantity::Truth(_) => None,
        })
    }
}

pub(crate) fn in_model(bad: BadText) -> Fault {
    Fault {
        source: Source::Model,
        bad,
    }
}

impl Workshop {
    pub fn new() -> Self {
        Workshop {
            nodes: Nodes::new(),
            emitter: emit::Emitter::default(),
            variables: HashMap::new(),
            settled: 0,
            told: Vec::new(),
            noted: 0,
        }
    }

    pub fn problem(&self) -> &Problem {
        &self.emitter.problem
    }

    /// Unrolls an instance to terms. Variables that are there already are used again.
    pub fn build(&mut self, instance: &Instance) -> Result<Raw, Fault> {
        let mut pieces = Vec::new();
        let mut layout = Layout::default();
        let mut globals = Vec::new();
        let mut vars_of = HashMap::new();
        for (place, known) in instance.evaluator.globals.iter().enumerate() {
            globals.push(match known.as_ref().expect("an instance knows all") {
                Known::Value(value) => constant(value),
                Known::Domain(domain) => Meaning::Domain(Rc::new(domain.clone())),
                Known::Find(shape) => {
                    let name = &instance.model.globals[place].name;
                    let vars = self.declare(name, shape);
                    if shape.domain.is_empty() && !vars.is_empty() {
                        pieces.push(Bool::FALSE);
                    }
                    let meaning = self.meaning(shape, &vars);
                    vars_of.insert(place as u32, vars.clone());
                    let cells = vars.into_iter().map(Quantity::Var).collect();
                    layout.finds.push((name.clone(), shape.clone(), cells));
                    meaning
                }
            });
        }
        let mut builder = Builder::new(&mut self.nodes, globals);
        for constraint in &instance.model.constraints {
            builder.assert(constraint, &mut pieces);
            if let Some(bad) = builder.error.take() {
                return Err(in_model(bad));
            }
        }
        let objective = instance.model.objective.as_ref().map(|(minimise, expr)| {
            let goal = match minimise {
                true => Goal::Minimise,
                false => Goal::Maximise,
            };
            (goal, builder.objective(expr, &mut pieces))
        });
        if let Some(bad) = builder.error.take() {
            return Err(in_model(bad));
        }
        let mut branching = Vec::new();
        for expr in &instance.model.branching {
            if let ExprKind::Global(id) = expr.kind
                && let Some(vars) = vars_of.get(&id.0)
            {
                branching.extend_from_slice(vars);
            }
        }
        pieces.retain(|&piece| piece != Bool::TRUE);
        pieces.sort_unstable();
        pieces.dedup();
        Ok(Raw {
            pieces,
            objective,
            branching,
            in_order: instance.model.heuristic.as_deref() == Some("static"),
            layout,
        })
    }

    fn declare(&mut self, name: &str, shape: &Shape) -> Vec<VarId> {
        let domain = match shape.domain.is_empty() {
            // There is no solution; a variable needs a value all the same.
            true => Domain::constant(0),
            false => shape.domain.clone(),
        };
        let mut indices: Vec<Vec<i32>> = vec![Vec::new()];
        for axis in &shape.axes {
            let longer = indices.iter().flat_map(|index| {
                axis.domain.values().map(move |member| {
                    let mut index = index.clone();
                    index.push(member);
                    index
                })
            });
            indices = longer.collect();
        }
        let mut vars = Vec::with_capacity(indices.len());
        for index in indices {
            let shown = match index.is_empty() {
                true => name.to_string(),
                false => {
                    let members: Vec<String> = index.iter().map(i32::to_string).collect();
                    format!("{name}[{}]", members.join(","))
                }
            };
            let known = self.variables.entry((name.to_string(), index)).or_default();
            let found = known.iter().find(|(declared, _)| *declared == domain);
            vars.push(match found {
                Some(&(_, var)) => var,
                None => {
                    let var = self
                        .emitter
                        .variable(&mut self.nodes, domain.clone(), Some(shown));
                    known.push((domain.clone(), var));
                    var
                }
            });
        }
        vars
    }

    fn meaning(&mut self, shape: &Shape, vars: &[VarId]) -> Meaning {
        let is_bool = shape.ty.of == Scalar::Bool;
        let nodes = &mut self.nodes;
        let mut cell = |&var: &VarId| match is_bool {
            true => Cell::Bool(nodes.literal(var.is_true())),
            false => Cell::Int(nodes.var(var)),
        };
        match shape.axes.is_empty() {
            true => Meaning::Cell(cell(&vars[0])),
            false => Meaning::Grid(Rc::new(Grid {
                axes: shape.axes.clone(),
                cells: vars.iter().map(cell).collect(),
            })),
        }
    }

    /// Adds constraints that hold from now on, whatever comes.
    pub fn post_for_good(&mut self, pieces: Vec<Bool>) -> Result<(), BadText> {
        let Some(pieces) = simplify::simplify(&mut self.nodes, pieces) else {
            self.emitter.problem.post(Constraint::Clause(Vec::new()));
            return Ok(());
        };
        // New variables are born with what is known; old ones are told.
        let problem = &mut self.emitter.problem;
        for place in 0..problem.variables.len() {
            let now = &self.nodes.now[place];
            if place >= self.told.len() {
                self.told.push(problem.variables[place].domain.clone());
            }
            if *now == self.told[place] {
                continue;
            }
            let before = std::mem::replace(&mut self.told[place], now.clone());
            if place >= self.settled {
                problem.variables[place].domain = now.clone();
                continue;
            }
            let var = VarId(place as u32);
            let (low, high) = (now.min(), now.max());
            let mut units = vec![Literal::AtLeast(var, low), Literal::AtMost(var, high)];
            let gaps = before
                .values()
                .filter(|&v| v > low && v < high && !now.contains(v));
            units.extend(gaps.map(|value| Literal::IsNot(var, value)));
            for unit in units {
                if unit.known(&before) != Some(true) {
                    problem.post(Constraint::Clause(vec![unit]));
                }
            }
        }
        // Of those that went, one value is as good as another.
        let fresh = |(var, _): &(VarId, Quantity)| var.index() >= self.settled;
        for (var, _) in self.nodes.links.all().filter(fresh) {
            let least = Domain::constant(self.nodes.now[var.index()].min());
            problem.variables[var.index()].domain = least;
        }
        self.emitter.emit(&mut self.nodes, &pieces, None);
        self.note();
        self.checked()
    }

    /// Whom a rule speaks of can no longer be merged into another.
    fn note(&mut self) {
        let problem = &self.emitter.problem;
        for rule in &problem.constraints[self.noted..] {
            rule.for_each_variable(&mut |var| self.nodes.links.speak(var));
        }
        if let Some(objective) = problem.objective {
            self.nodes.links.speak(objective.value);
        }
        self.noted = problem.constraints.len();
    }

    /// Adds constraints that hold where the new literal does.
    pub fn post_under(&mut self, pieces: &[Bool], name: String) -> Result<Literal, BadText> {
        let active = self
            .emitter
            .variable(&mut self.nodes, Domain::bool(), Some(name))
            .is_true();
        let pieces = simplify::sharpened(&mut self.nodes, pieces);
        self.emitter.emit(&mut self.nodes, &pieces, Some(!active));
        self.note();
        self.checked()?;
        Ok(active)
    }

    /// This will never hold again.
    pub fn retire(&mut self, active: Literal) {
        self.emitter.problem.post(Constraint::Clause(vec![!active]));
    }

    /// Objective, branching and layout of the instance that is asked about next.
    pub fn finish(&mut self, raw: &mut Raw) -> Result<(), BadText> {
        self.emitter.problem.objective = None;
        if let Some((goal, value)) = raw.objective {
            let value = simplify::sharpened_int(&mut self.nodes, value);
            self.nodes.sharpen = true;
            let value = match self.emitter.operand(&mut self.nodes, value) {
                Operand::Var(var) => var,
                Operand::Number(number) => {
                    let domain = Domain::constant(number);
                    self.emitter.variable(&mut self.nodes, domain, None)
                }
            };
            self.nodes.sharpen = false;
            self.emitter.problem.objective = Some(Objective { goal, value });
        }
        self.note();
        let links = &self.nodes.links;
        for cell in raw.layout.finds.iter_mut().flat_map(|(_, _, cells)| cells) {
            if let Quantity::Var(var) = *cell {
                *cell = links.read(var);
            }
        }
        let stand_in = |&var: &VarId| match links.read(var) {
            Quantity::Var(var) => var,
            Quantity::Truth(literal) => literal.variable(),
        };
        self.emitter.problem.branching = raw.branching.iter().map(stand_in).collect();
        self.emitter.problem.in_order = raw.in_order;
        self.emitter.problem.merged = links.all().collect();
        self.settled = self.emitter.problem.variables.len();
        self.checked()
    }

    fn checked(&mut self) -> Result<(), BadText> {
        match std::mem::take(&mut self.nodes.overflow) {
            true => Err(BadText::new(
                1,
                1,
                "some number of this model grows beyond 32 bits",
            )),
            false => Ok(()),
        }
    }
}

fn constant(value: &Value) -> Meaning {
    let cell = |ty: Type, number: i64| match ty.of {
        Scalar::Bool => Cell::Bool(Bool::of(number != 0)),
        _ => Cell::Int(Int::Known(number)),
    };
    match value {
        Value::Matrix(matrix) => Meaning::Grid(Rc::new(Grid {
            axes: matrix.axes.clone(),
            cells: matrix
                .items
                .iter()
                .map(|&item| cell(value.ty(), item))
                .collect(),
        })),
        scalar => Meaning::Cell(cell(value.ty(), scalar.number().expect("a scalar"))),
    }
}
