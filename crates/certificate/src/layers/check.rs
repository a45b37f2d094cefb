//! Checks a list by the slow rules.
//!
//! The list may be longer than the memory allows. The nodes are in order, so a table holds a range of
//! them, as many as fit. For each range the whole list is read once more, every node is expanded, and
//! those successors are looked up that belong to the range. Most lists fit in one range.

use std::io::{self, Read};

use ployglot_base::text::amount;
use ployglot_base::{Budget, Progress};
use ployglot_games::Listing;

use super::format::Reader;
use super::{Exclusions, is_subset, split};
use crate::folder::Folder;
use crate::manifest::{Claim, File};
use crate::verify::Trouble;

/// The size of a table if the budget has no limit, in bytes.
const USUAL: u64 = 4 << 30;
/// The least size of a table, so that the work ends.
const LEAST: u64 = 1 << 20;

/// Checks the list, and says in a sentence what was checked.
pub(crate) fn check<G: Listing>(
    level: &G,
    measure: &str,
    claim: Claim,
    (file, nodes, exclusions): (&File, u64, &[String]),
    folder: &dyn Folder,
    budget: &Budget,
) -> Result<String, Trouble> {
    let memory = budget.memory_left().map_or(USUAL, |left| left / 2);
    check_within(
        level,
        measure,
        claim,
        (file, nodes, exclusions),
        folder,
        memory.max(LEAST),
        budget,
    )
}

fn check_within<G: Listing>(
    level: &G,
    measure: &str,
    claim: Claim,
    (file, nodes, exclusions): (&File, u64, &[String]),
    folder: &dyn Folder,
    memory: u64,
    budget: &Budget,
) -> Result<String, Trouble> {
    if !G::lists(measure) {
        return Err(Trouble::Refuted(format!(
            "the cost by '{measure}' is not the cost of a way through the nodes of this game"
        )));
    }
    let rules = Exclusions::new(level, measure, exclusions).map_err(|name| {
        Trouble::NotCheckable(format!(
            "this program has no exclusion '{name}' for this game"
        ))
    })?;
    let mut check = Check {
        level,
        measure,
        below: claim.below(),
        name: &file.name,
        table: Table {
            losses: rules.losses,
            ..Table::default()
        },
        exclusions: rules,
        budget,
        looked_up: 0,
        excluded: 0,
    };
    let open = || {
        let opened = folder.open(&file.name);
        opened.map_err(|error| Trouble::io(&file.name, error))
    };
    let mut from = 0;
    let mut ranges = 0;
    loop {
        let more = check.load(open()?, from, memory)?;
        let count = check.expand(open()?)?;
        if count != nodes {
            return Err(Trouble::Refuted(format!(
                "{}: the manifest says {nodes} nodes, and there are {count}",
                file.name
            )));
        }
        ranges += 1;
        from += check.table.len();
        if !more {
            break;
        }
    }
    let in_ranges = match ranges {
        1 => String::new(),
        _ => format!(" (in {ranges} ranges)"),
    };
    let by = match exclusions {
        [] => String::new(),
        names => format!(" (exclusions: {})", names.join(", ")),
    };
    Ok(format!(
        "{} listed, none is an end; {} looked up{in_ranges}: all are listed but {}, through which no plan \
         below the claim leads{by}",
        amount(nodes, "nodes"),
        amount(check.looked_up, "successors"),
        check.excluded,
    ))
}

struct Check<'a, G: Listing> {
    level: &'a G,
    measure: &'a str,
    /// Costs from here on need no proof.
    below: u32,
    exclusions: Exclusions<'a, G>,
    /// The name of the file, for messages.
    name: &'a str,
    table: Table,
    budget: &'a Budget,
    looked_up: u64,
    excluded: u64,
}

