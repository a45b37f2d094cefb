//! The two searches of Banci's thesis, chapter 4, as it describes them: `search:dfs` and
//! `search:bfs`.
//!
//! Both begin at the first B of the board, or at the one that the level names, and know the pieces
//! B, R and L only; on other levels they give up.
//!
//! *Depth-first*: a path is continued until it reaches another B through an opening, and taken back
//! where it cannot go on; no piece is used twice. The plan is the first path that is found, so it is
//! never claimed to be the best. The thesis' function is recursive and copies the board; ours keeps
//! the path on a stack. The order in which it tries sides is the same: right, left; up, down.
//!
//! *Breadth-first*: the nodes are a piece and the side through which it is entered, each put in the
//! queue once. The thesis says that this finds the shortest path. It finds the shortest *walk*, which
//! may use a piece twice. If the walk is a path, it is a shortest one, and the plan is optimal. If
//! not, the search has no plan, and its length is a lower bound.
//!
//! One repair, "other-B": the thesis' listing takes any B that is entered through an opening as the
//! end, also the one where the walk began. Its text asks for a path to another B, and its tables have
//! such paths; so the first B is not an end here.
//!
//! Where a level has more than two B, a path may begin at another B than the first. Then the
//! searches prove nothing.

use std::collections::{HashSet, VecDeque};

use super::piece::{Kind, leads};
use super::rules::{Move, PipeMania, Place};
use crate::*;

pub(super) const DEPTH_FIRST: GameSearch<PipeMania> = GameSearch {
    name: "dfs",
    about: "depth-first search of the thesis: the first path from the first B, whatever its length",
    measures: &["pieces"],
    run: |level, measure, _, budget| depth_first(level, measure, budget),
};

pub(super) const BREADTH_FIRST: GameSearch<PipeMania> = GameSearch {
    name: "bfs",
    about: "breadth-first search of the thesis: the shortest walk; a plan only if the walk is a path",
    measures: &["pieces"],
    run: |level, measure, _, budget| breadth_first(level, measure, budget),
};

/// A piece, and the side through which it is entered.
type Node = (Place, Side);

/// Where the searches begin, and what they may claim.
struct Setting {
    first: Place,
    /// There is only one other B, so the searches see every path.
    complete: bool,
}

/// `None`: the thesis does not have such levels.
fn setting(level: &PipeMania) -> Option<Setting> {
    let known = |place: Place| {
        let tile = level.board[place];
        match tile.kind {
            Kind::Empty | Kind::End => true,
            Kind::Straight | Kind::Corner => tile.turnable(),
            Kind::Cross | Kind::OneWay => false,
        }
    };
    if !level.board.places().all(known) || !level.required().is_empty() {
        return None;
    }
    let ends = level.ends();
    let first = match (level.from, level.to) {
        (Some(from), _) => from,
        (None, Some(to)) if ends.len() == 2 => *ends.iter().find(|end| **end != to)?,
        (None, Some(_)) => return None,
        (None, None) => *ends.first()?,
    };
    // Between named ends a path may pass a third B, which the thesis does not know.
    let named = level.from.is_some() || level.to.is_some();
    (!named || ends.len() == 2).then_some(Setting {
        first,
        complete: ends.len() == 2,
    })
}

/// The nodes after the first B: right and left, or up and down.
fn first_nodes(level: &PipeMania, first: Place) -> Vec<Node> {
    let order = [Side::Right, Side::Left, Side::Up, Side::Down];
    let tile = level.board[first];
    let open = order
        .into_iter()
        .filter(|&side| leads(tile.kind, tile.rotation, side).is_some());
    open.filter_map(|side| step(level, first, side)).collect()
}

/// The node on this side of a piece, if there is a piece.
fn step(level: &PipeMania, place: Place, out: Side) -> Option<Node> {
    let next = level.board.beside(place, out)?;
    (level.board[next].kind != Kind::Empty).then_some((next, out.opposite()))
}

/// The nodes after a piece that is not a B, in the order of the thesis.
fn next_nodes(level: &PipeMania, (place, entered): Node) -> Vec<Node> {
    let outs: &[Side] = match (level.board[place].kind, entered) {
        (Kind::Straight, _) => &[entered.opposite()],
        (Kind::Corner, Side::Left | Side::Right) => &[Side::Up, Side::Down],
        (Kind::Corner, _) => &[Side::Left, Side::Right],
        _ => &[],
    };
    outs.iter()
        .filter_map(|&out| step(level, place, out))
        .collect()
}

