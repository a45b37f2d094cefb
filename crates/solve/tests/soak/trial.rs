//! The ways to solve a level that are compared, and the judge: breadth-first search with nothing
//! but the slow rules.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Duration;

use ployglot_base::{Outcome, PhaseTimes, Report};
use ployglot_games::*;
use ployglot_pddl::pruning::Pruning;
use ployglot_pddl::satplan::{Decisions, Encoding, SatOptions, Strategy};
use ployglot_pddl::{CannotGround, Step, ground_within, parse_domain, parse_problem, validate};
use ployglot_solve::*;
use ployglot_testing::programs;

use crate::draft::Draft;

/// One way to solve a level by one measure.
pub struct Trial<G: Game> {
    /// The row of the figures that it counts in: a route without its switches.
    pub group: String,
    /// The whole description, with switches, rules that are off, threads and time.
    pub name: String,
    /// Whether two runs may differ, because of threads or a short time.
    pub varies: bool,
    run: Box<Solve<G>>,
}

/// The end of a trial: an answer, or the reason why it cannot take the level.
pub type Trialled<G> = Result<Answer<G>, Refused>;

/// Solves a level.
type Solve<G> = dyn Fn(&G) -> Trialled<G>;

/// The file and line of the last panic.
pub static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

impl<G: Game> Trial<G> {
    pub fn new(
        group: &str,
        name: String,
        varies: bool,
        run: impl Fn(&G) -> Trialled<G> + 'static,
    ) -> Self {
        let group = group.to_string();
        let run = Box::new(run);
        Self {
            group,
            name,
            varies,
            run,
        }
    }

    /// Solves a level. A panic is a defect.
    pub fn run(&self, level: &G) -> Trialled<G> {
        let solved = catch_unwind(AssertUnwindSafe(|| (self.run)(level)));
        let mut answer = solved.unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            let seen = LAST_PANIC.lock().map(|text| text.clone());
            let message = format!(
                "panic: {} ({})",
                text.unwrap_or_default(),
                seen.unwrap_or_default()
            );
            Ok(answer(
                G::MEASURES[0].name,
                Status::Defect(message),
                None,
                None,
            ))
        })?;
        answer.route.clone_from(&self.name);
        Ok(answer)
    }
}

/// An answer without a plan.
pub fn answer<G: Game>(
    measure: &'static str,
    status: Status,
    cost: Option<u32>,
    at_least: Option<u32>,
) -> Answer<G> {
    Answer {
        route: String::new(),
        measure,
        variant: String::new(),
        status,
        cost,
        at_least,
        plan: cost.map(|_| Vec::new()),
        checked: false,
        effort: Effort::default(),
        seconds: 0.0,
        phases: PhaseTimes::default(),
        peak_memory: 0,
    }
}

/// The name of the judge among the answers.
pub const JUDGE: &str = "breadth-first search by the slow rules";

/// The true cost by each measure, from the slow rules alone; `None`: the level has more states.
pub fn judge_level<G: Game>(level: &G, most_states: usize) -> Option<Vec<Par>> {
    let measures = G::MEASURES.iter();
    measures
        .map(|measure| judge_measure(level, measure, most_states))
        .collect()
}

