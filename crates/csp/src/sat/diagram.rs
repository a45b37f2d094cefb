//! Sums as decision diagrams. A layer is a term of the sum, as a ladder. A node is what is left of
//! the bound before its layer, and an edge is a step of the layer's ladder. Bounds that are
//! equivalent for the later layers share a node; the interval of equivalent bounds is computed
//! bottom-up (Abío, Nieuwenhuis, Oliveras and Rodríguez-Carbonell 2012; with more than two steps,
//! Abío and Stuckey 2014).
//!
//! Only "at most" is built, because a node's literal need only imply its children's; "at least" is
//! "at most" of the mirrored ladders.

use std::collections::{BTreeMap, HashMap};

use ployglot_base::Poll;

use super::encoder::Encoder;
use super::ladders::Ladder;
use super::linear::Sum;
use super::solver::{Clauses, Lit};

/// Sums with more layers get no diagram, because the recursion has this depth.
const LAYERS: usize = 400;

/// A node with a child for each step of its layer.
struct Node {
    layer: usize,
    children: Vec<Child>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Child {
    Fails,
    Holds,
    Node(usize),
}

struct Diagram<'a> {
    layers: &'a [&'a [i64]],
    /// For each layer, the largest sum of this layer and the later ones.
    rest: Vec<i64>,
    nodes: Vec<Node>,
    /// For each layer, its nodes by the largest bound that they represent, with the least such
    /// bound.
    known: Vec<BTreeMap<i64, (i64, Child)>>,
    edges: u64,
    limit: u64,
    poll: &'a Poll,
}

/// The order of the layers: heavy ones first, because they decide most.
fn order(most: &[i64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..most.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(most[i]), i));
    order
}

/// The number of clauses, or `u64::MAX` if there are more than the limit.
pub(super) fn cost(ladders: &[Vec<i64>], sum: &Sum, limit: u64, poll: &Poll) -> u64 {
    if ladders.len() > LAYERS {
        return u64::MAX;
    }
    let most: Vec<i64> = ladders.iter().map(|l| l[l.len() - 1]).collect();
    let total: i64 = most.iter().sum();
    let order = order(&most);
    let mut cost = 0u64;
    if let Some(k) = sum.at_most {
        let layers: Vec<&[i64]> = order.iter().map(|&i| &ladders[i][..]).collect();
        cost = cost.saturating_add(edges(&layers, k, limit, poll));
    }
    if let Some(k) = sum.at_least {
        let mirrored = |l: &Vec<i64>| l.iter().rev().map(|v| l[l.len() - 1] - v).collect();
        let mirrored: Vec<Vec<i64>> = order.iter().map(|&i| mirrored(&ladders[i])).collect();
        let layers: Vec<&[i64]> = mirrored.iter().map(|l| &l[..]).collect();
        cost = cost.saturating_add(edges(&layers, total - k, limit, poll));
    }
    cost
}

fn edges(layers: &[&[i64]], bound: i64, limit: u64, poll: &Poll) -> u64 {
    let mut diagram = Diagram::new(layers, limit, poll);
    match diagram.build(0, bound) {
        Some(_) => diagram.edges,
        None => u64::MAX,
    }
}

impl<'a> Diagram<'a> {
    fn new(layers: &'a [&'a [i64]], limit: u64, poll: &'a Poll) -> Self {
        let mut rest = vec![0];
        for layer in layers.iter().rev() {
            rest.push(rest[rest.len() - 1] + layer[layer.len() - 1]);
        }
        rest.reverse();
        Self {
            layers,
            rest,
            nodes: Vec::new(),
            known: vec![BTreeMap::new(); layers.len()],
            edges: 0,
            limit,
            poll,
        }
    }

    /// The node for a bound, with the least and the largest equivalent bound; `None` beyond the
    /// limit.
    fn build(&mut self, layer: usize, bound: i64) -> Option<(Child, i64, i64)> {
        if bound < 0 {
            return Some((Child::Fails, i64::MIN / 4, -1));
        }
        if bound >= self.rest[layer] {
            return Some((Child::Holds, self.rest[layer], i64::MAX / 4));
        }
        if let Some((&high, &(low, child))) = self.known[layer].range(bound..).next()
            && low <= bound
        {
            return Some((child, low, high));
        }
        let (mut low, mut high) = (i64::MIN, i64::MAX);
        let steps = self.layers[layer];
        self.poll.steps(steps.len());
        let mut children = Vec::with_capacity(steps.len());
        for &step in steps {
            let (child, least, largest) = self.build(layer + 1, bound - step)?;
            low = low.max(least + step);
            high = high.min(largest + step);
            children.push(child);
        }
        let mut distinct = children.clone();
        distinct.dedup();
        self.edges += distinct.len() as u64;
        if self.edges > self.limit {
            return None;
        }
        // A layer that changes nothing needs no node.
        let child = match distinct[..] {
            [only] => only,
            _ => {
                self.nodes.push(Node { layer, children });
                Child::Node(self.nodes.len() - 1)
            }
        };
        self.known[layer].insert(high, (low, child));
        Some((child, low, high))
    }
}

impl Encoder<dyn Clauses> {
    /// Encodes each bound of the sum by a diagram.
    pub(super) fn diagrams(&mut self, when: Lit, ladders: Vec<Ladder>, sum: &Sum) {
        let most: Vec<i64> = ladders.iter().map(Ladder::most).collect();
        let total: i64 = most.iter().sum();
        let order = order(&most);
        if let Some(k) = sum.at_most {
            let ladders: Vec<Ladder> = order.iter().map(|&i| ladders[i].clone()).collect();
            self.diagram(when, &ladders, k);
        }
        if let Some(k) = sum.at_least {
            let ladders: Vec<Ladder> = order.iter().map(|&i| ladders[i].mirrored()).collect();
            self.diagram(when, &ladders, total - k);
        }
    }

    fn diagram(&mut self, when: Lit, ladders: &[Ladder], bound: i64) {
        let layers: Vec<&[i64]> = ladders.iter().map(|l| &l.values[..]).collect();
        let poll = self.poll.clone();
        let mut diagram = Diagram::new(&layers, u64::MAX, &poll);
        let (root, _, _) = diagram.build(0, bound).expect("no limit");
        let mut literals: HashMap<usize, Lit> = HashMap::new();
        // Children come before their parents.
        for (id, node) in diagram.nodes.iter().enumerate() {
            let top = root == Child::Node(id);
            let literal = match top {
                true => when,
                false => self.fresh(),
            };
            literals.insert(id, literal);
            let mut previous = Child::Holds;
            for (&child, &reached) in node.children.iter().zip(&ladders[node.layer].at_least) {
                if child != previous {
                    let implied = match child {
                        Child::Fails => Lit::FALSE,
                        Child::Holds => Lit::TRUE,
                        Child::Node(id) => literals[&id],
                    };
                    self.imply(literal, &[!reached, implied]);
                }
                previous = child;
            }
        }
        if root == Child::Fails {
            self.imply(when, &[]);
        }
    }
}
