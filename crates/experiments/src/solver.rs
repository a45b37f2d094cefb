//! The solvers of a suite: our routes and external programs, and the games that each can solve.

use ployglot_base::Switches;
use ployglot_games::{Game, GameVisitor, visit_games};
use ployglot_solve::{
    check_switches, find_model, find_route, measure, requested_measure, split_switches,
};

use super::suite::{RouteName, Solver, Suite};
use super::tasks::{self, TASK};

/// A solver of a suite.
#[derive(Clone, Debug)]
pub enum AnySolver {
    /// A route of this program.
    Route(RouteName),
    /// Another program.
    External(Box<Solver>),
}

impl AnySolver {
    /// All solvers of the suite: first routes, then external solvers, in the order of the file.
    pub fn all(suite: &Suite) -> Vec<AnySolver> {
        let routes = suite.routes.iter().cloned().map(AnySolver::Route);
        let solvers = suite
            .solvers
            .iter()
            .cloned()
            .map(|solver| AnySolver::External(Box::new(solver)));
        routes.chain(solvers).collect()
    }

    /// The name in reports.
    pub fn name(&self) -> String {
        match self {
            AnySolver::Route(route) => route.to_string(),
            AnySolver::External(solver) => solver.name.clone(),
        }
    }

    /// The solver that reports compare this one with, to show the effect of switches: the same
    /// route with all rules on and without switches of its model. `None` where that is this solver.
    pub fn base(&self) -> Option<String> {
        match self {
            AnySolver::Route(route) => {
                let plain = RouteName {
                    route: route.route.as_deref().map(|name| split_switches(name).0),
                    without: Vec::new(),
                };
                Some(plain.to_string()).filter(|plain| *plain != self.name())
            }
            AnySolver::External(_) => None,
        }
    }

    /// Everything that decides what the solver does; part of the identity of a run, so that a
    /// changed command line is a different run.
    pub fn definition(&self) -> String {
        match self {
            AnySolver::Route(route) => format!("ploy solve --route {route}"),
            AnySolver::External(solver) => solver.definition(),
        }
    }

    /// The measure of its plans on levels of a game; `Err`: why it cannot solve them.
    pub fn measure(&self, game: &str, requested: Option<&str>) -> Result<&'static str, String> {
        if game == TASK {
            return self.solves_tasks().and_then(|()| tasks::measure(requested));
        }
        let mut fit = Fit {
            solver: self,
            game,
            requested,
            measure: Err(format!("there is no game '{game}'")),
        };
        visit_games(&mut fit);
        fit.measure
    }

    /// `Err`: why it cannot solve planning tasks.
    fn solves_tasks(&self) -> Result<(), String> {
        match self {
            AnySolver::Route(_) => {
                Err("a route solves levels of games; use 'ploy plan' as a solver".to_string())
            }
            AnySolver::External(solver) if solver.export.is_some() => {
                Err("'export' is for levels of games".to_string())
            }
            AnySolver::External(solver) => match &solver.games[..] {
                [] => Ok(()),
                games if games.iter().any(|game| game == TASK) => Ok(()),
                _ => Err(format!("it is not for {TASK}")),
            },
        }
    }
}

/// Visits the games for the measure of one of them.
struct Fit<'a> {
    solver: &'a AnySolver,
    game: &'a str,
    requested: Option<&'a str>,
    measure: Result<&'static str, String>,
}

impl GameVisitor for Fit<'_> {
    fn visit<G: Game>(&mut self) {
        if self.game == G::NAME {
            self.measure = fit::<G>(self.solver, self.requested);
        }
    }
}

fn fit<G: Game>(solver: &AnySolver, requested: Option<&str>) -> Result<&'static str, String> {
    let solver = match solver {
        AnySolver::External(solver) => solver,
        AnySolver::Route(RouteName { route, without }) => {
            let measure = requested_measure::<G>(route.as_deref(), requested);
            let measure = measure.map_err(|bad| bad.0)?;
            if let Some(name) = route {
                find_route::<G>(name, measure).map_err(|bad| bad.0)?;
            }
            let off: Vec<&str> = without.iter().map(String::as_str).collect();
            check_switches::<G>(&Switches::without(&off)).map_err(|bad| bad.0)?;
            return Ok(measure);
        }
    };
    if !solver.games.is_empty() && solver.games.iter().all(|game| game != G::NAME) {
        return Err(format!("it is not for {}", G::NAME));
    }
    // A model has a measure of its own.
    let model = solver.export.as_deref().map(find_model::<G>).transpose();
    let own = model.map_err(|bad| bad.0)?.map(|model| model.measure());
    let measure = measure::<G>(requested.or(own)).map_err(|bad| bad.0)?;
    match own.filter(|own| *own != measure) {
        Some(own) => Err(format!("its model counts {own}, not {measure}")),
        None => Ok(measure),
    }
}
