//! Certificates of lower bounds: VeriPB accepts those of random tasks, and rejects wrong ones.

use ployglot_base::Budget;
use ployglot_pddl::certificate::{
    CannotCertify, Claim, ESTIMATES, Files, Names, Ruling, Size, VERIPB, certify, check_opb,
    encode_task, run_veripb,
};
use ployglot_pddl::estimates::Estimate;
use ployglot_pddl::{Task, ground};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};
use ployglot_testing::pddl::random_task;
use ployglot_testing::pddl::search::best_plan;
use ployglot_testing::programs::{budget, has_tool};

/// A task with its names, and the claim that its optimal cost allows.
struct Case {
    name: String,
    task: Task,
    names: Names,
    claim: Claim,
}

struct Certificate {
    opb: String,
    proof: String,
    size: Size,
}

impl Case {
    /// `None` where the task has too many states for this test.
    fn new(name: String, domain: &str, problem: &str) -> Option<Self> {
        let (domain, problem) = read(domain, problem);
        let task = ground(&domain, &problem).unwrap_or_else(|bad| panic!("{name}: {bad}"));
        let names = Names::new(&task, &domain, &problem);
        let claim = match best_plan(&task, 400)? {
            Some((cost, _)) => Claim::AtLeast(cost),
            None => Claim::Unsolvable,
        };
        Some(Case {
            name,
            task,
            names,
            claim,
        })
    }

    fn random(seed: u64) -> Option<Self> {
        let (domain, problem) = random_task(seed);
        Self::new(format!("random {seed}"), &domain, &problem)
    }

    fn certify(&self, claim: Claim, estimate: Estimate) -> Result<Certificate, CannotCertify> {
        let (mut opb, mut proof) = (Vec::new(), Vec::new());
        let budget = Budget::unlimited();
        let (task, names) = (&self.task, &self.names);
        let size = certify(task, names, claim, estimate, &budget, &mut opb, &mut proof)?;
        let text = |bytes| String::from_utf8(bytes).expect("certificates are text");
        Ok(Certificate {
            opb: text(opb),
            proof: text(proof),
            size,
        })
    }

    /// Whether the OPB file is that of the task.
    fn is_own(&self, claim: Claim, opb: &str) -> bool {
        let checked = check_opb(&self.task, &self.names, claim, opb, &Budget::unlimited());
        checked.expect("the task can be encoded").is_ok()
    }
}

fn judge(opb: &str, proof: &str) -> Ruling {
    run_veripb(Files::Texts(opb.as_bytes(), proof.as_bytes()), &budget())
}

/// Keeps what was rejected, for a look at it.
fn keep(case: &Case, certificate: &Certificate) {
    if let Some(folder) = std::env::var_os("PLOY_KEEP") {
        let folder = std::path::Path::new(&folder);
        let _ = std::fs::write(folder.join("task.opb"), &certificate.opb);
        let _ = std::fs::write(folder.join("proof.pbp"), &certificate.proof);
        eprintln!("kept {}", case.name);
    }
}

fn accept(case: &Case, estimate: Estimate) -> Certificate {
    let certificate = case
        .certify(case.claim, estimate)
        .unwrap_or_else(|why| panic!("{} with {estimate}: {why}", case.name));
    let ruling = judge(&certificate.opb, &certificate.proof);
    if ruling != Ruling::Accepted {
        keep(case, &certificate);
        panic!("{} with {estimate}: {ruling:?}", case.name);
    }
    assert!(case.is_own(case.claim, &certificate.opb), "{}", case.name);
    certificate
}

#[test]
fn certificates_of_random_tasks_are_accepted() {
    if !has_tool(&VERIPB) {
        return;
    }
    let (mut certified, mut dropped) = (0, 0);
    for case in (0..).filter_map(Case::random).take(150) {
        for estimate in ESTIMATES {
            let size = accept(&case, estimate).size;
            certified += 1;
            dropped += usize::from(size.dropped > 0);
        }
    }
    assert_eq!(certified, 450);
    assert!(dropped > 50, "the estimates prove something: {dropped}");
}

#[test]
fn certificates_of_known_problems_are_accepted() {
    if !has_tool(&VERIPB) {
        return;
    }
    for (at, (domain, problem, _)) in CLASSICS.iter().chain(FEATURES).enumerate() {
        let Some(case) = Case::new(format!("problem {at}"), domain, problem) else {
            continue;
        };
        match case.certify(case.claim, Estimate::Blind) {
            Err(CannotCertify::Feature(_)) => continue,
            _ => ESTIMATES.iter().for_each(|&estimate| {
                accept(&case, estimate);
            }),
        }
    }
}

/// The texts of wrong certificates that look right: the definitions are definitions, and the proof
/// has as many lines as before.
fn mutants(case: &Case, certificate: &Certificate) -> Vec<(&'static str, String, String)> {
    let mut mutants = Vec::new();
    let (opb, proof) = (&certificate.opb, &certificate.proof);
    if let Claim::AtLeast(cost) = case.claim {
        // The claim is raised by one.
        let raised = Claim::AtLeast(cost + 1);
        let parts = |claim| {
            let parts = encode_task(&case.task, &case.names, claim, &Budget::unlimited());
            parts.expect("the task can be encoded")
        };
        let (old, new) = (parts(case.claim), parts(raised));
        if old[0] == new[0] {
            mutants.push(("raised", opb.replace(&old[1], &new[1]), proof.clone()));
        }
    }
    // A state is left out of the invariant.
    for state in ["e0", "e1", "e2"] {
        if let Some(without) = without_state(opb, state) {
            mutants.push(("left out", without, proof.clone()));
        }
    }
    // The operators of a state are left out of the proof.
    let about = |line: &str| {
        let mut words = line.split(' ').filter(|word| word.starts_with('~'));
        let first = words.next()?;
        let operator = words.next()?.starts_with("~o");
        (operator && line.starts_with("rup 1 ~e")).then(|| first.to_string())
    };
    let states: Vec<String> = proof.lines().filter_map(about).collect();
    let several = states.iter().find(|state| {
        let same = states.iter().filter(|each| each == state);
        same.count() > 2
    });
    if let Some(state) = several {
        let lines = proof.lines().map(|line| match about(line) {
            Some(found) if found == *state => "rup >= 0;\n".to_string(),
            _ => format!("{line}\n"),
        });
        mutants.push(("operators", opb.clone(), lines.collect()));
    }
    mutants
}

