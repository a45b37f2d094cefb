//! Small spaces of many kinds, and their true costs. Shares no code with the searches.
#![allow(dead_code, reason = "each test file uses a part of this module")]

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use ployglot_base::{Guide, Outcome, Random, Report, Space};

/// The cost of the cheapest plan, by Dijkstra's algorithm over whole states; `None` if there is
/// none.
pub fn truth<S: Space>(space: &S) -> Option<u32> {
    let mut ids = HashMap::from([(space.start(), 0usize)]);
    let mut states = vec![(space.start(), 0u32)];
    let mut queue = BinaryHeap::from([Reverse((0u32, 0usize))]);
    while let Some(Reverse((cost, id))) = queue.pop() {
        let (state, best) = states[id].clone();
        if cost > best {
            continue;
        }
        if space.is_goal(&state) {
            return Some(cost);
        }
        let mut moves = Vec::new();
        space.moves(&state, &mut moves);
        for mv in moves {
            let after = space.apply(&state, mv);
            let cost = cost + space.cost(&state, mv);
            let id = *ids.entry(after.clone()).or_insert(states.len());
            if id == states.len() {
                states.push((after, u32::MAX));
            }
            if cost < states[id].1 {
                states[id].1 = cost;
                queue.push(Reverse((cost, id)));
            }
        }
    }
    None
}

/// Replays a plan and gives its cost; panics if it is not a plan.
pub fn replay<S: Space>(space: &S, plan: &[S::Move]) -> u32 {
    let mut state = space.start();
    let mut cost = 0;
    for &mv in plan {
        let mut moves = Vec::new();
        space.moves(&state, &mut moves);
        assert!(moves.contains(&mv), "{mv:?} is not a move of {state:?}");
        cost += space.cost(&state, mv);
        state = space.apply(&state, mv);
    }
    assert!(space.is_goal(&state), "the plan ends in {state:?}");
    cost
}

/// Compares a report with the true cost; `complete`: the search was not limited, so it must have a
/// proof.
pub fn judge<S: Space>(space: &S, report: &Report<S::Move>, truth: Option<u32>, complete: bool) {
    if let Some(plan) = report.outcome.plan() {
        assert_eq!(Some(replay(space, plan)), report.outcome.cost());
    }
    match report.outcome {
        Outcome::Optimal { cost, .. } => assert_eq!(Some(cost), truth, "a false proof"),
        Outcome::Unsolvable => assert_eq!(None, truth, "a false proof"),
        Outcome::Feasible { cost, at_least, .. } => {
            assert!(!complete, "no proof");
            let truth = truth.expect("a plan was found where there is none");
            assert!(at_least <= truth && truth <= cost && at_least < cost);
        }
        Outcome::GaveUp { at_least, .. } => {
            assert!(!complete, "gave up");
            assert!(truth.is_none_or(|truth| at_least <= truth));
        }
        Outcome::Contradiction(found) => panic!("{found}"),
    }
}

/// A directed graph with costs. A state is a node and a tag that has no meaning and is not packed.
#[derive(Debug)]
pub struct Graph {
    /// The successors of each node, with costs.
    pub edges: Vec<Vec<(usize, u32)>>,
    pub goals: Vec<bool>,
    pub words: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    pub at: usize,
    tag: usize,
}

impl Graph {
    /// A random graph with edges of the given costs.
    pub fn random(nodes: usize, costs: &[u32], random: &mut Random) -> Self {
        let degree = 1 + random.below(4);
        let mut edges = vec![Vec::new(); nodes];
        for from in &mut edges {
            for _ in 0..random.below(degree + 1) {
                from.push((random.below(nodes), *random.choose(costs)));
            }
        }
        let goals = (0..nodes).map(|_| random.chance(1, nodes)).collect();
        let words = 1 + random.below(3);
        Self {
            edges,
            goals,
            words,
        }
    }

