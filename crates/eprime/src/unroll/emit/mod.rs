//! From terms to constraints of the problem. A clause expresses as much of a term as it can: an
//! *and* is distributed over it, and one part that is no literal becomes a constraint under a
//! condition. Only the remaining parts get a variable of their own (Tseitin 1968), which is defined
//! only in the direction that is needed (Plaisted and Greenbaum 1986).
//!
//! An element that is used once, and compared with a constant there, needs no variable: `M[x] = 3`
//! is `x = i → M[i] = 3` for each `i`, and its negation likewise. The other integer terms are in
//! `functions.rs`.

mod functions;

use ployglot_base::Poll;
use ployglot_csp::{Comparison, Constraint, Domain, Literal, Operand, Problem, Quantity, VarId};

use super::nodes::{Bool, BoolNode, Int, IntId, IntNode, Nodes};
use crate::deep::deep;
use crate::tree::Compare;

/// An *and* with more parts is not distributed over a prefix of two or more literals.
const MAX_DISTRIBUTED: usize = 3;

/// Adds terms to a problem. The vectors are indexed by node.
#[derive(Default)]
pub(crate) struct Emitter {
    pub problem: Problem,
    /// The literal of a boolean node's own variable.
    literals: Vec<Option<Literal>>,
    /// Whether that literal implies the node, and whether its negation implies the negation.
    defined: Vec<[bool; 2]>,
    /// The variable with the value of an integer node.
    variables: Vec<Option<VarId>>,
    /// How often a boolean node is a part of others.
    uses: Vec<u32>,
    /// How often an integer node is a part of others; a use that needs its variable counts twice.
    int_uses: Vec<u32>,
    /// Whether the parts of a boolean node are counted.
    seen: Vec<bool>,
    /// Whether the parts of an integer node are counted.
    int_seen: Vec<bool>,
    /// Ends the work at a limit.
    pub poll: Poll,
}

impl Emitter {
    /// Adds a variable to the problem and its domain to the store of terms.
    pub fn variable(&mut self, nodes: &mut Nodes, domain: Domain, name: Option<String>) -> VarId {
        nodes.declared.push(domain.clone());
        nodes.current.push(domain.clone());
        self.problem.add_variable(domain, name)
    }

    /// Adds constraints so that every conjunct holds, or the literal `unless`.
    pub fn emit(&mut self, nodes: &mut Nodes, conjuncts: &[Bool], unless: Option<Literal>) {
        self.count(nodes, conjuncts);
        nodes.use_current = true;
        for &conjunct in conjuncts {
            let mut prefix: Vec<Literal> = unless.into_iter().collect();
            self.post_clause(nodes, &mut prefix, conjunct);
        }
        nodes.use_current = false;
    }

    /// Makes room for nodes that were stored since the last call.
    fn resize(&mut self, nodes: &Nodes) {
        let (bools, ints) = (nodes.bool_count(), nodes.int_count());
        if self.literals.len() < bools {
            self.literals.resize(bools, None);
            self.defined.resize(bools, [false; 2]);
            self.uses.resize(bools, 0);
            self.seen.resize(bools, false);
        }
        if self.variables.len() < ints {
            self.variables.resize(ints, None);
            self.int_uses.resize(ints, 0);
            self.int_seen.resize(ints, false);
        }
    }

    /// Counts the uses of all nodes below these terms.
    fn count(&mut self, nodes: &Nodes, conjuncts: &[Bool]) {
        self.resize(nodes);
        for &conjunct in conjuncts {
            self.count_bool(nodes, conjunct);
        }
    }

    fn count_bool(&mut self, nodes: &Nodes, term: Bool) {
        self.poll.step();
        let place = term.node();
        self.uses[place] += 1;
        if std::mem::replace(&mut self.seen[place], true) {
            return;
        }
        deep(|| self.count_parts(nodes, term));
    }

    fn count_parts(&mut self, nodes: &Nodes, term: Bool) {
        match nodes.bool(term) {
            BoolNode::True | BoolNode::Literal(_) => {}
            BoolNode::And(parts) => parts.iter().for_each(|&part| self.count_bool(nodes, part)),
            BoolNode::Iff(a, b) => [*a, *b]
                .iter()
                .for_each(|&part| self.count_bool(nodes, part)),
            BoolNode::Linear { terms, .. } => {
                let single = terms.len() == 1;
                for &(_, node) in terms {
                    // In a sum of several terms an element needs its variable.
                    self.count_int(nodes, Int::Node(node), if single { 1 } else { 2 });
                }
            }
            BoolNode::AllDifferent(items, _) | BoolNode::Table(items, _) => {
                items
                    .iter()
                    .for_each(|&item| self.count_int(nodes, item, 2));
            }
        }
    }

