//! Sets of ground atoms with indexes, and the join that finds all bindings under which a conjunction
//! of atoms holds.
//!
//! The join always matches the atom with the fewest candidates next, so its order follows the
//! numbers of atoms that there really are. Candidates are found by an index on each argument, and
//! where several arguments are bound and each alone leaves many candidates, by an index on the
//! combination: it is made when it is first needed, and then kept up to date.

use std::cell::RefCell;
use std::hash::BuildHasher;
use std::rc::Rc;

use hashbrown::HashTable;
use ployglot_base::{Limit, Poll};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::lifted::*;

/// The content of a slot that is not bound.
pub const UNBOUND: ObjectId = ObjectId(u32::MAX);

/// The ground atoms of one predicate.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    arity: usize,
    len: usize,
    /// The arguments of all tuples, one after the other.
    objects: Vec<ObjectId>,
    ids: HashTable<u32>,
    /// For each argument, the tuples with a given object there.
    index: Vec<FxHashMap<ObjectId, Vec<u32>>>,
    /// Indexes on several arguments, by the set of these arguments as bits.
    combined: RefCell<FxHashMap<u64, Combined>>,
}

/// An index on several arguments.
#[derive(Clone, Debug, Default)]
struct Combined {
    /// For each combination of objects, the tuples.
    tuples: FxHashMap<SmallVec<[ObjectId; 4]>, Vec<u32>>,
    /// How many tuples are indexed; later ones are added before the next use.
    done: usize,
}

/// Where one argument leaves fewer candidates, no index on several is used.
const FEW: usize = 8;

impl Relation {
    fn new(arity: usize) -> Self {
        Self {
            arity,
            index: vec![FxHashMap::default(); arity],
            ..Self::default()
        }
    }

    /// The tuple with this number.
    fn tuple(&self, id: usize) -> &[ObjectId] {
        &self.objects[id * self.arity..(id + 1) * self.arity]
    }

    /// Whether the tuple is new.
    fn insert(&mut self, tuple: &[ObjectId], poll: &Poll) -> Result<bool, Limit> {
        if self.contains(tuple) {
            return Ok(false);
        }
        let full = (self.objects.len() + self.arity).max(1);
        let entry = 3 * size_of::<u32>();
        poll.affords_entry(full, self.objects.capacity().max(1), entry)?;
        let id = u32::try_from(self.len).map_err(|_| Limit::Memory)?;
        for (argument, &object) in self.index.iter_mut().zip(tuple) {
            argument.entry(object).or_default().push(id);
        }
        self.len += 1;
        self.objects.extend_from_slice(tuple);
        let (objects, arity) = (&self.objects, self.arity);
        let hash = |&id: &u32| {
            let first = id as usize * arity;
            FxBuildHasher.hash_one(&objects[first..first + arity])
        };
        self.ids
            .insert_unique(FxBuildHasher.hash_one(tuple), id, hash);
        Ok(true)
    }

    /// Calls `use_list` with the tuples that have these objects at these arguments.
    fn with_combined<R>(
        &self,
        bound: &[(usize, ObjectId)],
        poll: &Poll,
        use_list: impl FnOnce(&[u32]) -> R,
    ) -> R {
        let set = bound.iter().fold(0, |set, (at, _)| set | 1u64 << at);
        let mut combined = self.combined.borrow_mut();
        let index = combined.entry(set).or_default();
        // At a limit the index is incomplete; the join then ends at its own next step.
        while index.done < self.len && poll.try_step().is_ok() {
            let tuple = self.tuple(index.done);
            let key = bound.iter().map(|&(at, _)| tuple[at]).collect();
            let list = index.tuples.entry(key).or_default();
            list.push(index.done as u32);
            index.done += 1;
        }
        let key: SmallVec<[ObjectId; 4]> = bound.iter().map(|&(_, object)| object).collect();
        use_list(index.tuples.get(&key).map_or(&[], Vec::as_slice))
    }

