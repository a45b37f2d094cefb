//! Additive pattern databases: projections of the task, each solved completely in advance
//! (Culberson and Schaeffer 1998; Edelkamp 2001).
//!
//! A pattern, called a part, is a set of facts that no effect connects with others (`projection`).
//! All reachable states of its projection are listed, with their exact costs to the goal. The cost
//! of an operator is counted in one part only, so the sum over the parts is a lower bound (Felner,
//! Korf and Hanan 2004). A state with no plan in one projection has no plan.
//!
//! In Puzznic's `derived` model a part is a pattern of blocks: the bound counts the moves that the
//! blocks need to meet, and detects that a single block that is left over cannot be removed. Where
//! all facts are one part, which is too large to list, the bound is 0.

use ployglot_base::{Budget, Guide, Limit, Poll, Space};
use rustc_hash::FxHashMap;

use crate::circuit::FactId;
use crate::compact::Compact;
use crate::projection::{Cone, parts, project};
use crate::task::{OperatorId, State, Task};

/// No more parts are listed when their formulas, where derived facts count with all they depend on, are
/// more than this in all: that takes about a second.
const MOST_FORMULAS: usize = 5_000_000;

/// The tables of all parts that could be listed. A reference to them is a guide, so all threads
/// share them.
pub struct Projections {
    parts: Vec<Part>,
    /// For each fact of the task, its number in its part, from 1.
    local: Vec<u32>,
    complete: bool,
}

/// The pattern database of one part.
struct Part {
    /// Words of a state that hold facts of this part, with the bits of these facts.
    masks: Vec<(usize, u64)>,
    /// The number of bits of a fact's number.
    bits: u32,
    /// For each key of a projected state, its cost. States that are missing are dead ends.
    costs: FxHashMap<u64, u16>,
}

impl Projections {
    /// Lists at most `most` states for each part. A part with more states is left out, and so are
    /// the parts for which the budget has no time.
    pub fn new(task: &Task, most: usize, budget: &Budget) -> Self {
        let mut found = Self {
            parts: Vec::new(),
            local: vec![0; task.facts.len()],
            complete: true,
        };
        let mut all = parts(task);
        // A single part is the whole task.
        if all.len() < 2 {
            return found;
        }
        all.sort_by_key(|part| (part.len(), part[0]));
        let mut counted = vec![false; task.operators.len()];
        let mut changers = vec![Vec::new(); task.facts.len()];
        for (id, operator) in task.operators.iter().enumerate() {
            for fact in operator.changed_facts() {
                changers[fact.0 as usize].push(OperatorId(id as u32));
            }
        }
        let poll = Poll::new(budget, "project");
        let Ok(mut cone) = Cone::new(task, &poll) else {
            found.complete = false;
            return found;
        };
        for facts in all {
            if cone.size > MOST_FORMULAS {
                found.complete = false;
                break;
            }
            for (at, fact) in facts.iter().enumerate() {
                found.local[fact.0 as usize] = at as u32 + 1;
            }
            let operators = facts.iter().flat_map(|fact| &changers[fact.0 as usize]);
            let mut operators: Vec<OperatorId> = operators.copied().collect();
            operators.sort_unstable();
            operators.dedup();
            let cost = |id: OperatorId| {
                if counted[id.0 as usize] {
                    0
                } else {
                    task.operators[id.0 as usize].unconditional_cost()
                }
            };
            let part = project(task, &facts, &operators, cost, &mut cone, &poll);
            let part = part.map_err(NotListed::from);
            let part = part.and_then(|projection| match projection {
                Some(projection) => Part::new(&facts, &projection, most, &poll),
                None => Ok(None),
            });
            let part = match part {
                Ok(Some(part)) => part,
                Ok(None) => continue,
                Err(why) => {
                    found.complete = false;
                    if matches!(why, NotListed::Limit) {
                        break;
                    }
                    continue;
                }
            };
            for id in operators {
                counted[id.0 as usize] = true;
            }
            found.parts.push(part);
        }
        found
    }

