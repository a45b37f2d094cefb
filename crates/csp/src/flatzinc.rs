//! A problem as FlatZinc text for Chuffed, Gecode and others, with MiniZinc's standard builtins and
//! no solver-specific globals.
//!
//! A variable is called `x` and its number; comments give its name in the model and the names of
//! the variables merged into it. Literals become Boolean variables where a constraint needs them.
//! Constraints on a condition are made total first: the function gets an auxiliary result, and only
//! the equality with the given result depends on the condition. FlatZinc's division rounds towards
//! zero and ours rounds down, so quotients, remainders and powers are listed pair by pair.

use std::collections::HashMap;
use std::fmt::Write;

use ployglot_base::{Budget, Limit, Poll};

use crate::domain::Domain;
use crate::problem::{Comparison, Goal, Literal, Operand, Problem, Quantity, VarId};
use crate::rewrite::{self, floor};
use crate::visitor::{ConstraintVisitor, visit};

/// A function with at most this many combinations of arguments, or a domain with at most this many
/// values, is listed.
const LISTED: u64 = 50_000;

/// The constraint with this index has no FlatZinc form of reasonable size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoFlatzinc(pub usize);

/// A constraint has no FlatZinc form of reasonable size.
struct TooLarge;

/// The FlatZinc text of a problem.
pub fn flatzinc(problem: &Problem) -> Result<String, NoFlatzinc> {
    written(problem, &[], false, &Poll::default())
}

/// [`flatzinc`] within a budget; the outer error is the limit that ended it.
pub fn flatzinc_within(
    problem: &Problem,
    budget: &Budget,
) -> Result<Result<String, NoFlatzinc>, Limit> {
    budget.stoppable("writing", |poll| written(problem, &[], false, poll))
}

/// [`flatzinc_within`] for a solver whose solution is read: with assumptions as constraints, and
/// with every variable of the problem in the output, as `x0 = 3;`.
pub(crate) fn flatzinc_to_solve(
    problem: &Problem,
    assumptions: &[Literal],
    budget: &Budget,
) -> Result<Result<String, NoFlatzinc>, Limit> {
    budget.stoppable("writing", |poll| written(problem, assumptions, true, poll))
}

fn written(
    problem: &Problem,
    assumptions: &[Literal],
    show_all: bool,
    poll: &Poll,
) -> Result<String, NoFlatzinc> {
    // FlatZinc has no empty domains: a plain contradiction instead.
    if problem.variables.iter().any(|x| x.domain.is_empty()) {
        return Ok("constraint bool_clause([], []);\nsolve satisfy;\n".to_string());
    }
    let mut writer = Writer {
        problem,
        names: String::new(),
        variables: String::new(),
        constraints: String::new(),
        booleans: HashMap::new(),
        made: 0,
        poll,
    };
    let merged: HashMap<VarId, Quantity> = problem.merged.iter().copied().collect();
    for (i, variable) in problem.variables.iter().enumerate() {
        poll.step();
        let link = merged.get(&VarId(i as u32));
        let mut shown = if show_all { " :: output_var" } else { "" };
        if let Some(name) = &variable.name {
            let _ = match link {
                None => writeln!(writer.names, "% x{i} is {name}"),
                Some(Quantity::Var(x)) => writeln!(writer.names, "% x{} is {name}", x.0),
                Some(Quantity::Truth(literal)) => {
                    let literal = literal.text(&format!("x{}", literal.variable().0));
                    writeln!(writer.names, "% {literal} is {name}")
                }
            };
            if link.is_none() {
                shown = " :: output_var";
            }
        }
        let domain = domain_text(&variable.domain);
        let _ = writeln!(writer.variables, "var {domain}: x{i}{shown};");
        // Holes of a domain that is too large to be written as a set.
        if variable.domain.ranges().len() > 1 && variable.domain.len() > LISTED {
            for pair in variable.domain.ranges().windows(2) {
                let x = VarId(i as u32);
                let sides = [
                    Literal::AtMost(x, pair[0].1),
                    Literal::AtLeast(x, pair[1].0),
                ];
                writer.clause(None, &sides, &[]);
            }
        }
    }
    for (i, posted) in problem.constraints.iter().enumerate() {
        poll.steps(posted.constraint.length());
        visit(&mut writer, posted.when, &posted.constraint).map_err(|TooLarge| NoFlatzinc(i))?;
    }
    for &assumption in assumptions {
        writer.clause(None, &[assumption], &[]);
    }
    let search = match &problem.branching[..] {
        [] => String::new(),
        order => {
            let order: Vec<String> = order.iter().map(|x| format!("x{}", x.0)).collect();
            format!(
                " :: int_search([{}], input_order, indomain_min, complete)",
                order.join(", ")
            )
        }
    };
    let goal = match problem.objective {
        None => "satisfy".to_string(),
        Some(objective) => {
            let word = match objective.goal {
                Goal::Minimise => "minimize",
                Goal::Maximise => "maximize",
            };
            format!("{word} x{}", objective.value.0)
        }
    };
    let Writer {
        names,
        variables,
        constraints,
        ..
    } = writer;
    Ok(format!(
        "{names}{variables}{constraints}solve{search} {goal};\n"
    ))
}