    fn contains(&self, tuple: &[ObjectId]) -> bool {
        let hash = FxBuildHasher.hash_one(tuple);
        let same = |&id: &u32| self.tuple(id as usize) == tuple;
        self.ids.find(hash, same).is_some()
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
    pub fn insert(
        &mut self,
        predicate: PredicateId,
        tuple: &[ObjectId],
        poll: &Poll,
    ) -> Result<bool, Limit> {
        self.relations[usize::from(predicate.0)].insert(tuple, poll)
    }

    pub fn contains(&self, predicate: PredicateId, tuple: &[ObjectId]) -> bool {
        self.relations[usize::from(predicate.0)].contains(tuple)
    }

    pub fn of(&self, predicate: PredicateId) -> &Relation {
        &self.relations[usize::from(predicate.0)]
    }
}

/// The objects of each combination of types that some variable has.
pub struct TypedObjects<'a> {
    domain: &'a Domain,
    problem: &'a Problem,
    known: Vec<(Either, Rc<Members>)>,
}

/// The objects that a variable ranges over.
#[derive(Debug)]
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
        self.known
            .push((types.clone(), Rc::new(Members { list, inside })));
        self.known.len() - 1
    }

    pub fn members(&self, id: usize) -> &Rc<Members> {
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
    /// Calls `visit` with every binding, once each, in a fixed order, until it returns false or a
    /// limit is reached. Returns whether all bindings were visited. The slots are unbound again
    /// afterwards. `prune` may cut a branch while some slots are still `UNBOUND`.
    pub fn each(
        &self,
        relations: &Relations,
        environment: &mut Vec<ObjectId>,
        poll: &Poll,
        prune: &dyn Fn(&[ObjectId]) -> bool,
        visit: &mut dyn FnMut(&mut Vec<ObjectId>) -> bool,
    ) -> Result<bool, Limit> {
        let most = self
            .variables
            .iter()
            .map(|(slot, _)| usize::from(slot.0) + 1)
            .max()
            .unwrap_or(0);
        if environment.len() < most {
            environment.resize(most, UNBOUND);
        }
        let mut join = Join {
            query: self,
            relations,
            poll,
            prune,
            visit,
            open: (0..self.atoms.len()).collect(),
        };
        let complete = join.join(environment);
        poll.ended().map_or(Ok(complete), Err)
    }
}

/// A join that is being computed.
struct Join<'j> {
    query: &'j Query<'j>,
    relations: &'j Relations,
    poll: &'j Poll,
    prune: &'j dyn Fn(&[ObjectId]) -> bool,
    visit: &'j mut dyn FnMut(&mut Vec<ObjectId>) -> bool,
    /// The atoms that are not matched yet.
    open: Vec<usize>,
}

