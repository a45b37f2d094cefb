//! The routes `eprime:NAME:sat` and their like: the level as a constraint model, unrolled for one horizon after the other, in
//! one growing problem where the model allows it, and the first solution read back into moves.
//!
//! Every horizon without a solution is a proven bound. Beyond the longest plan of the model there is nothing left to try:
//! that is the proof that there is no plan. The judge of the original model looks at every solution before it is believed.
//! With two threads a companion works at the next horizon, or, if a plan is guessed, at the greatest below it.

use ployglot_base::{Budget, Effort, Guide, Outcome, Report, Switches};
use ployglot_csp::cp::CpBackend;
use ployglot_csp::sat::{Cadical, Kissat, SatBackend};
use ployglot_csp::{Backend, Literal, Problem, SolveResult};
use ployglot_eprime::{Fault, Horizon, Model, Params, Ruling, Solution, Value};
use ployglot_games::constraint::FixMove;
use ployglot_games::{ConstraintModel, GUESS, Game};
use ployglot_search::beam::{BeamRequest, BeamResult, beam};
use ployglot_search::plan::FoundPlan;

use crate::CannotSolve;
use crate::lookup::instead;
use crate::sweep::{HorizonOutcome, Horizons, KnownPlan, Worker, sweep};

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
    /// The same for a second thread; better one that goes about it differently.
    pub companion: fn() -> Box<dyn Backend>,
}

/// The one list of technologies.
pub const TECHNOLOGIES: &[Technology] = &[
    Technology {
        name: "sat",
        about: "CaDiCaL, which grows with the horizon where the model allows it",
        probes: false,
        make: || Box::new(SatBackend::<Cadical>::default()),
        companion: || Box::new(SatBackend::new(Cadical::without_decision_order())),
    },
    Technology {
        name: "sat:kissat",
        about: "Kissat, anew for each horizon",
        probes: false,
        make: || Box::new(SatBackend::<Kissat>::default()),
        companion: || Box::new(SatBackend::<Kissat>::default()),
    },
    Technology {
        name: "cp",
        about: "Pumpkin, by lazy clause generation",
        probes: false,
        make: || Box::new(CpBackend::default()),
        companion: || Box::new(CpBackend::default()),
    },
    #[cfg(feature = "mip")]
    Technology {
        name: "mip",
        about: "HiGHS, by branch and cut",
        probes: true,
        make: || Box::new(ployglot_csp::mip::MipBackend::default()),
        companion: || Box::new(ployglot_csp::mip::MipBackend::default()),
    },
];

pub fn technology(name: &str) -> Option<&'static Technology> {
    TECHNOLOGIES.iter().find(|known| known.name == name)
}

/// The text of a model with some of its switches on.
pub fn model_text<G: Game>(
    model: &ConstraintModel<G>,
    switches: &[&str],
) -> Result<String, CannotSolve> {
    let mut text = model.text.to_string();
    for &name in switches {
        let Some(switch) = model.switches.iter().find(|switch| switch.name == name) else {
            let known = model.switches.iter().map(|switch| switch.name);
            return Err(CannotSolve(format!(
                "the model '{}' has no switch '{name}'; {}",
                model.name,
                instead(name, known)
            )));
        };
        switch_on(&mut text, switch.text);
    }
    Ok(text)
}

/// A switch adds constraints at the end of a model. Declarations come before all constraints, so those of the switch do too.
fn switch_on(text: &mut String, switch: &str) {
    const CONSTRAINTS: &str = "\nsuch that";
    let declares = |line: &str| !line.trim().is_empty() && !line.starts_with('$');
    let (before, constraints) = match switch.find(CONSTRAINTS) {
        Some(at) if switch[..at].lines().any(declares) => switch.split_at(at),
        _ => ("", switch),
    };
    let first = text.find(CONSTRAINTS).unwrap_or(text.len());
    text.insert_str(first, before);
    text.push('\n');
    text.push_str(constraints);
}

/// Solves a level through one of its constraint models.
pub(crate) fn run<G: Game>(
    level: &G,
    model: &ConstraintModel<G>,
    switches: &[&str],
    technology: &Technology,
    budget: &Budget,
) -> Result<Report<G::Move>, CannotSolve> {
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
    let parameters = (model.parameters)(level).map_err(CannotSolve)?;
    let parsed = Model::parse(&text).map_err(|bad| CannotSolve(format!("the model: {bad}")))?;
    let params =
        Params::parse(&parameters).map_err(|bad| CannotSolve(format!("its parameters: {bad}")))?;
    let task = Task {
        level,
        model,
        technology,
        params: &params,
    };
    let known = match model.fix_move {
        Some(says) if switches.contains(&GUESS.name) => task.guessed(says, &text, budget)?,
        _ => None,
    };
    let (first, last) = ((model.first_horizon)(level).max(1), (model.last_horizon)(level));
    let horizons = Horizons {
        first,
        last,
        lower_bound: &|horizon| (model.proves)(level, horizon),
    };
    let guessed = known.is_some();
    let make = |who: usize| match who {
        1.. if !guessed => task.worker(&parsed, technology.companion),
        _ => task.worker(&parsed, technology.make),
    };
    let workers = budget.threads().min(WORKERS);
    sweep(&horizons, known, workers, make, budget)
}

