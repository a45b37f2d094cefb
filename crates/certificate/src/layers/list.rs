//! Makes the list: all nodes that are cheaper than the claim, by the slow rules, cheapest first.
//!
//! A list that is closed without any exclusion needs the least trust, so it is tried first, up to
//! [`PLAIN`] nodes; then the exclusions of the game are used.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io::{self, Write};

use ployglot_base::{Budget, Limit, Progress};
use ployglot_games::Listing;

use super::Exclusions;
use super::arena::{Arena, NodeId};
use super::format::Writer;
use crate::manifest::Claim;

/// The most nodes of a list without exclusions, where the game has some.
const PLAIN: usize = 100_000;
/// How many nodes are sorted at once; between two such runs the budget is asked.
const RUN: usize = 1 << 16;

/// What was listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// How many nodes.
    pub nodes: u64,
    /// The names of the exclusions that were used.
    pub exclusions: Vec<String>,
}

/// Why there is no list.
#[derive(Debug)]
pub enum CannotList {
    /// A plan by this measure is not a way through the nodes.
    Measure,
    /// The claim is wrong: an end was found at this cost.
    Cheaper(u32),
    /// A limit was hit after this many nodes were found.
    Limit(Limit, usize),
    /// The file cannot be written.
    Io(io::Error),
}

/// Lists the nodes of a level, and writes the file.
#[inline(never)]
pub fn list<G: Listing>(
    level: &G,
    measure: &str,
    claim: Claim,
    out: &mut dyn Write,
    budget: &Budget,
) -> Result<Listed, CannotList> {
    list_up_to(PLAIN, level, measure, claim, out, budget)
}

/// The same, with this many nodes of a list without exclusions.
fn list_up_to<G: Listing>(
    plain: usize,
    level: &G,
    measure: &str,
    claim: Claim,
    out: impl Write,
    budget: &Budget,
) -> Result<Listed, CannotList> {
    if !G::lists(measure) {
        return Err(CannotList::Measure);
    }
    let all: Vec<String> = G::EXCLUSIONS.iter().map(|it| it.name.to_string()).collect();
    let most = match all.is_empty() {
        true => usize::MAX,
        false => plain,
    };
    let plain = closure(level, measure, claim, &Exclusions::none(), most, budget)?;
    let (arena, exclusions) = match plain {
        Some(arena) => (arena, Vec::new()),
        None => {
            let exclusions = Exclusions::new(level, measure, &all);
            let exclusions = exclusions.expect("the game has its own exclusions");
            let arena = closure(level, measure, claim, &exclusions, usize::MAX, budget)?;
            (arena.expect("there is no most"), all)
        }
    };
    let mut writer = Writer::new(out);
    write_sorted(&arena, &mut writer, budget)?;
    let flushed = writer.finish().and_then(|mut out| out.flush());
    flushed.map_err(CannotList::Io)?;
    Ok(Listed {
        nodes: arena.len() as u64,
        exclusions,
    })
}

/// Writes the nodes in ascending order: runs of them are sorted and then merged.
fn write_sorted<W: Write>(
    arena: &Arena,
    writer: &mut Writer<W>,
    budget: &Budget,
) -> Result<(), CannotList> {
    let poll = |sorted| {
        let checked = check(budget, sorted, 0);
        checked.map_err(|limit| CannotList::Limit(limit, arena.len()))
    };
    let ids: Vec<NodeId> = arena.ids().collect();
    let mut runs = Vec::new();
    for run in ids.chunks(RUN) {
        poll(runs.len() * RUN)?;
        let mut run = run.to_vec();
        run.sort_unstable_by_key(|&id| arena.node(id));
        runs.push(run.into_iter());
    }
    let mut least = BinaryHeap::new();
    let next = |runs: &mut Vec<std::vec::IntoIter<NodeId>>, run: usize| {
        let id = runs[run].next()?;
        Some(Reverse((arena.node(id), id, run)))
    };
    for run in 0..runs.len() {
        least.extend(next(&mut runs, run));
    }
    let mut written = 0;
    while let Some(Reverse((node, id, run))) = least.pop() {
        poll(written)?;
        writer.push(arena.cost(id), node).map_err(CannotList::Io)?;
        written += 1;
        least.extend(next(&mut runs, run));
    }
    Ok(())
}

