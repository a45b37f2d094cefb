//! From terms to rules. A clause takes in as much of the term as it can: *ands* are dealt out over it, one part that is no
//! literal becomes a rule under a condition, and only what is left gets a variable of its own (Tseitin 1968), defined only
//! in the direction that somebody needs (Plaisted and Greenbaum 1986).
//!
//! An element that is asked about only once, and only about one number, needs no variable: `M[x] = 3` is `x = i → M[i] = 3`
//! for each `i`, and so is its opposite. Other integer terms are in `functions.rs`.

mod functions;

use ployglot_csp::{Comparison, Constraint, Domain, Literal, Operand, Problem, Quantity, VarId};

use super::nodes::{Bool, BoolNode, Int, IntNode, Nodes};
use crate::tree::Compare;

/// *Ands* longer than this are not dealt out over clauses that are longer than two.
const DEAL: usize = 3;

#[derive(Default)]
pub(crate) struct Emitter {
    pub problem: Problem,
    /// The variable of a term, and in which directions it is defined.
    literals: Vec<Option<Literal>>,
    defined: Vec<[bool; 2]>,
    operands: Vec<Option<Operand>>,
    /// How often a term is a part of others.
    uses: Vec<u32>,
    int_uses: Vec<u32>,
    seen: Vec<bool>,
    int_seen: Vec<bool>,
}

impl Emitter {
    /// Adds a variable to the problem and to the terms' knowledge of it.
    pub fn variable(&mut self, nodes: &mut Nodes, domain: Domain, name: Option<String>) -> VarId {
        nodes.declared.push(domain.clone());
        nodes.now.push(domain.clone());
        self.problem.add_variable(domain, name)
    }

    /// Adds rules so that at least one of the literals and pieces holds.
    pub fn emit(&mut self, nodes: &mut Nodes, pieces: &[Bool], unless: Option<Literal>) {
        self.count(nodes, pieces);
        nodes.sharpen = true;
        for &piece in pieces {
            let mut prefix: Vec<Literal> = unless.into_iter().collect();
            self.post(nodes, &mut prefix, piece);
        }
        nodes.sharpen = false;
    }

    fn grow(&mut self, nodes: &Nodes) {
        let (bools, ints) = (nodes.bool_count(), nodes.int_count());
        if self.literals.len() < bools {
            self.literals.resize(bools, None);
            self.defined.resize(bools, [false; 2]);
            self.uses.resize(bools, 0);
            self.seen.resize(bools, false);
        }
        if self.operands.len() < ints {
            self.operands.resize(ints, None);
            self.int_uses.resize(ints, 0);
            self.int_seen.resize(ints, false);
        }
    }

    fn count(&mut self, nodes: &Nodes, pieces: &[Bool]) {
        self.grow(nodes);
        for &piece in pieces {
            self.count_bool(nodes, piece);
        }
    }