impl<G: Listing> Check<'_, G> {
    /// Fills the table with the nodes from this index on. Returns whether some did not fit.
    fn load(&mut self, file: impl Read, from: u64, memory: u64) -> Result<bool, Trouble> {
        self.table.clear(from);
        let mut reader = Reader::new(file);
        loop {
            self.poll("list", reader.count)?;
            let index = reader.count;
            let Some((cost, node)) = reader.next().map_err(|error| self.trouble(error))? else {
                self.table.end = None;
                return Ok(false);
            };
            if index < from {
                continue;
            }
            // Nodes that differ in their losses only are in the same range.
            if self.table.bytes() + node.len() as u64 > memory && self.table.begins_group(node) {
                self.table.end = Some(node.to_vec());
                return Ok(true);
            }
            self.table.push(cost, node);
        }
    }

    /// Expands all nodes of the list, and returns their number.
    fn expand(&mut self, file: impl Read) -> Result<u64, Trouble> {
        for (root, cost) in self.level.roots(self.measure) {
            self.covers(&root, cost, "the start")?;
        }
        let mut reader = Reader::new(file);
        loop {
            self.poll("replay", reader.count)?;
            let Some((cost, bytes)) = reader.next().map_err(|error| self.trouble(error))? else {
                return Ok(reader.count);
            };
            let number = digits(bytes);
            let Some(node) = self.level.decode(bytes) else {
                return Err(Trouble::Refuted(format!(
                    "{}: a node is none of this level: {number}",
                    self.name
                )));
            };
            if cost >= self.below {
                // It proves nothing and needs no proof.
                continue;
            }
            if self.level.is_end(&node) {
                return Err(Trouble::Refuted(format!(
                    "{}: a node of cost {cost} is an end:\n{}",
                    self.name,
                    self.level.describe(&node)
                )));
            }
            for (next, step) in self.level.successors(self.measure, &node) {
                self.covers(
                    &next,
                    cost.saturating_add(step),
                    "a successor of a listed node",
                )?;
            }
        }
    }

    /// Checks that a node is covered at this cost, if it belongs to the range of the table.
    fn covers(&mut self, node: &G::Node, cost: u32, what: &str) -> Result<(), Trouble> {
        if cost >= self.below {
            return Ok(());
        }
        let mut bytes = Vec::new();
        self.level.encode(node, &mut bytes);
        if !self.table.is_in_range(&bytes) {
            return Ok(());
        }
        self.looked_up += 1;
        if self.table.covers(&bytes, cost) {
            return Ok(());
        }
        if self.level.is_end(node) {
            return Err(Trouble::Refuted(format!(
                "{}: {what} is an end of cost {cost}:\n{}",
                self.name,
                self.level.describe(node)
            )));
        }
        if self.exclusions.exclude(node, cost, self.below) {
            self.excluded += 1;
            return Ok(());
        }
        let fault = match self.table.cost(&bytes) {
            Some(listed) => format!("is listed with cost {listed} and not {cost}"),
            None => format!("of cost {cost} is not listed"),
        };
        Err(Trouble::Refuted(format!(
            "{}: {what} {fault}:\n{}",
            self.name,
            self.level.describe(node)
        )))
    }

    fn poll(&self, phase: &'static str, expanded: u64) -> Result<(), Trouble> {
        let progress = || Progress {
            phase,
            expanded,
            stored: self.table.len(),
            ..Progress::default()
        };
        self.budget.check(progress).map_err(Trouble::Limit)
    }

    fn trouble(&self, error: io::Error) -> Trouble {
        match error.kind() {
            io::ErrorKind::InvalidData => Trouble::Refuted(format!("{}: {error}", self.name)),
            _ => Trouble::io(self.name, error),
        }
    }
}

