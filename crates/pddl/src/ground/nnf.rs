//! Formulas with negations pushed down to the literals, and effects taken apart into leaves. Both keep their variables.

use crate::lifted::*;

#[derive(Clone, Debug, PartialEq)]
pub enum Nnf {
    And(Vec<Nnf>),
    Or(Vec<Nnf>),
    Exists {
        first: Slot,
        variables: Vec<Parameter>,
        body: Box<Nnf>,
    },
    Forall {
        first: Slot,
        variables: Vec<Parameter>,
        body: Box<Nnf>,
    },
    Literal {
        atom: Atom,
        positive: bool,
    },
    Equal {
        left: Term,
        right: Term,
        positive: bool,
    },
    /// A comparison with an undefined value is false, and its negation true: so the sign stays outside.
    Compare {
        how: Comparison,
        left: Expression,
        right: Expression,
        positive: bool,
    },
}

impl Nnf {
    pub fn of(formula: &Formula) -> Nnf {
        Self::signed(formula, true)
    }

    fn signed(formula: &Formula, positive: bool) -> Nnf {
        let all = |parts: &[Formula]| {
            parts
                .iter()
                .map(|part| Self::signed(part, positive))
                .collect()
        };
        match formula {
            Formula::And(parts) if positive => Nnf::And(all(parts)),
            Formula::And(parts) => Nnf::Or(all(parts)),
            Formula::Or(parts) if positive => Nnf::Or(all(parts)),
            Formula::Or(parts) => Nnf::And(all(parts)),
            Formula::Not(body) => Self::signed(body, !positive),
            Formula::Exists {
                first,
                variables,
                body,
            }
            | Formula::Forall {
                first,
                variables,
                body,
            } => {
                let (first, variables) = (*first, variables.clone());
                let exists = matches!(formula, Formula::Exists { .. });
                let body = Box::new(Self::signed(body, positive));
                if exists == positive {
                    Nnf::Exists {
                        first,
                        variables,
                        body,
                    }
                } else {
                    Nnf::Forall {
                        first,
                        variables,
                        body,
                    }
                }
            }
            Formula::Atom(atom) => Nnf::Literal {
                atom: atom.clone(),
                positive,
            },
            Formula::Equal(left, right) => Nnf::Equal {
                left: *left,
                right: *right,
                positive,
            },
            Formula::Compare(how, left, right) => Nnf::Compare {
                how: *how,
                left: (**left).clone(),
                right: (**right).clone(),
                positive,
            },
        }
    }

    /// The atoms that must hold wherever this holds, through conjunctions only.
    pub fn needed<'a>(&'a self, atoms: &mut Vec<&'a Atom>) {
        match self {
            Nnf::And(parts) => parts.iter().for_each(|part| part.needed(atoms)),
            Nnf::Literal {
                atom,
                positive: true,
            } => atoms.push(atom),
            _ => {}
        }
    }

    /// The atoms of which each must hold wherever this does *not* hold, through disjunctions only.
    pub fn refuting<'a>(&'a self, atoms: &mut Vec<&'a Atom>) {
        match self {
            Nnf::Or(parts) => parts.iter().for_each(|part| part.refuting(atoms)),
            Nnf::Literal {
                atom,
                positive: false,
            } => atoms.push(atom),
            _ => {}
        }
    }

    /// The conjuncts at the top.
    pub fn conjuncts(&self) -> Vec<&Nnf> {
        match self {
            Nnf::And(parts) => parts.iter().flat_map(Nnf::conjuncts).collect(),
            other => vec![other],
        }
    }
}

/// One change that an action may make: for every binding of the variables for which the condition holds.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The slots that the quantifiers around it bind, with their types.
    pub variables: Vec<(Slot, Parameter)>,
    pub condition: Nnf,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    Add(Atom),
    Delete(Atom),
    Change {
        how: Change,
        function: FunctionId,
        arguments: Vec<Term>,
        by: Expression,
    },
}

/// All leaves of an effect, in the order they are written.
pub fn leaves(effect: &Effect) -> Vec<Leaf> {
    let mut found = Vec::new();
    collect(effect, &mut Vec::new(), &mut Vec::new(), &mut found);
    found
}

fn collect(
    effect: &Effect,
    variables: &mut Vec<(Slot, Parameter)>,
    conditions: &mut Vec<Nnf>,
    found: &mut Vec<Leaf>,
) {
    let what = match effect {
        Effect::And(parts) => {
            return parts
                .iter()
                .for_each(|part| collect(part, variables, conditions, found));
        }
        Effect::Forall {
            first,
            variables: bound,
            body,
        } => {
            let before = variables.len();
            let slots = (first.0..).map(Slot);
            variables.extend(slots.zip(bound.iter().cloned()));
            collect(body, variables, conditions, found);
            return variables.truncate(before);
        }
        Effect::When(condition, body) => {
            conditions.push(Nnf::of(condition));
            collect(body, variables, conditions, found);
            conditions.pop();
            return;
        }
        Effect::Add(atom) => What::Add(atom.clone()),
        Effect::Delete(atom) => What::Delete(atom.clone()),
        Effect::Change {
            how,
            function,
            arguments,
            by,
        } => What::Change {
            how: *how,
            function: *function,
            arguments: arguments.clone(),
            by: by.clone(),
        },
    };
    let condition = Nnf::And(conditions.clone());
    found.push(Leaf {
        variables: variables.clone(),
        condition,
        what,
    });
}
