//! Strongly connected components of a directed graph (Tarjan 1972), without recursion.

/// The strongly connected components of a graph, given as the list of successors of each node.
/// An edge between two components leads to the one that comes first in the result. The members of
/// a component are in the order in which depth-first search finds them.
pub(crate) fn strong_components(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    let (mut index, mut low) = (vec![NEW; edges.len()], vec![0; edges.len()]);
    let (mut stack, mut on_stack, mut next) = (Vec::new(), vec![false; edges.len()], 0);
    let mut components = Vec::new();
    for root in 0..edges.len() {
        if index[root] != NEW {
            continue;
        }
        // The nodes of the current path, each with the number of its edges that are done.
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some(&mut (node, ref mut edge)) = path.last_mut() {
            if *edge == 0 {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node as u32);
                on_stack[node] = true;
            }
            if let Some(&to) = edges[node].get(*edge) {
                *edge += 1;
                let to = to as usize;
                if index[to] == NEW {
                    path.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let first = stack
                    .iter()
                    .rposition(|&member| member == node as u32)
                    .expect("the root of a component is on the stack");
                let members = stack.split_off(first);
                for &member in &members {
                    on_stack[member as usize] = false;
                }
                components.push(members);
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use ployglot_base::Random;

    use super::*;

    /// For each node the nodes that a path leads to, itself included.
    fn reachable(edges: &[Vec<u32>]) -> Vec<Vec<bool>> {
        let from = |start: usize| {
            let mut seen = vec![false; edges.len()];
            let mut open = vec![start];
            while let Some(node) = open.pop() {
                if !std::mem::replace(&mut seen[node], true) {
                    open.extend(edges[node].iter().map(|&to| to as usize));
                }
            }
            seen
        };
        (0..edges.len()).map(from).collect()
    }

    #[test]
    fn components_are_the_classes_of_mutual_reachability() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let nodes = 1 + random.below(12);
            let mut edges: Vec<Vec<u32>> = vec![Vec::new(); nodes];
            for _ in 0..random.below(2 * nodes) {
                edges[random.below(nodes)].push(random.below(nodes) as u32);
            }
            let reachable = reachable(&edges);
            let components = strong_components(&edges);
            let mut component = vec![usize::MAX; nodes];
            for (id, members) in components.iter().enumerate() {
                for &member in members {
                    assert_eq!(component[member as usize], usize::MAX, "seed {seed}");
                    component[member as usize] = id;
                }
            }
            for from in 0..nodes {
                for to in 0..nodes {
                    let mutual = reachable[from][to] && reachable[to][from];
                    assert_eq!(component[from] == component[to], mutual, "seed {seed}");
                    if reachable[from][to] {
                        assert!(component[to] <= component[from], "seed {seed}");
                    }
                }
            }
        }
    }

    #[test]
    fn edges_lead_to_earlier_components() {
        let edges = [vec![1], vec![2], vec![0, 3], vec![4], vec![3], vec![0]];
        let components = strong_components(&edges);
        assert_eq!(components, [vec![3, 4], vec![0, 1, 2], vec![5]]);
    }
}
