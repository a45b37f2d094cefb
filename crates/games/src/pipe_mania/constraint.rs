//! Pipe Mania in Essence Prime and Essence: the parameters of a level, and the moves of a solution.
//!
//! In Essence Prime both measures use the same model. Its parameters are the arcs of the level, from a
//! piece on one of its sides to the neighbour there, and the turns that a piece between two arcs needs;
//! so the model covers all options of a level. Arcs that trimming excludes (`trim.rs`) are not in the
//! model, because unrolling takes nearly all of its time.

use super::graph::{Direction, Node};
use super::path_problem::{Best, PathProblem};
use super::piece::Kind;
use super::rules::{Move, PipeMania, Place};
use crate::*;

pub(super) const MODELS: &[ConstraintModel<PipeMania>] = &[
    ConstraintModel {
        name: "path",
        about: "a path is built piece by piece, each in the rotation that fits",
        measure: "pieces",
        first_horizon: |level| first_horizon(level, false),
        last_horizon: |level| Some(Trimmed::new(level, false).longest(level, false)),
        parameters: |level| Ok(parameters(level, false)),
        ..COMMON
    },
    ConstraintModel {
        name: "rotate",
        about: "a path is built piece by piece, and each quarter turn of a piece takes time",
        measure: "pieces+rotations",
        first_horizon: |level| first_horizon(level, true),
        last_horizon: |level| Some(Trimmed::new(level, true).longest(level, true)),
        parameters: |level| Ok(parameters(level, true)),
        ..COMMON
    },
    ConstraintModel {
        language: Language::Essence,
        name: "sequence",
        about: "a path is a sequence of pieces, each left on a side",
        measure: "pieces",
        text: include_str!("models/sequence.essence"),
        switches: &[FROM_ONE],
        first_horizon: |level| first_horizon(level, false),
        last_horizon: |level| Some(Trimmed::new(level, false).longest(level, false)),
        parameters: specification,
        moves: specification_moves,
        ..ConstraintModel::DEFAULT
    },
];

const COMMON: ConstraintModel<PipeMania> = ConstraintModel {
    text: include_str!("models/path.eprime"),
    switches: &[
        ModelSwitch {
            name: "no-implied",
            about: "without the implied constraint that a path leaves one piece at a time",
            without: "implied",
            ..ModelSwitch::DEFAULT
        },
        ModelSwitch {
            name: "no-symmetry",
            about: "a path that can be reversed may begin at either end",
            without: "symmetry",
            ..ModelSwitch::DEFAULT
        },
        ModelSwitch {
            name: "no-trim",
            about: "with all arcs, also those that no path uses",
            without: "trim",
            ..ModelSwitch::DEFAULT
        },
        FROM_ONE,
    ],
    moves,
    ..ConstraintModel::DEFAULT
};

/// The cost in turns for a piece to lead from one side to another.
fn turns(level: &PipeMania, place: Place, entered: Side, out: Side, rotations: bool) -> Option<u8> {
    let turns = level.board[place].turns_to_lead(entered, out)?;
    Some(if rotations { turns } else { 0 })
}

fn is_end(level: &PipeMania, place: Place, named: Option<Place>) -> bool {
    level.board[place].kind == Kind::End && named.is_none_or(|named| named == place)
}

/// An arc of the model: a path leaves a piece on this side, and enters the next one.
#[derive(Clone, Copy, PartialEq)]
struct Arc {
    place: Place,
    side: Side,
    next: Place,
}

/// The arcs of a level, those first that a path can use, and the number of the others. In the model,
/// arcs are numbered from 1 in this order, and pieces row by row.
fn arcs(level: &PipeMania, trimmed: &Trimmed) -> (Vec<Arc>, usize) {
    let leads = |place, out| {
        let mut sides = Side::ALL.into_iter();
        sides.any(|entered| turns(level, place, entered, out, false).is_some())
    };
    let is_entered = |place, entered| {
        let mut sides = Side::ALL.into_iter();
        sides.any(|out| turns(level, place, entered, out, false).is_some())
    };
    let places = level.board.places();
    let all = places.flat_map(|place| Side::ALL.map(|side| (place, side)));
    let all = all.filter_map(|(place, side)| {
        let next = level.board.beside(place, side)?;
        let arc = Arc { place, side, next };
        (leads(place, side) && is_entered(next, side.opposite())).then_some(arc)
    });
    let (mut used, mut unused): (Vec<Arc>, Vec<Arc>) = all.partition(|arc| {
        let (row, col) = arc.place;
        trimmed.leaves[row * level.board.cols() + col][arc.side as usize]
    });
    let count = unused.len();
    used.append(&mut unused);
    (used, count)
}

