//! A flat finite-domain problem: variables with finite sets of integers, and constraints on them.
//!
//! Truth values are *literals*: statements about one variable, `x = 3`, `x ≥ 5`, and their
//! negations. A Boolean variable is a variable with the values 0 and 1, and its literal is `b ≥ 1`.
//! So a statement about a single variable never needs a variable of its own, and a SAT solver, a
//! lazy clause generator and a MIP solver each have a natural form for it.
//!
//! A constraint may have a *condition*: `when → constraint`, in this direction only
//! (half-reification; Feydy, Somogyi and Stuckey 2011). For "if and only if" post two constraints,
//! the second with the opposite constraint on the opposite condition; where polarity makes one
//! direction enough, post one.
//!
//! Problems grow: variables and constraints are only ever added, and a back end reads what is new.
//! That is how one solver serves a whole sweep over horizons.

use std::ops::Not;

use crate::domain::Domain;

/// A variable of a [`Problem`]: its index in [`Problem::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A statement about one variable, true or false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Literal {
    /// `x = v`.
    Is(VarId, i32),
    /// `x ≠ v`.
    IsNot(VarId, i32),
    /// `x ≥ v`.
    AtLeast(VarId, i32),
    /// `x ≤ v`.
    AtMost(VarId, i32),
}

/// A variable and the values it may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The values it may take.
    pub domain: Domain,
    /// The name in the model, such as `grid[2,3]`; auxiliary variables have none.
    pub name: Option<String>,
}

/// A variable or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A constant.
    Number(i32),
    /// The value of a variable.
    Var(VarId),
}

/// What a linear constraint adds up: the value of a variable, or the truth of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// The value of a variable.
    Var(VarId),
    /// 1 if the literal is true, else 0.
    Truth(Literal),
}

/// How a sum compares with its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `sum = bound`.
    Equal,
    /// `sum ≠ bound`.
    NotEqual,
    /// `sum ≤ bound`.
    AtMost,
    /// `sum ≥ bound`.
    AtLeast,
}

/// A constraint on the values of variables. Its exact meaning is
/// [`check::holds`](crate::check::holds).
///
/// A back end implements `ConstraintVisitor` (`visitor.rs`), with a method for each kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// At least one of the literals is true; the empty clause is false.
    Clause(Vec<Literal>),
    /// The weighted sum compares with the bound.
    Linear {
        /// Weights and what they multiply.
        terms: Vec<(i64, Quantity)>,
        /// How the sum compares with the bound.
        comparison: Comparison,
        /// The right-hand side.
        bound: i64,
    },
    /// `items[index - first] = result`; false where the index is out of range.
    Element {
        /// The array.
        items: Vec<Operand>,
        /// The index of the first item.
        first: i32,
        /// The index.
        index: Operand,
        /// The item at the index.
        result: Operand,
    },
    /// The columns take the values of one of the rows.
    Table {
        /// The operands.
        columns: Vec<Operand>,
        /// The allowed combinations, each as long as `columns`.
        rows: Vec<Vec<i32>>,
    },
    /// The columns take the values of none of the rows.
    NegativeTable {
        /// The operands.
        columns: Vec<Operand>,
        /// The forbidden combinations, each as long as `columns`.
        rows: Vec<Vec<i32>>,
    },
    /// No two items are equal, unless both have the excepted value.
    AllDifferent {
        /// The operands.
        items: Vec<Operand>,
        /// A value that several items may have.
        except: Option<i32>,
    },
    /// Exactly `count` of the items have the value.
    Count {
        /// The operands.
        items: Vec<Operand>,
        /// The value that is counted.
        value: i32,
        /// How many items have it.
        count: Operand,
    },
    /// `result` is the least item; false where there are no items.
    Minimum {
        /// The operands.
        items: Vec<Operand>,
        /// The least of them.
        result: Operand,
    },
    /// `result` is the largest item; false where there are no items.
    Maximum {
        /// The operands.
        items: Vec<Operand>,
        /// The largest of them.
        result: Operand,
    },
    /// `factors[0] * factors[1] = result`.
    Product {
        /// The two factors.
        factors: [Operand; 2],
        /// Their product.
        result: Operand,
    },
    /// `floor(dividend / divisor) = result`; false where the divisor is 0.
    Quotient {
        /// The dividend.
        dividend: Operand,
        /// The divisor.
        divisor: Operand,
        /// The quotient, rounded down.
        result: Operand,
    },
    /// `dividend - divisor * floor(dividend / divisor) = result`; false where the divisor is 0.
    Remainder {
        /// The dividend.
        dividend: Operand,
        /// The divisor.
        divisor: Operand,
        /// The remainder, which has the sign of the divisor.
        result: Operand,
    },
    /// `base ^ exponent = result`; false where the exponent is negative; `x ^ 0` is 1.
    Power {
        /// The base.
        base: Operand,
        /// The exponent.
        exponent: Operand,
        /// The power.
        result: Operand,
    },
    /// `|of| = result`.
    Absolute {
        /// The argument.
        of: Operand,
        /// Its absolute value.
        result: Operand,
    },
}

