//! Certificates: those of random levels verify, and those that were tampered with do not.

use ployglot_base::{Budget, Random, Switches};
use ployglot_certificate::{
    Claim, File, MANIFEST, Manifest, Memory, Part, Report, Verdict, sha256, verify,
};
use ployglot_games::*;
use ployglot_solve::{Request, Status, certify, solve};

/// Random levels of each game, in the short form of the tests.
const LEVELS: u64 = 120;
/// The same in the long form.
const MANY_LEVELS: u64 = 1000;

/// A certificate of a level in memory; `None` if the level is not solved within a second.
fn certificate<G: Game>(level: &Level<G>, route: Option<&str>, measure: &str) -> Option<Memory> {
    let request = Request {
        route: route.map(str::to_string),
        measure: Some(measure.to_string()),
        switches: Switches::all_on(),
    };
    let budget = Budget::unlimited().with_time(std::time::Duration::from_secs(2));
    let answer = solve(&level.game, &request, &budget).ok()?;
    if !matches!(answer.status, Status::Optimal | Status::Unsolvable) {
        return None;
    }
    let folder = Memory::default();
    match certify(level, &answer, "ploy", &folder, &budget) {
        Ok(_) => Some(folder),
        Err(ployglot_solve::NotCertified::Limit(..)) => None,
        Err(why) => panic!("{}: {why}\n{}", G::NAME, level.print()),
    }
}

fn checked(folder: &Memory) -> Report {
    verify(folder, &Budget::unlimited(), &mut |_| {}).expect("a manifest")
}

/// Small levels, most of them not square.
fn random_levels<G: Game>(levels: u64) -> impl Iterator<Item = Level<G>> {
    const SIZES: [(usize, usize); 6] = [(2, 3), (3, 2), (3, 4), (4, 3), (3, 3), (4, 4)];
    (0..levels).filter_map(|seed| {
        let (rows, cols) = SIZES[seed as usize % SIZES.len()];
        let level = G::generate(&Spec::size(rows, cols), &mut Random::new(seed));
        level.ok().map(Level::bare)
    })
}

struct RandomLevels(u64);

impl GameVisitor for RandomLevels {
    fn visit<G: Game>(&mut self) {
        let (mut verified, mut unsolvable) = (0_u64, 0);
        for level in random_levels::<G>(self.0) {
            for measure in G::MEASURES.iter().filter(|measure| G::lists(measure.name)) {
                let Some(folder) = certificate(&level, None, measure.name) else {
                    continue;
                };
                let report = checked(&folder);
                assert_eq!(
                    report.verdict,
                    Verdict::Verified,
                    "{}\n{}",
                    G::NAME,
                    level.print()
                );
                verified += 1;
                unsolvable += usize::from(report.manifest.claim == Claim::Unsolvable);
            }
        }
        println!(
            "{}: {verified} verified, {unsolvable} of them unsolvable",
            G::NAME
        );
        let least = self.0 * 2 / 5;
        assert!(verified >= least, "{}: {verified} certificates", G::NAME);
    }
}

#[test]
fn certificates_of_random_levels_verify() {
    visit_games(&mut RandomLevels(LEVELS));
}

#[test]
#[ignore = "minutes: a thousand levels of each game"]
fn certificates_of_many_random_levels_verify() {
    visit_games(&mut RandomLevels(MANY_LEVELS));
}

/// Puts the manifest back, with the hashes and sizes of the files as they are now.
fn sign(folder: &Memory, change: impl FnOnce(&mut Manifest)) {
    let text = folder.get(MANIFEST).expect("a manifest");
    let mut manifest = Manifest::parse(std::str::from_utf8(&text).expect("UTF-8")).expect("good");
    let renew = |file: &mut File| {
        let bytes = folder.get(&file.name).expect("a file");
        (file.bytes, file.sha256) = (bytes.len() as u64, sha256(&bytes));
    };
    renew(&mut manifest.level);
    for part in &mut manifest.parts {
        part.files_mut().into_iter().for_each(renew);
    }
    change(&mut manifest);
    folder.put(MANIFEST, manifest.print().into_bytes());
}

fn copy(folder: &Memory) -> Memory {
    let copy = Memory::default();
    for name in folder.names() {
        copy.put(&name, folder.get(&name).expect("it is listed"));
    }
    copy
}

#[track_caller]
fn refuted(folder: &Memory, what: &str) {
    let report = checked(folder);
    let Verdict::Refuted(why) = &report.verdict else {
        panic!("{what}: {:?}\n{}", report.verdict, report.manifest.print());
    };
    assert!(!why.is_empty());
}

/// A list without one of its nodes.
fn without_node(list: &[u8], index: usize) -> Vec<u8> {
    let nodes = ployglot_certificate::read_list(list).expect("a good list");
    let left = nodes.into_iter().enumerate().filter(|(at, _)| *at != index);
    ployglot_certificate::write_list(left.map(|(_, node)| node))
}

struct Mutations(u64);

