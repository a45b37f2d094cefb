//! Holds the crate to the reference implementation: faults that its compiler reports, and plays
//! that its engine recorded.
//!
//! The data is beside the project, in `../shared/data/puzzlescript`. `PLOY_PUZZLESCRIPT_DATA` names
//! another folder with files of the same form, or one such file. Without data there is nothing to
//! compare, and the tests pass.

use std::path::{Path, PathBuf};

use ployglot_puzzlescript::{Engine, Fast, Fault, Game, Input, Play, Slow, compile};
use serde_json::Value;

/// For each kind of fault, words by which the message of the reference is known.
const PHRASES: &[(&str, &str)] = &[
    (
        "aggregate-in-layer",
        "is an aggregate (defined using \"and\"), and cannot be added",
    ),
    (
        "aggregate-of-property",
        "Cannot define an aggregate (using 'and') in terms of properties",
    ),
    ("aggregate-part", "Object not found with name"),
    (
        "aggregate-same-layer",
        "Trying to create an aggregate object",
    ),
    ("alias-in-use", "already in use."),
    (
        "ambiguous-movement",
        "This rule has an ambiguous movement on the right-hand side",
    ),
    (
        "ambiguous-property",
        "This rule has a property on the right-hand side",
    ),
    (
        "arrow-in-brackets",
        "Encountered an unexpected \"->\" inside square brackets",
    ),
    ("author-too-long", "Author name is too long"),
    ("background-aggregate", "background cannot be an aggregate"),
    (
        "background-layers",
        "Background objects must be on the same layer",
    ),
    (
        "background-not-alone",
        "Background must be in a layer by itself",
    ),
    (
        "background-undefined",
        "Seriously, you have to define something",
    ),
    ("bar-outside-brackets", "Janky syntax.  \"|\""),
    (
        "bracket-in-cell",
        "encountered a \"[\"\" before previous bracket",
    ),
    ("cell-text", "was looking for cell contents, but found"),
    ("colour-number", "Trying to access color number"),
    (
        "command-before-pattern",
        "Commands should only appear at the end of rules",
    ),
    (
        "command-too-early",
        "Commands should only appear at the end of rules",
    ),
    ("comment-in-rule", "You can't have comments inside rules"),
    (
        "comment-in-value",
        "you can't embed comments in metadata values",
    ),
    ("defined-by-itself", "in terms of itself!"),
    (
        "direction-outside-brackets",
        "Directions should be placed at the start of a rule",
    ),
    (
        "ellipsis-at-edge",
        "There's no point in putting an ellipsis at the very start or the end",
    ),
    (
        "ellipsis-not-alone",
        "You can't have anything in with an ellipsis",
    ),
    (
        "ellipsis-only-left",
        "An ellipsis on the left must be matched",
    ),
    (
        "ellipsis-only-right",
        "An ellipsis on the right must be matched",
    ),
    (
        "ellipsis-outside-brackets",
        "ellipses should only be used within cells",
    ),
    ("empty-pattern", "You have an totally empty pattern"),
    ("empty-rule", "Spooky error!"),
    ("ends-with-ellipsis", "Cannot end a rule with ellipses"),
    ("keyword-as-name", "but this is a keyword"),
    (
        "late-and-not-late",
        "Oh gosh you can mix late and non-late rules",
    ),
    ("late-movement", "Movements cannot appear in late rules"),
    ("late-rigid", "Late rules cannot be marked as rigid"),
    (
        "layer-repeats",
        "included explicitly multiple times in the same layer",
    ),
    ("layer-text", "unexpected character"),
    ("legend-and-or", "Expected and 'AND' or an 'OR' here"),
    ("legend-dangling", "it looks like you have a dangling"),
    ("legend-entry", "This legend-entry is incorrectly-formatted"),
    (
        "legend-equals",
        "In the legend, define new items using the equals symbol",
    ),
    ("legend-form", "Incorrect format of legend"),
    ("legend-kinds", "Trying to define"),
    ("legend-mixed", "You can't go mixing ANDs and ORs"),
    ("legend-repeats", "You're repeating the object"),
    ("legend-word", "Something bad's happening in the LEGEND"),
    ("line-should-end", "Only comments should go after"),
    (
        "loop-in-group",
        "Found a loop point in the middle of a rule",
    ),
    ("map-not-rectangular", "Maps must be rectangular"),
    ("message-too-long", "Message too long to fit"),
    (
        "message-without-blank",
        "You probably meant to put a space after 'message'",
    ),
    (
        "movement-without-object",
        "if you specify a movement, it has to act on an object",
    ),
    ("name-in-use", "already in use (on line"),
    (
        "name-outside-brackets",
        "Object names should only be used within cells",
    ),
    (
        "name-twice",
        "You cannot specify the same object more than once",
    ),
    ("name-without-layer", "not assigned to a layer."),
    ("nested-brackets", "Multiple opening brackets"),
    ("nested-loop", "I'm already inside a loop?"),
    (
        "no-aggregate",
        "You cannot use 'no' to exclude the aggregate",
    ),
    ("no-arrow", "A rule has to have an arrow"),
    ("no-background", "any object called background"),
    ("no-background-layer", "you have to have a background layer"),
    ("no-but-wanted", "This is a mistake right?"),
    ("no-colour", "color not specified for object"),
    ("no-is-superfluous", "so you can leave this out"),
    ("no-layers", "No collision layers defined"),
    ("no-levels", "No levels found"),
    ("no-objects", "You need to have some objects defined"),
    ("no-player", "There must be a player!"),
    (
        "no-twice",
        "more than once in a single cell. That's redundant",
    ),
    ("not-a-colour", "Was looking for color for object"),
    (
        "not-in-a-layer",
        "has been defined, but not assigned to a layer",
    ),
    (
        "object-outside-brackets",
        "Objects cannot appear outside of square brackets",
    ),
    ("object-text", "Unknown junk in object section"),
    ("object-twice", "defined multiple times"),
    ("open-loop", "STARTLOOP without a corresponding ENDLOOP"),
    ("overlap-on-the-left", "can never overlap"),
    (
        "overlap-on-the-right",
        "Rule matches object types that can't overlap",
    ),
    (
        "pattern-count",
        "the number of matches (square bracketed bits)",
    ),
    (
        "pattern-length",
        "each pattern to match on the left must have a corresponding",
    ),
    ("player-without-objects", "any object called player"),
    ("plus-not-first", "must be the first symbol on the line"),
    ("plus-twice", "Two \"+\"s"),
    (
        "plus-without-rule",
        "needs a previous rule to be applied to",
    ),
    ("prelude-text", "Unrecognised stuff \""),
    ("prelude-word", "Unrecognised stuff in the prelude"),
    (
        "property-in-map",
        "is defined using OR, and therefore ambiguous",
    ),
    (
        "property-of-aggregate",
        "Cannot define a property (something defined in terms of 'or')",
    ),
    (
        "property-twice",
        "However, noticing that you're committing this crime",
    ),
    (
        "random-in-group",
        "A rule-group can only be marked random by the opening rule",
    ),
    ("random-of-one", "you're asking me to spawn a random"),
    ("random-of-unknown", "You want to spawn a random"),
    (
        "random-on-the-left",
        "RANDOM cannot be matched on the left-hand side",
    ),
    ("random-overlaps", "This rule may try to spawn a"),
    (
        "relative-rule-direction",
        "You cannot use relative directions",
    ),
    ("rule-start", "The start of a rule must consist of"),
    ("rule-without-pattern", "This rule refers to nothing"),
    ("section-not-first", "must be the first section"),
    ("section-order", "is out of order, must follow"),
    ("section-twice", "cannot duplicate sections"),
    ("setting-colour", "in incorrect format - found"),
    ("setting-has-no-value", "doesn't take any parameters"),
    ("setting-needs-value", "needs a value"),
    ("setting-twice", "You've already defined a"),
    ("several-layers", "included in multiple collision layers"),
    ("side-not-positive", "The dimension given to me"),
    ("size-form", "Dimensions must be of the form"),
    ("size-not-positive", "The dimensions given to me"),
    ("size-not-whole", "as a (whole number) dimension"),
    ("size-unclear", "Couldn't understand the dimensions"),
    ("sound-direction-or-seed", "Ah I was expecting"),
    (
        "sound-ended",
        "I wasn't expecting anything after the sound declaration",
    ),
    ("sound-event-twice", "already declared."),
    ("sound-incomplete", "incorrect sound declaration"),
    (
        "sound-of-aggregate",
        "cannot assign sound events to aggregate objects",
    ),
    ("sound-of-nothing", "not found."),
    ("sound-seed", "Was expecting a sound seed here"),
    ("sound-start", "Was expecting a sound event"),
    ("sound-unknown-name", "unexpected sound token"),
    ("sound-verb", "Was expecting a soundverb here"),
    ("sound-without-seed", "Expecting sfx data"),
    ("sprite-row-too-long", "Sprites must be 5 wide and 5 high"),
    (
        "sprite-size",
        "Sprite graphics must be 5 wide and 5 high exactly",
    ),
    ("sprite-text", "Unknown junk in spritematrix"),
    ("stray-bracket", "Multiple closing brackets"),
    ("stray-comment-end", "You're trying to close a comment here"),
    ("stray-endloop", "but I'm not in a loop?"),
    ("three-ellipses", "more than two ellipses"),
    ("title-too-long", "Game title is too long"),
    (
        "too-many-colours",
        "a sprite cannot have more than 10 colors",
    ),
    (
        "too-many-rigid-groups",
        "There can't be more than 30 rigid groups",
    ),
    ("two-arrows", "you can only use \"->\" once"),
    ("two-ellipses-in-a-row", "two ellipses in a row"),
    (
        "two-movements",
        "an item can only have one direction/action at a time",
    ),
    ("undeclared-sound", "not defined."),
    ("undefined-in-layer", "it has not been declared"),
    ("undefined-in-map", "used in map, not found"),
    ("undefined-name", "but it's not defined anywhere"),
    ("unknown-name", "referred to in a rule, does not exist"),
    ("unknown-palette", "not found, defaulting to arnecolors"),
    (
        "unknown-symbol",
        "not found. Do you need to add it to the legend",
    ),
    (
        "wants-and-excludes",
        "which can never match, so the rule is getting removed",
    ),
    ("win-form", "Win conditions is badly formatted"),
    ("win-name", "is not a valid object name"),
    ("win-on", "Expecting the word \"ON\""),
    ("win-quantifier", "Expecting the start of a win condition"),
    ("win-text", "incorrect format of win condition"),
    ("win-too-long", "I don't know what to do with"),
    ("win-undefined", "Unwelcome term"),
    ("youtube", "YouTube support"),
];

