//! Simplification by constraints that hold permanently. A constraint on a single variable shrinks
//! its domain; the others are rebuilt against the shrunken domains and without merged variables
//! (`merge.rs`), until nothing changes. Bounds of sums and equalities of two variables take part:
//! unit propagation in a solver would not find these.

use ployglot_csp::{Domain, Literal, Quantity, VarId};

use super::arithmetic::LinearSum;
use super::merge::merge;
use super::nodes::{Bool, BoolNode, Int, IntId, IntNode, Nodes};
use crate::deep::deep;

/// At most this many rounds: each finds less than the one before.
const ROUNDS: usize = 12;

/// For each node, the term that it was rebuilt to.
#[derive(Default)]
struct Memo {
    bools: Vec<Option<Bool>>,
    ints: Vec<Option<Int>>,
}

/// The result of visiting each constraint once.
#[derive(Default)]
struct Round {
    /// The constraints that are not expressed by domains alone.
    kept: Vec<Bool>,
    /// Pairs that are always equal. They are merged at the end of the round, because the terms
    /// rebuilt in this round still mention both.
    equal: Vec<[Quantity; 2]>,
    /// Whether a domain shrank.
    changed: bool,
}

/// Simplifies constraints that hold permanently; those on single variables become domains in
/// `nodes.current`. `None`: the constraints contradict each other.
pub(crate) fn simplify(nodes: &mut Nodes, conjuncts: Vec<Bool>) -> Option<Vec<Bool>> {
    nodes.use_current = true;
    let result = rounds(nodes, conjuncts);
    nodes.use_current = false;
    result
}

/// The terms, rebuilt against the current domains.
pub(crate) fn simplified(nodes: &mut Nodes, conjuncts: &[Bool]) -> Vec<Bool> {
    nodes.use_current = true;
    let mut memo = Memo::default();
    let simplified = conjuncts
        .iter()
        .map(|&conjunct| rebuild(nodes, &mut memo, conjunct));
    let simplified = simplified.collect();
    nodes.use_current = false;
    simplified
}

/// An integer term, rebuilt against the current domains.
pub(crate) fn simplified_int(nodes: &mut Nodes, int: Int) -> Int {
    nodes.use_current = true;
    let simplified = rebuild_int(nodes, &mut Memo::default(), int);
    nodes.use_current = false;
    simplified
}

fn rounds(nodes: &mut Nodes, mut conjuncts: Vec<Bool>) -> Option<Vec<Bool>> {
    for count in 0..ROUNDS {
        let mut memo = Memo::default();
        let mut round = Round::default();
        for conjunct in conjuncts {
            // The first round only shrinks domains: with the declared ones, rebuilding changes
            // nothing.
            let conjunct = match count == 0 && nodes.representatives.is_empty() {
                true => conjunct,
                false => rebuild(nodes, &mut memo, conjunct),
            };
            if !absorb(nodes, conjunct, &mut round) {
                return None;
            }
        }
        conjuncts = round.kept;
        let merged = match nodes.keep_equal {
            true => false,
            false => merge(nodes, &round.equal)?,
        };
        if count > 0 && !round.changed && !merged {
            break;
        }
    }
    // The remaining constraints are rebuilt against the final domains.
    let mut memo = Memo::default();
    let mut last = Vec::with_capacity(conjuncts.len());
    for conjunct in conjuncts {
        let conjunct = rebuild(nodes, &mut memo, conjunct);
        match conjunct.known() {
            Some(true) => {}
            Some(false) => return None,
            None => last.push(conjunct),
        }
    }
    last.sort_unstable();
    last.dedup();
    Some(last)
}

