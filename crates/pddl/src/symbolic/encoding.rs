//! States as bits, and formulas as sets of states.
//!
//! A mutex group is a number in binary, as in `packing`. The order of the variables decides how large
//! the diagrams are: variables that occur together in operators are near to each other. It is found as in
//! Gamer (Kissmann and Edelkamp 2011): of many random exchanges of two variables those are kept that lessen the
//! sum of the squared distances.

use ployglot_base::Poll;
use ployglot_base::random::Random;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Unsupported;
use super::bdd::{ALL, Bdd, Diagrams, NONE};
use crate::circuit::{DerivedId, FactId, Node, NodeId, TRUE};
use crate::packing::Packing;
use crate::task::{Operator, State, Task};

/// A variable: some bits of a state.
pub(super) struct Variable {
    pub facts: Vec<FactId>,
    /// Whether one of the facts always holds; otherwise the value 0 means that none does.
    total: bool,
    pub first_bit: u32,
    bits: u32,
}

impl Variable {
    /// Whether one of the facts always holds.
    pub fn is_total(&self) -> bool {
        self.total
    }

    /// The number of values.
    pub fn values(&self) -> u32 {
        self.facts.len() as u32 + u32::from(!self.total)
    }

    /// The bits of the variable, as numbers of bits of a state.
    pub fn bits(&self) -> std::ops::Range<u32> {
        self.first_bit..self.first_bit + self.bits
    }
}

/// How states are encoded.
pub(super) struct Encoding {
    pub variables: Vec<Variable>,
    /// For each fact, its variable and value.
    pub of_fact: Vec<(u32, u32)>,
    /// The number of bits of a state.
    pub bits: usize,
}

/// Orders of the variables that are tried, and random exchanges for each.
const TRIES: u64 = 10;
const EXCHANGES: usize = 50_000;
/// Of operators with more variables, only the first ones count for the order.
const MOST_TOGETHER: usize = 40;

impl Encoding {
    pub fn new(task: &Task, poll: &Poll) -> Self {
        let packing = Packing::new(task, poll).unwrap_or_else(|limit| poll.leave(limit));
        let mut variables: Vec<Variable> = packing
            .groups()
            .map(|facts| Variable {
                facts: facts.to_vec(),
                total: facts.iter().any(|&fact| task.starts_with(fact)),
                first_bit: 0,
                bits: 0,
            })
            .collect();
        let variable_of = variables_of(task, &variables);
        for operator in &task.operators {
            poll.step();
            for &at in &emptied(operator, &variable_of) {
                variables[at as usize].total = false;
            }
        }
        let order = order(task, &variable_of, variables.len(), poll);
        let mut by_place: Vec<(usize, Variable)> = order.into_iter().zip(variables).collect();
        by_place.sort_by_key(|(place, _)| *place);
        let mut variables: Vec<Variable> = by_place.into_iter().map(|(_, it)| it).collect();
        let mut of_fact = vec![(0, 0); task.facts.len()];
        let mut bits = 0;
        for (at, variable) in (0u32..).zip(&mut variables) {
            variable.first_bit = bits;
            variable.bits = u32::BITS - (variable.values() - 1).leading_zeros();
            bits += variable.bits;
            let first = u32::from(!variable.total);
            for (value, fact) in (first..).zip(&variable.facts) {
                of_fact[fact.0 as usize] = (at, value);
            }
        }
        Self {
            variables,
            of_fact,
            bits: bits as usize,
        }
    }

    /// The bits of a state.
    pub fn encode(&self, state: &State) -> Vec<bool> {
        let mut bits = vec![false; self.bits];
        for (fact, &(variable, value)) in (0u32..).zip(&self.of_fact) {
            if state.holds(FactId(fact)) {
                for (place, bit) in self.variables[variable as usize].bits().enumerate() {
                    bits[bit as usize] = value >> place & 1 == 1;
                }
            }
        }
        bits
    }

