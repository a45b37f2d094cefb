//! Pruning for searches that prove plans optimal: of all plans of the least cost, some are left out,
//! but never the last one.
//!
//! Both kinds need a task whose preconditions, effects and goal are literals, without numbers;
//! `Literals` is that form. `Pruning` is the one list of those that can be chosen by name.

mod stubborn;
mod symmetries;

pub use stubborn::{StubbornGuide, StubbornSets};
pub use symmetries::Symmetries;

use std::fmt;

use ployglot_base::{Limit, Poll};

use crate::circuit::{FactId, TRUE};
use crate::invariants::Implied;
use crate::named::by_name;
use crate::reduced::Reduced;
use crate::task::Task;

/// A kind of pruning that can be switched off by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pruning {
    /// Strong stubborn sets: [`StubbornSets`].
    StubbornSets,
    /// One state for all those that differ only in the names of interchangeable objects.
    Symmetries,
}

impl Pruning {
    /// The one list of prunings, in the order of help texts.
    pub const ALL: [Self; 2] = [Self::StubbornSets, Self::Symmetries];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::StubbornSets => "stubborn-sets",
            Self::Symmetries => "symmetries",
        }
    }

    /// One line for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::StubbornSets => {
                "one order of operators that do not interfere, where that saves a fifth of them"
            }
            Self::Symmetries => {
                "one state for all that differ only in the names of interchangeable objects"
            }
        }
    }

    /// The pruning of this name. The error is a sentence for the user.
    pub fn parse(name: &str) -> Result<Self, String> {
        by_name("pruning", name, &Self::ALL, Self::name)
    }
}

impl fmt::Display for Pruning {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which kinds of pruning are on; all of them by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prunings {
    /// Whether each of `Pruning::ALL` is on.
    on: [bool; Pruning::ALL.len()],
}

impl Default for Prunings {
    fn default() -> Self {
        Self {
            on: [true; Pruning::ALL.len()],
        }
    }
}

impl Prunings {
    /// None at all.
    pub const NONE: Self = Self {
        on: [false; Pruning::ALL.len()],
    };

    /// All others.
    pub fn without(mut self, pruning: Pruning) -> Self {
        self.on[pruning as usize] = false;
        self
    }

    /// Whether this kind is on.
    pub fn has(self, pruning: Pruning) -> bool {
        self.on[pruning as usize]
    }
}

/// A condition as literals: twice the fact, plus 1 where it must be false. Sorted.
type Condition = Box<[u32]>;

/// An effect of an operator that makes literals true.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LiteralEffect {
    condition: Condition,
    /// Where a fact is both added and deleted, it is added.
    made: Condition,
}

/// An operator as literals.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LiteralOperator {
    precondition: Condition,
    /// Sorted.
    effects: Vec<LiteralEffect>,
    cost: u32,
}

/// A task whose conditions are conjunctions of literals.
struct Literals {
    /// For each operator of the task; `None` where it is never applicable.
    operators: Vec<Option<LiteralOperator>>,
    goal: Condition,
}

impl Literals {
    /// `None` where the task has other conditions, conditional costs or numbers.
    fn of(task: &Task, poll: &Poll) -> Result<Option<Self>, Limit> {
        let goal = Implied::of(task, task.goal);
        if !goal.exact || goal.never || !task.numbers.is_empty() {
            return Ok(None);
        }
        let reduced = Reduced::without_force(task, poll)?;
        let mut operators = Vec::with_capacity(task.operators.len());
        for (operator, condition) in task.operators.iter().zip(&reduced.conditions) {
            poll.try_step()?;
            let Some(condition) = condition else {
                operators.push(None);
                continue;
            };
            let plain = condition.rest.is_empty()
                && operator.changes.is_empty()
                && operator.costs.iter().all(|(when, _)| *when == TRUE);
            if !plain {
                return Ok(None);
            }
            let mut effects = Vec::with_capacity(operator.effects.len());
            for effect in &operator.effects {
                let condition = Implied::of(task, effect.condition);
                if condition.never {
                    continue;
                }
                if !condition.exact {
                    return Ok(None);
                }
                let deletes = effect.deletes.iter();
                let deletes = deletes.filter(|fact| !effect.adds.contains(fact));
                effects.push(LiteralEffect {
                    condition: literals(&condition.positive, &condition.negative),
                    made: sorted(
                        effect
                            .adds
                            .iter()
                            .map(|fact| fact.0 * 2)
                            .chain(deletes.map(|fact| fact.0 * 2 + 1))
                            .collect(),
                    ),
                });
            }
            effects.sort();
            operators.push(Some(LiteralOperator {
                precondition: literals(&condition.literals.positive, &condition.literals.negative),
                effects,
                cost: operator.unconditional_cost(),
            }));
        }
        Ok(Some(Self {
            operators,
            goal: literals(&goal.positive, &goal.negative),
        }))
    }
}

fn literals(positive: &[FactId], negative: &[FactId]) -> Condition {
    let positive = positive.iter().map(|fact| fact.0 * 2);
    sorted(
        positive
            .chain(negative.iter().map(|fact| fact.0 * 2 + 1))
            .collect(),
    )
}

fn sorted(mut literals: Vec<u32>) -> Condition {
    literals.sort_unstable();
    literals.dedup();
    literals.into_boxed_slice()
}
