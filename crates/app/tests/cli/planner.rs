//! The commands for PDDL files: plan, validate, ground, export.

use std::process::Stdio;
use std::time::Duration;

use ployglot_testing::program::{Folder, Ran, args, command, interrupt, ploy, wait_until_used};
use ployglot_testing::skip::skip;

const DOMAIN: &str = "(define (domain ferry) (:requirements :strips :typing :action-costs)
  (:types car side)
  (:predicates (at ?c - car ?s - side) (ferry-at ?s - side) (aboard ?c - car) (empty))
  (:functions (total-cost) - number)
  (:action sail :parameters (?a ?b - side)
    :precondition (ferry-at ?a)
    :effect (and (not (ferry-at ?a)) (ferry-at ?b) (increase (total-cost) 3)))
  (:action board :parameters (?c - car ?s - side)
    :precondition (and (ferry-at ?s) (at ?c ?s) (empty))
    :effect (and (not (at ?c ?s)) (aboard ?c) (not (empty)) (increase (total-cost) 1)))
  (:action leave :parameters (?c - car ?s - side)
    :precondition (and (ferry-at ?s) (aboard ?c))
    :effect (and (at ?c ?s) (not (aboard ?c)) (empty) (increase (total-cost) 1))))
";

/// Two cars cross the river one after the other.
const PROBLEM: &str = "(define (problem two) (:domain ferry)
  (:objects c d - car west east - side)
  (:init (at c west) (at d west) (ferry-at west) (empty) (= (total-cost) 0))
  (:goal (and (at c east) (at d east)))
  (:metric minimize (total-cost)))
";

fn files(folder: &Folder) -> (String, String) {
    (
        folder.file("domain.pddl", DOMAIN),
        folder.file("two.pddl", PROBLEM),
    )
}

#[track_caller]
fn plan(words: &[&str]) -> Ran {
    args(&[&["plan"], words].concat(), b"")
}

#[test]
fn a_plan_is_optimal_by_default_and_the_judge_accepts_it() {
    let folder = Folder::new();
    let (domain, problem) = files(&folder);
    let out = folder.path().join("out.plan").display().to_string();
    plan(&[&domain, &problem, &out])
        .exits(0)
        .says("; optimal, at least 13");
    let text = std::fs::read_to_string(&out).expect("a plan");
    assert!(text.ends_with("; cost = 13 (general cost)\n"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with('(')).count(), 7);
    args(&["validate", &domain, &problem, &out], b"")
        .exits(0)
        .says("valid: 7 steps, cost 13");
    // Without a metric every step costs one.
    let unit = folder.file(
        "unit.pddl",
        PROBLEM.replace("(:metric minimize (total-cost))", ""),
    );
    plan(&[&domain, &unit])
        .exits(0)
        .says("; cost = 7 (unit cost)");
}

#[test]
fn the_domain_is_found_in_the_folder_of_the_problem() {
    let folder = Folder::new();
    let (_, problem) = files(&folder);
    plan(&[&problem]).exits(0).says("(board ");
    let alone = Folder::new();
    let problem = alone.file("two.pddl", PROBLEM);
    plan(&[&problem])
        .exits(36)
        .complains("no domain file in the same folder");
}

#[test]
fn engines_agree_and_report_what_is_proven() {
    let folder = Folder::new();
    let (domain, problem) = files(&folder);
    for engine in ["bfs", "astar", "ida", "anytime", "lazy"] {
        let row = plan(&[&domain, &problem, "--json", "--engine", engine])
            .exits(0)
            .row();
        assert_eq!(
            (&row["status"], &row["cost"]),
            (&"optimal".into(), &13.into()),
            "{engine}: {row}"
        );
    }
    let row = plan(&[&domain, &problem, "--json", "--engine", "gbfs"])
        .exits(0)
        .row();
    assert!(
        row["cost"].as_u64() >= Some(13) && row["at_least"].as_u64() <= Some(13),
        "{row}"
    );
    assert_eq!(row["heuristic"], "landmarks");
    // It is proven that seven steps are the fewest. The bound on the cost is weaker: each step
    // costs at least 1.
    let row = plan(&[&domain, &problem, "--json", "--engine", "sat"])
        .exits(0)
        .row();
    let sat = &row["sat"];
    assert_eq!(
        (&sat["steps"], &sat["at_least_steps"]),
        (&7.into(), &7.into()),
        "{row}"
    );
    assert_eq!(
        (&sat["encoding"], &sat["step"]),
        (&"sequential".into(), &1.into()),
        "{row}"
    );
    assert!(
        row["cost"] == 13 && row["checked"] == true && row["heuristic"].is_null(),
        "{row}"
    );
    assert!(row["at_least"].as_u64() <= Some(13));
}

