//! Planning as satisfiability against breadth-first search, which also minimises the number of
//! steps.

use ployglot_base::{Budget, Outcome, Random, Space};
use ployglot_pddl::satplan::{
    Decisions, Encoding, SatOptions, SatReport, Strategy, Unsupported, satplan, shorten,
};
use ployglot_pddl::{LiftedState, Ruling, Step, ground, validate};
use ployglot_testing::pddl::problems::{FEATURES, read};
use ployglot_testing::pddl::search::{fewest_steps, steps};

fn options(encoding: Encoding, strategy: Strategy, step: u32) -> SatOptions {
    SatOptions {
        encoding,
        strategy,
        step,
        decisions: Decisions::Solver,
    }
}

/// Solves a problem with many options; all plans must be valid and all bounds correct.
fn check(domain: &str, problem: &str) {
    let (domain, problem) = read(domain, problem);
    let task = ground(&domain, &problem).unwrap();
    let fewest = fewest_steps(&task, u32::MAX, usize::MAX).expect("the problem is solvable");
    let check_plan = |found: &SatReport| {
        let plan = found.report.outcome.plan().expect("there is a plan");
        let steps = steps(&task, plan);
        let cost = found.report.outcome.cost().unwrap();
        assert_eq!(
            validate(&domain, &problem, &steps),
            Ruling::Valid {
                cost: f64::from(cost)
            }
        );
        assert!(
            found.at_least_steps <= fewest,
            "{}: {found:?}",
            problem.name
        );
        assert!(plan.len() as u32 >= fewest);
    };
    let run = |options| satplan(&task, options, &Budget::unlimited()).unwrap();
    let sequential = run(SatOptions::default());
    check_plan(&sequential);
    assert_eq!(
        (sequential.steps, sequential.at_least_steps),
        (Some(fewest), fewest),
        "{}",
        problem.name
    );
    let parallel = run(options(Encoding::Exists, Strategy::InTurn, 1));
    check_plan(&parallel);
    assert!(
        parallel.steps <= Some(fewest),
        "{}: {parallel:?}",
        problem.name
    );
    assert_eq!(parallel.steps, Some(parallel.at_least_steps));
    // Several threads work on several horizons: the same proofs.
    for threads in [2, 3] {
        let budget = Budget::unlimited().with_threads(threads);
        let run = |options| satplan(&task, options, &budget).unwrap();
        let sequential = run(SatOptions::default());
        check_plan(&sequential);
        let proven = (sequential.steps, sequential.at_least_steps);
        assert_eq!(proven, (Some(fewest), fewest), "{}", problem.name);
        for strategy in [Strategy::Geometric, Strategy::Even] {
            check_plan(&run(options(Encoding::Exists, strategy, 2)));
        }
    }
    // Backward chaining decides: the same proofs, and other plans.
    let chaining = |options| {
        run(SatOptions {
            decisions: Decisions::Chaining,
            ..options
        })
    };
    let chained = chaining(SatOptions::default());
    check_plan(&chained);
    assert_eq!(chained.steps, Some(fewest), "{}", problem.name);
    let chained = chaining(options(Encoding::Exists, Strategy::InTurn, 1));
    check_plan(&chained);
    assert_eq!(chained.steps, parallel.steps, "{}", problem.name);
    for encoding in [Encoding::Sequential, Encoding::Exists] {
        for (strategy, step) in [
            (Strategy::InTurn, 5),
            (Strategy::Geometric, 2),
            (Strategy::Geometric, 5),
            (Strategy::Even, 3),
        ] {
            check_plan(&run(options(encoding, strategy, step)));
            check_plan(&chaining(options(encoding, strategy, step)));
        }
    }
}

#[test]
fn plans_have_the_fewest_steps() {
    for (domain, problem, optimum) in FEATURES {
        let (parsed, wording) = read(domain, problem);
        let task = ground(&parsed, &wording).unwrap();
        if !task.numbers.is_empty() {
            assert_eq!(
                satplan(&task, SatOptions::default(), &Budget::unlimited()),
                Err(Unsupported::Numbers)
            );
        } else if optimum.is_some() {
            check(domain, problem);
        }
    }
}