/// There is one companion, and every worker has a problem of its own in memory.
const WORKERS: usize = 2;

/// A level in a model, for a technology.
struct Task<'m, G: Game> {
    level: &'m G,
    model: &'m ConstraintModel<G>,
    technology: &'m Technology,
    params: &'m Params,
}

impl<G: Game> Task<'_, G> {
    fn worker<'a>(&'a self, text: &'a Model, make: fn() -> Box<dyn Backend>) -> ModelWorker<'a, G> {
        ModelWorker {
            level: self.level,
            model: self.model,
            horizon: Horizon::new(text, self.params, self.model.horizon),
            technology: self.technology,
            make,
            backend: make(),
            spent: 0,
        }
    }

    /// A plan of the native search, if the model accepts it.
    fn guessed(
        &self,
        says: FixMove<G>,
        text: &str,
        budget: &Budget,
    ) -> Result<Option<KnownPlan<G::Move>>, CannotSolve> {
        let Some(plan) = beams(self.level, budget) else {
            return Ok(None);
        };
        let said = plan.iter().zip(1..);
        let said = said.map(|(&mv, step)| format!("\nsuch that {}", says(self.level, step, mv)));
        let text = text.to_string() + &said.collect::<String>();
        let text = Model::parse(&text).map_err(|bad| CannotSolve(format!("the guess: {bad}")))?;
        let horizon = plan.len() as u32;
        match self
            .worker(&text, self.technology.make)
            .solve(horizon, budget)
        {
            HorizonOutcome::Plan { plan, cost } => Ok(Some(KnownPlan {
                horizon,
                plan,
                cost,
            })),
            // Switches rule out plans that are as good as others. A limit will be met again.
            HorizonOutcome::Refuted | HorizonOutcome::GaveUp(_) => Ok(None),
            HorizonOutcome::Failed(why) => Err(why),
        }
    }
}

/// The best plan of some beams, quick beside any model; the last is wide enough for most levels that a model can hold.
fn beams<G: Game>(level: &G, budget: &Budget) -> Option<Vec<G::Move>> {
    const WIDTHS: [usize; 3] = [100, 1_000, 10_000];
    let switches = Switches::all_on();
    let mut guide = level.guide(&switches);
    let at_least = guide.lower_bound(&level.start())?;
    let mut best: Option<FoundPlan<G::Move>> = None;
    for width in WIDTHS {
        let below = best.as_ref().map_or(u32::MAX, |best| best.cost);
        let request = BeamRequest {
            width,
            below,
            at_least,
        };
        match beam(level, &mut guide, &request, budget, &mut Effort::default()) {
            Ok(BeamResult::Found(found)) if found.cost > at_least => best = Some(found),
            Ok(BeamResult::Found(found)) => return Some(found.plan),
            Ok(BeamResult::TooNarrow) => {}
            Ok(BeamResult::Exhausted) | Err(_) => break,
        }
    }
    best.map(|best| best.plan)
}

/// A growing problem, and the solver that follows it.
struct ModelWorker<'m, G: Game> {
    level: &'m G,
    model: &'m ConstraintModel<G>,
    horizon: Horizon<'m>,
    technology: &'m Technology,
    make: fn() -> Box<dyn Backend>,
    backend: Box<dyn Backend>,
    /// By the solvers before this one.
    spent: u64,
}

impl<G: Game> Worker<G::Move> for ModelWorker<'_, G> {
    fn solve(&mut self, horizon: u32, budget: &Budget) -> HorizonOutcome<G::Move> {
        match self.verdict(horizon, budget) {
            Err(fault) => HorizonOutcome::Failed(CannotSolve(format!("the model: {}", fault.bad))),
            Ok(Verdict::GaveUp(limit)) => HorizonOutcome::GaveUp(limit),
            Ok(Verdict::Unsatisfiable) => HorizonOutcome::Refuted,
            Ok(Verdict::Satisfiable(values)) => match self.played(horizon, &values) {
                Ok((plan, cost)) => HorizonOutcome::Plan { plan, cost },
                Err(why) => HorizonOutcome::Failed(why),
            },
        }
    }

    fn effort(&self) -> Effort {
        let size = self.backend.size();
        Effort {
            expanded: self.spent + self.backend.effort(),
            generated: size.variables,
            stored: size.constraints,
        }
    }
}