    /// The state with these bits.
    pub fn decode(&self, bits: &[bool]) -> State {
        let mut holds = vec![false; self.of_fact.len()];
        for variable in &self.variables {
            let values = variable.bits().enumerate();
            let value = values.fold(0, |sum, (place, bit)| {
                sum | u32::from(bits[bit as usize]) << place
            });
            let first = u32::from(!variable.total);
            if let Some(fact) = value
                .checked_sub(first)
                .and_then(|at| variable.facts.get(at as usize))
            {
                holds[fact.0 as usize] = true;
            }
        }
        State::new(&holds, &[])
    }

    /// The states in which a variable has a value, before an operator or after it.
    pub fn value(&self, diagrams: &mut Diagrams, variable: u32, value: u32, after: bool) -> Bdd {
        let bits = self.variables[variable as usize].bits().enumerate();
        let mut set = ALL;
        for (place, bit) in bits.rev() {
            let bit = diagrams.bit(bit, after);
            let wanted = if value >> place & 1 == 1 { bit } else { !bit };
            set = diagrams.and(wanted, set);
        }
        set
    }

    /// The states in which a fact holds.
    pub fn fact(&self, diagrams: &mut Diagrams, fact: FactId) -> Bdd {
        let (variable, value) = self.of_fact[fact.0 as usize];
        self.value(diagrams, variable, value, false)
    }

    /// For each mutex group of several variables, the states in which at most one of its facts holds.
    pub fn by_groups(&self, task: &Task, diagrams: &mut Diagrams) -> Vec<Bdd> {
        let mut conditions = Vec::new();
        for group in &task.groups {
            let variable = |fact: &FactId| self.of_fact[fact.0 as usize].0;
            let first = variable(&group[0]);
            if group.iter().all(|fact| variable(fact) == first) {
                continue;
            }
            let (mut none, mut at_most_one) = (ALL, ALL);
            let mut facts = group.clone();
            facts.sort_by_key(|fact| std::cmp::Reverse(self.of_fact[fact.0 as usize]));
            for &fact in &facts {
                let fact = self.fact(diagrams, fact);
                at_most_one = diagrams.choose(fact, none, at_most_one);
                none = diagrams.without(none, fact);
            }
            conditions.push(at_most_one);
        }
        conditions
    }
}

/// For each fact, its variable.
fn variables_of(task: &Task, variables: &[Variable]) -> Vec<u32> {
    let mut variable_of = vec![0; task.facts.len()];
    for (at, variable) in (0u32..).zip(variables) {
        for fact in &variable.facts {
            variable_of[fact.0 as usize] = at;
        }
    }
    variable_of
}

/// The variables of which an operator may delete the fact that holds, and add none.
fn emptied(operator: &Operator, variable_of: &[u32]) -> Vec<u32> {
    let variable = |fact: &FactId| variable_of[fact.0 as usize];
    let always: Vec<u32> = operator
        .effects
        .iter()
        .filter(|effect| effect.condition == TRUE)
        .flat_map(|effect| effect.adds.iter().map(variable))
        .collect();
    let mut emptied = Vec::new();
    for effect in &operator.effects {
        let added: Vec<u32> = effect.adds.iter().map(variable).collect();
        let deleted = effect.deletes.iter().map(variable);
        emptied.extend(deleted.filter(|at| !always.contains(at) && !added.contains(at)));
    }
    emptied
}