#[test]
fn skipped_horizons_are_reported() {
    let folder = Folder::new();
    let domain = folder.file("domain.pddl", DOMAIN);
    let unit = folder.file(
        "unit.pddl",
        PROBLEM.replace("(:metric minimize (total-cost))", ""),
    );
    let sat = |more: &[&str]| plan(&[&[&domain, &unit, "--engine", "sat"], more].concat()).exits(0);
    sat(&[])
        .says("; optimal, at least 7")
        .says("a plan of 7 steps");
    let skipping = sat(&["--sat-step", "5"]);
    skipping
        .says("at least 6")
        .says("fewer steps may be enough");
    sat(&["--sat-encoding", "exists"]).says("of one or more actions");
    for strategy in ["in-turn", "geometric", "even"] {
        sat(&["--sat-strategy", strategy, "--sat-step", "3"]).says("; cost = ");
    }
    plan(&[&domain, &unit, "--satisfice", "--engine", "sat"])
        .exits(0)
        .says("; cost = ");
    plan(&[&domain, &unit, "--sat-step", "5"])
        .exits(36)
        .complains("--engine sat");
    plan(&[&domain, &unit, "--engine", "sat", "--sat-step", "0"]).exits(36);
}

#[test]
fn every_better_plan_is_written_to_its_own_file() {
    let folder = Folder::new();
    let (domain, problem) = files(&folder);
    let out = folder.path().join("out").display().to_string();
    // The files of an earlier run are removed.
    let stale = folder.file("out.1", "; written by ploy plan\n(sail west east)\n");
    folder.file("out.2", "; written by ploy plan\n");
    let row = plan(&[&domain, &problem, &out, "--satisfice", "--json"])
        .exits(0)
        .row();
    let costs: Vec<u64> = row["costs"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|cost| cost.as_u64())
        .collect();
    assert!(
        !costs.is_empty() && costs.is_sorted_by(|a, b| a > b),
        "{row}"
    );
    assert_eq!(row["cost"].as_u64(), costs.last().copied());
    for (index, cost) in costs.iter().enumerate() {
        let name = format!("{out}.{}", index + 1);
        args(&["validate", &domain, &problem, &name], b"")
            .exits(0)
            .says(&format!("cost {cost}"));
    }
    let plans = folder
        .names()
        .into_iter()
        .filter(|name| name.starts_with("out"))
        .count();
    assert_eq!(plans, costs.len(), "{:?} {stale}", folder.names());
}

#[test]
fn files_that_others_wrote_stay() {
    let folder = Folder::new();
    let (domain, problem) = files(&folder);
    let out = folder.path().join("out").display().to_string();
    let letter = folder.file("out.1", "Hello Ann,\n");
    let other = folder.file("out.2", "");
    // This engine writes no such files.
    plan(&[&domain, &problem, &out]).exits(0);
    plan(&[&domain, &problem, &out, "--satisfice"])
        .exits(35)
        .complains("out.1: a file of this name exists that 'ploy plan' did not write");
    assert_eq!(std::fs::read_to_string(&letter).unwrap(), "Hello Ann,\n");
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "");
    let drafts = folder.names().into_iter();
    let drafts: Vec<String> = drafts.filter(|name| name.ends_with(".part")).collect();
    assert!(drafts.is_empty(), "{drafts:?}");
}

