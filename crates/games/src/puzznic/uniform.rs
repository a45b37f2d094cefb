//! Uniform-cost search (Dijkstra 1959) by the measures of the paper's models: `steps`, `ticks` and
//! `done`.
//!
//! By these measures, settling costs something, so the cost of a move depends on the state, and the
//! bounds of the other searches, which count moves, are weak. A move costs at least 1, hence the
//! bound on moves is still a lower bound, and A* uses it.
//!
//! The search follows the slow rules, board by board: it is the yardstick for the models on small
//! levels, not a fast solver.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::fast::State;
use super::rules::{Move, Puzznic, board, move_block, settling_cost};
use crate::*;

pub(super) const UNIFORM: GameSearch<Puzznic> = GameSearch {
    name: "uniform",
    about: "A* by the slow rules, for the measures that count rounds of matching and falls",
    measures: &["moves", "steps", "ticks", "done"],
    run: search,
};

/// What the search knows about a state: the cheapest way to it, and whether it was expanded.
struct Reached {
    cost: u32,
    before: Option<(State, Move)>,
    expanded: bool,
}

fn search(level: &Puzznic, measure: &str, switches: &Switches, budget: &Budget) -> Report<Move> {
    let mut guide = level.guide(switches);
    let first = u32::from(measure == "done");
    let start = level.start();
    let mut reached = HashMap::new();
    // Ordered by f, then by the order of insertion, so that the same run has the same result.
    let mut open: BinaryHeap<Reverse<(u32, u64)>> = BinaryHeap::new();
    let mut states: Vec<(State, u32)> = Vec::new();
    let mut effort = Effort::default();
    if let Some(bound) = guide.lower_bound(&start) {
        reached.insert(
            start.clone(),
            Reached {
                cost: first,
                before: None,
                expanded: false,
            },
        );
        open.push(Reverse((first + bound, 0)));
        states.push((start, first));
    }
    let mut at_least = first;
    let mut moves = Vec::new();
    while let Some(Reverse((f, number))) = open.pop() {
        at_least = at_least.max(f);
        let (state, cost) = states[number as usize].clone();
        let known = reached.get_mut(&state).expect("it was reached");
        if known.expanded || known.cost < cost {
            continue;
        }
        known.expanded = true;
        if level.is_goal(&state) {
            let outcome = Outcome::Optimal {
                plan: plan(&reached, state),
                cost,
            };
            return Report { outcome, effort };
        }
        effort.expanded += 1;
        effort.stored = reached.len() as u64;
        let progress = || Progress {
            expanded: effort.expanded,
            at_least,
            ..Progress::default()
        };
        if let Err(why) = budget.check(progress) {
            let outcome = Outcome::GaveUp { at_least, why };
            return Report { outcome, effort };
        }
        moves.clear();
        level.moves(&state, &mut moves);
        for &mv in &moves {
            let mut next = board(level, &state);
            if move_block(level, &mut next, mv).is_err() {
                continue;
            }
            let cost = cost + 1 + settling_cost(&mut next, measure);
            let next = level.field.state_of(&next);
            effort.generated += 1;
            let better = reached.get(&next).is_none_or(|known| cost < known.cost);
            let Some(bound) = better.then(|| guide.lower_bound(&next)).flatten() else {
                continue;
            };
            reached.insert(
                next.clone(),
                Reached {
                    cost,
                    before: Some((state.clone(), mv)),
                    expanded: false,
                },
            );
            open.push(Reverse((cost + bound, states.len() as u64)));
            states.push((next, cost));
        }
    }
    let outcome = Outcome::Unsolvable;
    Report { outcome, effort }
}

/// The moves that led to a state.
fn plan(reached: &HashMap<State, Reached>, mut state: State) -> Vec<Move> {
    let mut plan = Vec::new();
    while let Some((before, mv)) = &reached[&state].before {
        plan.push(*mv);
        state = before.clone();
    }
    plan.reverse();
    plan
}
