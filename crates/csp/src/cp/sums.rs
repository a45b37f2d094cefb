//! Linear constraints for Pumpkin. Its arithmetic has 32 bits, so a sum that could overflow is
//! refused. Each variable occurs once, and the literal of a 0/1 variable is the variable itself.

use std::collections::BTreeMap;

use pumpkin_core::variables::TransformableVariable;

use super::terms::View;
use super::{CpBackend, LARGEST, Overflow};
use crate::domain::Domain;
use crate::problem::{Comparison, Literal, Quantity, VarId};

impl CpBackend {
    pub(super) fn linear(
        &mut self,
        when: Option<Literal>,
        terms: &[(i64, Quantity)],
        comparison: Comparison,
        bound: i64,
    ) -> Result<(), Overflow> {
        // Each variable once, with 64-bit weights until it is known that they fit.
        let mut variables: BTreeMap<VarId, i64> = BTreeMap::new();
        let mut truths: BTreeMap<Literal, i64> = BTreeMap::new();
        let mut bound = i128::from(bound);
        self.poll.steps(terms.len());
        for &(weight, quantity) in terms {
            let sum = match quantity {
                Quantity::Var(x) if self.domain(x).fixed().is_some() => {
                    bound -= i128::from(weight) * i128::from(self.domain(x).min());
                    continue;
                }
                Quantity::Var(x) => variables.entry(x).or_default(),
                Quantity::Truth(literal) => match literal.known(self.domain(literal.variable())) {
                    Some(known) => {
                        bound -= i128::from(weight) * i128::from(known);
                        continue;
                    }
                    None => truths.entry(literal).or_default(),
                },
            };
            *sum = sum.checked_add(weight).ok_or(Overflow)?;
        }
        // The literal of a 0/1 variable is the variable.
        let literals: Vec<(Literal, i64)> = std::mem::take(&mut truths).into_iter().collect();
        for (literal, weight) in literals {
            let x = literal.variable();
            if *self.domain(x) == Domain::bool() {
                let (sign, shift) = if literal.holds_for(1) {
                    (1, 0)
                } else {
                    (-1, 1)
                };
                bound -= i128::from(weight) * shift;
                let sum = variables.entry(x).or_default();
                let weight = weight.checked_mul(sign).ok_or(Overflow)?;
                *sum = sum.checked_add(weight).ok_or(Overflow)?;
            } else {
                truths.insert(literal, weight);
            }
        }
        let mut views: Vec<View> = Vec::new();
        // The largest absolute value of the sum.
        let mut reach = 0i128;
        for (x, weight) in variables.into_iter().filter(|term| term.1 != 0) {
            reach += i128::from(weight).abs() * i128::from(self.domain(x).magnitude());
            let weight = i32::try_from(weight).map_err(|_| Overflow)?;
            views.push(self.variables[x.index()].scaled(weight));
        }
        for (literal, weight) in truths.into_iter().filter(|term| term.1 != 0) {
            reach += i128::from(weight).abs();
            let weight = i32::try_from(weight).map_err(|_| Overflow)?;
            views.push(self.truth(literal).get_integer_variable().scaled(weight));
        }
        if reach > i128::from(LARGEST) {
            return Err(Overflow);
        }
        let holds = match comparison {
            _ if views.is_empty() => Some(match comparison {
                Comparison::Equal => bound == 0,
                Comparison::NotEqual => bound != 0,
                Comparison::AtMost => 0 <= bound,
                Comparison::AtLeast => 0 >= bound,
            }),
            Comparison::Equal if bound.abs() > reach => Some(false),
            Comparison::NotEqual if bound.abs() > reach => Some(true),
            Comparison::AtMost if bound.abs() > reach => Some(bound > 0),
            Comparison::AtLeast if bound.abs() > reach => Some(bound < 0),
            _ => None,
        };
        match holds {
            Some(true) => return Ok(()),
            Some(false) => {
                self.imply(when, Vec::new());
                return Ok(());
            }
            None => {}
        }
        let bound = bound as i32;
        let tag = self.tag();
        match comparison {
            Comparison::Equal => self.add(when, pumpkin_constraints::equals(views, bound, tag)),
            Comparison::NotEqual => {
                self.add(when, pumpkin_constraints::not_equals(views, bound, tag))
            }
            Comparison::AtMost => {
                self.add(
                    when,
                    pumpkin_constraints::less_than_or_equals(views, bound, tag),
                );
            }
            Comparison::AtLeast => {
                self.add(
                    when,
                    pumpkin_constraints::greater_than_or_equals(views, bound, tag),
                );
            }
        }
        Ok(())
    }
}
