//! A planning problem as it was written: typed, with resolved names, with variables, not grounded.
//!
//! Names are replaced by numbers and variables by slots. A slot is an index into the environment of
//! the action, axiom or goal around it: the parameters come first, and each quantifier's variables
//! take the next free slots.

use std::collections::HashMap;

use crate::tree::Span;

/// An index into the types of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u16);
/// An index into the objects of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);
/// An index into the predicates of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u16);
/// An index into the functions of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u16);
/// A variable: an index into the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u16);

/// A domain: types, predicates, functions, actions and axioms.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// The name in `(domain NAME)`.
    pub name: String,
    /// The requirements that are declared or needed, without the colon.
    pub requirements: Vec<String>,
    /// Type 0 is `object`, the ancestor of all types.
    pub types: Vec<Type>,
    /// The objects that every problem of the domain has.
    pub constants: Vec<Object>,
    /// Derived predicates included.
    pub predicates: Vec<Predicate>,
    /// The numeric functions.
    pub functions: Vec<Function>,
    /// The action schemas.
    pub actions: Vec<Action>,
    /// The definitions of the derived predicates.
    pub axioms: Vec<Axiom>,
}

/// A problem of a domain: objects, initial state, goal and metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The name in `(problem NAME)`.
    pub name: String,
    /// The domain's constants first, under the same ids.
    pub objects: Vec<Object>,
    /// The facts that hold in the initial state; each once.
    pub facts: Vec<Fact>,
    /// The values of functions in the initial state.
    pub values: Vec<FunctionValue>,
    /// The condition that a plan must reach.
    pub goal: Formula,
    /// What a plan costs.
    pub metric: Metric,
}

/// A declared type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// The name in lower case.
    pub name: String,
    /// The direct supertype; `object` is its own.
    pub parent: TypeId,
}

/// One of these types, or a subtype of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Either(pub Vec<TypeId>);

/// A constant of the domain or an object of the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The name in lower case.
    pub name: String,
    /// The declared types.
    pub types: Either,
}

/// A typed variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name with its question mark.
    pub name: String,
    /// The types of the objects that it ranges over.
    pub types: Either,
}

/// A declared predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// The name in lower case.
    pub name: String,
    /// The types of the arguments.
    pub parameters: Vec<Parameter>,
    /// Whether axioms define it.
    pub derived: bool,
}

/// A declared numeric function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name in lower case.
    pub name: String,
    /// The types of the arguments.
    pub parameters: Vec<Parameter>,
}

/// An action schema; slots 0.. are its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The name in lower case.
    pub name: String,
    /// The typed variables of the schema.
    pub parameters: Vec<Parameter>,
    /// The condition under which the action is applicable.
    pub precondition: Formula,
    /// What the action changes.
    pub effect: Effect,
    /// The position of the declaration.
    pub span: Span,
}

/// `(:derived (p ?x) formula)`: slots 0.. are the predicate's arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Axiom {
    /// The derived predicate.
    pub predicate: PredicateId,
    /// Its arguments, as variables.
    pub parameters: Vec<Parameter>,
    /// The predicate holds where this does.
    pub body: Formula,
    /// The position of the axiom.
    pub span: Span,
}

/// An argument of an atom or a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A variable.
    Slot(Slot),
    /// A constant.
    Object(ObjectId),
}

/// A predicate applied to terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The predicate.
    pub predicate: PredicateId,
    /// As many terms as the predicate has parameters.
    pub arguments: Vec<Term>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    /// All parts hold.
    And(Vec<Formula>),
    /// Some part holds.
    Or(Vec<Formula>),
    /// The body does not hold.
    Not(Box<Formula>),
    /// The body holds for some objects.
    Exists {
        /// The slot of the first variable; the others follow.
        first: Slot,
        /// The bound variables.
        variables: Vec<Parameter>,
        /// The formula in which they are bound.
        body: Box<Formula>,
    },
    /// The body holds for all objects.
    Forall {
        /// The slot of the first variable; the others follow.
        first: Slot,
        /// The bound variables.
        variables: Vec<Parameter>,
        /// The formula in which they are bound.
        body: Box<Formula>,
    },
    /// The atom is true.
    Atom(Atom),
    /// Both terms are the same object.
    Equal(Term, Term),
    /// A comparison of numbers; false where one of them is undefined.
    Compare(Comparison, Box<Expression>, Box<Expression>),
}

