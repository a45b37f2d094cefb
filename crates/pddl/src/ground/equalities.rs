//! Equations between the variables of a conjunction. Each variable that an equation determines is
//! replaced by the other side, so that a join looks up what it would otherwise enumerate and drop.

use crate::lifted::*;

/// Which slots are replaced, and by what.
#[derive(Clone, Debug)]
pub(super) struct Equalities {
    same: Vec<Option<Term>>,
}

impl Equalities {
    /// No equations between this many slots.
    pub fn new(slots: usize) -> Self {
        Self {
            same: vec![None; slots],
        }
    }

    /// Adds an equation. Whether the equations may still hold: false where two objects are equated.
    pub fn unite(&mut self, left: Term, right: Term) -> bool {
        match (self.resolve(left), self.resolve(right)) {
            (Term::Object(left), Term::Object(right)) => left == right,
            (Term::Slot(slot), object @ Term::Object(_))
            | (object @ Term::Object(_), Term::Slot(slot)) => {
                self.same[usize::from(slot.0)] = Some(object);
                true
            }
            (Term::Slot(left), Term::Slot(right)) => {
                if left != right {
                    self.same[usize::from(left.max(right).0)] = Some(Term::Slot(left.min(right)));
                }
                true
            }
        }
    }

    /// What takes the place of the term.
    pub fn resolve(&self, mut term: Term) -> Term {
        while let Term::Slot(slot) = term
            && let Some(other) = self.same.get(usize::from(slot.0)).copied().flatten()
        {
            term = other;
        }
        term
    }

    /// The atom with its replaced slots.
    pub fn apply(&self, atom: &Atom) -> Atom {
        Atom {
            predicate: atom.predicate,
            arguments: atom
                .arguments
                .iter()
                .map(|&term| self.resolve(term))
                .collect(),
        }
    }

    /// Whether another term takes the place of the slot.
    pub fn replaces(&self, slot: usize) -> bool {
        self.same[slot].is_some()
    }

    /// The replaced slots, and what takes their place.
    pub fn replaced(&self) -> Vec<(Slot, Term)> {
        let slots = (0..self.same.len() as u16).map(Slot);
        slots
            .filter(|slot| self.replaces(usize::from(slot.0)))
            .map(|slot| (slot, self.resolve(Term::Slot(slot))))
            .collect()
    }
}

/// All ways to take one element of each list; only of the first lists, as long as there are at most
/// `most` ways.
pub(super) fn choices<T>(lists: &[Vec<T>], most: usize) -> Vec<Vec<&T>> {
    let mut all: Vec<Vec<&T>> = vec![Vec::new()];
    for list in lists {
        if all.len() * list.len() > most {
            break;
        }
        all = all
            .iter()
            .flat_map(|chosen| {
                list.iter()
                    .map(|each| chosen.iter().copied().chain([each]).collect())
            })
            .collect();
    }
    all
}

/// A conjunction is split into at most this many alternatives by its disjunctions.
pub(super) const MAX_ALTERNATIVES: usize = 16;
