//! The commands for level designers: `ploy rate`, `hint`, `new` and `compare`.

use ployglot_testing::program::{Folder, args, ploy};

const LEVEL: &str = "plotting/04-staircase";

#[test]
fn a_rating_in_words_and_in_json() {
    ploy(&format!("rate {LEVEL}"))
        .exits(0)
        .says("par          4 shots (optimal)\n")
        .says("best plans   ")
        .says("difficulty   ");
    let row = ploy(&format!("rate --json {LEVEL}")).exits(0).row();
    assert_eq!(
        (&row["par"], &row["status"]),
        (&4.into(), &"optimal".into())
    );
    assert_eq!(row["dead_ends"]["exact"], true);
    let keep = row["first_moves_keep_par"].as_u64().expect("a number");
    assert!((1..=row["first_moves"].as_u64().expect("a number")).contains(&keep));
}

#[test]
fn an_unsolvable_level_is_rated_as_such() {
    let level = "game: plotting\ngoal: 0\n\nRG\nGR\n";
    let ran = args(&["rate", "-"], level.as_bytes()).exits(11);
    ran.says("par          unsolvable\n")
        .says("difficulty   impossible\n");
}

#[test]
fn a_designers_plan_is_compared_with_the_best() {
    let folder = Folder::new();
    let plan_of = |level: &str, route: &str| {
        let row = ploy(&format!("solve --json {route} {level}")).row();
        let moves: Vec<String> = serde_json::from_value(row["plan"].clone()).unwrap_or_default();
        (
            row["cost"].as_u64(),
            folder.file("a.plan", moves.join("\n")),
        )
    };
    let (par, plan) = plan_of(LEVEL, "");
    let par = par.expect("it has a plan");
    ploy(&format!("rate {LEVEL} --intended {plan}"))
        .exits(0)
        .says(&format!(
            "the intended plan is best: no plan costs less than {par}\n"
        ));
    let bad = folder.file("bad.plan", "row 99\n");
    ploy(&format!("rate {LEVEL} --intended {bad}"))
        .exits(31)
        .complains("bad.plan:1");
    let short = folder.file("short.plan", "");
    ploy(&format!("rate {LEVEL} --intended {short}"))
        .exits(0)
        .says("the intended plan is rejected: it misses the goal");
    // On some random level, a greedy plan is longer than the best one.
    for seed in 1..60 {
        let made = ploy(&format!(
            "new plotting --size 4x4 --colours 2 --goal 4 --seed {seed}"
        ));
        let level = folder.file("a.level", &made.out);
        let (greedy, plan) = plan_of(&level, "--route search:greedy");
        let (best, _) = plan_of(&level, "");
        if let (Some(greedy), Some(best)) = (greedy, best)
            && greedy > best
        {
            let (_, plan_again) = plan_of(&level, "--route search:greedy");
            assert_eq!(plan, plan_again);
            let message = format!("the intended plan costs {greedy}, but {best} is enough");
            ploy(&format!("rate {level} --intended {plan}"))
                .exits(0)
                .says(&message)
                .says("intended: ")
                .says("better:   ");
            return;
        }
    }
    panic!("no level has a greedy plan that is longer than the best one");
}

#[test]
fn a_hint_has_as_much_detail_as_asked_for() {
    ploy(&format!("hint {LEVEL}"))
        .exits(0)
        .prints("the goal can still be reached, in 4 shots\n");
    ploy(&format!("hint {LEVEL} --level 2"))
        .exits(0)
        .says("; look at column 1");
    let row = ploy(&format!("hint {LEVEL} --level 3 --json"))
        .exits(0)
        .row();
    let mv = row["move"].as_str().expect("a move").to_string();
    let after = args(&["hint", LEVEL, "-"], mv.as_bytes()).exits(0);
    after.prints("the goal can still be reached, in 3 shots\n");
    let plan = ploy(&format!("solve --json {LEVEL}")).row()["plan"].clone();
    let moves: Vec<String> = serde_json::from_value(plan).expect("moves");
    let done = args(&["hint", LEVEL, "-"], moves.join("\n").as_bytes()).exits(0);
    done.prints("the goal is reached\n");
    args(&["hint", LEVEL, "-"], b"row 1\nrow 1\nrow 1\n")
        .exits(34)
        .complains("is illegal");
}

#[test]
fn new_levels_meet_the_requirements() {
    let folder = Folder::new();
    let out = format!("{}/made", folder.path().display());
    let command =
        "new plotting --size 4x4 --colours 3 --goal 4 --par 5..6 --unique --count 3 --seed 5";
    let ran = ploy(&format!("{command} --out {out}")).exits(0);
    let files: Vec<String> = ran
        .out
        .lines()
        .map(|line| line.split("  ").next().unwrap_or("").to_string())
        .collect();
    assert_eq!(files.len(), 3);
    for file in &files {
        let row = ploy(&format!("solve --json --route search:bfs {file}"))
            .exits(0)
            .row();
        assert!(
            (5..=6).contains(&row["cost"].as_u64().expect("a cost")),
            "{file}"
        );
        assert_eq!(row["cost"], row["par"], "{file}");
        let rated = ploy(&format!("rate --json {file}")).exits(0).row();
        assert_eq!(rated["distinct_plans"], 1, "{file}");
        // The source is the command that makes the level again.
        let text = std::fs::read_to_string(file).expect("the file was written");
        let source = text
            .lines()
            .find_map(|line| line.strip_prefix("source: ploy "))
            .expect("its source");
        let again = ploy(source).exits(0);
        let board = text.split("\n\n").nth(1).expect("a board");
        assert!(again.out.ends_with(board), "{file}");
    }
}