impl GameVisitor for Mutations {
    fn visit<G: Game>(&mut self) {
        let mut random = Random::new(7);
        let mut other: Option<Memory> = None;
        let mut nodes_left_out = 0;
        let measure = G::MEASURES[0].name;
        for level in random_levels::<G>(self.0) {
            let Some(folder) = certificate(&level, Some(level.game.best_route(measure)), measure)
            else {
                continue;
            };
            let claim = checked(&folder).manifest.claim;
            // A changed byte in any file but the manifest.
            for name in folder.names().into_iter().filter(|name| name != MANIFEST) {
                let mut bytes = folder.get(&name).expect("it is listed");
                if bytes.is_empty() {
                    continue;
                }
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
                let changed = copy(&folder);
                changed.put(&name, bytes);
                refuted(&changed, &format!("{}: a changed byte in {name}", G::NAME));
            }
            if claim == Claim::Cost(0) {
                // The empty plan proves it, so there is nothing to take away.
                continue;
            }
            // Another claim.
            let claims: Vec<Claim> = match claim {
                Claim::Cost(cost) => vec![Claim::Cost(cost + 1), Claim::Unsolvable],
                Claim::Unsolvable => vec![Claim::Cost(3)],
            };
            for wrong in claims {
                let changed = copy(&folder);
                sign(&changed, |manifest| {
                    manifest.claim = wrong;
                    if wrong == Claim::Unsolvable {
                        manifest.parts.retain(|part| part.kind() != "plan");
                    }
                });
                refuted(&changed, &format!("{}: {claim:?} as {wrong:?}", G::NAME));
            }
            // A shorter plan.
            if let Some(plan) = folder.get("plan.txt").filter(|plan| !plan.is_empty()) {
                let text = String::from_utf8(plan).expect("UTF-8");
                let lines: Vec<&str> = text.lines().collect();
                let changed = copy(&folder);
                changed.put("plan.txt", lines[..lines.len() - 1].join("\n").into_bytes());
                sign(&changed, |_| {});
                refuted(&changed, &format!("{}: a shorter plan", G::NAME));
                let changed = copy(&folder);
                sign(&changed, |manifest| {
                    manifest.parts.retain(|part| part.kind() != "plan")
                });
                refuted(&changed, &format!("{}: no plan", G::NAME));
            }
            // A node left out: the list is closed no longer, if the node was needed.
            if let Some(list) = folder.get("nodes.gz") {
                let nodes = ployglot_certificate::read_list(&list).expect("a good list");
                if !nodes.is_empty() {
                    let changed = copy(&folder);
                    changed.put("nodes.gz", without_node(&list, random.below(nodes.len())));
                    sign(&changed, |manifest| {
                        for part in &mut manifest.parts {
                            if let Part::Layers { nodes, .. } = part {
                                *nodes -= 1;
                            }
                        }
                    });
                    refuted(&changed, &format!("{}: a node left out", G::NAME));
                    nodes_left_out += 1;
                }
            }
            // The certificate of another level.
            if let Some(other) = &other {
                let changed = copy(other);
                changed.put("level.txt", folder.get("level.txt").expect("a level"));
                sign(&changed, |_| {});
                let report = checked(&changed);
                // The claim may be right for both levels, and then so may the proof be.
                let same = report.manifest.claim == claim;
                assert!(report.verdict != Verdict::Verified || same, "{}", G::NAME);
            }
            // What must be trusted is not listed.
            let changed = copy(&folder);
            sign(&changed, |manifest| manifest.trusted.clear());
            refuted(&changed, &format!("{}: nothing to trust", G::NAME));
            // Without a lower bound, nothing is proven.
            let changed = copy(&folder);
            sign(&changed, |manifest| {
                manifest.parts.retain(|part| part.kind() == "plan")
            });
            let verdict = checked(&changed).verdict;
            assert!(matches!(verdict, Verdict::NotCheckable(_)), "{verdict:?}");
            other = Some(folder);
        }
        assert!(nodes_left_out > 5, "{}: {nodes_left_out}", G::NAME);
    }
}

#[test]
fn certificates_that_were_changed_are_refuted() {
    visit_games(&mut Mutations(40));
}

#[test]
#[ignore = "minutes: a thousand levels of each game"]
fn many_certificates_that_were_changed_are_refuted() {
    visit_games(&mut Mutations(MANY_LEVELS));
}

/// Any changed byte of a manifest is refused, or changes nothing that is claimed.
#[test]
fn a_changed_manifest_never_proves_another_claim() {
    let document = Document::parse("game: plotting\ngoal: 1\n\nRRG\nRGG\n").expect("a text");
    let level: Level<Plotting> = Level::parse(&document).expect("a level");
    let folder = certificate(&level, None, "shots").expect("a small level");
    let right = checked(&folder).manifest;
    let bytes = folder.get(MANIFEST).expect("a manifest");
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] = if changed[at] == b'1' { b'2' } else { b'1' };
        let copy = copy(&folder);
        copy.put(MANIFEST, changed);
        let Ok(report) = verify(&copy, &Budget::unlimited(), &mut |_| {}) else {
            continue;
        };
        if report.verdict == Verdict::Verified {
            let manifest = report.manifest;
            assert_eq!(
                (manifest.claim, &manifest.measure),
                (right.claim, &right.measure)
            );
            assert_eq!(
                (&manifest.game, manifest.level),
                (&right.game, right.level.clone())
            );
        }
    }
}

