//! Operands and literals as affine forms, and comparisons on a condition.

use super::TooLarge;
use super::program::{Form, Program};
use crate::domain::Domain;
use crate::problem::{Literal, Operand};

impl Program {
    /// 1 where the literal is true, else 0.
    pub fn truth(&mut self, literal: Literal) -> Result<Form, TooLarge> {
        self.member(literal.variable().index(), &literal.values())
    }

    pub fn operand(&self, operand: Operand) -> Form {
        match operand {
            Operand::Number(number) => Form::number(i64::from(number)),
            Operand::Var(x) => self.form(x.index()).clone(),
        }
    }

    pub fn values_of(&self, operand: Operand) -> Domain {
        operand.domain(|x| self.domain(x.index()))
    }

    /// 1 where the operand has this value.
    pub fn is(&mut self, operand: Operand, v: i32) -> Result<Form, TooLarge> {
        match operand {
            Operand::Number(number) => Ok(Form::number(i64::from(number == v))),
            Operand::Var(x) => self.member(x.index(), &Domain::constant(v)),
        }
    }

    /// Whether single values of the operand have, or may have, columns of their own.
    pub fn by_value(&self, operand: Operand) -> bool {
        match operand {
            Operand::Number(_) => true,
            Operand::Var(x) => self.has_values(x.index()),
        }
    }

    /// `when → form ≤ bound`, loosened by as much as the form can exceed the bound (big-M).
    pub fn at_most(&mut self, when: &Form, form: &Form, bound: i64) -> Result<(), TooLarge> {
        let slack = self.range(form).1 - i128::from(bound);
        if slack <= 0 {
            return Ok(());
        }
        let slack = i64::try_from(slack).map_err(|_| TooLarge)?;
        let loose = form.clone().plus(slack, when)?;
        let bound = bound.checked_add(slack).ok_or(TooLarge)?;
        self.row(loose, None, Some(bound))
    }

    /// `when → form ≥ bound`.
    pub fn at_least(&mut self, when: &Form, form: &Form, bound: i64) -> Result<(), TooLarge> {
        let negative = Form::default().plus(-1, form)?;
        self.at_most(when, &negative, bound.checked_neg().ok_or(TooLarge)?)
    }

    /// `when → form = bound`.
    pub fn equal(&mut self, when: &Form, form: &Form, bound: i64) -> Result<(), TooLarge> {
        if when.is_number(1) {
            return self.row(form.clone(), Some(bound), Some(bound));
        }
        self.at_most(when, form, bound)?;
        self.at_least(when, form, bound)
    }

    /// `when → form ≠ bound`, unless `escape` is 1.
    pub fn not_equal(
        &mut self,
        when: &Form,
        form: &Form,
        bound: i64,
        escape: &Form,
    ) -> Result<(), TooLarge> {
        let (low, high) = self.range(form);
        let mut alternatives = escape.clone();
        if low < i128::from(bound) {
            let below = self.binary();
            self.at_most(&below, form, bound.checked_sub(1).ok_or(TooLarge)?)?;
            alternatives = alternatives.plus(1, &below)?;
        }
        if high > i128::from(bound) {
            let above = self.binary();
            self.at_least(&above, form, bound.checked_add(1).ok_or(TooLarge)?)?;
            alternatives = alternatives.plus(1, &above)?;
        }
        self.row(alternatives.plus(-1, when)?, Some(0), None)
    }
}