/// Where random levels do not meet the requirements, steps of hill climbing find one. Its source
/// lists the steps; the same seed gives the same level.
#[test]
fn a_level_found_by_hill_climbing_can_be_made_again() {
    let command = "new pipe-mania --size 8x8 --par 38..";
    let found = ploy(command).exits(0).complains("1 of 1 levels found in ");
    let text = found.out.clone();
    let source = text
        .lines()
        .find_map(|line| line.strip_prefix("source: ploy "))
        .expect("its source");
    assert!(source.contains(" --steps "), "{source}");
    let board = text.split("\n\n").nth(1).expect("a board");
    assert!(ploy(source).exits(0).out.ends_with(board));
    assert_eq!(ploy(command).exits(0).out, text);
    ploy(&format!("{command} --uniform --tries 300"))
        .exits(12)
        .complains("0 of 1 levels found in 300 tries; the nearest has a par of ")
        .complains("try a larger --tries");
}

#[test]
fn every_game_makes_levels_that_it_reads() {
    for game in ployglot_games::NAMES {
        let text = ploy(&format!("new {game} --seed 3"))
            .exits(0)
            .out
            .to_string();
        args(&["convert", "-", "--to", "level"], text.as_bytes())
            .exits(0)
            .prints(&text);
    }
    ploy("new lunar-lockout --size 5x5 --craft 4 --hardest")
        .exits(0)
        .says("par: 5\n")
        .complains("no level has a higher one");
}

#[test]
fn requirements_that_cannot_be_met_are_reported() {
    ploy("new").exits(36);
    ploy("new chess").exits(36).complains("chess");
    ploy("new plotting --size 0x4")
        .exits(36)
        .complains("a size is rows and columns");
    ploy("new plotting --par 9..3")
        .exits(36)
        .complains("a par is a number or a range");
    ploy("new plotting --colours 99")
        .exits(34)
        .complains("colours is a number from 1 to");
    ploy("new plotting --size 3x3 --par 50 --tries 5")
        .exits(12)
        .complains("0 of 1 levels found in 5 tries");
}

#[test]
fn routes_are_compared_and_agree() {
    let ran = ploy("compare plotting/02-around-the-corner --routes search:astar,pddl").exits(0);
    let ran = ran
        .says("search:astar")
        .says("pddl:natural")
        .says("and all agree\n");
    assert!(!ran.out.contains("search:bfs"));
    let ran = ploy("compare --json plotting/02-around-the-corner --routes search").exits(0);
    let last = ran.out.lines().last().expect("a verdict").to_string();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&last).expect("JSON")["agree"],
        true
    );
}

/// `solve`, `compare` and suites accept the same names of routes, and report unknown names alike.
#[test]
fn all_commands_accept_the_same_route_names() {
    let level = "plotting/02-around-the-corner";
    let route = "eprime:graph+no-repeat:sat";
    let puzznic = "puzznic/01-first-step";
    ploy(&format!("solve {puzznic} --route {route}")).exits(0);
    ploy(&format!("compare {puzznic} --routes best,{route}"))
        .exits(0)
        .says(&format!("{route}  "))
        .says("of 2 routes have a proof, and all agree");
    // The best route is named twice, and the constraint routes with a switch by a prefix.
    let row = ploy(&format!("solve --json {level} --route best"))
        .exits(0)
        .row();
    let best = row["route"].as_str().expect("a route");
    let asked = format!("best,{best},eprime:action+dead-end");
    let rows = ploy(&format!("compare --json {level} --routes {asked}"))
        .exits(0)
        .rows();
    let names: Vec<&str> = rows
        .iter()
        .filter_map(|row| row["route"].as_str())
        .collect();
    assert_eq!(names[..2], [best, "eprime:action+dead-end:sat"]);
    let switched = |name: &&str| name.starts_with("eprime:action+dead-end:");
    assert!(names[1..].iter().all(switched), "{names:?}");
    for (asked, message) in [
        ("nonsense", "unknown route 'nonsense'; known are search:bfs"),
        ("serach:astar", "did you mean 'search:astar'?"),
        ("bset", "did you mean 'best'?"),
        ("eprime:action+dead-ends:sat", "did you mean 'dead-end'?"),
        ("search:astar+dead-end", "unknown route"),
    ] {
        ploy(&format!("solve {level} --route {asked}"))
            .exits(33)
            .complains(message);
        ploy(&format!("compare {level} --routes {asked}"))
            .exits(33)
            .complains(message);
    }
    ploy(&format!("compare {level} --routes pdld"))
        .exits(33)
        .complains("did you mean 'pddl'?");
    ploy(&format!("export {level} --to eprime:acton"))
        .exits(33)
        .complains("did you mean 'eprime:action'?");
    let folder = Folder::new();
    for (route, message) in [
        ("serach:astar", "did you mean 'search:astar'?"),
        ("eprime:action+dead-ends:sat", "did you mean 'dead-end'?"),
        (
            "search:astar without lonley",
            "unknown rule of plotting 'lonley'",
        ),
        ("search:paths", "unknown route 'search:paths'"),
    ] {
        let suite = format!(
            "name='a'\nroutes=['{route}']\n[limits]\ncpu='1s'\nmemory='1G'\n[[levels]]\nfiles=['{level}']\n"
        );
        let suite = folder.file("a.toml", suite);
        let database = format!("{}/a.db", folder.path().display());
        ploy(&format!("bench {suite} --db {database}"))
            .exits(33)
            .complains(message);
    }
}
