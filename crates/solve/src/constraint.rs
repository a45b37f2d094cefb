//! The routes `eprime:NAME:sat` and their like: the level as a constraint model, unrolled for one horizon after the other in
//! one growing problem, and the first solution read back into moves.
//!
//! Every horizon without a solution is a proven bound. Beyond the longest plan of the model there is nothing left to try:
//! that is the proof that there is no plan. The judge of the original model looks at every solution before it is believed.

use ployglot_base::{Budget, Effort, Limit, Outcome, Progress, Report};
use ployglot_csp::{Backend, Literal, Problem, Verdict};
use ployglot_eprime::{Fault, Horizon, Model, Params, Ruling, Solution, Value};
use ployglot_games::{ConstraintModel, Game};

use crate::lookup::instead;
use crate::pddl::Unfit;

/// A technology that satisfies problems.
#[derive(Clone, Copy)]
pub struct Technology {
    /// As in `eprime:NAME:sat` and `--solver sat`.
    pub name: &'static str,
    pub about: &'static str,
    /// Whether values are probed before it sees a problem once and for all; clause learners are as fast without.
    pub probes: bool,
    /// One solver, ready to follow a growing problem.
    pub make: fn() -> Box<dyn Backend>,
}

/// The one list of technologies.
pub const TECHNOLOGIES: &[Technology] = &[
    Technology {
        name: "sat",
        about: "CaDiCaL, which grows with the horizon",
        probes: false,
        make: || {
            Box::new(ployglot_csp::sat::SatBackend::new(
                ployglot_csp::sat::Cadical::default(),
            ))
        },
    },
    Technology {
        name: "sat:kissat",
        about: "Kissat, anew for each horizon",
        probes: false,
        make: || {
            Box::new(ployglot_csp::sat::SatBackend::new(
                ployglot_csp::sat::Kissat::default(),
            ))
        },
    },
    Technology {
        name: "cp",
        about: "Pumpkin, by lazy clause generation",
        probes: false,
        make: || Box::new(ployglot_csp::cp::CpBackend::default()),
    },
    #[cfg(feature = "mip")]
    Technology {
        name: "mip",
        about: "HiGHS, by branch and cut",
        probes: true,
        make: || Box::new(ployglot_csp::mip::MipBackend::default()),
    },
];

pub fn technology(name: &str) -> Option<&'static Technology> {
    TECHNOLOGIES.iter().find(|known| known.name == name)
}

/// The text of a model with some of its switches on.
pub fn model_text<G: Game>(model: &ConstraintModel<G>, switches: &[&str]) -> Result<String, Unfit> {
    let mut text = model.text.to_string();
    for &name in switches {
        let Some(switch) = model.switches.iter().find(|switch| switch.name == name) else {
            let known = model.switches.iter().map(|switch| switch.name);
            return Err(Unfit(format!(
                "the model '{}' has no switch '{name}'; {}",
                model.name,
                instead(name, known)
            )));
        };
        text.push('\n');
        text.push_str(switch.text);
    }
    Ok(text)
}

/// Solves a level through one of its constraint models.
pub(crate) fn run<G: Game>(
    level: &G,
    model: &ConstraintModel<G>,
    switches: &[&str],
    technology: &Technology,
    budget: &Budget,
) -> Result<Report<G::Move>, Unfit> {
    // Where nothing is to be done, and that costs nothing, there is nothing to model.
    let start = level.start();
    if level.shortfall(&start).is_none() && level.plan_cost(model.measure, &[], &start) == 0 {
        return Ok(Report {
            outcome: Outcome::Optimal {
                plan: Vec::new(),
                cost: 0,
            },
            effort: Effort::default(),
        });
    }
    let text = model_text(model, switches)?;
    let parameters = (model.parameters)(level).map_err(Unfit)?;
    let parsed = Model::parse(&text).map_err(|bad| Unfit(format!("the model: {bad}")))?;
    let params =
        Params::parse(&parameters).map_err(|bad| Unfit(format!("its parameters: {bad}")))?;
    let mut sweep = Sweep {
        horizon: Horizon::new(&parsed, &params, model.horizon),
        backend: (technology.make)(),
        technology,
        effort: Effort::default(),
    };
    let outcome = sweep.outcome(level, model, budget)?;
    Ok(Report {
        outcome,
        effort: sweep.effort,
    })
}

