//! The constraint models agree with the rules: on random small levels a sweep over horizons finds
//! the optimum that native search proves, with every switch alone and with all of them together,
//! and nothing if there is no plan.

use std::collections::HashSet;

use ployglot_csp::sat::{Cadical, Dimacs, SatBackend};
use ployglot_csp::{Backend, Problem, SolveResult};
use ployglot_eprime::{Horizon, Model, Params, Ruling as Judgement};
use ployglot_games::*;
use ployglot_solve::{
    GrowingProblem, ModelText, Request, Status, find_switches, model_text, read_solution, solve,
};
use ployglot_testing::programs;

/// Combinations of the switches that change a model's text: none, each alone that adds something,
/// all of these, and all that take something away.
fn choices<G: Game>(model: &ConstraintModel<G>) -> Vec<Vec<&'static ModelSwitch>> {
    let those = |is: fn(&ModelSwitch) -> bool| -> Vec<&'static ModelSwitch> {
        model.switches.iter().filter(|switch| is(switch)).collect()
    };
    let (more, less) = (
        those(|switch| !switch.text.is_empty()),
        those(|switch| !switch.without.is_empty()),
    );
    let mut choices = vec![Vec::new()];
    choices.extend(more.iter().map(|&switch| vec![switch]));
    if more.len() > 1 {
        choices.push(more);
    }
    if !less.is_empty() {
        choices.push(less);
    }
    choices
}

/// The models of the papers are large, and Rust without optimisation is slow. So by default they are
/// tested on one of so many levels, without switches and with all of them.
const PAPER_LEVELS: u64 = 6;

/// The constraints that hold in a solution with this plan.
fn plan_constraints<G: Game>(level: &G, model: &ConstraintModel<G>, plan: &[G::Move]) -> String {
    let fix_move = model.fix_move.expect("a step is a move");
    let moves = plan.iter().zip(1..);
    moves
        .map(|(&mv, step)| format!("\nsuch that {}", fix_move(level, step, mv)))
        .collect()
}

/// The optimal cost that native search proves; `None`: there is no plan.
fn native<G: Game>(level: &G, measure: &str) -> Option<u32> {
    let request = Request {
        measure: Some(measure.to_string()),
        ..Request::default()
    };
    let answer = solve(level, &request, &programs::budget()).expect("the best route fits");
    match answer.status {
        Status::Optimal => answer.cost,
        Status::Unsolvable => None,
        other => panic!("{other:?}"),
    }
}

/// The cost of the first plan of a sweep, and the bound proven by the horizons before it. `None`:
/// no horizon up to the last has a plan.
fn sweep<G: Game>(
    level: &G,
    model: &ConstraintModel<G>,
    text: &str,
    first: u32,
    last: u32,
) -> Option<(u32, u32)> {
    match model.language {
        Language::EssencePrime => sweep_in::<G, Model>(level, model, text, first, last),
        Language::Essence => {
            sweep_in::<G, ployglot_essence::Model>(level, model, text, first, last)
        }
    }
}

fn sweep_in<G: Game, M: ModelText>(
    level: &G,
    model: &ConstraintModel<G>,
    text: &str,
    first: u32,
    last: u32,
) -> Option<(u32, u32)> {
    let (name, budget) = (model.full_name(), programs::budget());
    let parsed = M::read(text, &budget).expect("no limit");
    let parsed = parsed.unwrap_or_else(|bad| panic!("{name}: {bad}"));
    let parameters = (model.parameters)(level).expect("the level fits");
    let params = M::read_params(&parameters, &budget).expect("no limit");
    let params = params.unwrap_or_else(|bad| panic!("{name}: {bad}\n{parameters}"));
    let mut horizon = parsed.horizon(&params, model.horizon);
    let mut backend = SatBackend::<Cadical>::default();
    for steps in first..=last {
        let step = horizon.unroll(steps.into(), &budget).expect("no limit");
        let step = step.unwrap_or_else(|fault| panic!("{name}: {fault}"));
        if step.fresh {
            backend = SatBackend::default();
        }
        let values = match backend.solve(horizon.problem(), &step.assumptions, &budget) {
            SolveResult::Unsatisfiable => continue,
            SolveResult::Satisfiable(values) => values,
            SolveResult::GaveUp(why) => panic!("{why:?}"),
        };
        let solution = horizon.solution(&values).expect("it was unrolled");
        let judgement = horizon.judge().expect("it was unrolled");
        let judgement = judgement.ruling(&solution, &budget).expect("no limit");
        let shown = || format!("{:?}", M::texts(solution.clone()));
        assert!(
            matches!(judgement, Ok(Judgement::Solves(_))),
            "{name}: {judgement:?}\n{}",
            shown()
        );
        let plan = read_solution::<G, M>(level, model, steps, &solution)
            .unwrap_or_else(|why| panic!("{name}: {why}\n{}", shown()));
        match judge(level, model.measure, &plan) {
            Ruling::Accepted { cost, .. } => return Some((cost, (model.least_cost)(level, steps))),
            other => panic!("{name}: {other:?}\n{plan:?}\n{parameters}{}", shown()),
        }
    }
    None
}

