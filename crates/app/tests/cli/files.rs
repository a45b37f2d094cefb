//! Files that commands write: complete, or the old file stays; no other file is changed, and no
//! temporary file stays behind.

use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use ployglot_testing::program::{Folder, Ran, args, command, path, ploy};
use ployglot_testing::skip::skip;

/// A satisfiable model.
const EASY: &str = "language ESSENCE' 1.0\nfind x : int(1..3)\nsuch that x > 1\n";

/// Ten pigeons in nine holes: unsatisfiable, and CaDiCaL needs minutes to prove it.
const HARD: &str = "language ESSENCE' 1.0\nfind hole : matrix indexed by [int(1..10)] of int(1..9)\n\
                    such that forAll i, j : int(1..10) . i < j -> hole[i] != hole[j]\n";

#[test]
fn without_a_proof_the_file_stays_as_it_was() {
    let folder = Folder::new();
    let model = folder.file("easy.eprime", EASY);
    let proof = folder.file("old.lrat", "old\n");
    args(&["model", &model, "--proof", &model], b"").exits(36);
    for target in [proof.as_str(), "/dev/null"] {
        args(&["model", &model, "--proof", target], b"")
            .exits(0)
            .says("there is nothing to prove");
    }
    let read = |file: &str| std::fs::read_to_string(file).expect("it is there");
    assert_eq!(
        (read(&proof), read(&model)),
        ("old\n".into(), EASY.to_string())
    );
    assert!(std::path::Path::new("/dev/null").exists());
    assert_eq!(folder.names(), ["easy.eprime", "old.lrat"]);
}

