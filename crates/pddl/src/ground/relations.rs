//! Sets of ground atoms with an index on every argument, and the join that finds all bindings under
//! which a conjunction of atoms holds.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use crate::lifted::*;

/// The content of a slot that is not bound.
pub const UNBOUND: ObjectId = ObjectId(u32::MAX);

/// The ground atoms of one predicate.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    tuples: Vec<Box<[ObjectId]>>,
    ids: FxHashMap<Box<[ObjectId]>, u32>,
    /// For each argument, the tuples with a given object there.
    index: Vec<FxHashMap<ObjectId, Vec<u32>>>,
}

impl Relation {
    fn new(arity: usize) -> Self {
        Self {
            tuples: Vec::new(),
            ids: HashMap::default(),
            index: vec![HashMap::default(); arity],
        }
    }

    /// Whether the tuple is new.
    fn insert(&mut self, tuple: &[ObjectId]) -> bool {
        if self.ids.contains_key(tuple) {
            return false;
        }
        let id = self.tuples.len() as u32;
        for (argument, &object) in self.index.iter_mut().zip(tuple) {
            argument.entry(object).or_default().push(id);
        }
        self.tuples.push(tuple.into());
        self.ids.insert(tuple.into(), id);
        true
    }
}

/// All ground atoms that may be true, by predicate.
#[derive(Clone, Debug)]
pub struct Relations {
    relations: Vec<Relation>,
}

impl Relations {
    /// Empty relations.
    pub fn new(domain: &Domain) -> Self {
        let arities = domain
            .predicates
            .iter()
            .map(|predicate| predicate.parameters.len());
        Self {
            relations: arities.map(Relation::new).collect(),
        }
    }

    /// Whether the atom is new.
    pub fn insert(&mut self, predicate: PredicateId, tuple: &[ObjectId]) -> bool {
        self.relations[usize::from(predicate.0)].insert(tuple)
    }

    pub fn contains(&self, predicate: PredicateId, tuple: &[ObjectId]) -> bool {
        self.relations[usize::from(predicate.0)]
            .ids
            .contains_key(tuple)
    }

    pub fn of(&self, predicate: PredicateId) -> &Relation {
        &self.relations[usize::from(predicate.0)]
    }
}

/// The objects of each combination of types that some variable has.
pub struct TypedObjects<'a> {
    domain: &'a Domain,
    problem: &'a Problem,
    known: Vec<(Either, Members)>,
}

/// The objects that a variable ranges over.
#[derive(Clone, Debug)]
pub struct Members {
    pub list: Vec<ObjectId>,
    inside: Vec<bool>,
}

impl Members {
    pub fn contains(&self, object: ObjectId) -> bool {
        self.inside[object.0 as usize]
    }
}

impl<'a> TypedObjects<'a> {
    pub fn new(domain: &'a Domain, problem: &'a Problem) -> Self {
        Self {
            domain,
            problem,
            known: Vec::new(),
        }
    }

    /// The index of these types, for `members`.
    pub fn id(&mut self, types: &Either) -> usize {
        if let Some(found) = self.known.iter().position(|(known, _)| known == types) {
            return found;
        }
        let list: Vec<ObjectId> = self.problem.objects_of(self.domain, types).collect();
        let mut inside = vec![false; self.problem.objects.len()];
        list.iter()
            .for_each(|object| inside[object.0 as usize] = true);
        self.known.push((types.clone(), Members { list, inside }));
        self.known.len() - 1
    }

    pub fn members(&self, id: usize) -> &Members {
        &self.known[id].1
    }
}

/// A conjunctive query: bindings of the variables under which all atoms are in the relations.
pub struct Query<'a> {
    pub atoms: Vec<&'a Atom>,
    /// The slots to bind, with their ranges. Other slots that the atoms use are bound already.
    pub variables: Vec<(Slot, &'a Members)>,
}