/// Checks all models on random levels, and returns how many pairs of level and model were checked.
/// An unsolvable level is skipped if its last horizon is greater than `longest`, because the sweep
/// has to go that far.
fn check<G: Game>(spec: &Spec, seeds: std::ops::Range<u64>, longest: u32) -> usize {
    check_models::<G>(spec, seeds, longest, PAPER_LEVELS)
}

/// The same; the models of the papers are checked on one of `paper_levels` levels.
fn check_models<G: Game>(
    spec: &Spec,
    seeds: std::ops::Range<u64>,
    longest: u32,
    paper_levels: u64,
) -> usize {
    let mut checked = 0;
    for seed in seeds {
        let Ok(level) = G::generate(spec, &mut Random::new(seed)) else {
            continue;
        };
        for model in G::CONSTRAINT {
            if model.is_of_a_paper() && seed % paper_levels != 0 {
                continue;
            }
            if let Err(why) = (model.parameters)(&level) {
                panic!("{}: {why}", model.name);
            }
            if model.sweep == Sweep::Doubling {
                checked += usize::from(check_doubling(&level, model, seed, longest));
                continue;
            }
            let optimum = native(&level, model.measure);
            // A level that is solved at the start has no horizon: its route does not use the model.
            let first = match model.is_of_a_paper() {
                true => 0,
                false => (model.first_horizon)(&level),
            };
            let last = match (optimum, (model.last_horizon)(&level)) {
                (_, Some(last)) if last <= longest => last,
                (Some(cost), Some(last)) => {
                    assert!(
                        (model.least_cost)(&level, first) <= cost,
                        "{}, seed {seed}",
                        model.name
                    );
                    last
                }
                (Some(_), None) => 1_000,
                (None, _) => continue,
            };
            let mut choices = choices(model);
            if model.is_of_a_paper() && paper_levels > 1 {
                let last = choices.pop().unwrap_or_default();
                choices = vec![Vec::new(), last];
            }
            for switches in choices {
                // Start below the bound: the model must refute these horizons itself.
                let begin = if optimum.is_none() {
                    0
                } else {
                    first.saturating_sub(2)
                };
                let found = sweep(&level, model, &model_text(model, &switches), begin, last);
                let names: Vec<&str> = switches.iter().map(|switch| switch.name).collect();
                // The first plan is the cheapest by the model's own measure.
                assert!(
                    found == optimum.map(|cost| (cost, cost)),
                    "{} with {names:?}, seed {seed}: {found:?}, but {optimum:?}\n{}",
                    model.name,
                    (model.parameters)(&level).expect("it fitted before")
                );
            }
            checked += 1;
        }
    }
    checked
}

/// Checks a model whose horizon is doubled, by its route. Returns whether it was checked.
fn check_doubling<G: Game>(level: &G, model: &ConstraintModel<G>, seed: u64, longest: u32) -> bool {
    let optimum = native(level, model.measure);
    let short = (model.last_horizon)(level).is_some_and(|last| last <= longest);
    if optimum.is_none() && !short {
        return false;
    }
    let added = model
        .switches
        .iter()
        .filter(|switch| !switch.text.is_empty());
    let all: String = added.map(|switch| format!("+{}", switch.name)).collect();
    for switches in ["", &all] {
        let request = Request {
            route: Some(format!("{}{switches}:sat", model.full_name())),
            ..Request::default()
        };
        let answer = solve(level, &request, &Budget::unlimited()).expect("the level fits");
        let what = format!("{}{switches}, seed {seed}: {answer:?}", model.name);
        assert_eq!(answer.measure, model.measure, "{what}");
        assert_eq!(answer.cost, optimum, "{what}");
        let expected = match optimum {
            Some(_) => Status::Optimal,
            None => Status::Unsolvable,
        };
        assert_eq!(answer.status, expected, "{what}");
    }
    true
}

