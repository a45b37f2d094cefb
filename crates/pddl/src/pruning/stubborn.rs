//! Strong stubborn sets (Valmari 1989; Alkhazraji, Wehrle, Mattmüller and Helmert 2012; Wehrle and
//! Helmert 2014): in each state, a set of operators of which every plan has one that can be moved to
//! the front. Only the applicable operators of the set are tried.
//!
//! The set starts with the achievers of one goal literal that does not hold. For each operator in it
//! that is not applicable, the achievers of one missing literal of its precondition are added; for
//! each that is applicable, all operators that interfere with it: one disables the other, or they
//! make opposite literals true. Operators whose preconditions exclude each other by a mutex group
//! do not interfere: before the second could be applied, another operator would have to disable the
//! first.
//!
//! Where a set prunes little, it costs more than it saves. So after a thousand states, sets are no
//! longer computed if they pruned less than a fifth of the operators, as in Fast Downward. In a task
//! with tens of thousands of operators one set takes as long as many expansions, so there they are
//! judged after fewer states. Several searches of one task share the judgement, and the lists of
//! interfering operators.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ployglot_base::{Budget, Guide, Limit, Poll};

use super::Literals;
use crate::Compact;
use crate::circuit::FactId;
use crate::lists::Lists;
use crate::task::{OperatorId, State, Task};

/// What the stubborn sets of all states have in common.
pub struct StubbornSets<'a> {
    task: &'a Task,
    /// For each operator, the literals of its precondition.
    preconditions: Lists<u32>,
    /// For each operator, the literals that it makes true.
    effects: Lists<u32>,
    /// For each literal, the operators that make it true, and those that need it.
    achievers: Lists<u32>,
    readers: Lists<u32>,
    goal: Box<[u32]>,
    /// For each operator, those that interfere with it, once that was needed.
    interfering: Vec<OnceLock<Box<[u32]>>>,
    /// Whether a search found that the sets prune too little.
    dismissed: AtomicBool,
}

/// After this many states the sets are judged, or after so many operators in all sets; sets that have
/// pruned nothing are judged sooner.
const TRIAL: u64 = 1000;
const TRIAL_OPERATORS: u64 = 2_000_000;
const TRIAL_IN_VAIN: u64 = 300_000;
/// One in this many operators must be pruned.
const WORTHWHILE: u64 = 5;

impl<'a> StubbornSets<'a> {
    /// `None` where the task has numbers, conditional effects, or conditions that are no
    /// conjunctions of literals.
    pub fn new(task: &'a Task, budget: &Budget) -> Result<Option<Self>, Limit> {
        let poll = Poll::new(budget, "stubborn sets");
        let Some(literals) = Literals::of(task, &poll)? else {
            return Ok(None);
        };
        let mut preconditions = Vec::new();
        let mut effects = Vec::new();
        for operator in &literals.operators {
            let Some(operator) = operator else {
                preconditions.push(Vec::new());
                effects.push(Vec::new());
                continue;
            };
            let mut made = Vec::new();
            for effect in &operator.effects {
                if !effect.condition.is_empty() {
                    return Ok(None);
                }
                made.extend_from_slice(&effect.made);
            }
            made.sort_unstable();
            made.dedup();
            // Several effects together: what one adds is not deleted by another.
            let added = made.clone();
            made.retain(|&literal| {
                literal & 1 == 0 || added.binary_search(&(literal ^ 1)).is_err()
            });
            preconditions.push(operator.precondition.to_vec());
            effects.push(made);
        }
        let preconditions: Lists<u32> = preconditions.into_iter().collect();
        let effects: Lists<u32> = effects.into_iter().collect();
        let count = task.facts.len() * 2;
        Ok(Some(Self {
            task,
            achievers: inverse(count, &effects),
            readers: inverse(count, &preconditions),
            preconditions,
            effects,
            goal: literals.goal,
            interfering: vec![OnceLock::new(); task.operators.len()],
            dismissed: AtomicBool::new(false),
        }))
    }
}

/// For each literal, the lists that have it.
fn inverse(literals: usize, lists: &Lists<u32>) -> Lists<u32> {
    let pairs = (0..lists.len() as u32).flat_map(|list| {
        let items = lists.of(list).iter();
        items.map(move |&item| (item, list))
    });
    Lists::sorted(literals, pairs)
}

/// A guide that keeps only the operators of a stubborn set.
pub struct StubbornGuide<'a, G> {
    guide: G,
    /// `None`: sets are not known or not worthwhile, and all operators are kept.
    sets: Option<&'a StubbornSets<'a>>,
    /// Operators whose mark is the number of the current state are in the set.
    marks: Vec<u64>,
    /// The number of the current state, and of all that were narrowed.
    states: u64,
    open: Vec<u32>,
    /// The operators in all sets so far.
    in_sets: u64,
    listed: u64,
    pruned: u64,
    /// Whether the sets have been judged.
    judged: bool,
}

