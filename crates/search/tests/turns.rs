//! A* searches that take turns, against Dijkstra's algorithm, with guides of which some know
//! nothing, are slow, or lie.

mod spaces;

use std::time::Duration;

use ployglot_base::{Budget, Guide, Limit, Outcome, Random, Space};
use ployglot_search::turns::{MakeGuide, turns};
use spaces::{Distances, Graph, RandomGuide, Sliding, judge, truth};

#[test]
fn random_graphs_with_several_guides() {
    let mut random = Random::new(1);
    for round in 0..200 {
        let costs: &[u32] = [&[1][..], &[0, 1, 2, 7], &[5, 1000]][round as usize % 3];
        let graph = Graph::random(1 + random.below(40), costs, &mut random);
        let graph = &graph;
        let guides: Vec<MakeGuide<RandomGuide>> = (0..1 + round % 3)
            .map(|seed| -> MakeGuide<RandomGuide> {
                Box::new(move || RandomGuide::new(graph, seed))
            })
            .collect();
        let report = turns(graph, &guides, &Budget::unlimited());
        judge(graph, &report, truth(graph), true);
    }
}

/// Bounds of a sliding puzzle: the true ones, none, slow ones, or one that is too high at the start.
enum Bound<'a> {
    True(Distances<'a>),
    None,
    Slow(Distances<'a>),
    TooHigh(Distances<'a>, u32),
}

impl Guide<Sliding> for Bound<'_> {
    fn lower_bound(&mut self, state: &<Sliding as Space>::State) -> Option<u32> {
        match self {
            Bound::True(distances) => distances.lower_bound(state),
            Bound::None => Some(0),
            Bound::Slow(distances) => {
                std::thread::sleep(Duration::from_millis(5));
                distances.lower_bound(state)
            }
            Bound::TooHigh(distances, bound) => {
                let own = distances.lower_bound(state)?;
                Some(own.max(*bound))
            }
        }
    }
}

fn puzzle() -> Sliding {
    Sliding {
        rows: 3,
        cols: 3,
        start: vec![8, 0, 6, 5, 4, 7, 2, 3, 1],
        twins: false,
    }
}

#[test]
fn the_fast_guide_is_not_held_up_by_a_slow_one() {
    let puzzle = puzzle();
    let guides: [MakeGuide<Bound>; 3] = [
        Box::new(|| Bound::Slow(Distances(&puzzle))),
        Box::new(|| Bound::True(Distances(&puzzle))),
        Box::new(|| Bound::None),
    ];
    let budget = Budget::unlimited();
    let report = turns(&puzzle, &guides, &budget);
    judge(&puzzle, &report, truth(&puzzle), true);
    // The slow guide alone would take half a minute.
    assert!(budget.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_guide_that_lies_is_a_contradiction() {
    let puzzle = puzzle();
    let guides: [MakeGuide<Bound>; 2] = [
        Box::new(|| Bound::TooHigh(Distances(&puzzle), 1000)),
        Box::new(|| Bound::True(Distances(&puzzle))),
    ];
    let report = turns(&puzzle, &guides, &Budget::unlimited());
    assert!(
        matches!(report.outcome, Outcome::Contradiction(_)),
        "{:?}",
        report.outcome
    );
}

#[test]
fn a_limit_leaves_the_best_bound() {
    let puzzle = puzzle();
    let guides: [MakeGuide<Bound>; 2] = [
        Box::new(|| Bound::None),
        Box::new(|| Bound::Slow(Distances(&puzzle))),
    ];
    let budget = Budget::unlimited().with_time(Duration::from_millis(40));
    let report = turns(&puzzle, &guides, &budget);
    let distance = Distances(&puzzle).lower_bound(&puzzle.start());
    match report.outcome {
        Outcome::GaveUp { at_least, why } => {
            assert_eq!(why, Limit::Time);
            assert!(Some(at_least) >= distance, "{at_least}");
        }
        other => panic!("{other:?}"),
    }
}
