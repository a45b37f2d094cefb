//! Tabulation: a constraint on few variables that solvers would split into many weak parts becomes
//! one table of its solutions (Akgün, Gent, Jefferson, Miguel and Nightingale 2018).
//!
//! Which constraints are worth it: those that have a function of two or more variables (an element, a
//! product, an absolute difference, …), those on two variables with functions of each (`x % 13 = y %
//! 13 + 1`), and those that the model marks with `makeTable`.
//! Constraints with the same variables, at least one of which is worth it, become one table
//! together. Sums, clauses, `allDiff` and tables that are written as such stay what they are:
//! solvers have better forms for them. Tried and dropped: constraints that mention a variable twice
//! (peg solitaire on 4 by 5 holes took six times as long by SAT), and functions of one variable (car
//! sequencing, whose sums of table lookups became tables with thousands of rows).
//!
//! What it may cost: at most `COMBINATIONS` combinations are tried and a table has at most `ROWS`
//! rows, where a table that most combinations satisfy (it says little, and would be long) is not
//! used. Nor is one on three or more variables with many rows for their values: all 3492 semigroups of
//! four elements, in Essence by SAT, take 2.0 s without such tables (1000 rows for six variables of four
//! values), and with them 1074 were found in 10 s. The same constraint on other variables with the same
//! domains is tried once.

use std::collections::HashMap;

use ployglot_csp::{Domain, VarId};

use super::nodes::{Bool, BoolNode, Int, Nodes};
use super::program::{Program, Shape};

/// A constraint has at most this many variables.
const VARIABLES: usize = 8;
/// The same limit for terms that the model marks.
const MARKED_VARIABLES: usize = 20;
/// At most this many combinations of values are tried.
const COMBINATIONS: u64 = 120_000;
/// At most this many steps of programs are taken for one constraint.
const EFFORT: u64 = 4_000_000;
/// A table has at most this many rows; one on two variables has ten times as many.
const ROWS: usize = 2000;
/// A table on more than two variables has at most this many rows for each value of each variable.
const ROWS_FOR_A_VALUE: usize = 8;

/// The constraints, some of them replaced by tables. They hold permanently.
pub(crate) fn tabulate(nodes: &mut Nodes, conjuncts: Vec<Bool>) -> Vec<Bool> {
    nodes.use_current = true;
    let result = tabulated(nodes, conjuncts);
    nodes.use_current = false;
    result
}

/// The term as a table, if it is not too large for one.
pub(crate) fn make_table(nodes: &mut Nodes, term: Bool) -> Bool {
    if term.known().is_some() {
        return term;
    }
    let scope = nodes.small_scope(term, MARKED_VARIABLES);
    let scope = scope.filter(|scope| scope.len() > 1);
    let table = scope.and_then(|scope| table(nodes, &scope, &[term], true, &mut HashMap::new()));
    table.unwrap_or(term)
}

/// A program on variables with these domains.
type Key = (Program, Vec<Domain>);