impl<'a, G> StubbornGuide<'a, G> {
    /// Adds stubborn sets to a guide, where there are any.
    pub fn new(guide: G, sets: Option<&'a StubbornSets<'a>>) -> Self {
        let operators = sets.map_or(0, |sets| sets.task.operators.len());
        Self {
            guide,
            sets,
            marks: vec![0; operators],
            states: 0,
            open: Vec::new(),
            in_sets: 0,
            listed: 0,
            pruned: 0,
            judged: false,
        }
    }

    fn add(&mut self, operators: &[u32]) {
        for &operator in operators {
            if std::mem::replace(&mut self.marks[operator as usize], self.states) != self.states {
                self.open.push(operator);
            }
        }
    }
}

impl<'a, G: Guide<Compact<'a>>> Guide<Compact<'a>> for StubbornGuide<'_, G> {
    fn lower_bound(&mut self, state: &State) -> Option<u32> {
        self.guide.lower_bound(state)
    }

    fn is_admissible(&self) -> bool {
        self.guide.is_admissible()
    }

    fn estimate(&mut self, state: &State) -> u32 {
        self.guide.estimate(state)
    }

    fn narrow(&mut self, state: &State, moves: &mut Vec<OperatorId>) {
        self.keep_stubborn(state, moves);
        self.guide.narrow(state, moves);
    }
}

impl<G> StubbornGuide<'_, G> {
    fn keep_stubborn(&mut self, state: &State, moves: &mut Vec<OperatorId>) {
        let Some(sets) = self.sets.filter(|sets| !sets.dismissed.load(Relaxed)) else {
            return;
        };
        // A single operator may have been forced, which is a stubborn set by itself.
        let Some(seed) = sets.missing(&sets.goal, state).filter(|_| moves.len() > 1) else {
            return;
        };
        self.states += 1;
        self.add(sets.achievers.of(seed));
        while let Some(operator) = self.open.pop() {
            self.in_sets += 1;
            match sets.missing(sets.preconditions.of(operator), state) {
                Some(literal) => self.add(sets.achievers.of(literal)),
                None => {
                    let known = &sets.interfering[operator as usize];
                    self.add(known.get_or_init(|| sets.interfering(operator)));
                }
            }
        }
        let before = moves.len();
        moves.retain(|mv| self.marks[mv.0 as usize] == self.states);
        self.listed += before as u64;
        self.pruned += (before - moves.len()) as u64;
        let trial = match self.pruned {
            0 => TRIAL_IN_VAIN,
            _ => TRIAL_OPERATORS,
        };
        if !self.judged && (self.states >= TRIAL || self.in_sets >= trial) {
            self.judged = true;
            if self.pruned * WORTHWHILE < self.listed {
                sets.dismissed.store(true, Relaxed);
            }
        }
    }
}

impl StubbornSets<'_> {
    /// Of the literals that do not hold, the one with the fewest achievers.
    fn missing(&self, literals: &[u32], state: &State) -> Option<u32> {
        let missing = literals.iter().copied();
        let missing =
            missing.filter(|literal| state.holds(FactId(literal / 2)) != (literal & 1 == 0));
        missing.min_by_key(|&literal| self.achievers.of(literal).len())
    }

    /// The operators that interfere with this one.
    fn interfering(&self, operator: u32) -> Box<[u32]> {
        let mut found: Vec<u32> = Vec::new();
        for &made in self.effects.of(operator) {
            // Those that it disables, and those that make the opposite true.
            found.extend_from_slice(self.readers.of(made ^ 1));
            found.extend_from_slice(self.achievers.of(made ^ 1));
        }
        for &needed in self.preconditions.of(operator) {
            // Those that disable it.
            found.extend_from_slice(self.achievers.of(needed ^ 1));
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|&other| other != operator && !self.exclude(operator, other));
        found.into_boxed_slice()
    }

    /// Whether the preconditions of two operators exclude each other.
    fn exclude(&self, one: u32, other: u32) -> bool {
        let needed = self.preconditions.of(other);
        let facts = |literals: &[u32]| -> Vec<FactId> {
            let positive = literals.iter().filter(|&literal| literal & 1 == 0);
            positive.map(|literal| FactId(literal / 2)).collect()
        };
        let others = facts(needed);
        self.preconditions.of(one).iter().any(|literal| {
            needed.binary_search(&(literal ^ 1)).is_ok()
                || literal & 1 == 0
                    && others.iter().any(|&fact| {
                        fact.0 != literal / 2 && {
                            let groups = self.task.groups_of(fact);
                            let shared = |group: &u32| groups.contains(group);
                            self.task.groups_of(FactId(literal / 2)).iter().any(shared)
                        }
                    })
        })
    }
}
