//! Solves random levels of every game in many ways, compares the answers, and shrinks what
//! disagrees into `regressions/`.
//!
//! The levels are tiny and unusual: boards of one row, boards without pieces, every option of the
//! level format, levels without a plan. Each is solved by the best route of its game, by a few
//! random trials (`trial.rs`), and, where it has few states, by a judge that uses nothing but the
//! slow rules. A limit is no disagreement, but the bounds and plans of a run that ended at a limit
//! are compared too. A panic is a defect.
//!
//! CONTRIBUTING.md describes how to start it. Every level has a seed of its own, so that
//! `PLOY_SOAK_SEED=N PLOY_SOAK_LEVELS=1` repeats one.

mod draft;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ployglot_games::*;
use ployglot_solve::{Status, disagreement};

use draft::Draft;
use trial::{LAST_PANIC, Trial, answer, best, judge_level, judged, random};

/// The time of a trial: usually, and for one level of twenty. Most trials need much less, and those
/// that reach the limit take most of the time of a run.
const TIMES: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(1500)];
/// The time of a trial while a level is shrunk, and of the shrinking as a whole.
const SHRINK: Duration = Duration::from_secs(60);
/// A trial that takes longer than this hangs. A busy machine may stall for minutes.
const HANGS: Duration = Duration::from_secs(900);
/// How often a trial that varies is repeated while a level is shrunk.
const REPEATS: usize = 4;
/// The trials of a level beside the best route, by each measure.
const TRIALS: usize = 3;
/// The states that the judge lists: usually, and for one level of twenty.
const STATES: [usize; 2] = [1_000, 20_000];

#[test]
#[ignore = "takes a minute or as long as is asked for: see CONTRIBUTING.md"]
fn all_ways_to_solve_random_levels_agree() {
    let number = |name: &str, default: u64| match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is a number, found '{text}'")),
        Err(_) => default,
    };
    let seed = number("PLOY_SOAK_SEED", 1);
    let levels = number("PLOY_SOAK_LEVELS", u64::MAX);
    let time = Duration::from_secs(number("PLOY_SOAK_SECONDS", 60));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../regressions");
    std::panic::set_hook(Box::new(|info| {
        if let (Ok(mut text), Some(place)) = (LAST_PANIC.lock(), info.location()) {
            let file = Path::new(place.file()).file_name().unwrap_or_default();
            *text = format!("{}:{}", file.display(), place.line());
        }
    }));
    let running = watch_for_hangs();
    let mut soak = Soak {
        seed,
        folder: Some(&folder),
        running,
        figures: Figures::default(),
    };
    let started = Instant::now();
    let mut printed = Instant::now();
    while soak.seed - seed < levels && started.elapsed() < time {
        let index = soak.seed as usize % NAMES.len();
        visit_games(&mut OneLevel {
            soak: &mut soak,
            skip: index,
        });
        soak.seed += 1;
        if printed.elapsed() > Duration::from_secs(10) {
            printed = Instant::now();
            eprintln!(
                "{:6.0} s, next seed {}: {}",
                started.elapsed().as_secs_f64(),
                soak.seed,
                soak.figures.line()
            );
        }
    }
    eprintln!(
        "{:6.0} s, seeds {seed} to {}: {}",
        started.elapsed().as_secs_f64(),
        soak.seed - 1,
        soak.figures.line()
    );
    eprintln!("{}", soak.figures.table());
    // The hook of the test runner, so that the failure below is printed.
    drop(std::panic::take_hook());
    let defects = &soak.figures.defects;
    assert!(
        defects.is_empty(),
        "{} kinds of defects: {defects:#?}",
        defects.len()
    );
}

/// What runs now, and since when.
type Running = Arc<Mutex<Option<(Instant, String)>>>;

/// Starts a thread that ends the process if a trial hangs.
fn watch_for_hangs() -> Running {
    let running: Running = Arc::default();
    let watched = running.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let running = watched.lock().expect("no panic while it is held");
            if let Some((_, what)) = running
                .as_ref()
                .filter(|(since, _)| since.elapsed() > HANGS)
            {
                eprintln!("a trial hangs: {what}");
                std::process::exit(1);
            }
        }
    });
    running
}