/// A comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `=`
    Equal,
    /// `>=`
    GreaterEqual,
    /// `>`
    Greater,
}

/// A numeric expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A constant.
    Number(f64),
    /// The value of a function; may be undefined.
    Function(FunctionId, Vec<Term>),
    /// Unary minus.
    Negate(Box<Expression>),
    /// An arithmetic operation; undefined where an operand is, or where the result is not finite.
    Binary(Arithmetic, Box<Expression>, Box<Expression>),
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

/// What an action changes. All conditions and expressions are evaluated before the action.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// All parts together.
    And(Vec<Effect>),
    /// The body for all objects.
    Forall {
        /// The slot of the first variable; the others follow.
        first: Slot,
        /// The bound variables.
        variables: Vec<Parameter>,
        /// The effect in which they are bound.
        body: Box<Effect>,
    },
    /// The effect, where the condition holds before the action.
    When(Box<Formula>, Box<Effect>),
    /// The atom becomes true.
    Add(Atom),
    /// The atom becomes false, unless the same action adds it.
    Delete(Atom),
    /// The value of a function changes.
    Change {
        /// Assignment, increase, decrease or scaling.
        how: Change,
        /// The function that changes.
        function: FunctionId,
        /// Its arguments.
        arguments: Vec<Term>,
        /// The amount.
        by: Expression,
    },
}

/// How an effect changes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// `assign`
    Assign,
    /// `increase`
    Increase,
    /// `decrease`
    Decrease,
    /// `scale-up`
    ScaleUp,
    /// `scale-down`
    ScaleDown,
}

/// A ground atom.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fact {
    /// The predicate.
    pub predicate: PredicateId,
    /// As many objects as the predicate has parameters.
    pub arguments: Vec<ObjectId>,
}

/// The value of a function in the initial state.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionValue {
    /// The function.
    pub function: FunctionId,
    /// Its arguments.
    pub arguments: Vec<ObjectId>,
    /// Its value for these arguments.
    pub value: f64,
}

/// What a plan costs.
#[derive(Clone, Debug, PartialEq)]
pub enum Metric {
    /// One for each step.
    Steps,
    /// The value at the end, to be minimised.
    Minimize(Expression),
    /// The value at the end, to be maximised.
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

    /// Whether an object of these types can be an argument where `asked` is declared.
    pub fn fits(&self, types: &Either, asked: &Either) -> bool {
        types
            .0
            .iter()
            .any(|&below| asked.0.iter().any(|&above| self.is_subtype(below, above)))
    }

    /// Whether a variable of these types can stand for an object that fits `asked`.
    pub fn may_fit(&self, types: &Either, asked: &Either) -> bool {
        self.fits(types, asked) || self.fits(asked, types)
    }

    /// The derived predicates in strata: a predicate that is used under a negation is in an earlier
    /// stratum than the predicate that uses it. `Err` names a predicate that depends on its own
    /// negation.
    pub fn strata(&self) -> Result<Vec<Vec<PredicateId>>, PredicateId> {
        let all = (0..self.predicates.len() as u16).map(PredicateId);
        let derived: Vec<PredicateId> = all
            .filter(|id| self.predicates[usize::from(id.0)].derived)
            .collect();
        let mut level: HashMap<PredicateId, usize> = derived.iter().map(|&id| (id, 0)).collect();
        // Raise levels until every axiom is satisfied. A level above the number of predicates can
        // only come from a cycle through a negation.
        let needs = self.axioms.iter().map(|axiom| {
            let mut needs = Vec::new();
            axiom.body.mentions(false, &mut needs);
            needs.retain(|(predicate, _)| level.contains_key(predicate));
            needs.sort_unstable();
            needs.dedup();
            (axiom, needs)
        });
        let needs: Vec<_> = needs.collect();
        loop {
            let mut changed = false;
            for (axiom, needs) in &needs {
                for &(predicate, negated) in needs {
                    let below = level[&predicate];
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

    /// The types as PDDL writes them: `block`, `(either block crate)`.
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
    /// Adds the predicates that the formula mentions, each with whether it is under an odd number
    /// of negations. `negated` is the sign of the formula itself.
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
