//! Who takes part in an experiment: our routes, and solvers from elsewhere; and the command line of each run.

use std::path::{Path, PathBuf};
use std::process::Command;

use ployglot_base::Switches;
use ployglot_games::{AnyLevel, Game, GameVisitor, Level, LevelVisitor, visit_games};
use ployglot_solve::{FoundModel, check_switches, find_model, find_route, measure, split_switches};

use super::suite::{RouteName, Solver, Suite};
use super::warden::{SELF, Wardens};
use ployglot_io::failure::Failure;

#[derive(Clone, Debug)]
pub enum Entrant {
    Route(RouteName),
    Solver(Box<Solver>),
}

impl Entrant {
    /// All, in the order of the file.
    pub fn all(suite: &Suite) -> Vec<Entrant> {
        let routes = suite.routes.iter().cloned().map(Entrant::Route);
        let solvers = suite
            .solvers
            .iter()
            .cloned()
            .map(|solver| Entrant::Solver(Box::new(solver)));
        routes.chain(solvers).collect()
    }

    /// As in reports.
    pub fn name(&self) -> String {
        match self {
            Entrant::Route(route) => route.to_string(),
            Entrant::Solver(solver) => solver.name.clone(),
        }
    }

    /// What it is compared with to see what a switch is worth: the same route with all rules on, and a model as it is.
    pub fn base(&self) -> Option<String> {
        match self {
            Entrant::Route(route) => {
                let plain = RouteName {
                    route: route.route.as_deref().map(|name| split_switches(name).0),
                    without: Vec::new(),
                };
                Some(plain.to_string()).filter(|plain| *plain != self.name())
            }
            Entrant::Solver(_) => None,
        }
    }

    /// Everything that decides what it does, so that a changed command line is a different run.
    pub fn definition(&self) -> String {
        match self {
            Entrant::Route(route) => format!("ploy solve --route {route}"),
            Entrant::Solver(solver) => format!("{solver:?}"),
        }
    }

    /// The measure of its plans on levels of a game; `Err`: why it does not take part there.
    pub fn measure(&self, game: &str, asked: Option<&str>) -> Result<&'static str, String> {
        let mut fit = Fit {
            entrant: self,
            game,
            asked,
            measure: Err(format!("there is no game '{game}'")),
        };
        visit_games(&mut fit);
        fit.measure
    }
}

struct Fit<'a> {
    entrant: &'a Entrant,
    game: &'a str,
    asked: Option<&'a str>,
    measure: Result<&'static str, String>,
}

impl GameVisitor for Fit<'_> {
    fn visit<G: Game>(&mut self) {
        if self.game == G::NAME {
            self.measure = fit::<G>(self.entrant, self.asked);
        }
    }
}

