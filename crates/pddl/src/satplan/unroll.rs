//! The steps of a task as clauses, one after the other, in one incremental solver.
//!
//! A step has a literal for each operator that may be applicable there; each fact has a literal
//! before and one after the step. An operator implies its precondition; a consequence that applies
//! implies its changes; and a fact only changes if a consequence changes it (explanatory frame
//! axioms). Of the facts of a mutex group at most one holds after a step; that follows from the other
//! clauses, but mostly not by unit propagation. A step may be empty, but then all later steps are,
//! so that a plan is a solution of every horizon that is long enough, and is represented only once.

use ployglot_base::{Limit, Poll};
use ployglot_csp::sat::{Clauses, Lit, SatSolver};

use super::Counted;
use super::effects::Prepared;
use super::layer::{Layer, Needs};
use super::order::Order;
use crate::circuit::FactId;
use crate::packing::Packing;
use crate::task::{OperatorId, State, Task};

/// The steps that are encoded so far.
pub(super) struct Unrolled<'a> {
    prepared: &'a Prepared,
    /// Mutex groups that cover the facts.
    groups: Vec<Vec<FactId>>,
    /// The order of the operators in a step; `None`: a step has at most one operator.
    order: Option<&'a Order>,
    /// The literals after the last step.
    layer: Layer<'a>,
    /// For each step, the operators that may be applicable, with their literals.
    steps: Vec<Vec<(OperatorId, Lit)>>,
    /// For each step, the literal that some operator is executed in it.
    nonempty: Vec<Lit>,
    /// The number of steps that cannot be empty.
    needed: usize,
    /// Whether the same facts are constant before and after the last step.
    at_fixpoint: bool,
}

/// The literals of the consequences that change a fact in a step.
#[derive(Clone, Default)]
struct Changers {
    adders: Vec<Lit>,
    deleters: Vec<Lit>,
}

impl<'a> Unrolled<'a> {
    /// No steps; the facts have their values at the start.
    pub fn new(
        task: &'a Task,
        prepared: &'a Prepared,
        order: Option<&'a Order>,
        start: &State,
        poll: &'a Poll,
        out: &mut impl Clauses,
    ) -> Result<Self, Limit> {
        let packing = Packing::new(task, poll)?;
        let groups = packing.groups().filter(|group| group.len() > 1);
        let top = out.fresh();
        out.clause(&[top]);
        let holds = |fact: usize| start.0[fact / 64] >> (fact % 64) & 1 == 1;
        let facts = (0..task.facts.len())
            .map(|fact| if holds(fact) { top } else { !top })
            .collect();
        let layer = Layer::new(task, &prepared.gates, top, facts, poll);
        Ok(Self {
            prepared,
            groups: groups.map(<[_]>::to_vec).collect(),
            order,
            layer,
            steps: Vec::new(),
            nonempty: Vec::new(),
            needed: 0,
            at_fixpoint: false,
        })
    }

    /// The literals of the facts after the last step.
    pub fn facts(&self) -> &[Lit] {
        self.layer.facts()
    }

    /// The literal that is always true.
    pub fn top(&self) -> Lit {
        self.layer.top
    }

