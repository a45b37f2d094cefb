//! Ground formulas as one shared circuit. A formula is never multiplied out: what is the same is one node, wherever it stands.

use rustc_hash::FxHashMap;

use crate::lifted::{Arithmetic, Comparison};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);
/// A fact that actions change: a bit of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FactId(pub u32);
/// A fact that follows from others by axioms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DerivedId(pub u32);
/// A number that actions change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NumberId(pub u32);

pub const FALSE: NodeId = NodeId(0);
pub const TRUE: NodeId = NodeId(1);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    False,
    True,
    Fact(FactId),
    Derived(DerivedId),
    Not(NodeId),
    /// Two or more, sorted, none twice.
    And(Box<[NodeId]>),
    Or(Box<[NodeId]>),
    /// At most this many of the nodes hold.
    AtMost(u32, Box<[NodeId]>),
    Compare(Comparison, Box<Number>, Box<Number>),
    /// There is a binding: see `Choice`. An index into the circuit's choices.
    Choice(u32),
}

/// A numeric expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// The bits of a float.
    Constant(u64),
    Variable(NumberId),
    Binary(Arithmetic, Box<Number>, Box<Number>),
}

impl Number {
    pub fn constant(value: f64) -> Self {
        // Two zeros would be two numbers.
        Number::Constant(if value == 0.0 { 0.0f64 } else { value }.to_bits())
    }

    /// NaN where undefined.
    pub fn value(&self, numbers: &[f64]) -> f64 {
        match self {
            Number::Constant(bits) => f64::from_bits(*bits),
            Number::Variable(id) => numbers[id.0 as usize],
            Number::Binary(how, left, right) => {
                calculate(*how, left.value(numbers), right.value(numbers))
            }
        }
    }
}

/// NaN where undefined or infinite.
pub fn calculate(how: Arithmetic, left: f64, right: f64) -> f64 {
    let value = match how {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide => left / right,
    };
    if value.is_finite() { value } else { f64::NAN }
}

/// False where either is undefined.
pub fn compare(how: Comparison, left: f64, right: f64) -> bool {
    match how {
        Comparison::Less => left < right,
        Comparison::LessEqual => left <= right,
        Comparison::Equal => left == right,
        Comparison::GreaterEqual => left >= right,
        Comparison::Greater => left > right,
    }
}

/// An existential quantifier with too many bindings to write out: it is searched, one variable after the other, and a branch is
/// left as soon as a part of the body is false whatever the rest may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// How many values each variable has.
    pub sizes: Vec<u32>,
    /// All must hold.
    pub parts: Vec<Open>,
}

/// A formula with free variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    Closed(NodeId),
    And(Vec<Open>),
    Or(Vec<Open>),
    /// Variable `0` has this value, or has not.
    Is(usize, u32, bool),
    /// Two variables have values from this table of pairs (row by row), or have not: equality of objects across types.
    Same(usize, usize, Box<[Option<u32>]>, bool),
    /// The node that these variables choose, from a table in mixed radix.
    Table(Vec<usize>, Box<[NodeId]>),
}

#[derive(Clone, Debug)]
pub struct Circuit {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, NodeId>,
    pub choices: Vec<Choice>,
}

impl Default for Circuit {
    fn default() -> Self {
        let mut circuit = Circuit {
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            choices: Vec::new(),
        };
        circuit.intern(Node::False);
        circuit.intern(Node::True);
        circuit
    }
}