/// A range, a set of values, or for a large set the range around it.
fn domain_text(domain: &Domain) -> String {
    match domain.ranges() {
        [(low, high)] => format!("{low}..{high}"),
        _ if domain.len() <= LISTED => {
            let values: Vec<String> = domain.values().map(|v| v.to_string()).collect();
            format!("{{{}}}", values.join(","))
        }
        _ => format!("{}..{}", domain.min(), domain.max()),
    }
}

struct Writer<'a> {
    problem: &'a Problem,
    /// The comments with the names of variables.
    names: String,
    /// The declarations of variables.
    variables: String,
    constraints: String,
    booleans: HashMap<Literal, String>,
    /// The number of auxiliary variables.
    made: usize,
    poll: &'a Poll,
}

impl Writer<'_> {
    fn post(&mut self, text: &str) {
        self.poll.step();
        let _ = writeln!(self.constraints, "constraint {text};");
    }

    /// Declares an auxiliary variable.
    fn fresh(&mut self, domain: &str, letter: char) -> String {
        let name = format!("{letter}{}", self.made);
        self.made += 1;
        let _ = writeln!(self.variables, "var {domain}: {name};");
        name
    }

    /// The Boolean variable of a literal.
    fn boolean(&mut self, literal: Literal) -> String {
        if let Some(known) = self.booleans.get(&literal) {
            return known.clone();
        }
        let name = self.fresh("bool", 'b');
        let x = format!("x{}", literal.variable().0);
        let text = match literal {
            Literal::Is(_, v) => format!("int_eq_reif({x}, {v}, {name})"),
            Literal::IsNot(_, v) => format!("int_ne_reif({x}, {v}, {name})"),
            Literal::AtMost(_, v) => format!("int_le_reif({x}, {v}, {name})"),
            Literal::AtLeast(_, v) => format!("int_le_reif({v}, {x}, {name})"),
        };
        self.post(&text);
        self.booleans.insert(literal, name.clone());
        name
    }

    /// The condition implies one of the literals, or one of the Boolean variables.
    fn clause(&mut self, when: Option<Literal>, literals: &[Literal], named: &[String]) {
        let (mut yes, mut no) = (named.to_vec(), Vec::new());
        for &literal in literals {
            match literal {
                Literal::IsNot(..) => no.push(self.boolean(!literal)),
                _ => yes.push(self.boolean(literal)),
            }
        }
        no.extend(when.map(|when| self.boolean(when)));
        self.post(&format!(
            "bool_clause([{}], [{}])",
            yes.join(","),
            no.join(",")
        ));
    }

    /// A builtin on a condition: `name(arguments)`, or `name_reif(arguments, r)` and `when → r`.
    fn conditional(&mut self, when: Option<Literal>, name: &str, arguments: &str) {
        match when {
            None => self.post(&format!("{name}({arguments})")),
            Some(when) => {
                let holds = self.fresh("bool", 'b');
                self.post(&format!("{name}_reif({arguments}, {holds})"));
                self.clause(Some(when), &[], &[holds]);
            }
        }
    }

    fn domain(&self, operand: Operand) -> Domain {
        operand.domain(|x| self.problem.domain(x))
    }

    /// `own`, an auxiliary result, is the given result where the condition holds.
    fn equal(&mut self, when: Option<Literal>, own: &str, result: Operand) {
        self.conditional(when, "int_eq", &format!("{own}, {}", text(result)));
    }

    /// An auxiliary variable that can equal any of the items.
    fn result_of(&mut self, items: &[Operand]) -> String {
        let all = items
            .iter()
            .fold(Domain::default(), |all, &o| all.union(&self.domain(o)));
        self.fresh(&format!("{}..{}", all.min(), all.max()), 'i')
    }

    fn extreme(
        &mut self,
        when: Option<Literal>,
        name: &str,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), TooLarge> {
        if items.is_empty() {
            self.clause(when, &[], &[]);
            return Ok(());
        }
        let own = self.result_of(items);
        self.post(&format!("{name}({own}, [{}])", texts(items)));
        self.equal(when, &own, result);
        Ok(())
    }

    /// Forbids this combination of values.
    fn forbid(&mut self, when: Option<Literal>, columns: &[Operand], row: &[i32]) {
        if let Some(clause) = rewrite::forbidden(|o| self.domain(o), columns, row) {
            self.clause(when, &clause, &[]);
        }
    }

    fn different(
        &mut self,
        when: Option<Literal>,
        a: Operand,
        b: Operand,
        except: Option<i32>,
    ) -> Result<(), TooLarge> {
        let Some(except) = except else {
            self.conditional(when, "int_ne", &format!("{}, {}", text(a), text(b)));
            return Ok(());
        };
        let common = self
            .domain(a)
            .intersect(&self.domain(b))
            .minus(&Domain::constant(except));
        if common.len() > LISTED {
            return Err(TooLarge);
        }
        common
            .values()
            .for_each(|v| self.forbid(when, &[a, b], &[v, v]));
        Ok(())
    }

    /// `result = f(a, b)` by a clause for each pair of values.
    fn listed(
        &mut self,
        when: Option<Literal>,
        [a, b]: [Operand; 2],
        result: Operand,
        f: impl Fn(i64, i64) -> Option<i64>,
    ) -> Result<(), TooLarge> {
        let pairs = self.domain(a).len().saturating_mul(self.domain(b).len());
        if pairs > LISTED {
            return Err(TooLarge);
        }
        for clause in rewrite::listed(|o| self.domain(o), [a, b], result, f) {
            self.clause(when, &clause, &[]);
        }
        Ok(())
    }
}

