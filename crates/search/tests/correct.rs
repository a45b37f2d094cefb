//! All searches are compared with Dijkstra's algorithm, on spaces of many kinds: random graphs with
//! random costs, inconsistent bounds, guides that remove moves, dead ends, mazes, permutations, and
//! packed forms that are coarser than states.

mod spaces;

use ployglot_base::{Blind, Budget, Guide, Random, Space};
use ployglot_search::Search;
use spaces::{Distances, Graph, Node, RandomGuide, Sliding, judge, truth};

/// Searches that end without a proof when they have found a plan.
const INCOMPLETE: &[Search] = &[Search::Greedy, Search::Beam];

/// Runs all searches, the parallel one with several threads; in some rounds twice, to check that
/// they are deterministic.
fn check<S: Space, G: Guide<S>>(round: u64, space: &S, guide: impl Fn() -> G + Sync) {
    let truth = truth(space);
    let twice = round.is_multiple_of(10);
    for search in Search::ALL {
        let name = search.name();
        let threads: &[usize] = match (search, twice) {
            (Search::Parallel, true) => &[1, 2, 4],
            (Search::Parallel, false) => &[2],
            _ => &[1],
        };
        for &threads in threads {
            let budget = Budget::unlimited().with_threads(threads);
            let report = search.run(space, &guide, &budget);
            judge(space, &report, truth, !INCOMPLETE.contains(search));
            let solved = report.outcome.plan().is_some();
            assert_eq!(solved, truth.is_some(), "{name} must find a plan");
            if twice {
                let again = search.run(space, &guide, &budget);
                assert_eq!(report, again, "{name} is not deterministic");
            }
        }
    }
}

fn check_graphs(seed: u64, costs: &[u32]) {
    let mut random = Random::new(seed);
    for round in 0..100 {
        let nodes = 1 + random.below(40);
        let graph = Graph::random(nodes, costs, &mut random);
        check(round, &graph, || Blind);
        check(round, &graph, || RandomGuide::new(&graph, round));
    }
}

/// Where several moves lead to the same state, the plan of a beam has one that the guide keeps.
#[test]
fn the_plan_of_a_beam_has_moves_that_the_guide_keeps() {
    struct LastMove;
    impl Guide<Graph> for LastMove {
        fn lower_bound(&mut self, _: &Node) -> Option<u32> {
            Some(0)
        }

        fn narrow(&mut self, _: &Node, moves: &mut Vec<usize>) {
            let first = moves.len().saturating_sub(1);
            moves.drain(..first);
        }
    }
    let graph = Graph {
        edges: vec![vec![(1, 1); 3], vec![(2, 1); 2], Vec::new()],
        goals: vec![false, false, true],
        words: 1,
    };
    let report = Search::Beam.run(&graph, &|| LastMove, &Budget::unlimited());
    assert_eq!(report.outcome.plan(), Some(&[2, 1][..]));
}

#[test]
fn graphs_where_all_moves_cost_the_same() {
    check_graphs(1, &[1]);
    check_graphs(2, &[3]);
}

#[test]
fn graphs_with_moves_that_cost_nothing() {
    check_graphs(3, &[0]);
    check_graphs(4, &[0, 0, 1]);
}

#[test]
fn graphs_with_different_costs() {
    check_graphs(5, &[0, 1, 2, 3, 7]);
    check_graphs(6, &[1, 5, 1000]);
    check_graphs(7, &[10_000, 100_000, 7]);
}

#[test]
fn mazes() {
    let mut random = Random::new(8);
    for round in 0..20 {
        let maze = Graph::maze(5 + random.below(4), 3 + random.below(9), &mut random);
        check(round, &maze, || Blind);
        check(round, &maze, || RandomGuide::new(&maze, round));
    }
}

#[test]
fn permutations_half_of_which_have_no_plan() {
    let mut random = Random::new(9);
    for round in 0..12 {
        let puzzle = Sliding::shuffled(2, 3, 5, round % 2 == 0, &mut random);
        check(round, &puzzle, || Blind);
        check(round, &puzzle, || Distances(&puzzle));
    }
}

#[test]
fn a_start_that_is_a_goal_needs_no_moves() {
    let puzzle = Sliding::shuffled(2, 2, 0, false, &mut Random::new(0));
    check(0, &puzzle, || Distances(&puzzle));
}

/// A node with very many successors, one of which leads to the goal.
#[test]
fn huge_branching() {
    let nodes = 20_000;
    let mut edges = vec![Vec::new(); nodes];
    edges[0] = (1..nodes).map(|to| (to, 1)).collect();
    edges[nodes / 2] = vec![(1, 1), (nodes - 1, 1)];
    let mut goals = vec![false; nodes];
    goals[nodes - 1] = true;
    edges[0].pop();
    let star = Graph {
        edges,
        goals,
        words: 2,
    };
    check(0, &star, || Blind);
}

/// Searches that use the guide expand fewer states.
#[test]
fn a_bound_saves_expansions() {
    let puzzle = Sliding {
        rows: 3,
        cols: 3,
        start: vec![8, 0, 6, 5, 4, 7, 2, 3, 1],
        twins: false,
    };
    let budget = Budget::unlimited();
    let guide = || Distances(&puzzle);
    let blind = Search::BreadthFirst.run(&puzzle, &guide, &budget);
    let guided = Search::Astar.run(&puzzle, &guide, &budget);
    assert_eq!(blind.outcome.cost(), guided.outcome.cost());
    assert!(blind.outcome.cost().is_some_and(|cost| cost > 20));
    assert!(guided.effort.expanded * 20 < blind.effort.expanded);
    assert!(guided.effort.stored < blind.effort.stored);
    // Several threads expand few states that one thread would not.
    for threads in [2, 3, 4] {
        let budget = Budget::unlimited().with_threads(threads);
        let parallel = Search::Parallel.run(&puzzle, &guide, &budget);
        assert!(parallel.effort.expanded < 2 * guided.effort.expanded);
    }
}
