//! What docs/essence.md says to be supported: each cell of its tables becomes a specification, whose
//! solutions are compared with those that trying all values finds.

use crate::common::check;

/// The rows of the tables of the section, as lists of cells.
fn rows() -> Vec<Vec<String>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/essence.md");
    let text = std::fs::read_to_string(path).expect("the document is there");
    let (_, section) = text
        .split_once("## What is supported")
        .expect("the section");
    let (section, _) = section.split_once("\n## ").expect("the next section");
    let cells = |line: &str| {
        let line = line.replace("\\|", "\u{1}");
        let cells = line.trim_matches('|').split('|');
        cells
            .map(|cell| cell.trim().replace('\u{1}', "|"))
            .collect()
    };
    let lines = section.lines().filter(|line| line.starts_with("| "));
    lines.map(cells).collect()
}

/// The texts between backticks; those between commas, so that one may have backticks itself.
fn codes(cell: &str) -> Vec<String> {
    let inside = cell
        .strip_prefix('`')
        .and_then(|cell| cell.strip_suffix('`'));
    inside.map_or(Vec::new(), |inside| {
        inside.split("`, `").map(str::to_string).collect()
    })
}

/// The specifications of the cells.
fn specifications() -> Vec<String> {
    let mut all = Vec::new();
    for row in rows() {
        let [_, domain, cells] = &row[..] else {
            panic!("a row has three cells: {row:?}");
        };
        let Some(domain) = codes(domain).pop() else {
            continue;
        };
        for code in codes(cells) {
            all.push(match domain.contains('@') {
                true => format!("find x : {}", domain.replace('@', &code)),
                false => format!(
                    "letting E be new type enum {{E1, E2, E3}}\nletting D be domain int(1..2)\nfind x : {domain}\nsuch that {code}"
                ),
            });
        }
    }
    all
}

#[test]
fn what_the_tables_list_is_supported() {
    let all = specifications();
    assert!(all.len() > 150, "only {} cells", all.len());
    for text in &all {
        let solutions = check(text);
        assert!(
            solutions > 0,
            "no solution, so the cell shows nothing\n{text}"
        );
    }
}

#[test]
fn the_tables_list_every_attribute_and_operator() {
    let text: String = specifications().join("\n");
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let all = ployglot_essence::attributes_and_operators();
    let missing: Vec<&str> = all
        .filter(|name| !words.contains(name))
        .filter(|name| !["alldiff", "allDifferent"].contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?} are in no table");
}