/// All models on hundreds of random levels, each by its own measure.
#[test]
#[ignore = "takes many minutes: the papers' models on hundreds of levels"]
fn all_models_agree_on_hundreds_of_levels() {
    let plotting = |rows, cols, colours, goal| {
        Spec::size(rows, cols)
            .with("colours", colours)
            .with("goal", goal)
    };
    let mut checked = check_models::<Plotting>(&plotting(3, 3, 3, 2), 1000..1060, 9, 1);
    checked += check_models::<Plotting>(&plotting(2, 4, 2, 1), 1100..1140, 9, 1);
    checked += check_models::<Plotting>(&plotting(4, 3, 3, 3), 1200..1230, 9, 1);
    let puzznic = |rows, cols, patterns, fill| {
        Spec::size(rows, cols)
            .with("patterns", patterns)
            .with("fill", fill)
    };
    checked += check_models::<Puzznic>(&puzznic(3, 3, 2, 50), 1000..1060, 9, 1);
    checked += check_models::<Puzznic>(&puzznic(3, 5, 2, 40), 1100..1140, 9, 1);
    checked += check_models::<Puzznic>(&puzznic(4, 4, 3, 40), 1200..1230, 9, 1);
    let bombastic = |rows, cols, blocks| {
        Spec::size(rows, cols)
            .with("blocks", blocks)
            .with("walk", 14)
    };
    checked += check_models::<Bombastic>(&bombastic(3, 4, 1), 1000..1060, 8, 1);
    checked += check_models::<Bombastic>(&bombastic(4, 4, 2), 1100..1130, 8, 1);
    assert!(checked > 1000, "{checked}");
}

/// Fixed Steps minimises steps, and a plan with the fewest steps may have more moves than another.
#[test]
fn a_model_is_optimal_by_its_own_measure() {
    let spec = Spec::size(4, 5).with("patterns", 2).with("fill", 45);
    let mut more = 0;
    for seed in 0..40 {
        let Ok(level) = Puzznic::generate(&spec, &mut Random::new(seed)) else {
            continue;
        };
        let of = |measure: &str, route: Option<&str>| {
            let request = Request {
                route: route.map(str::to_string),
                measure: Some(measure.to_string()),
                ..Request::default()
            };
            solve(&level, &request, &Budget::unlimited()).expect("the request is good")
        };
        let (moves, steps) = (of("moves", None), of("steps", None));
        let (Some(fewest), Some(plan)) = (moves.cost, &steps.plan) else {
            continue;
        };
        // The referee counts a plan by any measure.
        for measure in Puzznic::MEASURES {
            let (cost, own) = (
                judge(&level, measure.name, plan),
                of(measure.name, Some("search:uniform")),
            );
            let Ruling::Accepted { cost, .. } = cost else {
                panic!("{cost:?}");
            };
            assert_eq!(own.status, Status::Optimal, "seed {seed}");
            assert!(own.cost <= Some(cost), "seed {seed}, {}", measure.name);
        }
        more += usize::from(plan.len() as u32 > fewest);
    }
    println!("{more} levels where the fewest steps take more moves");
}

/// The text can be read, and its horizon is one of its parameters.
fn has_horizon<G: Game, M: ModelText>(model: &ConstraintModel<G>, text: &str) {
    let what = format!("{} {}", G::NAME, model.full_name());
    let parsed = M::read(text, &Budget::unlimited()).expect("no limit");
    let parsed = parsed.unwrap_or_else(|bad| panic!("{what}: {bad}"));
    assert!(parsed.parameter_names().contains(&model.horizon), "{what}");
}

#[test]
fn every_text_is_a_model() {
    struct Parse;
    impl GameVisitor for Parse {
        fn visit<G: Game>(&mut self) {
            // The rules of a PuzzleScript level are data, which no Essence Prime model reads.
            assert_eq!(
                G::CONSTRAINT.is_empty(),
                G::NAME == "puzzlescript",
                "{}",
                G::NAME
            );
            for model in G::CONSTRAINT {
                for switches in choices(model) {
                    let text = model_text(model, &switches);
                    match model.language {
                        Language::EssencePrime => has_horizon::<G, Model>(model, &text),
                        Language::Essence => {
                            has_horizon::<G, ployglot_essence::Model>(model, &text);
                        }
                    }
                }
                let guesses = model
                    .switches
                    .iter()
                    .any(|switch| switch.name == GUESS.name);
                assert_eq!(
                    guesses,
                    model.fix_move.is_some(),
                    "{} {}",
                    G::NAME,
                    model.name
                );
                assert!(
                    G::MEASURES
                        .iter()
                        .any(|measure| measure.name == model.measure)
                );
            }
        }
    }
    visit_games(&mut Parse);
}