    fn count_int(&mut self, nodes: &Nodes, int: Int, weight: u32) {
        let Int::Node(id) = int else {
            return;
        };
        self.int_uses[id.index()] += weight;
        if std::mem::replace(&mut self.int_seen[id.index()], true) {
            return;
        }
        deep(|| self.count_int_parts(nodes, id));
    }

    fn count_int_parts(&mut self, nodes: &Nodes, id: IntId) {
        match nodes.int(id) {
            IntNode::Var(_) => {}
            IntNode::FromBool(term) => self.count_bool(nodes, *term),
            IntNode::Sum(terms, _) => terms
                .iter()
                .for_each(|&(_, node)| self.count_int(nodes, Int::Node(node), 2)),
            IntNode::Element { items, indices } => {
                items
                    .iter()
                    .for_each(|&item| self.count_int(nodes, item, 2));
                indices
                    .iter()
                    .for_each(|open| self.count_int(nodes, Int::Node(open.index), 2));
            }
            IntNode::Product(a, b)
            | IntNode::Quotient(a, b)
            | IntNode::Remainder(a, b)
            | IntNode::Power(a, b) => {
                [*a, *b]
                    .iter()
                    .for_each(|&part| self.count_int(nodes, part, 2));
            }
            IntNode::Absolute(of) => self.count_int(nodes, Int::Node(*of), 2),
            IntNode::Minimum(items) | IntNode::Maximum(items) => {
                items
                    .iter()
                    .for_each(|&item| self.count_int(nodes, item, 2));
            }
        }
    }

    /// Posts a clause, without literals that are constant.
    fn clause(&mut self, literals: &[Literal]) {
        self.poll.steps(1 + literals.len());
        let mut clause: Vec<Literal> = Vec::with_capacity(literals.len());
        for &literal in literals {
            match literal.known(self.problem.domain(literal.variable())) {
                Some(true) => return,
                Some(false) => {}
                None if clause.contains(&literal) => {}
                None if clause.contains(&!literal) => return,
                None => clause.push(literal),
            }
        }
        self.problem.post(Constraint::Clause(clause));
    }

    /// A literal that implies the term, if there is one without a new variable for the term.
    fn existing_literal(&mut self, nodes: &mut Nodes, term: Bool) -> Option<Literal> {
        self.resize(nodes);
        let signed = |literal: Literal| if term.negative() { !literal } else { literal };
        match nodes.bool(term) {
            BoolNode::Literal(literal) => return Some(signed(*literal)),
            BoolNode::Linear {
                terms,
                equal,
                bound,
            } => {
                if let [(1, node)] = terms[..]
                    && !self.splits_by_index(nodes, node)
                {
                    let (equal, bound) = (*equal, *bound);
                    return Some(signed(self.comparison_literal(nodes, node, equal, bound)));
                }
            }
            _ => {}
        }
        let place = term.node();
        let defined = self.defined[place][usize::from(term.negative())];
        self.literals[place].filter(|_| defined).map(signed)
    }

    /// `node = bound` or `node ≤ bound` as a literal of the node's variable.
    fn comparison_literal(
        &mut self,
        nodes: &mut Nodes,
        node: IntId,
        equal: bool,
        bound: i64,
    ) -> Literal {
        let var = self.variable_of(nodes, node);
        // The bound is between the least and the greatest value of the node. If these do not fit 32
        // bits, the problem is refused, and any literal will do.
        let Ok(bound) = i32::try_from(bound) else {
            nodes.overflow = true;
            return Literal::Is(var, 0);
        };
        if nodes.overflow {
            return Literal::Is(var, 0);
        }
        match equal {
            true => Literal::Is(var, bound),
            false => Literal::AtMost(var, bound),
        }
    }

    /// Whether a comparison of this node is posted for each index, without a variable: it is an
    /// element that is used once.
    fn splits_by_index(&self, nodes: &Nodes, node: IntId) -> bool {
        matches!(nodes.int(node), IntNode::Element { .. })
            && self.variables[node.index()].is_none()
            && self.int_uses[node.index()] <= 1
    }

    /// A literal that implies the term.
    fn implying_literal(&mut self, nodes: &mut Nodes, term: Bool) -> Literal {
        if let Some(literal) = self.existing_literal(nodes, term) {
            return literal;
        }
        let place = term.node();
        let own = match self.literals[place] {
            Some(literal) => literal,
            None => {
                let literal = self.variable(nodes, Domain::bool(), None).is_true();
                self.literals[place] = Some(literal);
                literal
            }
        };
        let literal = if term.negative() { !own } else { own };
        self.defined[place][usize::from(term.negative())] = true;
        self.expand(nodes, &mut vec![!literal], term);
        literal
    }

    /// A literal that the term implies.
    fn implied_literal(&mut self, nodes: &mut Nodes, term: Bool) -> Literal {
        !self.implying_literal(nodes, !term)
    }

