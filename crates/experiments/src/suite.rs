//! The suite file: levels, solvers, limits, repeats, in TOML. `docs/formats.md` describes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ployglot_base::text::BadText;
use ployglot_solve::BEST;
use serde::{Deserialize, Deserializer, de};

use ployglot_io::failure::Failure;
use ployglot_io::{limits, load};

/// A suite: what an experiment runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Suite {
    /// The name in reports.
    pub name: String,
    /// The limits of each run.
    pub limits: Limits,
    /// How often each run is made; at least 1.
    #[serde(default = "one")]
    pub repeats: u32,
    /// The measure of plans; `None`: the first measure of each game.
    pub measure: Option<String>,
    /// The routes of this program: `best`, `search:astar`, or `search:astar without box,reach`.
    #[serde(default)]
    pub routes: Vec<RouteName>,
    /// Where the levels come from.
    #[serde(default)]
    pub levels: Vec<LevelSource>,
    /// The file of another suite, whose levels come first.
    levels_from: Option<String>,
    /// External solvers.
    #[serde(default)]
    pub solvers: Vec<Solver>,
    /// The text of the file.
    #[serde(skip)]
    pub text: String,
    /// The folder of the file.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// The limits of a run, for all its processes together.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// CPU time.
    #[serde(deserialize_with = "time")]
    pub cpu: Duration,
    /// Wall-clock time; see [`Limits::wall`].
    #[serde(default, deserialize_with = "maybe_time")]
    pub wall: Option<Duration>,
    /// Resident memory, in bytes.
    #[serde(deserialize_with = "memory")]
    pub memory: u64,
    /// The time from SIGTERM at a time limit to SIGKILL, in which a solver can print what it has.
    #[serde(default = "grace", deserialize_with = "time")]
    pub grace: Duration,
}

impl Limits {
    /// The limit of wall-clock time. The default is half a minute and three times the CPU time, so
    /// that a busy machine does not end a run.
    pub fn wall(&self) -> Duration {
        self.wall.unwrap_or(self.cpu * 3 + Duration::from_secs(30))
    }
}

/// A route, and the rules that are switched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteName {
    /// The name of the route; `None`: the best one for the level.
    pub route: Option<String>,
    /// The names of the rules.
    pub without: Vec<String>,
}

/// One `[[levels]]` table: levels from files, built-in levels, or generated levels.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelSource {
    /// The name of these levels in reports.
    pub family: Option<String>,
    /// Globs of files, or of built-in levels where no file matches.
    #[serde(default)]
    pub files: Vec<String>,
    /// The game of generated levels.
    pub game: Option<String>,
    /// The rows and columns of generated levels.
    #[serde(default, deserialize_with = "size")]
    pub size: Option<(usize, usize)>,
    /// The settings of the generator.
    #[serde(default)]
    pub knobs: BTreeMap<String, u32>,
    /// One level is generated for each seed.
    #[serde(default)]
    pub seeds: Seeds,
}

/// Seeds; in the file a list, or a range `"1..10"` with both ends included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seeds(pub Vec<u64>);

/// An external solver. Its `Debug` text identifies runs in databases: see `AnySolver::definition`
/// before renaming a type or a field.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Solver {
    /// The name in reports.
    pub name: String,
    /// The program and its arguments, with placeholders such as `{level}`.
    pub command: Vec<String>,
    /// The games whose levels it solves; empty: all games.
    #[serde(default)]
    pub games: Vec<String>,
    /// The model that the level is exported to, such as `pddl:natural`.
    pub export: Option<String>,
    /// The format of the plan in the file `{plan}`.
    #[serde(default)]
    pub plan: PlanText,
    /// How its answer is read.
    #[serde(default)]
    pub answer: AnswerText,
    /// What its exit codes claim.
    #[serde(default)]
    pub exit: BTreeMap<Claim, Vec<i32>>,
    /// What patterns in its output claim; they take precedence over exit codes.
    #[serde(default)]
    pub output: BTreeMap<Claim, Pattern>,
    /// A pattern whose first group is the cost of the plan.
    pub cost: Option<Pattern>,
    /// A pattern whose first group is a lower bound.
    pub at_least: Option<Pattern>,
}