#[test]
fn plotting() {
    let spec = |rows, cols, colours, goal| {
        Spec::size(rows, cols)
            .with("colours", colours)
            .with("goal", goal)
    };
    let mut checked = check::<Plotting>(&spec(3, 3, 3, 2), 0..12, 9);
    checked += check::<Plotting>(&spec(2, 4, 2, 1), 20..32, 9);
    checked += check::<Plotting>(&spec(4, 2, 3, 0), 40..52, 9);
    checked += check::<Plotting>(&spec(3, 1, 2, 1), 60..66, 9);
    checked += check::<Plotting>(&spec(1, 4, 2, 1), 70..76, 9);
    assert!(checked > 80, "{checked}");
}

/// Plotting's switch `lines` rules out no best plan, even without the bounds on states and fees.
#[test]
fn lines_rule_out_no_best_plan() {
    let unbounded = |text: String| {
        let changes = [
            (
                "int(max(1, noSteps-mostShots)..noSteps-3)",
                "int(0..noSteps-1)",
            ),
            ("mostShots be 6", "mostShots be 12"),
            ("most be 12", "most be 20"),
            ("highestFee be max(2, 6 - noColours)", "highestFee be 4"),
            ("FEES be domain int(2..", "FEES be domain int(1.."),
        ];
        changes.iter().fold(text, |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        })
    };
    let mut plans = 0;
    for seed in 0..24 {
        let boards = [(4, 4, 3), (3, 5, 3), (4, 4, 2), (5, 3, 4)];
        let (rows, cols, colours) = boards[seed as usize % boards.len()];
        let spec = Spec::size(rows, cols)
            .with("colours", colours)
            .with("goal", colours + seed as u32 % 3);
        let level = Plotting::generate(&spec, &mut Random::new(seed)).expect("the spec is sound");
        let answer =
            solve(&level, &Request::default(), &programs::budget()).expect("the best route fits");
        let Some(plan) = answer.plan else { continue };
        for model in Plotting::CONSTRAINT
            .iter()
            .filter(|model| model.fix_move.is_some())
        {
            let lines = unbounded(model_text(
                model,
                &find_switches(model, &["lines"]).expect("a switch"),
            ));
            let text = lines + &plan_constraints(&level, model, &plan);
            let steps = plan.len() as u32;
            let found = sweep(&level, model, &text, steps, steps);
            assert_eq!(
                found.map(|found| found.0),
                Some(steps),
                "{}, seed {seed}",
                model.name
            );
            plans += 1;
        }
    }
    assert!(plans > 30, "{plans}");
}

/// The clauses of a problem and the meaning of their literals, read from DIMACS text.
struct Clauses {
    clauses: Vec<Vec<i32>>,
    meanings: Vec<(String, i32)>,
}

impl Clauses {
    fn of(problem: &Problem) -> Self {
        let mut text = Vec::new();
        let dimacs = Dimacs::new(problem, &programs::budget()).expect("no limit");
        dimacs.write(&mut text).expect("it is in memory");
        let (mut clauses, mut meanings) = (Vec::new(), Vec::new());
        for line in String::from_utf8(text).expect("it is text").lines() {
            let number = |word: &str| word.parse::<i32>().expect("a literal");
            if let Some(map) = line.strip_prefix("c map ") {
                let (literal, meaning) = map.split_once(' ').expect("a literal and its meaning");
                meanings.push((meaning.to_string(), number(literal)));
            } else if !line.starts_with(['c', 'p']) {
                let literals = line.split_whitespace().map(number);
                clauses.push(literals.filter(|&literal| literal != 0).collect());
            }
        }
        Self { clauses, meanings }
    }

    /// The literals that follow from the given ones by unit propagation; `None`: a contradiction.
    fn propagate(&self, given: &[i32]) -> Option<HashSet<i32>> {
        let mut known: HashSet<i32> = given.iter().copied().collect();
        loop {
            let before = known.len();
            for clause in &self.clauses {
                let mut open = clause.iter().filter(|&literal| !known.contains(&-literal));
                match (open.next(), open.next()) {
                    (None, _) => return None,
                    (Some(&unit), None) => _ = known.insert(unit),
                    _ => {}
                }
            }
            if known.len() == before {
                return Some(known);
            }
        }
    }
}