/// The files with a name that starts like this: those beside the project, and those of the user.
fn files(stem: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join(format!("../shared/data/puzzlescript/{stem}.jsonl"))];
    if let Some(path) = std::env::var_os("PLOY_PUZZLESCRIPT_DATA").map(PathBuf::from) {
        let is_wanted = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(stem) && name.ends_with(".jsonl")
        };
        match std::fs::read_dir(&path) {
            Ok(entries) => {
                let entries = entries.filter_map(|entry| Some(entry.ok()?.path()));
                files.extend(entries.filter(is_wanted));
            }
            Err(_) => files.extend([path].into_iter().filter(is_wanted)),
        }
    }
    files.retain(|file| file.exists());
    files
}

/// The cases of a file, one JSON object a line.
fn cases(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("the file can be read");
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str(line).expect("a line is a JSON object"))
        .collect()
}

fn text<'v>(case: &'v Value, key: &str) -> &'v str {
    case[key].as_str().unwrap_or("")
}

/// The line of a message of the reference, and its text, without blanks: browsers merge them.
fn line_and_text(message: &str) -> (Option<usize>, String) {
    let plain = without_tags(message);
    let plain = plain.trim();
    let numbered = plain.strip_prefix("line ").and_then(|rest| {
        let (number, text) = rest.split_once(" : ")?;
        Some((number.trim().parse().ok()?, text))
    });
    match numbered {
        Some((line, text)) => (Some(line), squeezed(text)),
        None => (None, squeezed(plain)),
    }
}