/// A constraint with an optional condition (half-reified): `when → constraint`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConditionalConstraint {
    /// The constraint need only hold where this is true; `None`: always.
    pub when: Option<Literal>,
    /// The constraint itself.
    pub constraint: Constraint,
}

/// The direction of an objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Smaller is better.
    Minimise,
    /// Larger is better.
    Maximise,
}

/// How the next variable to branch on is chosen. Ties go to the first in the branching order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// In the given order.
    Static,
    /// The variable with the fewest values left.
    SmallestDomain,
    /// The variable with the most values left.
    LargestDomain,
    /// The variable with the smallest share of its values left.
    SmallestRatio,
    /// The variable that took part in the most recent failure.
    Conflict,
    /// The variable that took part in the most failures.
    WeightedDegree,
    /// The variable with the fewest values for each failure that it took part in.
    DomainOverWeightedDegree,
}

/// What is optimised: the value of one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objective {
    /// Whether small or large values are better.
    pub goal: Goal,
    /// The variable that is optimised.
    pub value: VarId,
}

/// Variables, constraints and perhaps an objective: what front ends write and back ends read.
///
/// ```
/// use ployglot_base::Budget;
/// use ployglot_csp::sat::{Cadical, SatBackend};
/// use ployglot_csp::{
///     Backend, Comparison, Constraint, Domain, Operand, Problem, Quantity, SolveResult, check,
/// };
///
/// // Two different numbers from 1 to 9 whose sum is 17.
/// let mut problem = Problem::default();
/// let x = problem.add_variable(Domain::range(1, 9), Some("x".into()));
/// let y = problem.add_variable(Domain::range(1, 9), Some("y".into()));
/// problem.post(Constraint::AllDifferent {
///     items: vec![Operand::Var(x), Operand::Var(y)],
///     except: None,
/// });
/// problem.post(Constraint::Linear {
///     terms: vec![(1, Quantity::Var(x)), (1, Quantity::Var(y))],
///     comparison: Comparison::Equal,
///     bound: 17,
/// });
///
/// let mut backend = SatBackend::<Cadical>::default();
/// let SolveResult::Satisfiable(values) = backend.solve(&problem, &[], &Budget::unlimited()) else {
///     panic!("8 + 9 = 17");
/// };
/// assert_eq!(check::check(&problem, &values), Ok(()));
/// assert_eq!(values[x.index()] + values[y.index()], 17);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// The variables; [`VarId`] is an index into this list.
    pub variables: Vec<Variable>,
    /// The constraints, in the order in which they were posted.
    pub constraints: Vec<ConditionalConstraint>,
    /// What is optimised, if anything.
    pub objective: Option<Objective>,
    /// The best end of the objective's domain is the bound of a relaxation, so that solutions near it
    /// are looked for first.
    pub relaxed: bool,
    /// The variables to decide first, for solvers that can be guided; empty: the solver chooses.
    pub branching: Vec<VarId>,
    /// The branching order is strict, smallest value first; otherwise it is a hint.
    pub in_order: bool,
    /// How the next of the branching variables is chosen, by solvers that can be guided.
    pub heuristic: Option<Heuristic>,
    /// Variables that no constraint mentions because they always equal this quantity; the value
    /// that a solver gives them is meaningless.
    pub merged: Vec<(VarId, Quantity)>,
}

