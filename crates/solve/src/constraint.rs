//! The routes `eprime:NAME:sat`, `essence:NAME:sat` and the like: the level as a constraint model,
//! unrolled for one horizon after the other, in one growing problem where the model allows it, and the first
//! solution read back into moves.
//!
//! Every horizon without a solution is a proven bound. If no horizon up to the model's longest plan
//! has a solution, there is no plan. Every solution is checked against the original model before it
//! is used. With two threads a companion works at the next horizon or, if a plan was guessed,
//! at the greatest horizon below it.

use ployglot_base::text::unknown;
use ployglot_base::{Budget, Effort, Limit, Outcome, Phase, Report};
use ployglot_csp::{Backend, Literal, Optimum, SolveResult, optimise};
use ployglot_engines::plan_by_beams;
use ployglot_eprime::Fault;
use ployglot_games::constraint::FixMove;
use ployglot_games::{ConstraintModel, FROM_ONE, GUESS, Game, Language, ModelSwitch, Sweep};

use crate::language::{GrowingProblem, ModelText};
use crate::solution::{check_solution, read_solution};
use crate::sweep::{HorizonOutcome, Horizons, KnownPlan, Worker, sweep};
use crate::technology::Technology;
use crate::{BadRequest, CannotSolve};

/// The switches of a model by their names.
pub fn find_switches<G: Game>(
    model: &ConstraintModel<G>,
    names: &[impl AsRef<str>],
) -> Result<Vec<&'static ModelSwitch>, BadRequest> {
    let find = |name: &str| {
        let found = model.switches.iter().find(|switch| switch.name == name);
        found.ok_or_else(|| {
            let what = format!("switch of {}", model.full_name());
            let known = model.switches.iter().map(|switch| switch.name);
            BadRequest(unknown(&what, name, known))
        })
    };
    names.iter().map(|name| find(name.as_ref())).collect()
}

/// The text of a model with some of its switches on.
pub fn model_text<G: Game>(model: &ConstraintModel<G>, switches: &[&ModelSwitch]) -> String {
    model.text_with(switches)
}

/// Solves a level through one of its constraint models.
pub(crate) fn run<G: Game>(
    level: &G,
    model: &ConstraintModel<G>,
    measure: &str,
    switches: &[&ModelSwitch],
    technology: Technology,
    budget: &Budget,
) -> Result<Report<G::Move>, CannotSolve> {
    technology.ready(budget).map_err(CannotSolve::Missing)?;
    let backends = Backends {
        name: technology.name(),
        first: &|| technology.backend_for_moves(),
        companion: &|| technology.companion(),
    };
    match model.language {
        Language::EssencePrime => {
            type Model = ployglot_eprime::Model;
            run_with::<G, Model>(level, model, measure, switches, &backends, budget)
        }
        Language::Essence => {
            type Model = ployglot_essence::Model;
            run_with::<G, Model>(level, model, measure, switches, &backends, budget)
        }
    }
}

/// Makes a solver.
type MakeBackend<'a> = &'a (dyn Fn() -> Box<dyn Backend> + Sync);

/// The solvers of a sweep.
struct Backends<'a> {
    /// The name of their technology, for messages.
    name: &'a str,
    /// Makes the solver of the first worker.
    first: MakeBackend<'a>,
    /// Makes the solver of the second worker.
    companion: MakeBackend<'a>,
}

/// A sweep has at most one companion: every worker has a problem of its own in memory.
const WORKERS: usize = 2;

