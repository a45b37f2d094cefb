//! Posted terms as Essence Prime, for people and for other tools. Terms are unrolled, so that there
//! are no quantifiers; a boolean term that occurs more than once gets a variable of its own.
//!
//! Out of range, the element of a matrix has no value in Essence Prime, and the smallest boolean
//! expression around it is false. In the store its value does not matter there: front ends add the
//! condition that it is in range. Both give the same solutions, as long as no such term gets a variable
//! of its own outside of a boolean expression; so only boolean terms do.

use std::collections::HashMap;
use std::fmt::Write;

use ployglot_csp::{Goal, Literal, VarId};

use super::nodes::{Bool, BoolNode, Int, IntNode};
use super::terms::Terms;
use crate::deep::deep;

impl Terms {
    /// What was posted, as an Essence Prime model.
    pub fn eprime(&self) -> String {
        let mut printer = Printer {
            terms: self,
            names: Vec::new(),
            uses: HashMap::new(),
            defined: HashMap::new(),
            definitions: Vec::new(),
        };
        printer.name_variables();
        for &conjunct in &self.built.conjuncts {
            printer.count(conjunct);
        }
        let mut constraints: Vec<String> = Vec::new();
        let mut conjuncts = self.built.conjuncts.clone();
        conjuncts.sort_unstable();
        conjuncts.dedup();
        for conjunct in conjuncts {
            constraints.push(printer.part(conjunct, true));
        }
        let objective = self.built.objective.map(|(goal, value)| {
            let word = match goal {
                Goal::Minimise => "minimising",
                Goal::Maximise => "maximising",
            };
            format!("{word} {}\n", printer.int(value))
        });
        printer.model(&constraints, objective)
    }
}

struct Printer<'t> {
    terms: &'t Terms,
    /// For each variable its name in the text.
    names: Vec<String>,
    /// How often a boolean node is a part of others.
    uses: HashMap<usize, u32>,
    /// The names of boolean nodes with a variable of their own.
    defined: HashMap<usize, String>,
    definitions: Vec<(String, String)>,
}