/// Panics for a comparison that holds for every 32-bit number: nothing is its negation.
impl Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Literal::Is(x, v) => Literal::IsNot(x, v),
            Literal::IsNot(x, v) => Literal::Is(x, v),
            Literal::AtLeast(x, v) => Literal::AtMost(x, v.checked_sub(1).expect(ALWAYS)),
            Literal::AtMost(x, v) => Literal::AtLeast(x, v.checked_add(1).expect(ALWAYS)),
        }
    }
}

const ALWAYS: &str = "a comparison that holds for every number has no negation";

impl Literal {
    /// The variable of the statement.
    pub fn variable(self) -> VarId {
        match self {
            Literal::Is(x, _)
            | Literal::IsNot(x, _)
            | Literal::AtLeast(x, _)
            | Literal::AtMost(x, _) => x,
        }
    }

    /// The same statement about another variable.
    pub fn about(self, x: VarId) -> Self {
        match self {
            Literal::Is(_, v) => Literal::Is(x, v),
            Literal::IsNot(_, v) => Literal::IsNot(x, v),
            Literal::AtLeast(_, v) => Literal::AtLeast(x, v),
            Literal::AtMost(_, v) => Literal::AtMost(x, v),
        }
    }

    /// The statement as text, given the name of the variable: `grid[1,2] >= 3`.
    pub(crate) fn text(self, name: &str) -> String {
        match self {
            Literal::Is(_, v) => format!("{name} = {v}"),
            Literal::IsNot(_, v) => format!("{name} != {v}"),
            Literal::AtLeast(_, v) => format!("{name} >= {v}"),
            Literal::AtMost(_, v) => format!("{name} <= {v}"),
        }
    }

    /// The set of all 32-bit values for which the literal is true.
    pub fn values(self) -> Domain {
        match self {
            Literal::Is(_, v) => Domain::constant(v),
            Literal::IsNot(_, v) => Domain::range(i32::MIN, i32::MAX).minus(&Domain::constant(v)),
            Literal::AtLeast(_, v) => Domain::range(v, i32::MAX),
            Literal::AtMost(_, v) => Domain::range(i32::MIN, v),
        }
    }

    /// Whether it is true if the variable has this value.
    pub fn holds_for(self, value: i32) -> bool {
        match self {
            Literal::Is(_, v) => value == v,
            Literal::IsNot(_, v) => value != v,
            Literal::AtLeast(_, v) => value >= v,
            Literal::AtMost(_, v) => value <= v,
        }
    }

    /// `Some` if it is true, or false, for every value of the domain; `None` if it depends.
    pub fn known(self, domain: &Domain) -> Option<bool> {
        let (low, high) = (domain.min(), domain.max());
        match self {
            Literal::Is(_, v) if domain.fixed() == Some(v) => Some(true),
            Literal::Is(_, v) if !domain.contains(v) => Some(false),
            Literal::IsNot(x, v) => Literal::Is(x, v).known(domain).map(|known| !known),
            Literal::AtLeast(_, v) if low >= v => Some(true),
            Literal::AtLeast(_, v) if high < v => Some(false),
            Literal::AtMost(_, v) if high <= v => Some(true),
            Literal::AtMost(_, v) if low > v => Some(false),
            _ => None,
        }
    }
}

