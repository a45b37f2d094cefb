//! Solving, checking, rating and generating levels. Results go to Python as JSON text, with the keys
//! of the program's own JSON lines (`docs/formats.md`); the package makes dataclasses of them.

use std::time::Duration;

use ployglot_base::{Budget, Switches};
use ployglot_games::{
    AnyLevel, Game, GameVisitor, Level, LevelVisitor, Ruling, Spec, judge, plan, visit_games,
};
use ployglot_io::row::{Row, rating_json};
use ployglot_solve::{
    Difficulty, LevelSearch, LevelSearchEnd, RatingLimits, Request, Requirements, find_levels,
    rate, routes, solve, solve_anytime,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::level::read;
use crate::run::{Allowance, run};

/// The level of a text that was read before, in the working thread.
fn again(text: &str) -> AnyLevel {
    AnyLevel::read(text).expect("the text was read before")
}

struct Solve<'a> {
    request: Request,
    anytime: bool,
    budget: &'a Budget,
}

impl LevelVisitor for Solve<'_> {
    type Out = Result<String, String>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let answer = match self.anytime {
            true => solve_anytime(&level.game, &self.request, self.budget, |_| ()),
            false => solve(&level.game, &self.request, self.budget),
        };
        let answer = answer.map_err(|refused| refused.to_string())?;
        let row = Row::of(level.title().unwrap_or(G::NAME), level, &answer, false);
        serde_json::to_string(&row).map_err(|error| error.to_string())
    }
}

/// Solves a level; the answer as a line of JSON.
#[pyfunction]
#[pyo3(signature = (text, route, measure, without, anytime, time, memory, threads, progress))]
#[allow(
    clippy::too_many_arguments,
    reason = "each is an argument of the Python function"
)]
pub fn solve_level(
    py: Python,
    text: String,
    route: Option<String>,
    measure: Option<String>,
    without: Vec<String>,
    anytime: bool,
    time: Option<f64>,
    memory: Option<u64>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    read(&text)?;
    let allowed = Allowance {
        time,
        memory,
        threads,
        progress,
    };
    let solved = run(py, allowed, move |budget| {
        let without: Vec<&str> = without.iter().map(String::as_str).collect();
        let request = Request {
            route,
            measure,
            switches: Switches::without(&without),
        };
        again(&text).visit(Solve {
            request,
            anytime,
            budget,
        })
    })?;
    solved.map_err(PyValueError::new_err)
}

struct Check<'a>(&'a str, Option<&'a str>);

impl LevelVisitor for Check<'_> {
    type Out = Result<Value, String>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let measure = ployglot_solve::measure::<G>(self.1).map_err(|bad| bad.0)?;
        let moves = plan::parse(&level.game, self.0).map_err(|bad| bad.to_string())?;
        Ok(match judge(&level.game, measure, &moves) {
            Ruling::Accepted { cost, .. } => {
                json!({ "ruling": "accepted", "cost": cost, "measure": measure })
            }
            Ruling::Missed { shortfall, .. } => {
                json!({ "ruling": "missed", "cost": null, "measure": measure,
                "why": shortfall })
            }
            Ruling::Illegal { at, refusal, .. } => {
                json!({ "ruling": "illegal", "cost": null, "measure": measure,
                "at": at, "why": refusal.0 })
            }
        })
    }
}

/// Replays a plan by the slow rules; the ruling as JSON.
#[pyfunction]
pub fn check_plan(text: &str, plan: &str, measure: Option<&str>) -> PyResult<String> {
    let ruling = read(text)?.visit(Check(plan, measure));
    ruling
        .map(|ruling| ruling.to_string())
        .map_err(PyValueError::new_err)
}

struct Rate<'a>(RatingLimits, &'a Budget);

impl LevelVisitor for Rate<'_> {
    type Out = Result<String, String>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let rating = rate(&level.game, self.0, self.1).map_err(|bad| bad.0)?;
        Ok(rating_json(&rating).to_string())
    }
}

/// Rates a level; the figures as JSON.
#[pyfunction]
#[pyo3(signature = (text, states, time, memory, progress))]
pub fn rate_level(
    py: Python,
    text: String,
    states: Option<usize>,
    time: Option<f64>,
    memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    read(&text)?;
    let allowed = Allowance {
        time,
        memory,
        threads: 1,
        progress,
    };
    let rated = run(py, allowed, move |budget| {
        let mut limits = RatingLimits::default();
        limits.states = states.unwrap_or(limits.states);
        again(&text).visit(Rate(limits, budget))
    })?;
    rated.map_err(PyValueError::new_err)
}

/// What a search for levels needs.
struct Wanted {
    game: String,
    size: Option<(usize, usize)>,
    knobs: Vec<(String, u32)>,
    requirements: Requirements,
    search: LevelSearch,
    each: Duration,
}