/// A place for each variable, such that those that occur in an operator together are near.
fn order(task: &Task, variable_of: &[u32], count: usize, poll: &Poll) -> Vec<usize> {
    let mut together: FxHashSet<(u32, u32)> = FxHashSet::default();
    for operator in &task.operators {
        poll.step();
        let changed = operator.changed_facts();
        let mut changed: Vec<u32> = changed.map(|fact| variable_of[fact.0 as usize]).collect();
        changed.sort_unstable();
        changed.dedup();
        changed.truncate(MOST_TOGETHER);
        let mut read = facts_in(task, operator, poll);
        read.iter_mut()
            .for_each(|fact| *fact = variable_of[*fact as usize]);
        read.extend(&changed);
        read.sort_unstable();
        read.dedup();
        read.truncate(MOST_TOGETHER);
        for &one in &changed {
            for &other in read.iter().filter(|&&other| other != one) {
                together.insert((one.min(other), one.max(other)));
            }
        }
    }
    let mut pairs: Vec<(u32, u32)> = together.into_iter().collect();
    pairs.sort_unstable();
    let mut near: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (one, other) in pairs {
        near[one as usize].push(other);
        near[other as usize].push(one);
    }
    let tries = (0..TRIES).map(|seed| {
        let mut random = Random::new(seed);
        let mut place: Vec<usize> = (0..count).collect();
        if seed > 0 {
            random.shuffle(&mut place);
        }
        let sum = exchange(&mut place, &near, &mut random, poll);
        (sum, place)
    });
    // Of equal sums, the first.
    let best = tries.min_by_key(|(sum, _)| *sum);
    best.expect("there is a try").1
}

/// Exchanges places at random where that lessens the sum of the squared distances of neighbours, and returns the
/// sum.
fn exchange(place: &mut [usize], near: &[Vec<u32>], random: &mut Random, poll: &Poll) -> i64 {
    let count = place.len();
    // The sum for one variable, if it were at a place.
    let distances = |place: &[usize], one: usize, at: usize, except: usize| -> i64 {
        let others = near[one].iter().filter(|&&other| other as usize != except);
        let squared = others.map(|&other| {
            let distance = place[other as usize] as i64 - at as i64;
            distance * distance
        });
        squared.sum()
    };
    for at in 0..if count > 2 { EXCHANGES } else { 0 } {
        let (one, other) = (random.below(count), random.below(count));
        if at % 16 == 0 {
            poll.step();
        }
        let (here, there) = (place[one], place[other]);
        let before = distances(place, one, here, other) + distances(place, other, there, one);
        let after = distances(place, one, there, other) + distances(place, other, here, one);
        if after < before {
            place.swap(one, other);
        }
    }
    let sums = (0..count).map(|one| distances(place, one, place[one], usize::MAX));
    sums.sum()
}

/// The facts that an operator's conditions mention; those of derived facts are left out.
fn facts_in(task: &Task, operator: &Operator, poll: &Poll) -> Vec<u32> {
    let conditions = operator.effects.iter().map(|effect| effect.condition);
    let mut open: Vec<NodeId> = conditions.chain([operator.precondition]).collect();
    let mut seen = FxHashSet::default();
    let mut facts = Vec::new();
    while let Some(node) = open.pop() {
        if !seen.insert(node) {
            continue;
        }
        poll.step();
        match task.circuit.node(node) {
            Node::Fact(fact) => facts.push(fact.0),
            other => open.extend_from_slice(other.children()),
        }
    }
    facts.sort_unstable();
    facts
}

/// Formulas as sets of states.
pub(super) struct Formulas<'a> {
    task: &'a Task,
    encoding: &'a Encoding,
    known: FxHashMap<NodeId, Bdd>,
    derived: Vec<Option<Bdd>>,
}

impl<'a> Formulas<'a> {
    pub fn new(
        task: &'a Task,
        encoding: &'a Encoding,
        diagrams: &mut Diagrams,
    ) -> Result<Self, Unsupported> {
        let mut formulas = Self {
            task,
            encoding,
            known: FxHashMap::default(),
            derived: vec![None; task.axioms.bodies.len()],
        };
        // Where chains of derived facts are long, this order avoids deep recursion.
        for &derived in &task.axioms.order {
            formulas.derived(diagrams, derived)?;
        }
        Ok(formulas)
    }

    /// The sets that are remembered.
    pub fn sets(&self) -> impl Iterator<Item = Bdd> {
        let derived = self.derived.iter().flatten();
        self.known.values().chain(derived).copied()
    }