/// If the shots are decided, unit propagation alone derives the hand and the grid of each state.
#[test]
fn shots_determine_states_by_unit_propagation() {
    const SHOTS: usize = 4;
    let spec = Spec::size(4, 4).with("colours", 3).with("goal", 3);
    let mut determined = 0;
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let level = Plotting::generate(&spec, &mut random).expect("the spec is sound");
        let (mut state, mut shots) = (level.start(), Vec::new());
        while shots.len() < SHOTS {
            let mut moves = Vec::new();
            level.moves(&state, &mut moves);
            let Some(&shot) = moves.get(random.below(moves.len().max(1))) else {
                break;
            };
            state = level.apply(&state, shot);
            shots.push(shot);
        }
        for model in Plotting::CONSTRAINT
            .iter()
            .filter(|model| model.fix_move.is_some())
        {
            let parsed = Model::parse(model.text).expect("our own text");
            let parameters = (model.parameters)(&level).expect("the level fits");
            let params = Params::parse(&parameters).expect("our own text");
            let mut horizon = Horizon::new(&parsed, &params, model.horizon);
            horizon.unroll(SHOTS as i64 + 3).expect("it is small");
            let clauses = Clauses::of(horizon.problem());
            let fix_move = model.fix_move.expect("a step is a move");
            let given = shots.iter().zip(1..).map(|(&shot, step)| {
                let constraint = fix_move(&level, step, shot);
                let meanings = &mut clauses.meanings.iter();
                let known = meanings.find(|(meaning, _)| *meaning == constraint);
                known.expect("a shot has a literal").1
            });
            // A contradiction is fine: the goal cannot be reached after these shots.
            let Some(known) = clauses.propagate(&given.collect::<Vec<_>>()) else {
                continue;
            };
            for (meaning, literal) in &clauses.meanings {
                let state = ["grid[", "hand["].iter().find_map(|name| {
                    let index = meaning.strip_prefix(name)?;
                    index.split([',', ']']).next()?.parse().ok()
                });
                if state.is_some_and(|state: usize| state <= shots.len()) {
                    let is_known = known.contains(literal) || known.contains(&-literal);
                    assert!(is_known, "{}, seed {seed}: {meaning}", model.name);
                }
            }
            determined += 1;
        }
    }
    assert!(determined > 12, "{determined}");
}

/// Best plans are solutions of the models whose steps are moves, and the switch `guess` changes no
/// answer.
#[test]
fn guesses_are_solutions_and_change_no_answer() {
    fn check<G: Game>(spec: &Spec, seeds: std::ops::Range<u64>) -> usize {
        let mut accepted = 0;
        for seed in seeds {
            let Ok(level) = G::generate(spec, &mut Random::new(seed)) else {
                continue;
            };
            let truth = solve(&level, &Request::default(), &programs::budget());
            let truth = truth.expect("the best route fits");
            let Some(plan) = &truth.plan else { continue };
            for model in G::CONSTRAINT
                .iter()
                .filter(|model| model.fix_move.is_some())
            {
                let name = format!("eprime:{}+guess:sat, seed {seed}", model.name);
                let steps = plan.len() as u32;
                let text = model.text.to_string() + &plan_constraints(&level, model, plan);
                let found = sweep(&level, model, &text, steps, steps);
                assert_eq!(found.map(|found| found.0), truth.cost, "{name}");
                accepted += 1;
                for threads in [1, 2] {
                    let request = Request {
                        route: Some(format!("eprime:{}+guess:sat", model.name)),
                        ..Request::default()
                    };
                    let budget = programs::budget().with_threads(threads);
                    let answer = solve(&level, &request, &budget).expect("the model fits");
                    assert_eq!(answer.status, truth.status, "{name}");
                    assert_eq!(answer.cost, truth.cost, "{name}");
                }
            }
        }
        accepted
    }
    let plotting = Spec::size(3, 3).with("colours", 3).with("goal", 2);
    assert!(check::<Plotting>(&plotting, 0..10) > 10);
    let lunar = Spec::size(4, 4).with("craft", 4).with("edge", 1);
    assert!(check::<LunarLockout>(&lunar, 0..10) > 3);
    let bombastic = Spec::size(3, 4).with("blocks", 1).with("walk", 12);
    assert!(check::<Bombastic>(&bombastic, 0..4) > 3);
}

