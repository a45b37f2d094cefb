//! One visitor for all back ends: a method for each kind of constraint, and [`visit`], which calls
//! the right one. A new kind of constraint is a new method without a default, so every back end
//! fails to compile until it handles it.

use crate::problem::{Comparison, Constraint, Literal, Operand, Quantity};

/// What a back end does with each kind of constraint. The parameters are the fields of
/// [`Constraint`]; `when` is the condition in the form that the back end prefers.
pub(crate) trait ConstraintVisitor {
    /// A condition, always true if the constraint has none.
    type Condition<'c>: Copy;
    /// Why a constraint cannot be handled.
    type Error;

    fn visit_clause(
        &mut self,
        when: Self::Condition<'_>,
        literals: &[Literal],
    ) -> Result<(), Self::Error>;

    fn visit_linear(
        &mut self,
        when: Self::Condition<'_>,
        terms: &[(i64, Quantity)],
        comparison: Comparison,
        bound: i64,
    ) -> Result<(), Self::Error>;

    fn visit_element(
        &mut self,
        when: Self::Condition<'_>,
        items: &[Operand],
        first: i32,
        index: Operand,
        result: Operand,
    ) -> Result<(), Self::Error>;

    fn visit_table(
        &mut self,
        when: Self::Condition<'_>,
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), Self::Error>;

    fn visit_negative_table(
        &mut self,
        when: Self::Condition<'_>,
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), Self::Error>;

    fn visit_all_different(
        &mut self,
        when: Self::Condition<'_>,
        items: &[Operand],
        except: Option<i32>,
    ) -> Result<(), Self::Error>;

    fn visit_count(
        &mut self,
        when: Self::Condition<'_>,
        items: &[Operand],
        value: i32,
        count: Operand,
    ) -> Result<(), Self::Error>;

    fn visit_minimum(
        &mut self,
        when: Self::Condition<'_>,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), Self::Error>;

    fn visit_maximum(
        &mut self,
        when: Self::Condition<'_>,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), Self::Error>;

    fn visit_product(
        &mut self,
        when: Self::Condition<'_>,
        factors: [Operand; 2],
        result: Operand,
    ) -> Result<(), Self::Error>;

    /// `sides` are dividend and divisor.
    fn visit_quotient(
        &mut self,
        when: Self::Condition<'_>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), Self::Error>;

    /// `sides` are dividend and divisor.
    fn visit_remainder(
        &mut self,
        when: Self::Condition<'_>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), Self::Error>;

    /// `sides` are base and exponent.
    fn visit_power(
        &mut self,
        when: Self::Condition<'_>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), Self::Error>;

    fn visit_absolute(
        &mut self,
        when: Self::Condition<'_>,
        of: Operand,
        result: Operand,
    ) -> Result<(), Self::Error>;
}

/// Calls the visitor's method for this kind of constraint.
pub(crate) fn visit<V: ConstraintVisitor + ?Sized>(
    visitor: &mut V,
    when: V::Condition<'_>,
    constraint: &Constraint,
) -> Result<(), V::Error> {
    match constraint {
        Constraint::Clause(literals) => visitor.visit_clause(when, literals),
        Constraint::Linear {
            terms,
            comparison,
            bound,
        } => visitor.visit_linear(when, terms, *comparison, *bound),
        Constraint::Element {
            items,
            first,
            index,
            result,
        } => visitor.visit_element(when, items, *first, *index, *result),
        Constraint::Table { columns, rows } => visitor.visit_table(when, columns, rows),
        Constraint::NegativeTable { columns, rows } => {
            visitor.visit_negative_table(when, columns, rows)
        }
        Constraint::AllDifferent { items, except } => {
            visitor.visit_all_different(when, items, *except)
        }
        Constraint::Count {
            items,
            value,
            count,
        } => visitor.visit_count(when, items, *value, *count),
        Constraint::Minimum { items, result } => visitor.visit_minimum(when, items, *result),
        Constraint::Maximum { items, result } => visitor.visit_maximum(when, items, *result),
        Constraint::Product { factors, result } => visitor.visit_product(when, *factors, *result),
        Constraint::Quotient {
            dividend,
            divisor,
            result,
        } => visitor.visit_quotient(when, [*dividend, *divisor], *result),
        Constraint::Remainder {
            dividend,
            divisor,
            result,
        } => visitor.visit_remainder(when, [*dividend, *divisor], *result),
        Constraint::Power {
            base,
            exponent,
            result,
        } => visitor.visit_power(when, [*base, *exponent], *result),
        Constraint::Absolute { of, result } => visitor.visit_absolute(when, *of, *result),
    }
}