fn parameters(level: &PipeMania, rotations: bool) -> String {
    let (arcs, unused) = arcs(level, &Trimmed::new(level, rotations));
    let pieces = pieces(level);
    // By cell and side left, the number of the arc; 0 for none.
    let mut numbers = vec![[0; 4]; level.board.cells().len()];
    let cell = |(row, col): Place| row * level.board.cols() + col;
    for (at, arc) in arcs.iter().enumerate() {
        numbers[cell(arc.place)][arc.side as usize] = at + 1;
    }
    let number = |place: Place, side: Side| numbers[cell(place)][side as usize];
    let piece = |place: Place| pieces.binary_search(&place).map_or(0, |at| at + 1);
    let needed = |place, entered, out| turns(level, place, entered, out, rotations);
    let may_begin = |arc: &Arc| {
        is_end(level, arc.place, level.from)
            && needed(arc.place, arc.side.opposite(), arc.side).is_some()
    };
    let may_end = |arc: &Arc| {
        is_end(level, arc.next, level.to)
            && needed(arc.next, arc.side.opposite(), arc.side).is_some()
    };
    // The arcs after an arc and before it, with the turns of the piece between.
    let (mut after, mut before) = (Vec::new(), Vec::new());
    for arc in &arcs {
        let next = Side::ALL.map(|out| {
            let needed = needed(arc.next, arc.side.opposite(), out)?;
            Some((number(arc.next, out), usize::from(needed)))
        });
        let last = Side::ALL.map(|entered| {
            let needed = needed(arc.place, entered, arc.side)?;
            let before = level.board.beside(arc.place, entered)?;
            Some((number(before, entered.opposite()), usize::from(needed)))
        });
        after.push(three(next));
        before.push(three(last));
    }
    let (first, last): (Vec<&Arc>, Vec<&Arc>) = (
        arcs.iter().filter(|arc| may_begin(arc)).collect(),
        arcs.iter().filter(|arc| may_end(arc)).collect(),
    );
    let ends = |place: Place, entered: Side| {
        let before = level.board.beside(place, entered)?;
        let arc = number(before, entered.opposite());
        Some(arc).filter(|&arc| arc > 0 && may_end(&arcs[arc - 1]))
    };
    let two_way = |&place: &Place| {
        let mut pairs = Side::ALL
            .into_iter()
            .flat_map(|a| Side::ALL.map(|b| (a, b)));
        pairs.all(|(a, b)| needed(place, a, b) == needed(place, b, a))
    };
    let same_ends =
        |&place: &Place| is_end(level, place, level.from) == is_end(level, place, level.to);
    let reversible = pieces.iter().all(two_way) && pieces.iter().all(same_ends);
    let required = level.required();
    let of_arcs = |number: &dyn Fn(&Arc) -> usize| list(arcs.iter().map(number));
    let of_pieces = |number: &dyn Fn(&Place) -> usize| list(pieces.iter().map(number));
    let part = |all: &[[(usize, usize); 3]], part: fn((usize, usize)) -> usize| {
        table(all.iter().map(|row| row.map(part)))
    };
    let parameters = [
        ("after", part(&after, |(arc, _)| arc)),
        ("turnsAfter", part(&after, |(_, turns)| turns)),
        ("before", part(&before, |(arc, _)| arc)),
        ("turnsBefore", part(&before, |(_, turns)| turns)),
        ("noUnused", unused.to_string()),
        ("mayBegin", of_arcs(&|arc| usize::from(may_begin(arc)))),
        ("mayEnd", of_arcs(&|arc| usize::from(may_end(arc)))),
        (
            "firstArc",
            list(first.iter().map(|arc| number(arc.place, arc.side))),
        ),
        ("from", list(first.iter().map(|arc| piece(arc.place)))),
        (
            "finalArc",
            list(last.iter().map(|arc| number(arc.place, arc.side))),
        ),
        ("to", list(last.iter().map(|arc| piece(arc.next)))),
        (
            "leaving",
            table(
                pieces
                    .iter()
                    .map(|&place| Side::ALL.map(|side| number(place, side))),
            ),
        ),
        (
            "ending",
            table(
                pieces
                    .iter()
                    .map(|&place| Side::ALL.map(|side| ends(place, side).unwrap_or(0))),
            ),
        ),
        (
            "mustPass",
            of_pieces(&|place| usize::from(required.contains(place))),
        ),
        (
            "cross",
            of_pieces(&|&place| usize::from(level.board[place].kind == Kind::Cross)),
        ),
        ("reversible", usize::from(reversible).to_string()),
    ];
    let lettings = parameters.map(|(name, value)| format!("letting {name} be {value}\n"));
    format!("language ESSENCE' 1.0\n{}", lettings.concat())
}

