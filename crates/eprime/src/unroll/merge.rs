//! Merging of variables that are always equal. Where constraints that hold permanently state
//! `x = y`, or that a Boolean variable is true exactly when a literal is (`b <-> x = 3`,
//! `b <-> !c`), one of the two is replaced by the other, its representative: terms are rebuilt
//! without it, so that constraints that differ in nothing else become one, and solutions read its
//! value from the representative.
//!
//! In a growing problem a variable that a posted constraint mentions cannot be replaced; then the
//! other one is. Where both are mentioned, both stay, and so does the constraint between them. A
//! permanent constraint holds for everything that is added later, so no merge is ever undone.
//!
//! Merging saves most in Plotting's `state`, where the first cell of each row and column is open
//! exactly when its line is: 36,699 clauses instead of 38,536 for the level `12-four-winds` at
//! horizon 10. In Puzznic and Lunar Lockout it saves one clause in a hundred or less, and
//! Plotting's `action` has nothing to merge. `x = y + 1` is not merged: wherever `x` is an item of
//! an element or a table, a new variable for `y + 1` would take its place.

use ployglot_csp::{Domain, Literal, Quantity, VarId};

use super::nodes::Nodes;

/// For each variable that was merged into another, its representative.
#[derive(Default)]
pub(crate) struct Representatives {
    of: Vec<Option<Quantity>>,
    /// Whether a posted constraint mentions the variable.
    mentioned: Vec<bool>,
}

impl Representatives {
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The representative of a merged variable. It is never a merged variable itself.
    pub fn of(&self, var: VarId) -> Option<Quantity> {
        self.of.get(var.index()).copied().flatten()
    }

    /// The representative of a merged variable, otherwise the variable itself.
    pub fn resolve(&self, var: VarId) -> Quantity {
        self.of(var).unwrap_or(Quantity::Var(var))
    }

    /// All merged variables with their representatives.
    pub fn all(&self) -> impl Iterator<Item = (VarId, Quantity)> {
        let pair = |(place, to): (usize, &Option<Quantity>)| Some((VarId(place as u32), (*to)?));
        self.of.iter().enumerate().filter_map(pair)
    }

    /// The literal on the representative of its variable. If that is a literal, the given one must
    /// distinguish 0 from 1.
    pub fn literal(&self, literal: Literal) -> Literal {
        match self.of(literal.variable()) {
            None => literal,
            Some(Quantity::Var(x)) => literal.about(x),
            Some(Quantity::Truth(truth)) if literal.holds_for(1) => truth,
            Some(Quantity::Truth(truth)) => !truth,
        }
    }

    /// The quantity on the representative of its variable; `None` if it is a constant.
    fn resolve_quantity(&self, quantity: Quantity) -> Option<Quantity> {
        match quantity {
            Quantity::Var(x) => Some(self.resolve(x)),
            Quantity::Truth(literal) => match self.of(literal.variable()) {
                Some(Quantity::Truth(_)) if literal.holds_for(0) == literal.holds_for(1) => None,
                _ => Some(Quantity::Truth(self.literal(literal))),
            },
        }
    }

    /// Notes that a posted constraint mentions the variable.
    pub fn mention(&mut self, var: VarId) {
        if self.mentioned.len() <= var.index() {
            self.mentioned.resize(var.index() + 1, false);
        }
        self.mentioned[var.index()] = true;
    }

    /// Whether no posted constraint mentions the variable.
    fn can_be_replaced(&self, var: VarId) -> bool {
        !self
            .mentioned
            .get(var.index())
            .is_some_and(|&mentioned| mentioned)
    }

    fn set(&mut self, var: VarId, to: Quantity) {
        if self.of.len() <= var.index() {
            self.of.resize(var.index() + 1, None);
        }
        self.of[var.index()] = Some(to);
    }
}

/// Merges pairs that are always equal. Returns whether a variable was replaced; `None` if a pair
/// has no value in common.
pub(crate) fn merge(nodes: &mut Nodes, equal: &[[Quantity; 2]]) -> Option<bool> {
    let mut merged = false;
    for &[a, b] in equal {
        nodes.poll.step();
        let (Some(a), Some(b)) = (
            nodes.representatives.resolve_quantity(a),
            nodes.representatives.resolve_quantity(b),
        ) else {
            continue;
        };
        merged |= match (a, b) {
            (Quantity::Var(x), Quantity::Var(y)) => merge_variables(nodes, x, y)?,
            (Quantity::Truth(a), Quantity::Truth(b)) => merge_literals(nodes, a, b),
            (Quantity::Var(x), Quantity::Truth(b)) | (Quantity::Truth(b), Quantity::Var(x)) => {
                nodes.current[x.index()] == Domain::bool() && merge_literals(nodes, x.is_true(), b)
            }
        };
    }
    // A merged variable is never a representative.
    if merged {
        let representatives = &mut nodes.representatives;
        for place in 0..representatives.of.len() {
            let to = representatives.of[place];
            let resolved = to.map(|to| representatives.resolve_quantity(to).unwrap_or(to));
            representatives.of[place] = resolved;
        }
    }
    Some(merged)
}

/// Merges two variables that are always equal, if one of them can be replaced.
fn merge_variables(nodes: &mut Nodes, x: VarId, y: VarId) -> Option<bool> {
    if x == y {
        return Some(false);
    }
    // The newer one is replaced if it can be.
    let (older, newer) = (x.min(y), x.max(y));
    let (replaced, kept) = match (
        nodes.representatives.can_be_replaced(newer),
        nodes.representatives.can_be_replaced(older),
    ) {
        (true, _) => (newer, older),
        (_, true) => (older, newer),
        _ => return Some(false),
    };
    let both = nodes.current[x.index()].intersect(&nodes.current[y.index()]);
    if both.is_empty() {
        return None;
    }
    nodes.current[kept.index()] = both;
    nodes.representatives.set(replaced, Quantity::Var(kept));
    Some(true)
}

/// Merges two literals that are always equal, if one of them determines its variable, which can be
/// replaced.
fn merge_literals(nodes: &mut Nodes, a: Literal, b: Literal) -> bool {
    if a.variable() == b.variable() {
        return false;
    }
    let determines = |literal: Literal| {
        nodes.current[literal.variable().index()] == Domain::bool()
            && literal.holds_for(0) != literal.holds_for(1)
    };
    let (older, newer) = match a.variable() < b.variable() {
        true => (a, b),
        false => (b, a),
    };
    let can_be_replaced = |literal: Literal| {
        determines(literal) && nodes.representatives.can_be_replaced(literal.variable())
    };
    let (replaced, kept) = match (can_be_replaced(newer), can_be_replaced(older)) {
        (true, _) => (newer, older),
        (_, true) => (older, newer),
        _ => return false,
    };
    let kept = if replaced.holds_for(1) { kept } else { !kept };
    let to = match determines(kept) && kept.holds_for(1) {
        true => Quantity::Var(kept.variable()),
        false => Quantity::Truth(kept),
    };
    nodes.representatives.set(replaced.variable(), to);
    true
}