impl Printer<'_> {
    fn model(&self, constraints: &[String], objective: Option<String>) -> String {
        let mut text = "language ESSENCE' 1.0\n".to_string();
        for (name, variable) in self
            .names
            .iter()
            .zip(&self.terms.unroller.problem().variables)
        {
            let ranges = variable.domain.ranges().iter();
            let ranges: Vec<String> = ranges.map(|(a, b)| format!("{a}..{b}")).collect();
            let ranges = ranges.join(", ");
            let meaning = match &variable.name {
                Some(meaning) if meaning != name => format!(" $ {meaning}"),
                _ => String::new(),
            };
            writeln!(text, "find {name} : int({ranges}){meaning}").expect("a string takes all");
        }
        for (name, _) in &self.definitions {
            writeln!(text, "find {name} : bool").expect("a string takes all");
        }
        text.push_str(&objective.unwrap_or_default());
        text.push_str("such that\n");
        let definitions = self.definitions.iter();
        let definitions = definitions.map(|(name, meaning)| format!("{name} <-> {meaning}"));
        let lines: Vec<String> = definitions.chain(constraints.iter().cloned()).collect();
        match lines.is_empty() {
            true => text.push_str("true\n"),
            false => {
                text.push_str(&lines.join(",\n"));
                text.push('\n');
            }
        }
        text
    }

    /// Names that Essence Prime accepts: letters, digits and underscores, each once.
    fn name_variables(&mut self) {
        let mut known: HashMap<String, u32> = HashMap::new();
        for variable in &self.terms.unroller.problem().variables {
            let shown = variable.name.as_deref().unwrap_or("x");
            let mut name = String::new();
            for c in shown.chars() {
                match c.is_ascii_alphanumeric() {
                    true => name.push(c),
                    false if c == '-' => name.push_str("_m"),
                    false if !name.ends_with('_') => name.push('_'),
                    false => {}
                }
            }
            let name = name.trim_end_matches('_').to_string();
            let times = known.entry(name.clone()).or_default();
            *times += 1;
            let name = match *times {
                1 => name,
                times => format!("{name}__{times}"),
            };
            self.names.push(name);
        }
    }

    fn count(&mut self, term: Bool) {
        self.terms.unroller.nodes.poll.step();
        let uses = self.uses.entry(term.node()).or_default();
        *uses += 1;
        if *uses > 1 {
            return;
        }
        deep(|| match self.terms.unroller.nodes.bool(term) {
            BoolNode::And(parts) => parts.iter().for_each(|&part| self.count(part)),
            BoolNode::Iff(a, b) => [*a, *b].iter().for_each(|&part| self.count(part)),
            BoolNode::Linear { terms, .. } => {
                let nodes: Vec<Int> = terms.iter().map(|&(_, node)| Int::Node(node)).collect();
                nodes.into_iter().for_each(|node| self.count_int(node));
            }
            BoolNode::AllDifferent(items, _) | BoolNode::Table(items, _) => {
                items.iter().for_each(|&item| self.count_int(item));
            }
            BoolNode::True | BoolNode::Literal(_) => {}
        });
    }

    fn count_int(&mut self, int: Int) {
        let Int::Node(node) = int else { return };
        deep(|| match self.terms.unroller.nodes.int(node) {
            IntNode::Var(_) => {}
            IntNode::FromBool(term) => self.count(*term),
            IntNode::Sum(terms, _) => {
                terms
                    .iter()
                    .for_each(|&(_, node)| self.count_int(Int::Node(node)));
            }
            IntNode::Element { items, indices } => {
                items.iter().for_each(|&item| self.count_int(item));
                indices
                    .iter()
                    .for_each(|open| self.count_int(Int::Node(open.index)));
            }
            IntNode::Product(a, b)
            | IntNode::Quotient(a, b)
            | IntNode::Remainder(a, b)
            | IntNode::Power(a, b) => [*a, *b].iter().for_each(|&part| self.count_int(part)),
            IntNode::Absolute(of) => self.count_int(Int::Node(*of)),
            IntNode::Minimum(items) | IntNode::Maximum(items) => {
                items.iter().for_each(|&item| self.count_int(item));
            }
        });
    }

    /// A term, or the variable that stands for it.
    fn part(&mut self, term: Bool, outermost: bool) -> String {
        self.terms.unroller.nodes.poll.step();
        if let Some(known) = term.known() {
            return known.to_string();
        }
        let place = term.node();
        let is_short = matches!(self.terms.unroller.nodes.bool(term), BoolNode::Literal(_));
        let shared = !is_short && !outermost && self.uses.get(&place).is_some_and(|&uses| uses > 1);
        if !shared {
            return deep(|| self.bool(term));
        }
        let name = match self.defined.get(&place) {
            Some(name) => name.clone(),
            None => {
                let positive = if term.negative() { !term } else { term };
                let meaning = deep(|| self.bool(positive));
                let name = format!("aux__{}", self.definitions.len() + 1);
                self.definitions.push((name.clone(), meaning));
                self.defined.insert(place, name.clone());
                name
            }
        };
        match term.negative() {
            true => format!("!{name}"),
            false => name,
        }
    }

    fn bool(&mut self, term: Bool) -> String {
        let negative = term.negative();
        let node = self.terms.unroller.nodes.bool(term).clone();
        let text = match node {
            BoolNode::True => return (!negative).to_string(),
            BoolNode::Literal(literal) => {
                let literal = if negative { !literal } else { literal };
                return format!("({})", self.literal(literal));
            }
            BoolNode::And(parts) => {
                let (sign, between) = match negative {
                    true => (true, " \\/ "),
                    false => (false, " /\\ "),
                };
                let parts = parts.iter().map(|&part| {
                    let part = if sign { !part } else { part };
                    self.part(part, false)
                });
                let parts: Vec<String> = parts.collect();
                return format!("({})", parts.join(between));
            }
            BoolNode::Iff(a, b) => format!("({} <-> {})", self.part(a, false), self.part(b, false)),
            BoolNode::Linear {
                terms,
                equal,
                bound,
            } => {
                let sum: Vec<String> = terms
                    .iter()
                    .map(|&(factor, node)| self.scaled(factor, Int::Node(node)))
                    .collect();
                let sign = if equal { "=" } else { "<=" };
                format!("({} {sign} {bound})", sum.join(" + "))
            }
            BoolNode::AllDifferent(items, except) => {
                let items = self.list(&items);
                match except {
                    None => format!("allDiff({items})"),
                    Some(except) => format!("alldifferent_except({items}, {except})"),
                }
            }
            BoolNode::Table(items, rows) => {
                let items = self.list(&items);
                let rows = self.terms.unroller.nodes.rows[rows as usize].iter();
                let row = |row: &Vec<i64>| {
                    let numbers: Vec<String> = row.iter().map(i64::to_string).collect();
                    format!("[{}]", numbers.join(", "))
                };
                let rows: Vec<String> = rows.map(row).collect();
                format!("table({items}, [{}])", rows.join(", "))
            }
        };
        match negative {
            true => format!("!{text}"),
            false => text,
        }
    }

    fn literal(&self, literal: Literal) -> String {
        let name = |var: VarId| &self.names[var.index()];
        match literal {
            Literal::Is(var, value) => format!("{} = {value}", name(var)),
            Literal::IsNot(var, value) => format!("{} != {value}", name(var)),
            Literal::AtLeast(var, value) => format!("{} >= {value}", name(var)),
            Literal::AtMost(var, value) => format!("{} <= {value}", name(var)),
        }
    }

    fn scaled(&mut self, factor: i64, int: Int) -> String {
        let text = self.int(int);
        match factor {
            1 => text,
            -1 => format!("-{text}"),
            factor => format!("{factor} * {text}"),
        }
    }

    fn list(&mut self, items: &[Int]) -> String {
        let items: Vec<String> = items.iter().map(|&item| self.int(item)).collect();
        format!("[{}]", items.join(", "))
    }

    fn int(&mut self, int: Int) -> String {
        let node = match int {
            Int::Constant(number) if number < 0 => return format!("({number})"),
            Int::Constant(number) => return number.to_string(),
            Int::Node(node) => self.terms.unroller.nodes.int(node).clone(),
        };
        deep(|| match node {
            IntNode::Var(var) => self.names[var.index()].clone(),
            IntNode::FromBool(term) => format!("toInt({})", self.part(term, false)),
            IntNode::Sum(terms, constant) => {
                let mut parts: Vec<String> = terms
                    .iter()
                    .map(|&(factor, node)| self.scaled(factor, Int::Node(node)))
                    .collect();
                if constant != 0 {
                    parts.push(self.int(Int::Constant(constant)));
                }
                format!("({})", parts.join(" + "))
            }
            IntNode::Element { items, indices } => self.element(&items, &indices),
            IntNode::Product(a, b) => format!("({} * {})", self.int(a), self.int(b)),
            IntNode::Quotient(a, b) => format!("({} / {})", self.int(a), self.int(b)),
            IntNode::Remainder(a, b) => format!("({} % {})", self.int(a), self.int(b)),
            IntNode::Power(a, b) => format!("({} ** {})", self.int(a), self.int(b)),
            IntNode::Absolute(of) => format!("|{}|", self.int(Int::Node(of))),
            IntNode::Minimum(items) => format!("min({})", self.list(&items)),
            IntNode::Maximum(items) => format!("max({})", self.list(&items)),
        })
    }

    /// The literal of a matrix, with its indices.
    fn element(&mut self, items: &[Int], indices: &[super::nodes::OpenIndex]) -> String {
        let Some((first, rest)) = indices.split_first() else {
            return items
                .first()
                .map_or("0".to_string(), |&item| self.int(item));
        };
        // The domain of an index is in increasing order.
        let length = first.members.len();
        let mut order: Vec<usize> = (0..length).collect();
        order.sort_by_key(|&at| first.members[at]);
        let members: Vec<String> = order
            .iter()
            .map(|&at| first.members[at].to_string())
            .collect();
        let width = items.len() / length.max(1);
        let rows = order.iter().map(|&at| {
            let row = &items[at * width..(at + 1) * width];
            match rest.is_empty() {
                true => self.int(row[0]),
                false => self.element(row, rest),
            }
        });
        let rows: Vec<String> = rows.collect();
        let index = self.int(Int::Node(first.index));
        format!(
            "[{}; int({})][{index}]",
            rows.join(", "),
            members.join(", ")
        )
    }
}