impl Query<'_> {
    /// Calls `visit` with every binding, once each, in a fixed order, until it returns false.
    /// Returns whether all bindings were visited. The slots are unbound again afterwards. `prune`
    /// may cut a branch while some slots are still `UNBOUND`.
    pub fn each(
        &self,
        relations: &Relations,
        environment: &mut Vec<ObjectId>,
        prune: &dyn Fn(&[ObjectId]) -> bool,
        visit: &mut dyn FnMut(&mut Vec<ObjectId>) -> bool,
    ) -> bool {
        let most = self
            .variables
            .iter()
            .map(|(slot, _)| usize::from(slot.0) + 1)
            .max()
            .unwrap_or(0);
        if environment.len() < most {
            environment.resize(most, UNBOUND);
        }
        let mut open: Vec<usize> = (0..self.atoms.len()).collect();
        self.join(relations, &mut open, environment, prune, visit)
    }

    /// Matches the open atom with the fewest candidates, then the others; then binds the variables
    /// that no atom binds.
    fn join(
        &self,
        relations: &Relations,
        open: &mut Vec<usize>,
        environment: &mut Vec<ObjectId>,
        prune: &dyn Fn(&[ObjectId]) -> bool,
        visit: &mut dyn FnMut(&mut Vec<ObjectId>) -> bool,
    ) -> bool {
        if prune(environment) {
            return true;
        }
        let best = (0..open.len()).min_by_key(|&at| {
            candidates(self.atoms[open[at]], relations, environment)
                .map_or(usize::MAX, |list| list.len())
        });
        let Some(best) = best else {
            return self.enumerate(0, environment, prune, visit);
        };
        let chosen = open.swap_remove(best);
        let atom = self.atoms[chosen];
        let relation = relations.of(atom.predicate);
        let listed = candidates(atom, relations, environment);
        let count = listed.map_or(relation.tuples.len(), <[u32]>::len);
        let more = (0..count).all(|at| {
            let id = listed.map_or(at, |list| list[at] as usize);
            let tuple = &relation.tuples[id];
            self.match_tuple(tuple, atom, relations, open, environment, prune, visit)
        });
        // Restore the order of the open atoms.
        open.push(chosen);
        let last = open.len() - 1;
        open.swap(best, last);
        more
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "one step of the join needs the whole state of the join"
    )]
    fn match_tuple(
        &self,
        tuple: &[ObjectId],
        atom: &Atom,
        relations: &Relations,
        open: &mut Vec<usize>,
        environment: &mut Vec<ObjectId>,
        prune: &dyn Fn(&[ObjectId]) -> bool,
        visit: &mut dyn FnMut(&mut Vec<ObjectId>) -> bool,
    ) -> bool {
        let mut bound: Vec<Slot> = Vec::new();
        let fits = atom
            .arguments
            .iter()
            .zip(tuple.iter())
            .all(|(&term, &object)| match term {
                Term::Object(wanted) => wanted == object,
                Term::Slot(slot) => {
                    let held = environment[usize::from(slot.0)];
                    if held != UNBOUND {
                        return held == object;
                    }
                    let members = self
                        .variables
                        .iter()
                        .find(|(variable, _)| *variable == slot);
                    if members.is_none_or(|(_, members)| !members.contains(object)) {
                        return false;
                    }
                    environment[usize::from(slot.0)] = object;
                    bound.push(slot);
                    true
                }
            });
        let more = !fits || self.join(relations, open, environment, prune, visit);
        bound
            .iter()
            .for_each(|slot| environment[usize::from(slot.0)] = UNBOUND);
        more
    }

    /// Binds the variables from `from` on that are still unbound.
    fn enumerate(
        &self,
        from: usize,
        environment: &mut Vec<ObjectId>,
        prune: &dyn Fn(&[ObjectId]) -> bool,
        visit: &mut dyn FnMut(&mut Vec<ObjectId>) -> bool,
    ) -> bool {
        let unbound = |(slot, _): &(Slot, &Members)| environment[usize::from(slot.0)] == UNBOUND;
        let Some(next) = (from..self.variables.len()).find(|&at| unbound(&self.variables[at]))
        else {
            return visit(environment);
        };
        let (slot, members) = self.variables[next];
        let mut more = true;
        for &object in &members.list {
            environment[usize::from(slot.0)] = object;
            more = prune(environment) || self.enumerate(next + 1, environment, prune, visit);
            if !more {
                break;
            }
        }
        environment[usize::from(slot.0)] = UNBOUND;
        more
    }
}

/// The tuples that match the atom in the bound argument with the fewest matches; `None` where no
/// argument is bound.
fn candidates<'r>(
    atom: &Atom,
    relations: &'r Relations,
    environment: &[ObjectId],
) -> Option<&'r [u32]> {
    let relation = relations.of(atom.predicate);
    let lists = atom
        .arguments
        .iter()
        .zip(&relation.index)
        .filter_map(|(&term, index)| {
            let object = match term {
                Term::Object(object) => object,
                Term::Slot(slot) => environment[usize::from(slot.0)],
            };
            (object != UNBOUND).then(|| index.get(&object).map_or(&[][..], Vec::as_slice))
        });
    lists.min_by_key(|list| list.len())
}
