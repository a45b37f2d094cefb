//! Sums of costs in many abstractions, by saturated cost partitioning (Seipp, Keller and Helmert
//! 2020).
//!
//! The abstractions are pattern databases of systematic patterns, and for each variable of the goal a Cartesian
//! abstraction and the database of a pattern that grew from it. They share operators, so their costs may not simply be added. In some
//! order, each abstraction takes of the operators' costs as much as it needs for its distances, and
//! leaves the rest to the next ones; then the sum is a lower bound, and a consistent one. Which order
//! is best depends on the state. So several orders are made, each for a sample state: abstractions
//! first that give much there for the costs that they take. An order is kept if it raises the bound
//! of some sample. The estimate is the largest sum of all orders.
//!
//! A state from which an abstraction cannot reach its goal is a dead end. What conditional effects,
//! axioms and numbers do to the abstractions is described in `abstraction/factored.rs`.

use ployglot_base::{Budget, Guide, Limit, Poll, Random, Space};

use crate::abstraction::cartesian::{CartesianLimits, cartesian};
use crate::abstraction::patterns::{PatternLimits, grown, systematic};
use crate::abstraction::{Abstraction, Factored, INFINITE};
use crate::task::{State, Task};

/// How much abstractions may take. All limits are numbers of steps, so that the tables of a task are
/// always the same, unless the budget ends before they are complete.
#[derive(Clone, Copy, Debug)]
pub struct AbstractionLimits {
    patterns: PatternLimits,
    cartesian: CartesianLimits,
    /// Cartesian abstractions have no more states in all.
    cartesian_states: usize,
    /// The greatest number of sample states, each of which gives an order.
    samples: usize,
    /// The greatest number of transitions that all orders may look at.
    work: usize,
}

impl AbstractionLimits {
    /// Tables that take about as long as a few thousand expansions of a search.
    pub const SMALL: Self = Self {
        patterns: PatternLimits {
            variables: 2,
            states: 2_000,
            transitions: 50_000,
            total: 500_000,
            patterns: 500,
        },
        cartesian: CartesianLimits {
            states: 500,
            transitions: 100_000,
            work: 1_000_000,
        },
        cartesian_states: 2_000,
        samples: 20,
        work: 10_000_000,
    };

    /// Tables for searches of a minute or more.
    pub const LARGE: Self = Self {
        patterns: PatternLimits {
            variables: 3,
            states: 100_000,
            transitions: 2_000_000,
            total: 12_000_000,
            patterns: 3_000,
        },
        cartesian: CartesianLimits {
            states: 3_000,
            transitions: 1_500_000,
            work: 20_000_000,
        },
        cartesian_states: 20_000,
        samples: 200,
        work: 600_000_000,
    };
}

/// The tables of all orders. Threads share them; each makes a guide of its own.
pub struct Abstractions {
    task: Factored,
    /// The abstractions that add something to a bound, or have dead ends.
    rows: Vec<Rows>,
    /// The number of orders.
    orders: usize,
}

/// What an abstraction adds to the sums of the orders. A state's costs for all orders are one row, so that
/// a bound reads one place in the memory for each abstraction, not one for each table.
struct Rows {
    system: Abstraction,
    /// For each state, whether it is alive; empty if all are.
    alive: Vec<bool>,
    /// The orders in which the abstraction adds something.
    orders: Vec<u32>,
    /// For each state, its costs in these orders.
    costs: Vec<u32>,
}

impl Abstractions {
    /// `Ok(None)`: the task has no useful abstraction, or is too large for them. `Err`: the budget
    /// ended before there was one order. Later, its end only leaves orders out.
    pub fn new(
        task: &Task,
        limits: AbstractionLimits,
        budget: &Budget,
    ) -> Result<Option<Self>, Limit> {
        let poll = Poll::new(budget, "abstract");
        let Some(factored) = Factored::new(task, &poll)? else {
            return Ok(None);
        };
        let mut systems = Vec::new();
        let mut states = 0;
        for goal in &factored.goal {
            let left = limits.cartesian_states - states;
            let most = limits.cartesian.states.min(left);
            if most < 2 {
                break;
            }
            let limits = CartesianLimits {
                states: most,
                ..limits.cartesian
            };
            let system = cartesian(&factored, goal, limits, &poll)?;
            states = (states + system.len()).min(states + most);
            systems.push(system);
        }
        systems.extend(grown(&factored, limits.patterns, &poll));
        systems.extend(systematic(&factored, limits.patterns, &poll));
        let builder = Builder {
            task: &factored,
            poll: &poll,
            systems: &systems,
            alone: Vec::new(),
            work: 0,
        };
        let (alive, orders) = builder.orders(task, limits)?;
        let count = orders.len();
        let rows = rows(systems, alive, orders);
        Ok((!rows.is_empty()).then_some(Self {
            task: factored,
            rows,
            orders: count,
        }))
    }