/// Whether a walk ends at this node: it enters a B through an opening.
fn is_end(level: &PipeMania, (place, entered): Node) -> bool {
    let tile = level.board[place];
    tile.kind == Kind::End && leads(tile.kind, tile.rotation, entered).is_some()
}

/// The turns along a path, and its cost: what the referee counts after them.
fn plan(level: &PipeMania, measure: &str, path: &[Node]) -> (Vec<Move>, u32) {
    let mut moves = Vec::new();
    let mut end = level.start();
    for (&(place, entered), &(_, next_entered)) in path.iter().zip(&path[1..]) {
        let out = next_entered.opposite();
        let turns = level.board[place].turns_to_lead(entered, out).unwrap_or(0);
        let turn = Move {
            row: place.0 as u16,
            col: place.1 as u16,
        };
        for _ in 0..turns {
            moves.push(turn);
            end = level.apply(&end, turn);
        }
    }
    let cost = level.plan_cost(measure, &moves, &end);
    (moves, cost)
}

fn gave_up<M>(at_least: u32, why: Limit) -> Outcome<M> {
    Outcome::GaveUp { at_least, why }
}

/// What a search without a plan has shown.
fn exhausted<M>(setting: &Setting) -> Outcome<M> {
    match setting.complete {
        true => Outcome::Unsolvable,
        false => gave_up(1, Limit::Incomplete),
    }
}

fn depth_first(level: &PipeMania, measure: &str, budget: &Budget) -> Report<Move> {
    let mut effort = Effort::default();
    let Some(setting) = setting(level) else {
        let outcome = gave_up(1, Limit::Incomplete);
        return Report { outcome, effort };
    };
    // Each entry: the nodes that are still to be tried at this depth, the next one last.
    let reversed = |mut nodes: Vec<Node>| {
        nodes.reverse();
        nodes
    };
    let mut untried = vec![reversed(first_nodes(level, setting.first))];
    let mut path: Vec<Node> = Vec::new();
    let mut used = HashSet::from([setting.first]);
    while let Some(nodes) = untried.last_mut() {
        let Some(node) = nodes.pop() else {
            untried.pop();
            if let Some((place, _)) = path.pop() {
                used.remove(&place);
            }
            continue;
        };
        effort.generated += 1;
        let progress = || Progress {
            expanded: effort.expanded,
            ..Progress::default()
        };
        if let Err(why) = budget.check(progress) {
            let outcome = gave_up(1, why);
            return Report { outcome, effort };
        }
        if used.contains(&node.0) {
            continue;
        }
        if is_end(level, node) {
            path.push(node);
            let (plan, cost) = plan(level, measure, &path);
            let (at_least, why) = (1, Limit::Incomplete);
            let outcome = Outcome::Feasible {
                plan,
                cost,
                at_least,
                why,
            };
            return Report { outcome, effort };
        }
        effort.expanded += 1;
        used.insert(node.0);
        path.push(node);
        effort.stored = effort.stored.max(path.len() as u64);
        untried.push(reversed(next_nodes(level, node)));
    }
    let outcome = exhausted(&setting);
    Report { outcome, effort }
}

fn breadth_first(level: &PipeMania, measure: &str, budget: &Budget) -> Report<Move> {
    let mut effort = Effort::default();
    let Some(setting) = setting(level) else {
        let outcome = gave_up(1, Limit::Incomplete);
        return Report { outcome, effort };
    };
    let index =
        |(place, entered): Node| (place.0 * level.board.cols() + place.1) * 4 + entered as usize;
    // For each node: whether it was put in the queue, and the node before it.
    let mut before: Vec<Option<Option<Node>>> = vec![None; level.board.cells().len() * 4];
    let mut queue = VecDeque::new();
    for node in first_nodes(level, setting.first) {
        before[index(node)] = Some(None);
        queue.push_back((node, 1));
    }
    while let Some((node, length)) = queue.pop_front() {
        effort.expanded += 1;
        let progress = || Progress {
            expanded: effort.expanded,
            at_least: length,
            ..Progress::default()
        };
        if let Err(why) = budget.check(progress) {
            let outcome = gave_up(length, why);
            return Report { outcome, effort };
        }
        if node.0 != setting.first && is_end(level, node) {
            let outcome = walk_outcome(
                level,
                measure,
                &setting,
                length,
                walk(node, |node| before[index(node)].flatten()),
            );
            return Report { outcome, effort };
        }
        for next in next_nodes(level, node) {
            effort.generated += 1;
            let seen = &mut before[index(next)];
            if seen.is_none() {
                *seen = Some(Some(node));
                queue.push_back((next, length + 1));
                effort.stored += 1;
            }
        }
    }
    let outcome = exhausted(&setting);
    Report { outcome, effort }
}