/// At most three of the sides lead to an arc: not the one that is entered.
fn three(arcs: [Option<(usize, usize)>; 4]) -> [(usize, usize); 3] {
    let mut found = arcs.into_iter().flatten().filter(|(arc, _)| *arc > 0);
    std::array::from_fn(|_| found.next().unwrap_or((0, 0)))
}

/// A list in Essence Prime. There is always an entry, so that matrices are not empty: where a level has
/// no arcs or pieces, 0 means none.
fn list(numbers: impl Iterator<Item = usize>) -> String {
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    match numbers.is_empty() {
        true => "[0]".to_string(),
        false => format!("[{}]", numbers.join(",")),
    }
}

/// The same for a table.
fn table<const N: usize>(rows: impl Iterator<Item = [usize; N]>) -> String {
    let mut rows: Vec<[usize; N]> = rows.collect();
    if rows.is_empty() {
        rows.push([0; N]);
    }
    let rows: Vec<String> = rows.into_iter().map(|row| list(row.into_iter())).collect();
    format!("[{}]", rows.join(","))
}

/// What paths can use of a level: what the native search leaves after trimming (`trim.rs`).
struct Trimmed {
    /// By cell, the sides on which a path can leave it.
    leaves: Vec<[bool; 4]>,
    /// By cell, the sides through which a path can enter it.
    entered: Vec<[bool; 4]>,
    /// The cost of the cheapest walk; `None`: there is no path.
    cheapest: Option<u32>,
}

impl Trimmed {
    fn new(level: &PipeMania, rotations: bool) -> Trimmed {
        let nothing = || Trimmed {
            leaves: vec![[false; 4]; level.board.cells().len()],
            entered: vec![[false; 4]; level.board.cells().len()],
            cheapest: None,
        };
        let measure = match rotations {
            true => "pieces+rotations",
            false => "pieces",
        };
        let (switches, budget) = (Switches::all_on(), Budget::unlimited());
        let problem = PathProblem::new(level, measure, &switches, &budget);
        let problem = problem.expect("the budget has no limit");
        let Some(mut problem) = problem else {
            return nothing();
        };
        let trimmed = problem.trim(&mut Best::default(), &budget);
        trimmed.expect("the budget has no limit");
        let onward = problem.distances(&budget).expect("the budget has no limit");
        let Some((cheapest, _)) = problem.cheapest_walk(&onward) else {
            return nothing();
        };
        let graph = &problem.graph;
        let cell = |node: Node| {
            let (row, col) = graph.place(node / 4);
            row * level.board.cols() + col
        };
        let mut found = nothing();
        for node in problem.roots.iter().copied().chain(graph.open_nodes()) {
            for (next, _) in graph.edges(node, Direction::Forward) {
                let out = Side::ALL[next as usize % 4].opposite();
                found.leaves[cell(node)][out as usize] = true;
            }
        }
        for node in graph.open_nodes() {
            found.entered[cell(node)][node as usize % 4] = true;
        }
        // A path passes every required piece, or begins there.
        let is_used = |place: &Place| {
            let at = place.0 * level.board.cols() + place.1;
            found.leaves[at].contains(&true) || found.entered[at].contains(&true)
        };
        found.cheapest = Some(cheapest).filter(|_| level.required().iter().all(is_used));
        found
    }

    /// An upper bound on the cost of a path: no piece is entered twice (a cross has two channels), and
    /// none needs more than three turns.
    fn longest(&self, level: &PipeMania, rotations: bool) -> u32 {
        let cost = |(place, entered): (Place, &[bool; 4])| {
            let sides = Side::ALL.into_iter();
            let open: Vec<Side> = sides.filter(|&side| entered[side as usize]).collect();
            match level.board[place].kind {
                _ if open.is_empty() => 0,
                Kind::Cross => 2,
                _ => {
                    let pairs = open.iter().flat_map(|&a| Side::ALL.map(|b| (a, b)));
                    let turns = pairs.filter_map(|(a, b)| turns(level, place, a, b, rotations));
                    1 + turns.max().map_or(0, u32::from)
                }
            }
        };
        level.board.places().zip(&self.entered).map(cost).sum()
    }
}

/// The cost of the cheapest walk that trimming leaves. If there is none, there is no path, and the
/// first horizon is above the last one.
fn first_horizon(level: &PipeMania, rotations: bool) -> u32 {
    let trimmed = Trimmed::new(level, rotations);
    let none = || trimmed.longest(level, rotations) + 1;
    trimmed.cheapest.unwrap_or_else(none)
}