    /// Whether no part was left out for its size or for a limit.
    pub fn are_complete(&self) -> bool {
        self.complete
    }

    /// The number of parts that are listed.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether the bound is 0 in every state.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The lower bound of a state; `None`: it is a dead end.
    pub fn bound(&self, state: &State) -> Option<u32> {
        let costs = self.parts.iter().map(|part| part.cost(state, &self.local));
        costs.sum()
    }
}

impl Guide<Task> for &Projections {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.bound(state)
    }
}

/// The reachable states of a projection.
struct Listed {
    keys: Vec<u64>,
    /// At first 0 for goal states and `u32::MAX` for the others.
    costs: Vec<u32>,
    /// The edges, state by state.
    edges: Vec<Edge>,
    /// For each state, where its edges end.
    ends: Vec<usize>,
    /// The different costs of edges.
    steps: Vec<u32>,
}

/// The other end of an edge, and the number of its cost.
#[derive(Clone, Copy, Default)]
struct Edge(u32);

impl Edge {
    const STATE_BITS: u32 = 22;

    fn new(state: u32, step: usize) -> Self {
        Self(state | (step as u32) << Self::STATE_BITS)
    }

    fn state(self) -> u32 {
        self.0 & ((1 << Self::STATE_BITS) - 1)
    }

    fn step(self) -> usize {
        (self.0 >> Self::STATE_BITS) as usize
    }
}

/// No projection can list more states than this, or edges of more different costs.
const MOST_STATES: usize = 1 << Edge::STATE_BITS;
const MOST_STEPS: usize = 1 << (u32::BITS - Edge::STATE_BITS);

impl Part {
    /// `None` where the bound would be 0 in every state.
    fn new(
        facts: &[FactId],
        projection: &Task,
        most: usize,
        poll: &Poll,
    ) -> Result<Option<Self>, NotListed> {
        let mut part = Self {
            masks: Vec::new(),
            bits: u32::BITS - (facts.len() as u32).leading_zeros(),
            costs: FxHashMap::default(),
        };
        for fact in facts {
            let word = fact.0 as usize / 64;
            if part.masks.last().is_none_or(|last| last.0 != word) {
                part.masks.push((word, 0));
            }
            part.masks.last_mut().expect("one was just pushed").1 |= 1 << (fact.0 % 64);
        }
        let listed = list(projection, part.bits, most, poll)?;
        let states = listed.keys.len();
        part.costs = listed.solved(poll)?;
        let is_useful = part.costs.len() < states || part.costs.values().any(|&cost| cost > 0);
        Ok(is_useful.then_some(part))
    }

    /// The exact cost in the projection; `None`: there is no plan.
    fn cost(&self, state: &State, local: &[u32]) -> Option<u32> {
        let mut key = 0;
        for &(word, mask) in &self.masks {
            let mut rest = state.0[word] & mask;
            while rest != 0 {
                let fact = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                key = key << self.bits | u64::from(local[fact]);
            }
        }
        self.costs.get(&key).map(|&cost| u32::from(cost))
    }
}

/// Why the states of a part were not listed.
enum NotListed {
    /// The part has more states than may be listed, or states that do not fit in a key.
    TooLarge,
    /// A limit ended the listing.
    Limit,
}

impl From<Limit> for NotListed {
    fn from(_: Limit) -> Self {
        NotListed::Limit
    }
}

/// The key of a projected state: the numbers of the facts that hold, one after the other.
fn key(state: &State, bits: u32) -> Result<u64, NotListed> {
    let ones: u32 = state.0.iter().map(|word| word.count_ones()).sum();
    if ones * bits > 64 {
        return Err(NotListed::TooLarge);
    }
    let mut key = 0;
    for (word, &ones) in state.0.iter().enumerate() {
        let mut rest = ones;
        while rest != 0 {
            let fact = word as u64 * 64 + u64::from(rest.trailing_zeros());
            rest &= rest - 1;
            key = key << bits | (fact + 1);
        }
    }
    Ok(key)
}

