//! Mutex groups: sets of facts of which at most one holds, in every reachable state.
//!
//! Candidates are families: all facts of a predicate that agree in every argument but one (where a
//! block is, what colour a cell has) or but two, or all its facts (which pipe the water has reached,
//! and from which side); and the groups of schemas (`schemas`), which have facts of several predicates (a ball is in one
//! room or in one hand). A fact that is in no group then is tried with the facts that operators delete when they add it
//! (a store is empty or full), and where this fails, with more of them. This is Helmert's invariant synthesis
//! (2009), but checked on the grounded operators, so that quantified and conditional effects need no special rules.
//! The check is by induction, for all candidates at once: they hold at the start, and if all of them hold before an
//! operator, each holds after it. A candidate for which that cannot be shown is dropped, and the others are checked
//! again, until none is dropped.
//!
//! Before there were schemas, each family that failed was united with others, object by object. That took longer, and
//! ended before all groups of genome edit distance or storage were found.

use ployglot_base::{Limit, Poll};
use rustc_hash::{FxHashMap, FxHashSet};

mod schemas;

use crate::circuit::*;
use crate::interner::Interner;
use crate::lifted::{Fact, ObjectId, PredicateId};
use crate::task::{GroundEffect, MAX_CHAIN, Operator, Task};

/// At most this many candidates for each fact, plus a thousand, are tried.
const CANDIDATES_PER_FACT: usize = 8;
/// A task with more effects than this gets no groups: checking them would take too long.
const MAX_EFFECTS: usize = 4_000_000;
/// Limit of the work for facts that are in no group, in units of about a nanosecond.
const REFINE_WORK: u64 = 100_000_000;
/// Limit of all work. Without families and schemas by then, only families that differ in one argument are tried, once
/// more within this limit; TPP's tasks would have no groups otherwise. Fewer groups are no error: states take more
/// space, and estimates know less.
const MAX_WORK: u64 = 1_500_000_000;

/// Groups of two or more facts, sorted, none a subset of another.
pub(crate) fn mutex_groups(task: &Task, poll: &Poll) -> Result<Vec<Vec<FactId>>, Limit> {
    let effects: usize = task
        .operators
        .iter()
        .map(|operator| operator.effects.len())
        .sum();
    if effects > MAX_EFFECTS {
        return Ok(Vec::new());
    }
    // Where all candidates take too long, the narrow families alone are tried.
    let groups = match prove_groups(task, true, poll)? {
        None => prove_groups(task, false, poll)?,
        groups => groups,
    };
    Ok(groups.unwrap_or_default())
}

/// The groups among all candidates, or among the narrow families; `None` where that takes too long.
fn prove_groups(task: &Task, all: bool, poll: &Poll) -> Result<Option<Vec<Vec<FactId>>>, Limit> {
    let mut prover = Prover::new(task, all, poll)?;
    prover.propose_families()?;
    if all {
        prover.propose_schemas()?;
    }
    // The groups before facts that are in none are tried, and the candidates that failed until then.
    let mut proven = None;
    let mut failed = Vec::new();
    loop {
        let failures = prover.failures()?;
        // Beyond this limit `failures` may not have checked all operators.
        if prover.work > MAX_WORK {
            return proven.map(|groups| largest(task, groups, poll)).transpose();
        }
        if !failures.is_empty() {
            let dropped = prover.drop_groups(failures)?;
            match proven {
                None => failed.extend(dropped),
                Some(_) => prover.unite(dropped)?,
            }
            continue;
        }
        let before = prover.groups.len();
        if all {
            let alone: Vec<bool> = prover.of_fact.iter().map(Vec::is_empty).collect();
            if proven.is_none() {
                proven = Some(prover.groups.clone());
                prover.refine_until = prover.work + REFINE_WORK;
                failed.retain(|failed: &Dropped| {
                    failed.facts.iter().any(|fact| alone[fact.0 as usize])
                });
                prover.unite(std::mem::take(&mut failed))?;
            }
            prover.propose_pairs(&alone)?;
        }
        if prover.groups.len() == before {
            return largest(task, prover.groups, poll).map(Some);
        }
    }
}