impl ConstraintVisitor for Writer<'_> {
    type Condition<'c> = Option<Literal>;
    type Error = TooLarge;

    fn visit_clause(
        &mut self,
        when: Option<Literal>,
        literals: &[Literal],
    ) -> Result<(), TooLarge> {
        self.clause(when, literals, &[]);
        Ok(())
    }

    fn visit_linear(
        &mut self,
        when: Option<Literal>,
        terms: &[(i64, Quantity)],
        comparison: Comparison,
        bound: i64,
    ) -> Result<(), TooLarge> {
        // "At least" is "at most" with the opposite signs.
        let sign = match comparison {
            Comparison::AtLeast => -1,
            _ => 1,
        };
        let (mut weights, mut names) = (Vec::new(), Vec::new());
        for &(weight, quantity) in terms {
            weights.push(weight.checked_mul(sign).ok_or(TooLarge)?.to_string());
            names.push(match quantity {
                Quantity::Var(x) => format!("x{}", x.0),
                Quantity::Truth(literal) => {
                    let boolean = self.boolean(literal);
                    let number = self.fresh("0..1", 'i');
                    self.post(&format!("bool2int({boolean}, {number})"));
                    number
                }
            });
        }
        let name = match comparison {
            Comparison::Equal => "int_lin_eq",
            Comparison::NotEqual => "int_lin_ne",
            Comparison::AtMost | Comparison::AtLeast => "int_lin_le",
        };
        let bound = bound.checked_mul(sign).ok_or(TooLarge)?;
        let arguments = format!("[{}], [{}], {bound}", weights.join(","), names.join(","));
        self.conditional(when, name, &arguments);
        Ok(())
    }

    fn visit_element(
        &mut self,
        when: Option<Literal>,
        items: &[Operand],
        first: i32,
        index: Operand,
        result: Operand,
    ) -> Result<(), TooLarge> {
        if items.is_empty() {
            self.clause(when, &[], &[]);
            return Ok(());
        }
        let own = self.fresh(&format!("1..{}", items.len()), 'i');
        let found = self.result_of(items);
        self.post(&format!(
            "array_var_int_element({own}, [{}], {found})",
            texts(items)
        ));
        // index = own + first - 1.
        let shift = i64::from(first) - 1;
        let same = format!("[1,-1], [{},{own}], {shift}", text(index));
        self.conditional(when, "int_lin_eq", &same);
        self.equal(when, &found, result);
        Ok(())
    }

    fn visit_table(
        &mut self,
        when: Option<Literal>,
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), TooLarge> {
        let fits = |row: &&Vec<i32>| {
            columns
                .iter()
                .zip(*row)
                .all(|(&o, &v)| self.domain(o).contains(v))
        };
        let rows: Vec<Vec<i32>> = rows.iter().filter(fits).cloned().collect();
        let chosen: Vec<String> = rows.iter().map(|_| self.fresh("bool", 'b')).collect();
        self.clause(when, &[], &chosen);
        for (row, chosen) in rows.iter().zip(&chosen) {
            for (column, &v) in columns.iter().zip(row) {
                if let Operand::Var(x) = column {
                    let value = self.boolean(Literal::Is(*x, v));
                    self.post(&format!("bool_clause([{value}], [{chosen}])"));
                }
            }
        }
        Ok(())
    }

    fn visit_negative_table(
        &mut self,
        when: Option<Literal>,
        columns: &[Operand],
        rows: &[Vec<i32>],
    ) -> Result<(), TooLarge> {
        rows.iter().for_each(|row| self.forbid(when, columns, row));
        Ok(())
    }

    fn visit_all_different(
        &mut self,
        when: Option<Literal>,
        items: &[Operand],
        except: Option<i32>,
    ) -> Result<(), TooLarge> {
        for (i, &a) in items.iter().enumerate() {
            for &b in &items[..i] {
                self.different(when, a, b, except)?;
            }
        }
        Ok(())
    }

    fn visit_count(
        &mut self,
        when: Option<Literal>,
        items: &[Operand],
        value: i32,
        count: Operand,
    ) -> Result<(), TooLarge> {
        let (terms, bound) = rewrite::counted(items, value, count);
        self.visit_linear(when, &terms, Comparison::Equal, bound)
    }

    fn visit_minimum(
        &mut self,
        when: Option<Literal>,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.extreme(when, "array_int_minimum", items, result)
    }

    fn visit_maximum(
        &mut self,
        when: Option<Literal>,
        items: &[Operand],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.extreme(when, "array_int_maximum", items, result)
    }

    fn visit_product(
        &mut self,
        when: Option<Literal>,
        [a, b]: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        let (x, y) = (self.domain(a), self.domain(b));
        let (low, high) = x.product_bounds(&y);
        let own = self.fresh(&format!("{low}..{high}"), 'i');
        self.post(&format!("int_times({}, {}, {own})", text(a), text(b)));
        self.equal(when, &own, result);
        Ok(())
    }

    fn visit_quotient(
        &mut self,
        when: Option<Literal>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.listed(when, sides, result, |v, w| Some(floor(v, w)?.0))
    }

    fn visit_remainder(
        &mut self,
        when: Option<Literal>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.listed(when, sides, result, |v, w| Some(floor(v, w)?.1))
    }

    fn visit_power(
        &mut self,
        when: Option<Literal>,
        sides: [Operand; 2],
        result: Operand,
    ) -> Result<(), TooLarge> {
        self.listed(when, sides, result, rewrite::power)
    }

    fn visit_absolute(
        &mut self,
        when: Option<Literal>,
        of: Operand,
        result: Operand,
    ) -> Result<(), TooLarge> {
        let most = self.domain(of).magnitude();
        let own = self.fresh(&format!("0..{most}"), 'i');
        self.post(&format!("int_abs({}, {own})", text(of)));
        self.equal(when, &own, result);
        Ok(())
    }
}