/// Draws a level of the game at this place in the list.
struct OneLevel<'a, 'b> {
    soak: &'a mut Soak<'b>,
    skip: usize,
}

impl GameVisitor for OneLevel<'_, '_> {
    fn visit<G: Game>(&mut self) {
        if self.skip == 0 {
            let mut random = Random::new(self.soak.seed);
            let drawn = (0..10).find_map(|_| Draft::random::<G>(&mut random));
            if let Some(draft) = drawn {
                self.soak.compare::<G>(&draft, &mut random);
            }
        }
        self.skip = self.skip.wrapping_sub(1);
    }
}

/// A run of the soak test.
struct Soak<'a> {
    /// The seed of the current level.
    seed: u64,
    /// Where to write what disagrees.
    folder: Option<&'a Path>,
    running: Running,
    figures: Figures,
}

/// The trials of one group: how many proved something, hit a limit, did not fit, are broken.
#[derive(Default)]
struct Group {
    proven: usize,
    limit: usize,
    unfit: usize,
    defects: usize,
    time: Duration,
}

/// What was counted.
#[derive(Default)]
struct Figures {
    levels: BTreeMap<&'static str, usize>,
    /// Levels of which the judge knows the costs, and those of them without a plan.
    judged: usize,
    unsolvable: usize,
    /// The trials by game and group.
    groups: BTreeMap<String, Group>,
    /// The time of the judge.
    judging: Duration,
    /// The kinds of disagreements, and how often each was seen.
    defects: BTreeMap<String, usize>,
    /// The longest time beyond the limit, and the trial.
    overrun: (Duration, String),
}

impl Figures {
    fn line(&self) -> String {
        let sum = |of: fn(&Group) -> usize| -> usize { self.groups.values().map(of).sum() };
        let levels: Vec<String> = self
            .levels
            .iter()
            .map(|(game, count)| format!("{game} {count}"))
            .collect();
        format!(
            "{} levels ({}), {} judged ({} unsolvable); trials: {} proven, {} limit, {} unfit, {} defects of {} kinds; worst overrun {:.1} s ({})",
            self.levels.values().sum::<usize>(),
            levels.join(", "),
            self.judged,
            self.unsolvable,
            sum(|group| group.proven),
            sum(|group| group.limit),
            sum(|group| group.unfit),
            self.defects.values().sum::<usize>(),
            self.defects.len(),
            self.overrun.0.as_secs_f64(),
            self.overrun.1,
        )
    }

    fn table(&self) -> String {
        let rows = self.groups.iter().map(|(name, group)| {
            format!(
                "{name:40} {:8} proven {:7} limit {:7} unfit {:4} defects {:8.1} s\n",
                group.proven,
                group.limit,
                group.unfit,
                group.defects,
                group.time.as_secs_f64()
            )
        });
        let judging = self.judging.as_secs_f64();
        rows.chain([format!("the judge {judging:.1} s")]).collect()
    }
}

