//! What filtering removes for each kind of constraint, and when a constraint clearly cannot hold.

use super::{EmptyDomain, Filter, LARGE};
use crate::domain::Domain;
use crate::problem::{Comparison, Constraint, Literal, Operand, Quantity};
use crate::rewrite;
use crate::visitor::ConstraintVisitor;

impl Filter {
    /// False if a cheap test shows that the constraint cannot hold.
    pub(super) fn possible(&self, constraint: &Constraint) -> bool {
        match constraint {
            Constraint::Clause(literals) => literals.iter().any(|&l| self.known(l) != Some(false)),
            Constraint::Linear {
                terms,
                comparison,
                bound,
            } => {
                let (mut low, mut high) = (0i128, 0i128);
                for &(weight, quantity) in terms {
                    let (a, b) = self.bounds(weight, quantity);
                    low += a;
                    high += b;
                }
                let bound = i128::from(*bound);
                match comparison {
                    Comparison::Equal => low <= bound && bound <= high,
                    Comparison::NotEqual => low != bound || high != bound,
                    Comparison::AtMost => low <= bound,
                    Comparison::AtLeast => high >= bound,
                }
            }
            Constraint::Table { columns, rows } if rows.len() <= LARGE => {
                let fits = |row: &Vec<i32>| {
                    columns.iter().zip(row).all(|(&o, &v)| match o {
                        Operand::Number(number) => number == v,
                        Operand::Var(x) => self.domains[x.index()].contains(v),
                    })
                };
                rows.iter().any(fits)
            }
            _ => true,
        }
    }

    /// The least and the largest value of a term.
    fn bounds(&self, weight: i64, quantity: Quantity) -> (i128, i128) {
        let (low, high) = match quantity {
            Quantity::Var(x) => {
                let domain = &self.domains[x.index()];
                (i128::from(domain.min()), i128::from(domain.max()))
            }
            Quantity::Truth(literal) => match self.known(literal) {
                Some(known) => (i128::from(known), i128::from(known)),
                None => (0, 1),
            },
        };
        let weight = i128::from(weight);
        (
            weight * if weight > 0 { low } else { high },
            weight * if weight > 0 { high } else { low },
        )
    }

    fn not_zero(&mut self, operand: Operand) -> Result<(), EmptyDomain> {
        let rest = self.domain(operand).minus(&Domain::constant(0));
        self.restrict_operand(operand, &rest)
    }

    /// `weight * quantity ≤ bound`.
    fn at_most(
        &mut self,
        weight: i128,
        quantity: Quantity,
        bound: i128,
    ) -> Result<(), EmptyDomain> {
        match quantity {
            Quantity::Var(x) => {
                let clip = |v: i128| v.clamp(i128::from(i32::MIN), i128::from(i32::MAX)) as i32;
                let domain = &self.domains[x.index()];
                let (low, high) = (i128::from(domain.min()), i128::from(domain.max()));
                let to = match weight > 0 {
                    true => (low, high.min(bound.div_euclid(weight))),
                    // x >= bound / weight, rounded up; div_euclid by a negative number rounds up.
                    false => (low.max(bound.div_euclid(weight)), high),
                };
                match to.0 <= to.1 {
                    true => self.restrict(x, &Domain::range(clip(to.0), clip(to.1))),
                    false => Err(EmptyDomain),
                }
            }
            Quantity::Truth(literal) if self.known(literal).is_none() => {
                match (weight <= bound, 0 <= bound) {
                    (true, true) => Ok(()),
                    (true, false) => self.assert(literal),
                    (false, true) => self.assert(!literal),
                    (false, false) => Err(EmptyDomain),
                }
            }
            Quantity::Truth(_) => Ok(()),
        }
    }