/// A domain with a billion atoms.
fn too_large(folder: &Folder) -> (String, String) {
    let domain = "(define (domain large) (:predicates (q ?a ?b ?c ?d))
        (:action a :parameters (?a ?b ?c ?d) :effect (q ?a ?b ?c ?d)))";
    let objects: String = (0..200).map(|at| format!(" o{at}")).collect();
    let problem =
        format!("(define (problem p) (:domain large) (:objects{objects}) (:goal (q o0 o1 o2 o3)))");
    (
        folder.file("large.pddl", domain),
        folder.file("large-problem.pddl", problem),
    )
}

#[test]
fn limits_hold_while_a_task_is_grounded() {
    let folder = Folder::new();
    let (domain, problem) = too_large(&folder);
    plan(&[&domain, &problem, "--time", "1s"])
        .exits(23)
        .says("; limit (time) while grounding");
    let row = plan(&[&domain, &problem, "--memory", "200M", "--json"])
        .exits(22)
        .row();
    assert_eq!(row["status"], "limit", "{row}");
    assert_eq!(
        (&row["limit"], &row["phase"]),
        (&"memory".into(), &"grounding".into())
    );
    assert!(
        row["peak_mb"].as_f64().is_some_and(|peak| peak < 260.0),
        "{row}"
    );
    args(&["ground", &domain, &problem, "--time", "1s"], b"")
        .exits(23)
        .says("not grounded, ended by time");
    let row = args(
        &["ground", &domain, &problem, "--time", "1s", "--json"],
        b"",
    );
    assert_eq!(row.exits(23).row()["limit"], "time");
}

/// The validator computes half a million derived facts after each of three hundred steps; the
/// planner needs none of them.
#[test]
fn a_plan_that_the_validator_has_no_time_for_is_kept() {
    let folder = Folder::new();
    let domain = folder.file(
        "domain.pddl",
        "(define (domain d) (:requirements :adl :derived-predicates)
           (:predicates (at ?a) (next ?a ?b) (big ?a ?b ?c))
           (:derived (big ?a ?b ?c) (or (at ?a) (at ?b) (at ?c) (next ?a ?b) (next ?b ?c)))
           (:action go :parameters (?a ?b) :precondition (and (at ?a) (next ?a ?b))
             :effect (and (at ?b) (not (at ?a)))))",
    );
    let objects: String = (0..80).map(|at| format!(" o{at}")).collect();
    let next: String = (1..80)
        .map(|at| format!("(next o{} o{at})", at - 1))
        .collect();
    let problem = format!(
        "(define (problem p) (:domain d) (:objects{objects}) (:init (at o0) {next}) (:goal (at o79)))"
    );
    let problem = folder.file("problem.pddl", problem);
    let out = folder.path().join("out.plan").display().to_string();
    let ran = plan(&[&domain, &problem, &out, "--time", "4s", "--json"]).exits(2);
    let row = ran.row();
    assert_eq!(
        (&row["status"], &row["cost"]),
        (&"feasible".into(), &79.into()),
        "{row}"
    );
    assert_eq!(
        (&row["checked"], &row["unchecked"]),
        (&false.into(), &"time".into()),
        "{row}"
    );
    let text = std::fs::read_to_string(&out).expect("the plan is written");
    assert!(text.contains("; not validated"), "{text}");
    assert_eq!(
        text.lines().filter(|line| line.starts_with("(go")).count(),
        79
    );
    args(&["validate", &domain, &problem, &out, "--time", "1s"], b"")
        .exits(23)
        .says("not validated, ended by time");
}

#[test]
fn no_plan_exits_11() {
    let folder = Folder::new();
    let domain = folder.file("domain.pddl", DOMAIN);
    let none = folder.file("none.pddl", PROBLEM.replace("(at d east)", "(aboard c)"));
    for engine in ["astar", "lazy"] {
        let row = plan(&[&domain, &none, "--json", "--engine", engine])
            .exits(11)
            .row();
        assert!(
            row["status"] == "unsolvable" && row["plan"].is_null() && row["at_least"].is_null(),
            "{row}"
        );
    }
}