impl Soak<'_> {
    /// Solves a level in several ways by each measure, and compares the answers.
    fn compare<G: Game>(&mut self, draft: &Draft, random_numbers: &mut Random) {
        let Some(level) = draft.level::<G>() else {
            panic!("seed {}: a text that was a level is none", self.seed);
        };
        *self.figures.levels.entry(G::NAME).or_default() += 1;
        let thorough = usize::from(random_numbers.chance(1, 20));
        let (time, states) = (TIMES[thorough], STATES[thorough]);
        let started = Instant::now();
        let truth = judge_level(&level, states);
        self.figures.judging += started.elapsed();
        self.figures.judged += usize::from(truth.is_some());
        let is_unsolvable = |pars: &Vec<Par>| pars[0] == Par::Unsolvable;
        self.figures.unsolvable += usize::from(truth.as_ref().is_some_and(is_unsolvable));
        for (at, measure) in G::MEASURES.iter().enumerate() {
            let mut trials = vec![best::<G>(measure.name, time)];
            trials.extend((0..TRIALS).map(|_| random::<G>(measure.name, time, random_numbers)));
            let truth = truth.as_ref().map(|pars| pars[at]);
            self.try_all(draft, &level, measure.name, &trials, states, truth);
        }
    }

    /// Runs trials on a level, and reports it if they disagree.
    fn try_all<G: Game>(
        &mut self,
        draft: &Draft,
        level: &G,
        measure: &'static str,
        trials: &[Trial<G>],
        states: usize,
        truth: Option<Par>,
    ) -> Option<String> {
        let mut answers = Vec::new();
        for trial in trials {
            let started = Instant::now();
            let what = || {
                format!(
                    "seed {}, {}\n{}",
                    self.seed,
                    trial.name,
                    draft.text::<G>(&[])
                )
            };
            *self.running.lock().expect("no panic while it is held") = Some((started, what()));
            let tried = trial.run(level);
            *self.running.lock().expect("no panic while it is held") = None;
            let over = started.elapsed().saturating_sub(TIMES[1]);
            if over > self.figures.overrun.0 {
                self.figures.overrun = (over, what().replace('\n', " / "));
            }
            let group = format!("{} {}", G::NAME, trial.group);
            let group = self.figures.groups.entry(group).or_default();
            group.time += started.elapsed();
            *match &tried {
                Ok(answer) => match answer.status {
                    Status::Optimal | Status::Unsolvable => &mut group.proven,
                    Status::Feasible(_) | Status::Limit(_) => &mut group.limit,
                    Status::Defect(_) => &mut group.defects,
                },
                Err(_) => &mut group.unfit,
            } += 1;
            answers.extend(tried.ok());
        }
        answers.extend(truth.map(|par| judged(measure, par)));
        let why = disagreement(&answers)?;
        let kind = kind_of::<G>(&why);
        let count = self.figures.defects.entry(kind.clone()).or_default();
        *count += 1;
        if *count == 1 {
            eprintln!("seed {}: {why}", self.seed);
            let found = shrink(draft, measure, trials, states, &why);
            let text = found.text::<G>(self.seed);
            eprintln!("{text}");
            if let Some(folder) = self.folder {
                let path = folder.join(format!("{}-soak-{}.level", G::NAME, self.seed));
                std::fs::write(&path, &text)
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            }
            return Some(text);
        }
        None
    }
}

/// The judge's answer, if the level has few states.
fn truth<G: Game>(
    level: &G,
    measure: &'static str,
    states: usize,
) -> Option<ployglot_solve::Answer<G>> {
    let pars = judge_level(level, states)?;
    let at = G::MEASURES.iter().position(|known| known.name == measure)?;
    Some(judged(measure, pars[at]))
}

/// A disagreement without its numbers, so that the same defect on two levels is one kind.
fn kind_of<G: Game>(why: &str) -> String {
    let letters = why.chars().filter(|letter| !letter.is_ascii_digit());
    let text: String = letters.take(160).collect();
    format!("{}: {text}", G::NAME)
}

/// A small level on which a few trials disagree.
struct Found {
    draft: Draft,
    /// The trials that disagree.
    trials: Vec<String>,
    why: String,
    /// Whether the disagreement was seen again.
    repeated: bool,
    pars: Option<Vec<Par>>,
}