/// The nodes and their least costs; `None` if there are more than `most`.
fn closure<G: Listing>(
    level: &G,
    measure: &str,
    claim: Claim,
    exclusions: &Exclusions<G>,
    most: usize,
    budget: &Budget,
) -> Result<Option<Arena>, CannotList> {
    let below = claim.below();
    let mut arena = Arena::new(exclusions.losses);
    // The nodes of each cost that are still to be expanded.
    let mut open: BTreeMap<u32, Vec<NodeId>> = BTreeMap::new();
    let mut bytes = Vec::new();
    let mut found = level.roots(measure);
    let (mut expanded, mut here) = (0, 0);
    loop {
        for (node, cost) in found.drain(..) {
            let cost = here + cost;
            if cost >= below {
                continue;
            }
            bytes.clear();
            level.encode(&node, &mut bytes);
            // No listed node is an end, so neither is one that is covered.
            if arena.covers(&bytes, cost) {
                continue;
            }
            if level.is_end(&node) {
                return Err(CannotList::Cheaper(cost));
            }
            if !exclusions.exclude(&node, cost, below) {
                let id = arena.insert(&bytes, cost);
                open.entry(cost).or_default().push(id);
            }
        }
        if arena.len() > most {
            return Ok(None);
        }
        check(budget, expanded, here).map_err(|limit| CannotList::Limit(limit, arena.len()))?;
        let Some(mut cheapest) = open.first_entry() else {
            return Ok(Some(arena));
        };
        here = *cheapest.key();
        let Some(id) = cheapest.get_mut().pop() else {
            cheapest.remove();
            continue;
        };
        // A node that was reached for less since then is expanded at that cost, and one that is
        // covered by another not at all.
        if arena.cost(id) == here {
            expanded += 1;
            let node = level.decode(arena.node(id)).expect("it was encoded");
            found = level.successors(measure, &node);
        }
    }
}

fn check(budget: &Budget, expanded: usize, depth: u32) -> Result<(), Limit> {
    budget.check(|| Progress {
        phase: "list",
        depth,
        expanded: expanded as u64,
        ..Progress::default()
    })
}

#[cfg(test)]
mod tests {
    use ployglot_games::{Game, GameVisitor, Random, Spec, visit_games};

    use super::*;
    use crate::folder::{Files, Memory};
    use crate::layers::{check, read_list, write_list};
    use crate::manifest::File;
    use crate::verify::Trouble;

    struct Excluding;

    impl GameVisitor for Excluding {
        fn visit<G: Game>(&mut self) {
            const SIZES: [(usize, usize); 4] = [(2, 3), (3, 4), (4, 3), (3, 5)];
            let mut measures = G::MEASURES.iter().map(|measure| measure.name);
            let measure = measures.find(|name| G::lists(name));
            let measure = measure.expect("a measure");
            let (mut verified, mut left_out) = (0, 0);
            for seed in 0..60 {
                let (rows, cols) = SIZES[seed as usize % SIZES.len()];
                let size = Spec::size(rows, cols);
                if let Ok(level) = G::generate(&size, &mut Random::new(seed)) {
                    let done = list_and_check(&level, measure);
                    verified += usize::from(done.is_some());
                    left_out += done.unwrap_or(0);
                }
            }
            assert!(verified >= 10, "{}: {verified}", G::NAME);
            assert!(left_out >= 5, "{}: {left_out}", G::NAME);
        }
    }

    /// Lists a level by its exclusions, and checks the list as it is, for a higher cost, and without
    /// each of its first nodes. Returns how many nodes were left out; `None` if there is nothing to
    /// list or too much.
    fn list_and_check<G: Game>(level: &G, measure: &str) -> Option<usize> {
        const MOST: usize = 3000;
        let budget = Budget::unlimited();
        let none = Exclusions::none();
        let claim = match closure(level, measure, Claim::Unsolvable, &none, MOST, &budget) {
            Ok(Some(_)) => Claim::Unsolvable,
            Err(CannotList::Cheaper(cost)) if cost > 0 => Claim::Cost(cost),
            _ => return None,
        };
        let folder = Memory::default();
        let files = Files::new(&folder);
        let mut out = files.create("nodes.gz").expect("memory");
        let listed = list_up_to(0, level, measure, claim, &mut out, &budget).expect("a list");
        let file: File = out.finish().expect("memory");
        let verdict = |claim: Claim, nodes: u64| {
            let part = (&file, nodes, listed.exclusions.as_slice());
            check(level, measure, claim, part, &folder, &budget)
        };
        let start = || level.describe(&level.roots(measure)[0].0);
        if let Err(trouble) = verdict(claim, listed.nodes) {
            panic!("{}: {trouble:?}\n{}", G::NAME, start());
        }
        if let Claim::Cost(cost) = claim {
            let higher = verdict(Claim::Cost(cost + 1), listed.nodes);
            assert!(
                matches!(higher, Err(Trouble::Refuted(_))),
                "{}\n{}",
                G::NAME,
                start()
            );
        }
        let nodes = read_list(&folder.get("nodes.gz").expect("it is there")).expect("a list");
        let few = nodes.len().min(20);
        for left_out in 0..few {
            let mut fewer = nodes.clone();
            fewer.remove(left_out);
            folder.put("nodes.gz", write_list(fewer));
            let fewer = verdict(claim, listed.nodes - 1);
            assert!(
                matches!(fewer, Err(Trouble::Refuted(_))),
                "{}\n{}",
                G::NAME,
                start()
            );
        }
        Some(few)
    }

    /// Small levels are listed without exclusions, so the tests of whole certificates do not use any.
    #[test]
    fn lists_by_exclusions_are_closed_and_need_every_node() {
        visit_games(&mut Excluding);
    }
}
