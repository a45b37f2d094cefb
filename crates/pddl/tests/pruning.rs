//! Stubborn sets and symmetries against the task without pruning: the same optima, and plans that
//! the validator accepts.

use std::sync::Mutex;

use ployglot_base::{Blind, Budget, Guide, Random, Space};
use ployglot_pddl::lifted::{Domain, Problem};
use ployglot_pddl::pruning::{Pruning, Prunings, StubbornGuide, StubbornSets};
use ployglot_pddl::task::OperatorId;
use ployglot_pddl::{Compact, Ruling, Task, ground, validate};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::random_task;
use ployglot_testing::pddl::search::{best_plan, steps};

/// A space with only the moves that stubborn sets keep.
struct Narrowed<'a> {
    space: &'a Compact<'a>,
    guide: Mutex<StubbornGuide<'a, Blind>>,
    /// The moves before and after, over all states.
    moves: Mutex<[usize; 2]>,
}

impl Space for Narrowed<'_> {
    type State = <Task as Space>::State;
    type Move = OperatorId;

    fn start(&self) -> Self::State {
        self.space.start()
    }

    fn is_goal(&self, state: &Self::State) -> bool {
        self.space.is_goal(state)
    }

    fn moves(&self, state: &Self::State, moves: &mut Vec<OperatorId>) {
        assert!(moves.is_empty());
        self.space.moves(state, moves);
        let mut counts = self.moves.lock().expect("no test panicked");
        counts[0] += moves.len();
        let mut guide = self.guide.lock().expect("no test panicked");
        Guide::<Compact>::narrow(&mut *guide, state, moves);
        counts[1] += moves.len();
    }

    fn apply(&self, state: &Self::State, mv: OperatorId) -> Self::State {
        self.space.apply(state, mv)
    }

    fn cost(&self, state: &Self::State, mv: OperatorId) -> u32 {
        self.space.cost(state, mv)
    }

    fn words(&self) -> usize {
        self.space.words()
    }

    fn pack(&self, state: &Self::State, words: &mut [u64]) {
        self.space.pack(state, words)
    }

    fn unpack(&self, words: &[u64]) -> Self::State {
        self.space.unpack(words)
    }
}

/// What was compared: tasks, tasks in which sets pruned, tasks in which symmetric states were merged.
#[derive(Debug, Default)]
struct Compared {
    tasks: usize,
    narrowed: usize,
    symmetric: usize,
}

fn compare(domain: &Domain, problem: &Problem, name: &str, compared: &mut Compared) {
    let budget = Budget::unlimited();
    let task = ground(domain, problem).expect("it is small");
    let Some(expected) = best_plan(&task, 6000) else {
        return;
    };
    compared.tasks += 1;
    let expected = expected.map(|(cost, _)| cost);
    let sets = StubbornSets::new(&task, &budget).expect("no limit");
    let only_sets = Prunings::default().without(Pruning::Symmetries);
    let mut moves = Vec::new();
    for prunings in [Prunings::NONE, only_sets, Prunings::default()] {
        let space = Compact::new(&task, prunings, &budget).expect("no limit");
        let used = sets
            .as_ref()
            .filter(|_| prunings.has(Pruning::StubbornSets));
        let narrowed = Narrowed {
            space: &space,
            guide: Mutex::new(StubbornGuide::new(Blind, used)),
            moves: Mutex::default(),
        };
        let found = best_plan(&narrowed, 6000).expect("it has no more states than the task");
        let cost = found.as_ref().map(|(cost, _)| *cost);
        assert_eq!(cost, expected, "{name} with {prunings:?}");
        if let Some((cost, plan)) = found {
            let steps = steps(&task, &space.unfold(&plan));
            let cost = f64::from(cost);
            let ruling = validate(domain, problem, &steps);
            assert_eq!(ruling, Ruling::Valid { cost }, "{name} with {prunings:?}");
        }
        moves.push(narrowed.moves.into_inner().expect("no test panicked"));
    }
    compared.narrowed += usize::from(moves[1][1] < moves[1][0]);
    compared.symmetric += usize::from(moves[2] < moves[1]);
}

