//! Cartesian abstractions by counterexample-guided refinement (Seipp and Helmert 2013, 2018).
//!
//! An abstract state is a set of values for each variable. At first there is one abstract state. In
//! each round a cheapest abstract plan is found by A*, and executed from the start of the task until
//! it fails: an operator is not applicable, leads to another abstract state than the plan says, or
//! the end is no goal. The abstract state in which it fails is split into two, so that this plan
//! fails in the abstraction too. The goal is that of one variable, so that a task has as many
//! abstractions as its goal has variables, and their costs can be added (`estimates/abstractions`).
//!
//! A split only looks at the transitions of the state that is split. The bounds of A* are kept from
//! round to round: a split never shortens a path.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ployglot_base::{Limit, Poll};
use rustc_hash::FxHashMap;

use super::factored::Factored;
use super::transitions::{Abstraction, Draft, INFINITE, Mapping};

/// How much an abstraction may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CartesianLimits {
    /// The greatest number of states.
    pub states: usize,
    /// The greatest number of transitions.
    pub transitions: usize,
    /// The greatest number of lookups of what an operator does to a variable.
    pub work: usize,
}

/// The tree of splits: which abstract state a state of the task belongs to.
pub(crate) struct Splits(Vec<Split>);

enum Split {
    Leaf(u32),
    /// Where the variable has one of the values, the second child, otherwise the first.
    Inner {
        variable: u32,
        values: Box<[u64]>,
        children: [u32; 2],
    },
}

impl Splits {
    /// The number of the abstract state for these values.
    #[inline]
    pub fn number(&self, values: &[u16]) -> u32 {
        let mut at = 0;
        loop {
            match &self.0[at] {
                Split::Leaf(state) => return *state,
                Split::Inner {
                    variable,
                    values: wanted,
                    children,
                } => {
                    let value = values[*variable as usize];
                    at = children[usize::from(contains(wanted, value))] as usize;
                }
            }
        }
    }
}

/// The abstraction for the goal values of one variable. `Err`: at a limit of the budget.
pub(crate) fn cartesian(
    task: &Factored,
    goal: &(u32, Vec<u16>),
    limits: CartesianLimits,
    poll: &Poll,
) -> Result<Abstraction, Limit> {
    let mut refinement = Refinement::new(task, goal, poll)?;
    while refinement.domains.len() < limits.states
        && refinement.count < limits.transitions
        && refinement.work < limits.work
    {
        let Some(plan) = refinement.cheapest_plan()? else {
            break;
        };
        refinement.work += plan.len() * task.sizes.len();
        match refinement.flaw(&plan) {
            Some((state, variable, wanted)) => refinement.split(state, variable, wanted)?,
            // The plan solves the task for this goal: more states would add nothing.
            None => break,
        }
    }
    refinement.finish()
}

fn contains(set: &[u64], value: u16) -> bool {
    set[usize::from(value) / 64] >> (value % 64) & 1 == 1
}

fn insert(set: &mut [u64], value: u16) {
    set[usize::from(value) / 64] |= 1 << (value % 64);
}

fn meet(left: &[u64], right: &[u64]) -> bool {
    left.iter()
        .zip(right)
        .any(|(left, right)| left & right != 0)
}

/// An operator, and the state at the other end.
type Edge = (u32, u32);

struct Refinement<'a> {
    task: &'a Factored,
    poll: &'a Poll,
    goal: &'a (u32, Vec<u16>),
    /// The goal values as a set.
    wanted: Vec<u64>,
    /// For each variable, its first word in the sets of a state.
    first: Vec<usize>,
    /// For each state, the sets of all variables.
    domains: Vec<Box<[u64]>>,
    outgoing: Vec<Vec<Edge>>,
    incoming: Vec<Vec<Edge>>,
    /// For each state, the operators that lead from it to itself.
    loops: Vec<Vec<u32>>,
    /// The number of transitions, without loops.
    count: usize,
    /// For each state, its leaf in the tree.
    leaves: Vec<u32>,
    tree: Vec<Split>,
    /// For each state, a lower bound on its cost.
    bounds: Vec<u32>,
    /// The state of the start.
    start: u32,
    /// Lookups so far.
    work: usize,
}

impl<'a> Refinement<'a> {
    fn new(task: &'a Factored, goal: &'a (u32, Vec<u16>), poll: &'a Poll) -> Result<Self, Limit> {
        let mut first = vec![0];
        let mut words = 0;
        for &size in &task.sizes {
            words += (size as usize).div_ceil(64);
            first.push(words);
        }
        let mut all = vec![0u64; words];
        for (variable, &size) in task.sizes.iter().enumerate() {
            let set = &mut all[first[variable]..first[variable + 1]];
            (0..size as u16).for_each(|value| insert(set, value));
        }
        let mut wanted = vec![0; first[goal.0 as usize + 1] - first[goal.0 as usize]];
        goal.1.iter().for_each(|&value| insert(&mut wanted, value));
        let mut loops = Vec::new();
        for (id, operator) in task.operators.iter().enumerate() {
            poll.try_step()?;
            let Some(operator) = operator else { continue };
            let mut relations = operator.iter();
            if relations.all(|(_, relation)| !task.relations[*relation as usize].is_empty()) {
                loops.push(id as u32);
            }
        }
        Ok(Self {
            task,
            poll,
            goal,
            wanted,
            first,
            domains: vec![all.into_boxed_slice()],
            outgoing: vec![Vec::new()],
            incoming: vec![Vec::new()],
            loops: vec![loops],
            count: 0,
            leaves: vec![0],
            tree: vec![Split::Leaf(0)],
            bounds: vec![0],
            start: 0,
            work: 0,
        })
    }

