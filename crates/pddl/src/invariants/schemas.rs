//! Candidates for mutex groups that are alike for all objects, found by Helmert's search (2009).
//!
//! A schema has parameters, and kinds of facts whose arguments are these parameters and at most one more
//! object: with the parameter `?x`, `(on ?x *)` and `(holding ?x)`. Each choice of objects for the parameters
//! gives a group. The search begins with a single kind. Where an operator adds a fact of a group and
//! does not take away another one, that operator says which kinds may be missing: those of the facts that it needs and
//! deletes. So a schema grows until all operators keep its number of facts, or an operator adds two of them at once.
//!
//! The operators are grounded, and objects may agree by chance, so this is a search for candidates only: each
//! group is proven on its own.

use std::collections::VecDeque;

use ployglot_base::Limit;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Prover;
use crate::circuit::FactId;
use crate::lifted::{Fact, ObjectId, PredicateId};

/// At most so many schemas are tried.
const SCHEMAS: usize = 2_000;

/// No more are tried after this work, in units of about a nanosecond.
const WORK: u64 = 200_000_000;

/// A kind of facts: those of a predicate, where each parameter of the schema is an argument.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Kind {
    predicate: PredicateId,
    /// The position of each parameter among the arguments. At most one argument is none of them.
    positions: Vec<u8>,
}

impl Kind {
    /// The objects of the parameters in a fact of this kind.
    fn objects<'a>(&'a self, fact: &'a Fact) -> impl Iterator<Item = ObjectId> + 'a {
        let positions = self.positions.iter();
        positions.map(|&position| fact.arguments[position as usize])
    }

    /// The kinds of this fact that have these objects as parameters.
    fn all_of(fact: &Fact, objects: &[ObjectId]) -> Vec<Self> {
        let arity = fact.arguments.len();
        if arity < objects.len() || arity > objects.len() + 1 || arity > usize::from(u8::MAX) {
            return Vec::new();
        }
        let mut found = vec![Vec::new()];
        for object in objects {
            let longer = |positions: &Vec<u8>| {
                let free = (0..arity as u8).filter(|position| !positions.contains(position));
                let equal = free.filter(|&position| fact.arguments[position as usize] == *object);
                let with = |position| positions.iter().copied().chain([position]).collect();
                equal.map(with).collect::<Vec<Vec<u8>>>()
            };
            found = found.iter().flat_map(longer).collect();
        }
        let predicate = fact.predicate;
        let kind = |positions| Self {
            predicate,
            positions,
        };
        found.into_iter().map(kind).collect()
    }
}

/// The kinds of a schema, sorted.
type Schema = Vec<Kind>;

/// What an operator adds under one condition, and what it needs and deletes.
struct Change {
    adds: Vec<FactId>,
    taken: Vec<FactId>,
}

/// What is wrong with a schema.
enum Flaw {
    /// An operator adds two facts of a group.
    TooMany,
    /// An operator adds a fact without taking one. These schemas have one kind more.
    Grows(Vec<Schema>),
}