/// Small levels of each game by its constraint models.
struct ByClauses {
    /// The levels of each model that are certified.
    of_model: usize,
    papers: bool,
}

impl GameVisitor for ByClauses {
    fn visit<G: Game>(&mut self) {
        let mut verified = 0;
        let mut tried = std::collections::HashSet::new();
        let mut random = Random::new(5);
        let models = G::CONSTRAINT.iter();
        for model in models.filter(|model| model.is_of_a_paper() == self.papers) {
            let mut of_model = 0;
            for level in random_levels::<G>(MANY_LEVELS).take(8 * self.of_model) {
                let from_one = model.switches.iter().any(|it| it.name == FROM_ONE.name);
                let switch = if from_one && verified % 2 == 0 {
                    "+from-one"
                } else {
                    ""
                };
                let route = format!("{}{switch}:sat", model.full_name());
                let Some(folder) = certificate(&level, Some(&route), model.measure) else {
                    continue;
                };
                let report = checked(&folder);
                assert_eq!(
                    report.verdict,
                    Verdict::Verified,
                    "{route}\n{}",
                    level.print()
                );
                // The empty plan needs no clauses.
                if report.manifest.claim != Claim::Cost(0) {
                    let kinds: Vec<_> = report.manifest.parts.iter().map(Part::kind).collect();
                    assert!(kinds.contains(&"clauses"), "{route}: {kinds:?}");
                }
                verified += 1;
                of_model += 1;
                tamper_with_clauses::<G>(&folder, &mut random, &mut tried);
                if of_model == self.of_model {
                    break;
                }
            }
            println!("{}: {of_model} by {}", G::NAME, model.full_name());
            assert!(of_model > 0, "{}: {}", G::NAME, model.full_name());
        }
        let any = G::CONSTRAINT
            .iter()
            .any(|it| it.is_of_a_paper() == self.papers);
        // One level by a paper's model may need no clauses at all.
        assert!(
            !any || self.papers || tried.len() >= 2,
            "{}: {tried:?}",
            G::NAME
        );
    }
}

/// Changes the clauses, the proofs and the horizons of a certificate in turn.
fn tamper_with_clauses<G: Game>(
    folder: &Memory,
    random: &mut Random,
    tried: &mut std::collections::HashSet<&'static str>,
) {
    let names = folder.names();
    let Some(cnf) = names.iter().find(|name| name.ends_with(".cnf")) else {
        return;
    };
    let proof = cnf.replace(".cnf", ".lrat");
    let text = |name: &str| String::from_utf8(folder.get(name).expect("a file")).expect("UTF-8");
    // A clause dropped, and the header made to fit.
    let lines: Vec<String> = text(cnf).lines().map(str::to_string).collect();
    let header = lines
        .iter()
        .position(|line| line.starts_with("p cnf"))
        .expect("a header");
    if lines.len() > header + 2 {
        tried.insert("clause");
        let mut fewer = lines.clone();
        fewer.remove(header + 1 + random.below(lines.len() - header - 1));
        let words: Vec<&str> = lines[header].split(' ').collect();
        fewer[header] = format!("p cnf {} {}", words[2], fewer.len() - header - 1);
        let changed = copy(folder);
        changed.put(cnf, (fewer.join("\n") + "\n").into_bytes());
        sign(&changed, |_| {});
        refuted(&changed, &format!("{}: a clause dropped", G::NAME));
    }
    // The proof cut off before it derives the empty clause; deletions may follow that.
    let steps = text(&proof);
    let steps: Vec<&str> = steps.lines().collect();
    let is_empty = |step: &&str| step.split(' ').nth(1) == Some("0");
    if let Some(last) = steps.iter().position(is_empty) {
        tried.insert("proof");
        let changed = copy(folder);
        changed.put(&proof, steps[..last].join("\n").into_bytes());
        sign(&changed, |_| {});
        refuted(&changed, &format!("{}: a proof cut off", G::NAME));
    }
    // A horizon left out.
    tried.insert("horizon");
    let changed = copy(folder);
    sign(&changed, |manifest| {
        for part in &mut manifest.parts {
            if let Part::Clauses { refuted, .. } = part {
                refuted.remove(0);
            }
        }
    });
    refuted(&changed, &format!("{}: a horizon left out", G::NAME));
}

#[test]
fn certificates_by_clauses_verify_and_those_that_were_changed_are_refuted() {
    visit_games(&mut ByClauses {
        of_model: 3,
        papers: false,
    });
}

#[test]
fn certificates_by_the_models_of_the_papers_verify() {
    visit_games(&mut ByClauses {
        of_model: 1,
        papers: true,
    });
}

#[test]
#[ignore = "minutes: hundreds of levels by every constraint model"]
fn certificates_of_hundreds_of_levels_by_clauses_verify() {
    for papers in [false, true] {
        visit_games(&mut ByClauses {
            of_model: 40,
            papers,
        });
    }
}
