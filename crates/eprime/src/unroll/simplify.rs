//! What is known for good: constraints that say something about a single variable shrink its domain, and the others are
//! rebuilt against the shrunken domains, and without variables that are others (`merge.rs`), until nothing changes. (Bounds of sums and pairs of equals take part; that is
//! what unit propagation in a solver would not see.)

use ployglot_csp::{Domain, Literal, Quantity, VarId};

use super::merge::merge;
use super::nodes::{Bool, BoolNode, Int, IntNode, Nodes};

/// Rounds after the first pay less and less.
const ROUNDS: usize = 12;

/// Terms that were rebuilt, by node.
#[derive(Default)]
struct Memo {
    bools: Vec<Option<Bool>>,
    ints: Vec<Option<Int>>,
}

/// What comes of looking at each constraint once.
#[derive(Default)]
struct Round {
    kept: Vec<Bool>,
    /// What is equal for good. It is merged when the round is over, for terms that were rebuilt know nothing of it.
    equal: Vec<[Quantity; 2]>,
    changed: bool,
}

/// Simplifies constraints that hold for good; what they say about single variables goes to `nodes.now`.
/// `None`: they contradict each other.
pub(crate) fn simplify(nodes: &mut Nodes, pieces: Vec<Bool>) -> Option<Vec<Bool>> {
    nodes.sharpen = true;
    let result = rounds(nodes, pieces);
    nodes.sharpen = false;
    result
}

/// The terms under what is known by now.
pub(crate) fn sharpened(nodes: &mut Nodes, pieces: &[Bool]) -> Vec<Bool> {
    nodes.sharpen = true;
    let mut memo = Memo::default();
    let sharper = pieces.iter().map(|&piece| rebuild(nodes, &mut memo, piece));
    let sharper = sharper.collect();
    nodes.sharpen = false;
    sharper
}

/// An integer term under what is known by now.
pub(crate) fn sharpened_int(nodes: &mut Nodes, int: Int) -> Int {
    nodes.sharpen = true;
    let sharper = rebuild_int(nodes, &mut Memo::default(), int);
    nodes.sharpen = false;
    sharper
}

fn rounds(nodes: &mut Nodes, mut pieces: Vec<Bool>) -> Option<Vec<Bool>> {
    for count in 0..ROUNDS {
        let mut memo = Memo::default();
        let mut round = Round::default();
        for piece in pieces {
            // The first round only collects facts; rebuilding before they are known would be for nothing.
            let piece = match count == 0 && nodes.links.is_empty() {
                true => piece,
                false => rebuild(nodes, &mut memo, piece),
            };
            if !take(nodes, piece, &mut round) {
                return None;
            }
        }
        pieces = round.kept;
        let merged = merge(nodes, &round.equal)?;
        if count > 0 && !round.changed && !merged {
            break;
        }
    }
    // What is left must know all that is known.
    let mut memo = Memo::default();
    let mut last = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let piece = rebuild(nodes, &mut memo, piece);
        match piece.known() {
            Some(true) => {}
            Some(false) => return None,
            None => last.push(piece),
        }
    }
    last.sort_unstable();
    last.dedup();
    Some(last)
}

/// Takes a constraint apart: facts shrink domains, the rest is kept. False: a contradiction.
fn take(nodes: &mut Nodes, piece: Bool, round: &mut Round) -> bool {
    let changed = &mut round.changed;
    match piece.known() {
        Some(true) => return true,
        Some(false) => return false,
        None => {}
    }
    match nodes.bool(piece) {
        BoolNode::Literal(literal) => {
            let literal = if piece.negative() {
                !*literal
            } else {
                *literal
            };
            restrict(nodes, literal.variable(), &allowed(literal), changed)
        }
        BoolNode::And(parts) if !piece.negative() => {
            let parts = parts.clone();
            parts.iter().all(|&part| take(nodes, part, round))
        }
        BoolNode::And(parts) => {
            // An or about one variable alone.
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
                let all = literals.iter().map(|&literal| allowed(literal));
                let domain = all.reduce(|a, b| a.union(&b)).expect("not empty");
                return restrict(nodes, var, &domain, changed);
            }
            round.kept.push(piece);
            true
        }
        BoolNode::Iff(a, b) => {
            if let (BoolNode::Literal(a), BoolNode::Literal(b)) = (nodes.bool(*a), nodes.bool(*b)) {
                let b = if piece.negative() { !*b } else { *b };
                let pair = [Quantity::Truth(*a), Quantity::Truth(b)];
                round.equal.push(pair);
            }
            round.kept.push(piece);
            true
        }
        BoolNode::Linear {
            terms,
            equal,
            bound,
        } => {
            let (terms, equal, bound) = (terms.clone(), *equal, *bound);
            round.kept.push(piece);
            if equal && piece.negative() {
                return true;
            }
            if let ([(1, a), (-1, b)], true, 0) = (&terms[..], equal, bound)
                && let (IntNode::Var(x), IntNode::Var(y)) = (nodes.int(*a), nodes.int(*b))
            {
                let pair = [Quantity::Var(*x), Quantity::Var(*y)];
                round.equal.push(pair);
            }
            let at_most = equal || !piece.negative();
            let at_least = equal || piece.negative();
            let least = if equal { bound } else { bound + 1 };
            (!at_most || tighten(nodes, &terms, 1, bound, changed))
                && (!at_least || tighten(nodes, &terms, -1, -least, changed))
        }
        _ => {
            round.kept.push(piece);
            true
        }
    }
}

fn allowed(literal: Literal) -> Domain {
    match literal {
        Literal::Is(_, v) => Domain::constant(v),
        Literal::IsNot(_, v) => Domain::from_ranges([
            (i32::MIN, v.saturating_sub(1)),
            (v.saturating_add(1), i32::MAX),
        ]),
        Literal::AtLeast(_, v) => Domain::range(v, i32::MAX),
        Literal::AtMost(_, v) => Domain::range(i32::MIN, v),
    }
}

