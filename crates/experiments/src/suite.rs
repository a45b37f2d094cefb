//! The suite file: levels, solvers, limits, repeats, in TOML. `docs/formats.md` describes it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ployglot_base::text::BadText;
use ployglot_solve::BEST;
use serde::{Deserialize, Deserializer, de};
use toml::Spanned;

use super::paper::PaperTable;
use super::tasks::TaskSource;
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
    /// How often each run is made.
    #[serde(default = "one", deserialize_with = "repeats")]
    pub repeats: u32,
    /// The measure of plans; `None`: the first measure of each game.
    pub measure: Option<String>,
    /// The routes of this program: `best`, `search:astar`, or `search:astar without box,reach`.
    #[serde(default)]
    pub routes: Vec<RouteName>,
    /// Where the levels come from.
    #[serde(default)]
    pub levels: Vec<LevelSource>,
    /// Where planning tasks come from; they come after the levels.
    #[serde(default)]
    pub tasks: Vec<TaskSource>,
    /// The file of another suite, whose levels come first.
    levels_from: Option<Spanned<String>>,
    /// External solvers.
    #[serde(default)]
    pub solvers: Vec<Solver>,
    /// Tables of a paper, to be printed beside our figures.
    #[serde(default)]
    pub tables: Vec<PaperTable>,
    /// The name of the file, for messages.
    #[serde(skip)]
    file: String,
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
        let default = || {
            let busy = self.cpu.saturating_mul(3);
            busy.saturating_add(Duration::from_secs(30))
        };
        self.wall.unwrap_or_else(default)
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

/// One `[[levels]]` table: levels from files, built-in levels, or generated levels. With both files
/// and a generator, the levels are generated where there are no such files.
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

impl LevelSource {
    /// Whether levels can be generated.
    pub fn generates(&self) -> bool {
        self.game.is_some() && self.size.is_some() && !self.seeds.0.is_empty()
    }
}

/// Seeds; in the file a list, or a range `"1..10"` with both ends included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seeds(pub Vec<u64>);

/// An external solver.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Solver {
    /// The name in reports.
    pub name: String,
    /// The program and its arguments, with placeholders such as `{level}`.
    #[serde(deserialize_with = "command")]
    pub command: Spanned<Vec<String>>,
    /// How to install it, for the message if it is missing.
    pub install: Option<String>,
    /// The games whose levels it solves, `pddl` for planning tasks; empty: all.
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
    /// A pattern whose first group is the number of search nodes.
    pub nodes: Option<Pattern>,
}

impl Solver {
    /// Everything that decides what the solver does, as text: a line for each key of the suite
    /// file, with its value as JSON. Keys that are not set are left out, so that a new key does not
    /// change the text of older suites.
    ///
    /// Databases have this text, so it must stay the same for the same solver: the names are
    /// written here and not taken from the names of fields.
    pub fn definition(&self) -> String {
        let mut lines = Vec::new();
        let mut add = |key: &str, value: serde_json::Value| lines.push(format!("{key} = {value}"));
        add("command", self.command.get_ref().clone().into());
        if !self.games.is_empty() {
            add("games", self.games.clone().into());
        }
        if let Some(model) = &self.export {
            add("export", model.as_str().into());
        }
        match self.plan {
            PlanText::Moves => {}
            PlanText::Pddl => add("plan", "pddl".into()),
            PlanText::Eprime => add("plan", "eprime".into()),
        }
        match self.answer {
            AnswerText::Words => {}
            AnswerText::Json => add("answer", "json".into()),
        }
        for (claim, codes) in &self.exit {
            add(&format!("exit.{}", claim.word()), codes.clone().into());
        }
        for (claim, pattern) in &self.output {
            add(
                &format!("output.{}", claim.word()),
                pattern.0.as_str().into(),
            );
        }
        let numbers = [
            ("cost", &self.cost),
            ("at-least", &self.at_least),
            ("nodes", &self.nodes),
        ];
        for (key, pattern) in numbers {
            if let Some(pattern) = pattern {
                add(key, pattern.0.as_str().into());
            }
        }
        lines.join("\n")
    }
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

impl Claim {
    /// The word in suites, databases and reports.
    pub fn word(self) -> &'static str {
        match self {
            Claim::Unsolvable => "unsolvable",
            Claim::Optimal => "optimal",
            Claim::Feasible => "feasible",
            Claim::Limit => "limit",
        }
    }
}

