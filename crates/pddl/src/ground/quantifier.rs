//! Quantifiers under a binding, as nodes of the circuit.
//!
//! A quantifier is written out over the bindings that the atoms of its body leave. One with too
//! many bindings becomes a `Choice`, which is searched when it is evaluated, unless it is a
//! cardinality constraint (`counting`).

use std::rc::Rc;

use super::counting::{Count, count};
use super::formula::Builder;
use super::normal_form::Nnf;
use super::relations::{Members, UNBOUND};
use super::{CannotGround, value};
use crate::circuit::*;
use crate::lifted::*;

/// A quantifier with more bindings than this is searched when it is evaluated, not written out.
const MAX_BINDINGS: usize = 20_000;

impl Builder<'_> {
    /// The node of a quantifier under this binding.
    pub(super) fn quantified(
        &mut self,
        exists: bool,
        variables: &[Parameter],
        body: &Nnf,
        environment: &mut Vec<ObjectId>,
    ) -> Result<NodeId, CannotGround> {
        let first = environment.len();
        let slots = (first as u16..).map(Slot);
        let ranges: Vec<(Slot, Rc<Members>)> = slots
            .zip(variables)
            .map(|(slot, variable)| (slot, self.members(&variable.types)))
            .collect();
        if exists
            && variables.len() > 1
            && let Some(count) = count(&ranges, body)
            && let Some(inner) = self.counted_ranges(&count, &ranges)
        {
            return self.counted(&count, &inner, ranges.len(), environment);
        }
        // Under every other binding the body is false for `exists` and true for `forall`.
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
        let bindings = self.bindings(atoms, &ranges, &fixed, environment, MAX_BINDINGS)?;
        let Some(bindings) = bindings else {
            return if exists {
                self.choose(&ranges, body, environment)
            } else {
                let node = self.choose(&ranges, &body.negated(), environment)?;
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
        Ok(self.circuit.and_or(!exists, nodes))
    }

    /// The ranges of the inner variables; `None` where a tuple ranges over other objects, so that
    /// counting is not enough.
    fn counted_ranges(
        &mut self,
        count: &Count,
        ranges: &[(Slot, Rc<Members>)],
    ) -> Option<Vec<Rc<Members>>> {
        let inner: Vec<Rc<Members>> = count
            .variables
            .iter()
            .map(|variable| self.members(&variable.types))
            .collect();
        let same = count.tuples.iter().all(|tuple| {
            let mut pairs = tuple.iter().zip(&inner);
            pairs.all(|(&outer, inner)| ranges[outer].1.list == inner.list)
        });
        same.then_some(inner)
    }

    /// "There are g tuples such that every other tuple satisfies …" means that at most g tuples do
    /// not satisfy it. The g tuples have `outer` variables, with the same ranges as the inner ones.
    fn counted(
        &mut self,
        count: &Count,
        inner: &[Rc<Members>],
        outer: usize,
        environment: &mut Vec<ObjectId>,
    ) -> Result<NodeId, CannotGround> {
        let first = environment.len();
        let wanted = if count.distinct {
            count.tuples.len()
        } else {
            1
        };
        if bindings_of(inner.iter()) < wanted {
            return Ok(FALSE);
        }
        // The slots of the inner variables follow those of the outer ones, which the formula does
        // not read.
        environment.resize(first + outer, UNBOUND);
        let mut parts = Vec::new();
        let result = self.each_tuple(inner, 0, &count.otherwise, environment, &mut parts);
        environment.truncate(first);
        result?;
        let exceptions = parts
            .into_iter()
            .map(|part| self.circuit.not(part))
            .collect();
        Ok(self.circuit.at_most(count.tuples.len(), exceptions))
    }

    /// Adds the formula for every tuple of the inner variables from `at` on.
    fn each_tuple(
        &mut self,
        inner: &[Rc<Members>],
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
            let result = self.each_tuple(inner, at + 1, formula, environment, parts);
            environment.pop();
            result?;
        }
        Ok(())
    }

    /// An existential quantifier that is evaluated by search.
    fn choose(
        &mut self,
        ranges: &[(Slot, Rc<Members>)],
        body: &Nnf,
        environment: &mut Vec<ObjectId>,
    ) -> Result<NodeId, CannotGround> {
        let first = environment.len();
        environment.resize(first + ranges.len(), UNBOUND);
        let free = Free { first, ranges };
        let parts: Result<Vec<OpenFormula>, CannotGround> = body
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
    ) -> Result<OpenFormula, CannotGround> {
        self.poll.try_step()?;
        match formula {
            Nnf::And(parts) => Ok(OpenFormula::And(self.opens(parts, free, environment)?)),
            Nnf::Or(parts) => Ok(OpenFormula::Or(self.opens(parts, free, environment)?)),
            Nnf::Exists {
                variables, body, ..
            }
            | Nnf::Forall {
                variables, body, ..
            } => {
                let exists = matches!(formula, Nnf::Exists { .. });
                let ranges: Vec<Rc<Members>> = variables
                    .iter()
                    .map(|variable| self.members(&variable.types))
                    .collect();
                let product = bindings_of(ranges.iter());
                if product > MAX_BINDINGS {
                    return Err(CannotGround::TooLarge(format!(
                        "a quantifier inside a quantifier has more than {MAX_BINDINGS} bindings"
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
                    OpenFormula::Or(parts)
                } else {
                    OpenFormula::And(parts)
                })
            }
            Nnf::Equal {
                left,
                right,
                positive,
            } => match (free.index(*left), free.index(*right)) {
                (None, None) => Ok(OpenFormula::Closed(self.formula(formula, environment)?)),
                (Some(at), None) => Ok(self.is(free, at, value(*right, environment), *positive)),
                (None, Some(at)) => Ok(self.is(free, at, value(*left, environment), *positive)),
                (Some(left), Some(right)) => {
                    let other = &free.ranges[right].1.list;
                    let same = |object| other.iter().position(|o| o == object).map(|at| at as u32);
                    let table = free.ranges[left].1.list.iter().map(same).collect();
                    Ok(OpenFormula::Same(left, right, table, *positive))
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
            Nnf::Compare { .. } => Err(CannotGround::TooLarge(
                "a numeric comparison is inside a quantifier with too many bindings".to_string(),
            )),
        }
    }

    /// Several formulas in which some variables are free.
    fn opens(
        &mut self,
        parts: &[Nnf],
        free: &Free,
        environment: &mut Vec<ObjectId>,
    ) -> Result<Vec<OpenFormula>, CannotGround> {
        parts
            .iter()
            .map(|part| self.open(part, free, environment))
            .collect()
    }

    /// That the free variable `at` is this object, or is not.
    fn is(&self, free: &Free, at: usize, object: ObjectId, positive: bool) -> OpenFormula {
        match free.ranges[at]
            .1
            .list
            .iter()
            .position(|&member| member == object)
        {
            Some(index) => OpenFormula::Is(at, index as u32, positive),
            None => OpenFormula::Closed(self.circuit.constant(!positive)),
        }
    }

    /// A literal, with a node for every value of its free variables.
    fn table(
        &mut self,
        literal: &Nnf,
        mut used: Vec<usize>,
        free: &Free,
        environment: &mut Vec<ObjectId>,
    ) -> Result<OpenFormula, CannotGround> {
        used.sort();
        used.dedup();
        if used.is_empty() {
            return Ok(OpenFormula::Closed(self.formula(literal, environment)?));
        }
        let size = bindings_of(used.iter().map(|&at| &free.ranges[at].1));
        if size > MAX_BINDINGS {
            return Err(CannotGround::TooLarge(
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
        Ok(OpenFormula::Table(used, table.into_boxed_slice()))
    }
}

/// The number of bindings of variables with these ranges; `usize::MAX` where there are more.
fn bindings_of<'a>(ranges: impl Iterator<Item = &'a Rc<Members>>) -> usize {
    let mut sizes: Vec<usize> = ranges.map(|members| members.list.len()).collect();
    // A product with an empty range is 0, however large the others are.
    sizes.sort_unstable();
    sizes.into_iter().fold(1, usize::saturating_mul)
}

/// The variables of a `Choice`: consecutive slots from `first`.
struct Free<'a> {
    first: usize,
    ranges: &'a [(Slot, Rc<Members>)],
}

impl Free<'_> {
    /// The number of the free variable, if the term is one.
    fn index(&self, term: Term) -> Option<usize> {
        match term {
            Term::Slot(slot) => usize::from(slot.0)
                .checked_sub(self.first)
                .filter(|&at| at < self.ranges.len()),
            Term::Object(_) => None,
        }
    }
}