fn restrict(nodes: &mut Nodes, var: VarId, domain: &Domain, changed: &mut bool) -> bool {
    let old = &nodes.now[var.index()];
    let new = old.intersect(domain);
    if new.is_empty() {
        return false;
    }
    if new != *old {
        *changed = true;
        nodes.now[var.index()] = new;
    }
    true
}

/// Bounds of variables from `sign · terms ≤ bound`.
fn tighten(
    nodes: &mut Nodes,
    terms: &[(i64, u32)],
    sign: i64,
    bound: i64,
    changed: &mut bool,
) -> bool {
    let least = |nodes: &Nodes, factor: i64, node: u32| {
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
        // factor · x ≤ slack + its own least.
        let room = slack + least(nodes, factor, node);
        let limit = room.div_euclid(i128::from(factor.abs()));
        let limit = limit.clamp(i128::from(i32::MIN) + 1, i128::from(i32::MAX)) as i32;
        let domain = match factor > 0 {
            true => Domain::range(i32::MIN, limit),
            false => Domain::range(-limit, i32::MAX),
        };
        if !restrict(nodes, var, &domain, changed) {
            return false;
        }
    }
    true
}

fn rebuild(nodes: &mut Nodes, memo: &mut Memo, term: Bool) -> Bool {
    if term.known().is_some() {
        return term;
    }
    let place = term.node();
    if let Some(Some(done)) = memo.bools.get(place) {
        return if term.negative() { !*done } else { *done };
    }
    let node = nodes.bool(term).clone();
    let done = match node {
        BoolNode::True => Bool::TRUE,
        BoolNode::Literal(literal) => nodes.literal(literal),
        BoolNode::And(parts) => {
            let mut sharper = Vec::with_capacity(parts.len());
            for &part in &parts {
                let part = rebuild(nodes, memo, part);
                if part == Bool::FALSE {
                    sharper.clear();
                    sharper.push(part);
                    break;
                }
                sharper.push(part);
            }
            nodes.and(sharper)
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
            let mut total = super::arithmetic::Total::default();
            for &(factor, node) in &terms {
                let term = rebuild_int(nodes, memo, Int::Node(node));
                nodes.add(&mut total, factor, term);
            }
            nodes.linear(total.terms, equal, i128::from(bound) - total.constant)
        }
        BoolNode::AllDifferent(items, except) => {
            let items = items.iter().map(|&item| rebuild_int(nodes, memo, item));
            let items = items.collect();
            nodes.all_different(items, except)
        }
        BoolNode::Table(items, rows) => {
            let items = items.iter().map(|&item| rebuild_int(nodes, memo, item));
            let items = items.collect();
            let rows = nodes.rows[rows as usize].clone();
            nodes.table(items, rows)
        }
    };
    if memo.bools.len() <= place {
        memo.bools.resize(place + 1, None);
    }
    memo.bools[place] = Some(done);
    if term.negative() { !done } else { done }
}

fn rebuild_int(nodes: &mut Nodes, memo: &mut Memo, int: Int) -> Int {
    let Int::Node(id) = int else {
        return int;
    };
    if let Some(Some(done)) = memo.ints.get(id as usize) {
        return *done;
    }
    let node = nodes.int(id).clone();
    let done = match node {
        IntNode::Var(var) => nodes.var(var),
        IntNode::Truth(term) => {
            let term = rebuild(nodes, memo, term);
            nodes.truth(term)
        }
        IntNode::Sum(terms, constant) => {
            let mut total = super::arithmetic::Total {
                constant: i128::from(constant),
                ..Default::default()
            };
            for &(factor, node) in &terms {
                let term = rebuild_int(nodes, memo, Int::Node(node));
                nodes.add(&mut total, factor, term);
            }
            nodes.total(total)
        }
        IntNode::Element { items, places } => {
            let mut sharper = Vec::new();
            for place in &places {
                let index = rebuild_int(nodes, memo, Int::Node(place.index));
                sharper.push((index, place.members.to_vec()));
            }
            let items = items.iter().map(|&item| rebuild_int(nodes, memo, item));
            let items = items.collect();
            nodes.element(items, sharper)
        }
        IntNode::Product(a, b) => {
            let (a, b) = (rebuild_int(nodes, memo, a), rebuild_int(nodes, memo, b));
            nodes.product(a, b)
        }
        IntNode::Quotient(a, b) => {
            let (a, b) = (rebuild_int(nodes, memo, a), rebuild_int(nodes, memo, b));
            nodes.quotient(a, b)
        }
        IntNode::Remainder(a, b) => {
            let (a, b) = (rebuild_int(nodes, memo, a), rebuild_int(nodes, memo, b));
            nodes.remainder(a, b)
        }
        IntNode::Power(a, b) => {
            let (a, b) = (rebuild_int(nodes, memo, a), rebuild_int(nodes, memo, b));
            nodes.power(a, b)
        }
        IntNode::Absolute(of) => {
            let of = rebuild_int(nodes, memo, Int::Node(of));
            nodes.absolute(of)
        }
        IntNode::Minimum(items) | IntNode::Maximum(items) => {
            let minimum = matches!(nodes.int(id), IntNode::Minimum(_));
            let items = items.iter().map(|&item| rebuild_int(nodes, memo, item));
            let items = items.collect();
            nodes.extreme(items, minimum)
        }
    };
    let place = id as usize;
    if memo.ints.len() <= place {
        memo.ints.resize(place + 1, None);
    }
    memo.ints[place] = Some(done);
    done
}