fn fit<G: Game>(entrant: &Entrant, asked: Option<&str>) -> Result<&'static str, String> {
    let solver = match entrant {
        Entrant::Solver(solver) => solver,
        Entrant::Route(RouteName { route, without }) => {
            let measure = measure::<G>(asked).map_err(|bad| bad.0)?;
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
    // A model has its own measure.
    let model = solver.export.as_deref().map(find_model::<G>).transpose();
    let own = model.map_err(|bad| bad.0)?.map(|model| model.measure());
    let measure = measure::<G>(asked.or(own)).map_err(|bad| bad.0)?;
    match own.filter(|own| *own != measure) {
        Some(own) => Err(format!("its model counts {own}, not {measure}")),
        None => Ok(measure),
    }
}

/// The folder of one run: the level, what it was exported to, the plan, and what the solver printed.
pub struct Place {
    folder: tempfile::TempDir,
    pub level: AnyLevel,
}

impl Place {
    pub fn new(text: &str) -> Result<Place, Failure> {
        let level = AnyLevel::read(text)
            .map_err(|bad| Failure::Defect(format!("a level that was read before: {bad}")))?;
        let failed = |error| Failure::io("a folder for a run", error);
        let folder = tempfile::Builder::new()
            .prefix("ploy-bench-")
            .tempdir()
            .map_err(failed)?;
        std::fs::write(folder.path().join("level"), text).map_err(failed)?;
        Ok(Place { folder, level })
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file's text, if it is there; of a long one the end.
    pub fn text(&self, name: &str) -> Option<String> {
        use std::io::{Read, Seek, SeekFrom};
        const LONGEST: u64 = 16 << 20;
        let path = self.file(name);
        // Something else, a pipe say, might keep us waiting.
        let length = std::fs::metadata(&path)
            .ok()
            .filter(|file| file.is_file())?
            .len();
        let mut file = std::fs::File::open(path).ok()?;
        file.seek(SeekFrom::Start(length.saturating_sub(LONGEST)))
            .ok()?;
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The plan that was written last: planners that improve their plans number them.
    pub fn plan(&self) -> Option<String> {
        let numbered = (1..)
            .map(|number| format!("plan.{number}"))
            .take_while(|name| self.file(name).is_file())
            .last();
        numbered
            .and_then(|name| self.text(&name))
            .or_else(|| self.text("plan"))
    }

    /// The command of a run. The level is exported first, where that is asked for; this is not part of what is measured.
    pub fn command(
        &self,
        entrant: &Entrant,
        measure: &str,
        suite: &Suite,
        wardens: &Wardens,
    ) -> Result<Vec<String>, Failure> {
        let level = self.file("level").display().to_string();
        let solver = match entrant {
            Entrant::Solver(solver) => solver,
            Entrant::Route(route) => {
                let mut words = [SELF, "solve", "--json", "--measure", measure]
                    .map(str::to_string)
                    .to_vec();
                // It should end by itself, with its bound, a little before it is killed.
                words.push(format!(
                    "--memory={}K",
                    (suite.limits.memory / 100 * 95) >> 10
                ));
                words.extend(route.route.iter().map(|name| format!("--route={name}")));
                if !route.without.is_empty() {
                    words.push(format!("--without={}", route.without.join(",")));
                }
                words.push(level);
                return Ok(words);
            }
        };
        if let Some(model) = &solver.export {
            self.export(&level, model, wardens)?;
        }
        let own = std::env::current_exe().map_err(|error| Failure::io("this program", error))?;
        let file = |name: &str| self.file(name).display().to_string();
        let model = solver.export.as_deref().unwrap_or("");
        let (first, last) = self.level.visit(Horizons(model));
        let places = [
            ("{first}", first.to_string()),
            ("{last}", last.to_string()),
            ("{export}", model.to_string()),
            ("{level}", level),
            ("{dir}", self.folder().display().to_string()),
            ("{domain}", file("domain.pddl")),
            ("{problem}", file("problem.pddl")),
            ("{model}", file("model.eprime")),
            ("{param}", file("instance.param")),
            ("{plan}", file("plan")),
            ("{suite}", suite.folder.display().to_string()),
            ("{ploy}", own.display().to_string()),
            ("{measure}", measure.to_string()),
            ("{cpu}", suite.limits.cpu.as_secs().to_string()),
            ("{wall}", suite.limits.wall().as_secs().to_string()),
            ("{memory}", (suite.limits.memory >> 20).to_string()),
        ];
        let fill = |word: &String| {
            places.iter().fold(word.clone(), |word, (place, value)| {
                word.replace(place, value)
            })
        };
        Ok(solver.command.iter().map(fill).collect())
    }

    fn export(&self, level: &str, model: &str, wardens: &Wardens) -> Result<(), Failure> {
        let mut command = Command::new(SELF);
        command
            .args(["export", level, "--to", model, "--out"])
            .arg(self.folder());
        let output = wardens
            .output(&mut command)
            .map_err(|error| Failure::io("ploy export", error))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(Failure::Unsupported(
            said.trim().trim_start_matches("error: ").to_string(),
        ))
    }
}

/// The horizons of a constraint model that are worth a try, from and to; without a last one, to the end of all numbers.
struct Horizons<'a>(&'a str);

impl LevelVisitor for Horizons<'_> {
    type Out = (u32, u32);

    fn visit<G: Game>(self, level: &Level<G>) -> (u32, u32) {
        let Ok(FoundModel::Constraint(model, _)) = find_model::<G>(self.0) else {
            return (1, u32::MAX);
        };
        let first = (model.first_horizon)(&level.game).max(1);
        (first, (model.last_horizon)(&level.game).unwrap_or(u32::MAX))
    }
}