/// Each function returns whether to continue.
impl Join<'_> {
    /// Matches the open atom with the fewest candidates, then the others; then binds the variables
    /// that no atom binds.
    fn join(&mut self, environment: &mut Vec<ObjectId>) -> bool {
        if (self.prune)(environment) {
            return true;
        }
        let best = (0..self.open.len()).min_by_key(|&at| {
            let atom = self.query.atoms[self.open[at]];
            let candidates = Candidates::of(atom, self.relations, environment, self.poll);
            // An atom that is connected with the ones before comes before one that is not.
            let apart = matches!(candidates, Candidates::All(_)) && !atom.arguments.is_empty();
            (apart, candidates.len())
        });
        let Some(best) = best else {
            return self.enumerate(0, environment);
        };
        let chosen = self.open.swap_remove(best);
        let atom = self.query.atoms[chosen];
        let relation = self.relations.of(atom.predicate);
        let more = match Candidates::of(atom, self.relations, environment, self.poll) {
            Candidates::All(count) => {
                (0..count).all(|id| self.match_tuple(relation.tuple(id), atom, environment))
            }
            Candidates::One(list) => list
                .iter()
                .all(|&id| self.match_tuple(relation.tuple(id as usize), atom, environment)),
            // The list is copied, because the index may be used further down.
            Candidates::Several(bound, _) => {
                let list: SmallVec<[u32; 16]> =
                    relation.with_combined(&bound, self.poll, SmallVec::from_slice);
                list.iter()
                    .all(|&id| self.match_tuple(relation.tuple(id as usize), atom, environment))
            }
        };
        // Restore the order of the open atoms.
        self.open.push(chosen);
        let last = self.open.len() - 1;
        self.open.swap(best, last);
        more
    }

    fn match_tuple(
        &mut self,
        tuple: &[ObjectId],
        atom: &Atom,
        environment: &mut Vec<ObjectId>,
    ) -> bool {
        if self.poll.try_step().is_err() {
            return false;
        }
        let mut bound: SmallVec<[Slot; 8]> = SmallVec::new();
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
                    let mut variables = self.query.variables.iter();
                    let members = variables.find(|(variable, _)| *variable == slot);
                    if members.is_none_or(|(_, members)| !members.contains(object)) {
                        return false;
                    }
                    environment[usize::from(slot.0)] = object;
                    bound.push(slot);
                    true
                }
            });
        let more = !fits || self.join(environment);
        bound
            .iter()
            .for_each(|slot| environment[usize::from(slot.0)] = UNBOUND);
        more
    }

    /// Binds the variables from `from` on that are still unbound.
    fn enumerate(&mut self, from: usize, environment: &mut Vec<ObjectId>) -> bool {
        if self.poll.try_step().is_err() {
            return false;
        }
        let variables = &self.query.variables;
        let unbound = |(slot, _): &(Slot, &Members)| environment[usize::from(slot.0)] == UNBOUND;
        let Some(next) = (from..variables.len()).find(|&at| unbound(&variables[at])) else {
            return (self.visit)(environment);
        };
        let (slot, members) = variables[next];
        let mut more = true;
        for &object in &members.list {
            environment[usize::from(slot.0)] = object;
            more = (self.prune)(environment) || self.enumerate(next + 1, environment);
            if !more {
                break;
            }
        }
        environment[usize::from(slot.0)] = UNBOUND;
        more
    }
}

/// The tuples that an atom may match.
enum Candidates<'r> {
    /// No argument is bound: this many.
    All(usize),
    /// Those with the right object at one argument.
    One(&'r [u32]),
    /// Those with the right objects at all bound arguments, and their number.
    Several(SmallVec<[(usize, ObjectId); 4]>, usize),
}

impl<'r> Candidates<'r> {
    fn of(atom: &Atom, relations: &'r Relations, environment: &[ObjectId], poll: &Poll) -> Self {
        let relation = relations.of(atom.predicate);
        let mut bound: SmallVec<[(usize, ObjectId); 4]> = SmallVec::new();
        let mut best: Option<&[u32]> = None;
        for (at, &term) in atom.arguments.iter().enumerate() {
            let object = match term {
                Term::Object(object) => object,
                Term::Slot(slot) => environment[usize::from(slot.0)],
            };
            if object == UNBOUND {
                continue;
            }
            let list = relation.index[at]
                .get(&object)
                .map_or(&[][..], Vec::as_slice);
            if best.is_none_or(|best| list.len() < best.len()) {
                best = Some(list);
            }
            bound.push((at, object));
        }
        match best {
            None => Candidates::All(relation.len),
            Some(list) if list.len() < FEW || bound.len() == 1 || relation.arity > 64 => {
                Candidates::One(list)
            }
            Some(_) => {
                let count = relation.with_combined(&bound, poll, <[u32]>::len);
                Candidates::Several(bound, count)
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Candidates::All(count) => *count,
            Candidates::One(list) => list.len(),
            Candidates::Several(_, count) => *count,
        }
    }
}