/// The true cost by one measure.
///
/// An additive measure counts the moves in the games of this test, so that the first goal state that is
/// met is at the end of a cheapest plan. By another measure, a plan with more moves may cost less (a
/// Puzznic level has a plan of 2 moves and 9 ticks, and one of 3 moves and 7 ticks). There a state is
/// visited again whenever a cheaper plan to it is found, until no plan is left that is cheaper. That is
/// right where each move adds to the cost what depends on the state and the move alone, as in Puzznic,
/// and where the cost depends on the last state alone, as in Pipe Mania.
fn judge_measure<G: Game>(level: &G, measure: &Measure, most_states: usize) -> Option<Par> {
    let cost_of = |plan: &[G::Move], end: &G::State| level.plan_cost(measure.name, plan, end);
    let start = level.start();
    let at_start = (cost_of(&[], &start), Vec::new());
    let mut least: Option<u32> = None;
    let mut cheapest = HashMap::from([(start.clone(), at_start)]);
    let mut open = VecDeque::from([start]);
    while let Some(state) = open.pop_front() {
        let (cost, plan) = cheapest[&state].clone();
        if level.shortfall(&state).is_none() {
            least = Some(least.map_or(cost, |known| known.min(cost)));
            if measure.additive {
                assert_eq!(cost as usize, plan.len(), "{} counts moves", measure.name);
                break;
            }
        }
        for mv in level.writable_moves(&state) {
            let Ok(next) = level.play(&state, mv) else {
                continue;
            };
            let known = cheapest.get(&next).map(|(cost, _)| *cost);
            if measure.additive && known.is_some() {
                continue;
            }
            let plan: Vec<G::Move> = plan.iter().copied().chain([mv]).collect();
            let cost = cost_of(&plan, &next);
            if known.is_some_and(|known| known <= cost) {
                continue;
            }
            if known.is_none() && cheapest.len() >= most_states {
                return None;
            }
            cheapest.insert(next.clone(), (cost, plan));
            open.push_back(next);
        }
    }
    Some(least.map_or(Par::Unsolvable, Par::Cost))
}

/// The judge's word on a measure as an answer, to be compared with the others.
pub fn judged<G: Game>(measure: &'static str, par: Par) -> Answer<G> {
    let mut judged = match par {
        Par::Cost(cost) => answer(measure, Status::Optimal, Some(cost), Some(cost)),
        Par::Unsolvable => answer(measure, Status::Unsolvable, None, None),
    };
    judged.route = JUDGE.to_string();
    judged
}

