//! The parser on mutated texts: it does not panic, and the position of an error is in the text.

use ployglot_base::Random;
use ployglot_pddl::{parse_domain, parse_plan, parse_problem};
use ployglot_testing::pddl::problems::{CLASSICS, FEATURES, read};

/// Pieces of text that are likely to cause errors.
const PIECES: &[&str] = &[
    "(",
    ")",
    "((((((((",
    "))))",
    "?x",
    "?",
    "- ",
    "-",
    ":",
    ":adl",
    "(not)",
    "(and",
    "(forall (?x) ",
    "(when",
    "(either",
    ";",
    "\n",
    "\u{0}",
    "é",
    "1e999",
    "-0",
    "nan",
    "(= 1 2)",
    "define",
    "(:derived",
    "object - object",
    "(increase (total-cost) -1)",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(characters.len().max(1));
        let end = (at + random.below(30)).min(characters.len());
        match random.below(4) {
            0 => drop(characters.drain(at.min(end)..end)),
            1 => {
                let piece: Vec<char> = random.choose(PIECES).chars().collect();
                characters.splice(at..at, piece);
            }
            2 => {
                let copied = characters[at.min(end)..end].to_vec();
                let to = random.below(characters.len().max(1));
                characters.splice(to..to, copied);
            }
            _ => characters.truncate(characters.len() - random.below(characters.len() / 8 + 1)),
        }
        if characters.is_empty() {
            break;
        }
    }
    characters.into_iter().collect()
}

#[track_caller]
fn points_into(text: &str, line: usize, message: &str) {
    assert!(
        line >= 1 && line <= text.lines().count() + 1,
        "line {line} of {text:?}"
    );
    assert!(!message.is_empty());
}

#[test]
fn mutated_texts_do_not_panic() {
    let (mut accepted, mut rejected) = (0, 0);
    for (number, (domain, problem, _)) in FEATURES.iter().chain(CLASSICS).enumerate() {
        let (parsed, _) = read(domain, problem);
        let mut random = Random::new(number as u64);
        for _ in 0..150 {
            let text = mutate(domain, &mut random);
            match parse_domain(&text) {
                Ok(_) => accepted += 1,
                Err(bad) => {
                    points_into(&text, bad.line, &bad.message);
                    rejected += 1;
                }
            }
            let text = mutate(problem, &mut random);
            match parse_problem(&text, &parsed) {
                Ok(_) => accepted += 1,
                Err(bad) => {
                    points_into(&text, bad.line, &bad.message);
                    rejected += 1;
                }
            }
        }
    }
    assert!(accepted > 50 && rejected > 500, "{accepted} {rejected}");
}

#[test]
fn mutated_plans_do_not_panic() {
    let (domain, problem) = read(FEATURES[0].0, FEATURES[0].1);
    let mut random = Random::new(3);
    for _ in 0..300 {
        let text = mutate(
            "(go hall attic)\n(take b1 hall)\n; cost = 3 (unit cost)\n",
            &mut random,
        );
        if let Err(bad) = parse_plan(&text, &domain, &problem) {
            points_into(&text, bad.line, &bad.message);
        }
    }
}

#[test]
fn deep_and_wide_texts_are_errors() {
    let deep = format!(
        "(define (domain d) (:action a :parameters () :precondition {}{} :effect ()))",
        "(not ".repeat(100_000),
        ")".repeat(100_000)
    );
    let open = "(".repeat(200_000);
    let wide = format!("(define (domain d) (:predicates {}))", "(p) ".repeat(5_000));
    for text in [
        deep.as_str(),
        open.as_str(),
        wide.as_str(),
        "",
        ")",
        "(define",
    ] {
        assert!(
            parse_domain(text).is_err(),
            "{}",
            &text[..text.len().min(60)]
        );
    }
}