impl Constraint {
    /// How many parts the constraint has; about as long a pass over it takes.
    pub(crate) fn length(&self) -> usize {
        match self {
            Constraint::Clause(literals) => literals.len(),
            Constraint::Linear { terms, .. } => terms.len(),
            Constraint::Table { columns, rows } | Constraint::NegativeTable { columns, rows } => {
                columns.len() * (1 + rows.len())
            }
            Constraint::Element { items, .. }
            | Constraint::AllDifferent { items, .. }
            | Constraint::Count { items, .. }
            | Constraint::Minimum { items, .. }
            | Constraint::Maximum { items, .. } => items.len(),
            Constraint::Product { .. }
            | Constraint::Quotient { .. }
            | Constraint::Remainder { .. }
            | Constraint::Power { .. }
            | Constraint::Absolute { .. } => 3,
        }
    }
}

impl ConditionalConstraint {
    /// Calls `visit` for each occurrence of a variable in the constraint and its condition.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(VarId)) {
        let mut operands = |operands: &[Operand]| {
            for operand in operands {
                if let Operand::Var(x) = operand {
                    visit(*x);
                }
            }
        };
        match &self.constraint {
            Constraint::Clause(literals) => literals.iter().for_each(|l| visit(l.variable())),
            Constraint::Linear { terms, .. } => {
                terms.iter().for_each(|(_, quantity)| match quantity {
                    Quantity::Var(x) => visit(*x),
                    Quantity::Truth(literal) => visit(literal.variable()),
                })
            }
            Constraint::Element {
                items,
                index,
                result,
                ..
            } => {
                operands(items);
                operands(&[*index, *result]);
            }
            Constraint::Table { columns, .. } | Constraint::NegativeTable { columns, .. } => {
                operands(columns);
            }
            Constraint::AllDifferent { items, .. } => operands(items),
            Constraint::Count { items, count, .. } => {
                operands(items);
                operands(&[*count]);
            }
            Constraint::Minimum { items, result } | Constraint::Maximum { items, result } => {
                operands(items);
                operands(&[*result]);
            }
            Constraint::Product { factors, result } => {
                operands(factors);
                operands(&[*result]);
            }
            Constraint::Quotient {
                dividend,
                divisor,
                result,
            }
            | Constraint::Remainder {
                dividend,
                divisor,
                result,
            } => {
                operands(&[*dividend, *divisor, *result]);
            }
            Constraint::Power {
                base,
                exponent,
                result,
            } => operands(&[*base, *exponent, *result]),
            Constraint::Absolute { of, result } => operands(&[*of, *result]),
        }
        if let Some(when) = self.when {
            visit(when.variable());
        }
    }
}

impl Operand {
    /// The values of the operand, given the domains of the variables.
    pub(crate) fn domain<'d>(self, of: impl FnOnce(VarId) -> &'d Domain) -> Domain {
        match self {
            Operand::Number(number) => Domain::constant(number),
            Operand::Var(x) => of(x).clone(),
        }
    }
}

impl VarId {
    /// The index in [`Problem::variables`], and of its value in a solution.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal of a Boolean variable: `x ≥ 1`.
    pub fn is_true(self) -> Literal {
        Literal::AtLeast(self, 1)
    }
}

impl Problem {
    /// Adds a variable. An empty domain is allowed: the problem then has no solution.
    pub fn add_variable(&mut self, domain: Domain, name: Option<String>) -> VarId {
        let id = VarId(u32::try_from(self.variables.len()).expect("fewer than 2^32 variables"));
        self.variables.push(Variable { domain, name });
        id
    }

    /// The domain of a variable.
    pub fn domain(&self, variable: VarId) -> &Domain {
        &self.variables[variable.index()].domain
    }

    /// Adds a constraint that always holds.
    pub fn post(&mut self, constraint: Constraint) {
        self.post_when(None, constraint);
    }

    /// Adds a constraint that holds where `when` is true.
    pub fn post_when(&mut self, when: Option<Literal>, constraint: Constraint) {
        self.constraints
            .push(ConditionalConstraint { when, constraint });
    }
}
