//! Variables that are one. Where constraints that hold for good say `x = y`, or that a Boolean variable is true exactly when a
//! literal is (`b <-> x = 3`, `b <-> !c`), one of the two goes: terms are rebuilt without it, so that constraints which
//! differ in nothing else become one, and solutions are read through what it stands for.
//!
//! In a growing problem a variable that rules speak of already stays. It is the other one that goes; and where both have to
//! stay, the constraint that ties them does too. What holds for good holds for all that is added later, so nothing is ever
//! taken apart again.
//!
//! It is worth most in Plotting's `state`, where the first cell of each row and column is as open as its line: 36,699
//! clauses instead of 38,536 for the level `12-four-winds` at horizon 10. In Puzznic and Lunar Lockout it is a clause in a
//! hundred or less, and Plotting's `action` has nothing to merge. `x = y + 1` was left as it is: wherever `x` is an item of
//! an element or a table it would only come back under another name.

use ployglot_csp::{Domain, Literal, Quantity, VarId};

use super::nodes::Nodes;

/// Who goes, and what for.
#[derive(Default)]
pub(crate) struct Links {
    of: Vec<Option<Quantity>>,
    /// Rules speak of these.
    spoken: Vec<bool>,
}

impl Links {
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// What the variable stands for, if not for itself.
    pub fn of(&self, var: VarId) -> Option<Quantity> {
        self.of.get(var.index()).copied().flatten()
    }

    pub fn read(&self, var: VarId) -> Quantity {
        self.of(var).unwrap_or(Quantity::Var(var))
    }

    /// All that went, with what they stand for.
    pub fn all(&self) -> impl Iterator<Item = (VarId, Quantity)> {
        let place =
            |(place, link): (usize, &Option<Quantity>)| Some((VarId(place as u32), (*link)?));
        self.of.iter().enumerate().filter_map(place)
    }

    /// The statement without variables that went. Of one that is 0 or 1 it must not be known already.
    pub fn literal(&self, literal: Literal) -> Literal {
        match self.of(literal.variable()) {
            None => literal,
            Some(Quantity::Var(x)) => literal.about(x),
            Some(Quantity::Truth(truth)) if literal.holds_for(1) => truth,
            Some(Quantity::Truth(truth)) => !truth,
        }
    }

    /// `None`: known.
    fn quantity(&self, quantity: Quantity) -> Option<Quantity> {
        match quantity {
            Quantity::Var(x) => Some(self.read(x)),
            Quantity::Truth(literal) => match self.of(literal.variable()) {
                Some(Quantity::Truth(_)) if literal.holds_for(0) == literal.holds_for(1) => None,
                _ => Some(Quantity::Truth(self.literal(literal))),
            },
        }
    }

    /// A rule speaks of this variable.
    pub fn speak(&mut self, var: VarId) {
        if self.spoken.len() <= var.index() {
            self.spoken.resize(var.index() + 1, false);
        }
        self.spoken[var.index()] = true;
    }

    fn may_go(&self, var: VarId) -> bool {
        !self.spoken.get(var.index()).is_some_and(|&spoken| spoken)
    }

    fn link(&mut self, var: VarId, to: Quantity) {
        if self.of.len() <= var.index() {
            self.of.resize(var.index() + 1, None);
        }
        self.of[var.index()] = Some(to);
    }
}

/// Merges what is equal for good. Whether anything went; `None`: the two have no value in common.
pub(crate) fn merge(nodes: &mut Nodes, equal: &[[Quantity; 2]]) -> Option<bool> {
    let mut merged = false;
    for &[a, b] in equal {
        let (Some(a), Some(b)) = (nodes.links.quantity(a), nodes.links.quantity(b)) else {
            continue;
        };
        merged |= match (a, b) {
            (Quantity::Var(x), Quantity::Var(y)) => same(nodes, x, y)?,
            (Quantity::Truth(a), Quantity::Truth(b)) => alike(nodes, a, b),
            (Quantity::Var(x), Quantity::Truth(b)) | (Quantity::Truth(b), Quantity::Var(x)) => {
                nodes.now[x.index()] == Domain::bool() && alike(nodes, x.is_true(), b)
            }
        };
    }
    // Nobody stands for one who went.
    if merged {
        for place in 0..nodes.links.of.len() {
            let link = nodes.links.of[place];
            nodes.links.of[place] = link.map(|link| nodes.links.quantity(link).unwrap_or(link));
        }
    }
    Some(merged)
}

fn same(nodes: &mut Nodes, x: VarId, y: VarId) -> Option<bool> {
    if x == y {
        return Some(false);
    }
    // The younger goes if it can.
    let (old, young) = (x.min(y), x.max(y));
    let (goes, stays) = match (nodes.links.may_go(young), nodes.links.may_go(old)) {
        (true, _) => (young, old),
        (_, true) => (old, young),
        _ => return Some(false),
    };
    let both = nodes.now[x.index()].intersect(&nodes.now[y.index()]);
    if both.is_empty() {
        return None;
    }
    nodes.now[stays.index()] = both;
    nodes.links.link(goes, Quantity::Var(stays));
    Some(true)
}

/// The two statements are true together; one of them must be all that there is to know of its variable.
fn alike(nodes: &mut Nodes, a: Literal, b: Literal) -> bool {
    if a.variable() == b.variable() {
        return false;
    }
    let whole = |literal: Literal| {
        nodes.now[literal.variable().index()] == Domain::bool()
            && literal.holds_for(0) != literal.holds_for(1)
    };
    let (old, young) = match a.variable() < b.variable() {
        true => (a, b),
        false => (b, a),
    };
    let can = |literal: Literal| whole(literal) && nodes.links.may_go(literal.variable());
    let (goes, stays) = match (can(young), can(old)) {
        (true, _) => (young, old),
        (_, true) => (old, young),
        _ => return false,
    };
    let stays = if goes.holds_for(1) { stays } else { !stays };
    let to = match whole(stays) && stays.holds_for(1) {
        true => Quantity::Var(stays.variable()),
        false => Quantity::Truth(stays),
    };
    nodes.links.link(goes.variable(), to);
    true
}