/// The smallest level that is found on which the fewest trials disagree.
fn shrink<G: Game>(
    draft: &Draft,
    measure: &'static str,
    trials: &[Trial<G>],
    states: usize,
    why: &str,
) -> Found {
    let started = Instant::now();
    let disagree = |level: &G, trials: &[&Trial<G>]| -> Option<String> {
        let varies = trials.iter().any(|trial| trial.varies);
        let repeats = if varies { REPEATS } else { 1 };
        (0..repeats).find_map(|_| {
            let answers = trials.iter().filter_map(|trial| trial.run(level).ok());
            let answers: Vec<_> = answers.chain(truth(level, measure, states)).collect();
            disagreement(&answers)
        })
    };
    let level = draft.level::<G>().expect("it was a level before");
    // One trial that contradicts the judge or itself, two that contradict each other, or all.
    let singles = trials.iter().map(|trial| vec![trial]);
    let pairs = trials
        .iter()
        .enumerate()
        .flat_map(|(at, first)| trials[..at].iter().map(move |second| vec![first, second]));
    let all = std::iter::once(trials.iter().collect());
    let chosen = singles
        .chain(pairs)
        .chain(all)
        .find(|few| disagree(&level, few).is_some());
    let repeated = chosen.is_some();
    let chosen: Vec<&Trial<G>> = chosen.unwrap_or_else(|| trials.iter().collect());
    let mut why = why.to_string();
    let draft = draft.clone().shrink::<G>(&mut |level| {
        if !repeated || started.elapsed() > SHRINK {
            return false;
        }
        let found = disagree(level, &chosen);
        let fails = found.is_some();
        why = found.unwrap_or_else(|| std::mem::take(&mut why));
        fails
    });
    let level = draft.level::<G>().expect("it was a level before");
    Found {
        trials: chosen.iter().map(|trial| trial.name.clone()).collect(),
        pars: judge_level(&level, STATES[1]),
        draft,
        why,
        repeated,
    }
}

impl Found {
    /// A file for `regressions/`: the level, its par by the judge, the seed, the trials, and what
    /// disagreed.
    fn text<G: Game>(&self, seed: u64) -> String {
        let mut header = Vec::new();
        let par = |(par, measure): (&Par, &Measure)| match par {
            Par::Cost(cost) if G::MEASURES.len() == 1 => cost.to_string(),
            Par::Cost(cost) => format!("{cost} {}", measure.name),
            Par::Unsolvable => "unsolvable".to_string(),
        };
        match &self.pars {
            Some(pars) => {
                let pars: BTreeSet<String> = pars.iter().zip(G::MEASURES).map(par).collect();
                let pars: Vec<String> = pars.into_iter().collect();
                header.push(format!("par: {}", pars.join(", ")));
            }
            None => header.push(
                "; The level has too many states for the judge: its par is missing.".to_string(),
            ),
        }
        header.push(format!(
            "; Found by the soak test with the seed {seed}: {}",
            self.why.replace('\n', " ")
        ));
        for trial in &self.trials {
            header.push(format!("; trial: {trial}"));
        }
        if !self.repeated {
            header.push(
                "; It was not seen again when the trials were repeated, so it is not shrunk."
                    .to_string(),
            );
        }
        self.draft.text::<G>(&header)
    }
}

/// What is claimed of a level with this cost: the status, the cost and the bound.
type Lie = fn(u32) -> (Status, Option<u32>, Option<u32>);

/// A trial that lies about every level with a blue block.
fn liar(lie: Lie) -> Trial<Plotting> {
    Trial::new(
        "liar",
        "liar".to_string(),
        false,
        move |level: &Plotting| {
            let honest = best::<Plotting>("shots", TIMES[1]).run(level)?;
            let has_blue = level
                .write(&level.start())
                .rows
                .iter()
                .any(|row| row.contains('B'));
            Ok(match honest.cost {
                Some(cost) if has_blue => {
                    let (status, cost, at_least) = lie(cost);
                    answer("shots", status, cost, at_least)
                }
                _ => honest,
            })
        },
    )
}

fn quiet_soak() -> Soak<'static> {
    Soak {
        seed: 7,
        folder: None,
        running: Arc::default(),
        figures: Figures::default(),
    }
}

const BLUE: &str = "game: plotting\ngoal: 3\nblocked: row 1\nwildcards: 2\n\nRRGR\nRGBG\nGGBR\n";

/// The level of a text.
fn draft_of(text: &str) -> Draft {
    let document = Document::parse(text).expect("a text");
    Draft::of(&Plotting::parse(&document).expect("a level"))
}