struct Sweep<'m> {
    horizon: Horizon<'m>,
    backend: Box<dyn Backend>,
    technology: &'m Technology,
    effort: Effort,
}

impl Sweep<'_> {
    fn outcome<G: Game>(
        &mut self,
        level: &G,
        model: &ConstraintModel<G>,
        budget: &Budget,
    ) -> Result<Outcome<G::Move>, Unfit> {
        let last = (model.last)(level);
        let mut steps = (model.first)(level).max(1);
        loop {
            if last.is_some_and(|last| steps > last) {
                return Ok(Outcome::Unsolvable);
            }
            let at_least = (model.proves)(level, steps);
            let gave_up = |why: Limit| Ok(Outcome::GaveUp { at_least, why });
            let progress = || Progress {
                phase: "horizon",
                depth: steps,
                at_least,
                expanded: self.effort.expanded,
                ..Progress::default()
            };
            if let Err(limit) = budget.check(progress) {
                return gave_up(limit);
            }
            match self
                .ask(steps, budget)
                .map_err(|fault| Unfit(format!("the model: {}", fault.bad)))?
            {
                Verdict::GaveUp(limit) => return gave_up(limit),
                Verdict::Unsatisfiable => steps += 1,
                Verdict::Satisfiable(values) => {
                    let solution = self.judged(&values)?;
                    let plan = read_solution(level, model, steps, &solution).map_err(Unfit)?;
                    let mut end = level.start();
                    for &mv in &plan {
                        end = level.play(&end, mv).map_err(|refusal| {
                            Unfit(format!("its plan makes an illegal move: {}", refusal.0))
                        })?;
                    }
                    let cost = level.plan_cost(model.measure, &plan, &end);
                    return Ok(match cost <= at_least {
                        true => Outcome::Optimal { plan, cost },
                        false => Outcome::Feasible {
                            plan,
                            cost,
                            at_least,
                            why: Limit::Incomplete,
                        },
                    });
                }
            }
        }
    }

    fn ask(&mut self, steps: u32, budget: &Budget) -> Result<Verdict, Fault> {
        let step = self.horizon.unroll(i64::from(steps))?;
        if step.fresh {
            self.backend = (self.technology.make)();
        }
        let problem: &Problem = self.horizon.problem();
        let assumptions: &[Literal] = &step.assumptions;
        let verdict = self.backend.solve(problem, assumptions, budget);
        let size = self.backend.size();
        self.effort.expanded = self.backend.effort();
        self.effort.generated = size.variables;
        self.effort.stored = size.constraints;
        Ok(verdict)
    }

    /// The solution, if the original model accepts it.
    fn judged(&self, values: &[i32]) -> Result<Solution, Unfit> {
        let problem = self.horizon.problem();
        let defect = |why: String| {
            Unfit(format!(
                "a defect of the back end '{}': {why}",
                self.technology.name
            ))
        };
        ployglot_csp::check::check(problem, values)
            .map_err(|breach| defect(format!("{breach:?}")))?;
        let solution = self
            .horizon
            .solution(values)
            .ok_or_else(|| defect("no solution".to_string()))?;
        let instance = self
            .horizon
            .instance()
            .ok_or_else(|| defect("no instance".to_string()))?;
        match instance.judge(&solution) {
            Ok(Ruling::Solves(_)) => Ok(solution),
            Ok(Ruling::Outside(name)) => Err(defect(format!("'{name}' is outside its domain"))),
            Ok(Ruling::Breaks(bad)) | Err(bad) => Err(defect(bad.to_string())),
        }
    }
}

/// The moves that a solution of a model stands for, whoever found it; `Err`: why they make no sense.
pub fn read_solution<G: Game>(
    level: &G,
    model: &ConstraintModel<G>,
    horizon: u32,
    solution: &Solution,
) -> Result<Vec<G::Move>, String> {
    (model.moves)(level, horizon, &|name, members| {
        look_up(solution, name, members)
    })
}

fn look_up(solution: &Solution, name: &str, members: &[i32]) -> Option<i32> {
    let value = match solution.get(name)? {
        Value::Matrix(matrix) => {
            let members: Vec<i64> = members.iter().map(|&member| i64::from(member)).collect();
            matrix.at(&members)?
        }
        scalar if members.is_empty() => scalar.number()?,
        _ => return None,
    };
    i32::try_from(value).ok()
}