#[test]
fn bad_files_and_names_are_refused() {
    let folder = Folder::new();
    let (domain, problem) = files(&folder);
    plan(&[&domain, &problem, "--engine", "asstar"])
        .exits(36)
        .complains("astar");
    plan(&[&domain, &problem, "--heuristic", "ff"])
        .exits(36)
        .complains("not a lower bound");
    plan(&[&domain, &problem, "--engine", "sat", "--heuristic", "max"])
        .exits(36)
        .complains("no heuristic");
    plan(&[&domain, &problem, "--optimal", "--satisfice"]).exits(36);
    plan(&[&domain, "nowhere.pddl"])
        .exits(35)
        .complains("nowhere.pddl");
    let typo = folder.file("typo.pddl", PROBLEM.replace("(at d east)", "(att d east)"));
    plan(&[&domain, &typo])
        .exits(31)
        .complains("did you mean 'at'?")
        .complains("typo.pddl:4:");
    let odd = folder.file(
        "odd.pddl",
        DOMAIN.replace("(:action sail", "(:durative-action sail"),
    );
    plan(&[&odd, &problem]).exits(31).complains("durative");
}

/// Numeric fluents that actions change are supported by searches, not by the engine sat.
#[test]
fn numbers_are_refused_by_sat_and_planned_by_search() {
    let folder = Folder::new();
    let domain = folder.file(
        "domain.pddl",
        "(define (domain count) (:requirements :numeric-fluents) (:functions (n))
           (:action add :parameters () :effect (increase (n) 2))
           (:action triple :parameters () :effect (scale-up (n) 3)))",
    );
    let problem = folder.file(
        "p.pddl",
        "(define (problem p) (:domain count) (:init (= (n) 0)) (:goal (= (n) 8)))",
    );
    plan(&[&domain, &problem])
        .exits(0)
        .says("; cost = 3 (unit cost)");
    plan(&[&domain, &problem, "--engine", "sat"])
        .exits(36)
        .complains("numeric fluents");
}

/// A binary counter: its plan has one step for each number.
fn counter(folder: &Folder, bits: usize) -> (String, String) {
    let domain = folder.file(
        "domain.pddl",
        "(define (domain counter) (:requirements :adl) (:types bit)
           (:predicates (on ?b - bit) (below ?a ?b - bit))
           (:action up :parameters (?b - bit)
             :precondition (and (not (on ?b)) (forall (?a - bit) (imply (below ?a ?b) (on ?a))))
             :effect (and (on ?b) (forall (?a - bit) (when (below ?a ?b) (not (on ?a))))))
           (:action down :parameters (?b - bit) :precondition (on ?b) :effect (not (on ?b))))",
    );
    let names: Vec<String> = (0..bits).map(|bit| format!("b{bit}")).collect();
    let below: String = (0..bits)
        .flat_map(|high| (0..high).map(move |low| format!("(below b{low} b{high})")))
        .collect();
    let goal: String = names.iter().map(|name| format!("(on {name})")).collect();
    let problem = folder.file(
        "many.pddl",
        format!(
            "(define (problem many) (:domain counter) (:objects {} - bit) (:init {below}) (:goal (and {goal})))",
            names.join(" ")
        ),
    );
    (domain, problem)
}

#[test]
fn limits_are_named_and_have_exit_codes() {
    let folder = Folder::new();
    let (domain, problem) = counter(&folder, 40);
    for engine in ["astar", "sat", "gbfs"] {
        let row = plan(&[
            &domain, &problem, "--json", "--engine", engine, "--time", "300ms",
        ])
        .exits(23)
        .row();
        assert_eq!(
            (&row["status"], &row["limit"]),
            (&"limit".into(), &"time".into()),
            "{row}"
        );
        assert!(row["at_least"].as_u64().is_some(), "{row}");
    }
    plan(&[&domain, &problem, "--memory", "1M"])
        .exits(22)
        .says("; limit (memory)");
}

#[test]
fn an_interrupt_ends_planning() {
    let folder = Folder::new();
    let (domain, problem) = counter(&folder, 40);
    let child = command()
        .args(["plan", &domain, &problem, "--json", "--satisfice"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    wait_until_used(&child, Duration::from_secs(1));
    interrupt(&child);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(12));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("\"limit\":\"interrupt\""), "{text}");
}