/// The literals that a condition implies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Implied {
    /// Facts that hold wherever the condition does; sorted.
    pub positive: Vec<FactId>,
    /// Facts that do not hold wherever the condition does; sorted.
    pub negative: Vec<FactId>,
    /// Sets of facts of which at least one holds wherever the condition does.
    pub one_of: Vec<Vec<FactId>>,
    /// Whether the condition is equivalent to the conjunction of the literals.
    pub exact: bool,
    /// Whether the condition never holds.
    pub never: bool,
}

/// Derived facts that were replaced by their bodies.
#[derive(Default)]
struct Replaced {
    /// With their signs.
    seen: FxHashSet<(DerivedId, bool)>,
    /// How many are being replaced.
    depth: usize,
}

impl Implied {
    /// The literals that the node implies.
    pub fn of(task: &Task, node: NodeId) -> Self {
        Self::signed(task, node, true)
    }

    /// The literals that the node, or its negation, implies.
    pub fn signed(task: &Task, node: NodeId, positive: bool) -> Self {
        let mut implied = Implied {
            exact: true,
            ..Implied::default()
        };
        implied.add(task, node, positive, &mut Replaced::default());
        for list in [&mut implied.positive, &mut implied.negative] {
            list.sort();
            list.dedup();
        }
        implied
    }

    fn add(&mut self, task: &Task, node: NodeId, positive: bool, replaced: &mut Replaced) {
        match task.circuit.node(node) {
            Node::True if positive => {}
            Node::False if !positive => {}
            Node::True | Node::False => self.never = true,
            Node::Fact(fact) if positive => self.positive.push(*fact),
            Node::Fact(fact) => self.negative.push(*fact),
            Node::Not(inner) => self.add(task, *inner, !positive, replaced),
            Node::And(parts) if positive => {
                for &part in parts {
                    self.add(task, part, true, replaced);
                }
            }
            Node::Or(parts) if !positive => {
                for &part in parts {
                    self.add(task, part, false, replaced);
                }
            }
            Node::Derived(id) if task.axioms.cycle_of[id.0 as usize].is_none() => {
                // Long chains are cut.
                if replaced.depth >= MAX_CHAIN {
                    self.exact = false;
                } else if replaced.seen.insert((*id, positive)) {
                    replaced.depth += 1;
                    let body = task.axioms.bodies[id.0 as usize];
                    self.add(task, body, positive, replaced);
                    replaced.depth -= 1;
                }
            }
            Node::Or(parts) => {
                let facts: Option<Vec<FactId>> = parts
                    .iter()
                    .map(|&part| match task.circuit.node(part) {
                        Node::Fact(fact) => Some(*fact),
                        _ => None,
                    })
                    .collect();
                self.one_of.extend(facts);
                self.exact = false;
            }
            _ => self.exact = false,
        }
    }
}

/// A candidate that an operator may break.
struct Failure {
    group: u32,
    /// Facts that the operator deletes: with one of them in the group, it may be balanced.
    balance: Vec<FactId>,
}

/// A candidate that was dropped.
struct Dropped {
    facts: Vec<FactId>,
    /// With one of these it may be balanced.
    balance: Vec<FactId>,
}

/// The candidates, and the state of the proof.
struct Prover<'a> {
    task: &'a Task,
    poll: &'a Poll,
    /// The literals that preconditions and effect conditions imply.
    implied: FxHashMap<NodeId, Implied>,
    /// The candidates; empty where dropped.
    groups: Vec<Vec<FactId>>,
    /// For each fact, the candidates that it is in.
    of_fact: Vec<Vec<u32>>,
    /// Candidates with smaller numbers have been checked.
    checked: usize,
    /// The facts of the candidates that were dropped since then.
    touched: Vec<bool>,
    /// All candidates so far.
    tried: FxHashSet<Vec<FactId>>,
    /// The greatest number of candidates.
    most: usize,
    families: FxHashMap<Family, Vec<FactId>>,
    /// Whether there are candidates beside the narrow families.
    all: bool,
    work: u64,
    /// With more work than this, no candidates that failed are united with other facts.
    refine_until: u64,
}

/// The key of a family: the predicate, the position of the argument in which its facts differ, and
/// the other arguments.
type Family = (PredicateId, usize, Vec<ObjectId>);

fn family(fact: &Fact, position: usize) -> Family {
    let mut rest = fact.arguments.clone();
    rest.remove(position);
    (fact.predicate, position, rest)
}