    /// The number of abstractions, and of orders.
    pub fn size(&self) -> (usize, usize) {
        (self.rows.len(), self.orders)
    }

    /// A guide with buffers of its own.
    pub fn guide(&self) -> AbstractionsGuide<'_> {
        AbstractionsGuide {
            tables: self,
            values: Vec::new(),
            sums: vec![0; self.orders],
        }
    }
}

/// The abstractions that add something, with their dead ends and their costs in all orders. It is not polled:
/// what was made before the end of a budget is kept.
fn rows(systems: Vec<Abstraction>, alive: Vec<Vec<bool>>, orders: Vec<Order>) -> Vec<Rows> {
    let mut tables: Vec<Vec<(u32, Vec<u32>)>> = systems.iter().map(|_| Vec::new()).collect();
    for (order, costs) in (0..).zip(orders) {
        for (system, costs) in costs {
            tables[system].push((order, costs));
        }
    }
    let rows = systems.into_iter().zip(alive).zip(tables);
    let useful = rows.filter(|((_, alive), tables)| !alive.is_empty() || !tables.is_empty());
    let rows = useful.map(|((system, alive), tables)| Rows {
        alive,
        orders: tables.iter().map(|(order, _)| *order).collect(),
        costs: (0..system.len())
            .flat_map(|state| tables.iter().map(move |(_, costs)| costs[state]))
            .collect(),
        system,
    });
    rows.collect()
}

/// The estimate, with its buffers.
pub struct AbstractionsGuide<'a> {
    tables: &'a Abstractions,
    values: Vec<u16>,
    sums: Vec<u32>,
}

/// The work to find an abstraction's state, where a cost that is added counts 1.
const STATE: usize = 8;

impl AbstractionsGuide<'_> {
    /// The work for one bound, in units of some nanoseconds.
    pub fn work(&self) -> u64 {
        let rows = self.tables.rows.iter();
        rows.map(|rows| (STATE + rows.orders.len()) as u64).sum()
    }
}

impl Guide<Task> for AbstractionsGuide<'_> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.tables.task.values(state, &mut self.values);
        self.sums.fill(0);
        for rows in &self.tables.rows {
            let Some(state) = rows.system.state(&self.values) else {
                continue;
            };
            let state = state as usize;
            if rows.alive.get(state) == Some(&false) {
                return None;
            }
            let costs = &rows.costs[state * rows.orders.len()..];
            for (&order, &cost) in rows.orders.iter().zip(costs) {
                let sum = &mut self.sums[order as usize];
                *sum = sum.saturating_add(cost);
            }
        }
        Some(self.sums.iter().copied().max().unwrap_or(0))
    }
}

/// For each abstraction that adds something, its costs.
type Order = Vec<(usize, Vec<u32>)>;

/// For each abstraction, for each state whether it is alive, or nothing if all are; and the orders.
type Tables = (Vec<Vec<bool>>, Vec<Order>);

struct Builder<'a> {
    task: &'a Factored,
    poll: &'a Poll,
    systems: &'a [Abstraction],
    /// For each abstraction, its distances with the full costs, and the costs that it takes then.
    alone: Vec<(Vec<u32>, u64)>,
    /// Transitions that were looked at.
    work: usize,
}

/// Orders that raise no sample's bound, one after the other, after which no more are made.
const MAX_USELESS: usize = 25;