/// The moves along the path of a solution.
fn moves(level: &PipeMania, horizon: u32, value: Lookup) -> Result<Vec<Move>, String> {
    // Trimming does not depend on the measure, so the arcs have the same order by both.
    let (arcs, _) = arcs(level, &Trimmed::new(level, false));
    let taken = (0..horizon).filter_map(|time| {
        let is_taken = |at: &usize| value("takes", &[time as i32, *at as i32 + 1]) == Some(1);
        (0..arcs.len()).find(is_taken).map(|at| arcs[at])
    });
    let path: Vec<Arc> = taken.collect();
    let mut moves = Vec::new();
    for pair in path.windows(2) {
        if pair[0].next != pair[1].place {
            return Err("the path is interrupted".to_string());
        }
        let (place, entered) = (pair[1].place, pair[0].side.opposite());
        let turns = level.board[place].turns_to_lead(entered, pair[1].side);
        let turns = turns.ok_or("a piece does not lead on")?;
        let turn = Move {
            row: place.0 as u16,
            col: place.1 as u16,
        };
        moves.extend(std::iter::repeat_n(turn, usize::from(turns)));
    }
    match path.is_empty() {
        true => Err("the path has no beginning".to_string()),
        false => Ok(moves),
    }
}

/// The pieces of the board, row by row: the members of the type `pieces`.
fn pieces(level: &PipeMania) -> Vec<Place> {
    let board = &level.board;
    board
        .places()
        .filter(|&place| board[place].kind != Kind::Empty)
        .collect()
}

/// The parameters in Essence. Pieces are named by row and column.
fn specification(level: &PipeMania) -> Result<String, String> {
    let pieces = pieces(level);
    if pieces.is_empty() {
        return Err("there is no piece".to_string());
    }
    let name = |place: &Place| format!("r{}c{}", place.0 + 1, place.1 + 1);
    let names = |places: Vec<Place>| places.iter().map(name).collect::<Vec<_>>().join(", ");
    let (mut beside, mut joins) = (Vec::new(), Vec::new());
    for place in &pieces {
        let piece = name(place);
        for side in Side::ALL {
            let next = level.board.beside(*place, side);
            if let Some(next) = next.filter(|next| pieces.binary_search(next).is_ok()) {
                let (side, next) = (side.name(), name(&next));
                beside.push(format!("({piece}, {side}) --> {next}"));
            }
            for out in Side::ALL {
                if turns(level, *place, side, out, false).is_some() {
                    joins.push(format!("({piece}, {}, {})", side.name(), out.name()));
                }
            }
        }
    }
    let those = |is: &dyn Fn(&Place) -> bool| {
        names(pieces.iter().copied().filter(|place| is(place)).collect())
    };
    let required = level.required();
    Ok(format!(
        "language Essence 1.3\n\
         letting pieces be new type enum {{{}}}\n\
         letting beside be function({})\n\
         letting joins be relation({})\n\
         letting mayBegin be {{{}}}\n\
         letting mayEnd be {{{}}}\n\
         letting mustPass be {{{}}}\n\
         letting crosses be {{{}}}\n",
        names(pieces.clone()),
        beside.join(", "),
        joins.join(", "),
        those(&|&place| is_end(level, place, level.from)),
        those(&|&place| is_end(level, place, level.to)),
        those(&|place| required.contains(place)),
        those(&|&place| level.board[place].kind == Kind::Cross),
    ))
}

/// The moves along the sequence of a solution.
fn specification_moves(
    level: &PipeMania,
    horizon: u32,
    value: Lookup,
) -> Result<Vec<Move>, String> {
    let pieces = pieces(level);
    let step = |step: u32| {
        let part = |part| {
            let number = usize::try_from(value("path", &[step as i32, part])?).ok()?;
            number.checked_sub(1)
        };
        let (piece, side) = (pieces.get(part(1)?)?, Side::ALL.get(part(2)?)?);
        Some((*piece, *side))
    };
    let path: Option<Vec<(Place, Side)>> = (1..=horizon).map(step).collect();
    let path = path.ok_or("the path is interrupted")?;
    let mut moves = Vec::new();
    for pair in path.windows(2) {
        let ((_, before), (place, out)) = (pair[0], pair[1]);
        let turns = level.board[place].turns_to_lead(before.opposite(), out);
        let turns = turns.ok_or("a piece does not lead on")?;
        let turn = Move {
            row: place.0 as u16,
            col: place.1 as u16,
        };
        moves.extend(std::iter::repeat_n(turn, usize::from(turns)));
    }
    Ok(moves)
}