impl Circuit {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes
            .iter()
            .enumerate()
            .map(|(index, node)| (NodeId(index as u32), node))
    }

    fn intern(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.ids.insert(node.clone(), id);
        self.nodes.push(node);
        id
    }

    pub fn constant(&self, value: bool) -> NodeId {
        if value { TRUE } else { FALSE }
    }

    pub fn fact(&mut self, fact: FactId) -> NodeId {
        self.intern(Node::Fact(fact))
    }

    pub fn derived(&mut self, derived: DerivedId) -> NodeId {
        self.intern(Node::Derived(derived))
    }

    pub fn not(&mut self, node: NodeId) -> NodeId {
        match *self.node(node) {
            Node::False => TRUE,
            Node::True => FALSE,
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(node)),
        }
    }

    pub fn and(&mut self, parts: Vec<NodeId>) -> NodeId {
        match self.gather(parts, true) {
            Ok(parts) => self.intern(Node::And(parts)),
            Err(known) => known,
        }
    }

    pub fn or(&mut self, parts: Vec<NodeId>) -> NodeId {
        match self.gather(parts, false) {
            Ok(parts) => self.intern(Node::Or(parts)),
            Err(known) => known,
        }
    }

    /// The parts of a conjunction or disjunction, flat and sorted; `Err` where it comes down to one node.
    fn gather(&mut self, parts: Vec<NodeId>, and: bool) -> Result<Box<[NodeId]>, NodeId> {
        let (neutral, absorbing) = if and { (TRUE, FALSE) } else { (FALSE, TRUE) };
        let mut flat: Vec<NodeId> = Vec::with_capacity(parts.len());
        for part in parts {
            match self.node(part) {
                _ if part == absorbing => return Err(absorbing),
                _ if part == neutral => {}
                Node::And(inner) if and => flat.extend(inner),
                Node::Or(inner) if !and => flat.extend(inner),
                _ => flat.push(part),
            }
        }
        flat.sort();
        flat.dedup();
        for &part in &flat {
            if let Node::Not(inner) = self.node(part)
                && flat.binary_search(inner).is_ok()
            {
                return Err(absorbing);
            }
        }
        match flat[..] {
            [] => Err(neutral),
            [one] => Err(one),
            _ => Ok(flat.into_boxed_slice()),
        }
    }

    pub fn at_most(&mut self, most: usize, parts: Vec<NodeId>) -> NodeId {
        let sure = parts.iter().filter(|&&part| part == TRUE).count();
        let open: Vec<NodeId> = parts
            .into_iter()
            .filter(|&part| part != TRUE && part != FALSE)
            .collect();
        let Some(left) = most.checked_sub(sure) else {
            return FALSE;
        };
        if open.len() <= left {
            return TRUE;
        }
        if left == 0 {
            let none = open.into_iter().map(|part| self.not(part)).collect();
            return self.and(none);
        }
        self.intern(Node::AtMost(left as u32, open.into_boxed_slice()))
    }

    pub fn compare(&mut self, how: Comparison, left: Number, right: Number) -> NodeId {
        if let (Number::Constant(left), Number::Constant(right)) = (&left, &right) {
            return self.constant(compare(how, f64::from_bits(*left), f64::from_bits(*right)));
        }
        self.intern(Node::Compare(how, Box::new(left), Box::new(right)))
    }

    pub fn choice(&mut self, choice: Choice) -> NodeId {
        self.choices.push(choice);
        self.intern(Node::Choice(self.choices.len() as u32 - 1))
    }

    /// The conjuncts of a node.
    pub fn conjuncts(&self, node: NodeId) -> Vec<NodeId> {
        match self.node(node) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![node],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_one_node_and_constants_fold() {
        let mut circuit = Circuit::default();
        let [a, b] = [0, 1].map(|id| circuit.fact(FactId(id)));
        let not_a = circuit.not(a);
        assert_eq!(circuit.not(not_a), a);
        assert_eq!(circuit.and(vec![b, a, TRUE, a]), circuit.and(vec![a, b]));
        assert_eq!(circuit.and(vec![a, not_a]), FALSE);
        assert_eq!(circuit.or(vec![a, not_a]), TRUE);
        assert_eq!(circuit.or(vec![]), FALSE);
        assert_eq!(circuit.at_most(1, vec![TRUE, a]), not_a);
        assert_eq!(circuit.at_most(2, vec![a, b]), TRUE);
        assert_eq!(circuit.at_most(0, vec![TRUE, a]), FALSE);
    }
}