impl Builder<'_> {
    fn orders(mut self, task: &Task, limits: AbstractionLimits) -> Result<Tables, Limit> {
        let mut alive = Vec::new();
        for system in self.systems {
            let distances = system.distances(&self.task.costs, self.poll)?;
            let mut costs = self.task.costs.clone();
            let taken = system.take_saturated(&distances, &mut costs, self.poll)?;
            alive.push(match distances.contains(&INFINITE) {
                true => distances.iter().map(|&cost| cost != INFINITE).collect(),
                false => Vec::new(),
            });
            self.alone.push((distances, taken));
        }
        let start = self.abstract_states(&self.task.start);
        let first = self.order(&start)?;
        if first.is_empty() {
            return Ok((alive, Vec::new()));
        }
        // A sample is the abstract states of a state.
        let mut samples = vec![start];
        samples.extend(self.walks(task, &samples[0], limits.samples));
        let value = |order: &[(usize, Vec<u32>)], sample: &[Option<u32>]| -> u32 {
            let costs = order
                .iter()
                .map(|(system, costs)| sample[*system].map_or(0, |state| costs[state as usize]));
            costs.fold(0, u32::saturating_add)
        };
        let mut best: Vec<u32> = samples.iter().map(|sample| value(&first, sample)).collect();
        let mut orders = vec![first];
        let mut useless = 0;
        for at in 1..samples.len() {
            if useless >= MAX_USELESS || self.work > limits.work {
                break;
            }
            let Ok(order) = self.order(&samples[at]) else {
                break;
            };
            let mut raised = false;
            for (sample, best) in samples.iter().zip(&mut best) {
                let value = value(&order, sample);
                raised |= value > *best;
                *best = value.max(*best);
            }
            useless = if raised { 0 } else { useless + 1 };
            if raised {
                orders.push(order);
            }
        }
        Ok((alive, orders))
    }

    /// The state of each abstraction for these values.
    fn abstract_states(&self, values: &[u16]) -> Vec<Option<u32>> {
        let states = self.systems.iter().map(|system| system.state(values));
        states.collect()
    }

    /// The tables of an order for this sample, without those that are 0 everywhere.
    fn order(&mut self, sample: &[Option<u32>]) -> Result<Order, Limit> {
        let mut ranked: Vec<(f64, usize)> = Vec::new();
        for (at, (distances, taken)) in self.alone.iter().enumerate() {
            let cost = sample[at].map_or(0, |state| distances[state as usize]);
            let cost = if cost == INFINITE { 0 } else { cost };
            let score = f64::from(cost) / (*taken as f64).max(1.0);
            ranked.push((score, at));
        }
        ranked.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        let mut costs = self.task.costs.clone();
        let mut tables = Vec::new();
        for (_, at) in ranked {
            let system = &self.systems[at];
            // Most abstractions come when the costs of their operators are used up.
            if !system.has_costs(&costs) {
                continue;
            }
            self.work += system.transitions() + system.len();
            let mut distances = system.distances(&costs, self.poll)?;
            let mut finite = distances.iter().filter(|&&cost| cost != INFINITE);
            if !finite.any(|&cost| cost > 0) {
                continue;
            }
            system.take_saturated(&distances, &mut costs, self.poll)?;
            // Dead ends are detected beforehand.
            for cost in distances.iter_mut().filter(|cost| **cost == INFINITE) {
                *cost = 0;
            }
            tables.push((at, distances));
        }
        Ok(tables)
    }

    /// The ends of random walks, about as long as twice a plan.
    fn walks(&self, task: &Task, start: &[Option<u32>], count: usize) -> Vec<Vec<Option<u32>>> {
        const LONGEST: usize = 60;
        let alone = self.alone.iter().zip(start);
        let costs = alone.filter_map(|((distances, _), state)| Some(distances[(*state)? as usize]));
        let cost = costs.filter(|&cost| cost != INFINITE).max().unwrap_or(0);
        let paid: Vec<u32> = self
            .task
            .costs
            .iter()
            .copied()
            .filter(|&cost| cost > 0)
            .collect();
        let mean = paid.iter().map(|&cost| u64::from(cost)).sum::<u64>() / paid.len().max(1) as u64;
        let length = (4 * u64::from(cost) / mean.max(1)).clamp(4, LONGEST as u64) as usize;
        let mut random = Random::new(1);
        let mut found = Vec::new();
        let mut values = Vec::new();
        let mut moves = Vec::new();
        for _ in 0..count {
            let mut state = task.start();
            for _ in 0..random.below(length) + 1 {
                if self.poll.try_step().is_err() {
                    return found;
                }
                moves.clear();
                task.moves(&state, &mut moves);
                if moves.is_empty() {
                    break;
                }
                state = task.apply(&state, *random.choose(&moves));
            }
            self.task.values(&state, &mut values);
            found.push(self.abstract_states(&values));
        }
        found
    }
}
