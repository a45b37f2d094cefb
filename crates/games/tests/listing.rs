//! What certificates list: nodes have bytes that are read as they were written, nodes with equal bytes
//! are alike, and the bounds by which nodes are left out never exceed the true cost.

use std::collections::HashMap;

use ployglot_games::template::Template;
use ployglot_games::*;

/// Random levels of each game.
const LEVELS: u64 = 200;
/// The number of nodes of a level, at most.
const MOST: usize = 1500;

struct Listings;

/// All nodes of a level by their bytes, with the indices of the successors and the costs of the steps.
struct Graph<N> {
    nodes: Vec<N>,
    next: Vec<Vec<(usize, u32)>>,
}

fn bytes<G: Game>(level: &G, node: &G::Node) -> Vec<u8> {
    let mut bytes = Vec::new();
    level.encode(node, &mut bytes);
    bytes
}

/// `None` if there are too many.
fn graph<G: Game>(level: &G, measure: &str) -> Option<Graph<G::Node>> {
    let mut numbers = HashMap::new();
    let mut graph = Graph {
        nodes: Vec::new(),
        next: Vec::new(),
    };
    let mut number = |node: G::Node, nodes: &mut Vec<G::Node>| {
        *numbers.entry(bytes(level, &node)).or_insert_with(|| {
            nodes.push(node);
            nodes.len() - 1
        })
    };
    for (root, _) in level.roots(measure) {
        number(root, &mut graph.nodes);
    }
    let mut at = 0;
    while at < graph.nodes.len() {
        let found = level.successors(measure, &graph.nodes[at]);
        let next = found
            .into_iter()
            .map(|(node, cost)| (number(node, &mut graph.nodes), cost));
        graph.next.push(next.collect());
        at += 1;
        if graph.nodes.len() > MOST {
            return None;
        }
    }
    Some(graph)
}

/// The true cost from each node to an end, by repeating until nothing changes.
fn costs<G: Game>(level: &G, graph: &Graph<G::Node>) -> Vec<Option<u32>> {
    let end = |node: &G::Node| level.is_end(node).then_some(0);
    let mut costs: Vec<Option<u32>> = graph.nodes.iter().map(end).collect();
    loop {
        let mut changed = false;
        for (at, next) in graph.next.iter().enumerate().rev() {
            let through = next
                .iter()
                .filter_map(|&(to, cost)| Some(costs[to]? + cost))
                .min();
            if let Some(through) = through
                && costs[at].is_none_or(|cost| through < cost)
            {
                costs[at] = Some(through);
                changed = true;
            }
        }
        if !changed {
            return costs;
        }
    }
}

impl GameVisitor for Listings {
    fn visit<G: Game>(&mut self) {
        const SIZES: [(usize, usize); 5] = [(2, 3), (3, 2), (3, 3), (1, 6), (4, 3)];
        let (mut levels, mut tight, mut compared) = (0, 0, 0);
        for seed in 0..LEVELS {
            let (rows, cols) = SIZES[seed as usize % SIZES.len()];
            let Ok(level) = G::generate(&Spec::size(rows, cols), &mut Random::new(seed)) else {
                continue;
            };
            for measure in G::MEASURES.iter().filter(|it| G::lists(it.name)) {
                let Some(graph) = graph(&level, measure.name) else {
                    continue;
                };
                levels += 1;
                let costs = costs(&level, &graph);
                for (node, cost) in graph.nodes.iter().zip(&costs) {
                    let written = bytes(&level, node);
                    let read = level.decode(&written).expect("bytes of a node");
                    assert_eq!(bytes(&level, &read), written, "{}", G::NAME);
                    assert_eq!(level.is_end(&read), level.is_end(node), "{}", G::NAME);
                    for exclusion in G::EXCLUSIONS {
                        let Reason::Bound(prepare) = exclusion.reason else {
                            continue;
                        };
                        let bound = prepare(&level, measure.name)(node);
                        let right = match (bound, cost) {
                            (_, None) => true,
                            (None, Some(_)) => false,
                            (Some(bound), Some(cost)) => bound <= *cost,
                        };
                        assert!(
                            right,
                            "{}: '{}' says {bound:?}, and the cost is {cost:?}:\n{}",
                            G::NAME,
                            exclusion.name,
                            level.describe(node)
                        );
                        tight += usize::from(bound == *cost);
                    }
                }
                for exclusion in G::EXCLUSIONS {
                    if let Reason::Losses(size) = exclusion.reason {
                        compared += losses(&level, &graph, &costs, size(&level));
                    }
                }
                // Bytes of strangers are refused or read, and never end the program.
                let start = bytes(&level, &graph.nodes[0]);
                for at in 0..start.len() {
                    let mut changed = start.clone();
                    changed[at] ^= 0xff;
                    let _ = level.decode(&changed);
                    let _ = level.decode(&start[..at]);
                }
            }
        }
        assert!(levels >= 10, "{}: {levels} levels", G::NAME);
        assert!(tight > 0 || G::EXCLUSIONS.is_empty(), "{}", G::NAME);
        let is_of_losses = |it: &Exclusion<G>| matches!(it.reason, Reason::Losses(_));
        let has_losses = G::EXCLUSIONS.iter().any(is_of_losses);
        assert!(compared > 1000 || !has_losses, "{}: {compared}", G::NAME);
    }
}

/// Compares the costs of all nodes that differ in their losses only, and returns how many pairs.
fn losses<G: Game>(level: &G, graph: &Graph<G::Node>, costs: &[Option<u32>], size: usize) -> usize {
    let mut groups: HashMap<Vec<u8>, Vec<(Vec<u8>, u32)>> = HashMap::new();
    for (node, cost) in graph.nodes.iter().zip(costs) {
        let mut key = bytes(level, node);
        let lost = key.split_off(key.len() - size);
        let group = groups.entry(key).or_default();
        group.push((lost, cost.unwrap_or(u32::MAX)));
    }
    let mut compared = 0;
    for group in groups.values() {
        for (some, cost) in group {
            for (more, other) in group {
                if some != more && some.iter().zip(more).all(|(a, b)| a & !b == 0) {
                    assert!(cost <= other, "{}: {some:?} and {more:?}", G::NAME);
                    compared += 1;
                }
            }
        }
    }
    compared
}

#[test]
fn nodes_are_read_as_written_and_bounds_never_exceed_the_cost() {
    Listings.visit::<Template>();
    visit_games(&mut Listings);
}

/// Every exclusion has its proof in the README of its game.
#[test]
fn every_exclusion_has_its_proof_in_the_readme() {
    struct Readmes;
    impl GameVisitor for Readmes {
        fn visit<G: Game>(&mut self) {
            for exclusion in G::EXCLUSIONS {
                let proof = format!("* **{}**: *", exclusion.name);
                assert!(G::README.contains(&proof), "{}: {proof}", G::NAME);
            }
        }
    }
    visit_games(&mut Readmes);
}