fn without_tags(message: &str) -> String {
    let mut plain = String::new();
    let mut rest = message;
    while let Some(start) = rest.find('<') {
        let tag = &rest[start..];
        let is_tag = tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        match tag.find('>').filter(|_| is_tag) {
            Some(end) => {
                plain += &rest[..start];
                rest = &tag[end + 1..];
            }
            None => {
                plain += &rest[..=start];
                rest = &rest[start + 1..];
            }
        }
    }
    plain + rest
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether a fault is the one that the message of the reference is about.
fn same(fault: &Fault, message: &str) -> bool {
    let (line, text) = line_and_text(message);
    let phrase = PHRASES.iter().find(|(code, _)| *code == fault.code);
    let (_, phrase) = phrase.unwrap_or_else(|| panic!("no phrase for {}", fault.code));
    fault.line == line && text.contains(&squeezed(phrase))
}

/// As in the tests of the reference, its messages are looked for in order, and there may be other
/// faults between them: some cases were recorded before a kind of fault was added. Where a case has
/// `"exact": true`, there may be none. The number of errors must be the same.
fn faults_agree(case: &Value) -> Result<(), String> {
    let compiled = compile(text(case, "source"));
    let messages = case["messages"].as_array().expect("a list of messages");
    let mut messages = messages.iter().filter_map(Value::as_str).peekable();
    for fault in &compiled.faults {
        let found = messages.next_if(|message| same(fault, message));
        if found.is_none() && case["exact"] == true {
            let expected = messages.next().unwrap_or("nothing");
            return Err(format!("expected {expected}\n    found {fault}"));
        }
    }
    let errors = case["errors"].as_u64().unwrap_or(0) as usize;
    match messages.next() {
        Some(missing) => Err(format!(
            "missing: {missing}\n  found: {:#?}",
            compiled.faults
        )),
        None if errors != compiled.errors => Err(format!(
            "expected {errors} errors, found {}",
            compiled.errors
        )),
        None => Ok(()),
    }
}

/// Compares the cases that are kept, prints how many are right, and fails where fewer are than
/// `wanted` percent.
fn score(
    stem: &str,
    wanted: usize,
    keep: impl Fn(&Value) -> bool,
    agrees: impl Fn(&Value) -> Result<(), String>,
) {
    for file in files(stem) {
        let cases = cases(&file);
        let (mut right, mut compared) = (0, 0);
        for case in cases.iter().filter(|case| keep(case)) {
            compared += 1;
            match agrees(case) {
                Ok(()) => right += 1,
                Err(why) => println!("{}: {why}", text(case, "name")),
            }
        }
        println!("{}: {right} of {compared} are right", file.display());
        assert!(100 * right >= wanted * compared, "{right} of {compared}");
    }
}

#[test]
fn faults_are_found_where_the_reference_finds_them() {
    score("errors", 95, |_| true, faults_agree);
}

/// The board as the reference prints it: cells column by column, a line break after as many as the
/// board is wide, the objects of a cell by name, sets that occurred before by their number.
fn printed(game: &Game, cells: &[ployglot_puzzlescript::Set], width: usize) -> String {
    let mut seen: Vec<String> = Vec::new();
    let mut text = String::new();
    for (index, cell) in cells.iter().enumerate() {
        let mut names: Vec<&str> = cell
            .iter()
            .map(|object| game.objects[object].name.as_str())
            .collect();
        names.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
        let names = names.join(" ");
        match seen.iter().position(|known| *known == names) {
            Some(number) => text += &format!("{number},"),
            None => {
                text += &format!("{names}:{},", seen.len());
                seen.push(names);
            }
        }
        if (index + 1) % width == 0 {
            text.push('\n');
        }
    }
    text
}

/// The number of the level of a recording; some have it as text.
fn entry(case: &Value) -> usize {
    let level = &case["level"];
    let number = level.as_u64().or_else(|| level.as_str()?.parse().ok());
    number.unwrap_or(0) as usize
}

/// Replays a recording and returns the board at its end.
fn replay<E: Engine>(game: &Game, engine: E, case: &Value) -> Result<String, String> {
    let play = play_through(game, engine, case)?;
    Ok(printed(game, &play.cells(), play.width()))
}

/// Replays a recording.
fn play_through<'g, E: Engine>(
    game: &'g Game,
    engine: E,
    case: &Value,
) -> Result<Play<'g, E>, String> {
    let entry = entry(case);
    let play = Play::new(game, engine, entry, case["seed"].as_str());
    let mut play = play.ok_or(format!("there is no level {entry}"))?;
    for input in case["inputs"].as_array().expect("a list of inputs") {
        match input.as_str().unwrap_or("") {
            "undo" => play.undo(),
            "restart" => play.restart(),
            "tick" => play.press(None),
            name => {
                let input = Input::ALL.iter().find(|input| input.name() == name);
                play.press(Some(*input.ok_or(format!("unknown input {name}"))?));
            }
        }
    }
    Ok(play)
}