/// A random problem: switches turn some lamps on, others off, and change others; conditions are
/// about lamps and about derived facts on chains of lamps.
fn lamps(random: &mut Random) -> (String, String) {
    const LAMPS: usize = 7;
    let lamp = |random: &mut Random| format!("(l{})", random.below(LAMPS));
    let literal = |random: &mut Random| match (random.below(5), lamp(random)) {
        (0, _) => format!("(near l{} l{})", random.below(LAMPS), random.below(LAMPS)),
        (1, _) => format!(
            "(not (near l{} l{}))",
            random.below(LAMPS),
            random.below(LAMPS)
        ),
        (2 | 3, lamp) => format!("(not (on {}))", &lamp[1..lamp.len() - 1]),
        (_, lamp) => format!("(on {})", &lamp[1..lamp.len() - 1]),
    };
    let mut actions = String::new();
    for name in 0..9 {
        let precondition = match random.below(4) {
            0 | 3 => literal(random),
            1 => format!("(or {} {})", literal(random), literal(random)),
            _ => format!(
                "(and {} (or {} {}))",
                literal(random),
                literal(random),
                literal(random)
            ),
        };
        let mut effects = String::new();
        for _ in 0..1 + random.below(3) {
            let at = random.below(LAMPS);
            let effect = if random.below(2) == 0 {
                format!("(on l{at})")
            } else {
                format!("(not (on l{at}))")
            };
            effects += &match random.below(2) {
                0 => effect,
                _ => format!("(when {} {effect})", literal(random)),
            };
        }
        actions += &format!(
            "(:action a{name} :parameters () :precondition {precondition} :effect (and {effects}))\n"
        );
    }
    let constants: String = (0..LAMPS).map(|at| format!(" l{at}")).collect();
    let domain = format!(
        "(define (domain lamps) (:requirements :adl :derived-predicates) (:types lamp) (:constants{constants} - lamp)
           (:predicates (on ?l - lamp) (wire ?a ?b - lamp) (near ?a ?b - lamp))
           (:derived (near ?a ?b - lamp) (and (on ?a)
             (or (wire ?a ?b) (exists (?c - lamp) (and (wire ?a ?c) (near ?c ?b))))))
           {actions})"
    );
    let init: String = (0..LAMPS)
        .filter(|_| random.below(2) == 0)
        .map(|at| format!("(on l{at})"))
        .collect();
    let wires: String = (0..8)
        .map(|_| format!("(wire l{} l{})", random.below(LAMPS), random.below(LAMPS)))
        .collect();
    let problem = |goal: &str| {
        format!(
            "(define (problem some) (:domain lamps) (:init {init} {wires}) (:goal (and {goal})))"
        )
    };
    if random.below(4) == 0 {
        let goal: String = (0..4).map(|_| literal(random)).collect();
        return (domain, problem(&goal));
    }
    // Mostly the goal is the last state of a random walk.
    let (parsed, wording) = read(&domain, &problem("(on l0) (not (on l0))"));
    let mut state = LiftedState::initial(&parsed, &wording);
    for _ in 0..40 {
        let step = Step {
            action: random.below(parsed.actions.len()),
            arguments: Vec::new(),
        };
        let mut after = state.clone();
        if after.apply(&step).is_ok() {
            state = after;
        }
    }
    let on = parsed
        .predicates
        .iter()
        .position(|predicate| predicate.name == "on");
    let lit: Vec<usize> = state
        .facts()
        .iter()
        .filter(|fact| Some(fact.predicate.0 as usize) == on)
        .map(|fact| fact.arguments[0].0 as usize)
        .collect();
    let named = |at: usize| wording.objects[at].name.clone();
    let goal: String = (0..LAMPS)
        .map(|at| {
            if lit.contains(&at) {
                format!("(on {})", named(at))
            } else {
                format!("(not (on {}))", named(at))
            }
        })
        .collect();
    (domain, problem(&goal))
}

#[test]
fn random_tasks_with_conditions_and_axioms() {
    let (mut solvable, mut longest, mut refuted) = (0, 0, 0);
    for seed in 0..120 {
        let (domain, problem) = lamps(&mut Random::new(seed));
        let (parsed, wording) = read(&domain, &problem);
        let task = ground(&parsed, &wording).unwrap();
        match fewest_steps(&task, u32::MAX, usize::MAX) {
            Some(steps) => {
                solvable += 1;
                longest = longest.max(steps);
                check(&domain, &problem);
            }
            None => {
                // Either unsolvability is proven, or time runs out.
                let budget = Budget::unlimited().with_time(std::time::Duration::from_millis(30));
                let found = satplan(&task, SatOptions::default(), &budget)
                    .unwrap()
                    .report
                    .outcome;
                assert!(
                    matches!(found, Outcome::Unsolvable | Outcome::GaveUp { .. }),
                    "seed {seed}: {found:?}"
                );
                refuted += u32::from(found == Outcome::Unsolvable);
            }
        }
    }
    assert!(
        solvable > 30 && longest >= 4 && refuted > 5,
        "{solvable} {longest} {refuted}"
    );
}

#[test]
fn redundant_actions_are_removed() {
    let (domain, problem) = read(FEATURES[0].0, FEATURES[0].1);
    let task = ground(&domain, &problem).unwrap();
    let best = satplan(&task, SatOptions::default(), &Budget::unlimited()).unwrap();
    let best = best.report.outcome.plan().unwrap().to_vec();
    // A random walk to the goal.
    let mut state = task.start();
    let mut walk = Vec::new();
    let mut random = Random::new(3);
    for _ in 0..200 {
        let mut moves = Vec::new();
        task.moves(&state, &mut moves);
        let mv = *random.choose(&moves);
        walk.push(mv);
        state = task.apply(&state, mv);
        if task.is_goal(&state) {
            break;
        }
    }
    assert!(task.is_goal(&state) && walk.len() > best.len());
    let (shorter, cost) = shorten(&task, &walk, &Budget::unlimited()).expect("the walk is a plan");
    assert!(shorter.len() < walk.len());
    assert_eq!(
        validate(&domain, &problem, &steps(&task, &shorter)),
        Ruling::Valid {
            cost: f64::from(cost)
        }
    );
    assert_eq!(shorten(&task, &[], &Budget::unlimited()), None);
}
