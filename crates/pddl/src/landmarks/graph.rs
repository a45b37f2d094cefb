//! The landmark graph: landmarks as nodes, orders as edges.

use ployglot_base::{Budget, Limit, Poll, Space};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::NecessaryLiterals;
use super::reasonable;
use crate::circuit::FactId;
use crate::estimates::{Gate, RelaxedTask};
use crate::lifted::PredicateId;
use crate::task::Task;

/// A literal that every plan makes true, or several of which every plan makes one true.
#[derive(Clone, Debug)]
pub(crate) struct Landmark {
    /// Twice the fact, plus 1 where it must be false; sorted.
    pub literals: Vec<u32>,
    /// Whether it must hold in the end.
    pub goal: bool,
    /// The operators that make it true first, in some plan.
    pub first_achievers: Vec<u32>,
    /// Landmarks that are true at some time before this one is true first.
    pub before: Vec<u32>,
    /// Those of them that are true immediately before this one is true first.
    pub just_before: Vec<u32>,
    /// Landmarks that should be true before this one, by a reasonable order.
    pub better_before: Vec<u32>,
}

/// Landmarks and their orders. The orders have no cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct LandmarkGraph {
    pub landmarks: Vec<Landmark>,
}

/// A set of literals of which one is needed has at most this many.
const MAX_DISJUNCTION: usize = 4;

impl LandmarkGraph {
    /// The landmarks of a task, within a budget. In very large tasks, there are none.
    pub fn new(task: &Task, graph: &RelaxedTask, budget: &Budget) -> Result<Self, Limit> {
        let poll = Poll::new(budget, "landmarks");
        let mut bits = vec![0; task.words()];
        task.pack(&task.start(), &mut bits);
        let Some(necessary) = NecessaryLiterals::new(graph, &bits, &poll)? else {
            return Ok(Self::default());
        };
        let Some(needed) = necessary.of(graph.goal) else {
            return Ok(Self::default());
        };
        // Comparisons of numbers are no landmarks.
        let needed = needed.iter().copied();
        let needed: Vec<u32> = needed
            .filter(|&literal| graph.is_fact(Gate(literal)))
            .collect();
        let mut goals = FxHashSet::default();
        conjuncts(graph, graph.goal, &mut goals);
        let mut builder = Builder {
            task,
            graph,
            necessary: &necessary,
            of_literal: needed.iter().copied().zip(0..).collect(),
            in_disjunction: FxHashSet::default(),
            landmarks: Vec::new(),
        };
        for literal in needed {
            builder.landmarks.push(Landmark {
                literals: vec![literal],
                goal: goals.contains(&literal),
                first_achievers: Vec::new(),
                before: Vec::new(),
                just_before: Vec::new(),
                better_before: Vec::new(),
            });
        }
        let mut next = 0;
        while next < builder.landmarks.len() {
            poll.try_step()?;
            builder.explain(next);
            next += 1;
        }
        let landmarks = builder.landmarks;
        let mut found = Self { landmarks };
        reasonable::add_orders(task, &mut found, &poll)?;
        Ok(found)
    }
}

/// The literals of facts among the conjuncts of a gate.
fn conjuncts(graph: &RelaxedTask, gate: Gate, found: &mut FxHashSet<u32>) {
    let mut open = vec![gate];
    while let Some(gate) = open.pop() {
        if graph.is_fact(gate) {
            found.insert(gate.0);
        } else if graph.is_conjunction(gate) {
            open.extend_from_slice(graph.inputs.of(gate.0));
        }
    }
}

struct Builder<'a> {
    task: &'a Task,
    graph: &'a RelaxedTask,
    necessary: &'a NecessaryLiterals,
    /// The landmark of a literal that is one by itself.
    of_literal: FxHashMap<u32, u32>,
    /// The literals of disjunctive landmarks.
    in_disjunction: FxHashSet<u32>,
    landmarks: Vec<Landmark>,
}