impl Prover<'_> {
    /// Makes candidates of the groups of all schemas whose number of facts no operator raises.
    pub(super) fn propose_schemas(&mut self) -> Result<(), Limit> {
        let changes = self.changes()?;
        let mut of_predicate: FxHashMap<PredicateId, Vec<usize>> = FxHashMap::default();
        for (at, change) in changes.iter().enumerate() {
            let added = change.adds.iter().map(|&fact| self.fact(fact).predicate);
            for predicate in added.collect::<FxHashSet<_>>() {
                of_predicate.entry(predicate).or_default().push(at);
            }
        }
        let mut tried: FxHashSet<Schema> = FxHashSet::default();
        let mut waiting: VecDeque<Schema> = VecDeque::new();
        for schema in self.single_kinds() {
            tried.insert(schema.clone());
            waiting.push_back(schema);
        }
        while let Some(schema) = waiting.pop_front() {
            if self.work > WORK {
                break;
            }
            match self.flaw(&schema, &changes, &of_predicate)? {
                None => self.propose_instances(&schema)?,
                Some(Flaw::TooMany) => {}
                Some(Flaw::Grows(larger)) => {
                    for schema in larger {
                        if tried.len() < SCHEMAS && tried.insert(schema.clone()) {
                            waiting.push_back(schema);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn fact(&self, fact: FactId) -> &Fact {
        &self.task.facts[fact.0 as usize]
    }

    /// The changes by all operators that add a fact; first one of each action, then a second one, and so on. Those of
    /// an action are much alike, so a flaw is found soon.
    fn changes(&mut self) -> Result<Vec<Change>, Limit> {
        let mut changes = Vec::new();
        let mut of_action: FxHashMap<usize, usize> = FxHashMap::default();
        for operator in &self.task.operators {
            let mut deleted: Vec<FactId> = Vec::new();
            for effect in &operator.effects {
                deleted.extend(&effect.deletes);
            }
            deleted.sort_unstable();
            let turn = of_action.entry(operator.step.action).or_default();
            *turn += 1;
            for effect in operator
                .effects
                .iter()
                .filter(|effect| !effect.adds.is_empty())
            {
                self.poll.try_step()?;
                let conditions = [operator.precondition, effect.condition];
                let needed = (conditions.iter()).flat_map(|node| &self.implied[node].positive);
                let needed: Vec<FactId> = needed.copied().collect();
                // What is added again is no change.
                let new = effect.adds.iter().filter(|fact| !needed.contains(fact));
                let adds: Vec<FactId> = new.copied().collect();
                let is_deleted = |fact: &FactId| deleted.binary_search(fact).is_ok();
                let taken = needed.into_iter().filter(is_deleted).collect();
                changes.push((*turn, Change { adds, taken }));
            }
        }
        changes.sort_by_key(|&(turn, _)| turn);
        Ok(changes.into_iter().map(|(_, change)| change).collect())
    }

    /// The schemas with one kind, for each predicate that changes.
    fn single_kinds(&self) -> Vec<Schema> {
        let mut schemas = Vec::new();
        let mut seen: FxHashSet<PredicateId> = FxHashSet::default();
        for fact in &self.task.facts {
            let arity = fact.arguments.len();
            if arity > usize::from(u8::MAX) || !seen.insert(fact.predicate) {
                continue;
            }
            let all: Vec<u8> = (0..arity as u8).collect();
            let but_one = all.iter().map(|left| {
                let others = all.iter().filter(|position| *position != left);
                others.copied().collect::<Vec<u8>>()
            });
            let kinds = but_one.chain([all.clone()]).map(|positions| Kind {
                predicate: fact.predicate,
                positions,
            });
            schemas.extend(kinds.map(|kind| vec![kind]));
        }
        schemas
    }

    /// The first flaw of a schema that some operator shows.
    fn flaw(
        &mut self,
        schema: &Schema,
        changes: &[Change],
        of_predicate: &FxHashMap<PredicateId, Vec<usize>>,
    ) -> Result<Option<Flaw>, Limit> {
        for (index, kind) in schema.iter().enumerate() {
            let first = schema[..index]
                .iter()
                .all(|other| other.predicate != kind.predicate);
            let none = Vec::new();
            let adding = of_predicate.get(&kind.predicate).unwrap_or(&none);
            for &at in adding.iter().filter(|_| first) {
                self.poll.try_step()?;
                let change = &changes[at];
                self.work +=
                    10 * (change.adds.len() * (change.adds.len() + change.taken.len())) as u64;
                if let Some(flaw) = self.flaw_by(schema, change) {
                    return Ok(Some(flaw));
                }
            }
        }
        Ok(None)
    }

    fn flaw_by(&self, schema: &Schema, change: &Change) -> Option<Flaw> {
        let kinds_of = |fact: FactId| {
            let predicate = self.fact(fact).predicate;
            schema
                .iter()
                .filter(move |kind| kind.predicate == predicate)
        };
        for &added in &change.adds {
            for kind in kinds_of(added) {
                let objects: Vec<ObjectId> = kind.objects(self.fact(added)).collect();
                let in_group = |fact: &FactId| {
                    let fact = *fact;
                    kinds_of(fact)
                        .any(|kind| kind.objects(self.fact(fact)).eq(objects.iter().copied()))
                };
                let mut others = change.adds.iter().filter(|&&other| other != added);
                if others.any(in_group) {
                    return Some(Flaw::TooMany);
                }
                if change.taken.iter().any(in_group) {
                    continue;
                }
                let missing = change.taken.iter();
                let missing = missing.flat_map(|&fact| Kind::all_of(self.fact(fact), &objects));
                return Some(Flaw::Grows(
                    missing.map(|kind| with(schema, kind)).collect(),
                ));
            }
        }
        None
    }

    /// Makes candidates of all groups of a schema.
    fn propose_instances(&mut self, schema: &Schema) -> Result<(), Limit> {
        let mut groups: FxHashMap<Vec<ObjectId>, usize> = FxHashMap::default();
        let mut members: Vec<Vec<FactId>> = Vec::new();
        for (at, fact) in self.task.facts.iter().enumerate() {
            self.poll.try_step()?;
            for kind in schema
                .iter()
                .filter(|kind| kind.predicate == fact.predicate)
            {
                let next = members.len();
                let group = *groups.entry(kind.objects(fact).collect()).or_insert(next);
                if group == next {
                    members.push(Vec::new());
                }
                members[group].push(FactId(at as u32));
            }
        }
        for group in members {
            self.work += 20 * group.len() as u64;
            self.propose(group);
        }
        Ok(())
    }
}

/// The schema with one kind more. The order of the parameters is that of the first kind's arguments, so that a schema
/// is found once, whichever kind the search began with.
fn with(schema: &Schema, kind: Kind) -> Schema {
    let mut larger: Schema = schema.iter().cloned().chain([kind]).collect();
    larger.sort_by_key(|kind| {
        let mut arguments = kind.positions.clone();
        arguments.sort_unstable();
        (kind.predicate, arguments)
    });
    let mut order: Vec<usize> = (0..larger[0].positions.len()).collect();
    order.sort_by_key(|&parameter| larger[0].positions[parameter]);
    for kind in &mut larger {
        kind.positions = order
            .iter()
            .map(|&parameter| kind.positions[parameter])
            .collect();
    }
    larger.sort();
    larger
}