/// Lists all reachable states of a projection.
fn list(projection: &Task, bits: u32, most: usize, poll: &Poll) -> Result<Listed, NotListed> {
    let space = Compact::step_by_step(projection, poll)?;
    let start = space.start();
    let mut numbers = FxHashMap::from_iter([(key(&start, bits)?, 0u32)]);
    let mut listed = Listed {
        costs: vec![u32::MAX],
        keys: vec![key(&start, bits)?],
        edges: Vec::new(),
        ends: Vec::new(),
        steps: Vec::new(),
    };
    let most = most.min(MOST_STATES);
    let mut states = vec![start];
    let mut moves = Vec::new();
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        // Goal states are expanded too: a plan of the task may leave the goal of a part.
        if space.is_goal(&state) {
            listed.costs[next] = 0;
        }
        moves.clear();
        space.moves(&state, &mut moves);
        for &mv in &moves {
            poll.try_step()?;
            let (len, capacity) = (listed.edges.len(), listed.edges.capacity());
            poll.affords_entry(len, capacity, size_of::<Edge>())?;
            let after = space.apply(&state, mv);
            let key = key(&after, bits)?;
            let new = numbers.len() as u32;
            let number = *numbers.entry(key).or_insert(new);
            if number == new {
                if states.len() >= most {
                    return Err(NotListed::TooLarge);
                }
                states.push(after);
                listed.keys.push(key);
                listed.costs.push(u32::MAX);
            }
            let cost = projection.cost(&state, mv);
            let known = listed.steps.iter().position(|&step| step == cost);
            let step = known.unwrap_or(listed.steps.len());
            if step == listed.steps.len() {
                if step == MOST_STEPS {
                    return Err(NotListed::TooLarge);
                }
                listed.steps.push(cost);
            }
            listed.edges.push(Edge::new(number, step));
        }
        listed.ends.push(listed.edges.len());
        next += 1;
    }
    Ok(listed)
}

impl Listed {
    /// The cost of each state to the nearest goal state, by Dijkstra's algorithm from the goal
    /// states; without dead ends.
    fn solved(mut self, poll: &Poll) -> Result<FxHashMap<u64, u16>, Limit> {
        // The edges by their target: for each state the end of those that lead to it.
        let mut ends = vec![0usize; self.keys.len() + 1];
        for edge in &self.edges {
            poll.try_step()?;
            ends[edge.state() as usize + 1] += 1;
        }
        for at in 0..self.keys.len() {
            ends[at + 1] += ends[at];
        }
        poll.affords(self.edges.len() * size_of::<Edge>())?;
        let mut into = vec![Edge::default(); self.edges.len()];
        let mut first = 0;
        for (from, &end) in self.ends.iter().enumerate() {
            for edge in &self.edges[first..end] {
                poll.try_step()?;
                let place = &mut ends[edge.state() as usize];
                into[*place] = Edge::new(from as u32, edge.step());
                *place += 1;
            }
            first = end;
        }
        self.edges = Vec::new();
        let before = |at: u32| match at {
            0 => 0..ends[0],
            at => ends[at as usize - 1]..ends[at as usize],
        };
        let goals = (0..self.keys.len() as u32).filter(|&at| self.costs[at as usize] == 0);
        let mut open: std::collections::BinaryHeap<_> =
            goals.map(|goal| std::cmp::Reverse((0, goal))).collect();
        while let Some(std::cmp::Reverse((cost, at))) = open.pop() {
            if cost > self.costs[at as usize] {
                continue;
            }
            for edge in &into[before(at)] {
                poll.try_step()?;
                let from = edge.state();
                let through = cost.saturating_add(self.steps[edge.step()]);
                if through < self.costs[from as usize] {
                    self.costs[from as usize] = through;
                    open.push(std::cmp::Reverse((through, from)));
                }
            }
        }
        let known = self.keys.iter().zip(&self.costs);
        let known = known.filter(|(_, cost)| **cost < u32::MAX);
        let cost = |cost: u32| cost.min(u32::from(u16::MAX)) as u16;
        Ok(known.map(|(key, of)| (*key, cost(*of))).collect())
    }
}