struct Generate<'a> {
    wanted: &'a Wanted,
    budget: &'a Budget,
    found: Option<Result<Vec<String>, String>>,
}

impl GameVisitor for Generate<'_> {
    fn visit<G: Game>(&mut self) {
        if self.wanted.game == G::NAME {
            self.found = Some(self.search::<G>());
        }
    }
}

impl Generate<'_> {
    fn search<G: Game>(&self) -> Result<Vec<String>, String> {
        let wanted = self.wanted;
        let (rows, cols) = wanted.size.unwrap_or(G::DEFAULT_SIZE);
        let mut spec = Spec::size(rows, cols);
        for (name, value) in &wanted.knobs {
            if !G::KNOBS.iter().any(|knob| knob.name == name) {
                let known: Vec<&str> = G::KNOBS.iter().map(|knob| knob.name).collect();
                return Err(format!(
                    "{} has no option '{name}'; it has: {}",
                    G::NAME,
                    known.join(", ")
                ));
            }
            spec = spec.with(name, *value);
        }
        let mut levels = Vec::new();
        let one = || self.budget.part(wanted.each);
        let end = find_levels::<G>(
            &spec,
            &wanted.requirements,
            wanted.search,
            self.budget,
            one,
            |found| {
                levels.push(Level::bare(found.level.clone()).print());
                true
            },
        );
        match end {
            LevelSearchEnd::Impossible(why) => Err(why),
            LevelSearchEnd::Defect { route, why, .. } => {
                Err(format!("ployglot has a defect: {route}: {why}"))
            }
            // Fewer levels than asked for were found; the caller sees how many.
            _ => Ok(levels),
        }
    }
}

/// The difficulties that can be asked for.
const DIFFICULTIES: [Difficulty; 5] = [
    Difficulty::Trivial,
    Difficulty::Easy,
    Difficulty::Medium,
    Difficulty::Hard,
    Difficulty::Fiendish,
];

/// Random levels that meet requirements; their texts.
#[pyfunction]
#[pyo3(signature = (game, size, knobs, par, solvable, unique, difficulty, seed, count, tries, each, time, memory, progress))]
#[allow(
    clippy::too_many_arguments,
    reason = "each is an argument of the Python function"
)]
pub fn generate_levels(
    py: Python,
    game: String,
    size: Option<(usize, usize)>,
    knobs: Vec<(String, u32)>,
    par: Option<(u32, u32)>,
    solvable: Option<bool>,
    unique: bool,
    difficulty: Option<String>,
    seed: u64,
    count: usize,
    tries: u64,
    each: f64,
    time: Option<f64>,
    memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<String>> {
    let difficulty = difficulty.map(|word| {
        let found = DIFFICULTIES.iter().find(|each| each.to_string() == word);
        found
            .copied()
            .ok_or_else(|| PyValueError::new_err(format!("unknown difficulty '{word}'")))
    });
    let wanted = Wanted {
        game,
        size,
        knobs,
        requirements: Requirements {
            par: par.map(|(low, high)| low..=high),
            solvable,
            unique,
            difficulty: difficulty.transpose()?.map(|word| word..=word),
            ..Requirements::default()
        },
        search: LevelSearch {
            seed,
            count,
            tries,
            uniform: false,
        },
        each: Duration::try_from_secs_f64(each)
            .map_err(|_| PyValueError::new_err("each is a number of seconds"))?,
    };
    let allowed = Allowance {
        time,
        memory,
        threads: 1,
        progress,
    };
    let made = run(py, allowed, move |budget| {
        let mut generate = Generate {
            wanted: &wanted,
            budget,
            found: None,
        };
        visit_games(&mut generate);
        generate
            .found
            .unwrap_or_else(|| Err(format!("unknown game '{}'", wanted.game)))
    })?;
    made.map_err(PyValueError::new_err)
}

struct Names(Vec<Value>);

impl GameVisitor for Names {
    fn visit<G: Game>(&mut self) {
        let measures: Vec<&str> = G::MEASURES.iter().map(|measure| measure.name).collect();
        let names: Vec<Value> = routes::<G>()
            .iter()
            .map(|route| json!({ "name": route.name, "about": route.about, "measures": route.measures }))
            .collect();
        self.0
            .push(json!({ "game": G::NAME, "measures": measures, "routes": names }));
    }
}

/// The games with their measures and routes, as JSON.
#[pyfunction]
pub fn games() -> String {
    let mut names = Names(Vec::new());
    visit_games(&mut names);
    Value::from(names.0).to_string()
}

/// The built-in levels: name and text.
#[pyfunction]
pub fn builtin_levels() -> Vec<(String, String)> {
    let all = ployglot_io::load::builtins().into_iter();
    all.map(|(game, level)| (format!("{game}/{}", level.name), level.text.to_string()))
        .collect()
}
