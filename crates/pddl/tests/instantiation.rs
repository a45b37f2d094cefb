//! The grounder against naive full instantiation: every action and axiom with every binding, every
//! quantifier written out. Both have the same states, the same steps between them at the same cost,
//! and the same goal states.

use std::collections::{BTreeSet, HashMap, HashSet};

use ployglot_base::{Random, Space};
use ployglot_pddl::lifted::*;
use ployglot_pddl::{Step, Task, ground_whole};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::random_task;

/// A predicate and its objects.
type Key = (u16, Vec<u32>);
type Facts = BTreeSet<Key>;

/// A formula without variables.
enum Ground {
    All(Vec<Ground>),
    Any(Vec<Ground>),
    Not(Box<Ground>),
    Fact(Key),
    Constant(bool),
}

impl Ground {
    fn holds(&self, facts: &Facts) -> bool {
        match self {
            Ground::All(parts) => parts.iter().all(|part| part.holds(facts)),
            Ground::Any(parts) => parts.iter().any(|part| part.holds(facts)),
            Ground::Not(body) => !body.holds(facts),
            Ground::Fact(fact) => facts.contains(fact),
            Ground::Constant(value) => *value,
        }
    }
}

struct Instance {
    step: Step,
    precondition: Ground,
    /// The condition, the fact, and whether it is added or deleted.
    effects: Vec<(Ground, Key, bool)>,
    costs: Vec<(Ground, f64)>,
}

struct Naive<'a> {
    domain: &'a Domain,
    problem: &'a Problem,
    instances: Vec<Instance>,
    /// For each stratum, the derived fact, and its body.
    axioms: Vec<Vec<(Key, Ground)>>,
    goal: Ground,
}

impl<'a> Naive<'a> {
    /// `None` where the problem has numbers other than costs.
    fn new(domain: &'a Domain, problem: &'a Problem) -> Option<Self> {
        let mut naive = Naive {
            domain,
            problem,
            instances: Vec::new(),
            axioms: Vec::new(),
            goal: Ground::Constant(true),
        };
        naive.goal = naive.formula(&problem.goal, &[])?;
        for stratum in domain.strata().expect("the parser has checked it") {
            let mut axioms = Vec::new();
            for axiom in domain
                .axioms
                .iter()
                .filter(|axiom| stratum.contains(&axiom.predicate))
            {
                for bound in naive.bindings(&axiom.parameters, &[]) {
                    let head = (axiom.predicate.0, bound.iter().map(|id| id.0).collect());
                    axioms.push((head, naive.formula(&axiom.body, &bound)?));
                }
            }
            naive.axioms.push(axioms);
        }
        for (action, schema) in domain.actions.iter().enumerate() {
            for bound in naive.bindings(&schema.parameters, &[]) {
                let mut instance = Instance {
                    precondition: naive.formula(&schema.precondition, &bound)?,
                    step: Step {
                        action,
                        arguments: bound.clone(),
                    },
                    effects: Vec::new(),
                    costs: Vec::new(),
                };
                naive.effect(&schema.effect, &bound, &[], &mut instance)?;
                naive.instances.push(instance);
            }
        }
        Some(naive)
    }

    /// Every extension of the binding to these variables.
    fn bindings(&self, variables: &[Parameter], bound: &[ObjectId]) -> Vec<Vec<ObjectId>> {
        let mut all = vec![bound.to_vec()];
        for variable in variables {
            let longer = all.iter().flat_map(|bound| {
                let objects = self.problem.objects_of(self.domain, &variable.types);
                objects.map(|object| bound.iter().copied().chain([object]).collect::<Vec<_>>())
            });
            all = longer.collect();
        }
        all
    }

    fn object(&self, term: Term, bound: &[ObjectId]) -> ObjectId {
        match term {
            Term::Object(object) => object,
            Term::Slot(slot) => bound[usize::from(slot.0)],
        }
    }

    fn key(&self, atom: &Atom, bound: &[ObjectId]) -> Key {
        let objects = atom.arguments.iter();
        let objects = objects.map(|&term| self.object(term, bound).0);
        (atom.predicate.0, objects.collect())
    }

