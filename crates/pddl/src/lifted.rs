//! A planning problem as it was written: typed, resolved, with variables, not yet grounded.
//!
//! Names have become numbers; variables have become slots. A slot is an index into the environment of the action, axiom or
//! goal around it: the parameters come first, and each quantifier's variables take the next free slots.

use std::collections::HashMap;

use crate::tree::Spot;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u16);
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u16);
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u16);
/// An index into the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u16);

#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    pub name: String,
    /// Declared or needed; without the colon.
    pub requirements: Vec<String>,
    /// Type 0 is `object`, the parent of all.
    pub types: Vec<Type>,
    pub constants: Vec<Object>,
    pub predicates: Vec<Predicate>,
    pub functions: Vec<Function>,
    pub actions: Vec<Action>,
    pub axioms: Vec<Axiom>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub name: String,
    /// The domain's constants first, under the same ids.
    pub objects: Vec<Object>,
    pub facts: Vec<Fact>,
    pub values: Vec<FunctionValue>,
    pub goal: Formula,
    pub metric: Metric,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    pub name: String,
    /// Itself for `object`.
    pub parent: TypeId,
}

/// One of these types, or a subtype of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Either(pub Vec<TypeId>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub name: String,
    pub types: Either,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// With its question mark.
    pub name: String,
    pub types: Either,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    pub name: String,
    pub parameters: Vec<Parameter>,
    /// Defined by axioms.
    pub derived: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<Parameter>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub precondition: Formula,
    pub effect: Effect,
    pub spot: Spot,
}

/// `(:derived (p ?x) formula)`: slots 0.. are the predicate's arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Axiom {
    pub predicate: PredicateId,
    pub parameters: Vec<Parameter>,
    pub body: Formula,
    pub spot: Spot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    Slot(Slot),
    Object(ObjectId),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    pub predicate: PredicateId,
    pub arguments: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Not(Box<Formula>),
    /// The variables take consecutive slots from `first`.
    Exists {
        first: Slot,
        variables: Vec<Parameter>,
        body: Box<Formula>,
    },
    Forall {
        first: Slot,
        variables: Vec<Parameter>,
        body: Box<Formula>,
    },
    Atom(Atom),
    Equal(Term, Term),
    Compare(Comparison, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Less,
    LessEqual,
    Equal,
    GreaterEqual,
    Greater,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Number(f64),
    Function(FunctionId, Vec<Term>),
    Negate(Box<Expression>),
    Binary(Arithmetic, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    And(Vec<Effect>),
    Forall {
        first: Slot,
        variables: Vec<Parameter>,
        body: Box<Effect>,
    },
    When(Box<Formula>, Box<Effect>),
    Add(Atom),
    Delete(Atom),
    Change {
        how: Change,
        function: FunctionId,
        arguments: Vec<Term>,
        by: Expression,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Assign,
    Increase,
    Decrease,
    ScaleUp,
    ScaleDown,
}

/// A ground atom that is true at the start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fact {
    pub predicate: PredicateId,
    pub arguments: Vec<ObjectId>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionValue {
    pub function: FunctionId,
    pub arguments: Vec<ObjectId>,
    pub value: f64,
}

/// What a plan costs.
#[derive(Clone, Debug, PartialEq)]
pub enum Metric {
    /// One for each step.
    Steps,
    Minimize(Expression),
    Maximize(Expression),
}

impl Domain {
    /// Whether `below` is `above`, or one of its subtypes.
    pub fn is_subtype(&self, below: TypeId, above: TypeId) -> bool {
        let mut at = below;
        for _ in 0..=self.types.len() {
            if at == above {
                return true;
            }
            let parent = self.types[usize::from(at.0)].parent;
            if parent == at {
                return false;
            }
            at = parent;
        }
        false
    }

    /// Whether something of these types fits wherever one of those is asked for.
    pub fn fits(&self, types: &Either, asked: &Either) -> bool {
        types
            .0
            .iter()
            .any(|&below| asked.0.iter().any(|&above| self.is_subtype(below, above)))
    }

    /// Whether something of these types may turn out to be one of those.
    pub fn may_fit(&self, types: &Either, asked: &Either) -> bool {
        self.fits(types, asked) || self.fits(asked, types)
    }

    /// The derived predicates in an order in which each is complete before another asks whether it is false. `Err` names a
    /// predicate that depends on its own negation.
    pub fn strata(&self) -> Result<Vec<Vec<PredicateId>>, PredicateId> {
        let all = (0..self.predicates.len() as u16).map(PredicateId);
        let derived: Vec<PredicateId> = all
            .filter(|id| self.predicates[usize::from(id.0)].derived)
            .collect();
        let mut level: HashMap<PredicateId, usize> = derived.iter().map(|&id| (id, 0)).collect();
        // Levels rise until every axiom is content. A level above the number of predicates can only come from a circle.
        loop {
            let mut changed = false;
            for axiom in &self.axioms {
                let mut needs = Vec::new();
                axiom.body.mentions(false, &mut needs);
                for (predicate, negated) in needs {
                    let Some(&below) = level.get(&predicate) else {
                        continue;
                    };
                    let least = below + usize::from(negated);
                    if least > derived.len() {
                        return Err(axiom.predicate);
                    }
                    if level[&axiom.predicate] < least {
                        level.insert(axiom.predicate, least);
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut strata = vec![Vec::new(); derived.len() + 1];
        for id in derived {
            strata[level[&id]].push(id);
        }
        strata.retain(|stratum| !stratum.is_empty());
        Ok(strata)
    }

    /// The types in words: `block`, `(either block crate)`.
    pub fn print_types(&self, types: &Either) -> String {
        let names: Vec<_> = types
            .0
            .iter()
            .map(|id| self.types[usize::from(id.0)].name.as_str())
            .collect();
        match names[..] {
            [one] => one.to_string(),
            _ => format!("(either {})", names.join(" ")),
        }
    }
}

impl Problem {
    /// The objects that a variable of these types ranges over, in the order of their declaration.
    pub fn objects_of<'a>(
        &'a self,
        domain: &'a Domain,
        types: &'a Either,
    ) -> impl Iterator<Item = ObjectId> + 'a {
        let fitting = move |(_, object): &(usize, &Object)| domain.fits(&object.types, types);
        self.objects
            .iter()
            .enumerate()
            .filter(fitting)
            .map(|(index, _)| ObjectId(index as u32))
    }
}

impl Formula {
    /// The predicates that a formula mentions, and whether under a negation.
    pub fn mentions(&self, negated: bool, found: &mut Vec<(PredicateId, bool)>) {
        match self {
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.mentions(negated, found));
            }
            Formula::Not(body) => body.mentions(!negated, found),
            Formula::Exists { body, .. } | Formula::Forall { body, .. } => {
                body.mentions(negated, found)
            }
            Formula::Atom(atom) => found.push((atom.predicate, negated)),
            Formula::Equal(..) | Formula::Compare(..) => {}
        }
    }
}