/// The kinds of trials, and how often each is drawn.
#[derive(Clone, Copy)]
enum Kind {
    Search,
    RulesOff,
    Anytime,
    PddlRoute,
    PddlEngine,
    Constraint(&'static str),
}

const SHARES: [(Kind, usize); 9] = [
    (Kind::Search, 24),
    (Kind::RulesOff, 16),
    (Kind::Anytime, 8),
    (Kind::PddlRoute, 12),
    (Kind::PddlEngine, 12),
    (Kind::Constraint("sat"), 10),
    (Kind::Constraint("sat:kissat"), 6),
    (Kind::Constraint("cp"), 4),
    (Kind::Constraint("mip"), 4),
];

/// The trial that every level gets: the best route of the game.
pub fn best<G: Game>(measure: &'static str, time: Duration) -> Trial<G> {
    Trial::new("best", "best".to_string(), false, move |level: &G| {
        let request = Request {
            measure: Some(measure.to_string()),
            ..Request::default()
        };
        solve(level, &request, &programs::budget().with_time(time))
    })
}

/// A random trial for a level, by a measure.
pub fn random<G: Game>(measure: &'static str, time: Duration, random: &mut Random) -> Trial<G> {
    let total = SHARES.iter().map(|(_, share)| share).sum();
    let mut drawn = random.below(total);
    let share = SHARES.iter().find(|(_, share)| {
        let here = drawn < *share;
        drawn = drawn.wrapping_sub(*share);
        here
    });
    let &(kind, _) = share.expect("the shares add up");
    let threads = if random.chance(1, 4) { 2 } else { 1 };
    // A time that ends some runs in the middle: bounds and plans must hold then, too.
    let short = random.chance(1, 12);
    let time = if short {
        Duration::from_micros(200 << random.below(7))
    } else {
        time
    };
    let varies = threads > 1 || short;
    let mut note = String::new();
    if threads > 1 {
        note += &format!(", {threads} threads");
    }
    if short {
        note += &format!(", {time:?}");
    }
    let budget = move || programs::budget().with_time(time).with_threads(threads);
    let routes: Vec<Route<G>> = routes::<G>()
        .into_iter()
        .filter(|route| route.measures.contains(&measure))
        .collect();
    let named = |prefix: &str| -> Vec<&Route<G>> {
        let fits = |route: &&Route<G>| route.name.starts_with(prefix);
        routes.iter().filter(fits).collect()
    };
    let off = rules_off::<G>(random);
    let without = match off.off() {
        [] => String::new(),
        off => format!(", without {}", off.join(", ")),
    };
    let run_route = |route: &Route<G>, off: Switches, note: String| {
        let (group, _) = split_switches(&route.name);
        let route = route.clone();
        let varies = varies || group.contains("parallel");
        let name = format!("{}{note}", route.name);
        Trial::new(&group, name, varies, move |level: &G| {
            route.solve(level, measure, &off, &budget())
        })
    };
    match kind {
        Kind::Search => {
            let route = *random.choose(&named("search:"));
            run_route(route, Switches::all_on(), note)
        }
        Kind::RulesOff => {
            let route = *random.choose(&named("search:"));
            run_route(route, off, without + &note)
        }
        Kind::Anytime => {
            let route = random.choose(&routes);
            let by_default = random.chance(1, 2);
            let request = Request {
                route: (!by_default).then(|| route.name.clone()),
                measure: Some(measure.to_string()),
                switches: off,
            };
            let chosen = request.route.as_deref().unwrap_or("best");
            let name = format!("anytime {chosen}{without}{note}");
            Trial::new("anytime", name, varies, move |level: &G| {
                let mut met = Vec::new();
                let last = solve_anytime(level, &request, &budget(), |answer| {
                    met.push(answer.clone());
                })?;
                met.push(last.clone());
                // What is reported on the way must not contradict the end.
                Ok(match disagreement(&met) {
                    Some(why) => answer(measure, Status::Defect(why), None, None),
                    None => last,
                })
            })
        }
        Kind::PddlRoute => {
            let fitting = named("pddl:");
            if fitting.is_empty() {
                return best(measure, time);
            }
            let route = *random.choose(&fitting);
            run_route(route, Switches::all_on(), note)
        }
        Kind::PddlEngine => {
            let models = G::PLANNING.iter();
            let models: Vec<_> = models.filter(|model| model.measure == measure).collect();
            if models.is_empty() {
                return best(measure, time);
            }
            let model = *random.choose(&models);
            let request = plan_request(random);
            let group = format!("engine {}", request.engine);
            let estimate = request.estimate.map_or("", Estimate::name);
            let name = format!(
                "pddl:{} by engine {} {estimate} {}{note}",
                model.name,
                request.engine,
                sat_options(request),
            );
            Trial::new(&group, name, varies, move |level: &G| {
                plan(level, model, measure, &request, &budget())
            })
        }
        Kind::Constraint(technology) => {
            let ending = format!(":{technology}");
            let mut fitting = named("eprime:");
            fitting.extend(named("essence:"));
            fitting.retain(|route| {
                let plain = route.name.splitn(3, ':').nth(2);
                plain == Some(technology) && route.name.ends_with(&ending)
            });
            if fitting.is_empty() {
                return best(measure, time);
            }
            let route = *random.choose(&fitting);
            let route = switched::<G>(&route.name, measure, random);
            run_route(&route, Switches::all_on(), note)
        }
    }
}

/// Some rules off: none, one, or each with the same chance.
fn rules_off<G: Game>(random: &mut Random) -> Switches {
    let names: Vec<&str> = G::RULES.iter().map(|rule| rule.name).collect();
    if names.is_empty() {
        return Switches::all_on();
    }
    match random.below(4) {
        0 => Switches::all_on(),
        1 => Switches::without(&[*random.choose(&names)]),
        2 => Switches::without(&names),
        _ => {
            let off: Vec<&str> = names.into_iter().filter(|_| random.chance(1, 2)).collect();
            Switches::without(&off)
        }
    }
}

/// A constraint route, with some switches of its model on.
fn switched<G: Game>(name: &str, measure: &str, random: &mut Random) -> Route<G> {
    let (language, rest) = name.split_once(':').expect("a route of a model");
    let (model, technology) = rest.split_once(':').expect("a technology");
    let mut text = format!("{language}:{model}");
    let found = G::CONSTRAINT.iter().find(|known| known.full_name() == text);
    let switches = found.map_or(&[][..], |model| model.switches);
    for switch in switches {
        if random.chance(1, 3) {
            text += &format!("+{}", switch.name);
        }
    }
    let text = format!("{text}:{technology}");
    find_route(&text, measure).unwrap_or_else(|bad| panic!("{text}: {bad}"))
}

/// A random engine with an estimate that fits it, and random options of the engine `sat`.
fn plan_request(random: &mut Random) -> PlanRequest {
    let engines: Vec<Engine> = Engine::all().collect();
    let mut request = PlanRequest::new(*random.choose(&engines));
    if request.engine.default_estimate().is_some() && random.chance(2, 3) {
        request.estimate = Some(*random.choose(&Estimate::ALL));
    }
    for pruning in Pruning::ALL {
        if random.chance(1, 4) {
            request.prunings = request.prunings.without(pruning);
        }
    }
    if request.engine == Engine::Sat {
        request.sat = SatOptions {
            encoding: *random.choose(&Encoding::ALL),
            strategy: *random.choose(&Strategy::ALL),
            step: 1 + random.below(3) as u32,
            decisions: *random.choose(&Decisions::ALL),
        };
    }
    request
}

fn sat_options(request: PlanRequest) -> String {
    match request.engine {
        Engine::Sat => format!("{:?}", request.sat),
        _ => String::new(),
    }
}

/// The cells of a board up to which the validator of PDDL judges too. Beyond, it takes minutes for
/// a goal such as "at most 11 blocks", which it checks for each choice of 11 cells.
const MOST_VALIDATED: usize = 6;

/// Plans a level through one of its planning models, by an engine that need not be a route. The
/// plan is judged three times: by the validator of PDDL, when it is read back into moves, and by
/// the referee.
fn plan<G: Game>(
    level: &G,
    model: &PlanningModel<G>,
    measure: &'static str,
    request: &PlanRequest,
    budget: &Budget,
) -> Trialled<G> {
    let defect = |why: String| Ok(answer(measure, Status::Defect(why), None, None));
    let validated = Draft::of(level).area() <= MOST_VALIDATED;
    let text = (model.problem)(level).map_err(Refused::Unfit)?;
    let domain = match parse_domain(model.domain) {
        Ok(read) => read.value,
        Err(bad) => return defect(bad.to_string()),
    };
    let problem = match parse_problem(&text, &domain) {
        Ok(read) => read.value,
        Err(bad) => return defect(bad.to_string()),
    };
    let task = match ground_within(&domain, &problem, budget) {
        Ok(task) => task,
        Err(CannotGround::Limit(why)) => {
            return Ok(answer(measure, Status::Limit(why), None, None));
        }
        Err(cannot) => return Err(Refused::Unfit(cannot.to_string())),
    };
    let Report { outcome, .. } = plan_task(&task, request, budget, &mut |_, _| ())?.report;
    let (cost, at_least) = (outcome.cost(), outcome.at_least());
    let status = match &outcome {
        Outcome::Optimal { .. } => Status::Optimal,
        Outcome::Feasible { why, .. } => Status::Feasible(*why),
        Outcome::Unsolvable => Status::Unsolvable,
        Outcome::GaveUp { why, .. } => Status::Limit(*why),
        Outcome::Contradiction(found) => return defect(found.to_string()),
    };
    if let (Some(plan), Some(claimed)) = (outcome.plan(), cost) {
        let operators = plan.iter().map(|id| &task.operators[id.0 as usize]);
        let steps: Vec<Step> = operators.map(|operator| operator.step.clone()).collect();
        let ruling = validated.then(|| validate(&domain, &problem, &steps));
        if let Some(ruling) = ruling
            && !matches!(ruling, ployglot_pddl::Ruling::Valid { cost } if cost == f64::from(claimed))
        {
            return defect(format!("the validator of PDDL: {ruling:?}"));
        }
        let words = |step: &Step| -> Vec<String> {
            let action = domain.actions[step.action].name.clone();
            let arguments = step.arguments.iter();
            let arguments = arguments.map(|object| problem.objects[object.0 as usize].name.clone());
            std::iter::once(action).chain(arguments).collect()
        };
        let steps: Vec<Vec<String>> = steps.iter().map(words).collect();
        let moves = match (model.moves)(level, &steps) {
            Ok(moves) => moves,
            Err(why) => return defect(why),
        };
        match judge(level, measure, &moves) {
            Ruling::Accepted { cost, .. } if cost == claimed => {}
            ruling => {
                return defect(format!(
                    "the referee, of a plan of cost {claimed}: {ruling:?}"
                ));
            }
        }
    }
    Ok(answer(measure, status, cost, at_least))
}