/// The bytes of a node in hexadecimal digits, for messages.
fn digits(bytes: &[u8]) -> String {
    bytes
        .iter()
        .take(64)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A range of the list, in order.
#[derive(Default)]
struct Table {
    /// All nodes, one after the other.
    nodes: Vec<u8>,
    /// Where each ends.
    ends: Vec<u64>,
    costs: Vec<u32>,
    /// How many bytes at the end of a node are a set of losses.
    losses: usize,
    /// Whether the range begins with the first node of the list.
    first: bool,
    /// The first node after the range; `None`: it has the last node of the list.
    end: Option<Vec<u8>>,
}

impl Table {
    fn clear(&mut self, from: u64) {
        self.nodes.clear();
        self.ends.clear();
        self.costs.clear();
        self.first = from == 0;
        self.end = None;
    }

    fn push(&mut self, cost: u32, node: &[u8]) {
        self.nodes.extend(node);
        self.ends.push(self.nodes.len() as u64);
        self.costs.push(cost);
    }

    fn len(&self) -> u64 {
        self.costs.len() as u64
    }

    fn bytes(&self) -> u64 {
        (self.nodes.len() + 12 * self.costs.len()) as u64
    }

    fn node(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.nodes[start as usize..self.ends[index] as usize]
    }

    fn key<'b>(&self, node: &'b [u8]) -> &'b [u8] {
        split(node, self.losses).0
    }

    /// Whether a node differs from the last one by more than its losses.
    fn begins_group(&self, node: &[u8]) -> bool {
        let last = self.costs.len().checked_sub(1);
        last.is_some_and(|last| self.key(self.node(last)) != self.key(node))
    }

    fn is_in_range(&self, node: &[u8]) -> bool {
        let key = self.key(node);
        let begun = self.first || (!self.costs.is_empty() && key >= self.key(self.node(0)));
        let end = self.end.as_deref();
        begun && end.is_none_or(|end| key < self.key(end))
    }

    /// The index of the first node that is not less than these bytes.
    fn position(&self, bytes: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.costs.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.node(middle) < bytes {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    fn cost(&self, node: &[u8]) -> Option<u32> {
        let at = self.position(node);
        (at < self.costs.len() && self.node(at) == node).then(|| self.costs[at])
    }

    /// Whether a node of at most this cost is listed that is the same, but for fewer losses.
    fn covers(&self, node: &[u8], cost: u32) -> bool {
        if self.losses == 0 {
            return self.cost(node).is_some_and(|listed| listed <= cost);
        }
        let (key, lost) = split(node, self.losses);
        let group = self.position(key)..self.costs.len();
        let group = group.take_while(|&at| self.key(self.node(at)) == key);
        let mut group = group.filter(|&at| self.costs[at] <= cost);
        group.any(|at| is_subset(split(self.node(at), self.losses).1, lost))
    }
}

#[cfg(test)]
mod tests {
    use ployglot_games::{Bombastic, Document, Text};

    use super::*;
    use crate::folder::{Files, Memory};
    use crate::layers::{list, read_list, write_list};

    /// A list that is checked in many ranges is judged as in one.
    #[test]
    fn ranges_change_no_verdict() {
        let document = Document::parse("game: bombastic\n\n@---\n-$--\n--~.\n").expect("a text");
        let level = Bombastic::parse(&document).expect("a level");
        let folder = Memory::default();
        let files = Files::new(&folder);
        let mut out = files.create("nodes.gz").expect("memory");
        // The best plan has 6 steps.
        let (budget, claim) = (Budget::unlimited(), Claim::Cost(6));
        let listed = list(&level, "steps", claim, &mut out, &budget).expect("a small level");
        let file = out.finish().expect("memory");
        assert!(listed.nodes > 12, "{listed:?}");
        let check = |nodes: u64, memory: u64| {
            let part = (&file, nodes, [].as_slice());
            check_within(&level, "steps", claim, part, &folder, memory, &budget)
        };
        let whole = check(listed.nodes, 1 << 20).expect("a good list");
        let parts = check(listed.nodes, 60).expect("a good list");
        let ranges = parts
            .split(" (in ")
            .nth(1)
            .and_then(|rest| rest.split(" ranges").next());
        let ranges: u32 = ranges.expect("several ranges").parse().expect("a number");
        assert!(ranges > 3, "{parts}");
        assert_eq!(parts.replace(&format!(" (in {ranges} ranges)"), ""), whole);
        let nodes = read_list(&folder.get("nodes.gz").expect("it is there")).expect("a good list");
        for left_out in 0..nodes.len() {
            let mut fewer = nodes.clone();
            fewer.remove(left_out);
            folder.put("nodes.gz", write_list(fewer));
            for memory in [60, 1 << 20] {
                let verdict = check(listed.nodes - 1, memory);
                assert!(matches!(verdict, Err(Trouble::Refuted(_))), "{verdict:?}");
            }
        }
    }
}