/// A random task of four objects, of which actions change one or two. Most objects are
/// interchangeable with another one, and most actions do not interfere with most others.
fn random_objects(seed: u64) -> (String, String) {
    let random = &mut Random::new(seed);
    let literals = |random: &mut Random, parameters: usize, most: usize| {
        let mut text = String::new();
        for _ in 0..=random.below(most) {
            let fact = format!(
                "({} ?x{})",
                random.choose(&["p", "q", "r"]),
                random.below(parameters)
            );
            text += &if random.chance(1, 3) {
                format!("(not {fact})")
            } else {
                fact
            };
        }
        text
    };
    let mut actions = String::new();
    for action in 0..4 {
        let parameters = if random.chance(1, 3) { 2 } else { 1 };
        let names: String = (0..parameters).map(|at| format!("?x{at} ")).collect();
        let (precondition, effect) = (
            literals(random, parameters, 2),
            literals(random, parameters, 3),
        );
        let cost = random.below(3);
        actions += &format!(
            "(:action a{action} :parameters ({names}) :precondition (and {precondition})
               :effect (and {effect} (increase (total-cost) {cost})))"
        );
    }
    let facts = |random: &mut Random, part: usize| {
        let mut text = String::new();
        for predicate in ["p", "q", "r"] {
            for object in 0..4 {
                if random.chance(1, part) {
                    text += &format!("({predicate} o{object})");
                }
            }
        }
        text
    };
    let goal = match random.below(3) {
        0 => facts(random, 4),
        at => ["(p o0)(p o1)(p o2)(p o3)", "(q o0)(q o1)(r o2)(r o3)"][at - 1].to_string(),
    };
    (
        format!(
            "(define (domain d) (:requirements :negative-preconditions :action-costs)
               (:predicates (p ?x) (q ?x) (r ?x)) (:functions (total-cost)) {actions})"
        ),
        format!(
            "(define (problem p) (:domain d) (:objects o0 o1 o2 o3)
               (:init (= (total-cost) 0) {}) (:goal (and {goal})) (:metric minimize (total-cost)))",
            facts(random, 3)
        ),
    )
}

fn random_tasks(seeds: std::ops::Range<u64>, compared: &mut Compared) {
    for seed in seeds {
        for (kind, (domain, problem)) in
            [random_task(seed), random_objects(seed)].iter().enumerate()
        {
            let (domain, problem) = read(domain, problem);
            compare(
                &domain,
                &problem,
                &format!("random {seed}, kind {kind}"),
                compared,
            );
        }
    }
}

#[test]
fn pruning_keeps_the_optimum() {
    let mut compared = Compared::default();
    for (domain, problem, _) in FEATURES.iter().chain(CLASSICS) {
        let (domain, problem) = read(domain, problem);
        compare(&domain, &problem, &problem.name, &mut compared);
    }
    random_tasks(0..500, &mut compared);
    // The test would be empty if nothing were pruned.
    assert!(
        compared.tasks > 300 && compared.narrowed > 30 && compared.symmetric > 30,
        "{compared:?}"
    );
}

#[test]
#[ignore = "takes minutes"]
fn pruning_keeps_the_optimum_of_many_random_tasks() {
    let mut compared = Compared::default();
    random_tasks(1000..21_000, &mut compared);
    assert!(
        compared.narrowed > 500 && compared.symmetric > 500,
        "{compared:?}"
    );
}

/// Gripper with many balls has few states that are not symmetric: at most `b + 1` choices of the
/// balls in each room and hand.
#[test]
fn balls_are_interchangeable() {
    let balls = |make: &dyn Fn(usize) -> String| (0..12).map(make).collect::<String>();
    let domain = "(define (domain gripper) (:predicates (room ?r) (ball ?b) (hand ?h) (robot ?r) (at ?b ?r)
          (free ?h) (holds ?h ?b))
        (:action move :parameters (?a ?b) :precondition (and (room ?a) (room ?b) (robot ?a))
          :effect (and (robot ?b) (not (robot ?a))))
        (:action pick :parameters (?b ?r ?h) :precondition (and (ball ?b) (room ?r) (hand ?h) (at ?b ?r)
            (robot ?r) (free ?h))
          :effect (and (holds ?h ?b) (not (at ?b ?r)) (not (free ?h))))
        (:action drop :parameters (?b ?r ?h) :precondition (and (ball ?b) (room ?r) (hand ?h) (holds ?h ?b)
            (robot ?r))
          :effect (and (at ?b ?r) (free ?h) (not (holds ?h ?b)))))";
    let problem = format!(
        "(define (problem p) (:domain gripper) (:objects a b left right {})
          (:init (room a) (room b) (hand left) (hand right) (robot a) (free left) (free right) {})
          (:goal (and {})))",
        balls(&|ball| format!("ball{ball} ")),
        balls(&|ball| format!("(ball ball{ball}) (at ball{ball} a) ")),
        balls(&|ball| format!("(at ball{ball} b) ")),
    );
    let (domain, problem) = read(domain, &problem);
    let task = ground(&domain, &problem).expect("it is small");
    let space = Compact::new(&task, Prunings::default(), &Budget::unlimited()).expect("no limit");
    let (cost, plan) = best_plan(&space, 1000)
        .expect("there are few states")
        .expect("a plan");
    // Two balls on each of six trips, five ways back.
    assert_eq!(cost, 12 * 2 + 6 + 5);
    let ruling = validate(&domain, &problem, &steps(&task, &space.unfold(&plan)));
    assert_eq!(
        ruling,
        Ruling::Valid {
            cost: f64::from(cost)
        }
    );
}