/// The format of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanText {
    /// Moves, as `ploy check` reads them.
    #[default]
    Moves,
    /// Steps `(action argument …)`, one a line.
    Pddl,
    /// A solution of the exported constraint model: `letting NAME be VALUE`.
    Eprime,
}

/// The format of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerText {
    /// Patterns in the output, the exit code, and the plan file.
    #[default]
    Words,
    /// A line of JSON as `ploy solve --json` prints it.
    Json,
}

/// What a solver may claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// There is no plan.
    Unsolvable,
    /// A plan, and no plan costs less.
    Optimal,
    /// A plan.
    Feasible,
    /// It gave up, perhaps with a lower bound.
    Limit,
}

/// A regular expression in which `^` and `$` match at line ends.
#[derive(Clone, Debug)]
pub struct Pattern(pub regex::Regex);

fn one() -> u32 {
    1
}

fn grace() -> Duration {
    Duration::from_secs(2)
}

impl Suite {
    /// Reads a suite from a file, with the levels of the suite that `levels-from` names.
    pub fn read(name: &str) -> Result<Suite, Failure> {
        let text = load::text(name)?;
        let mut suite =
            Suite::parse(&text).map_err(|bad| load::bad_text(name, text.as_bytes(), bad))?;
        let folder = Path::new(name)
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        suite.folder = folder
            .canonicalize()
            .map_err(|error| Failure::io(name, error))?;
        if let Some(other) = suite.levels_from.take() {
            let mut levels = Suite::read(&suite.folder.join(&other).display().to_string())?.levels;
            levels.append(&mut suite.levels);
            suite.levels = levels;
        }
        Ok(suite)
    }

    /// Reads a suite from its text. The levels of `levels-from` and the folder are not set.
    pub fn parse(text: &str) -> Result<Suite, BadText> {
        let mut suite: Suite = toml::from_str(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let marked = text.get(span.clone()).and_then(|text| text.lines().next());
            let width = marked.map_or(1, |marked| marked.chars().count());
            BadText::at(text, span.start, error.message()).wide(width)
        })?;
        suite.text = text.to_string();
        suite.check().map_err(|why| BadText::new(1, 1, why))?;
        Ok(suite)
    }

    /// The names of all solvers as in reports: routes, then external solvers, in the order of the
    /// file.
    pub fn solver_names(&self) -> Vec<String> {
        let routes = self.routes.iter().map(RouteName::to_string);
        let solvers = self.solvers.iter().map(|solver| solver.name.clone());
        routes.chain(solvers).collect()
    }

    /// Checks what the types do not express.
    fn check(&self) -> Result<(), String> {
        if self.routes.is_empty() && self.solvers.is_empty() {
            return Err("a suite needs 'routes' or [[solvers]]".to_string());
        }
        if self.repeats == 0 {
            return Err("'repeats' is at least 1".to_string());
        }
        if self.levels.is_empty() && self.levels_from.is_none() {
            return Err("a suite needs [[levels]] or 'levels-from'".to_string());
        }
        for source in &self.levels {
            let generated =
                source.game.is_some() && source.size.is_some() && !source.seeds.0.is_empty();
            let mixed = source.game.is_some()
                || source.size.is_some()
                || !source.seeds.0.is_empty()
                || !source.knobs.is_empty();
            if source.files.is_empty() && !generated || !source.files.is_empty() && mixed {
                return Err(
                    "[[levels]] needs either 'files', or 'game', 'size' and 'seeds'".to_string(),
                );
            }
        }
        let mut names = self.solver_names();
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("the solver '{}' is listed twice", twice[0]));
        }
        if let Some(solver) = self.solvers.iter().find(|solver| solver.command.is_empty()) {
            return Err(format!("the command of '{}' is empty", solver.name));
        }
        Ok(())
    }
}

impl std::fmt::Display for RouteName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.route.as_deref().unwrap_or(BEST))?;
        if self.without.is_empty() {
            Ok(())
        } else {
            write!(f, " without {}", self.without.join(","))
        }
    }
}

impl<'de> Deserialize<'de> for RouteName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let (route, without) = match words[..] {
            [route] => (route, Vec::new()),
            [route, "without", rules] => (route, rules.split(',').map(str::to_string).collect()),
            _ => {
                return Err(de::Error::custom(
                    "a route is 'best', 'search:astar', or 'search:astar without box,reach'",
                ));
            }
        };
        Ok(RouteName {
            route: Some(route.to_string()).filter(|route| route != BEST),
            without,
        })
    }
}