#[test]
fn validate_reports_what_is_wrong() {
    let folder = Folder::new();
    let (domain, problem) = files(&folder);
    let judge = |plan: &str| args(&["validate", &domain, &problem, "-"], plan.as_bytes());
    judge("(board c west)\n(board d west)\n")
        .exits(1)
        .says("invalid: step 2 (board d west) cannot be taken: (empty)");
    judge("(board c west)\n")
        .exits(1)
        .says("after 1 steps the goal does not hold: (at c east)");
    judge("(bord c west)\n")
        .exits(31)
        .complains("did you mean 'board'?");
    let row = args(
        &["validate", "--json", &domain, &problem, "-"],
        b"(sail east west)\n",
    )
    .exits(1)
    .row();
    assert_eq!(
        (&row["verdict"], &row["at"], &row["steps"]),
        (&"fails".into(), &1.into(), &1.into()),
        "{row}"
    );
}

#[test]
fn ground_prints_the_size_of_the_task() {
    let folder = Folder::new();
    let (domain, problem) = files(&folder);
    args(&["ground", &domain, &problem], b"")
        .exits(0)
        .says("two: 9 facts, 0 numbers");
    let row = args(&["ground", "--json", &domain, &problem], b"")
        .exits(0)
        .row();
    assert!(
        row["facts"] == 9 && row["operators"].as_u64() >= Some(10),
        "{row}"
    );
    args(&["ground", &domain, "nowhere.pddl"], b"").exits(35);
}

#[test]
fn exported_levels_can_be_planned() {
    let folder = Folder::new();
    let out = folder.path().join("out").display().to_string();
    args(
        &[
            "export",
            "plotting/01-first-shot",
            "--to",
            "pddl:natural",
            "--out",
            &out,
        ],
        b"",
    )
    .exits(0)
    .says("problem.pddl");
    for engine in ["astar", "sat"] {
        let row = plan(&[&format!("{out}/problem.pddl"), "--json", "--engine", engine])
            .exits(0)
            .row();
        assert_eq!(
            (&row["status"], &row["cost"]),
            (&"optimal".into(), &1.into()),
            "{row}"
        );
    }
    ploy("export plotting/01-first-shot --to pddl:natral")
        .exits(33)
        .complains("pddl:natural");
    ploy("export plotting/01-first-shot --to pddl:natural")
        .exits(0)
        .says("(define (domain plotting-natural)");
    let row = ploy("solve --json --route pddl:natural:sat plotting/01-first-shot")
        .exits(0)
        .row();
    assert_eq!(
        (&row["status"], &row["cost"], &row["checked"]),
        (&"optimal".into(), &1.into(), &true.into()),
        "{row}"
    );
}

/// By each estimate of which there are certificates. VeriPB judges them, where it is installed.
#[test]
fn certificates_of_plans_are_verified_and_other_claims_are_not() {
    let folder = Folder::new();
    let (domain, problem) = files(&folder);
    for estimate in ["blind", "max", "projections"] {
        let proof = folder.path().join(estimate).display().to_string();
        plan(&[
            &domain,
            &problem,
            "--heuristic",
            estimate,
            "--certificate",
            &proof,
        ])
        .exits(0);
        let checked = args(&["verify", &proof], b"");
        let manifest = format!("{proof}/manifest.json");
        let text = std::fs::read_to_string(&manifest).expect("a manifest");
        assert!(text.contains("\"cost\": 13"), "{text}");
        match checked.code {
            Some(12) => skip("VeriPB is not installed, so certificates of plans are not checkable"),
            _ => drop(checked.exits(0).says("verified")),
        }
        // The plan costs 13, so no other cost is believed, with or without VeriPB.
        for cost in ["12", "14"] {
            let other = text.replacen("\"cost\": 13", &format!("\"cost\": {cost}"), 1);
            std::fs::write(&manifest, other).expect("a file");
            args(&["verify", &proof], b"").exits(1).says("refuted");
        }
    }
}