    /// A literal that implies the term and is implied by it.
    fn equivalent_literal(&mut self, nodes: &mut Nodes, term: Bool) -> Literal {
        let literal = self.implying_literal(nodes, term);
        self.implied_literal(nodes, term);
        literal
    }

    /// Posts that a literal of the prefix holds, or the term does.
    fn post_clause(&mut self, nodes: &mut Nodes, prefix: &mut Vec<Literal>, term: Bool) {
        match term.known() {
            Some(true) => return,
            Some(false) => return self.clause(prefix),
            None => {}
        }
        if let Some(literal) = self.existing_literal(nodes, term) {
            prefix.push(literal);
            self.clause(prefix);
            prefix.pop();
            return;
        }
        // A conjunction that other terms use too gets a variable, so that it is posted once.
        if let BoolNode::And(parts) = nodes.bool(term)
            && !term.negative()
            && prefix.len() == 1
            && parts.len() > 2
            && self.uses[term.node()] > 1
        {
            return self.post_by_literal(nodes, prefix, term);
        }
        self.expand(nodes, prefix, term);
    }

    /// `post_clause` for a term without a literal: posts its parts.
    fn expand(&mut self, nodes: &mut Nodes, prefix: &mut Vec<Literal>, term: Bool) {
        deep(|| self.post_parts(nodes, prefix, term));
    }

    fn post_parts(&mut self, nodes: &mut Nodes, prefix: &mut Vec<Literal>, term: Bool) {
        self.resize(nodes);
        let node = nodes.bool(term).clone();
        match node {
            BoolNode::True => {
                if term.negative() {
                    self.clause(prefix);
                }
            }
            BoolNode::Literal(literal) => {
                prefix.push(if term.negative() { !literal } else { literal });
                self.clause(prefix);
                prefix.pop();
            }
            BoolNode::And(parts) if !term.negative() => {
                let shared = self.uses[term.node()] > 1 && !prefix.is_empty();
                if prefix.len() > 1 && (parts.len() > MAX_DISTRIBUTED || shared) {
                    return self.post_by_literal(nodes, prefix, term);
                }
                for &part in &parts {
                    self.post_clause(nodes, prefix, part);
                }
            }
            BoolNode::And(parts) => self.disjunction(nodes, prefix, &parts),
            BoolNode::Iff(a, b) => {
                // A side that is a literal becomes the condition of the other side.
                let (a, b) = match (
                    self.existing_literal(nodes, a),
                    self.existing_literal(nodes, b),
                ) {
                    (None, Some(_)) => (b, a),
                    _ => (a, b),
                };
                let b = if term.negative() { !b } else { b };
                if prefix.len() > 1 {
                    return self.post_by_literal(nodes, prefix, term);
                }
                let condition = self.equivalent_literal(nodes, a);
                prefix.push(!condition);
                self.post_clause(nodes, prefix, b);
                prefix.pop();
                prefix.push(condition);
                self.post_clause(nodes, prefix, !b);
                prefix.pop();
            }
            BoolNode::Linear {
                terms,
                equal,
                bound,
            } => {
                if let [(1, node)] = terms[..] {
                    return self.post_by_index(nodes, prefix, node, equal, bound, term.negative());
                }
                if prefix.len() > 1 {
                    return self.post_by_literal(nodes, prefix, term);
                }
                let comparison = match (equal, term.negative()) {
                    (true, false) => Comparison::Equal,
                    (true, true) => Comparison::NotEqual,
                    (false, false) => Comparison::AtMost,
                    (false, true) => Comparison::AtLeast,
                };
                let bound = match comparison {
                    Comparison::AtLeast => bound + 1,
                    _ => bound,
                };
                self.linear(nodes, prefix, &terms, comparison, bound);
            }
            BoolNode::AllDifferent(items, except) => {
                if term.negative() {
                    let equal = nodes.some_equal(&items, except);
                    self.resize(nodes);
                    return self.post_clause(nodes, prefix, equal);
                }
                if prefix.len() > 1 {
                    return self.post_by_literal(nodes, prefix, term);
                }
                let items = items.iter().map(|&item| self.operand(nodes, item));
                let items = items.collect();
                // No item has an excepted value beyond 32 bits.
                let except = except.and_then(|except| i32::try_from(except).ok());
                self.post_constraint(prefix, Constraint::AllDifferent { items, except });
            }
            BoolNode::Table(items, rows) => {
                if prefix.len() > 1 {
                    return self.post_by_literal(nodes, prefix, term);
                }
                let columns = items.iter().map(|&item| self.operand(nodes, item));
                let columns: Vec<Operand> = columns.collect();
                self.poll.steps(nodes.rows[rows as usize].len());
                let narrow = |row: &Vec<i64>| row.iter().map(|&v| i32::try_from(v).ok()).collect();
                let rows = nodes.rows[rows as usize].iter().filter_map(narrow);
                let rows = rows.collect();
                let constraint = match term.negative() {
                    false => Constraint::Table { columns, rows },
                    true => Constraint::NegativeTable { columns, rows },
                };
                self.post_constraint(prefix, constraint);
            }
        }
    }

