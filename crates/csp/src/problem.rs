//! A flat finite-domain problem: variables with finite sets of integers, and rules about them.
//!
//! Truth is made of *literals*: statements about one variable, `x = 3`, `x ≥ 5`, and their opposites. A Boolean variable is
//! a variable with the values 0 and 1, and its literal is `b ≥ 1`. So nothing that talks about a single variable ever needs
//! a variable of its own, and a SAT solver, a lazy clause generator and a MIP solver each have a natural reading of it.
//!
//! A rule may hold on a *condition*: `when → constraint`, one way only. Who needs "exactly when" posts two rules, the second
//! with the opposite constraint on the opposite condition; who needs only one direction, because of polarity, posts one.
//!
//! Problems grow: variables and rules are only ever added, and a back end takes in what is new. That is how one solver
//! serves a whole sweep over horizons.

use std::ops::Not;

use crate::domain::Domain;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// What can be true or false of one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Literal {
    Is(VarId, i32),
    IsNot(VarId, i32),
    AtLeast(VarId, i32),
    AtMost(VarId, i32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub domain: Domain,
    /// How people call it, `grid[2,3]`; made-up variables have no name.
    pub name: Option<String>,
}

/// A variable or a number, where both may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    Number(i32),
    Var(VarId),
}

/// What a linear constraint adds up: a variable's value, or 1 for a literal that is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    Var(VarId),
    Truth(Literal),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Equal,
    NotEqual,
    AtMost,
    AtLeast,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// At least one is true; none is false.
    Clause(Vec<Literal>),
    /// The sum compares with the bound.
    Linear {
        terms: Vec<(i64, Quantity)>,
        comparison: Comparison,
        bound: i64,
    },
    /// `items[index - first] = result`; false where the index is out of range.
    Element {
        items: Vec<Operand>,
        first: i32,
        index: Operand,
        result: Operand,
    },
    /// The operands take the values of one of the rows.
    Table {
        columns: Vec<Operand>,
        rows: Vec<Vec<i32>>,
    },
    /// They take the values of none of the rows.
    NegativeTable {
        columns: Vec<Operand>,
        rows: Vec<Vec<i32>>,
    },
    /// No two are equal, unless both have the excepted value.
    AllDifferent {
        items: Vec<Operand>,
        except: Option<i32>,
    },
    /// Exactly `count` of the items have the value.
    Count {
        items: Vec<Operand>,
        value: i32,
        count: Operand,
    },
    Minimum {
        items: Vec<Operand>,
        result: Operand,
    },
    Maximum {
        items: Vec<Operand>,
        result: Operand,
    },
    Product {
        factors: [Operand; 2],
        result: Operand,
    },
    /// Rounded down; false where the divisor is 0.
    Quotient {
        dividend: Operand,
        divisor: Operand,
        result: Operand,
    },
    /// `dividend - divisor * floor(dividend / divisor)`; false where the divisor is 0.
    Remainder {
        dividend: Operand,
        divisor: Operand,
        result: Operand,
    },
    /// False where the exponent is negative; anything to the power of 0 is 1.
    Power {
        base: Operand,
        exponent: Operand,
        result: Operand,
    },
    Absolute {
        of: Operand,
        result: Operand,
    },
}

/// A constraint, perhaps on a condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    pub when: Option<Literal>,
    pub constraint: Constraint,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    Minimise,
    Maximise,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objective {
    pub goal: Goal,
    pub value: VarId,
}

#[derive(Clone, Debug, Default)]
pub struct Problem {
    pub variables: Vec<Variable>,
    pub rules: Vec<Rule>,
    pub objective: Option<Objective>,
    /// Whom to decide first, where a solver can be told; empty: as it likes.
    pub branching: Vec<VarId>,
    /// That order is meant strictly, the smallest value first; otherwise it is a hint.
    pub in_order: bool,
    /// Variables that no rule speaks of because they are always the same as this; their own value means nothing.
    pub merged: Vec<(VarId, Quantity)>,
}

impl Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Literal::Is(x, v) => Literal::IsNot(x, v),
            Literal::IsNot(x, v) => Literal::Is(x, v),
            Literal::AtLeast(x, v) => Literal::AtMost(x, v - 1),
            Literal::AtMost(x, v) => Literal::AtLeast(x, v + 1),
        }
    }
}

impl Literal {
    pub fn variable(self) -> VarId {
        match self {
            Literal::Is(x, _)
            | Literal::IsNot(x, _)
            | Literal::AtLeast(x, _)
            | Literal::AtMost(x, _) => x,
        }
    }

    /// The same said of another variable.
    pub fn about(self, x: VarId) -> Self {
        match self {
            Literal::Is(_, v) => Literal::Is(x, v),
            Literal::IsNot(_, v) => Literal::IsNot(x, v),
            Literal::AtLeast(_, v) => Literal::AtLeast(x, v),
            Literal::AtMost(_, v) => Literal::AtMost(x, v),
        }
    }

    pub fn holds_for(self, value: i32) -> bool {
        match self {
            Literal::Is(_, v) => value == v,
            Literal::IsNot(_, v) => value != v,
            Literal::AtLeast(_, v) => value >= v,
            Literal::AtMost(_, v) => value <= v,
        }
    }

    /// Whether it is true, or false, for every value of the domain.
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

impl Rule {
    /// Tells each variable that the rule is about, as often as it stands there.
    pub fn variables(&self, tell: &mut impl FnMut(VarId)) {
        let mut operands = |operands: &[Operand]| {
            for operand in operands {
                if let Operand::Var(x) = operand {
                    tell(*x);
                }
            }
        };
        match &self.constraint {
            Constraint::Clause(literals) => literals.iter().for_each(|l| tell(l.variable())),
            Constraint::Linear { terms, .. } => {
                terms.iter().for_each(|(_, quantity)| match quantity {
                    Quantity::Var(x) => tell(*x),
                    Quantity::Truth(literal) => tell(literal.variable()),
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
            tell(when.variable());
        }
    }
}

impl VarId {
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal of a Boolean variable.
    pub fn is_true(self) -> Literal {
        Literal::AtLeast(self, 1)
    }
}

impl Problem {
    pub fn add_variable(&mut self, domain: Domain, name: Option<String>) -> VarId {
        let id = VarId(u32::try_from(self.variables.len()).expect("fewer than 2^32 variables"));
        self.variables.push(Variable { domain, name });
        id
    }

    pub fn domain(&self, variable: VarId) -> &Domain {
        &self.variables[variable.index()].domain
    }

    pub fn post(&mut self, constraint: Constraint) {
        self.post_when(None, constraint);
    }

    pub fn post_when(&mut self, when: Option<Literal>, constraint: Constraint) {
        self.rules.push(Rule { when, constraint });
    }
}