impl<'a> Prover<'a> {
    fn new(task: &'a Task, all: bool, poll: &'a Poll) -> Result<Self, Limit> {
        let mut implied: FxHashMap<NodeId, Implied> = FxHashMap::default();
        for operator in &task.operators {
            let conditions = operator.effects.iter().map(|effect| effect.condition);
            for node in conditions.chain([operator.precondition]) {
                poll.try_step()?;
                implied
                    .entry(node)
                    .or_insert_with(|| Implied::of(task, node));
            }
        }
        Ok(Self {
            task,
            poll,
            implied,
            groups: Vec::new(),
            of_fact: vec![Vec::new(); task.facts.len()],
            checked: 0,
            touched: vec![false; task.facts.len()],
            tried: FxHashSet::default(),
            most: task.facts.len() * CANDIDATES_PER_FACT + 1000,
            families: FxHashMap::default(),
            all,
            work: 0,
            refine_until: 0,
        })
    }

    /// Makes every family a candidate.
    fn propose_families(&mut self) -> Result<(), Limit> {
        let mut order = Vec::new();
        let mut wide: Interner<(PredicateId, Vec<Option<ObjectId>>)> = Interner::default();
        let mut wide_members: Vec<Vec<FactId>> = Vec::new();
        for (at, fact) in self.task.facts.iter().enumerate() {
            self.poll.try_step()?;
            let id = FactId(at as u32);
            let arity = fact.arguments.len();
            for position in 0..arity {
                let key = family(fact, position);
                let members = self.families.entry(key.clone()).or_default();
                if members.is_empty() {
                    order.push(key);
                }
                members.push(id);
            }
            let pairs = (0..arity).flat_map(|one| (one + 1..arity).map(move |two| vec![one, two]));
            let all = (arity > 2).then(|| (0..arity).collect());
            for free in pairs.chain(all).filter(|_| self.all) {
                let mut key: Vec<Option<ObjectId>> =
                    fact.arguments.iter().copied().map(Some).collect();
                free.iter().for_each(|&position| key[position] = None);
                let (number, new) = wide.insert((fact.predicate, key));
                if new {
                    wide_members.push(Vec::new());
                }
                wide_members[number as usize].push(id);
            }
        }
        for key in order {
            self.poll.try_step()?;
            self.propose(self.families[&key].clone());
        }
        for members in wide_members {
            self.poll.try_step()?;
            self.propose(members);
        }
        Ok(())
    }