#[test]
fn puzznic() {
    let spec = |rows, cols, patterns, fill| {
        Spec::size(rows, cols)
            .with("patterns", patterns)
            .with("fill", fill)
    };
    let mut checked = check::<Puzznic>(&spec(3, 3, 2, 50), 0..10, 7);
    checked += check::<Puzznic>(&spec(3, 4, 2, 40), 20..26, 7);
    checked += check::<Puzznic>(&spec(4, 3, 2, 50), 40..46, 7);
    assert!(checked > 30, "{checked}");
}

#[test]
fn pipe_mania() {
    let mut checked = check::<PipeMania>(&Spec::size(3, 3), 0..20, 30);
    checked += check::<PipeMania>(
        &Spec::size(3, 4).with("crosses", 20).with("one-ways", 20),
        20..40,
        30,
    );
    assert!(checked > 60, "{checked}");
}

#[test]
fn lunar_lockout() {
    let mut checked = check::<LunarLockout>(&Spec::size(4, 4).with("craft", 4), 0..20, 6);
    checked += check::<LunarLockout>(
        &Spec::size(4, 5).with("craft", 3).with("edge", 1),
        20..35,
        6,
    );
    checked += check::<LunarLockout>(
        &Spec::size(5, 3).with("craft", 4).with("walls", 4),
        40..55,
        6,
    );
    assert!(checked > 20, "{checked}");
}

#[test]
fn bombastic() {
    let mut checked = check::<Bombastic>(
        &Spec::size(3, 4).with("blocks", 1).with("walk", 12),
        0..10,
        6,
    );
    checked += check::<Bombastic>(
        &Spec::size(4, 3)
            .with("blocks", 2)
            .with("goals", 3)
            .with("walk", 15),
        20..30,
        6,
    );
    assert!(checked > 20, "{checked}");
}

/// Solves random levels by all models and one technology, with one thread and with two: status,
/// cost and bound must be the same. Returns how many were checked, and how many of them have no
/// plan.
fn check_threads<G: Game>(
    technology: &str,
    spec: &Spec,
    seeds: std::ops::Range<u64>,
    longest: u32,
) -> (usize, usize) {
    let (mut checked, mut unsolvable) = (0, 0);
    for seed in seeds {
        let Ok(level) = G::generate(spec, &mut Random::new(seed)) else {
            continue;
        };
        for model in G::CONSTRAINT {
            if model.is_of_a_paper() {
                continue;
            }
            let optimum = native(&level, model.measure);
            let short = (model.last_horizon)(&level).is_some_and(|last| last <= longest);
            if optimum.is_none() && !short {
                continue;
            }
            let request = Request {
                route: Some(format!("{}:{technology}", model.full_name())),
                measure: Some(model.measure.to_string()),
                ..Request::default()
            };
            let answer = |threads| {
                let budget = programs::budget().with_threads(threads);
                solve(&level, &request, &budget).expect("the level fits")
            };
            let (one, two) = (answer(1), answer(2));
            let what = format!("{} {}, seed {seed}: {two:?}", G::NAME, model.name);
            assert_eq!(one.status, two.status, "{what}");
            assert_eq!((one.cost, one.at_least), (two.cost, two.at_least), "{what}");
            assert_eq!(two.cost, optimum, "{what}");
            checked += 1;
            unsolvable += usize::from(two.status == Status::Unsolvable);
        }
    }
    (checked, unsolvable)
}

#[test]
fn two_threads_answer_as_one() {
    let plotting = Spec::size(3, 3).with("colours", 3).with("goal", 1);
    let puzznic = Spec::size(3, 3).with("patterns", 2).with("fill", 50);
    let lockout = Spec::size(4, 4).with("craft", 4);
    let bombastic = Spec::size(3, 4).with("blocks", 1).with("walk", 12);
    let all = [
        check_threads::<Plotting>("sat", &plotting, 100..110, 9),
        check_threads::<Plotting>("cp", &plotting, 110..113, 9),
        check_threads::<Plotting>("sat:kissat", &plotting, 113..116, 9),
        check_threads::<Puzznic>("sat", &puzznic, 100..106, 7),
        check_threads::<PipeMania>("sat", &Spec::size(3, 3), 100..110, 30),
        check_threads::<LunarLockout>("sat", &lockout, 100..112, 6),
        check_threads::<Bombastic>("sat", &bombastic, 100..106, 6),
    ];
    assert!(all.iter().all(|(checked, _)| *checked > 0), "{all:?}");
    let unsolvable: usize = all.iter().map(|(_, unsolvable)| unsolvable).sum();
    assert!(unsolvable > 0, "{all:?}");
}