    /// `post_clause` with a variable of its own for the term.
    fn post_by_literal(&mut self, nodes: &mut Nodes, prefix: &mut Vec<Literal>, term: Bool) {
        let literal = self.implying_literal(nodes, term);
        prefix.push(literal);
        self.clause(prefix);
        prefix.pop();
    }

    /// Posts that a literal of the prefix holds, or one of the parts does not.
    fn disjunction(&mut self, nodes: &mut Nodes, prefix: &mut Vec<Literal>, parts: &[Bool]) {
        let mark = prefix.len();
        let mut open = Vec::new();
        for &part in parts {
            match self.existing_literal(nodes, !part) {
                Some(literal) => prefix.push(literal),
                None => open.push(!part),
            }
        }
        // One part needs no variable: it is posted in this clause. Choose the largest that is not
        // shared.
        let cost = |emitter: &Self, term: Bool| {
            let own = emitter.uses[term.node()] <= 1;
            let size = match nodes.bool(term) {
                BoolNode::And(parts) if !term.negative() => parts.len(),
                _ => 1,
            };
            (own, size)
        };
        let inlined = open.iter().copied().max_by_key(|&term| cost(self, term));
        let inlined = inlined.filter(|&term| cost(self, term).0 || open.len() == 1);
        for &term in &open {
            if Some(term) != inlined {
                let literal = self.implying_literal(nodes, term);
                prefix.push(literal);
            }
        }
        match inlined {
            Some(term) => self.post_clause(nodes, prefix, term),
            None => self.clause(prefix),
        }
        prefix.truncate(mark);
    }

    /// Posts that a literal of the prefix holds, or the comparison of the node with a constant
    /// does; for an element, one clause for each item that the indices can pick.
    fn post_by_index(
        &mut self,
        nodes: &mut Nodes,
        prefix: &mut Vec<Literal>,
        node: IntId,
        equal: bool,
        bound: i64,
        negative: bool,
    ) {
        let (items, indices) = match nodes.int(node) {
            IntNode::Element { items, indices } if self.splits_by_index(nodes, node) => {
                (items.clone(), indices.clone())
            }
            _ => {
                let literal = self.comparison_literal(nodes, node, equal, bound);
                prefix.push(if negative { !literal } else { literal });
                self.clause(prefix);
                prefix.pop();
                return;
            }
        };
        let mark = prefix.len();
        for (at, &item) in items.iter().enumerate() {
            let compare = if equal {
                Compare::Equal
            } else {
                Compare::AtMost
            };
            let holds = nodes.compare(compare, item, Int::Constant(bound));
            let holds = if negative { !holds } else { holds };
            if holds == Bool::TRUE {
                continue;
            }
            if self.push_index_differs(nodes, prefix, &indices, at) {
                self.resize(nodes);
                self.post_clause(nodes, prefix, holds);
            }
            prefix.truncate(mark);
        }
    }

    /// Posts a linear constraint, under the prefix's literal if there is one.
    fn linear(
        &mut self,
        nodes: &mut Nodes,
        prefix: &[Literal],
        terms: &[(i64, IntId)],
        comparison: Comparison,
        bound: i64,
    ) {
        self.poll.steps(terms.len());
        let mut quantities = Vec::with_capacity(terms.len());
        for &(factor, node) in terms {
            if let IntNode::FromBool(term) = *nodes.int(node) {
                // Where only large values of the item can violate the constraint, a literal that
                // the term implies is enough; where only small ones can, one that implies it.
                let literal = match (comparison, factor > 0) {
                    (Comparison::AtMost, true) | (Comparison::AtLeast, false) => {
                        self.implied_literal(nodes, term)
                    }
                    (Comparison::AtMost, false) | (Comparison::AtLeast, true) => {
                        self.implying_literal(nodes, term)
                    }
                    _ => self.equivalent_literal(nodes, term),
                };
                quantities.push((factor, Quantity::Truth(literal)));
                continue;
            }
            let var = self.variable_of(nodes, node);
            quantities.push((factor, Quantity::Var(var)));
        }
        let constraint = Constraint::Linear {
            terms: quantities,
            comparison,
            bound,
        };
        self.post_constraint(prefix, constraint);
    }

    /// Posts that the constraint holds, or the literal of the prefix, which has at most one.
    fn post_constraint(&mut self, prefix: &[Literal], constraint: Constraint) {
        let when = prefix.first().map(|&literal| !literal);
        self.problem.post_when(when, constraint);
    }
}