    /// The values of a variable in a state.
    fn set(&self, state: u32, variable: u32) -> &[u64] {
        let words = self.first[variable as usize]..self.first[variable as usize + 1];
        &self.domains[state as usize][words]
    }

    fn is_goal(&self, state: u32) -> bool {
        meet(self.set(state, self.goal.0), &self.wanted)
    }

    /// The operators of a cheapest plan with the states that they lead to; `None`: there is no plan.
    fn cheapest_plan(&mut self) -> Result<Option<Vec<Edge>>, Limit> {
        let mut costs = vec![INFINITE; self.domains.len()];
        let mut parents: Vec<Edge> = vec![(0, 0); self.domains.len()];
        let mut open = BinaryHeap::new();
        costs[self.start as usize] = 0;
        open.push(Reverse((self.bounds[self.start as usize], 0, self.start)));
        let mut closed = Vec::new();
        let mut end = None;
        while let Some(Reverse((_, cost, state))) = open.pop() {
            if cost > costs[state as usize] {
                continue;
            }
            closed.push(state);
            if self.is_goal(state) {
                end = Some((state, cost));
                break;
            }
            for &(operator, to) in &self.outgoing[state as usize] {
                self.poll.try_step()?;
                let bound = self.bounds[to as usize];
                let through = cost.saturating_add(self.task.costs[operator as usize]);
                if bound != INFINITE && through < costs[to as usize] {
                    costs[to as usize] = through;
                    parents[to as usize] = (operator, state);
                    open.push(Reverse((through.saturating_add(bound), through, to)));
                }
            }
        }
        let Some((goal, cost)) = end else {
            return Ok(None);
        };
        // A path through a state costs as much as the cheapest plan or more.
        for state in closed {
            let rest = cost.saturating_sub(costs[state as usize]);
            let bound = &mut self.bounds[state as usize];
            *bound = rest.max(*bound);
        }
        let mut plan = Vec::new();
        let mut at = goal;
        while at != self.start {
            let (operator, before) = parents[at as usize];
            plan.push((operator, at));
            at = before;
        }
        plan.reverse();
        Ok(Some(plan))
    }

    /// Where the plan fails: the state to split, the variable, and the values that the plan needs.
    fn flaw(&self, plan: &[Edge]) -> Option<(u32, u32, Vec<u64>)> {
        let mut values = self.task.start.clone();
        let mut at = self.start;
        for &(operator, to) in plan {
            let mut best: Option<(u64, u32)> = None;
            let mut after = values.clone();
            for variable in 0..self.task.sizes.len() as u32 {
                let held = values[variable as usize];
                let target = self.set(to, variable);
                let next = match self.task.relation(operator, variable) {
                    None => Some(held).filter(|&held| contains(target, held)),
                    Some(pairs) => {
                        let fits = |pair: &&(u16, u16)| pair.0 == held && contains(target, pair.1);
                        pairs.iter().find(fits).map(|pair| pair.1)
                    }
                };
                match next {
                    Some(next) => after[variable as usize] = next,
                    None => {
                        // The variable that is refined most already, of those that fail.
                        let ones: u32 = self
                            .set(at, variable)
                            .iter()
                            .map(|word| word.count_ones())
                            .sum();
                        let share =
                            (u64::from(ones) << 32) / u64::from(self.task.sizes[variable as usize]);
                        best = Some(
                            best.map_or((share, variable), |best| best.min((share, variable))),
                        );
                    }
                }
            }
            if let Some((_, variable)) = best {
                return Some((at, variable, self.needed(at, operator, to, variable)));
            }
            values = after;
            at = to;
        }
        let (variable, _) = *self.goal;
        if contains(&self.wanted, values[variable as usize]) {
            return None;
        }
        let own = self.set(at, variable).iter().zip(&self.wanted);
        Some((
            at,
            variable,
            own.map(|(own, wanted)| own & wanted).collect(),
        ))
    }

    /// The values of a variable in a state from which the operator leads to the other state.
    fn needed(&self, from: u32, operator: u32, to: u32, variable: u32) -> Vec<u64> {
        let (own, target) = (self.set(from, variable), self.set(to, variable));
        match self.task.relation(operator, variable) {
            None => own
                .iter()
                .zip(target)
                .map(|(own, target)| own & target)
                .collect(),
            Some(pairs) => {
                let mut needed = vec![0; own.len()];
                for &(before, after) in pairs {
                    if contains(own, before) && contains(target, after) {
                        insert(&mut needed, before);
                    }
                }
                needed
            }
        }
    }

