//! The specification of section 5 of the Puzznic paper, written anew: enumerated types, a relation,
//! nested functions, a partial function of tuples, `letting` with patterns in comprehensions.

use ployglot_base::Budget;
use ployglot_csp::sat::{Cadical, SatBackend};
use ployglot_csp::{Optimum, optimise};
use ployglot_eprime::Ruling;
use ployglot_essence::{Model, Params};

const SPECIFICATION: &str = include_str!("specifications/puzznic-graph.essence");

/// The parameters of a picture: `#` is a wall, a letter a block.
fn parameters(picture: &[&str], horizon: u32) -> String {
    let cell = |row: usize, column: usize| -> Option<char> {
        let tile = picture.get(row)?.chars().nth(column)?;
        (tile != '#').then_some(tile)
    };
    let (mut vertices, mut arcs, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
    let mut patterns: Vec<String> = Vec::new();
    for (row, line) in picture.iter().enumerate() {
        for (column, tile) in line.chars().enumerate() {
            if tile == '#' {
                continue;
            }
            let name = format!("v{row}_{column}");
            let neighbours = [
                (row, column + 1, "right"),
                (row, column.wrapping_sub(1), "left"),
                (row.wrapping_sub(1), column, "up"),
                (row + 1, column, "down"),
            ];
            for (row, column, direction) in neighbours {
                if cell(row, column).is_some() {
                    arcs.push(format!("({name}, v{row}_{column}, {direction})"));
                }
            }
            if tile != ' ' {
                blocks.push(format!("{name} --> {tile}"));
                patterns.push(tile.to_string());
            }
            vertices.push(name);
        }
    }
    patterns.sort();
    patterns.dedup();
    format!(
        "letting patterns be new type enum {{none, {}}}\nletting free be none\n\
         letting vertices be new type enum {{{}}}\nletting A be relation({})\n\
         letting initPat be function({})\nletting horizon be {horizon}\nletting maxMoves be {horizon}\n",
        patterns.join(", "),
        vertices.join(", "),
        arcs.join(", "),
        blocks.join(", ")
    )
}

/// The least number of steps up to the end, and the moves in them; `None`: there is no plan within
/// the horizon.
fn best(picture: &[&str], horizon: u32) -> Option<(i64, i64)> {
    let model = Model::parse(SPECIFICATION).expect("the specification");
    let params = Params::parse(&parameters(picture, horizon)).expect("the parameters");
    let instance = model.instance(&params).expect("they fit");
    let refined = instance.refine().expect("a finite specification");
    let mut backend = SatBackend::<Cadical>::default();
    let budget = Budget::unlimited();
    let mut last = None;
    let mut on_progress = |_: i32, best: Option<(i32, &[i32])>| {
        last = best.map(|(_, values)| refined.solution(values));
    };
    let end = optimise(
        &mut backend,
        &refined.problem,
        &[],
        &budget,
        &mut on_progress,
    );
    let Optimum::Optimal { .. } = end else {
        return None;
    };
    let solution = last.expect("an optimum has a solution");
    let ruling = instance.judge(&solution);
    assert!(matches!(ruling, Ok(Ruling::Solves(_))), "{ruling:?}");
    let number = |name: &str| solution.get(name).and_then(|value| value.number());
    Some((number("done")?, number("totalCost")?))
}

#[test]
fn two_blocks_meet_in_a_pit() {
    // Two moves, two falls, one match: the sixth state is empty.
    let level = ["######", "#A  A#", "##  ##", "######"];
    assert_eq!(best(&level, 8), Some((6, 2)));
    assert_eq!(best(&level, 5), None);
}

#[test]
fn a_level_of_eight_by_eight_has_its_shortest_plan() {
    let level = [
        "########", "#      #", "#A    A#", "##   ###", "###  ###", "########", "########",
        "########",
    ];
    // The blocks move to the edges of the pit and fall into it: the states are few, the cells many.
    let (done, moves) = best(&level, 14).expect("a plan");
    assert!(moves >= 4 && done > moves, "{done} steps, {moves} moves");
    assert_eq!(best(&level, u32::try_from(done).expect("small") - 1), None);
}