    fn formula(&self, formula: &Formula, bound: &[ObjectId]) -> Option<Ground> {
        let all = |parts: &[Formula]| {
            let parts = parts.iter().map(|part| self.formula(part, bound));
            parts.collect::<Option<Vec<Ground>>>()
        };
        let each = |variables: &[Parameter], body: &Formula| {
            let bindings = self.bindings(variables, bound).into_iter();
            let parts = bindings.map(|bound| self.formula(body, &bound));
            parts.collect::<Option<Vec<Ground>>>()
        };
        Some(match formula {
            Formula::And(parts) => Ground::All(all(parts)?),
            Formula::Or(parts) => Ground::Any(all(parts)?),
            Formula::Not(body) => Ground::Not(Box::new(self.formula(body, bound)?)),
            Formula::Exists {
                variables, body, ..
            } => Ground::Any(each(variables, body)?),
            Formula::Forall {
                variables, body, ..
            } => Ground::All(each(variables, body)?),
            Formula::Atom(atom) => Ground::Fact(self.key(atom, bound)),
            Formula::Equal(left, right) => {
                Ground::Constant(self.object(*left, bound) == self.object(*right, bound))
            }
            Formula::Compare(..) => return None,
        })
    }

    /// Adds the effect to the instance. `when` are the conditions around the effect, each with its
    /// binding.
    fn effect(
        &self,
        effect: &Effect,
        bound: &[ObjectId],
        when: &[(&Formula, &[ObjectId])],
        instance: &mut Instance,
    ) -> Option<()> {
        let condition = || {
            let parts = when.iter().map(|(body, bound)| self.formula(body, bound));
            Some(Ground::All(parts.collect::<Option<_>>()?))
        };
        match effect {
            Effect::And(parts) => parts
                .iter()
                .try_for_each(|part| self.effect(part, bound, when, instance))?,
            Effect::Forall {
                variables, body, ..
            } => {
                for bound in self.bindings(variables, bound) {
                    self.effect(body, &bound, when, instance)?;
                }
            }
            Effect::When(formula, body) => {
                let inner: Vec<_> = when.iter().copied().chain([(&**formula, bound)]).collect();
                self.effect(body, bound, &inner, instance)?;
            }
            Effect::Add(atom) | Effect::Delete(atom) => {
                let added = matches!(effect, Effect::Add(_));
                let effect = (condition()?, self.key(atom, bound), added);
                instance.effects.push(effect);
            }
            Effect::Change {
                how: Change::Increase,
                by,
                ..
            } => {
                let by = match by {
                    Expression::Number(by) => *by,
                    Expression::Function(function, terms) => {
                        let objects: Vec<_> =
                            terms.iter().map(|&term| self.object(term, bound)).collect();
                        let mut values = self.problem.values.iter();
                        values
                            .find(|value| value.function == *function && value.arguments == objects)
                            .map_or(f64::NAN, |value| value.value)
                    }
                    _ => return None,
                };
                instance.costs.push((condition()?, by));
            }
            Effect::Change { .. } => return None,
        }
        Some(())
    }

    fn start(&self) -> Facts {
        let facts = self.problem.facts.iter();
        let facts = facts.map(|fact| {
            let objects = fact.arguments.iter().map(|id| id.0).collect();
            (fact.predicate.0, objects)
        });
        facts.collect()
    }

    /// The facts with all derived facts.
    fn closed(&self, facts: &Facts) -> Facts {
        let mut all = facts.clone();
        for stratum in &self.axioms {
            while let Some((head, _)) = stratum
                .iter()
                .find(|(head, body)| !all.contains(head) && body.holds(&all))
            {
                all.insert(head.clone());
            }
        }
        all
    }
}