impl<'de> Deserialize<'de> for Seeds {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Range(String),
            List(Vec<u64>),
        }
        let wrong =
            || de::Error::custom("seeds are a range such as \"1..10\", both included, or a list");
        match Either::deserialize(from).map_err(|_| wrong())? {
            Either::List(seeds) => Ok(Seeds(seeds)),
            Either::Range(text) => {
                let range = text.split_once("..").and_then(|(first, last)| {
                    let (first, last) = (
                        first.trim().parse::<u64>().ok()?,
                        last.trim().parse::<u64>().ok()?,
                    );
                    (first <= last && last - first < 100_000).then(|| (first..=last).collect())
                });
                range.map(Seeds).ok_or_else(wrong)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let regex = regex::RegexBuilder::new(&text).multi_line(true).build();
        regex
            .map(Pattern)
            .map_err(|_| de::Error::custom(format!("'{text}' is not a regular expression")))
    }
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    limits::time(&String::deserialize(from)?).map_err(de::Error::custom)
}

fn maybe_time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    time(from).map(Some)
}

fn memory<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    limits::memory(&String::deserialize(from)?).map_err(de::Error::custom)
}

fn size<'de, D: Deserializer<'de>>(from: D) -> Result<Option<(usize, usize)>, D::Error> {
    limits::size(&String::deserialize(from)?)
        .map(Some)
        .map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "name = 'a'\nroutes = ['best', 'search:astar without box,reach']\n";
    const REST: &str = "[limits]\ncpu = '1m'\nmemory = '2G'\n[[levels]]\nfiles = ['plotting/*']\n";

    #[test]
    fn a_suite_is_read() {
        let more = "[[levels]]\ngame = 'plotting'\nsize = '4x6'\nseeds = '3..5'\nknobs = { colours = 2 }\n";
        let suite = Suite::parse(&format!("{HEAD}{REST}{more}")).expect("a suite");
        assert_eq!(suite.limits.wall(), Duration::from_secs(210));
        assert_eq!(
            suite.routes[1].to_string(),
            "search:astar without box,reach"
        );
        assert_eq!((suite.routes[0].route.as_ref(), suite.repeats), (None, 1));
        assert_eq!(
            (suite.levels[1].size, &suite.levels[1].seeds),
            (Some((4, 6)), &Seeds(vec![3, 4, 5]))
        );
    }

    #[test]
    fn the_suite_in_the_docs_is_valid() {
        let page = include_str!("../../../docs/formats.md");
        let text = page
            .split("```toml\n")
            .filter_map(|part| part.split("```").next());
        let shown: Vec<Suite> = text
            .skip(1)
            .map(|text| Suite::parse(text).expect("a suite"))
            .collect();
        assert_eq!(shown[0].solvers[0].plan, PlanText::Pddl);
    }

    #[test]
    fn errors_have_their_position() {
        let bad = |text: &str| Suite::parse(text).map(|_| ()).unwrap_err();
        let typo = bad(&format!("{HEAD}{}", REST.replace("memory", "memroy")));
        assert!(typo.line == 5 && typo.message.contains("memroy"), "{typo}");
        let time = bad(&format!("{HEAD}{}", REST.replace("'1m'", "'1 week'")));
        assert!(
            time.line == 4 && time.message.contains("a time is"),
            "{time}"
        );
        for (text, part) in [
            (HEAD.to_string(), "limits"),
            (format!("name = 'a'\n{REST}"), "routes"),
            (format!("{HEAD}{REST}game = 'plotting'\n"), "either"),
            (
                format!(
                    "{HEAD}{REST}[[levels]]\ngame = 'plotting'\nsize = '4x6'\nseeds = '5..3'\n"
                ),
                "seeds",
            ),
            (
                format!("name = 'a'\nroutes = ['best', 'best']\n{REST}"),
                "twice",
            ),
            (
                format!("name = 'a'\nroutes = ['best with love']\n{REST}"),
                "a route is",
            ),
            (
                format!("{HEAD}{REST}[[solvers]]\nname = 'x'\ncommand = ['y']\ncost = '('\n"),
                "regular",
            ),
        ] {
            assert!(bad(&text).message.contains(part), "{part}: {}", bad(&text));
        }
    }
}
