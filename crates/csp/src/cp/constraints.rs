//! Constraints as Pumpkin's: clauses, elements, tables and differences. Sums are in `sums.rs`,
//! arithmetic functions in `arithmetic.rs`.
//!
//! Every propagator on a condition must support half-reification. An element whose index may be
//! out of range does not: it gets an auxiliary index and result, which equal the given ones where
//! the condition holds.

use std::collections::{BTreeMap, BTreeSet};

use pumpkin_core::predicates::{Predicate, PredicateConstructor};
use pumpkin_core::variables::{DomainId, TransformableVariable};

use super::compact_table::CompactTable;
use super::hall_intervals::HallIntervals;
use super::terms::{Int, View};
use super::{CpBackend, LARGEST, Overflow};
use crate::domain::Domain;
use crate::problem::{Comparison, ConditionalConstraint, Literal, Operand, Quantity};
use crate::rewrite;
use crate::visitor::{ConstraintVisitor, visit};

/// Two operands with at most this many common values are made different by a clause for each value.
const FEW_VALUES: u64 = 6;
/// The same limit where a value is excepted: Pumpkin has no propagator for that case.
const MANY_VALUES: u64 = 2000;
/// Differences of more items are propagated pair by pair alone.
const MANY_ITEMS: usize = 150;
/// A table with at most this many rows becomes clauses, a larger one a propagator.
const FEW_ROWS: usize = 12;

impl CpBackend {
    pub(super) fn post(&mut self, posted: &ConditionalConstraint) -> Result<(), Overflow> {
        let when = match posted
            .when
            .map(|literal| (literal, self.predicate(literal)))
        {
            Some((_, Err(false))) => return Ok(()),
            Some((literal, Ok(_))) => Some(literal),
            Some((_, Err(true))) | None => None,
        };
        visit(self, when, &posted.constraint)
    }

    fn different(
        &mut self,
        when: Option<Literal>,
        a: Operand,
        b: Operand,
        except: Option<i32>,
    ) -> Result<(), Overflow> {
        self.poll.step();
        let mut common = self.values(a).intersect(&self.values(b));
        if let Some(v) = except {
            common = common.minus(&Domain::constant(v));
        }
        if a == b || common.len() <= FEW_VALUES || except.is_some() && common.len() <= MANY_VALUES {
            common
                .values()
                .for_each(|v| self.forbid(when, &[a, b], &[v, v]));
            return Ok(());
        }
        if except.is_some() {
            return Err(Overflow);
        }
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let tag = self.tag();
        let views: Vec<View> = vec![a.id.scaled(1), b.id.scaled(-1)];
        self.add(when, pumpkin_constraints::not_equals(views, 0, tag));
        Ok(())
    }

    /// The maximum, or with sign -1 the minimum.
    fn extreme(
        &mut self,
        when: Option<Literal>,
        items: &[Operand],
        result: Operand,
        sign: i32,
    ) -> Result<(), Overflow> {
        if items.is_empty() {
            self.imply(when, Vec::new());
            return Ok(());
        }
        let (items, result) = (self.operands(items)?, self.operand(result)?);
        let views: Vec<View> = items.iter().map(|item| item.id.scaled(sign)).collect();
        let tag = self.tag();
        self.add(
            when,
            pumpkin_constraints::maximum(views, result.id.scaled(sign), tag),
        );
        Ok(())
    }
}

impl CpBackend {
    /// The variable has one of these values.
    fn within(&mut self, when: Option<Literal>, x: &Int, values: &Domain) {
        for &(low, high) in x.domain.minus(values).ranges() {
            self.poll.step();
            let clause = match low == high {
                true => vec![x.id.disequality_predicate(low)],
                false => vec![
                    x.id.upper_bound_predicate(low - 1),
                    x.id.lower_bound_predicate(high + 1),
                ],
            };
            self.imply(when, clause);
        }
    }
}

impl ConstraintVisitor for CpBackend {
    type Condition<'c> = Option<Literal>;
    type Error = Overflow;

    fn visit_clause(
        &mut self,
        when: Option<Literal>,
        literals: &[Literal],
    ) -> Result<(), Overflow> {
        self.clause_of(when, literals);
        Ok(())
    }

    fn visit_linear(
        &mut self,
        when: Option<Literal>,
        terms: &[(i64, Quantity)],
        comparison: Comparison,
        bound: i64,
    ) -> Result<(), Overflow> {
        self.linear(when, terms, comparison, bound)
    }

    fn visit_element(
        &mut self,
        when: Option<Literal>,
        items: &[Operand],
        first: i32,
        index: Operand,
        result: Operand,
    ) -> Result<(), Overflow> {
        let items = self.operands(items)?;
        let (index, result) = (self.operand(index)?, self.operand(result)?);
        let range = rewrite::indices(first, items.len());
        let inside = index.domain.intersect(&range);
        if inside.is_empty() {
            self.imply(when, Vec::new());
            return Ok(());
        }
        if i64::from(first).abs() > LARGEST {
            return Err(Overflow);
        }
        let array: Vec<DomainId> = items.iter().map(|item| item.id).collect();
        if when.is_none() && inside == index.domain {
            let tag = self.tag();
            let index = index.id.offset(-first);
            self.add(
                when,
                pumpkin_constraints::element(index, array, result.id, tag),
            );
            return Ok(());
        }
        // The element constraint holds unconditionally for an auxiliary index and result; the
        // condition ties these to the given ones.
        let own_index = self.between(0, items.len() as i64 - 1)?;
        let all = items
            .iter()
            .fold(Domain::default(), |all, item| all.union(&item.domain));
        let own_result = self.between(i64::from(all.min()), i64::from(all.max()))?;
        let tag = self.tag();
        self.add(
            None,
            pumpkin_constraints::element(own_index.id, array, own_result.id, tag),
        );
        let tag = self.tag();
        let place: Vec<View> = vec![index.id.scaled(1), own_index.id.scaled(-1)];
        self.add(when, pumpkin_constraints::equals(place, first, tag));
        let tag = self.tag();
        let value: Vec<View> = vec![result.id.scaled(1), own_result.id.scaled(-1)];
        self.add(when, pumpkin_constraints::equals(value, 0, tag));
        Ok(())
    }

