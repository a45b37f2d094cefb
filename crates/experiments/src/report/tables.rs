//! The tables of a report.

use ployglot_base::Phase;
use ployglot_certificate::{Claim, certified};

use super::grid::Grid;
use super::results::{Case, Results};
use crate::tasks::ANY_PLAN;

/// Levels solved and PAR2 score of each solver, and the difference that each switch makes: Table 1
/// of Espasa, Miguel and Villaret, CP 2022. (PAR2 is the sum over all levels of the CPU time where
/// the level is solved, and twice the limit where it is not, for any reason.) The column `lies`
/// counts contradicted claims: see `contradictions.rs`. Where some run was ended by the clock, the column
/// `by clock` counts those. Where some level is a built-in one whose par is
/// certified, the column `certified` counts the proven answers that such a certificate confirms.
pub fn summary(results: &Results) -> Grid {
    let switched = results.cases.iter().any(|case| case.base.is_some());
    let mut header = vec![
        "solver",
        "levels",
        "solved",
        "optimal",
        "unsolvable",
        "plans",
        "time",
        "memory",
        "errors",
        "lies",
        "PAR2",
    ];
    let is_listed = |case: &Case| certificate_of(case).is_some();
    let listed = results.cases.iter().any(is_listed);
    let by_clock = |case: &Case| case.outcome() == "time" && case.worst().ended == "wall";
    let clocked = results.cases.iter().any(by_clock);
    if clocked {
        header.insert(TIME + 1, "by clock");
    }
    if listed {
        header.insert(PLANS + 1, "certified");
    }
    if switched {
        header.extend(["Δ solved", "Δ PAR2"]);
    }
    let mut grid = Grid::new(1, header);
    for solver in &results.solvers {
        let cases: Vec<&Case> = results.cases_of(solver).collect();
        let count = |is: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| is(case)).count();
        let ended = |word: &str| count(&|case| !case.solved() && case.outcome() == word);
        let solved_as = |word: &str| count(&|case| case.solved() && case.outcome() == word);
        let contradicted = count(&|case| case.worst().contradiction.is_some());
        let unsolved = ["feasible", "limit", "time", "memory"]
            .map(ended)
            .iter()
            .sum::<usize>();
        let solved = solved(&cases);
        let mut row = vec![
            solver.clone(),
            cases.len().to_string(),
            solved.to_string(),
            solved_as("optimal").to_string(),
            solved_as("unsolvable").to_string(),
            count(&|case| case.worst().checked).to_string(),
            ended("time").to_string(),
            ended("memory").to_string(),
            (cases.len() - solved - contradicted - unsolved).to_string(),
            contradicted.to_string(),
            seconds(par2(&cases)),
        ];
        if clocked {
            row.insert(TIME + 1, count(&by_clock).to_string());
        }
        if listed {
            row.insert(PLANS + 1, count(&is_certified).to_string());
        }
        if switched {
            row.extend(differences(results, &cases));
        }
        grid.rows.push(row);
    }
    let certified = match listed {
        true => " certified: as the certificate of the built-in level proves;",
        false => "",
    };
    let any_plan = match results.cases.iter().any(|case| case.measure == ANY_PLAN) {
        true => ", or, by the measure any-plan, any plan",
        false => "",
    };
    let clock = match clocked {
        true => {
            " by clock: of those under 'time', ended by the limit of wall-clock time, with CPU time left;"
        }
        false => "",
    };
    grid.note = format!(
        "solved: proven optimal or unsolvable{any_plan}; plans: replayed by the referee;{certified}{clock} PAR2: CPU seconds, or twice the limit ({} s) where not solved",
        results.limit()
    );
    grid
}

/// The column `plans`.
const PLANS: usize = 5;
/// The column `time`.
const TIME: usize = 6;

/// What a certificate proves about the level of a case, if it is a built-in one.
fn certificate_of(case: &Case) -> Option<Claim> {
    let mut listed = certified();
    let found = listed.find(|it| it.level == case.level && it.measure == case.measure);
    found.map(|it| it.claim)
}

/// Whether a case is solved as a certificate proves.
fn is_certified(case: &Case) -> bool {
    let found = match (case.solved(), case.outcome().as_str()) {
        (true, "unsolvable") => Some(Claim::Unsolvable),
        (true, "optimal") => case.worst().cost.map(Claim::Cost),
        _ => None,
    };
    found.is_some() && found == certificate_of(case)
}