    /// `weight * quantity ≠ amount`.
    fn avoid(
        &mut self,
        (weight, quantity): (i64, Quantity),
        amount: i128,
    ) -> Result<(), EmptyDomain> {
        let weight = i128::from(weight);
        match quantity {
            Quantity::Var(x) if weight != 0 && amount % weight == 0 => {
                match i32::try_from(amount / weight) {
                    Ok(v) => self.assert(Literal::IsNot(x, v)),
                    Err(_) => Ok(()),
                }
            }
            Quantity::Truth(literal) if amount == weight => self.assert(!literal),
            Quantity::Truth(literal) if amount == 0 => self.assert(literal),
            _ => Ok(()),
        }
    }
}

impl ConstraintVisitor for Filter {
    /// Only constraints whose condition holds are enforced.
    type Condition<'c> = ();
    type Error = EmptyDomain;

    fn visit_clause(&mut self, (): (), literals: &[Literal]) -> Result<(), EmptyDomain> {
        let mut open = None;
        for &literal in literals {
            match self.known(literal) {
                Some(true) => return Ok(()),
                Some(false) => {}
                None if open.is_some_and(|other| other != literal) => return Ok(()),
                None => open = Some(literal),
            }
        }
        self.assert(open.ok_or(EmptyDomain)?)
    }

    fn visit_linear(
        &mut self,
        (): (),
        terms: &[(i64, Quantity)],
        comparison: Comparison,
        bound: i64,
    ) -> Result<(), EmptyDomain> {
        let bound = i128::from(bound);
        let bounds: Vec<(i128, i128)> = terms.iter().map(|&(w, q)| self.bounds(w, q)).collect();
        let low: i128 = bounds.iter().map(|r| r.0).sum();
        let high: i128 = bounds.iter().map(|r| r.1).sum();
        if comparison == Comparison::NotEqual {
            let open: Vec<usize> = (0..terms.len())
                .filter(|&i| bounds[i].0 != bounds[i].1)
                .collect();
            return match open[..] {
                [] if low == bound => Err(EmptyDomain),
                [only] => {
                    let rest = bound - (low - bounds[only].0);
                    self.avoid(terms[only], rest)
                }
                _ => Ok(()),
            };
        }
        for (&(weight, quantity), &(least, most)) in terms.iter().zip(&bounds) {
            if weight == 0 {
                continue;
            }
            let weight = i128::from(weight);
            if comparison != Comparison::AtLeast {
                self.at_most(weight, quantity, bound - (low - least))?;
            }
            if comparison != Comparison::AtMost {
                self.at_most(-weight, quantity, (high - most) - bound)?;
            }
        }
        match comparison {
            Comparison::AtMost if low > bound => Err(EmptyDomain),
            Comparison::AtLeast if high < bound => Err(EmptyDomain),
            Comparison::Equal if low > bound || high < bound => Err(EmptyDomain),
            _ => Ok(()),
        }
    }

    fn visit_element(
        &mut self,
        (): (),
        items: &[Operand],
        first: i32,
        index: Operand,
        result: Operand,
    ) -> Result<(), EmptyDomain> {
        let (indices, wanted) = (self.domain(index), self.domain(result));
        let inside = indices.intersect(&rewrite::indices(first, items.len()));
        let item = |i: i32| items[(i64::from(i) - i64::from(first)) as usize];
        let fits = |&i: &i32| !self.domain(item(i)).intersect(&wanted).is_empty();
        let indices: Vec<i32> = inside.values().filter(fits).collect();
        let ranges: Vec<(i32, i32)> = indices
            .iter()
            .flat_map(|&i| self.domain(item(i)).ranges().to_vec())
            .collect();
        self.restrict_operand(index, &Domain::from_values(indices.iter().copied()))?;
        self.restrict_operand(result, &Domain::from_ranges(ranges))?;
        match indices[..] {
            [only] => {
                let wanted = self.domain(result);
                self.restrict_operand(item(only), &wanted)
            }
            _ => Ok(()),
        }
    }

    fn visit_table(
        &mut self,
        (): (),
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), EmptyDomain> {
        let domains: Vec<Domain> = columns.iter().map(|&o| self.domain(o)).collect();
        let fits = |row: &&Vec<i32>| domains.iter().zip(*row).all(|(d, &v)| d.contains(v));
        let rows: Vec<&Vec<i32>> = rows.iter().filter(fits).collect();
        for (i, &column) in columns.iter().enumerate() {
            let values = Domain::from_values(rows.iter().map(|row| row[i]));
            self.restrict_operand(column, &values)?;
        }
        Ok(())
    }

