//! Which operators may share a step, and in which order they are then taken: ∃-step plans (Dimopoulos, Nebel and Koehler 1997; Rintanen,
//! Heljanko and Niemelä 2006).
//!
//! In a step all preconditions hold at its start, all conditions are looked at there, and all changes agree. It is enough that there is
//! one order in which nobody spoils a later one: makes false what its precondition needs, or changes what a condition of its effects
//! reads at all. Spoiling is a graph over operators and literals; along its strong components, those that are spoilt first, nobody
//! spoils a later one. Inside a component we fix an order, and forbid with chains of clauses, one for each literal, that somebody
//! spoils a later one. Facts that are read through derived facts count as read.

use ployglot_csp::sat::{Clauses, Lit};
use rustc_hash::FxHashSet;

use super::effects::Prepared;
use super::gates::{Edge, Gate, Gates, YES};
use crate::task::Task;

/// The order in a step, and what is forbidden there.
pub(super) struct Order {
    /// For each operator its place.
    pub rank: Vec<u32>,
    chains: Vec<Vec<Link>>,
}

/// An operator in the chain of a literal.
struct Link {
    operator: u32,
    spoils: bool,
    needs: bool,
}

impl Order {
    pub fn new(task: &Task, prepared: &Prepared) -> Order {
        let count = task.operators.len();
        let literals = 2 * task.facts.len();
        let mut needs: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); count];
        let mut spoils: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); count];
        for (needs, &precondition) in needs.iter_mut().zip(&prepared.preconditions) {
            read(&prepared.gates, precondition, needs);
        }
        for consequence in &prepared.consequences {
            let mut reads = FxHashSet::default();
            if consequence.condition != YES {
                read(&prepared.gates, consequence.condition, &mut reads);
                read(&prepared.gates, !consequence.condition, &mut reads);
            }
            for &operator in &consequence.operators {
                needs[operator as usize].extend(&reads);
                // What becomes true spoils that it is false.
                let spoilt = consequence
                    .changes
                    .iter()
                    .map(|&(fact, now)| 2 * fact.0 + u32::from(now));
                spoils[operator as usize].extend(spoilt);
            }
        }
        // Operators first, then literals.
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); count + literals];
        for operator in 0..count {
            edges[operator] = spoils[operator]
                .iter()
                .map(|&literal| count as u32 + literal)
                .collect();
            edges[operator].sort_unstable();
            for &literal in &needs[operator] {
                edges[count + literal as usize].push(operator as u32);
            }
        }
        let component = components(&edges);
        let mut ordered: Vec<u32> = (0..count as u32).collect();
        ordered.sort_by_key(|&operator| (component[operator as usize], operator));
        let mut rank = vec![0; count];
        for (place, &operator) in ordered.iter().enumerate() {
            rank[operator as usize] = place as u32;
        }
        let mut chains: Vec<Vec<Link>> = (0..literals).map(|_| Vec::new()).collect();
        for &operator in &ordered {
            let at = operator as usize;
            for &literal in needs[at].union(&spoils[at]) {
                if component[count + literal as usize] == component[at] {
                    chains[literal as usize].push(Link {
                        operator,
                        spoils: spoils[at].contains(&literal),
                        needs: needs[at].contains(&literal),
                    });
                }
            }
        }
        chains.retain(|chain| chain.len() > 1);
        Order { rank, chains }
    }

    /// Forbids, among the operators that have a literal in this step, that one spoils a later one.
    pub fn forbid(&self, taken: &[Option<Lit>], out: &mut impl Clauses) {
        for chain in &self.chains {
            // Implied by whoever has spoilt the literal so far, as far as anyone asked.
            let mut spoilt: Option<Lit> = None;
            let mut fresh: Vec<Lit> = Vec::new();
            for link in chain {
                let Some(taken) = taken[link.operator as usize] else {
                    continue;
                };
                if link.needs {
                    if !fresh.is_empty() {
                        spoilt = Some(match (spoilt, &fresh[..]) {
                            (None, [one]) => *one,
                            _ => {
                                let next = out.fresh();
                                fresh
                                    .iter()
                                    .chain(&spoilt)
                                    .for_each(|&one| out.clause(&[!one, next]));
                                next
                            }
                        });
                        fresh.clear();
                    }
                    if let Some(spoilt) = spoilt {
                        out.clause(&[!spoilt, !taken]);
                    }
                }
                if link.spoils {
                    fresh.push(taken);
                }
            }
        }
    }
}

/// The literals (`2 * fact` that it holds, `2 * fact + 1` that it does not) that the edge needs: as long as none of them turns false,
/// the edge does not.
fn read(gates: &Gates, edge: Edge, found: &mut FxHashSet<u32>) {
    let mut seen = FxHashSet::default();
    let mut open = vec![edge];
    while let Some(edge) = open.pop() {
        if !seen.insert(edge) {
            continue;
        }
        let side = |inner: Edge| if edge.is_negative() { !inner } else { inner };
        match gates.gate(edge.gate()) {
            Gate::True => {}
            Gate::Fact(fact) => {
                found.insert(2 * fact.0 + u32::from(edge.is_negative()));
            }
            Gate::Derived(derived) => open.push(side(gates.bodies[derived])),
            Gate::And(parts) => open.extend(parts.iter().map(|&part| side(part))),
        }
    }
}

/// The strong component of each node (Tarjan), counted so that edges lead to lower numbers, or stay.
fn components(edges: &[Vec<u32>]) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let (mut index, mut low) = (vec![NEW; edges.len()], vec![0; edges.len()]);
    let mut component = vec![NEW; edges.len()];
    let (mut stack, mut next, mut found) = (Vec::new(), 0, 0);
    for root in 0..edges.len() {
        if index[root] != NEW {
            continue;
        }
        let mut calls: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some(&mut (at, ref mut edge)) = calls.last_mut() {
            if *edge == 0 {
                index[at] = next;
                low[at] = next;
                next += 1;
                stack.push(at);
            }
            if let Some(&to) = edges[at].get(*edge) {
                *edge += 1;
                let to = to as usize;
                if index[to] == NEW {
                    calls.push((to, 0));
                } else if component[to] == NEW {
                    low[at] = low[at].min(index[to]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(above, _)) = calls.last() {
                low[above] = low[above].min(low[at]);
            }
            if low[at] == index[at] {
                while let Some(member) = stack.pop() {
                    component[member] = found;
                    if member == at {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_to_lower_components() {
        let edges = vec![vec![1], vec![2], vec![0, 3], vec![4], vec![3], vec![0]];
        let component = components(&edges);
        assert_eq!(component, [1, 1, 1, 0, 0, 2]);
    }
}
