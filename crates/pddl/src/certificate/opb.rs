//! Pseudo-Boolean constraints as text (OPB): variables, literals, and files whose constraints are
//! numbered as VeriPB numbers them, from 1 in the order of the file.

use std::fmt::{self, Write};

/// What a variable stands for. The letters are the first letters of names; the head of an OPB file
/// explains them (`encode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A fact of the state.
    Fact,
    /// A bit of the cost so far.
    Cost,
    /// The operator that is applied.
    Operator,
    /// A formula.
    Gate,
    /// A part of an operator's cost that depends on the state.
    Extra,
    /// The cost so far is at least this.
    AtLeast,
    /// A set of states: the facts of one part of the state have given values.
    Tree,
    /// A state with a lower bound of the cost so far.
    Listed,
    /// A state of a projection.
    Abstract,
    /// A fact has a value only if the cost so far is at least this.
    Late,
    /// The conjunction of such conditions: a table of the hmax estimate.
    Table,
    /// The sum of the projections' costs is large enough.
    Sum,
    /// The invariant.
    Invariant,
    /// Something is wrong with the invariant: at the start, after a step, at the goal.
    Bad,
    /// Only in proofs: a fact, or some fact of a part, may be changed by the operator.
    Touched,
    /// Only in proofs: the operator has this cost.
    Price,
    /// Only in proofs: the cost of a projection fell by no more than the operator's share.
    Consistent,
}

impl Kind {
    fn letter(self) -> &'static str {
        match self {
            Kind::Fact => "x",
            Kind::Cost => "c",
            Kind::Operator => "o",
            Kind::Gate => "n",
            Kind::Extra => "k",
            Kind::AtLeast => "g",
            Kind::Tree => "s",
            Kind::Listed => "e",
            Kind::Abstract => "a",
            Kind::Late => "l",
            Kind::Table => "m",
            Kind::Sum => "h",
            Kind::Invariant => "inv",
            Kind::Bad => "bad",
            Kind::Touched => "t",
            Kind::Price => "w",
            Kind::Consistent => "z",
        }
    }
}

/// A variable, in the state before a step or, with `after`, in the state after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var {
    pub kind: Kind,
    pub index: u32,
    pub after: bool,
}

/// A variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit {
    pub var: Var,
    pub positive: bool,
}

impl Var {
    pub fn new(kind: Kind, index: u32) -> Self {
        Var {
            kind,
            index,
            after: false,
        }
    }

    pub fn is(self, positive: bool) -> Lit {
        Lit {
            var: self,
            positive,
        }
    }
}

impl Lit {
    pub fn of(kind: Kind, index: u32) -> Self {
        Var::new(kind, index).is(true)
    }

    /// The same literal in the state after a step.
    pub fn after(self) -> Self {
        let var = Var {
            after: true,
            ..self.var
        };
        var.is(self.positive)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        self.var.is(!self.positive)
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.kind.letter())?;
        match (self.kind, self.index) {
            (Kind::Invariant, _) => {}
            (Kind::Bad, 0) => f.write_str("_init")?,
            (Kind::Bad, 1) => f.write_str("_step")?,
            (Kind::Bad, _) => f.write_str("_goal")?,
            (_, index) => write!(f, "{index}")?,
        }
        f.write_str(if self.after { "^" } else { "" })
    }
}

impl fmt::Display for Lit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.positive { "" } else { "~" })?;
        self.var.fmt(f)
    }
}

/// A formula that is constant, or a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Known {
    Constant(bool),
    Lit(Lit),
}

impl Known {
    pub const TRUE: Self = Known::Constant(true);
    pub const FALSE: Self = Known::Constant(false);

    pub fn lit(self) -> Option<Lit> {
        match self {
            Known::Lit(lit) => Some(lit),
            Known::Constant(_) => None,
        }
    }
}

impl std::ops::Not for Known {
    type Output = Known;

    fn not(self) -> Known {
        match self {
            Known::Constant(value) => Known::Constant(!value),
            Known::Lit(lit) => Known::Lit(!lit),
        }
    }
}

/// The number of a constraint.
pub type Id = u64;

/// The left side of a constraint: coefficients, all positive, and literals.
pub type Terms = Vec<(u64, Lit)>;

/// A constraint: the sum of the coefficients of the true literals is at least the degree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Constraint {
    pub terms: Terms,
    pub degree: u64,
}

impl Constraint {
    /// At least one literal is true.
    pub fn clause(lits: impl IntoIterator<Item = Lit>) -> Self {
        Self {
            terms: lits.into_iter().map(|lit| (1, lit)).collect(),
            degree: 1,
        }
    }

    /// The sum of all coefficients.
    pub fn total(&self) -> u64 {
        self.terms.iter().map(|(coefficient, _)| coefficient).sum()
    }

    /// `lit` implies the constraint.
    pub fn implied_by(mut self, lit: Lit) -> Self {
        if self.degree > 0 {
            self.terms.insert(0, (self.degree, !lit));
        }
        self
    }

    /// The constraint implies `lit`: otherwise it is violated.
    pub fn implies(&self, lit: Lit) -> Self {
        let needed = (self.total() + 1).saturating_sub(self.degree);
        let terms = self.terms.iter().map(|&(by, each)| (by, !each));
        Self {
            terms: [(needed, lit)].into_iter().chain(terms).collect(),
            degree: needed,
        }
    }

    /// The constraint on the state after a step.
    pub fn after(&self) -> Self {
        let terms = self.terms.iter().map(|&(by, lit)| (by, lit.after()));
        Self {
            terms: terms.collect(),
            degree: self.degree,
        }
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (coefficient, lit) in &self.terms {
            write!(f, "{coefficient} {lit} ")?;
        }
        write!(f, ">= {}", self.degree)
    }
}

/// The two constraints of a definition `variable <-> constraint`: the variable implies the
/// constraint, and the constraint implies the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defined {
    pub forward: Id,
    pub backward: Id,
}

/// A part of an OPB file.
#[derive(Default)]
pub struct Section {
    pub text: String,
    /// The number of the last constraint.
    pub last: Id,
}

impl Section {
    /// An empty section after this many constraints.
    pub fn after(last: Id) -> Self {
        Self {
            text: String::new(),
            last,
        }
    }

    pub fn add(&mut self, constraint: &Constraint) -> Id {
        let _ = writeln!(self.text, "{constraint} ;");
        self.last += 1;
        self.last
    }

    pub fn clause(&mut self, lits: impl IntoIterator<Item = Lit>) -> Id {
        self.add(&Constraint::clause(lits))
    }

    pub fn define(&mut self, lit: Lit, constraint: Constraint) -> Defined {
        let backward = constraint.implies(lit);
        let forward = self.add(&constraint.implied_by(lit));
        let backward = self.add(&backward);
        Defined { forward, backward }
    }

    pub fn comment(&mut self, text: &str) {
        let _ = writeln!(self.text, "* {text}");
    }
}
