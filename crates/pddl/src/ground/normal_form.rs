//! Normal forms before grounding: formulas in negation normal form, and effects as lists of single
//! changes. Both keep their variables.

use crate::lifted::*;

/// A formula in negation normal form.
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
    /// A comparison with an undefined value is false and its negation true, so the sign cannot be
    /// moved into the comparison.
    Compare {
        how: Comparison,
        left: Expression,
        right: Expression,
        positive: bool,
    },
}

impl Nnf {
    /// The normal form of a formula.
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

    /// Adds atoms that hold wherever this holds: those found through conjunctions only.
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

    /// Adds atoms that hold wherever this does *not* hold: those found through disjunctions only.
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

    /// The normal form of the negation.
    pub fn negated(&self) -> Nnf {
        let all = |parts: &[Nnf]| parts.iter().map(Nnf::negated).collect();
        match self.clone() {
            Nnf::And(parts) => Nnf::Or(all(&parts)),
            Nnf::Or(parts) => Nnf::And(all(&parts)),
            Nnf::Exists {
                first,
                variables,
                body,
            } => Nnf::Forall {
                first,
                variables,
                body: Box::new(body.negated()),
            },
            Nnf::Forall {
                first,
                variables,
                body,
            } => Nnf::Exists {
                first,
                variables,
                body: Box::new(body.negated()),
            },
            Nnf::Literal { atom, positive } => Nnf::Literal {
                atom,
                positive: !positive,
            },
            Nnf::Equal {
                left,
                right,
                positive,
            } => Nnf::Equal {
                left,
                right,
                positive: !positive,
            },
            Nnf::Compare {
                how,
                left,
                right,
                positive,
            } => Nnf::Compare {
                how,
                left,
                right,
                positive: !positive,
            },
        }
    }

    /// Adds `by` to every slot from `from` on.
    fn move_slots(&mut self, from: Slot, by: u16) {
        let moved = |slot: &mut Slot| {
            if *slot >= from {
                slot.0 += by;
            }
        };
        let in_term = |term: &mut Term| {
            if let Term::Slot(slot) = term {
                moved(slot);
            }
        };
        match self {
            Nnf::And(parts) | Nnf::Or(parts) => {
                parts.iter_mut().for_each(|part| part.move_slots(from, by));
            }
            Nnf::Exists { first, body, .. } | Nnf::Forall { first, body, .. } => {
                moved(first);
                body.move_slots(from, by);
            }
            Nnf::Literal { atom, .. } => atom.arguments.iter_mut().for_each(in_term),
            Nnf::Equal { left, right, .. } => [left, right].into_iter().for_each(in_term),
            Nnf::Compare { left, right, .. } => {
                left.each_term(&mut |term| in_term(term));
                right.each_term(&mut |term| in_term(term));
            }
        }
    }

    /// The conjuncts of the formula, nested conjunctions flattened.
    pub fn conjuncts(&self) -> Vec<&Nnf> {
        match self {
            Nnf::And(parts) => parts.iter().flat_map(Nnf::conjuncts).collect(),
            other => vec![other],
        }
    }
}

impl Expression {
    fn each_term(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        match self {
            Expression::Number(_) => {}
            Expression::Function(_, terms) => terms.iter_mut().for_each(visit),
            Expression::Negate(body) => body.each_term(visit),
            Expression::Binary(_, left, right) => {
                left.each_term(visit);
                right.each_term(visit);
            }
        }
    }
}

/// One change of an effect. It happens for every binding of the variables under which the condition
/// holds.
#[derive(Clone, Debug)]
pub struct FlatEffect {
    /// The slots that quantifiers around the change bind, with their types.
    pub variables: Vec<(Slot, Parameter)>,
    /// The conjunction of all conditions around the change.
    pub condition: Nnf,
    /// The change itself.
    pub kind: EffectKind,
}

/// A change of one fact or one number.
#[derive(Clone, Debug)]
pub enum EffectKind {
    Add(Atom),
    Delete(Atom),
    Change {
        how: Change,
        function: FunctionId,
        arguments: Vec<Term>,
        by: Expression,
    },
}

/// The single changes of an effect, in the order they are written.
pub fn flat_effects(effect: &Effect) -> Vec<FlatEffect> {
    let mut found = Vec::new();
    collect(effect, &mut Vec::new(), &mut Vec::new(), &mut found);
    found
}

fn collect(
    effect: &Effect,
    variables: &mut Vec<(Slot, Parameter)>,
    conditions: &mut Vec<Nnf>,
    found: &mut Vec<FlatEffect>,
) {
    let kind = match effect {
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
            // The variables of quantifiers in the conditions around this effect have the same slots
            // as the variables that are bound here: they move up.
            let mut inner = conditions.clone();
            for condition in &mut inner {
                condition.move_slots(*first, bound.len() as u16);
            }
            collect(body, variables, &mut inner, found);
            return variables.truncate(before);
        }
        Effect::When(condition, body) => {
            conditions.push(Nnf::of(condition));
            collect(body, variables, conditions, found);
            conditions.pop();
            return;
        }
        Effect::Add(atom) => EffectKind::Add(atom.clone()),
        Effect::Delete(atom) => EffectKind::Delete(atom.clone()),
        Effect::Change {
            how,
            function,
            arguments,
            by,
        } => EffectKind::Change {
            how: *how,
            function: *function,
            arguments: arguments.clone(),
            by: by.clone(),
        },
    };
    let condition = Nnf::And(conditions.clone());
    found.push(FlatEffect {
        variables: variables.clone(),
        condition,
        kind,
    });
}