fn run_with<G: Game, M: ModelText>(
    level: &G,
    model: &ConstraintModel<G>,
    measure: &str,
    switches: &[&ModelSwitch],
    backends: &Backends,
    budget: &Budget,
) -> Result<Report<G::Move>, CannotSolve> {
    // Models need a horizon of at least 1, so an empty plan that costs nothing is answered here.
    let start = level.start();
    if level.shortfall(&start).is_none() && level.plan_cost(measure, &[], &start) == 0 {
        return Ok(Report {
            outcome: Outcome::Optimal {
                plan: Vec::new(),
                cost: 0,
            },
            effort: Effort::default(),
        });
    }
    let text = model_text(model, switches);
    let parameters = (model.parameters)(level).map_err(CannotSolve::Unfit)?;
    let has = |switch: &ModelSwitch| switches.iter().any(|on| on.name == switch.name);
    let first = match has(&FROM_ONE) {
        true => 1,
        false => (model.first_horizon)(level).max(1),
    };
    let last = (model.last_horizon)(level);
    let least_cost = model.least_cost_by(measure).unwrap_or(|_, _| 0);
    let read = budget.timed(Phase::Reading, || {
        M::read(&text, budget).and_then(|model| Ok((model, M::read_params(&parameters, budget)?)))
    });
    let (parsed, params) = match read {
        Ok(read) => read,
        Err(why) => {
            let at_least = least_cost(level, first);
            return Ok(Report {
                outcome: Outcome::GaveUp { at_least, why },
                effort: Effort::default(),
            });
        }
    };
    let parsed =
        parsed.map_err(|bad| CannotSolve::Defect(format!("the model cannot be read: {bad}")))?;
    let params = params.map_err(|bad| {
        CannotSolve::Defect(format!("the model's parameters cannot be read: {bad}"))
    })?;
    let modelled = ModelledLevel::<G, M> {
        level,
        model,
        measure,
        backends,
        params: &params,
    };
    if model.sweep == Sweep::Doubling {
        return modelled
            .worker(&parsed, backends.first)
            .double(last, budget);
    }
    let guesses = has(&GUESS);
    let known = match model.fix_move {
        Some(fix_move) if guesses => modelled.guess_plan(fix_move, &text, budget)?,
        _ => None,
    };
    let horizons = Horizons {
        first,
        last,
        lower_bound: &|horizon| least_cost(level, horizon),
    };
    let plan_is_known = known.is_some();
    let make_worker = |worker: usize| match worker {
        1.. if !plan_is_known => modelled.worker(&parsed, backends.companion),
        _ => modelled.worker(&parsed, backends.first),
    };
    let workers = budget.threads().min(WORKERS);
    sweep(&horizons, known, workers, make_worker, budget)
}

/// A level as parameters of a model, and the solvers for it.
struct ModelledLevel<'m, G: Game, M: ModelText> {
    level: &'m G,
    model: &'m ConstraintModel<G>,
    measure: &'m str,
    backends: &'m Backends<'m>,
    params: &'m M::Params,
}

impl<G: Game, M: ModelText> ModelledLevel<'_, G, M> {
    fn worker<'a>(&'a self, model: &'a M, make_backend: MakeBackend<'a>) -> ModelWorker<'a, G, M> {
        ModelWorker {
            level: self.level,
            model: self.model,
            measure: self.measure,
            horizon: model.horizon(self.params, self.model.horizon),
            technology: self.backends.name,
            make_backend,
            backend: make_backend(),
            spent: 0,
        }
    }

    /// A plan of the native search, if the model accepts it.
    fn guess_plan(
        &self,
        fix_move: FixMove<G>,
        text: &str,
        budget: &Budget,
    ) -> Result<Option<KnownPlan<G::Move>>, CannotSolve> {
        let Some(plan) = plan_by_beams(self.level, budget) else {
            return Ok(None);
        };
        let constraint = |(&mv, step)| format!("\nsuch that {}", fix_move(self.level, step, mv));
        let constraints: String = plan.iter().zip(1..).map(constraint).collect();
        let text = text.to_string() + &constraints;
        let Ok(model) = M::read(&text, budget) else {
            return Ok(None);
        };
        let model = model.map_err(|bad| {
            CannotSolve::Defect(format!("the guessed plan cannot be read: {bad}"))
        })?;
        let horizon = plan.len() as u32;
        let mut worker = self.worker(&model, self.backends.first);
        match worker.solve(horizon, budget) {
            HorizonOutcome::Plan { plan, cost } => Ok(Some(KnownPlan {
                horizon,
                plan,
                cost,
            })),
            // Switches may rule out a plan, as long as another one of the same cost remains. If a
            // limit was hit, the sweep will hit it again.
            HorizonOutcome::Refuted | HorizonOutcome::GaveUp(_) => Ok(None),
            HorizonOutcome::Failed(why) => Err(why),
        }
    }
}

/// A growing problem, and the solver that follows it.
struct ModelWorker<'m, G: Game, M: ModelText + 'm> {
    level: &'m G,
    model: &'m ConstraintModel<G>,
    measure: &'m str,
    horizon: M::Horizon<'m>,
    /// The name of the solver's technology, for messages.
    technology: &'m str,
    make_backend: MakeBackend<'m>,
    backend: Box<dyn Backend>,
    /// The effort of the solvers before this one.
    spent: u64,
}

