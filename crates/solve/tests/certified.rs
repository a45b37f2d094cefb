//! The list of certified built-in levels (`crates/certificate/certified.txt`): every certificate is
//! made again, is the one of the list, and verifies. With `PLOY_CERTIFY=1` the list is written instead
//! of compared (`scripts/certify`).

use std::time::Duration;

use ployglot_base::{Budget, Switches};
use ployglot_certificate::{Claim, MANIFEST, Memory, Verdict, certified, sha256, verify};
use ployglot_games::*;
use ployglot_solve::{NotCertified, Request, Status, certify, solve};

/// The program that the list was made by.
const PROGRAM: &str = concat!("ploy ", env!("CARGO_PKG_VERSION"));

#[derive(Default)]
struct Levels {
    lines: Vec<String>,
    missing: Vec<String>,
}

impl GameVisitor for Levels {
    fn visit<G: Game>(&mut self) {
        for builtin in G::LEVELS {
            let document = Document::parse(builtin.text).expect(builtin.name);
            let level: Level<G> = Level::parse(&document).expect(builtin.name);
            let name = format!("{}/{}", G::NAME, builtin.name);
            if !writes() && certified().all(|it| it.level != name) {
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
    let time = Duration::from_secs(if writes() { 10 } else { 600 });
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

#[test]
fn every_listed_par_is_certified() {
    let mut levels = Levels::default();
    visit_games(&mut levels);
    let listed: Vec<String> = certified().map(|it| it.line()).collect();
    if writes() {
        println!("no certificate: {:?}", levels.missing);
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../certificate/certified.txt");
        let old = std::fs::read_to_string(file).expect("the list");
        let comments = old.lines().filter(|line| line.starts_with('#'));
        let lines = comments.chain(levels.lines.iter().map(String::as_str));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        std::fs::write(file, text).expect("the list is written");
        return;
    }
    assert!(levels.missing.is_empty(), "{:?}", levels.missing);
    assert_eq!(levels.lines, listed, "scripts/certify makes the list again");
}