    /// A maze: moves between neighbouring cells without walls, from one corner to the opposite one.
    pub fn maze(rows: usize, cols: usize, random: &mut Random) -> Self {
        let open: Vec<_> = (0..rows * cols).map(|_| random.chance(7, 10)).collect();
        let mut edges = vec![Vec::new(); rows * cols];
        for row in 0..rows {
            for col in 0..cols {
                let cell = row * cols + col;
                let mut link = |other: usize| {
                    if open[cell] && open[other] {
                        edges[cell].push((other, 1));
                        edges[other].push((cell, 1));
                    }
                };
                if col + 1 < cols {
                    link(cell + 1);
                }
                if row + 1 < rows {
                    link(cell + cols);
                }
            }
        }
        let mut goals = vec![false; rows * cols];
        goals[rows * cols - 1] = true;
        Self {
            edges,
            goals,
            words: 1,
        }
    }

    /// For each node the cost to the nearest goal, and the first edge of a cheapest path.
    fn distances(&self) -> Vec<Option<(u32, usize)>> {
        let mut known = vec![None; self.edges.len()];
        let mut queue: BinaryHeap<_> = (0..self.edges.len())
            .filter(|&node| self.goals[node])
            .map(|node| Reverse((0, node, usize::MAX)))
            .collect();
        while let Some(Reverse((cost, node, edge))) = queue.pop() {
            if known[node].is_some() {
                continue;
            }
            known[node] = Some((cost, edge));
            for (from, edges) in self.edges.iter().enumerate() {
                for (index, &(to, step)) in edges.iter().enumerate() {
                    if to == node && known[from].is_none() {
                        queue.push(Reverse((cost + step, from, index)));
                    }
                }
            }
        }
        known
    }
}

impl Space for Graph {
    type State = Node;
    type Move = usize;

    fn start(&self) -> Node {
        Node { at: 0, tag: 0 }
    }

    fn is_goal(&self, state: &Node) -> bool {
        self.goals[state.at]
    }

    fn moves(&self, state: &Node, moves: &mut Vec<usize>) {
        moves.extend(0..self.edges[state.at].len());
    }

    fn apply(&self, state: &Node, mv: usize) -> Node {
        Node {
            at: self.edges[state.at][mv].0,
            tag: (state.tag + mv) % 3,
        }
    }

    fn cost(&self, state: &Node, mv: usize) -> u32 {
        self.edges[state.at][mv].1
    }

    fn words(&self) -> usize {
        self.words
    }

    fn pack(&self, state: &Node, words: &mut [u64]) {
        words.fill(7);
        words[state.at % self.words] = state.at as u64;
        words[0] |= (state.at as u64) << 32;
    }

    fn unpack(&self, words: &[u64]) -> Node {
        Node {
            at: (words[0] >> 32) as usize,
            tag: 2,
        }
    }
}

/// An admissible guide of a graph that is otherwise random: its bounds are between 0 and the true
/// cost, it recognises some dead ends only, and it removes any moves but those of one cheapest
/// plan.
pub struct RandomGuide {
    bounds: Vec<Option<u32>>,
    kept: Vec<Vec<bool>>,
}

impl RandomGuide {
    pub fn new(graph: &Graph, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let distances = graph.distances();
        let bounds = distances.iter().map(|known| match known {
            Some((cost, _)) => Some(random.below(*cost as usize + 1) as u32),
            None => random.chance(1, 2).then(|| random.below(50) as u32),
        });
        let bounds = bounds.collect();
        let kept = graph.edges.iter().zip(&distances).map(|(edges, known)| {
            let needed = known.map(|(_, edge)| edge);
            (0..edges.len())
                .map(|edge| Some(edge) == needed || random.chance(2, 3))
                .collect()
        });
        Self {
            bounds,
            kept: kept.collect(),
        }
    }
}

impl Guide<Graph> for RandomGuide {
    fn lower_bound(&mut self, state: &Node) -> Option<u32> {
        self.bounds[state.at]
    }

    fn narrow(&mut self, state: &Node, moves: &mut Vec<usize>) {
        moves.retain(|&mv| self.kept[state.at][mv]);
    }
}

/// The sliding puzzle on a board that need not be square. With `twins`, the tiles 1 and 2 are
/// interchangeable: states that differ only in them have equal packed forms.
#[derive(Clone, Debug)]
pub struct Sliding {
    pub rows: usize,
    pub cols: usize,
    pub start: Vec<u8>,
    pub twins: bool,
}

