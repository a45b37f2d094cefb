//! Symmetries between interchangeable objects (orbit space search: Domshlak, Katz and Shleyfman
//! 2015).
//!
//! Two objects are interchangeable if swapping them everywhere maps the operators of the grounded
//! task to operators of the same cost, and the goal to itself. That is checked on the facts and
//! operators, so it does not depend on how the grounder simplified them. The swap must keep the mutex
//! groups and how many of their facts hold at the start: states are packed by these groups, and
//! estimates rely on them. For optimal planning the swap must also keep the start itself: otherwise a
//! state is replaced by one that the start may not lead to, and tables that only know what the start
//! leads to would call that one a dead end. Only swaps of two objects are looked for: they are what most tasks have (balls, trucks of
//! one size), and the relation is an equivalence, so that classes of objects follow.
//!
//! A state is replaced by one that is equal but for the names of the objects: neighbours in a class
//! are swapped as long as that makes the state smaller, so that the objects of a class end up sorted
//! by what holds of them. Where facts connect objects of two classes, two equal states may end up
//! different; that costs time, but is no error.

use ployglot_base::{Budget, Limit, Poll};
use rustc_hash::FxHashMap;

use super::{Condition, LiteralEffect, LiteralOperator, Literals, sorted};
use crate::circuit::FactId;
use crate::lifted::{ObjectId, PredicateId};
use crate::task::{OperatorId, State, Task};

/// Swaps of neighbours in the classes of interchangeable objects.
pub struct Symmetries {
    swaps: Vec<Swap>,
}

/// One swap of two objects.
struct Swap {
    /// Facts that are mapped to each other, the smaller one first; sorted.
    facts: Vec<(FactId, FactId)>,
    /// For each operator that is mapped to another one, that other one.
    operators: FxHashMap<u32, u32>,
}

/// All pairs of objects that are compared have at most this many facts and operators.
const MAX_WORK: usize = 20_000_000;

impl Symmetries {
    /// `None` where there are none, or where the task has numbers or conditions that are no
    /// conjunctions of literals. The start need not be symmetric: a representative may be a state
    /// that the start does not lead to.
    pub fn within(task: &Task, budget: &Budget) -> Result<Option<Self>, Limit> {
        Self::new(task, false, &Poll::new(budget, "symmetries"))
    }

    /// A state that is equal but for the names of interchangeable objects.
    pub fn representative(&self, state: &State) -> State {
        let mut representative = state.clone();
        self.normalize(&mut representative, |_| ());
        representative
    }

    /// With `keeps_start`, every representative of a reachable state is reachable.
    pub(crate) fn new(task: &Task, keeps_start: bool, poll: &Poll) -> Result<Option<Self>, Limit> {
        let Some(literals) = Literals::of(task, poll)? else {
            return Ok(None);
        };
        let mut finder = Finder::new(task, &literals, poll)?;
        let groups = Groups::new(task);
        let mut swaps = Vec::new();
        for candidates in finder.candidates() {
            let mut classes: Vec<ObjectId> = Vec::new();
            for object in candidates {
                // Compared with the last member of each class: so neighbours are swapped.
                let mut found = None;
                for (at, &last) in classes.iter().enumerate() {
                    if finder.work > MAX_WORK {
                        break;
                    }
                    if let Some(swap) = finder.swap(last, object)?
                        && groups.are_kept(&swap, poll)?
                        && (!keeps_start || swap.keeps_start(task))
                    {
                        found = Some((at, swap));
                        break;
                    }
                }
                match found {
                    Some((at, swap)) => {
                        classes[at] = object;
                        // Objects of which nothing depends need no swap.
                        if !swap.facts.is_empty() {
                            swaps.push(swap);
                        }
                    }
                    None => classes.push(object),
                }
            }
        }
        Ok((!swaps.is_empty()).then_some(Self { swaps }))
    }

    /// Replaces a state by its representative; tells which swaps were made, in order.
    pub(crate) fn normalize(&self, state: &mut State, mut made: impl FnMut(u32)) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (number, swap) in self.swaps.iter().enumerate() {
                if swap.improves(state) {
                    swap.apply(state);
                    made(number as u32);
                    changed = true;
                }
            }
        }
    }

    /// The operator after these swaps, the last one first.
    pub(crate) fn original(&self, operator: OperatorId, swaps: &[u32]) -> OperatorId {
        let image = swaps.iter().rev().fold(operator.0, |operator, &swap| {
            let images = &self.swaps[swap as usize].operators;
            images.get(&operator).copied().unwrap_or(operator)
        });
        OperatorId(image)
    }
}