/// The OPB file without one of the states in the definition of the invariant, in both copies.
fn without_state(opb: &str, state: &str) -> Option<String> {
    let mut removed = 0;
    let lines = opb.lines().map(|line| {
        let mark = if line.contains("inv^ ") { "^" } else { "" };
        let (plain, negated) = (format!(" 1 {state}{mark} "), format!(" 1 ~{state}{mark} "));
        let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
        if line.starts_with("1 ~inv") && line.contains(&plain) && words.len() > 8 {
            removed += 1;
            return line.replace(&plain, " ") + "\n";
        }
        let is_backward = words.get(1).is_some_and(|word| word.starts_with("inv"));
        if is_backward && line.contains(&negated) && words.len() > 8 {
            removed += 1;
            let degree: u64 = words[0].parse().expect("a number");
            let at = words.len() - 2;
            words[0] = (degree - 1).to_string();
            words[at] = (degree - 1).to_string();
            return words.join(" ").replace(&negated, " ") + "\n";
        }
        format!("{line}\n")
    });
    let text: String = lines.collect();
    (removed == 4).then_some(text)
}

#[test]
fn wrong_certificates_are_rejected() {
    if !has_tool(&VERIPB) {
        return;
    }
    let mut rejected = std::collections::BTreeMap::new();
    for case in (500..560).filter_map(Case::random) {
        let certificate = case
            .certify(case.claim, Estimate::Blind)
            .unwrap_or_else(|why| panic!("{}: {why}", case.name));
        for (kind, opb, proof) in mutants(&case, &certificate) {
            assert!(
                opb != certificate.opb || proof != certificate.proof,
                "{kind}"
            );
            let ruling = judge(&opb, &proof);
            let message = format!("{} {kind}: {ruling:?}", case.name);
            // Unit propagation may find without help what a line that is left out says.
            if kind == "operators" && ruling == Ruling::Accepted {
                continue;
            }
            assert!(matches!(ruling, Ruling::Rejected(_)), "{message}");
            if kind == "left out" {
                assert!(case.is_own(case.claim, &opb), "{message}");
            }
            *rejected.entry(kind).or_insert(0) += 1;
        }
    }
    for kind in ["raised", "left out", "operators"] {
        assert!(
            rejected.get(kind).is_some_and(|&count| count >= 3),
            "{rejected:?}"
        );
    }
}

#[test]
fn a_wrong_claim_has_no_certificate() {
    for case in (0..60).filter_map(Case::random) {
        let Claim::AtLeast(cost) = case.claim else {
            continue;
        };
        for claim in [Claim::AtLeast(cost + 1), Claim::Unsolvable] {
            for estimate in ESTIMATES {
                let refused = case.certify(claim, estimate);
                assert!(
                    matches!(refused, Err(CannotCertify::Refuted(_))),
                    "{}",
                    case.name
                );
            }
        }
        // A smaller claim is true.
        if cost > 0 {
            let smaller = case.certify(Claim::AtLeast(cost - 1), Estimate::Projections);
            assert!(smaller.is_ok(), "{}", case.name);
        }
    }
}

#[test]
fn an_opb_file_that_is_not_of_the_task_is_found() {
    let cases = (0..40).filter_map(Case::random);
    // Tasks without facts may be the same.
    let cases: Vec<Case> = cases.filter(|case| !case.task.facts.is_empty()).collect();
    assert!(cases.len() > 10, "{}", cases.len());
    for pair in cases.windows(2) {
        let [case, other] = pair else { continue };
        let certificate = case.certify(case.claim, Estimate::Projections);
        let opb = certificate.expect("the claim is true").opb;
        assert!(case.is_own(case.claim, &opb), "{}", case.name);
        assert!(
            !other.is_own(other.claim, &opb),
            "{} {}",
            case.name,
            other.name
        );
        // Every line but a comment of the definitions counts.
        let lines: Vec<&str> = opb.lines().collect();
        for at in 0..lines.len() {
            if lines[at].starts_with("* ") {
                continue;
            }
            let without = lines[..at].iter().chain(&lines[at + 1..]);
            let without: String = without.map(|line| format!("{line}\n")).collect();
            assert!(
                !case.is_own(case.claim, &without),
                "{} without line {at}",
                case.name
            );
        }
        // A constraint that is no definition, in both copies.
        let marked = opb.replacen("PART 2", "PART 2\n1 ~e0 >= 1 ;\n1 e0 >= 0 ;\n*", 1);
        assert!(!case.is_own(case.claim, &marked));
    }
}

#[test]
fn a_task_with_numbers_is_refused() {
    let (domain, problem, _) = FEATURES[3];
    let case = Case::new("jugs".to_string(), domain, problem).expect("a small task");
    let refused = case.certify(case.claim, Estimate::Blind);
    let why = refused
        .err()
        .expect("numbers are not supported")
        .to_string();
    assert!(why.starts_with("the task cannot be certified: it"), "{why}");
}
