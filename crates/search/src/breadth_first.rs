//! Breadth-first search, layer by layer. It uses no guide at all, so that it can judge those that do.

use std::collections::HashMap;

use ployglot_base::{Budget, Effort, Guide, Outcome, Progress, Report, Space};

pub fn breadth_first<S: Space, G: Guide<S>>(
    space: &S,
    _guide: &(impl Fn() -> G + Sync),
    budget: &Budget,
) -> Report<S::Move> {
    let mut effort = Effort::default();
    let mut states = vec![(space.start(), None::<(usize, S::Move)>, 0u32)];
    let mut seen = HashMap::from([(space.start(), 0)]);
    let mut moves = Vec::new();
    let mut next = 0;
    while next < states.len() {
        let (state, _, depth) = states[next].clone();
        if space.is_goal(&state) {
            let mut plan = Vec::new();
            let mut at = next;
            while let Some((before, mv)) = states[at].1 {
                plan.push(mv);
                at = before;
            }
            plan.reverse();
            return Report {
                outcome: Outcome::Optimal { cost: depth, plan },
                effort,
            };
        }
        let progress = || Progress {
            phase: "layer",
            depth,
            expanded: effort.expanded,
            stored: states.len() as u64,
            at_least: depth,
            ..Progress::default()
        };
        if next % 256 == 0
            && let Err(why) = budget.check(progress)
        {
            return Report {
                outcome: Outcome::GaveUp {
                    at_least: depth,
                    why,
                },
                effort,
            };
        }
        effort.expanded += 1;
        moves.clear();
        space.moves(&state, &mut moves);
        for &mv in &moves {
            effort.generated += 1;
            let after = space.apply(&state, mv);
            let id = states.len();
            if *seen.entry(after.clone()).or_insert(id) == id {
                states.push((after, Some((next, mv)), depth + 1));
            }
        }
        effort.stored = states.len() as u64;
        next += 1;
    }
    Report {
        outcome: Outcome::Unsolvable,
        effort,
    }
}