    /// The states in which a formula holds.
    pub fn set(&mut self, diagrams: &mut Diagrams, node: NodeId) -> Result<Bdd, Unsupported> {
        let mut known = std::mem::take(&mut self.known);
        let set = self.evaluate(diagrams, node, &mut known);
        self.known = known;
        set
    }

    fn evaluate(
        &mut self,
        diagrams: &mut Diagrams,
        node: NodeId,
        known: &mut FxHashMap<NodeId, Bdd>,
    ) -> Result<Bdd, Unsupported> {
        if let Some(&set) = known.get(&node) {
            return Ok(set);
        }
        let task = self.task;
        let mut parts = |formulas: &mut Self, diagrams: &mut Diagrams, nodes: &[NodeId]| {
            let parts = nodes.iter();
            let parts = parts.map(|&part| formulas.evaluate(diagrams, part, known));
            parts.collect::<Result<Vec<Bdd>, Unsupported>>()
        };
        let set = match task.circuit.node(node) {
            Node::False => NONE,
            Node::True => ALL,
            Node::Fact(fact) => self.encoding.fact(diagrams, *fact),
            Node::Derived(derived) => self.derived(diagrams, *derived)?,
            Node::Not(inner) => !parts(self, diagrams, &[*inner])?[0],
            Node::And(nodes) => {
                let sets = parts(self, diagrams, nodes)?;
                diagrams.all_of(&sets)
            }
            Node::Or(nodes) => {
                let sets = parts(self, diagrams, nodes)?;
                diagrams.any_of(&sets)
            }
            Node::AtMost(most, nodes) => {
                let sets = parts(self, diagrams, nodes)?;
                at_most(diagrams, *most as usize, &sets)
            }
            Node::Compare(..) => return Err(Unsupported::Numbers),
            Node::Choice(_) => return Err(Unsupported::Quantifiers),
        };
        known.insert(node, set);
        Ok(set)
    }

    /// The states in which a derived fact holds. Facts that depend on themselves are the least sets that
    /// satisfy their definitions.
    fn derived(&mut self, diagrams: &mut Diagrams, id: DerivedId) -> Result<Bdd, Unsupported> {
        if let Some(set) = self.derived[id.0 as usize] {
            return Ok(set);
        }
        let axioms = &self.task.axioms;
        let Some(cycle) = axioms.cycle_of[id.0 as usize] else {
            let set = self.set_apart(diagrams, axioms.bodies[id.0 as usize])?;
            self.derived[id.0 as usize] = Some(set);
            return Ok(set);
        };
        let cycle = &axioms.cycles[cycle as usize];
        for member in cycle {
            self.derived[member.0 as usize] = Some(NONE);
        }
        loop {
            let mut changed = false;
            for member in cycle {
                let set = self.set_apart(diagrams, axioms.bodies[member.0 as usize])?;
                changed |= self.derived[member.0 as usize] != Some(set);
                self.derived[member.0 as usize] = Some(set);
            }
            if !changed {
                return Ok(self.derived[id.0 as usize].expect("it was just computed"));
            }
        }
    }

    /// The set of a definition. What it is made of is not remembered: in a cycle it changes.
    fn set_apart(&mut self, diagrams: &mut Diagrams, node: NodeId) -> Result<Bdd, Unsupported> {
        self.evaluate(diagrams, node, &mut FxHashMap::default())
    }
}

/// The states that are in at most so many of the sets.
fn at_most(diagrams: &mut Diagrams, most: usize, sets: &[Bdd]) -> Bdd {
    // For each number, the states that are in at most so many of the sets so far.
    let mut at_most = vec![ALL; most + 1];
    for &set in sets {
        for count in (0..=most).rev() {
            let fewer = if count == 0 { NONE } else { at_most[count - 1] };
            at_most[count] = diagrams.choose(set, fewer, at_most[count]);
        }
    }
    at_most[most]
}