/// The same figures in the layout of the paper: a row for each route that was also run with
/// switches, with its solved levels and PAR2 score without switches, and the differences with each
/// switch.
pub fn switches(results: &Results) -> Grid {
    // The compared solvers: base, solver, and the name of the difference.
    let mut pairs: Vec<(&str, &str, String)> = Vec::new();
    for case in &results.cases {
        if let Some(base) = &case.base
            && !pairs.iter().any(|(_, solver, _)| *solver == case.solver)
        {
            pairs.push((base, &case.solver, difference(base, &case.solver)));
        }
    }
    let mut names: Vec<&String> = Vec::new();
    for (_, _, name) in &pairs {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let columns = |figure: &str| {
        let plain = std::iter::once(figure.to_string());
        plain
            .chain(names.iter().map(|name| format!("Δ {figure} {name}")))
            .collect::<Vec<_>>()
    };
    let header = std::iter::once("route".to_string())
        .chain(columns("solved"))
        .chain(columns("PAR2"));
    let mut grid = Grid::new(1, header);
    for base in results
        .solvers
        .iter()
        .filter(|solver| pairs.iter().any(|(base, ..)| base == solver))
    {
        let cases: Vec<&Case> = results.cases_of(base).collect();
        let changes = names.iter().map(|name| {
            let with = pairs
                .iter()
                .find(|(of, _, difference)| of == base && difference == *name);
            with.map_or([String::new(), String::new()], |(_, solver, _)| {
                let cases: Vec<&Case> = results.cases_of(solver).collect();
                differences(results, &cases)
            })
        });
        let changes: Vec<[String; 2]> = changes.collect();
        let column = |index: usize| changes.iter().map(move |change| change[index].clone());
        let mut row = vec![base.clone(), solved(&cases).to_string()];
        row.extend(column(0));
        row.push(seconds(par2(&cases)));
        row.extend(column(1));
        grid.rows.push(row);
    }
    grid.note = "differences over the levels that both solvers ran; fewer PAR2 seconds are better"
        .to_string();
    grid
}

/// The part of a solver's name that its base does not have: `+dead-end`, `without box`.
fn difference(base: &str, solver: &str) -> String {
    let (base, solver): (Vec<char>, Vec<char>) = (base.chars().collect(), solver.chars().collect());
    let front = base.iter().zip(&solver).take_while(|(a, b)| a == b).count();
    let rest = base.len() - front;
    solver[front..solver.len().saturating_sub(rest).max(front)]
        .iter()
        .collect::<String>()
        .trim()
        .to_string()
}

fn solved(cases: &[&Case]) -> usize {
    cases.iter().filter(|case| case.solved()).count()
}

fn par2(cases: &[&Case]) -> f64 {
    cases.iter().map(|case| case.par2()).sum()
}

/// The differences of solved levels and PAR2 score from the base of the solver, over the levels
/// that both ran.
fn differences(results: &Results, cases: &[&Case]) -> [String; 2] {
    let Some(base) = cases.first().and_then(|case| case.base.as_ref()) else {
        return [String::new(), String::new()];
    };
    let Some(solver) = cases.first().map(|case| &case.solver) else {
        return [String::new(), String::new()];
    };
    let both = pairs(results, base, solver);
    let (bases, others): (Vec<&Case>, Vec<&Case>) = both.into_iter().unzip();
    if bases.is_empty() {
        return ["-".to_string(), "-".to_string()];
    }
    let more = solved(&others) as i64 - solved(&bases) as i64;
    let longer = par2(&others) - par2(&bases);
    [
        if more == 0 {
            "0".to_string()
        } else {
            format!("{more:+}")
        },
        format!("{longer:+.1}"),
    ]
}

/// How many levels of each family each solver solves.
pub fn families(results: &Results) -> Grid {
    let mut families: Vec<&str> = Vec::new();
    for case in &results.cases {
        if !families.contains(&case.family.as_str()) {
            families.push(&case.family);
        }
    }
    let mut grid = Grid::new(
        1,
        std::iter::once("family".to_string()).chain(results.solvers.iter().cloned()),
    );
    for family in families {
        let cell = |solver: &String| {
            let cases: Vec<&Case> = results
                .cases_of(solver)
                .filter(|case| case.family == family)
                .collect();
            let solved = cases.iter().filter(|case| case.solved()).count();
            if cases.is_empty() {
                "-".to_string()
            } else {
                format!("{solved}/{}", cases.len())
            }
        };
        grid.rows.push(
            std::iter::once(family.to_string())
                .chain(results.solvers.iter().map(cell))
                .collect(),
        );
    }
    grid
}

/// A row for each case.
pub fn levels(results: &Results) -> Grid {
    let header = [
        "level", "family", "measure", "solver", "outcome", "cost", "cpu", "wall", "MB", "expanded",
        "remark",
    ];
    let mut grid = Grid::new(5, header);
    grid.last_column_is_text = true;
    for case in &results.cases {
        let run = case.worst();
        let remark = run
            .contradiction
            .clone()
            .or_else(|| run.message.clone())
            .unwrap_or_default();
        grid.rows.push(vec![
            case.level.clone(),
            case.family.clone(),
            case.measure.clone(),
            case.solver.clone(),
            case.outcome(),
            case.cost(),
            format!("{:.3}", case.cpu()),
            format!("{:.3}", run.wall),
            (case.memory() >> 20).to_string(),
            run.expanded
                .map_or(String::new(), |expanded| expanded.to_string()),
            remark.lines().next().unwrap_or("").to_string(),
        ]);
    }
    grid
}

/// The time of each solver by phase, over the runs that have phases: the mean seconds, and the share
/// of the time before the solver starts.
pub fn phases(results: &Results) -> Grid {
    let names = Phase::ALL.map(|phase| format!("{} s", phase.name()));
    let header = ["solver".to_string(), "runs".to_string()].into_iter();
    let mut grid = Grid::new(1, header.chain(names).chain(["before solving".to_string()]));
    for solver in &results.solvers {
        let all: Option<Vec<[f64; 4]>> = results
            .cases_of(solver)
            .filter(|case| case.phase(0).is_some())
            .map(|case| {
                let seconds: Option<Vec<f64>> = (0..4).map(|phase| case.phase(phase)).collect();
                seconds?.try_into().ok()
            })
            .collect();
        let Some(all) = all.filter(|all| !all.is_empty()) else {
            continue;
        };
        let sum = |phase: usize| all.iter().map(|seconds| seconds[phase]).sum::<f64>();
        let total: f64 = (0..4).map(sum).sum();
        let share = (total - sum(3)) / total.max(1e-9);
        let mut row = vec![solver.clone(), all.len().to_string()];
        row.extend((0..4).map(|phase| format!("{:.3}", sum(phase) / all.len() as f64)));
        row.push(format!("{:.0} %", 100.0 * share));
        grid.rows.push(row);
    }
    grid.note = "mean seconds over the runs that answered by themselves; runs that were killed at a limit have no phases"
        .to_string();
    grid
}

/// A row for each level and a column for each solver: cost and time where it is solved, else the
/// outcome.
pub fn matrix(results: &Results) -> Grid {
    let header = ["level".to_string()].into_iter();
    let mut grid = Grid::new(1, header.chain(results.solvers.iter().cloned()));
    let column = |solver: &String| results.solvers.iter().position(|known| known == solver);
    let mut last: Option<(&str, &str)> = None;
    for case in &results.cases {
        let row = (case.level.as_str(), case.measure.as_str());
        if last != Some(row) {
            last = Some(row);
            let mut cells = vec![String::new(); results.solvers.len() + 1];
            cells[0].clone_from(&case.level);
            grid.rows.push(cells);
        }
        let cell = match (case.solved(), case.cost().as_str()) {
            (true, "-") => format!("{} {} s", case.outcome(), seconds(case.cpu())),
            (true, cost) => format!("{cost} in {} s", seconds(case.cpu())),
            (false, "-") => case.outcome(),
            (false, cost) => format!("{} {cost}", case.outcome()),
        };
        if let (Some(cells), Some(index)) = (grid.rows.last_mut(), column(&case.solver)) {
            cells[index + 1] = cell;
        }
    }
    grid
}

/// The CPU seconds of a solver's solved levels, shortest first.
pub fn solved_times(results: &Results, solver: &str) -> Vec<f64> {
    let mut times: Vec<f64> = results
        .cases_of(solver)
        .filter(|case| case.solved())
        .map(Case::cpu)
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

/// The points of the cactus plot: for each number of levels, the time within which each solver
/// solves that many.
pub fn cactus(results: &Results) -> Grid {
    let mut grid = Grid::new(
        0,
        std::iter::once("solved".to_string()).chain(results.solvers.iter().cloned()),
    );
    let times: Vec<Vec<f64>> = results
        .solvers
        .iter()
        .map(|solver| solved_times(results, solver))
        .collect();
    let most = times.iter().map(Vec::len).max().unwrap_or(0);
    for index in 0..most {
        let cell = |times: &Vec<f64>| {
            times
                .get(index)
                .map_or(String::new(), |time| format!("{time:.3}"))
        };
        grid.rows.push(
            std::iter::once((index + 1).to_string())
                .chain(times.iter().map(cell))
                .collect(),
        );
    }
    grid
}

/// The cases of two solvers on the same level.
pub fn pairs<'a>(results: &'a Results, x: &'a str, y: &'a str) -> Vec<(&'a Case, &'a Case)> {
    let other = |one: &Case| {
        results
            .cases_of(y)
            .find(|case| case.level == one.level && case.measure == one.measure)
    };
    results
        .cases_of(x)
        .filter_map(|one| Some((one, other(one)?)))
        .collect()
}

/// The points of the scatter plot of two solvers.
pub fn scatter(results: &Results, x: &str, y: &str) -> Grid {
    let mut grid = Grid::new(1, ["level", x, y]);
    for (one, other) in pairs(results, x, y) {
        let cell = |case: &Case| {
            if case.solved() {
                format!("{:.3}", case.cpu())
            } else {
                case.outcome()
            }
        };
        grid.rows
            .push(vec![one.level.clone(), cell(one), cell(other)]);
    }
    grid
}

/// Seconds with two decimals below 100, else without.
pub(super) fn seconds(seconds: f64) -> String {
    if seconds < 100.0 {
        format!("{seconds:.2}")
    } else {
        format!("{seconds:.0}")
    }
}