/// Shrinks domains by what the constraint implies for single variables, and keeps the rest of it.
/// Returns false at a contradiction.
fn absorb(nodes: &mut Nodes, conjunct: Bool, round: &mut Round) -> bool {
    nodes.poll.step();
    let changed = &mut round.changed;
    match conjunct.known() {
        Some(true) => return true,
        Some(false) => return false,
        None => {}
    }
    match nodes.bool(conjunct) {
        BoolNode::Literal(literal) => {
            let literal = if conjunct.negative() {
                !*literal
            } else {
                *literal
            };
            restrict(nodes, literal.variable(), &literal.values(), changed)
        }
        BoolNode::And(parts) if !conjunct.negative() => {
            let parts = parts.clone();
            deep(|| parts.iter().all(|&part| absorb(nodes, part, round)))
        }
        BoolNode::And(parts) => {
            // A disjunction of literals of one variable is a domain.
            let literals = parts.iter().map(|&part| match nodes.bool(part) {
                BoolNode::Literal(literal) if part.negative() => Some(*literal),
                BoolNode::Literal(literal) => Some(!*literal),
                _ => None,
            });
            let literals: Option<Vec<Literal>> = literals.collect();
            if let Some(literals) = literals
                && let Some(first) = literals.first()
                && literals.iter().all(|l| l.variable() == first.variable())
            {
                let var = first.variable();
                let all = literals.iter().map(|&literal| literal.values());
                let domain = all.reduce(|a, b| a.union(&b)).expect("not empty");
                return restrict(nodes, var, &domain, changed);
            }
            round.kept.push(conjunct);
            true
        }
        BoolNode::Iff(a, b) => {
            if let (BoolNode::Literal(a), BoolNode::Literal(b)) = (nodes.bool(*a), nodes.bool(*b)) {
                let b = if conjunct.negative() { !*b } else { *b };
                let pair = [Quantity::Truth(*a), Quantity::Truth(b)];
                round.equal.push(pair);
            }
            round.kept.push(conjunct);
            true
        }
        BoolNode::Linear {
            terms,
            equal,
            bound,
        } => {
            let (terms, equal, bound) = (terms.clone(), *equal, *bound);
            round.kept.push(conjunct);
            if equal && conjunct.negative() {
                return true;
            }
            if let ([(1, a), (-1, b)], true, 0) = (&terms[..], equal, bound)
                && let (IntNode::Var(x), IntNode::Var(y)) = (nodes.int(*a), nodes.int(*b))
            {
                let pair = [Quantity::Var(*x), Quantity::Var(*y)];
                round.equal.push(pair);
            }
            let at_most = equal || !conjunct.negative();
            let at_least = equal || conjunct.negative();
            let least = if equal { bound } else { bound + 1 };
            (!at_most || tighten(nodes, &terms, 1, bound, changed))
                && (!at_least || tighten(nodes, &terms, -1, -least, changed))
        }
        _ => {
            round.kept.push(conjunct);
            true
        }
    }
}

/// Intersects the domain of the variable. Returns false if it would be empty.
fn restrict(nodes: &mut Nodes, var: VarId, domain: &Domain, changed: &mut bool) -> bool {
    let old = &nodes.current[var.index()];
    let new = old.intersect(domain);
    if new.is_empty() {
        return false;
    }
    if new != *old {
        *changed = true;
        nodes.current[var.index()] = new;
    }
    true
}

/// Tightens the bounds of variables by `sign · terms ≤ bound`. Returns false at a
/// contradiction.
fn tighten(
    nodes: &mut Nodes,
    terms: &[(i64, IntId)],
    sign: i64,
    bound: i64,
    changed: &mut bool,
) -> bool {
    let least = |nodes: &Nodes, factor: i64, node: IntId| {
        let (low, high) = nodes.bounds(Int::Node(node));
        i128::from(factor) * i128::from(if factor > 0 { low } else { high })
    };
    let total: i128 = terms
        .iter()
        .map(|&(factor, node)| least(nodes, factor * sign, node))
        .sum();
    let slack = i128::from(bound) - total;
    if slack < 0 {
        return false;
    }
    for &(factor, node) in terms {
        let factor = factor * sign;
        let IntNode::Var(var) = *nodes.int(node) else {
            continue;
        };
        // factor · x ≤ slack + the least value of factor · x.
        let room = slack + least(nodes, factor, node);
        let limit = room.div_euclid(i128::from(factor.abs()));
        let clip = |v: i128| v.clamp(i128::from(i32::MIN), i128::from(i32::MAX)) as i32;
        let domain = match factor > 0 {
            true => Domain::range(i32::MIN, clip(limit)),
            false => Domain::range(clip(-limit), i32::MAX),
        };
        if !restrict(nodes, var, &domain, changed) {
            return false;
        }
    }
    true
}

/// The same term, built again by the constructors.
fn rebuild(nodes: &mut Nodes, memo: &mut Memo, term: Bool) -> Bool {
    if term.known().is_some() {
        return term;
    }
    nodes.poll.step();
    let place = term.node();
    if let Some(Some(done)) = memo.bools.get(place) {
        return if term.negative() { !*done } else { *done };
    }
    let done = deep(|| rebuild_node(nodes, memo, term));
    if memo.bools.len() <= place {
        memo.bools.resize(place + 1, None);
    }
    memo.bools[place] = Some(done);
    if term.negative() { !done } else { done }
}