    fn visit_negative_table(
        &mut self,
        (): (),
        _: &[Operand],
        _: &[Vec<i32>],
    ) -> Result<(), EmptyDomain> {
        Ok(())
    }

    fn visit_all_different(
        &mut self,
        (): (),
        items: &[Operand],
        except: Option<i32>,
    ) -> Result<(), EmptyDomain> {
        for (i, &item) in items.iter().enumerate() {
            let Some(v) = self.domain(item).fixed().filter(|v| Some(*v) != except) else {
                continue;
            };
            self.poll.steps(items.len());
            for (j, &other) in items.iter().enumerate() {
                if i != j {
                    let rest = self.domain(other).minus(&Domain::constant(v));
                    self.restrict_operand(other, &rest)?;
                }
            }
        }
        Ok(())
    }

    fn visit_count(
        &mut self,
        (): (),
        items: &[Operand],
        value: i32,
        count: Operand,
    ) -> Result<(), EmptyDomain> {
        let (mut sure, mut maybe) = (0, 0);
        for domain in items.iter().map(|&o| self.domain(o)) {
            sure += i32::from(domain.fixed() == Some(value));
            maybe += i32::from(domain.contains(value));
        }
        self.restrict_operand(count, &Domain::range(sure, maybe))
    }

    fn visit_minimum(
        &mut self,
        (): (),
        items: &[Operand],
        result: Operand,
    ) -> Result<(), EmptyDomain> {
        let low = items.iter().map(|&o| self.domain(o).min()).min();
        let high = items.iter().map(|&o| self.domain(o).max()).min();
        let (low, high) = low.zip(high).ok_or(EmptyDomain)?;
        self.restrict_operand(result, &Domain::range(low, high))?;
        let allowed = Domain::range(self.domain(result).min(), i32::MAX);
        items
            .iter()
            .try_for_each(|&o| self.restrict_operand(o, &allowed))
    }

    fn visit_maximum(
        &mut self,
        (): (),
        items: &[Operand],
        result: Operand,
    ) -> Result<(), EmptyDomain> {
        let low = items.iter().map(|&o| self.domain(o).min()).max();
        let high = items.iter().map(|&o| self.domain(o).max()).max();
        let (low, high) = low.zip(high).ok_or(EmptyDomain)?;
        self.restrict_operand(result, &Domain::range(low, high))?;
        let allowed = Domain::range(i32::MIN, self.domain(result).max());
        items
            .iter()
            .try_for_each(|&o| self.restrict_operand(o, &allowed))
    }

    fn visit_product(
        &mut self,
        (): (),
        [a, b]: [Operand; 2],
        result: Operand,
    ) -> Result<(), EmptyDomain> {
        let (low, high) = self.domain(a).product_bounds(&self.domain(b));
        let clip = |v: i64| v.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        self.restrict_operand(result, &Domain::range(clip(low), clip(high)))
    }

    fn visit_quotient(
        &mut self,
        (): (),
        [_, divisor]: [Operand; 2],
        _: Operand,
    ) -> Result<(), EmptyDomain> {
        self.not_zero(divisor)
    }

    fn visit_remainder(
        &mut self,
        (): (),
        [_, divisor]: [Operand; 2],
        _: Operand,
    ) -> Result<(), EmptyDomain> {
        self.not_zero(divisor)
    }

    fn visit_power(
        &mut self,
        (): (),
        [_, exponent]: [Operand; 2],
        _: Operand,
    ) -> Result<(), EmptyDomain> {
        self.restrict_operand(exponent, &Domain::range(0, i32::MAX))
    }

    fn visit_absolute(&mut self, (): (), _: Operand, result: Operand) -> Result<(), EmptyDomain> {
        self.restrict_operand(result, &Domain::range(0, i32::MAX))
    }
}