/// Whether the state has these facts. Facts that have no bit must be as they were at the start.
fn agree(task: &Task, state: &<Task as Space>::State, facts: &Facts, start: &Facts) -> bool {
    let mut known = HashSet::new();
    for (at, fact) in task.facts.iter().enumerate() {
        let key = (
            fact.predicate.0,
            fact.arguments.iter().map(|id| id.0).collect(),
        );
        if state.holds(ployglot_pddl::circuit::FactId(at as u32)) != facts.contains(&key) {
            return false;
        }
        known.insert(key);
    }
    let differ = facts.symmetric_difference(start);
    differ.into_iter().all(|key| known.contains(key))
}

/// Compares at most about `most` states. Returns how many were compared; `None` where the problem
/// has numbers.
fn compare(domain: &Domain, problem: &Problem, most: usize, name: &str) -> Option<usize> {
    let naive = Naive::new(domain, problem)?;
    let task = ground_whole(domain, problem).unwrap_or_else(|bad| panic!("{name}: {bad}"));
    let steps: HashSet<&Step> = task.operators.iter().map(|each| &each.step).collect();
    assert_eq!(steps.len(), task.operators.len(), "{name}: a step twice");
    let first = naive.start();
    let mut seen = HashMap::from([(first.clone(), task.start())]);
    let mut open = vec![first.clone()];
    while let Some(facts) = open.pop() {
        if seen.len() > most {
            break;
        }
        let state = seen[&facts].clone();
        assert!(agree(&task, &state, &facts, &first), "{name}: {facts:?}");
        let all = naive.closed(&facts);
        assert_eq!(task.is_goal(&state), naive.goal.holds(&all), "{name}");
        let mut moves = Vec::new();
        task.moves(&state, &mut moves);
        let listed: HashMap<&Step, _> = moves
            .iter()
            .map(|&mv| (&task.operators[mv.0 as usize].step, mv))
            .collect();
        for instance in &naive.instances {
            let step = &instance.step;
            if !instance.precondition.holds(&all) {
                assert!(!listed.contains_key(step), "{name}: {step:?}");
                continue;
            }
            let firing: Vec<_> = instance
                .effects
                .iter()
                .filter(|(condition, ..)| condition.holds(&all))
                .collect();
            let mut after = facts.clone();
            for (_, fact, _) in firing.iter().filter(|(.., added)| !added) {
                after.remove(fact);
            }
            let adds = firing.iter().filter(|(.., added)| *added);
            after.extend(adds.map(|(_, fact, _)| fact.clone()));
            let Some(&mv) = listed.get(step) else {
                // A step that never changes anything has no operator.
                assert_eq!(after, facts, "{name}: {step:?} is missing");
                continue;
            };
            let costs = instance.costs.iter();
            let cost: f64 = match problem.metric {
                Metric::Steps => 1.0,
                _ => costs
                    .filter(|(condition, _)| condition.holds(&all))
                    .map(|(_, by)| by)
                    .sum(),
            };
            assert_eq!(f64::from(task.cost(&state, mv)), cost, "{name}: {step:?}");
            let next = task.apply(&state, mv);
            match seen.get(&after) {
                Some(known) => assert_eq!(*known, next, "{name}: {step:?}"),
                None => {
                    seen.insert(after.clone(), next);
                    open.push(after);
                }
            }
        }
    }
    Some(seen.len())
}

#[test]
fn small_problems() {
    let mut compared = 0;
    for (domain, problem, _) in FEATURES.iter().chain(CLASSICS) {
        let (domain, problem) = read(domain, problem);
        compared += usize::from(compare(&domain, &problem, 150, &problem.name).is_some());
    }
    assert!(compared >= 11, "{compared}");
}