/// A regular expression in which `^` and `$` match at line ends.
#[derive(Clone, Debug)]
pub struct Pattern(pub regex_lite::Regex);

fn one() -> u32 {
    1
}

fn grace() -> Duration {
    Duration::from_secs(2)
}

impl Suite {
    /// Reads a suite from a file, with the levels of the suite that `levels-from` names.
    pub fn read(name: &str) -> Result<Suite, Failure> {
        Suite::read_after(name, &mut Vec::new())
    }

    /// The same; `before` are the files whose `levels-from` led to this one.
    fn read_after(name: &str, before: &mut Vec<PathBuf>) -> Result<Suite, Failure> {
        let text = load::text(name)?;
        let mut suite =
            Suite::parse(&text).map_err(|bad| load::bad_text(name, text.as_bytes(), bad))?;
        suite.file = name.to_string();
        let file = Path::new(name);
        let folder = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let failed = |error| Failure::io(name, error);
        let folder = folder.unwrap_or(Path::new("."));
        suite.folder = folder.canonicalize().map_err(failed)?;
        let Some(other) = suite.levels_from.take() else {
            return Ok(suite);
        };
        before.push(file.canonicalize().map_err(failed)?);
        let path = suite.folder.join(other.get_ref());
        if path.canonicalize().is_ok_and(|path| before.contains(&path)) {
            let message = format!(
                "'levels-from' goes in a circle: the levels of '{}' come from this suite",
                other.get_ref()
            );
            return Err(suite.failure(other.span(), message));
        }
        let mut levels = Suite::read_after(&path.display().to_string(), before)?.levels;
        levels.append(&mut suite.levels);
        suite.levels = levels;
        Ok(suite)
    }

    /// Takes all planning tasks from this folder.
    pub fn take_tasks_from(&mut self, folder: &str) -> Result<(), Failure> {
        if self.tasks.is_empty() {
            let message = format!("--tasks: the suite '{}' has no [[tasks]]", self.name);
            return Err(Failure::CommandLine(message));
        }
        let folder = Path::new(folder).canonicalize();
        let folder = folder.map_err(|error| Failure::io("the folder of --tasks", error))?;
        for source in &mut self.tasks {
            source.folder = Some(folder.clone());
        }
        Ok(())
    }

    /// An error at a place of the file.
    pub fn failure(&self, place: Range<usize>, message: impl Into<String>) -> Failure {
        let bad = marked(&self.text, place, message);
        load::bad_text(&self.file, self.text.as_bytes(), bad)
    }

    /// Reads a suite from its text. The levels of `levels-from` and the folder are not set.
    pub fn parse(text: &str) -> Result<Suite, BadText> {
        let mut suite: Suite = toml::from_str(text)
            .map_err(|error| marked(text, error.span().unwrap_or(0..0), error.message()))?;
        suite.text = text.to_string();
        suite.file = format!("suite '{}'", suite.name);
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
        if self.levels.is_empty() && self.levels_from.is_none() && self.tasks.is_empty() {
            return Err("a suite needs [[levels]], [[tasks]] or 'levels-from'".to_string());
        }
        for source in &self.levels {
            let partly = source.game.is_some()
                || source.size.is_some()
                || !source.seeds.0.is_empty()
                || !source.knobs.is_empty();
            if source.files.is_empty() && !source.generates() || partly && !source.generates() {
                return Err(
                    "[[levels]] needs 'files', or 'game', 'size' and 'seeds', or all of them"
                        .to_string(),
                );
            }
        }
        for table in &self.tables {
            table.check()?;
        }
        let mut names = self.solver_names();
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("the solver '{}' is listed twice", twice[0]));
        }
        Ok(())
    }
}