impl Swap {
    /// Whether the start of the task is mapped to itself.
    fn keeps_start(&self, task: &Task) -> bool {
        let mut pairs = self.facts.iter();
        pairs.all(|&(one, other)| task.starts_with(one) == task.starts_with(other))
    }

    /// Whether the state becomes smaller: the first fact that changes becomes true.
    fn improves(&self, state: &State) -> bool {
        let values = self.facts.iter();
        let mut values = values.map(|&(one, other)| (state.holds(one), state.holds(other)));
        values
            .find(|(one, other)| one != other)
            .is_some_and(|(one, _)| !one)
    }

    fn apply(&self, state: &mut State) {
        for &(one, other) in &self.facts {
            let held = state.holds(one);
            state.set(one, state.holds(other));
            state.set(other, held);
        }
    }
}

/// The mutex groups, each with the number of its facts that hold at the start.
struct Groups(FxHashMap<Condition, usize>);

impl Groups {
    fn new(task: &Task) -> Self {
        let counted = task.groups.iter().map(|group| {
            let holding = group.iter().filter(|&&fact| task.start.holds(fact)).count();
            (sorted(group.iter().map(|fact| fact.0).collect()), holding)
        });
        Self(counted.collect())
    }

    /// Whether the swap maps each group to a group of which as many facts hold at the start.
    fn are_kept(&self, swap: &Swap, poll: &Poll) -> Result<bool, Limit> {
        let pairs = swap.facts.iter();
        let images: FxHashMap<u32, u32> = pairs
            .flat_map(|&(one, other)| [(one.0, other.0), (other.0, one.0)])
            .collect();
        for (group, holding) in &self.0 {
            poll.try_step()?;
            let image = |fact: &u32| *images.get(fact).unwrap_or(fact);
            let mapped = sorted(group.iter().map(image).collect());
            if mapped != *group && self.0.get(&mapped) != Some(holding) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

struct Finder<'a> {
    task: &'a Task,
    literals: &'a Literals,
    poll: &'a Poll,
    facts: FxHashMap<(PredicateId, &'a [ObjectId]), u32>,
    /// The operators of each step; several where the grounder split a condition.
    operators: FxHashMap<(usize, &'a [ObjectId]), Vec<u32>>,
    /// For each fact, the operators that have it in a condition or an effect.
    users: Vec<Vec<u32>>,
    /// For each object, the facts and the operators that it is an argument of.
    facts_of: FxHashMap<ObjectId, Vec<u32>>,
    operators_of: FxHashMap<ObjectId, Vec<u32>>,
    /// Facts and operators that were mapped so far.
    work: usize,
}

impl<'a> Finder<'a> {
    fn new(task: &'a Task, literals: &'a Literals, poll: &'a Poll) -> Result<Self, Limit> {
        let mut finder = Self {
            task,
            literals,
            poll,
            facts: FxHashMap::default(),
            operators: FxHashMap::default(),
            users: vec![Vec::new(); task.facts.len()],
            facts_of: FxHashMap::default(),
            operators_of: FxHashMap::default(),
            work: 0,
        };
        for (id, fact) in (0..).zip(&task.facts) {
            finder.facts.insert((fact.predicate, &fact.arguments), id);
            index(&mut finder.facts_of, &fact.arguments, id);
        }
        for (id, operator) in (0..).zip(&task.operators) {
            poll.try_step()?;
            let Some(literal) = &literals.operators[id as usize] else {
                continue;
            };
            let step = &operator.step;
            let key = (step.action, &step.arguments[..]);
            finder.operators.entry(key).or_default().push(id);
            index(&mut finder.operators_of, &step.arguments, id);
            let parts = literal.effects.iter();
            let parts = parts.flat_map(|effect| effect.condition.iter().chain(&effect.made));
            for literal in literal.precondition.iter().chain(parts) {
                let users = &mut finder.users[*literal as usize / 2];
                if users.last() != Some(&id) {
                    users.push(id);
                }
            }
        }
        Ok(finder)
    }

    /// Sets of objects that have the same number of facts and operators in the same places, in the
    /// order of the objects.
    fn candidates(&self) -> Vec<Vec<ObjectId>> {
        type Profile = Vec<(bool, usize, usize, usize)>;
        let mut profiles: FxHashMap<ObjectId, Profile> = FxHashMap::default();
        for (object, facts) in &self.facts_of {
            let mut places: FxHashMap<(bool, usize, usize), usize> = FxHashMap::default();
            for &fact in facts {
                let fact = &self.task.facts[fact as usize];
                let own = fact.arguments.iter().enumerate();
                for (place, _) in own.filter(|(_, argument)| *argument == object) {
                    let key = (true, fact.predicate.0 as usize, place);
                    *places.entry(key).or_default() += 1;
                }
            }
            for &operator in self.operators_of.get(object).into_iter().flatten() {
                let step = &self.task.operators[operator as usize].step;
                let own = step.arguments.iter().enumerate();
                for (place, _) in own.filter(|(_, argument)| *argument == object) {
                    *places.entry((false, step.action, place)).or_default() += 1;
                }
            }
            let mut profile: Profile = places
                .into_iter()
                .map(|((fact, which, place), count)| (fact, which, place, count))
                .collect();
            profile.sort_unstable();
            profiles.insert(*object, profile);
        }
        let mut sorted: Vec<(Profile, ObjectId)> = profiles
            .into_iter()
            .map(|(object, profile)| (profile, object))
            .collect();
        sorted.sort_unstable();
        let same = sorted.chunk_by(|(one, _), (other, _)| one == other);
        same.map(|objects| objects.iter().map(|&(_, object)| object).collect())
            .collect()
    }

    /// The swap of two objects, if it is a symmetry.
    fn swap(&mut self, one: ObjectId, other: ObjectId) -> Result<Option<Swap>, Limit> {
        let renamed = |arguments: &[ObjectId]| -> Vec<ObjectId> {
            let rename = |&object: &ObjectId| match object {
                object if object == one => other,
                object if object == other => one,
                object => object,
            };
            arguments.iter().map(rename).collect()
        };
        let of = |map: &FxHashMap<ObjectId, Vec<u32>>| -> Vec<u32> {
            let lists = [one, other]
                .into_iter()
                .filter_map(|object| map.get(&object));
            let mut all: Vec<u32> = lists.flatten().copied().collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let mut images: FxHashMap<u32, u32> = FxHashMap::default();
        let mut concerned = of(&self.operators_of);
        for fact in of(&self.facts_of) {
            self.poll.try_step()?;
            self.work += 1;
            let named = &self.task.facts[fact as usize];
            let image = renamed(&named.arguments);
            let Some(&image) = self.facts.get(&(named.predicate, &image[..])) else {
                return Ok(None);
            };
            if image != fact {
                images.insert(fact, image);
                concerned.extend_from_slice(&self.users[fact as usize]);
            }
        }
        if map_condition(&self.literals.goal, &images) != self.literals.goal {
            return Ok(None);
        }
        concerned.sort_unstable();
        concerned.dedup();
        let mut operators = FxHashMap::default();
        for operator in concerned {
            self.poll.try_step()?;
            self.work += 1;
            let Some(literal) = &self.literals.operators[operator as usize] else {
                continue;
            };
            let step = &self.task.operators[operator as usize].step;
            let arguments = renamed(&step.arguments);
            let Some(same_step) = self.operators.get(&(step.action, &arguments[..])) else {
                return Ok(None);
            };
            let wanted = map_operator(literal, &images);
            let is_image =
                |&&id: &&u32| self.literals.operators[id as usize].as_ref() == Some(&wanted);
            match same_step.iter().find(is_image) {
                Some(&image) if image != operator => {
                    operators.insert(operator, image);
                }
                Some(_) => {}
                None => return Ok(None),
            }
        }
        let pairs = images.iter().filter(|(fact, image)| fact < image);
        let mut facts: Vec<_> = pairs
            .map(|(&fact, &image)| (FactId(fact), FactId(image)))
            .collect();
        facts.sort_unstable();
        Ok(Some(Swap { facts, operators }))
    }
}

/// Adds an id to the list of each argument.
fn index(lists: &mut FxHashMap<ObjectId, Vec<u32>>, arguments: &[ObjectId], id: u32) {
    for &argument in arguments {
        let list = lists.entry(argument).or_default();
        if list.last() != Some(&id) {
            list.push(id);
        }
    }
}

fn map_condition(condition: &Condition, images: &FxHashMap<u32, u32>) -> Condition {
    let image = |&literal: &u32| match images.get(&(literal / 2)) {
        Some(fact) => fact * 2 + literal % 2,
        None => literal,
    };
    sorted(condition.iter().map(image).collect())
}

fn map_operator(operator: &LiteralOperator, images: &FxHashMap<u32, u32>) -> LiteralOperator {
    let effects = operator.effects.iter().map(|effect| LiteralEffect {
        condition: map_condition(&effect.condition, images),
        made: map_condition(&effect.made, images),
    });
    let mut effects: Vec<_> = effects.collect();
    effects.sort();
    LiteralOperator {
        precondition: map_condition(&operator.precondition, images),
        effects,
        cost: operator.cost,
    }
}