fn rebuild_node(nodes: &mut Nodes, memo: &mut Memo, term: Bool) -> Bool {
    match nodes.bool(term).clone() {
        BoolNode::True => Bool::TRUE,
        BoolNode::Literal(literal) => nodes.literal(literal),
        BoolNode::And(parts) => {
            let mut simplified = Vec::with_capacity(parts.len());
            for &part in &parts {
                let part = rebuild(nodes, memo, part);
                if part == Bool::FALSE {
                    simplified.clear();
                    simplified.push(part);
                    break;
                }
                simplified.push(part);
            }
            nodes.and(simplified)
        }
        BoolNode::Iff(a, b) => {
            let (a, b) = (rebuild(nodes, memo, a), rebuild(nodes, memo, b));
            nodes.iff(a, b)
        }
        BoolNode::Linear {
            terms,
            equal,
            bound,
        } => {
            let mut total = LinearSum::default();
            for &(factor, node) in &terms {
                let term = rebuild_int(nodes, memo, Int::Node(node));
                nodes.add(&mut total, factor, term);
            }
            nodes.linear(total, equal, bound)
        }
        BoolNode::AllDifferent(items, except) => {
            let items = rebuild_ints(nodes, memo, &items);
            nodes.all_different(items, except)
        }
        BoolNode::Table(items, rows) => {
            let items = rebuild_ints(nodes, memo, &items);
            let rows = nodes.rows[rows as usize].clone();
            nodes.table(items, rows)
        }
    }
}

/// The same integer term, built again by the constructors.
fn rebuild_int(nodes: &mut Nodes, memo: &mut Memo, int: Int) -> Int {
    let Int::Node(id) = int else {
        return int;
    };
    nodes.poll.step();
    if let Some(Some(done)) = memo.ints.get(id.index()) {
        return *done;
    }
    let done = deep(|| rebuild_int_node(nodes, memo, id));
    let place = id.index();
    if memo.ints.len() <= place {
        memo.ints.resize(place + 1, None);
    }
    memo.ints[place] = Some(done);
    done
}

fn rebuild_int_node(nodes: &mut Nodes, memo: &mut Memo, id: IntId) -> Int {
    let node = nodes.int(id).clone();
    match node {
        IntNode::Var(var) => nodes.var(var),
        IntNode::FromBool(term) => {
            let term = rebuild(nodes, memo, term);
            nodes.int_from_bool(term)
        }
        IntNode::Sum(terms, constant) => {
            let mut total = LinearSum::from_constant(constant);
            for &(factor, node) in &terms {
                let term = rebuild_int(nodes, memo, Int::Node(node));
                nodes.add(&mut total, factor, term);
            }
            nodes.total(total)
        }
        IntNode::Element { items, indices } => {
            let mut rebuilt = Vec::new();
            for open in &indices {
                let index = rebuild_int(nodes, memo, Int::Node(open.index));
                rebuilt.push((index, open.members.to_vec()));
            }
            let items = rebuild_ints(nodes, memo, &items);
            nodes.element(items, rebuilt)
        }
        IntNode::Product(a, b)
        | IntNode::Quotient(a, b)
        | IntNode::Remainder(a, b)
        | IntNode::Power(a, b) => {
            let (a, b) = (rebuild_int(nodes, memo, a), rebuild_int(nodes, memo, b));
            match node {
                IntNode::Product(..) => nodes.product(a, b),
                IntNode::Quotient(..) => nodes.quotient(a, b),
                IntNode::Remainder(..) => nodes.remainder(a, b),
                _ => nodes.power(a, b),
            }
        }
        IntNode::Absolute(of) => {
            let of = rebuild_int(nodes, memo, Int::Node(of));
            nodes.absolute(of)
        }
        IntNode::Minimum(ref items) | IntNode::Maximum(ref items) => {
            let items = rebuild_ints(nodes, memo, items);
            nodes.min_or_max(items, matches!(node, IntNode::Minimum(_)))
        }
    }
}

fn rebuild_ints(nodes: &mut Nodes, memo: &mut Memo, items: &[Int]) -> Vec<Int> {
    let items = items.iter().map(|&item| rebuild_int(nodes, memo, item));
    items.collect()
}