impl<G: Game> ModelWorker<'_, G> {
    fn verdict(&mut self, horizon: u32, budget: &Budget) -> Result<SolveResult, Fault> {
        let step = self.horizon.unroll(i64::from(horizon))?;
        if step.fresh {
            self.spent += self.backend.effort();
            self.backend = (self.make)();
        }
        let problem: &Problem = self.horizon.problem();
        let assumptions: &[Literal] = &step.assumptions;
        Ok(self.backend.solve(problem, assumptions, budget))
    }

    /// The plan of a solution that its judges accept, and its cost.
    fn played(&self, horizon: u32, values: &[i32]) -> Result<(Vec<G::Move>, u32), CannotSolve> {
        let (level, model) = (self.level, self.model);
        let solution = self.judged(values)?;
        let plan = read_solution(level, model, horizon, &solution).map_err(CannotSolve)?;
        let mut end = level.start();
        for &mv in &plan {
            end = level.play(&end, mv).map_err(|refusal| {
                CannotSolve(format!("its plan makes an illegal move: {}", refusal.0))
            })?;
        }
        let cost = level.plan_cost(model.measure, &plan, &end);
        Ok((plan, cost))
    }

    /// The solution, if the original model accepts it.
    fn judged(&self, values: &[i32]) -> Result<Solution, CannotSolve> {
        let problem = self.horizon.problem();
        let defect = |why: String| {
            CannotSolve(format!(
                "a defect of the back end '{}': {why}",
                self.technology.name
            ))
        };
        ployglot_csp::check::check(problem, values)
            .map_err(|violation| defect(format!("{violation:?}")))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::time::Duration;

    use ployglot_base::{Limit, Progress, Random};
    use ployglot_csp::Size;
    use ployglot_games::{Generation, Models, Plotting, Spec};

    /// The companion of the stubborn one has a plan.
    static FOUND: AtomicBool = AtomicBool::new(false);

    /// Answers nothing; once its companion has a plan, its time is over.
    struct Stubborn;

    /// Tells when it has a plan.
    struct Companion(SatBackend<Cadical>);

    impl Backend for Stubborn {
        fn update(&mut self, _: &Problem, _: &Budget) -> Result<(), Limit> {
            Ok(())
        }

        fn solve(&mut self, _: &Problem, _: &[Literal], budget: &Budget) -> SolveResult {
            while !FOUND.load(Relaxed) {
                if let Err(limit) = budget.check(Progress::default) {
                    return SolveResult::GaveUp(limit);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            SolveResult::GaveUp(Limit::Time)
        }

        fn size(&self) -> Size {
            Size::default()
        }

        fn effort(&self) -> u64 {
            0
        }
    }

    impl Backend for Companion {
        fn update(&mut self, problem: &Problem, budget: &Budget) -> Result<(), Limit> {
            self.0.update(problem, budget)
        }

        fn solve(&mut self, problem: &Problem, given: &[Literal], budget: &Budget) -> SolveResult {
            let verdict = self.0.solve(problem, given, budget);
            FOUND.fetch_or(matches!(verdict, SolveResult::Satisfiable(_)), Relaxed);
            verdict
        }

        fn size(&self) -> Size {
            self.0.size()
        }

        fn effort(&self) -> u64 {
            self.0.effort()
        }
    }

    #[test]
    fn a_limit_keeps_the_plan_of_the_companion_and_the_bound_of_what_was_refuted() {
        let spec = Spec::size(3, 4).with("colours", 3).with("goal", 2);
        let model = &Plotting::CONSTRAINT[0];
        let solve = |level: &Plotting, technology: &Technology, threads: usize| {
            let budget = Budget::unlimited().with_threads(threads);
            let report = run(level, model, &[], technology, &budget);
            report.expect("the level fits").outcome
        };
        let usual = technology("sat").expect("it is listed");
        // A level with more to refute than the first horizon.
        let levels =
            (0..100).filter_map(|seed| Plotting::generate(&spec, &mut Random::new(seed)).ok());
        let (level, cost) = levels
            .filter_map(|level| Some((solve(&level, usual, 1).cost()?, level)))
            .find(|(cost, level)| *cost > (model.first_horizon)(level) + 1)
            .map(|(cost, level)| (level, cost))
            .expect("there is such a level");
        let stubborn = Technology {
            make: || Box::new(Stubborn),
            companion: || {
                Box::new(Companion(
                    SatBackend::new(Cadical::without_decision_order()),
                ))
            },
            ..*usual
        };
        match solve(&level, &stubborn, 2) {
            Outcome::Feasible {
                cost: found,
                at_least,
                why,
                ..
            } => {
                let first = (model.first_horizon)(&level);
                assert_eq!((found, at_least, why), (cost, first, Limit::Time));
            }
            other => panic!("{other:?}"),
        }
    }
}