fn ends_agree<'g, E: Engine>(
    game: &'g Game,
    case: &Value,
    engine: impl Fn(&'g Game) -> E,
) -> Result<(), String> {
    let end = replay(game, engine(game), case)?;
    match end == text(case, "end") {
        true => Ok(()),
        false => Err(format!("expected\n{}\nfound\n{end}", text(case, "end"))),
    }
}

fn game(case: &Value) -> Result<Game, String> {
    let compiled = compile(text(case, "source"));
    compiled
        .game
        .ok_or(format!("no game: {:?}", compiled.faults))
}

/// Plays of the slow engine on boards of at most so many cells.
fn score_slow_engine(most_cells: usize) {
    let small = |case: &Value| {
        let game = game(case).ok();
        let level = game.as_ref().and_then(|game| game.level(entry(case)));
        level.is_none_or(|level| level.cells.len() <= most_cells)
    };
    score("plays", 100, small, |case| {
        ends_agree(&game(case)?, case, Slow::new)
    });
}

#[test]
fn the_slow_engine_ends_small_plays_as_recorded() {
    score_slow_engine(100);
}

#[test]
#[ignore = "a minute and more: boards of all sizes"]
fn the_slow_engine_ends_all_plays_as_recorded() {
    score_slow_engine(usize::MAX);
}

#[test]
fn the_fast_engine_ends_plays_as_recorded() {
    score(
        "plays",
        100,
        |_| true,
        |case| ends_agree(&game(case)?, case, Fast::new),
    );
}

/// How often a measurement plays each recording.
const REPEATS: u32 = 20;

#[test]
#[ignore = "a measurement: run it with --release --nocapture"]
fn turns_a_second() {
    for file in files("plays") {
        let cases = cases(&file);
        let start = std::time::Instant::now();
        let games: Vec<Game> = cases.iter().filter_map(|case| game(case).ok()).collect();
        let compiled = start.elapsed();
        let engines: Vec<Fast> = games.iter().map(Fast::new).collect();
        let start = std::time::Instant::now();
        let mut turns = 0;
        for ((game, engine), case) in games.iter().zip(&engines).zip(&cases) {
            for _ in 0..REPEATS {
                play_through(game, engine, case).expect("the recording can be played");
            }
            turns += case["inputs"].as_array().map_or(0, Vec::len);
        }
        let played = start.elapsed();
        println!(
            "{} games compiled in {compiled:?}, {turns} inputs played in {:?}",
            games.len(),
            played / REPEATS
        );
    }
}