    /// Makes candidates of the facts that are in no group yet, each with a fact, or a family of facts,
    /// that an operator deletes when it adds this one.
    fn propose_pairs(&mut self, alone: &[bool]) -> Result<(), Limit> {
        let task = self.task;
        for operator in &task.operators {
            if self.work > self.refine_until {
                break;
            }
            for effect in &operator.effects {
                self.poll.try_step()?;
                let lone: Vec<FactId> = effect
                    .adds
                    .iter()
                    .copied()
                    .filter(|fact| alone[fact.0 as usize])
                    .collect();
                if lone.is_empty() {
                    continue;
                }
                let conditions = [operator.precondition, effect.condition];
                let needed = conditions
                    .iter()
                    .flat_map(|node| &self.implied[node].positive);
                let deleted = |fact: &&FactId| {
                    operator
                        .effects
                        .iter()
                        .any(|effect| effect.deletes.contains(fact))
                };
                let needed: Vec<FactId> = needed.filter(deleted).copied().take(4).collect();
                self.work += 50 * (lone.len() * (1 + needed.len())) as u64;
                for (&fact, &other) in lone
                    .iter()
                    .flat_map(|fact| needed.iter().map(move |other| (fact, other)))
                {
                    self.propose(vec![fact, other]);
                    let arguments = task.facts[other.0 as usize].arguments.len();
                    for position in 0..arguments {
                        let family =
                            &self.families[&family(&task.facts[other.0 as usize], position)];
                        let candidate = family.iter().copied().chain([fact]).collect();
                        self.work += 20 * family.len() as u64;
                        self.propose(candidate);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a candidate, unless it is known or does not hold at the start.
    fn propose(&mut self, mut facts: Vec<FactId>) {
        facts.sort();
        facts.dedup();
        let at_start = facts
            .iter()
            .filter(|&&fact| self.task.starts_with(fact))
            .count();
        if facts.len() < 2
            || at_start > 1
            || self.tried.len() >= self.most
            || !self.tried.insert(facts.clone())
        {
            return;
        }
        let id = self.groups.len() as u32;
        for fact in &facts {
            self.of_fact[fact.0 as usize].push(id);
        }
        self.groups.push(facts);
    }

    /// Drops the candidates that failed.
    fn drop_groups(&mut self, failures: Vec<Failure>) -> Result<Vec<Dropped>, Limit> {
        let mut dropped = Vec::new();
        for Failure { group, balance } in failures {
            let facts = std::mem::take(&mut self.groups[group as usize]);
            facts
                .iter()
                .for_each(|fact| self.touched[fact.0 as usize] = true);
            dropped.push(Dropped { facts, balance });
        }
        let groups = &self.groups;
        let touched = self.of_fact.iter_mut().zip(&self.touched);
        for (numbers, _) in touched.filter(|(_, touched)| **touched) {
            self.poll.try_step()?;
            self.work += 2 * numbers.len() as u64;
            numbers.retain(|&group| !groups[group as usize].is_empty());
        }
        Ok(dropped)
    }

    /// Makes candidates of the unions of each of these with facts that may balance it, as long as there is work for it.
    fn unite(&mut self, dropped: Vec<Dropped>) -> Result<(), Limit> {
        for Dropped { facts, balance } in dropped {
            if self.work > self.refine_until {
                break;
            }
            for &fact in &balance {
                self.propose_union(&facts, &[fact])?;
                let fact = &self.task.facts[fact.0 as usize];
                for position in 0..fact.arguments.len() {
                    let family = self.families[&family(fact, position)].clone();
                    self.propose_union(&facts, &family)?;
                }
            }
        }
        Ok(())
    }

    fn propose_union(&mut self, facts: &[FactId], more: &[FactId]) -> Result<(), Limit> {
        self.poll.try_step()?;
        // The cost of sorting and looking up the candidate.
        self.work += 20 * (facts.len() + more.len()) as u64;
        self.propose(facts.iter().chain(more).copied().collect());
        Ok(())
    }

    /// The candidates that some operator may break, assuming that all hold before it. An operator
    /// was checked before for the candidates that are not new. That still counts if no candidate was
    /// dropped that has a fact of the operator's conditions, because the check used no others.
    fn failures(&mut self) -> Result<Vec<Failure>, Limit> {
        let first_new = std::mem::replace(&mut self.checked, self.groups.len()) as u32;
        let touched = std::mem::replace(&mut self.touched, vec![false; self.task.facts.len()]);
        let mut failed = vec![false; self.groups.len()];
        let mut failures = Vec::new();
        let mut known = KnownLiterals::new(self.task.facts.len(), self.groups.len());
        // The candidates that gain a fact, with the effects that add it; the effects that delete a fact.
        let mut adders: Vec<(u32, usize, FactId)> = Vec::new();
        let mut deleters: Vec<(FactId, usize)> = Vec::new();
        for operator in &self.task.operators {
            let effects = || operator.effects.iter().enumerate();
            let again = effects().any(|(_, effect)| self.reads(effect.condition, &touched))
                || self.reads(operator.precondition, &touched);
            let first = if again { 0 } else { first_new };
            adders.clear();
            for (at, effect) in effects() {
                self.poll.try_step()?;
                for &fact in &effect.adds {
                    // The numbers of the candidates are in order.
                    let groups = &self.of_fact[fact.0 as usize];
                    let groups = &groups[groups.partition_point(|&group| group < first)..];
                    self.work += 2 + 5 * groups.len() as u64;
                    let open = groups.iter().filter(|&&group| !failed[group as usize]);
                    adders.extend(open.map(|&group| (group, at, fact)));
                }
            }
            if adders.is_empty() {
                continue;
            }
            adders.sort_unstable();
            let deletes = |(at, effect): (usize, &'a GroundEffect)| {
                effect.deletes.iter().map(move |&fact| (fact, at))
            };
            deleters.clear();
            deleters.extend(effects().flat_map(deletes));
            deleters.sort_unstable();
            known.assumed = None;
            for adders in adders.chunk_by(|one, other| one.0 == other.0) {
                let group = adders[0].0;
                if let Some(fact) = self.broken_by(operator, adders, &deleters, &mut known)? {
                    failed[group as usize] = true;
                    let balance = self.balance(operator, group, fact, &deleters);
                    failures.push(Failure { group, balance });
                }
            }
            if self.work + known.work > MAX_WORK {
                break;
            }
        }
        self.work += known.work;
        Ok(failures)
    }

    /// Whether the literals that the condition implies have one of these facts.
    fn reads(&self, condition: NodeId, facts: &[bool]) -> bool {
        let implied = &self.implied[&condition];
        let plain = implied.positive.iter().chain(&implied.negative);
        plain
            .chain(implied.one_of.iter().flatten())
            .any(|fact| facts[fact.0 as usize])
    }

    /// A fact of the group that the operator adds and that may then hold together with another;
    /// `None`: at most one fact of the group holds after the operator.
    fn broken_by(
        &self,
        operator: &Operator,
        adders: &[(u32, usize, FactId)],
        deleters: &[(FactId, usize)],
        known: &mut KnownLiterals,
    ) -> Result<Option<FactId>, Limit> {
        let condition = |effect: usize| &self.implied[&operator.effects[effect].condition];
        let mut work = 0;
        for (index, &(group, effect, fact)) in adders.iter().enumerate() {
            known.work += std::mem::take(&mut work);
            // Most operators have one effect, and so the same literals for all candidates.
            if known.assumed != Some(effect) {
                known.clear();
                known.add(self, &self.implied[&operator.precondition]);
                known.add(self, condition(effect));
                known.assumed = Some(effect);
            }
            if known.contradictory {
                continue;
            }
            // No effect may add another fact of the group at the same time.
            for &(_, other, added) in &adders[index + 1..] {
                self.poll.try_step()?;
                if added != fact && (other == effect || !known.contradicts(self, condition(other)))
                {
                    return Ok(Some(fact));
                }
            }
            // Every other fact of the group that may hold before must be deleted.
            let held = known.held_fact(group);
            let candidates = held
                .as_ref()
                .map_or(&self.groups[group as usize][..], std::slice::from_ref);
            let is_deleted = |old: FactId| {
                let fires = |&(_, at): &(FactId, usize)| known.entails(self, condition(at), old);
                deleting(deleters, old).iter().any(fires)
            };
            for &old in candidates {
                self.poll.try_step()?;
                work += 10 + self.of_fact[old.0 as usize].len() as u64;
                if old != fact && known.allows(self, old) && !is_deleted(old) {
                    return Ok(Some(fact));
                }
            }
        }
        known.work += work;
        Ok(None)
    }

    /// Facts outside the group that the operator needs and deletes: with one of them, the group may
    /// be balanced. At most four.
    fn balance(
        &self,
        operator: &Operator,
        group: u32,
        fact: FactId,
        deleters: &[(FactId, usize)],
    ) -> Vec<FactId> {
        let members = &self.groups[group as usize];
        let mut found = Vec::new();
        let adding = operator
            .effects
            .iter()
            .filter(|effect| effect.adds.contains(&fact));
        let conditions = adding
            .map(|effect| effect.condition)
            .chain([operator.precondition]);
        for condition in conditions {
            let needed = self.implied[&condition].positive.iter();
            found.extend(needed.filter(|&fact| {
                !deleting(deleters, *fact).is_empty() && members.binary_search(fact).is_err()
            }));
        }
        found.sort();
        found.dedup();
        found.truncate(4);
        found
    }
}

/// The groups that are not dropped, without those that are subsets of others.
fn largest(
    task: &Task,
    mut groups: Vec<Vec<FactId>>,
    poll: &Poll,
) -> Result<Vec<Vec<FactId>>, Limit> {
    groups.retain(|group| !group.is_empty());
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group.clone()));
    let mut kept: Vec<Vec<FactId>> = Vec::new();
    let mut of_fact: Vec<Vec<usize>> = vec![Vec::new(); task.facts.len()];
    for group in groups {
        poll.try_step()?;
        let containing = of_fact[group[0].0 as usize].iter();
        let mut containing = containing.filter(|&&other| {
            group
                .iter()
                .all(|fact| kept[other].binary_search(fact).is_ok())
        });
        if containing.next().is_none() {
            group
                .iter()
                .for_each(|fact| of_fact[fact.0 as usize].push(kept.len()));
            kept.push(group);
        }
    }
    kept.sort();
    Ok(kept)
}

/// The effects that delete the fact; `deleters` is sorted.
fn deleting(deleters: &[(FactId, usize)], fact: FactId) -> &[(FactId, usize)] {
    let first = deleters.partition_point(|&(other, _)| other < fact);
    let count = deleters[first..].partition_point(|&(other, _)| other == fact);
    &deleters[first..first + count]
}

/// The literals that are known before an operator, assuming that all candidates hold.
struct KnownLiterals {
    /// The effect of the operator whose condition is assumed, beside the precondition.
    assumed: Option<usize>,
    /// Entries with another stamp are out of date.
    stamp: u32,
    positive: Vec<u32>,
    negative: Vec<u32>,
    /// For each group a stamp and the fact of the group that holds.
    held: Vec<(u32, FactId)>,
    one_of: Vec<Vec<FactId>>,
    contradictory: bool,
    work: u64,
}

impl KnownLiterals {
    fn new(facts: usize, groups: usize) -> Self {
        Self {
            assumed: None,
            stamp: 0,
            positive: vec![0; facts],
            negative: vec![0; facts],
            held: vec![(0, FactId(0)); groups],
            one_of: Vec::new(),
            contradictory: false,
            work: 0,
        }
    }

    fn clear(&mut self) {
        self.stamp += 1;
        self.one_of.clear();
        self.contradictory = false;
    }

    /// Adds the literals of a condition.
    fn add(&mut self, prover: &Prover, implied: &Implied) {
        self.contradictory |= implied.never;
        for &fact in &implied.positive {
            // Checked one by one, because the condition may contradict itself.
            self.contradictory |= self.refutes(prover, fact);
            self.positive[fact.0 as usize] = self.stamp;
            let groups = &prover.of_fact[fact.0 as usize];
            self.work += 4 * groups.len() as u64 + 20;
            for &group in groups {
                self.held[group as usize] = (self.stamp, fact);
            }
        }
        for fact in &implied.negative {
            self.contradictory |= self.positive[fact.0 as usize] == self.stamp;
            self.negative[fact.0 as usize] = self.stamp;
        }
        self.one_of.extend(implied.one_of.iter().cloned());
    }

    /// The fact of the group that is known to hold.
    fn held_fact(&self, group: u32) -> Option<FactId> {
        let (stamp, fact) = self.held[group as usize];
        (stamp == self.stamp).then_some(fact)
    }

    /// Whether the fact is known to be false.
    fn refutes(&self, prover: &Prover, fact: FactId) -> bool {
        let mut groups = prover.of_fact[fact.0 as usize].iter();
        self.negative[fact.0 as usize] == self.stamp
            || groups.any(|&group| self.held_fact(group).is_some_and(|held| held != fact))
    }

    /// Whether the condition is known not to hold.
    fn contradicts(&self, prover: &Prover, implied: &Implied) -> bool {
        implied.never
            || implied
                .positive
                .iter()
                .any(|&fact| self.refutes(prover, fact))
            || implied
                .negative
                .iter()
                .any(|fact| self.positive[fact.0 as usize] == self.stamp)
    }

    /// Whether the fact is not known to be false.
    fn allows(&self, prover: &Prover, fact: FactId) -> bool {
        let excludes = |other: FactId| {
            let mut groups = prover.of_fact[other.0 as usize].iter();
            other != fact
                && (self.refutes(prover, other)
                    || groups.any(|group| prover.of_fact[fact.0 as usize].contains(group)))
        };
        !self.refutes(prover, fact)
            && !self
                .one_of
                .iter()
                .any(|set| set.iter().all(|&other| excludes(other)))
    }

    /// Whether the condition is known to hold, assuming that this fact does.
    fn entails(&self, prover: &Prover, implied: &Implied, fact: FactId) -> bool {
        let excluded = |other: FactId| {
            let mut groups = prover.of_fact[other.0 as usize].iter();
            other != fact && groups.any(|group| prover.of_fact[fact.0 as usize].contains(group))
        };
        let holds =
            |&other: &FactId| other == fact || self.positive[other.0 as usize] == self.stamp;
        implied.exact
            && !implied.never
            && implied.positive.iter().all(holds)
            && implied
                .negative
                .iter()
                .all(|&other| self.refutes(prover, other) || excluded(other))
    }
}