/// Disjunctions of conditions that do not depend on the state exclude bindings early.
#[test]
fn disjunctions_of_fixed_conditions() {
    let (domain, problem) = read(
        "(define (domain grid) (:requirements :adl)
           (:types coord direction)
           (:constants up left - direction)
           (:predicates (next ?c ?d - coord) (at ?x ?y - coord) (free ?x ?y - coord)
             (door ?x - coord) (open))
           (:action walk
             :parameters (?d - direction ?x ?y ?to-x ?to-y - coord)
             :precondition (and (at ?x ?y) (free ?to-x ?to-y)
               (or (and (= ?d up) (= ?x ?to-x) (next ?y ?to-y))
                   (and (= ?d left) (= ?y ?to-y) (or (next ?x ?to-x) (next ?to-x ?x)))
                   (and (open) (exists (?c - coord) (and (next ?x ?c) (next ?c ?to-x)))
                     (not (door ?y)))))
             :effect (and (at ?to-x ?to-y) (not (at ?x ?y)) (free ?x ?y)
               (not (free ?to-x ?to-y)) (when (or (door ?y) (= ?x ?y)) (open)))))",
        "(define (problem p) (:domain grid) (:objects a b c - coord)
           (:init (at a a) (next a b) (next b c) (door b) (free b a) (free c a) (free a b)
             (free b b) (free c b) (free a c) (free b c) (free c c))
           (:goal (at a c)))",
    );
    let states = compare(&domain, &problem, 1000, "grid");
    assert!(states.is_some_and(|states| states >= 9), "{states:?}");
}

/// A walk with two or three disjunctions of literals and equations, whose parts overlap, between
/// variables and constants of a type and its subtype.
fn random_disjunctions(seed: u64) -> (String, String) {
    let mut random = Random::new(seed);
    let terms = ["?x", "?y", "?z", "c0", "s0"];
    let literal = |random: &mut Random| {
        let mut term = || terms[random.below(terms.len())];
        let (left, right) = (term(), term());
        let atom = match random.below(6) {
            0 | 1 => format!("(= {left} {right})"),
            2 | 3 => format!("(next {left} {right})"),
            4 => format!("(at {left})"),
            _ => "(open)".to_owned(),
        };
        match random.below(5) {
            0 => format!("(not {atom})"),
            _ => atom,
        }
    };
    let mut disjunctions = String::new();
    for _ in 0..2 + random.below(2) {
        disjunctions += " (or";
        for _ in 0..1 + random.below(4) {
            let (first, second) = (literal(&mut random), literal(&mut random));
            disjunctions += &format!(" (and {first} {second})");
        }
        disjunctions += ")";
    }
    let mut facts = String::new();
    let objects = ["c0", "c1", "s0", "s1"];
    for from in objects {
        let to = objects[random.below(objects.len())];
        facts += &format!(" (next {from} {to})");
    }
    let domain = format!(
        "(define (domain walk) (:requirements :adl) (:types special - place)
           (:constants c0 - place s0 - special)
           (:predicates (next ?a ?b - place) (at ?a - place) (open))
           (:action walk :parameters (?x - place ?y - special ?z - place)
             :precondition (and (at ?x){disjunctions})
             :effect (and (not (at ?x)) (at ?z) (when (= ?x ?y) (open)) (when (next ?z ?y) (not (open)))))
           (:action swap :parameters (?x ?y ?z - place)
             :precondition (and{disjunctions}) :effect (and (at ?y) (not (at ?z)))))"
    );
    let problem = format!(
        "(define (problem p) (:domain walk) (:objects c1 - place s1 - special)
           (:init (at c0) (at s1){facts}) (:goal (and (at c1) (open))))"
    );
    (domain, problem)
}

#[test]
fn random_disjunctions_of_fixed_conditions() {
    let mut states = 0;
    for seed in 0..300 {
        let (domain, problem) = random_disjunctions(seed);
        let (domain, problem) = read(&domain, &problem);
        states += compare(&domain, &problem, 100, &format!("seed {seed}")).expect("no numbers");
    }
    assert!(states > 1000, "{states}");
}

/// The number of states that were compared.
fn compare_random(seeds: std::ops::Range<u64>) -> usize {
    let states = seeds.map(|seed| {
        let (domain, problem) = random_task(seed);
        let (domain, problem) = read(&domain, &problem);
        compare(&domain, &problem, 100, &format!("seed {seed}")).expect("no numbers")
    });
    states.sum()
}

#[test]
fn random_tasks() {
    assert!(compare_random(0..300) > 1000);
}

#[test]
#[ignore = "takes minutes"]
fn many_random_tasks() {
    assert!(compare_random(1000..31_000) > 100_000);
}
