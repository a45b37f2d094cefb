//! The routes prove the pars of the built-in levels; and on random levels all routes agree.

use std::time::Duration;

use ployglot_games::template::Template;
use ployglot_games::*;
use ployglot_solve::{Refused, Request, Status, routes, solve};
use ployglot_testing::programs;

/// The time for a proof; generous, so that the test does not fail on a busy machine.
const TIME: Duration = Duration::from_secs(120);

/// The par that a route proves; `None`: a limit was hit, or the route cannot take the level.
fn proven<G: Game>(level: &G, measure: &str, route: Option<&str>, time: Duration) -> Option<Par> {
    let request = Request {
        route: route.map(str::to_string),
        measure: Some(measure.to_string()),
        ..Request::default()
    };
    let answer = match solve(level, &request, &programs::budget().with_time(time)) {
        Ok(answer) => answer,
        Err(Refused::Unfit(_)) => return None,
        Err(bad) => panic!("{bad}"),
    };
    match answer.status {
        Status::Optimal => {
            assert!(answer.checked, "the referee replays every plan");
            answer.cost.map(Par::Cost)
        }
        Status::Unsolvable => Some(Par::Unsolvable),
        Status::Feasible(_) | Status::Limit(_) => None,
        Status::Defect(what) => panic!("{}: {what}", answer.route),
    }
}

/// Measures that only the models of papers optimise: a level need not state a par in them.
const OF_MODELS: [(&str, &str); 3] = [
    ("puzznic", "steps"),
    ("puzznic", "ticks"),
    ("puzznic", "done"),
];

struct CheckPar<'a>(&'a str);

impl LevelVisitor for CheckPar<'_> {
    type Out = ();
    fn visit<G: Game>(self, level: &Level<G>) {
        for measure in G::MEASURES {
            let stated = level.par(measure.name);
            if stated.is_none() && OF_MODELS.contains(&(G::NAME, measure.name)) {
                continue;
            }
            let par = stated.unwrap_or_else(|| panic!("{} has a par in {}", self.0, measure.name));
            let found = proven(&level.game, measure.name, None, TIME);
            assert_eq!(
                found,
                Some(par),
                "{} by its best route, in {}",
                self.0,
                measure.name
            );
        }
    }
}

#[test]
fn built_in_levels_have_the_par_that_they_claim() {
    struct Check;
    impl GameVisitor for Check {
        fn visit<G: Game>(&mut self) {
            for builtin in G::LEVELS {
                let document = Document::parse(builtin.text).expect(builtin.name);
                let level = Level::<G>::parse(&document).expect(builtin.name);
                CheckPar(builtin.name).visit(&level);
            }
        }
    }
    visit_games(&mut Check);
    Check.visit::<Template>();
}

/// On random small levels, all routes that prove a par prove the same one.
#[test]
fn all_routes_agree() {
    struct Check;
    impl GameVisitor for Check {
        fn visit<G: Game>(&mut self) {
            const SIZES: [(usize, usize); 6] = [(2, 3), (3, 3), (3, 4), (4, 3), (4, 4), (1, 6)];
            let mut proofs = 0;
            for seed in 0..90 {
                let (rows, cols) = SIZES[seed as usize % SIZES.len()];
                let Ok(level) = G::generate(&Spec::size(rows, cols), &mut Random::new(1000 + seed))
                else {
                    continue;
                };
                for measure in G::MEASURES {
                    let mut agreed: Option<(Par, String)> = None;
                    for route in routes::<G>() {
                        if !route.measures.contains(&measure.name) {
                            continue;
                        }
                        // Planning models are slow with other engines than A*, so they get fewer
                        // levels.
                        let model = route.name.starts_with("pddl:");
                        let sat = model && route.name.ends_with(":sat");
                        let planner = sat || model && route.name.ends_with(":lazy");
                        if planner && seed % 4 != 0 {
                            continue;
                        }
                        // Constraint models have tests of their own; Kissat and HiGHS restart for
                        // every horizon.
                        let language = |each: &Language| route.name.starts_with(each.prefix());
                        let constraint = Language::ALL.iter().any(language);
                        let restarts = [":kissat", ":mip"]
                            .iter()
                            .any(|end| route.name.ends_with(end));
                        let rare = if restarts { 30 } else { 10 };
                        if constraint && seed % rare != 0 {
                            continue;
                        }
                        // Satisfiability can prove that there is no plan only where the length of
                        // plans is bounded: not worth a long wait.
                        let time = if sat { 60 } else { 500 };
                        let time = Duration::from_millis(time);
                        let Some(par) = proven(&level, measure.name, Some(&route.name), time)
                        else {
                            continue;
                        };
                        proofs += 1;
                        match &agreed {
                            None => agreed = Some((par, route.name)),
                            Some((other, first)) => {
                                let text = Level::bare(level.clone()).print();
                                assert_eq!(
                                    par, *other,
                                    "{} against {first}, {}:\n{text}",
                                    route.name, measure.name
                                );
                            }
                        }
                    }
                }
            }
            assert!(proofs > 100, "{}: only {proofs} proofs", G::NAME);
        }
    }
    visit_games(&mut Check);
    Check.visit::<Template>();
}