    /// Whether the operator may lead from one state to the other, as far as this variable decides.
    fn leads(&self, from: u32, operator: u32, to: u32, variable: u32) -> bool {
        let (own, target) = (self.set(from, variable), self.set(to, variable));
        match self.task.relation(operator, variable) {
            None => meet(own, target),
            Some(pairs) => {
                let mut pairs = pairs.iter();
                pairs.any(|&(before, after)| contains(own, before) && contains(target, after))
            }
        }
    }

    /// Splits a state: it keeps the other values of the variable, and a new state has these.
    fn split(&mut self, state: u32, variable: u32, wanted: Vec<u64>) -> Result<(), Limit> {
        let new = self.domains.len() as u32;
        let at = state as usize;
        let words = self.first[variable as usize]..self.first[variable as usize + 1];
        let mut domain = self.domains[at].clone();
        for ((own, new), wanted) in (self.domains[at][words.clone()].iter_mut())
            .zip(&mut domain[words])
            .zip(&wanted)
        {
            *new &= wanted;
            *own &= !wanted;
        }
        self.domains.push(domain);
        self.bounds.push(self.bounds[at]);
        let leaf = self.leaves[at] as usize;
        let children = [self.tree.len() as u32, self.tree.len() as u32 + 1];
        self.tree.push(Split::Leaf(state));
        self.tree.push(Split::Leaf(new));
        self.leaves[at] = children[0];
        self.leaves.push(children[1]);
        if self.start == state && contains(&wanted, self.task.start[variable as usize]) {
            self.start = new;
        }
        self.tree[leaf] = Split::Inner {
            variable,
            values: wanted.into_boxed_slice(),
            children,
        };
        self.rewire(state, new, variable)
    }

    /// Finds the transitions of both parts of a state that was split.
    fn rewire(&mut self, old: u32, new: u32, variable: u32) -> Result<(), Limit> {
        let incoming = std::mem::take(&mut self.incoming[old as usize]);
        let outgoing = std::mem::take(&mut self.outgoing[old as usize]);
        let loops = std::mem::take(&mut self.loops[old as usize]);
        self.count -= incoming.len() + outgoing.len();
        self.work += 2 * (incoming.len() + outgoing.len()) + 4 * loops.len();
        self.incoming.push(Vec::new());
        self.outgoing.push(Vec::new());
        self.loops.push(Vec::new());
        let mut sources: Vec<u32> = incoming.iter().map(|(_, from)| *from).collect();
        let mut targets: Vec<u32> = outgoing.iter().map(|(_, to)| *to).collect();
        sources.sort_unstable();
        sources.dedup();
        targets.sort_unstable();
        targets.dedup();
        for from in sources {
            self.outgoing[from as usize].retain(|(_, to)| *to != old);
        }
        for to in targets {
            self.incoming[to as usize].retain(|(_, from)| *from != old);
        }
        for (operator, from) in incoming {
            self.poll.try_step()?;
            self.connect(from, operator, old, variable);
            self.connect(from, operator, new, variable);
        }
        for (operator, to) in outgoing {
            self.poll.try_step()?;
            self.connect(old, operator, to, variable);
            self.connect(new, operator, to, variable);
        }
        for operator in loops {
            self.poll.try_step()?;
            for from in [old, new] {
                for to in [old, new] {
                    if from != to {
                        self.connect(from, operator, to, variable);
                    } else if self.leads(from, operator, to, variable) {
                        self.loops[from as usize].push(operator);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a transition, if the variable allows it.
    fn connect(&mut self, from: u32, operator: u32, to: u32, variable: u32) {
        if self.leads(from, operator, to, variable) {
            self.outgoing[from as usize].push((operator, to));
            self.incoming[to as usize].push((operator, from));
            self.count += 1;
        }
    }

    fn finish(self) -> Result<Abstraction, Limit> {
        let goals = (0..self.domains.len() as u32)
            .map(|state| self.is_goal(state))
            .collect();
        // Operators with the same transitions share a label.
        let mut of_operator: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.task.operators.len()];
        for (from, edges) in self.outgoing.iter().enumerate() {
            for &(operator, to) in edges {
                of_operator[operator as usize].push((from as u32, to));
            }
        }
        let mut numbers: FxHashMap<Vec<(u32, u32)>, usize> = FxHashMap::default();
        let mut labels: Vec<Vec<u32>> = Vec::new();
        let mut transitions = Vec::new();
        for (id, mut edges) in of_operator.into_iter().enumerate() {
            self.poll.try_step()?;
            if edges.is_empty() {
                continue;
            }
            edges.sort_unstable();
            let next = labels.len();
            let label = *numbers.entry(edges).or_insert(next);
            if label == next {
                labels.push(Vec::new());
            }
            labels[label].push(id as u32);
        }
        for (edges, label) in numbers {
            transitions.extend(edges.into_iter().map(|(from, to)| (label as u32, from, to)));
        }
        transitions.sort_unstable();
        let draft = Draft {
            states: self.domains.len(),
            start: self.start,
            goals,
            labels,
            transitions,
        };
        Abstraction::new(draft, Mapping::Cartesian(Splits(self.tree)), self.poll)
    }
}
