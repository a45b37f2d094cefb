//! The list of certified built-in levels (`crates/certificate/certified.txt`): every certificate is
//! made again, is the one of the list, and verifies. The levels of [`LONG`] are in a test of their own,
//! which is ignored by default. With `PLOY_CERTIFY=1` the list is written instead of compared
//! (`scripts/certify`).

use std::time::Duration;

use ployglot_base::{Budget, Switches};
use ployglot_certificate::{Claim, MANIFEST, Memory, Verdict, certified, sha256, verify};
use ployglot_games::*;
use ployglot_solve::{NotCertified, Request, Status, certify, solve};

/// The program that the list was made by.
const PROGRAM: &str = concat!("ploy ", env!("CARGO_PKG_VERSION"));

/// The levels with the longest lists: more than a second each to write and check with a release build,
/// about a minute together.
const LONG: [&str; 9] = [
    "plotting/13-mosaic",
    "puzznic/10-odd-ones",
    "puzznic/12-upstairs-downstairs",
    "puzznic/13-two-doors",
    "puzznic/14-hourglass",
    "bombastic/14-pack-ice",
    "bombastic/15-four-errands",
    "bombastic/16-meltwater",
    "puzzlescript/twins#2",
];

#[derive(Default)]
struct Levels {
    /// Whether those of [`LONG`] are certified, or the others.
    long: bool,
    lines: Vec<String>,
    missing: Vec<String>,
}

impl GameVisitor for Levels {
    fn visit<G: Game>(&mut self) {
        for builtin in G::LEVELS {
            let document = Document::parse(builtin.text).expect(builtin.name);
            let level: Level<G> = Level::parse(&document).expect(builtin.name);
            let name = format!("{}/{}", G::NAME, builtin.name);
            if !writes() && LONG.contains(&name.as_str()) != self.long {
                continue;
            }
            match certificate(&level, &name) {
                Some(line) => self.lines.push(line),
                None => self.missing.push(name),
            }
        }
    }
}

fn writes() -> bool {
    std::env::var_os("PLOY_CERTIFY").is_some()
}

/// The line of a level; `None` if there is no certificate within the time.
fn certificate<G: Game>(level: &Level<G>, name: &str) -> Option<String> {
    let measure = G::MEASURES[0].name;
    let route = level.game.best_route(measure);
    let request = Request {
        route: Some(route.to_string()),
        measure: Some(measure.to_string()),
        switches: Switches::all_on(),
    };
    let time = Duration::from_secs(if writes() { 120 } else { 600 });
    let budget = Budget::unlimited().with_time(time).with_memory(4 << 30);
    let answer = solve(&level.game, &request, &budget).expect(name);
    if writes() && !matches!(answer.status, Status::Optimal | Status::Unsolvable) {
        return None;
    }
    let solved = budget.elapsed();
    let folder = Memory::default();
    let manifest = match certify(level, &answer, PROGRAM, &folder, &budget) {
        Ok(manifest) => manifest,
        Err(NotCertified::Limit(..)) => return None,
        Err(why) => panic!("{name}: {why}"),
    };
    let certified = budget.elapsed();
    let report = verify(&folder, &Budget::unlimited(), &mut |_| {}).expect("a manifest");
    assert_eq!(report.verdict, Verdict::Verified, "{name}");
    let (par, claim) = match (level.par(measure), manifest.claim) {
        (Some(Par::Cost(par)), Claim::Cost(cost)) => (par.to_string(), cost.to_string()),
        (Some(Par::Unsolvable), Claim::Unsolvable) => ("unsolvable".into(), "unsolvable".into()),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(par, claim, "{name}");
    let bytes = folder.get(MANIFEST).expect("a manifest");
    let line = format!("{name} {measure} {claim} {route} {}", sha256(&bytes));
    if writes() {
        let size: usize = folder
            .names()
            .iter()
            .filter_map(|it| folder.get(it))
            .map(|it| it.len())
            .sum();
        let seconds = [solved, certified - solved, budget.elapsed() - certified];
        let [solved, written, checked] = seconds.map(|it| format!("{:.2}", it.as_secs_f64()));
        println!("{line}");
        println!(
            "{name}: {size} bytes, solved {solved} s, written {written} s, checked {checked} s"
        );
    }
    Some(line)
}

/// Every built-in level is listed.
#[test]
fn every_built_in_level_is_certified() {
    #[derive(Default)]
    struct Names(Vec<String>);
    impl GameVisitor for Names {
        fn visit<G: Game>(&mut self) {
            let name = |builtin: &BuiltinLevel| format!("{}/{}", G::NAME, builtin.name);
            self.0.extend(G::LEVELS.iter().map(name));
        }
    }
    let mut names = Names::default();
    visit_games(&mut names);
    let listed: Vec<&str> = certified().map(|it| it.level).collect();
    assert_eq!(listed, names.0);
    assert!(LONG.iter().all(|name| listed.contains(name)));
}

#[test]
fn every_par_but_the_longest_is_certified_again() {
    if writes() {
        write_list();
    } else {
        compare(false);
    }
}

#[test]
#[ignore = "minutes: the nine levels with the longest lists"]
fn the_longest_pars_are_certified_again() {
    compare(true);
}

fn compare(long: bool) {
    let mut levels = Levels {
        long,
        ..Levels::default()
    };
    visit_games(&mut levels);
    assert!(levels.missing.is_empty(), "{:?}", levels.missing);
    let listed = certified().filter(|it| LONG.contains(&it.level) == long);
    let listed: Vec<String> = listed.map(|it| it.line()).collect();
    assert_eq!(levels.lines, listed, "scripts/certify makes the list again");
}

fn write_list() {
    let mut levels = Levels::default();
    visit_games(&mut levels);
    println!("no certificate: {:?}", levels.missing);
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../certificate/certified.txt");
    let old = std::fs::read_to_string(file).expect("the list");
    let comments = old.lines().filter(|line| line.starts_with('#'));
    let lines = comments.chain(levels.lines.iter().map(String::as_str));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    std::fs::write(file, text).expect("the list is written");
}