impl Sliding {
    pub fn shuffled(
        rows: usize,
        cols: usize,
        swaps: usize,
        twins: bool,
        random: &mut Random,
    ) -> Self {
        let mut start: Vec<_> = (0..(rows * cols) as u8).collect();
        for _ in 0..swaps {
            let (a, b) = (random.below(start.len()), random.below(start.len()));
            start.swap(a, b);
        }
        Self {
            rows,
            cols,
            start,
            twins,
        }
    }

    /// The tile itself, or 1 for a twin.
    fn kind(&self, tile: u8) -> u8 {
        if self.twins && tile == 2 { 1 } else { tile }
    }
}

impl Space for Sliding {
    type State = Vec<u8>;
    type Move = (usize, usize);

    fn start(&self) -> Vec<u8> {
        self.start.clone()
    }

    fn is_goal(&self, state: &Vec<u8>) -> bool {
        let mut tiles = state.iter().enumerate();
        tiles.all(|(at, &tile)| self.kind(tile) == self.kind(at as u8))
    }

    fn moves(&self, state: &Vec<u8>, moves: &mut Vec<(usize, usize)>) {
        let gap = state.iter().position(|&tile| tile == 0).unwrap();
        let (row, col) = (gap / self.cols, gap % self.cols);
        let neighbours = [
            (row > 0).then(|| gap - self.cols),
            (col > 0).then(|| gap - 1),
            (col + 1 < self.cols).then_some(gap + 1),
            (row + 1 < self.rows).then_some(gap + self.cols),
        ];
        moves.extend(neighbours.into_iter().flatten().map(|tile| (tile, gap)));
    }

    fn apply(&self, state: &Vec<u8>, (tile, gap): (usize, usize)) -> Vec<u8> {
        let mut after = state.clone();
        after.swap(tile, gap);
        after
    }

    fn words(&self) -> usize {
        1
    }

    fn pack(&self, state: &Vec<u8>, words: &mut [u64]) {
        words[0] = state
            .iter()
            .fold(0, |word, &tile| word << 4 | u64::from(self.kind(tile)));
    }

    fn unpack(&self, words: &[u64]) -> Vec<u8> {
        let mut word = words[0];
        let mut state = vec![0; self.rows * self.cols];
        let mut second = false;
        for tile in state.iter_mut().rev() {
            *tile = (word & 15) as u8;
            if self.twins && *tile == 1 {
                *tile += u8::from(second);
                second = true;
            }
            word >>= 4;
        }
        state
    }
}

/// The sum of the distances of the tiles to their goals; for twins, to the nearer of their goals.
pub struct Distances<'a>(pub &'a Sliding);

impl Guide<Sliding> for Distances<'_> {
    fn lower_bound(&mut self, state: &Vec<u8>) -> Option<u32> {
        let Sliding { cols, twins, .. } = *self.0;
        let distance =
            |a: usize, b: usize| (a / cols).abs_diff(b / cols) + (a % cols).abs_diff(b % cols);
        let tiles = state.iter().enumerate().filter(|&(_, &tile)| tile != 0);
        let sum: usize = tiles
            .map(|(at, &tile)| match tile {
                1 | 2 if twins => distance(at, 1).min(distance(at, 2)),
                _ => distance(at, tile.into()),
            })
            .sum();
        Some(sum as u32)
    }
}

/// An infinite tree without a goal, where listing the moves of a state takes a while.
pub struct Infinite {
    pub branches: u64,
    pub pause: std::time::Duration,
    pub words: usize,
}

impl Space for Infinite {
    type State = (u64, u64);
    type Move = u64;

    fn start(&self) -> (u64, u64) {
        (0, 1)
    }

    fn is_goal(&self, _: &(u64, u64)) -> bool {
        false
    }

    fn moves(&self, _: &(u64, u64), moves: &mut Vec<u64>) {
        if !self.pause.is_zero() {
            std::thread::sleep(self.pause);
        }
        moves.extend(0..self.branches);
    }

    fn apply(&self, state: &(u64, u64), mv: u64) -> (u64, u64) {
        let node = Random::new(state.1 ^ mv << 50).next_u64();
        (state.0 + 1, node)
    }

    fn words(&self) -> usize {
        self.words
    }

    fn pack(&self, state: &(u64, u64), words: &mut [u64]) {
        words.fill(state.1);
        words[0] = state.0;
        words[1] = state.1;
    }

    fn unpack(&self, words: &[u64]) -> (u64, u64) {
        (words[0], words[1])
    }
}