/// The walk to a node, given the node before each.
fn walk(end: Node, before: impl Fn(Node) -> Option<Node>) -> Vec<Node> {
    let mut walk = vec![end];
    while let Some(node) = before(walk[walk.len() - 1]) {
        walk.push(node);
    }
    walk.reverse();
    walk
}

/// What the shortest walk shows: an optimal plan if it is a path, else only a bound.
fn walk_outcome(
    level: &PipeMania,
    measure: &str,
    setting: &Setting,
    length: u32,
    walk: Vec<Node>,
) -> Outcome<Move> {
    let mut used = HashSet::from([setting.first]);
    if !walk.iter().all(|(place, _)| used.insert(*place)) {
        return gave_up(if setting.complete { length } else { 1 }, Limit::Incomplete);
    }
    let (plan, cost) = plan(level, measure, &walk);
    match setting.complete && cost == length {
        true => Outcome::Optimal { plan, cost },
        false => Outcome::Feasible {
            plan,
            cost,
            at_least: 1,
            why: Limit::Incomplete,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(rows: &str) -> PipeMania {
        let document = Document::parse(&format!("game: pipe-mania\n\n{rows}\n")).expect("a text");
        PipeMania::parse(&document).expect("a level")
    }

    fn found(search: &GameSearch<PipeMania>, level: &PipeMania) -> Outcome<Move> {
        (search.run)(level, "pieces", &Switches::all_on(), &Budget::unlimited()).outcome
    }

    #[test]
    fn depth_first_search_takes_the_first_path_and_breadth_first_search_the_shortest() {
        // To the left of the first B there are two pieces to the other one, to the right eight.
        let level = level("L1R1R1R1L1\nL1B1R1B1L1");
        let long = found(&DEPTH_FIRST, &level);
        assert!(
            matches!(
                long,
                Outcome::Feasible {
                    cost: 2,
                    at_least: 1,
                    ..
                }
            ),
            "{long:?}"
        );
        let short = found(&BREADTH_FIRST, &level);
        assert!(
            matches!(short, Outcome::Optimal { cost: 2, .. }),
            "{short:?}"
        );
        // The first B is the other way round: up comes first.
        let level = level_with_detour();
        let (long, short) = (found(&DEPTH_FIRST, &level), found(&BREADTH_FIRST, &level));
        assert!(long.cost() > short.cost(), "{long:?} {short:?}");
    }

    fn level_with_detour() -> PipeMania {
        level("L1R1L1\nB2##R1\nL1B1L1")
    }

    /// The built-in level with a walk of six pieces and no path.
    #[test]
    fn a_walk_that_crosses_itself_is_not_a_plan() {
        let named = |level: &&BuiltinLevel| level.name == "04-no-second-helping";
        let found_level = PipeMania::LEVELS
            .iter()
            .find(named)
            .expect("it is built in");
        let document = Document::parse(found_level.text).expect("a text");
        let level = PipeMania::parse(&document).expect("a level");
        let outcome = found(&BREADTH_FIRST, &level);
        let crossed = matches!(
            outcome,
            Outcome::GaveUp {
                at_least: 6,
                why: Limit::Incomplete
            }
        );
        assert!(crossed, "{outcome:?}");
        assert!(matches!(found(&DEPTH_FIRST, &level), Outcome::Unsolvable));
    }

    #[test]
    fn a_board_without_a_walk_is_unsolvable() {
        let level = level("B1R1##B1");
        for search in [&DEPTH_FIRST, &BREADTH_FIRST] {
            assert!(matches!(found(search, &level), Outcome::Unsolvable));
        }
    }

    #[test]
    fn pieces_that_the_thesis_does_not_have_are_left_to_others() {
        let level = level("B1X1B1");
        for search in [&DEPTH_FIRST, &BREADTH_FIRST] {
            let outcome = found(search, &level);
            let why = Limit::Incomplete;
            assert!(matches!(outcome, Outcome::GaveUp { why: found, .. } if found == why));
        }
    }
}