    /// The operators of the last step, with their literals.
    pub fn last_step(&self) -> &[(OperatorId, Lit)] {
        self.steps.last().map_or(&[], Vec::as_slice)
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// A literal that implies the goal after the last step. `None`: the goal cannot hold there.
    pub fn goal(&mut self, out: &mut impl Clauses) -> Result<Option<Lit>, Limit> {
        self.layer.define_deep_gates(out);
        let goal = self.layer.literal(self.prepared.goal, Needs::HOLD, out);
        let goal = (goal != !self.layer.top).then_some(goal);
        self.layer.poll.ended().map_or(Ok(goal), Err)
    }

    /// Whether a formula that cannot hold after the last step cannot hold after any number of
    /// steps.
    pub fn at_fixpoint(&self) -> bool {
        self.at_fixpoint
    }

    /// Adds that no plan has fewer steps than this.
    pub fn need(&mut self, steps: usize, out: &mut impl Clauses) {
        for &nonempty in self.nonempty.iter().take(steps).skip(self.needed) {
            out.clause(&[nonempty]);
        }
        self.needed = self.needed.max(steps);
    }

    /// The operators of a solution's first steps, by step, in the order of execution; without empty
    /// steps.
    pub fn plan(&self, steps: usize, value: impl Fn(Lit) -> bool) -> Vec<Vec<OperatorId>> {
        let taken = self.steps[..steps].iter().map(|step| {
            let mut taken: Vec<OperatorId> = step
                .iter()
                .filter(|(_, l)| value(*l))
                .map(|&(id, _)| id)
                .collect();
            if let Some(order) = self.order {
                taken.sort_by_key(|id| order.rank[id.0 as usize]);
            }
            taken
        });
        taken.filter(|taken| !taken.is_empty()).collect()
    }

    /// Forbids what a solution derives in a circle, in the states of the first steps. Whether there was
    /// anything; otherwise the operators of these steps are a plan.
    pub fn forbid_loops(&mut self, steps: usize, solver: &mut Counted) -> Result<bool, Limit> {
        let loops = self
            .layer
            .loops(steps, |literal| solver.raw.value(literal))?;
        for found in &loops {
            self.layer.forbid(found, solver);
        }
        self.layer.poll.ended().map_or(Ok(!loops.is_empty()), Err)
    }

    /// Adds a step, and returns the literals of its operators. After an error the clauses must not
    /// be used any more.
    pub fn extend(&mut self, out: &mut impl Clauses) -> Result<&[(OperatorId, Lit)], Limit> {
        let poll = self.layer.poll;
        self.layer.define_deep_gates(out);
        let operators = self.operators(out)?;
        let step: Vec<(OperatorId, Lit)> = operators
            .iter()
            .enumerate()
            .filter_map(|(id, literal)| Some((OperatorId(id as u32), (*literal)?)))
            .collect();
        let all: Vec<Lit> = step.iter().map(|&(_, literal)| literal).collect();
        self.mark_nonempty(&all, out);
        match self.order {
            Some(order) => order.forbid(&operators, out, poll)?,
            None => at_most_one(&all, out),
        }
        let changers = self.changers(&operators, out)?;
        let facts = self.frame(&changers, out)?;
        self.exclude(&facts, out)?;
        let fixed = |literals: &[Lit], top: Lit| {
            literals
                .iter()
                .map(|&l| l == top || l == !top)
                .collect::<Vec<_>>()
        };
        self.at_fixpoint =
            fixed(&facts, self.layer.top) == fixed(self.layer.facts(), self.layer.top);
        self.layer.advance(facts);
        self.steps.push(step);
        let step = self.steps.last().expect("it was added");
        poll.ended().map_or(Ok(step), Err)
    }

    /// For each operator, a literal that implies its precondition; `None` where that cannot hold.
    fn operators(&mut self, out: &mut impl Clauses) -> Result<Vec<Option<Lit>>, Limit> {
        let (prepared, no) = (self.prepared, !self.layer.top);
        let mut parts = Vec::new();
        let operators = prepared.preconditions.iter().map(|precondition| {
            self.layer.poll.try_step()?;
            parts.clear();
            for &part in prepared.gates.conjuncts(precondition) {
                match self.layer.literal(part, Needs::HOLD, out) {
                    part if part == no => return Ok(None),
                    part if part == !no => {}
                    part => parts.push(part),
                }
            }
            let operator = out.fresh();
            parts
                .iter()
                .for_each(|&part| out.clause(&[!operator, part]));
            Ok(Some(operator))
        });
        operators.collect()
    }

    /// Adds the literal that some operator is executed, and that empty steps come last.
    fn mark_nonempty(&mut self, operators: &[Lit], out: &mut impl Clauses) {
        let nonempty = out.fresh();
        operators
            .iter()
            .for_each(|&operator| out.clause(&[!operator, nonempty]));
        let some: Vec<Lit> = operators.iter().copied().chain([!nonempty]).collect();
        out.clause(&some);
        if let Some(&before) = self.nonempty.last() {
            out.clause(&[!nonempty, before]);
        }
        if self.nonempty.len() < self.needed {
            out.clause(&[nonempty]);
        }
        self.nonempty.push(nonempty);
    }

    /// For each fact, the literals of the consequences that change it. The literal of a consequence
    /// is true exactly if the consequence applies.
    fn changers(
        &mut self,
        operators: &[Option<Lit>],
        out: &mut impl Clauses,
    ) -> Result<Vec<Changers>, Limit> {
        let (prepared, top) = (self.prepared, self.layer.top);
        let mut changers = vec![Changers::default(); self.layer.facts().len()];
        for consequence in &prepared.consequences {
            self.layer.poll.try_step()?;
            let mut taken = consequence
                .operators
                .iter()
                .filter_map(|&id| operators[id as usize])
                .collect::<Vec<Lit>>();
            if taken.is_empty() {
                continue;
            }
            let condition = self.layer.literal(consequence.condition, Needs::BOTH, out);
            if condition == !top {
                continue;
            }
            let some = if let [one] = taken[..] {
                one
            } else {
                let some = out.fresh();
                taken.iter().for_each(|&one| out.clause(&[!one, some]));
                taken.push(!some);
                out.clause(&taken);
                some
            };
            let applies = if condition == top {
                some
            } else {
                let applies = out.fresh();
                out.clause(&[!applies, some]);
                out.clause(&[!applies, condition]);
                out.clause(&[applies, !some, !condition]);
                applies
            };
            for &(FactId(fact), now) in &consequence.changes {
                let changers = &mut changers[fact as usize];
                if now {
                    changers.adders.push(applies)
                } else {
                    changers.deleters.push(applies)
                }
            }
        }
        Ok(changers)
    }

    /// Adds that at most one fact of each mutex group holds after the step.
    fn exclude(&self, facts: &[Lit], out: &mut impl Clauses) -> Result<(), Limit> {
        let top = self.layer.top;
        for group in &self.groups {
            self.layer.poll.try_step()?;
            let all = group.iter().map(|fact| facts[fact.0 as usize]);
            let open: Vec<Lit> = all
                .clone()
                .filter(|&fact| fact != !top && fact != top)
                .collect();
            if all.clone().any(|fact| fact == top) {
                open.iter().for_each(|&fact| out.clause(&[!fact]));
            } else {
                at_most_one(&open, out);
            }
        }
        Ok(())
    }

    /// The literals of the facts after the step, with their frame axioms.
    fn frame(&mut self, changers: &[Changers], out: &mut impl Clauses) -> Result<Vec<Lit>, Limit> {
        let poll = self.layer.poll;
        let top = self.layer.top;
        let mut clause = Vec::new();
        let facts = self
            .layer
            .facts()
            .iter()
            .zip(changers)
            .map(|(&before, changers)| {
                poll.try_step()?;
                let adders: &[Lit] = if before == top { &[] } else { &changers.adders };
                let deleters: &[Lit] = if before == !top {
                    &[]
                } else {
                    &changers.deleters
                };
                if adders.is_empty() && deleters.is_empty() {
                    return Ok(before);
                }
                let after = out.fresh();
                for (literals, side) in [(&changers.adders, after), (&changers.deleters, !after)] {
                    literals
                        .iter()
                        .for_each(|&change| out.clause(&[!change, side]));
                }
                for (literals, before, after) in
                    [(adders, before, after), (deleters, !before, !after)]
                {
                    if before != top {
                        clause.clear();
                        clause.extend(
                            literals
                                .iter()
                                .copied()
                                .chain([!after, before].into_iter().filter(|&l| l != !top)),
                        );
                        out.clause(&clause);
                    }
                }
                Ok(after)
            });
        facts.collect()
    }
}

/// At most one of the literals is true: the product encoding (Chen 2010), with rows and columns of
/// a square.
fn at_most_one(literals: &[Lit], out: &mut impl Clauses) {
    const FEW: usize = 6;
    if literals.len() <= FEW {
        for (at, &one) in literals.iter().enumerate() {
            literals[..at]
                .iter()
                .for_each(|&other| out.clause(&[!one, !other]));
        }
        return;
    }
    let width = literals.len().isqrt() + 1;
    let columns: Vec<Lit> = (0..width).map(|_| out.fresh()).collect();
    let mut rows = Vec::new();
    for row in literals.chunks(width) {
        let this = out.fresh();
        for (&literal, &column) in row.iter().zip(&columns) {
            out.clause(&[!literal, this]);
            out.clause(&[!literal, column]);
        }
        rows.push(this);
    }
    at_most_one(&columns, out);
    at_most_one(&rows, out);
}