    fn visit_table(
        &mut self,
        when: Option<Literal>,
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), Overflow> {
        let operands = self.operands(columns)?;
        // A repeated or constant column only filters the rows.
        let mut kept: Vec<usize> = Vec::new();
        let first_place = |i: usize| operands.iter().position(|x| x.id == operands[i].id);
        for (i, operand) in operands.iter().enumerate() {
            if first_place(i) == Some(i) && operand.domain.fixed().is_none() {
                kept.push(i);
            }
        }
        let fits = |row: &&Vec<i32>| {
            self.poll.steps(row.len());
            (0..row.len()).all(|i| {
                operands[i].domain.contains(row[i])
                    && first_place(i).is_none_or(|first| row[first] == row[i])
            })
        };
        let rows: BTreeSet<Vec<i32>> = rows
            .iter()
            .filter(fits)
            .map(|row| kept.iter().map(|&i| row[i]).collect())
            .collect();
        let columns: Vec<Int> = kept.iter().map(|&i| operands[i].clone()).collect();
        if rows.len() > FEW_ROWS && !columns.is_empty() {
            let rows: Vec<Vec<i32>> = rows.into_iter().collect();
            for (i, x) in columns.iter().enumerate() {
                let used = Domain::from_values(rows.iter().map(|row| row[i]));
                self.within(when, x, &used);
            }
            let tag = self.tag();
            let table = CompactTable {
                columns: columns.iter().map(|x| x.id).collect(),
                rows,
                tag,
            };
            self.add(when, table);
            return Ok(());
        }
        let selectors: Vec<Predicate> = rows
            .iter()
            .map(|_| {
                self.poll.step();
                self.made += 1;
                self.solver.new_literal().get_true_predicate()
            })
            .collect();
        self.imply(when, selectors.clone());
        for (i, x) in columns
            .iter()
            .enumerate()
            .filter(|(_, x)| x.domain.fixed().is_none())
        {
            let mut supports: BTreeMap<i32, Vec<Predicate>> = BTreeMap::new();
            for (row, &selector) in rows.iter().zip(&selectors) {
                supports.entry(row[i]).or_default().push(selector);
            }
            for (v, mut supports) in supports {
                let value = x.id.equality_predicate(v);
                for &selector in &supports {
                    self.clause(vec![!selector, value]);
                }
                supports.push(!value);
                self.imply(when, supports);
            }
        }
        Ok(())
    }

    fn visit_negative_table(
        &mut self,
        when: Option<Literal>,
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), Overflow> {
        rows.iter().for_each(|row| self.forbid(when, columns, row));
        Ok(())
    }

    fn visit_all_different(
        &mut self,
        when: Option<Literal>,
        items: &[Operand],
        except: Option<i32>,
    ) -> Result<(), Overflow> {
        for (i, &a) in items.iter().enumerate() {
            for &b in &items[..i] {
                self.different(when, a, b, except)?;
            }
        }
        if except.is_some() || !(3..=MANY_ITEMS).contains(&items.len()) {
            return Ok(());
        }
        let operands = self.operands(items)?;
        let values = operands
            .iter()
            .fold(Domain::default(), |all, item| all.union(&item.domain));
        // As many items as values: each value is the value of some item.
        if values.len() == items.len() as u64 {
            for value in values.values() {
                let of = operands.iter().filter(|item| item.domain.contains(value));
                let clause = of.map(|item| item.id.equality_predicate(value)).collect();
                self.imply(when, clause);
            }
        }
        if values.len() < 3 * items.len() as u64 {
            let tag = self.tag();
            let variables = operands.iter().map(|item| item.id).collect();
            self.add(when, HallIntervals { variables, tag });
        }
        Ok(())
    }

    fn visit_count(
        &mut self,
        when: Option<Literal>,
        items: &[Operand],
        value: i32,
        count: Operand,
    ) -> Result<(), Overflow> {
        let (terms, bound) = rewrite::counted(items, value, count);
        self.linear(when, &terms, Comparison::Equal, bound)
    }

    fn visit_minimum(
        &mut self,
        when: Option<Literal>,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), Overflow> {
        self.extreme(when, items, result, -1)
    }

    fn visit_maximum(
        &mut self,
        when: Option<Literal>,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), Overflow> {
        self.extreme(when, items, result, 1)
    }

    fn visit_product(
        &mut self,
        when: Option<Literal>,
        factors: [Operand; 2],
        result: Operand,
    ) -> Result<(), Overflow> {
        self.product(when, factors, result)
    }

    fn visit_quotient(
        &mut self,
        when: Option<Literal>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), Overflow> {
        self.quotient(when, sides, result)
    }

    fn visit_remainder(
        &mut self,
        when: Option<Literal>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), Overflow> {
        self.remainder(when, sides, result)
    }

    fn visit_power(
        &mut self,
        when: Option<Literal>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), Overflow> {
        self.power(when, sides, result)
    }

    fn visit_absolute(
        &mut self,
        when: Option<Literal>,
        of: Operand,
        result: Operand,
    ) -> Result<(), Overflow> {
        self.absolute(when, of, result)
    }
}
