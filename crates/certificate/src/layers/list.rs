//! Makes the list: all nodes that are cheaper than the claim, by the slow rules, cheapest first.
//!
//! A list that is closed without any exclusion needs the least trust, so it is tried first, up to
//! [`PLAIN`] nodes; then the exclusions of the game are used.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use ployglot_base::{Budget, Limit, Progress};
use ployglot_games::{Listing, NodeBound};

use super::format::Writer;
use super::{bounds, excluded};
use crate::manifest::Claim;

/// The most nodes of a list without exclusions, where the game has some.
const PLAIN: usize = 100_000;

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
pub fn list<G: Listing>(
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
        false => PLAIN,
    };
    let plain = closure(level, measure, claim, &[], most, budget)?;
    let (costs, exclusions) = match plain {
        Some(costs) => (costs, Vec::new()),
        None => {
            let bounds = bounds(level, measure, &all).expect("the game has its own exclusions");
            let costs = closure(level, measure, claim, &bounds, usize::MAX, budget)?;
            (costs.expect("there is no most"), all)
        }
    };
    let mut nodes: Vec<(Box<[u8]>, u32)> = costs.into_iter().collect();
    nodes.sort_unstable();
    let mut writer = Writer::new(out);
    for (index, (node, cost)) in nodes.iter().enumerate() {
        check(budget, index, *cost).map_err(|limit| CannotList::Limit(limit, nodes.len()))?;
        writer.push(*cost, node).map_err(CannotList::Io)?;
    }
    let flushed = writer.finish().and_then(|mut out| out.flush());
    flushed.map_err(CannotList::Io)?;
    Ok(Listed {
        nodes: nodes.len() as u64,
        exclusions,
    })
}

type Costs = HashMap<Box<[u8]>, u32>;

/// The nodes and their least costs; `None` if there are more than `most`.
fn closure<G: Listing>(
    level: &G,
    measure: &str,
    claim: Claim,
    bounds: &[NodeBound<G>],
    most: usize,
    budget: &Budget,
) -> Result<Option<Costs>, CannotList> {
    let below = claim.below();
    let mut costs = Costs::new();
    // The nodes of each cost that are still to be expanded.
    let mut open: BTreeMap<u32, Vec<Box<[u8]>>> = BTreeMap::new();
    let mut bytes = Vec::new();
    let mut found = level.roots(measure);
    let (mut expanded, mut here) = (0, 0);
    loop {
        for (node, cost) in found.drain(..) {
            let cost = here + cost;
            if cost >= below {
                continue;
            }
            if level.is_end(&node) {
                return Err(CannotList::Cheaper(cost));
            }
            bytes.clear();
            level.encode(&node, &mut bytes);
            let known = costs.get(bytes.as_slice());
            if known.is_some_and(|&known| known <= cost)
                || excluded::<G>(bounds, &node, cost, below)
            {
                continue;
            }
            costs.insert(bytes.as_slice().into(), cost);
            open.entry(cost).or_default().push(bytes.as_slice().into());
        }
        if costs.len() > most {
            return Ok(None);
        }
        check(budget, expanded, here).map_err(|limit| CannotList::Limit(limit, costs.len()))?;
        let Some(mut cheapest) = open.first_entry() else {
            return Ok(Some(costs));
        };
        here = *cheapest.key();
        let Some(node) = cheapest.get_mut().pop() else {
            cheapest.remove();
            continue;
        };
        // A node that was reached for less since then is expanded at that cost.
        if costs.get(&node) == Some(&here) {
            expanded += 1;
            let node = level.decode(&node).expect("it was encoded");
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