fn tabulated(nodes: &mut Nodes, conjuncts: Vec<Bool>) -> Vec<Bool> {
    // The constraints of each scope, in the order of the first of them.
    let mut groups: Vec<(Vec<VarId>, Vec<Bool>)> = Vec::new();
    let mut place_of: HashMap<Vec<VarId>, usize> = HashMap::new();
    let mut kept = Vec::new();
    for conjunct in conjuncts {
        nodes.poll.step();
        let scope = match is_candidate(nodes, conjunct) {
            true => nodes.small_scope(conjunct, VARIABLES),
            false => None,
        };
        let scope = scope.filter(|scope| scope.len() > 1 && combinations(nodes, scope).is_some());
        let Some(scope) = scope else {
            kept.push(conjunct);
            continue;
        };
        let mut sorted = scope.clone();
        sorted.sort_unstable();
        match place_of.get(&sorted) {
            Some(&place) => groups[place].1.push(conjunct),
            None => {
                place_of.insert(sorted, groups.len());
                groups.push((scope, vec![conjunct]));
            }
        }
    }
    let mut known: HashMap<Key, Option<Vec<Vec<i64>>>> = HashMap::new();
    for (scope, group) in groups {
        match table(nodes, &scope, &group, false, &mut known) {
            Some(table) => kept.push(table),
            None => kept.extend(group),
        }
    }
    kept.retain(|&conjunct| conjunct != Bool::TRUE);
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// Whether a constraint may become part of a table.
fn is_candidate(nodes: &Nodes, term: Bool) -> bool {
    match nodes.bool(term) {
        BoolNode::True | BoolNode::Literal(_) | BoolNode::AllDifferent(..) => false,
        BoolNode::Table(..) | BoolNode::Linear { .. } | BoolNode::Iff(..) | BoolNode::And(_) => {
            true
        }
    }
}

/// How many combinations of values the variables have; `None` if they are too many.
fn combinations(nodes: &Nodes, scope: &[VarId]) -> Option<u64> {
    scope
        .iter()
        .try_fold(1u64, |all, &var| all.checked_mul(nodes.domain(var).len()))
        .filter(|&all| all <= COMBINATIONS)
}

/// The constraints of one scope as a table; `None` if that is not worth it.
fn table(
    nodes: &mut Nodes,
    scope: &[VarId],
    group: &[Bool],
    is_marked: bool,
    known: &mut HashMap<Key, Option<Vec<Vec<i64>>>>,
) -> Option<Bool> {
    let together = nodes.and(group.iter().copied());
    if together.known().is_some() {
        return Some(together);
    }
    let (program, shape) = Program::compile(nodes, together, scope)?;
    if !is_marked && !is_worth_it(nodes, scope, group, &shape) {
        return None;
    }
    let all = combinations(nodes, scope)?;
    if all.saturating_mul(program.length() as u64) > EFFORT {
        return None;
    }
    let domains: Vec<Domain> = scope.iter().map(|&var| nodes.domain(var).clone()).collect();
    let key = (program, domains);
    let rows = match known.get(&key) {
        Some(rows) => rows.clone()?,
        None => {
            let rows = rows(nodes, &key, all);
            known.insert(key, rows.clone());
            rows?
        }
    };
    let items: Vec<Int> = scope.iter().map(|&var| nodes.var(var)).collect();
    Some(nodes.table(items, rows))
}

/// Whether solvers would split the constraints into parts that know little of each other.
fn is_worth_it(nodes: &Nodes, scope: &[VarId], group: &[Bool], shape: &Shape) -> bool {
    // One table is already in the form that solvers want.
    if let [one] = group
        && let BoolNode::Table(..) = nodes.bool(*one)
    {
        return false;
    }
    shape.functions > 0 || scope.len() == 2 && shape.renamings > 1
}

/// The solutions, in lexicographic order; `None` if they are too many.
fn rows(nodes: &Nodes, (program, domains): &Key, all: u64) -> Option<Vec<Vec<i64>>> {
    let most = if domains.len() == 2 { 10 * ROWS } else { ROWS };
    let values: Vec<Vec<i64>> = domains
        .iter()
        .map(|domain| domain.values().map(i64::from).collect())
        .collect();
    let mut picks = vec![0; values.len()];
    let mut row: Vec<i64> = values.iter().map(|values| values[0]).collect();
    let (mut rows, mut results) = (Vec::new(), Vec::new());
    loop {
        if program.holds(&row, &nodes.rows, &mut results, &nodes.poll)? {
            rows.push(row.clone());
            if rows.len() > most {
                return None;
            }
        }
        // The next combination: count up, with one digit for each variable.
        let mut at = values.len();
        while at > 0 && picks[at - 1] + 1 == values[at - 1].len() {
            at -= 1;
            picks[at] = 0;
            row[at] = values[at][0];
        }
        if at == 0 {
            break;
        }
        picks[at - 1] += 1;
        row[at - 1] = values[at - 1][picks[at - 1]];
    }
    // A long table that excludes little says little; and where the rows are many for the values, the
    // parts of the constraint share their variables with other constraints, the rows do not.
    let says_little = rows.len() > 200 && rows.len() as u64 * 10 > all * 9;
    let values: usize = values.iter().map(Vec::len).sum();
    let too_long = domains.len() > 2 && rows.len() > ROWS_FOR_A_VALUE * values;
    (!says_little && !too_long).then_some(rows)
}