    fn count_bool(&mut self, nodes: &Nodes, term: Bool) {
        let place = term.node();
        self.uses[place] += 1;
        if std::mem::replace(&mut self.seen[place], true) {
            return;
        }
        match nodes.bool(term) {
            BoolNode::True | BoolNode::Literal(_) => {}
            BoolNode::And(parts) => parts.iter().for_each(|&part| self.count_bool(nodes, part)),
            BoolNode::Iff(a, b) => [*a, *b]
                .iter()
                .for_each(|&part| self.count_bool(nodes, part)),
            BoolNode::Linear { terms, .. } => {
                let single = terms.len() == 1;
                for &(_, node) in terms {
                    // Inside a longer sum an element needs its variable.
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
        self.int_uses[id as usize] += weight;
        if std::mem::replace(&mut self.int_seen[id as usize], true) {
            return;
        }
        match nodes.int(id) {
            IntNode::Var(_) => {}
            IntNode::Truth(term) => self.count_bool(nodes, *term),
            IntNode::Sum(terms, _) => terms
                .iter()
                .for_each(|&(_, node)| self.count_int(nodes, Int::Node(node), 2)),
            IntNode::Element { items, places } => {
                items
                    .iter()
                    .for_each(|&item| self.count_int(nodes, item, 2));
                places
                    .iter()
                    .for_each(|place| self.count_int(nodes, Int::Node(place.index), 2));
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

    fn clause(&mut self, literals: &[Literal]) {
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

    /// A literal that the term already is, with the direction that is needed.
    fn ready(&mut self, nodes: &mut Nodes, term: Bool) -> Option<Literal> {
        self.grow(nodes);
        let signed = |literal: Literal| if term.negative() { !literal } else { literal };
        match nodes.bool(term) {
            BoolNode::Literal(literal) => return Some(signed(*literal)),
            BoolNode::Linear {
                terms,
                equal,
                bound,
            } => {
                if let [(1, node)] = terms[..]
                    && !self.is_case(nodes, node)
                {
                    let (equal, bound) = (*equal, *bound);
                    return self.about(nodes, node, equal, bound).map(signed);
                }
            }
            _ => {}
        }
        let place = term.node();
        let defined = self.defined[place][usize::from(term.negative())];
        self.literals[place].filter(|_| defined).map(signed)
    }

    /// `node = bound` or `node ≤ bound` as a literal of the node's variable.
    fn about(&mut self, nodes: &mut Nodes, node: u32, equal: bool, bound: i64) -> Option<Literal> {
        let operand = self.operand(nodes, Int::Node(node));
        let Operand::Var(var) = operand else {
            return None;
        };
        let bound = bound.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        let literal = match equal {
            true => Literal::Is(var, bound),
            false => Literal::AtMost(var, bound),
        };
        Some(literal)
    }

    /// Whether a question about this term is better asked case by case.
    fn is_case(&self, nodes: &Nodes, node: u32) -> bool {
        let place = node as usize;
        matches!(nodes.int(node), IntNode::Element { .. })
            && self.operands[place].is_none()
            && self.int_uses[place] <= 1
    }

    /// A literal that implies the term.
    fn literal(&mut self, nodes: &mut Nodes, term: Bool) -> Literal {
        if let Some(literal) = self.ready(nodes, term) {
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
    fn implied(&mut self, nodes: &mut Nodes, term: Bool) -> Literal {
        !self.literal(nodes, !term)
    }

    fn exact(&mut self, nodes: &mut Nodes, term: Bool) -> Literal {
        let literal = self.literal(nodes, term);
        self.implied(nodes, term);
        literal
    }

    /// The clause holds, or the term does.
    fn post(&mut self, nodes: &mut Nodes, prefix: &mut Vec<Literal>, term: Bool) {
        match term.known() {
            Some(true) => return,
            Some(false) => return self.clause(prefix),
            None => {}
        }
        if let Some(literal) = self.ready(nodes, term) {
            prefix.push(literal);
            self.clause(prefix);
            prefix.pop();
            return;
        }
        // What others use too is said once.
        if let BoolNode::And(parts) = nodes.bool(term)
            && !term.negative()
            && prefix.len() == 1
            && parts.len() > 2
            && self.uses[term.node()] > 1
        {
            return self.by_literal(nodes, prefix, term);
        }
        self.expand(nodes, prefix, term);
    }

    fn expand(&mut self, nodes: &mut Nodes, prefix: &mut Vec<Literal>, term: Bool) {
        self.grow(nodes);
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
                if prefix.len() > 1 && (parts.len() > DEAL || shared) {
                    return self.by_literal(nodes, prefix, term);
                }
                for &part in &parts {
                    self.post(nodes, prefix, part);
                }
            }
            BoolNode::And(parts) => self.disjunction(nodes, prefix, &parts),
            BoolNode::Iff(a, b) => {
                // The side that is a literal is the condition of the other.
                let (a, b) = match (self.ready(nodes, a), self.ready(nodes, b)) {
                    (None, Some(_)) => (b, a),
                    _ => (a, b),
                };
                let b = if term.negative() { !b } else { b };
                if prefix.len() > 1 {
                    return self.by_literal(nodes, prefix, term);
                }
                let condition = self.exact(nodes, a);
                prefix.push(!condition);
                self.post(nodes, prefix, b);
                prefix.pop();
                prefix.push(condition);
                self.post(nodes, prefix, !b);
                prefix.pop();
            }
            BoolNode::Linear {
                terms,
                equal,
                bound,
            } => {
                if let [(1, node)] = terms[..] {
                    return self.cases(nodes, prefix, node, equal, bound, term.negative());
                }
                if prefix.len() > 1 {
                    return self.by_literal(nodes, prefix, term);
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
                    self.grow(nodes);
                    return self.post(nodes, prefix, equal);
                }
                if prefix.len() > 1 {
                    return self.by_literal(nodes, prefix, term);
                }
                let items = items.iter().map(|&item| self.operand(nodes, item));
                let items = items.collect();
                let except = except
                    .map(|except| except.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32);
                self.rule(prefix, Constraint::AllDifferent { items, except });
            }
            BoolNode::Table(items, rows) => {
                if prefix.len() > 1 {
                    return self.by_literal(nodes, prefix, term);
                }
                let columns = items.iter().map(|&item| self.operand(nodes, item));
                let columns: Vec<Operand> = columns.collect();
                let narrow = |row: &Vec<i64>| row.iter().map(|&v| i32::try_from(v).ok()).collect();
                let rows = nodes.rows[rows as usize].iter().filter_map(narrow);
                let rows = rows.collect();
                let constraint = match term.negative() {
                    false => Constraint::Table { columns, rows },
                    true => Constraint::NegativeTable { columns, rows },
                };
                self.rule(prefix, constraint);
            }
        }
    }

    /// Gives the term a variable of its own.
    fn by_literal(&mut self, nodes: &mut Nodes, prefix: &mut Vec<Literal>, term: Bool) {
        let literal = self.literal(nodes, term);
        prefix.push(literal);
        self.clause(prefix);
        prefix.pop();
    }

    /// The clause holds, or one of the parts does not.
    fn disjunction(&mut self, nodes: &mut Nodes, prefix: &mut Vec<Literal>, parts: &[Bool]) {
        let mark = prefix.len();
        let mut open = Vec::new();
        for &part in parts {
            match self.ready(nodes, !part) {
                Some(literal) => prefix.push(literal),
                None => open.push(!part),
            }
        }
        // One part may stay as it is; the one that would cost most, and is not shared.
        let cost = |emitter: &Self, term: Bool| {
            let own = emitter.uses[term.node()] <= 1;
            let size = match nodes.bool(term) {
                BoolNode::And(parts) if !term.negative() => parts.len(),
                _ => 1,
            };
            (own, size)
        };
        let host = open.iter().copied().max_by_key(|&term| cost(self, term));
        let host = host.filter(|&term| cost(self, term).0 || open.len() == 1);
        for &term in &open {
            if Some(term) != host {
                let literal = self.literal(nodes, term);
                prefix.push(literal);
            }
        }
        match host {
            Some(term) => self.post(nodes, prefix, term),
            None => self.clause(prefix),
        }
        prefix.truncate(mark);
    }

    /// A question about an element, asked for each place that the indices can pick.
    fn cases(
        &mut self,
        nodes: &mut Nodes,
        prefix: &mut Vec<Literal>,
        node: u32,
        equal: bool,
        bound: i64,
        negative: bool,
    ) {
        let (items, places) = match nodes.int(node) {
            IntNode::Element { items, places } if self.is_case(nodes, node) => {
                (items.clone(), places.clone())
            }
            _ => {
                if let Some(literal) = self.about(nodes, node, equal, bound) {
                    prefix.push(if negative { !literal } else { literal });
                    self.clause(prefix);
                    prefix.pop();
                } else {
                    // Its variable turned out to be a number.
                    let Operand::Number(number) = self.operand(nodes, Int::Node(node)) else {
                        unreachable!("a variable has literals")
                    };
                    let number = i64::from(number);
                    let holds = if equal {
                        number == bound
                    } else {
                        number <= bound
                    };
                    if holds == negative {
                        self.clause(prefix);
                    }
                }
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
            let holds = nodes.compare(compare, item, Int::Known(bound));
            let holds = if negative { !holds } else { holds };
            if holds == Bool::TRUE {
                continue;
            }
            if self.elsewhere(nodes, prefix, &places, at) {
                self.grow(nodes);
                self.post(nodes, prefix, holds);
            }
            prefix.truncate(mark);
        }
    }

    fn linear(
        &mut self,
        nodes: &mut Nodes,
        prefix: &[Literal],
        terms: &[(i64, u32)],
        comparison: Comparison,
        mut bound: i64,
    ) {
        let mut quantities = Vec::with_capacity(terms.len());
        for &(factor, node) in terms {
            if let IntNode::Truth(term) = *nodes.int(node) {
                // A truth that can only hurt may be claimed, one that can only help must be had.
                let literal = match (comparison, factor > 0) {
                    (Comparison::AtMost, true) | (Comparison::AtLeast, false) => {
                        self.implied(nodes, term)
                    }
                    (Comparison::AtMost, false) | (Comparison::AtLeast, true) => {
                        self.literal(nodes, term)
                    }
                    _ => self.exact(nodes, term),
                };
                quantities.push((factor, Quantity::Truth(literal)));
                continue;
            }
            match self.operand(nodes, Int::Node(node)) {
                Operand::Number(number) => bound -= factor * i64::from(number),
                Operand::Var(var) => quantities.push((factor, Quantity::Var(var))),
            }
        }
        let constraint = Constraint::Linear {
            terms: quantities,
            comparison,
            bound,
        };
        self.rule(prefix, constraint);
    }

    /// The rule holds, or the one literal of the prefix does.
    fn rule(&mut self, prefix: &[Literal], constraint: Constraint) {
        let when = prefix.first().map(|&literal| !literal);
        self.problem.post_when(when, constraint);
    }
}