impl<G: Game, M: ModelText> Worker<G::Move> for ModelWorker<'_, G, M> {
    fn solve(&mut self, horizon: u32, budget: &Budget) -> HorizonOutcome<G::Move> {
        match self.satisfy(horizon, budget) {
            Err(fault) => HorizonOutcome::Failed(CannotSolve::of_model(&fault.bad)),
            Ok(SolveResult::GaveUp(limit)) => HorizonOutcome::GaveUp(limit),
            Ok(SolveResult::Unsatisfiable) => HorizonOutcome::Refuted,
            Ok(SolveResult::Satisfiable(values)) => match self.plan(horizon, &values, budget) {
                Ok(Ok((plan, cost))) => HorizonOutcome::Plan { plan, cost },
                Ok(Err(why)) => HorizonOutcome::Failed(why),
                Err(limit) => HorizonOutcome::GaveUp(limit),
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

impl<G: Game, M: ModelText> ModelWorker<'_, G, M> {
    /// Unrolls the model for a horizon, and satisfies it. A problem that is not an extension of the
    /// one before needs a new solver.
    fn satisfy(&mut self, horizon: u32, budget: &Budget) -> Result<SolveResult, Fault> {
        let assumptions = match self.prepare(horizon, budget)? {
            Ok(assumptions) => assumptions,
            Err(limit) => return Ok(SolveResult::GaveUp(limit)),
        };
        let problem = self.horizon.problem();
        Ok(budget.timed(Phase::Solving, || {
            self.backend.solve(problem, &assumptions, budget)
        }))
    }

    /// Unrolls the model for a horizon and lets the solver read it. Returns the assumptions under
    /// which the problem is the one of this horizon; the inner error is the limit that was hit.
    fn prepare(
        &mut self,
        horizon: u32,
        budget: &Budget,
    ) -> Result<Result<Vec<Literal>, Limit>, Fault> {
        let unrolled = budget.timed(Phase::Unrolling, || {
            self.horizon.unroll(i64::from(horizon), budget)
        });
        let step = match unrolled {
            Ok(step) => step?,
            Err(limit) => return Ok(Err(limit)),
        };
        if step.fresh {
            self.spent += self.backend.effort();
            self.backend = (self.make_backend)();
        }
        let problem = self.horizon.problem();
        let encoded = budget.timed(Phase::Encoding, || self.backend.update(problem, budget));
        Ok(encoded.map(|()| step.assumptions))
    }

    /// Doubles the horizon until the model has a solution, whose objective is then minimised: the
    /// way of the Puzznic paper, section 4.2. A solution has at most as many steps as the horizon.
    fn double(
        mut self,
        last: Option<u32>,
        budget: &Budget,
    ) -> Result<Report<G::Move>, CannotSolve> {
        let model_fault = |fault: Fault| CannotSolve::of_model(&fault.bad);
        let mut horizon: u32 = 1;
        let mut at_least = 0;
        let outcome = loop {
            let assumptions = match self.prepare(horizon, budget).map_err(model_fault)? {
                Ok(assumptions) => assumptions,
                Err(why) => break Outcome::GaveUp { at_least, why },
            };
            let problem = self.horizon.problem();
            let best = budget.timed(Phase::Solving, || {
                optimise(
                    &mut *self.backend,
                    problem,
                    &assumptions,
                    budget,
                    &mut |_, _| (),
                )
            });
            let number = |bound: i32| u32::try_from(bound).unwrap_or(0);
            let (values, proof) = match best {
                Optimum::Unsatisfiable if last.is_some_and(|last| horizon >= last) => {
                    break Outcome::Unsolvable;
                }
                Optimum::Unsatisfiable => {
                    at_least = (self.model.least_cost)(self.level, horizon.saturating_add(1));
                    horizon = horizon.saturating_mul(2);
                    continue;
                }
                Optimum::GaveUp { bound, why } => {
                    let at_least = at_least.max(number(bound).min(horizon));
                    break Outcome::GaveUp { at_least, why };
                }
                Optimum::Feasible {
                    values, bound, why, ..
                } => (values, Err((at_least.max(number(bound)), why))),
                Optimum::Optimal { values, .. } => (values, Ok(())),
            };
            let (plan, cost) = match self.plan(horizon, &values, budget) {
                Ok(found) => found?,
                Err(why) => break Outcome::GaveUp { at_least, why },
            };
            break match proof {
                Ok(()) => Outcome::Optimal { plan, cost },
                Err((at_least, why)) => Outcome::Feasible {
                    plan,
                    cost,
                    at_least,
                    why,
                },
            };
        };
        Ok(Report {
            outcome,
            effort: self.effort(),
        })
    }

    /// The plan that the values of a solution stand for, and its cost.
    #[allow(
        clippy::type_complexity,
        reason = "a plan with its cost, a defect, or a limit"
    )]
    fn plan(
        &self,
        horizon: u32,
        values: &[i32],
        budget: &Budget,
    ) -> Result<Result<(Vec<G::Move>, u32), CannotSolve>, Limit> {
        let defect = |why: String| {
            let technology = self.technology;
            CannotSolve::Defect(format!("a defect of the back end '{technology}': {why}"))
        };
        let (Some(solution), Some(instance)) =
            (self.horizon.solution(values), self.horizon.judge())
        else {
            return Ok(Err(defect("no horizon is unrolled".to_string())));
        };
        let problem = self.horizon.problem();
        let checked = check_solution(instance, problem, values, solution, budget)?;
        Ok(checked
            .map_err(defect)
            .and_then(|(solution, _)| self.moves(horizon, &solution)))
    }

    /// The moves that a solution stands for, and their cost.
    fn moves(
        &self,
        horizon: u32,
        solution: &M::Solution,
    ) -> Result<(Vec<G::Move>, u32), CannotSolve> {
        let (level, model) = (self.level, self.model);
        let plan = read_solution::<G, M>(level, model, horizon, solution);
        let plan = plan.map_err(CannotSolve::Defect)?;
        let mut end = level.start();
        for &mv in &plan {
            end = level.play(&end, mv).map_err(|refusal| {
                CannotSolve::Defect(format!("its plan makes an illegal move: {}", refusal.0))
            })?;
        }
        let cost = level.plan_cost(self.measure, &plan, &end);
        Ok((plan, cost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::time::Duration;

    use ployglot_base::{Progress, Random};
    use ployglot_csp::sat::{Cadical, SatBackend};
    use ployglot_csp::{Problem, Size, Variable};
    use ployglot_games::{Document, Generation, Models, Plotting, Spec, Text};

    /// Whether the companion has found a plan.
    static FOUND: AtomicBool = AtomicBool::new(false);

    /// A back end that never answers, and runs out of time once the companion has a plan.
    struct NeverAnswers;

    /// A back end that sets `FOUND` when it has a plan.
    struct Companion(SatBackend<Cadical>);

    impl Backend for NeverAnswers {
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
            let result = self.0.solve(problem, given, budget);
            FOUND.fetch_or(matches!(result, SolveResult::Satisfiable(_)), Relaxed);
            result
        }

        fn size(&self) -> Size {
            self.0.size()
        }

        fn effort(&self) -> u64 {
            self.0.effort()
        }
    }

    /// A back end that claims that the least values of all variables are a solution.
    struct Liar;

    impl Backend for Liar {
        fn update(&mut self, _: &Problem, _: &Budget) -> Result<(), Limit> {
            Ok(())
        }

        fn solve(&mut self, problem: &Problem, _: &[Literal], _: &Budget) -> SolveResult {
            let least = |variable: &Variable| variable.domain.min();
            SolveResult::Satisfiable(problem.variables.iter().map(least).collect())
        }

        fn size(&self) -> Size {
            Size::default()
        }

        fn effort(&self) -> u64 {
            0
        }
    }

    #[test]
    fn a_wrong_solution_is_a_defect_of_the_back_end() {
        let document = Document::parse("game: plotting\ngoal: 1\n\nRRG\nRGG\n").expect("a text");
        let level = Plotting::parse(&document).expect("a level");
        for threads in [1, 2] {
            let backends = Backends {
                name: "liar",
                first: &|| Box::new(Liar),
                companion: &|| Box::new(Liar),
            };
            let budget = Budget::unlimited().with_threads(threads);
            match run_with::<_, ployglot_eprime::Model>(
                &level,
                &Plotting::CONSTRAINT[0],
                "shots",
                &[],
                &backends,
                &budget,
            ) {
                Err(CannotSolve::Defect(why)) => assert!(why.contains("'liar'"), "{why}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_limit_keeps_the_plan_of_the_companion_and_the_bound_of_what_was_refuted() {
        let spec = Spec::size(3, 4).with("colours", 3).with("goal", 2);
        let model = &Plotting::CONSTRAINT[0];
        let solve = |level: &Plotting, first: MakeBackend, threads: usize| {
            let backends = Backends {
                name: "sat",
                first,
                companion: &|| {
                    Box::new(Companion(
                        SatBackend::new(Cadical::without_decision_order()),
                    ))
                },
            };
            let budget = Budget::unlimited().with_threads(threads);
            type Model = ployglot_eprime::Model;
            let report = run_with::<_, Model>(level, model, "shots", &[], &backends, &budget);
            report.expect("the level fits").outcome
        };
        let usual = || Technology::Sat.backend_for_moves();
        // A level in which more horizons than the first have to be refuted.
        let levels =
            (0..100).filter_map(|seed| Plotting::generate(&spec, &mut Random::new(seed)).ok());
        let (level, cost) = levels
            .filter_map(|level| Some((solve(&level, &usual, 1).cost()?, level)))
            .find(|(cost, level)| *cost > (model.first_horizon)(level) + 1)
            .map(|(cost, level)| (level, cost))
            .expect("there is such a level");
        match solve(&level, &|| Box::new(NeverAnswers), 2) {
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