#[test]
fn a_lie_is_found_and_shrunk_to_the_piece_that_causes_it() {
    let lies: [Lie; 5] = [
        |_| (Status::Unsolvable, None, None),
        |cost| (Status::Optimal, Some(cost + 1), Some(cost + 1)),
        |cost| (Status::Limit(Limit::Time), None, Some(cost + 1)),
        |cost| {
            (
                Status::Feasible(Limit::Time),
                Some(cost + 2),
                Some(cost + 1),
            )
        },
        |_| (Status::Defect("it fails".to_string()), None, None),
    ];
    for lie in lies {
        let draft = draft_of(BLUE);
        let level = draft.level::<Plotting>().expect("a level");
        // With a judge that knows the truth, and with another route alone.
        for states in [STATES[1], 0] {
            let trials = vec![best("shots", TIMES[1]), liar(lie)];
            let mut soak = quiet_soak();
            let truth = judge_level(&level, states).map(|pars| pars[0]);
            let text = soak.try_all(&draft, &level, "shots", &trials, states, truth);
            let text = text.expect("the lie is seen");
            assert_eq!(soak.figures.defects.len(), 1);
            let shrunk = AnyLevel::read(&text).unwrap_or_else(|bad| panic!("{text}: {bad}"));
            let AnyLevel::Plotting(shrunk) = shrunk else {
                panic!("{text}");
            };
            let sheet = shrunk.game.write(&shrunk.game.start());
            assert_eq!(sheet.rows, ["B"], "{text}");
            assert_eq!(sheet.options, [("goal", "0".to_string())], "{text}");
            assert!(text.contains("\n; trial: liar\n"), "{text}");
            assert!(text.contains("with the seed 7: "), "{text}");
            assert_eq!(shrunk.par("shots"), Some(Par::Cost(1)), "{text}");
        }
    }
}

#[test]
fn honest_trials_agree_and_a_panic_is_a_defect() {
    let draft = draft_of(BLUE);
    let level = draft.level::<Plotting>().expect("a level");
    let trials = vec![best("shots", TIMES[1]), best("shots", TIMES[1])];
    let mut soak = quiet_soak();
    assert_eq!(
        soak.try_all(&draft, &level, "shots", &trials, 0, None),
        None
    );
    assert_eq!(soak.figures.defects.len(), 0);
    let panics = Trial::new("p", "p".to_string(), false, |_: &Plotting| {
        panic!("on purpose")
    });
    let text = soak.try_all(&draft, &level, "shots", &[panics], 0, None);
    let text = text.expect("the panic is seen");
    assert!(text.contains("panic: on purpose"), "{text}");
}

/// A short run of the whole, so that the test above cannot rot.
#[test]
fn random_levels_of_every_game_are_drawn_and_compared() {
    let mut soak = quiet_soak();
    for seed in 0..40 {
        soak.seed = seed;
        let skip = seed as usize % NAMES.len();
        visit_games(&mut OneLevel {
            soak: &mut soak,
            skip,
        });
    }
    assert_eq!(soak.figures.levels.len(), NAMES.len());
    assert!(soak.figures.judged > 10, "{}", soak.figures.line());
    assert!(
        soak.figures.defects.is_empty(),
        "{:#?}",
        soak.figures.defects
    );
}

#[test]
fn the_changes_of_a_draft_make_unusual_levels() {
    struct Unusual;
    impl GameVisitor for Unusual {
        fn visit<G: Game>(&mut self) {
            let mut options = BTreeSet::new();
            let (mut narrow, mut count) = (0, 0);
            for seed in 0..2000 {
                let Some(draft) = Draft::random::<G>(&mut Random::new(seed)) else {
                    continue;
                };
                let level: G = draft.level().expect("every draft is a level");
                assert_eq!(Draft::of(&level), draft, "{}", draft.text::<G>(&[]));
                let sheet = level.write(&level.start());
                options.extend(sheet.options.iter().map(|(key, _)| *key));
                narrow += usize::from(sheet.rows.len() <= 1 + G::FRAME);
                count += 1;
            }
            assert!(count > 500 && narrow > 20, "{}: {count}, {narrow}", G::NAME);
            // Options that are whole lines, such as rules, are not drawn at random.
            let all: BTreeSet<&str> = match G::LINES {
                [] => G::OPTIONS.iter().map(|option| option.name).collect(),
                _ => options.clone(),
            };
            assert_eq!(options, all, "{}: every option is drawn", G::NAME);
        }
    }
    visit_games(&mut Unusual);
}
