//! Every search against the plain truth, on spaces of many kinds: random graphs with random costs, bounds that contradict
//! each other, moves left out, dead ends, mazes, permutations, and packed forms that are coarser than states.

mod spaces;

use ployglot_base::{Blind, Budget, Guide, Random, Space};
use ployglot_search::{SEARCHES, run};
use spaces::{Distances, Graph, Moody, Node, Sliding, judge, truth};

/// Searches that end without a proof when they have found a plan.
const INCOMPLETE: &[&str] = &["greedy", "beam"];

/// Every search; the parallel one with several threads too, and now and then all of them twice, to get the same again.
fn check<S: Space, G: Guide<S>>(round: u64, space: &S, guide: impl Fn() -> G + Sync) {
    let truth = truth(space);
    let twice = round.is_multiple_of(10);
    for search in SEARCHES {
        let threads: &[usize] = match (search.name, twice) {
            ("parallel", true) => &[1, 2, 4],
            ("parallel", false) => &[2],
            _ => &[1],
        };
        for &threads in threads {
            let budget = Budget::unlimited().with_threads(threads);
            let report = run(search.name, space, &guide, &budget).unwrap();
            judge(space, &report, truth, !INCOMPLETE.contains(&search.name));
            let solved = report.outcome.plan().is_some();
            assert_eq!(solved, truth.is_some(), "{} must end", search.name);
            if twice {
                let again = run(search.name, space, &guide, &budget).unwrap();
                assert_eq!(report, again, "{} is not deterministic", search.name);
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
        check(round, &graph, || Moody::new(&graph, round));
    }
}

/// Of two moves between the same states, a beam's plan has the one that the guide keeps.
#[test]
fn a_beam_plays_moves_that_are_kept() {
    struct Last;
    impl Guide<Graph> for Last {
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
    let report = run("beam", &graph, &|| Last, &Budget::unlimited()).unwrap();
    assert_eq!(report.outcome.plan(), Some(&[2, 1][..]));
}

#[test]
fn graphs_where_all_moves_cost_alike() {
    check_graphs(1, &[1]);
    check_graphs(2, &[3]);
}

#[test]
fn graphs_with_moves_that_cost_nothing() {
    check_graphs(3, &[0]);
    check_graphs(4, &[0, 0, 1]);
}

#[test]
fn graphs_with_all_kinds_of_costs() {
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
        check(round, &maze, || Moody::new(&maze, round));
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

/// A node with very many ways on, one of which is right.
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

/// The guide saves work: where it does not, it is not used.
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
    let blind = run("bfs", &puzzle, &guide, &budget).unwrap();
    let guided = run("astar", &puzzle, &guide, &budget).unwrap();
    assert_eq!(blind.outcome.cost(), guided.outcome.cost());
    assert!(blind.outcome.cost().is_some_and(|cost| cost > 20));
    assert!(guided.effort.expanded * 20 < blind.effort.expanded);
    assert!(guided.effort.stored < blind.effort.stored);
    // Several threads do little that one would not do.
    for threads in [2, 3, 4] {
        let budget = Budget::unlimited().with_threads(threads);
        let shared = run("parallel", &puzzle, &guide, &budget).unwrap();
        assert!(shared.effort.expanded < 2 * guided.effort.expanded);
    }
}