/// The operands as the items of an array.
fn texts(operands: &[Operand]) -> String {
    let texts: Vec<String> = operands.iter().map(|&o| text(o)).collect();
    texts.join(",")
}

fn text(operand: Operand) -> String {
    match operand {
        Operand::Number(number) => number.to_string(),
        Operand::Var(x) => format!("x{}", x.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Constraint;

    #[test]
    fn a_small_problem_has_the_expected_text() {
        let mut problem = Problem::default();
        let x = problem.add_variable(Domain::range(1, 9), Some("x[1]".into()));
        let y = problem.add_variable(Domain::from_values([0, 2, 4]), None);
        problem.post_when(
            Some(Literal::AtLeast(x, 3)),
            Constraint::Linear {
                terms: vec![(1, Quantity::Var(x)), (2, Quantity::Var(y))],
                comparison: Comparison::AtLeast,
                bound: 7,
            },
        );
        problem.post(Constraint::Clause(vec![
            Literal::IsNot(y, 2),
            Literal::Is(x, 1),
        ]));
        problem.objective = Some(crate::Objective {
            goal: Goal::Minimise,
            value: x,
        });
        let expected = "\
% x0 is x[1]
var 1..9: x0 :: output_var;
var {0,2,4}: x1;
var bool: b0;
var bool: b1;
var bool: b2;
var bool: b3;
constraint int_lin_le_reif([-1,-2], [x0,x1], -7, b0);
constraint int_le_reif(3, x0, b1);
constraint bool_clause([b0], [b1]);
constraint int_eq_reif(x1, 2, b2);
constraint int_eq_reif(x0, 1, b3);
constraint bool_clause([b3], [b2]);
solve minimize x0;
";
        assert_eq!(flatzinc(&problem).as_deref(), Ok(expected));
    }
}
