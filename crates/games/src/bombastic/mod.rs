//! Bombastic: an avatar pushes blocks onto goals, and the ice behind it melts. README.md has the
//! rules.

mod analysis;
mod assignment;
mod bits;
mod bound;
mod constraint;
mod dominance;
mod fast;
mod formats;
mod generate;
mod lessons;
mod listing;
mod picture;
mod planning;
mod rules;
mod symbols;
mod text;

pub use rules::{Bombastic, Melted, Move, State, Tile};

use crate::*;

impl Game for Bombastic {
    const NAME: &'static str = "bombastic";
    const README: &'static str = include_str!("README.md");
    const LESSONS: &'static [Lesson] = lessons::LESSONS;
    const LEVELS: &'static [BuiltinLevel] = levels![
        "01-first-push",
        "02-round-the-corner",
        "03-cold-start",
        "04-frozen-goals",
        "05-thin-ice",
        "06-long-way",
        "07-cornered",
        "08-one-way-bridge",
        "09-choice-of-three",
        "10-archipelago",
        "11-far-side",
        "12-thaw",
        "13-last-floe",
        "14-pack-ice",
        "15-four-errands",
        "16-meltwater",
    ];
}

impl Models for Bombastic {
    const PLANNING: &'static [PlanningModel<Self>] = planning::MODELS;
    const CONSTRAINT: &'static [ConstraintModel<Self>] = constraint::MODELS;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use ployglot_testing::skip::shared_data;

    use super::*;

    /// The least number of steps by breadth-first search over the slow rules; `Err` if that takes
    /// more than `most` states. Shares no code with the searches.
    pub(super) fn least_steps(level: &Bombastic, most: usize) -> Result<Option<u32>, usize> {
        // Blocks are interchangeable, so the seen states have them in order.
        let key = |state: &State| {
            let mut key = state.clone();
            key.blocks.sort_unstable();
            key
        };
        let mut seen = HashSet::from([key(&level.start())]);
        let mut layer = vec![level.start()];
        for depth in 0.. {
            if layer.iter().any(|state| level.shortfall(state).is_none()) {
                return Ok(Some(depth));
            }
            let mut next = Vec::new();
            for state in &layer {
                let steps = Side::ALL
                    .iter()
                    .filter_map(|&side| level.play(state, Move(side)).ok());
                next.extend(steps.filter(|state| seen.insert(key(state))));
            }
            if seen.len() > most {
                return Err(most);
            }
            if next.is_empty() {
                return Ok(None);
            }
            layer = next;
        }
        unreachable!("a finite board has finitely many layers");
    }

    #[test]
    fn the_pars_of_small_levels_are_the_optima() {
        let mut proven = 0;
        for builtin in Bombastic::LEVELS {
            let document = Document::parse(builtin.text).unwrap();
            let level = Level::<Bombastic>::parse(&document).unwrap();
            let Ok(steps) = least_steps(&level.game, 100_000) else {
                continue;
            };
            let par = steps.map_or(Par::Unsolvable, Par::Cost);
            assert_eq!(level.par("steps"), Some(par), "{}", builtin.name);
            proven += 1;
        }
        assert!(proven >= 8, "only {proven} levels are small enough");
    }

    #[test]
    fn the_search_proves_every_par() {
        for builtin in Bombastic::LEVELS {
            let document = Document::parse(builtin.text).unwrap();
            let level = Level::<Bombastic>::parse(&document).unwrap();
            let steps = searched(&level.game, &Switches::all_on());
            let par = steps.map_or(Par::Unsolvable, Par::Cost);
            assert_eq!(level.par("steps"), Some(par), "{}", builtin.name);
        }
    }

    /// The optimum by `search:dominance`, whose plan the referee checks; `None`: unsolvable.
    fn searched(level: &Bombastic, switches: &Switches) -> Option<u32> {
        let search = Bombastic::SEARCHES[0].run;
        match search(level, "steps", switches, &Budget::unlimited()).outcome {
            Outcome::Optimal { plan, cost } => match judge(level, "steps", &plan) {
                Ruling::Accepted { cost: steps, .. } if steps == cost => Some(cost),
                ruling => panic!("cost {cost}, but {ruling:?}"),
            },
            Outcome::Unsolvable => None,
            outcome => panic!("without a limit the search ended with {outcome:?}"),
        }
    }