/// An error that marks the first line of this place.
fn marked(text: &str, place: Range<usize>, message: impl Into<String>) -> BadText {
    let line = text.get(place.clone()).and_then(|text| text.lines().next());
    let width = line.map_or(1, |line| line.chars().count());
    BadText::at(text, place.start, message).wide(width)
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
        let regex = regex_lite::RegexBuilder::new(&text)
            .multi_line(true)
            .build();
        regex
            .map(Pattern)
            .map_err(|_| de::Error::custom(format!("'{text}' is not a regular expression")))
    }
}

/// The most repeats of each run.
const MOST_REPEATS: u32 = 1000;

fn repeats<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let count = i64::deserialize(from)?;
    let repeats = u32::try_from(count).ok();
    repeats
        .filter(|repeats| (1..=MOST_REPEATS).contains(repeats))
        .ok_or_else(|| de::Error::custom(format!("'repeats' is from 1 to {MOST_REPEATS}")))
}

fn command<'de, D: Deserializer<'de>>(from: D) -> Result<Spanned<Vec<String>>, D::Error> {
    let command = Spanned::<Vec<String>>::deserialize(from)?;
    match command.get_ref().is_empty() {
        true => Err(de::Error::custom("the command is empty")),
        false => Ok(command),
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
        // A block without a name is a part of a suite.
        let whole = |text: &str| match text.starts_with("name") {
            true => text.to_string(),
            false => format!("{HEAD}{REST}{text}"),
        };
        let shown: Vec<Suite> = text
            .skip(1)
            .map(|text| Suite::parse(&whole(text)).expect("a suite"))
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
            (format!("{HEAD}{REST}game = 'plotting'\n"), "or all of them"),
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
            (
                format!("{HEAD}{REST}[[solvers]]\nname = 'x'\ncommand = []\n"),
                "empty",
            ),
            (format!("repeats = 0\n{HEAD}{REST}"), "from 1 to"),
            (format!("repeats = 4000000000\n{HEAD}{REST}"), "from 1 to"),
            (format!("repeats = -1\n{HEAD}{REST}"), "from 1 to"),
        ] {
            assert!(bad(&text).message.contains(part), "{part}: {}", bad(&text));
        }
    }

    /// Databases have this text: a change of it needs a migration in `store.rs`.
    #[test]
    fn the_definition_of_a_solver_has_stable_names() {
        let more =
            "[[solvers]]\nname = 'x'\ncommand = ['y', '{level}']\ninstall = 'pip install y'\n";
        let parse = |more: &str| {
            let suite = Suite::parse(&format!("{HEAD}{REST}{more}")).expect("a suite");
            suite.solvers[0].definition()
        };
        assert_eq!(parse(more), r#"command = ["y","{level}"]"#);
        let all = "games = ['plotting']\nexport = 'pddl:natural'\nplan = 'pddl'\nanswer = 'json'\n\
                   exit = { unsolvable = [11, 12], optimal = [0] }\noutput = { limit = '^out of \"time\"' }\n\
                   cost = 'cost (.*)'\nat-least = 'bound (.*)'\n";
        let expected = r#"command = ["y","{level}"]
games = ["plotting"]
export = "pddl:natural"
plan = "pddl"
answer = "json"
exit.unsolvable = [11,12]
exit.optimal = [0]
output.limit = "^out of \"time\""
cost = "cost (.*)"
at-least = "bound (.*)""#;
        assert_eq!(parse(&format!("{more}{all}")), expected);
    }

    #[test]
    fn levels_from_a_circle_of_suites_are_an_error_at_their_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let suite = |name: &str, from: &str| {
            let path = folder.path().join(name);
            let text =
                format!("{HEAD}levels-from = '{from}'\n[limits]\ncpu = '1m'\nmemory = '2G'\n");
            std::fs::write(&path, text).expect("a file");
            path.display().to_string()
        };
        let itself = suite("itself.toml", "./itself.toml");
        let (first, second) = (
            suite("first.toml", "second.toml"),
            suite("second.toml", "first.toml"),
        );
        for (read, place) in [(&itself, &itself), (&first, &second)] {
            let failure = Suite::read(read).map(|_| ()).unwrap_err().line();
            assert!(failure.starts_with(&format!("{place}:3:15: ")), "{failure}");
            assert!(failure.contains("goes in a circle"), "{failure}");
        }
    }
}