impl Builder<'_> {
    /// Finds the first achievers of a landmark, what they have in common, and the orders that
    /// follow.
    fn explain(&mut self, at: usize) {
        let (graph, necessary) = (self.graph, self.necessary);
        let literals = self.landmarks[at].literals.clone();
        if literals
            .iter()
            .any(|&literal| self.is_true_at_start(literal))
        {
            return;
        }
        if let [only] = literals[..] {
            let earlier = necessary.of(Gate(only)).into_iter().flatten();
            let earlier = earlier.filter(|&&literal| literal != only);
            let before = earlier.filter_map(|literal| self.of_literal.get(literal).copied());
            self.landmarks[at].before = before.collect();
        }
        let mut first_achievers = FxHashSet::default();
        // The conditions of the first achievers, each once.
        let mut conditions = FxHashSet::default();
        for &literal in &literals {
            for &action in graph.achievers.of(literal) {
                let action = &graph.actions[action as usize];
                let condition = action.condition;
                let first = |&literal: &u32| necessary.opens_without(condition, literal);
                if literals.iter().all(first) {
                    first_achievers.insert(action.operator);
                    conditions.insert(condition);
                }
            }
        }
        let mut first_achievers: Vec<u32> = first_achievers.into_iter().collect();
        first_achievers.sort_unstable();
        self.landmarks[at].first_achievers = first_achievers;
        let mut conditions: Vec<Gate> = conditions.into_iter().collect();
        conditions.sort_unstable();
        // For each literal, in how many conditions it occurs; for each predicate, its literals and
        // the last condition that has one.
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        let mut kinds: FxHashMap<PredicateId, Kind> = FxHashMap::default();
        for (number, &condition) in conditions.iter().enumerate() {
            let mut needed = FxHashSet::default();
            conjuncts(graph, condition, &mut needed);
            for literal in needed {
                *counts.entry(literal).or_default() += 1;
                if literal & 1 == 0 {
                    let predicate = self.task.facts[literal as usize / 2].predicate;
                    kinds.entry(predicate).or_default().add(literal, number);
                }
            }
        }
        let mut common: Vec<u32> = counts
            .into_iter()
            .filter(|&(_, count)| count == conditions.len())
            .filter_map(|(literal, _)| self.of_literal.get(&literal).copied())
            .collect();
        common.sort_unstable();
        self.add_before(at, &common);
        let mut kinds: Vec<(PredicateId, Kind)> = kinds.into_iter().collect();
        kinds.sort_unstable_by_key(|(predicate, _)| *predicate);
        for (_, kind) in kinds {
            if kind.conditions == conditions.len() {
                self.add_disjunction(at, kind.literals);
            }
        }
    }

    /// Landmarks that hold immediately before another one becomes true first.
    fn add_before(&mut self, at: usize, earlier: &[u32]) {
        let landmark = &mut self.landmarks[at];
        landmark.just_before.extend_from_slice(earlier);
        landmark.before.extend_from_slice(earlier);
        landmark.before.sort_unstable();
        landmark.before.dedup();
    }

    /// One of these literals holds immediately before the landmark becomes true first. That is a
    /// landmark too, unless one of them is needed by itself or is true at the start.
    fn add_disjunction(&mut self, at: usize, literals: FxHashSet<u32>) {
        if !(2..=MAX_DISJUNCTION).contains(&literals.len()) {
            return;
        }
        let mut literals: Vec<u32> = literals.into_iter().collect();
        literals.sort_unstable();
        let known = |literal: &u32| {
            self.of_literal.contains_key(literal) || self.is_true_at_start(*literal)
        };
        if literals.iter().any(known) {
            return;
        }
        let same = |landmark: &Landmark| landmark.literals == literals;
        if let Some(known) = self.landmarks.iter().position(same) {
            self.add_before(at, &[known as u32]);
            return;
        }
        if literals
            .iter()
            .any(|literal| self.in_disjunction.contains(literal))
        {
            return;
        }
        self.in_disjunction.extend(&literals);
        let number = self.landmarks.len() as u32;
        self.landmarks.push(Landmark {
            literals,
            goal: false,
            first_achievers: Vec::new(),
            before: Vec::new(),
            just_before: Vec::new(),
            better_before: Vec::new(),
        });
        self.add_before(at, &[number]);
    }

    fn is_true_at_start(&self, literal: u32) -> bool {
        self.task.starts_with(FactId(literal / 2)) == (literal & 1 == 0)
    }
}

/// The literals of one predicate in several conditions.
#[derive(Default)]
struct Kind {
    literals: FxHashSet<u32>,
    /// How many conditions have one of them.
    conditions: usize,
    /// The last of these, plus 1.
    last: usize,
}

impl Kind {
    fn add(&mut self, literal: u32, condition: usize) {
        self.literals.insert(literal);
        if self.last != condition + 1 {
            self.conditions += 1;
            self.last = condition + 1;
        }
    }
}