    /// External levels, if they are beside the project: the small ones have the known optimum.
    #[test]
    fn the_known_optima_hold() {
        let Some(data) = shared_data() else {
            return;
        };
        let optima = std::fs::read_to_string(data.join("optima.csv")).expect("a table");
        let mut proven = 0;
        for line in optima.lines() {
            let columns: Vec<&str> = line.split(',').collect();
            let ["bombastic", file, "steps", optimum] = columns[..] else {
                continue;
            };
            let text = std::fs::read_to_string(data.join(file)).expect("a level");
            let AnyLevel::Bombastic(level) = AnyLevel::read(&text).expect("a level") else {
                panic!("{file} is taken for another game");
            };
            let describe =
                |steps: Option<u32>| steps.map_or("unsolvable".to_string(), |n| n.to_string());
            if level.game.tiles.cells().len() <= 56 {
                let steps = searched(&level.game, &Switches::all_on());
                assert_eq!(describe(steps), optimum, "{file}");
            }
            if let Ok(steps) = least_steps(&level.game, 15_000) {
                assert_eq!(describe(steps), optimum, "{file}");
                proven += 1;
            }
        }
        assert!(proven > 0, "no level is small enough");
    }

    /// Random levels of many kinds, small enough for `least_steps`.
    fn random_levels(count: u64) -> impl Iterator<Item = Bombastic> {
        (0..count)
            .map(|seed| {
                let mut random = Random::new(seed);
                let (rows, cols) = (1 + random.below(5), 2 + random.below(4));
                let blocks = 1 + random.below(3.min(rows * cols - 1)) as u32;
                let spec = Spec::size(rows, cols)
                    .with("blocks", blocks)
                    .with("goals", blocks + u32::from(random.chance(1, 5)))
                    .with("ice", [0, 20, 40, 70][random.below(4)])
                    .with("dead", [0, 10, 25][random.below(3)])
                    .with("walk", [0, 20, 80][random.below(3)]);
                Bombastic::generate(&spec, &mut random)
            })
            .filter_map(Result::ok)
    }

    #[test]
    fn the_search_is_optimal_with_all_rules_and_without_each() {
        let mut switches = vec![Switches::all_on()];
        let rules = Bombastic::RULES.iter();
        switches.extend(rules.map(|rule| Switches::without(&[rule.name])));
        let mut counts = [0, 0];
        for level in random_levels(3000) {
            let Ok(truth) = least_steps(&level, 4000) else {
                continue;
            };
            counts[usize::from(truth.is_some())] += 1;
            for switches in &switches {
                let board = || level.write(&level.start()).rows.join("\n");
                let found = searched(&level, switches);
                assert_eq!(found, truth, "without {:?}\n{}", switches.off(), board());
            }
        }
        assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
    }

    #[test]
    fn no_optimal_plan_is_longer_than_the_depth() {
        let (mut solvable, mut tight) = (0, 0);
        for level in random_levels(1500) {
            let Ok(Some(steps)) = least_steps(&level, 4000) else {
                continue;
            };
            let depth = dominance::depth(&level, u64::MAX).expect("there is no limit");
            let board = || level.write(&level.start()).rows.join("\n");
            assert!(steps <= depth, "{steps} > {depth}\n{}", board());
            solvable += 1;
            tight += u32::from(steps == depth && steps > 0);
        }
        assert!(solvable > 150 && tight > 10, "{solvable}, {tight}");
    }

    /// Its work is limited: on this board it would take seconds.
    #[test]
    fn the_depth_is_unknown_where_it_takes_too_much_work() {
        let spec = Spec::size(12, 12).with("blocks", 5).with("ice", 40);
        let level = Bombastic::generate(&spec, &mut Random::new(1)).expect("a level");
        assert_eq!(dominance::depth(&level, 20_000), None);
    }
}
