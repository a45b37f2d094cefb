//! Fuzz tests for everything that reads text from outside: levels in every format, Essence Prime
//! parameters, plans.
//!
//! The texts are built-in levels in every format in which they can be written, with random edits;
//! and random bytes. A reader must return a value, or an error with a place in the text; and a
//! value must print as a text that reads as the same value. A few hundred cases run with the other
//! tests; `PROPTEST_CASES=100000` runs more.

use std::sync::LazyLock;

use ployglot_games::*;
use proptest::prelude::*;
use proptest::sample::Index;

/// An edit of a text.
#[derive(Clone, Debug)]
enum Edit {
    Delete(Index, u8),
    Insert(Index, String),
    Double(Index, u8),
    Swap(Index, Index),
    Cut(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let piece = prop_oneof![
        "[ -~]{1,3}",
        "\\PC{1,2}",
        Just("\n".to_string()),
        Just("\r\n".to_string()),
        Just("\u{0}".to_string()),
        Just("game: puzznic\n".to_string()),
        Just("99999999999999999999".to_string()),
        Just("-1".to_string()),
        Just("[[".to_string()),
        Just(": ".to_string()),
    ];
    prop_oneof![
        (any::<Index>(), 1..20u8).prop_map(|(at, length)| Edit::Delete(at, length)),
        (any::<Index>(), piece).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (any::<Index>(), 1..60u8).prop_map(|(at, length)| Edit::Double(at, length)),
        (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Edit::Swap(a, b)),
        any::<Index>().prop_map(Edit::Cut),
    ]
}

fn change(text: &str, edits: &[Edit]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for edit in edits {
        let place = |index: &Index| index.index(chars.len() + 1);
        match edit {
            Edit::Delete(at, length) => {
                let at = place(at);
                let end = (at + usize::from(*length)).min(chars.len());
                chars.drain(at..end);
            }
            Edit::Insert(at, piece) => {
                let at = place(at);
                chars.splice(at..at, piece.chars());
            }
            Edit::Double(at, length) => {
                let at = place(at);
                let end = (at + usize::from(*length)).min(chars.len());
                let copy = chars[at..end].to_vec();
                chars.splice(at..at, copy);
            }
            Edit::Swap(a, b) => {
                let (a, b) = (place(a), place(b));
                if a.max(b) < chars.len() {
                    chars.swap(a, b);
                }
            }
            Edit::Cut(at) => chars.truncate(place(at)),
        }
    }
    chars.into_iter().collect()
}

/// Small built-in levels in every format in which they can be written.
static LEVELS: LazyLock<Vec<String>> = LazyLock::new(|| {
    struct Collect(Vec<String>);
    impl GameVisitor for Collect {
        fn visit<G: Game>(&mut self) {
            for builtin in G::LEVELS.iter().filter(|builtin| builtin.text.len() < 2000) {
                let document = Document::parse(builtin.text).expect(builtin.name);
                let level: Level<G> = Level::parse(&document).expect(builtin.name);
                self.0.push(builtin.text.to_string());
                let start = level.game.start();
                self.0.extend(
                    G::FORMATS
                        .iter()
                        .filter_map(|format| (format.write)(&level.game, &start).ok()),
                );
            }
        }
    }
    let mut collect = Collect(Vec::new());
    visit_games(&mut collect);
    collect.0
});

fn edited_level() -> impl Strategy<Value = String> {
    let edits = prop::collection::vec(edit(), 0..6);
    (any::<Index>(), edits)
        .prop_map(|(which, edits)| change(&LEVELS[which.index(LEVELS.len())], &edits))
}

/// The place of an error is in the text, or just behind a line of it.
fn in_text(bad: &BadText, text: &str) -> Result<(), TestCaseError> {
    prop_assert!(
        bad.line >= 1 && bad.column >= 1 && bad.width >= 1,
        "{bad:?}"
    );
    prop_assert!(!bad.message.is_empty(), "{bad:?}");
    prop_assert!(
        bad.line <= text.split('\n').count() + 1,
        "{bad:?} in {text:?}"
    );
    let line = text.split('\n').nth(bad.line - 1).unwrap_or("");
    prop_assert!(
        bad.column <= line.chars().count() + 2,
        "{bad:?} in {line:?}"
    );
    Ok(())
}

fn read(bytes: &[u8]) -> Result<(), TestCaseError> {
    struct Print;
    impl LevelVisitor for Print {
        type Out = String;
        fn visit<G: Game>(self, level: &Level<G>) -> String {
            level.print()
        }
    }
    match AnyLevel::read_bytes(bytes) {
        Err(bad) => in_text(&bad, &String::from_utf8_lossy(bytes)),
        Ok(level) => {
            let printed = level.visit(Print);
            let again = AnyLevel::read(&printed)
                .map_err(|bad| TestCaseError::fail(format!("{bad} in {printed}")))?;
            prop_assert_eq!(level.game_name(), again.game_name());
            prop_assert_eq!(&printed, &again.visit(Print));
            Ok(())
        }
    }
}

/// Reads a plan text for the level: random legal moves from this seed, with these edits. The result
/// must be moves, or an error with a place in the text.
struct ReadPlan<'a>(&'a [Edit], u64);

impl LevelVisitor for ReadPlan<'_> {
    type Out = Result<(), TestCaseError>;

    fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
        let text = change(&walk(&level.game, self.1), self.0);
        match plan::parse_placed(&level.game, &text) {
            Err(bad) => in_text(&bad, &text),
            Ok(moves) => {
                for placed in moves {
                    prop_assert!(
                        placed.line <= text.lines().count(),
                        "{placed:?} in {text:?}"
                    );
                }
                Ok(())
            }
        }
    }
}

/// A plan text of random legal moves.
fn walk<G: Game>(level: &G, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut state = level.start();
    let mut text = String::from("; a walk\n\n");
    for _ in 0..6 {
        let legal = legal_moves(level, &state);
        if legal.is_empty() {
            break;
        }
        let mv = *random.choose(&legal);
        text += &format!("{} ; one\n", level.print_move(&state, mv));
        state = level.play(&state, mv).expect("a legal move");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn levels_with_edits(text in edited_level()) {
        read(text.as_bytes())?;
    }

    #[test]
    fn levels_of_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read(&bytes)?;
    }

    #[test]
    fn canonical_levels_of_any_text(game in prop::sample::select(NAMES), rest in "([a-z]{1,8}: ?[ -~]{0,9}\n){0,3}\n?([ -~]{0,9}\n){0,5}") {
        read(format!("game: {game}\n{rest}").as_bytes())?;
    }

    #[test]
    fn parameters_of_any_text(text in "(letting|[a-zA-Z]{1,9}|be|=|[0-9-]{1,5}|\\[|\\]|,|;|\\$|\n| ){0,60}") {
        if let Err(bad) = Params::parse(&text) {
            in_text(&bad, &text)?;
        }
        read(text.as_bytes())?;
    }

    #[test]
    fn plans_with_edits(which in any::<Index>(), edits in prop::collection::vec(edit(), 0..4), seed in 0..1000u64) {
        let level = AnyLevel::read(&LEVELS[which.index(LEVELS.len())]).expect("a built-in level");
        level.visit(ReadPlan(&edits, seed))?;
    }
}