#[test]
fn an_interrupt_removes_the_unfinished_file() {
    let folder = Folder::new();
    let model = folder.file("hard.eprime", HARD);
    let proof = folder.file("old.lrat", "old\n");
    let mut child = command()
        .args(["model", &model, "--proof", &proof])
        .spawn()
        .expect("the program starts");
    while !folder.names().iter().any(|name| name.ends_with(".part")) {
        assert_eq!(child.try_wait().expect("it runs"), None, "it is proven");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // The first signal asks the solver to end, the second ends the program at once.
    let pid = Pid::from_raw(child.id() as i32);
    for _ in 0..2 {
        let _ = kill(pid, Signal::SIGINT);
    }
    let code = child.wait().expect("it ends").code();
    assert!(matches!(code, Some(12 | 130)), "{code:?}");
    assert_eq!(folder.names(), ["hard.eprime", "old.lrat"]);
    let old = std::fs::read_to_string(&proof).expect("it is there");
    assert_eq!(old, "old\n");
}

#[test]
fn a_redirected_standard_output_is_not_replaced() {
    let folder = Folder::new();
    let out = folder.path().join("out");
    let file = std::fs::File::create(&out).expect("a file");
    let ran = command()
        .args(["export", "plotting/01-first-shot", "--to", "pddl:natural"])
        .args(["--out", &folder.path().display().to_string()])
        .output()
        .expect("the program starts");
    assert!(ran.status.success(), "{ran:?}");
    let domain = folder.path().join("domain.pddl");
    let problem = folder.path().join("problem.pddl");
    let status = command()
        .arg("plan")
        .args([&domain, &problem])
        .arg("/dev/stdout")
        .stdout(file)
        .status()
        .expect("the program starts");
    assert!(status.success());
    // The plan and the summary are both there, in this order.
    let text = std::fs::read_to_string(&out).expect("a file");
    let (plan, summary) = (text.find("; cost = 1"), text.find("; optimal"));
    assert!(plan.is_some() && plan < summary, "{text}");
}

/// Runs a shell script with a file system of 64 kB at `$disk`; `None` where this user may not mount
/// one.
fn on_a_small_disk(script: &str, folder: &Folder) -> Option<Ran> {
    let disk = folder.path().join("disk");
    std::fs::create_dir(&disk).expect("a folder");
    let mount = "mount -t tmpfs -o size=64k none \"$disk\" || exit 99\n";
    let ran = Command::new("unshare")
        .args(["--mount", "sh", "-c", &format!("{mount}{script}")])
        .env("disk", &disk)
        .env("ploy", path())
        .env("folder", folder.path())
        .output();
    let ran = ran.ok().filter(|ran| ran.status.code() != Some(99));
    let ran = ran.filter(|ran| {
        let refused = String::from_utf8_lossy(&ran.stderr);
        !refused.contains("unshare: ")
    });
    if ran.is_none() {
        skip("this user may not mount a file system");
    }
    ran.map(Ran::from)
}

#[test]
fn a_full_disk_leaves_the_old_file_and_is_code_35() {
    let folder = Folder::new();
    let script = "echo old > \"$disk/picture\"
        \"$ploy\" new bombastic --size 30x30 --seed 1 > \"$folder/level\" || exit 98
        \"$ploy\" show \"$folder/level\" --svg \"$disk/picture\"
        code=$?; cat \"$disk/picture\"; ls -A \"$disk\"; exit $code";
    if let Some(ran) = on_a_small_disk(script, &folder) {
        ran.exits(35)
            .prints("old\npicture\n")
            .complains("picture: the disk is full");
    }
    args(
        &[
            "convert",
            "plotting/01-first-shot",
            "--to",
            "level",
            "--out",
            "/dev/full",
        ],
        b"",
    )
    .exits(35)
    .complains("/dev/full: the disk is full");
}

#[test]
fn an_experiment_on_a_full_disk_is_code_35() {
    const SUITE: &str = "name = 'a'\nroutes = ['best']\n[limits]\ncpu = '1m'\nmemory = '1G'\n[[levels]]\n\
                         files = ['plotting/0*']\n";
    let fill = "cat /dev/zero > \"$disk/zeros\" 2>/dev/null;";
    // The database is on the full disk, and the folders of the runs are.
    for bench in [
        "\"$ploy\" bench \"$folder/suite.toml\" --db \"$disk/results.db\"",
        "TMPDIR=\"$disk\" \"$ploy\" bench \"$folder/suite.toml\" --db \"$folder/results.db\"",
    ] {
        let folder = Folder::new();
        folder.file("suite.toml", SUITE);
        if let Some(ran) = on_a_small_disk(&format!("{fill} {bench}"), &folder) {
            ran.exits(35).complains("the disk is full");
        }
    }
}

#[test]
fn no_command_overwrites_its_input() {
    let folder = Folder::new();
    let domain = "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))\n";
    let problem = "(define (problem q) (:domain d) (:init) (:goal (p)))\n";
    let level = ploy("convert plotting/01-first-shot --to level")
        .exits(0)
        .out;
    let files = [
        ("domain.pddl", domain.to_string()),
        ("q.pddl", problem.to_string()),
        ("a.level", level),
    ];
    let paths = files.each_ref().map(|(name, text)| folder.file(name, text));
    let [d, q, l] = &paths;
    for (command, option) in [
        (format!("ground {d} {q} --sas {d}"), "--sas"),
        (format!("ground {d} {q} --sas {q}"), "--sas"),
        // The domain is found in the folder of the problem.
        (format!("ground {q} --sas {d}"), "--sas"),
        (format!("plan {d} {q} {d}"), "PLAN"),
        (format!("plan {d} {q} {q}"), "PLAN"),
        (format!("convert {l} --to level --out {l}"), "--out"),
        (format!("show {l} --svg {l}"), "--svg"),
        (format!("show {l} --png {l}"), "--png"),
        (format!("show {l} --gif {l}"), "--gif"),
        (format!("solve {l} --plan {l}"), "--plan"),
    ] {
        ploy(&command)
            .exits(36)
            .complains(&format!("{option} would overwrite the input"));
    }
    for ((_, text), path) in files.iter().zip(&paths) {
        assert_eq!(&std::fs::read_to_string(path).expect("it is there"), text);
    }
    // Another name for the same file.
    let other = format!("{d}.link");
    std::os::unix::fs::symlink(d, &other).expect("made");
    ploy(&format!("ground {d} {q} --sas {other}")).exits(36);
    ploy(&format!("ground {d} {q} --sas {d}.sas")).exits(0);
}
