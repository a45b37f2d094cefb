//! Ground formulas as one shared circuit. Equal subformulas are one node, and no formula is
//! expanded to a normal form.

use crate::interner::Interner;
use crate::lifted::{Arithmetic, Comparison};
use ployglot_base::{Limit, Poll};

/// A formula: an index into the nodes of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);
/// A fact that actions change: a bit of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FactId(pub u32);
/// A derived fact: it follows from other facts by axioms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DerivedId(pub u32);
/// A number that actions change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NumberId(pub u32);

/// The node that never holds.
pub const FALSE: NodeId = NodeId(0);
/// The node that always holds.
pub const TRUE: NodeId = NodeId(1);

/// A formula whose parts are nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Never holds.
    False,
    /// Always holds.
    True,
    /// A fact of the state holds.
    Fact(FactId),
    /// A derived fact holds.
    Derived(DerivedId),
    /// The node does not hold.
    Not(NodeId),
    /// All nodes hold: two or more, sorted, none twice.
    And(Box<[NodeId]>),
    /// Some node holds: two or more, sorted, none twice.
    Or(Box<[NodeId]>),
    /// At most this many of the nodes hold.
    AtMost(u32, Box<[NodeId]>),
    /// A comparison of numbers; false where one is undefined.
    Compare(Comparison, Box<Number>, Box<Number>),
    /// An existential quantifier: an index into the circuit's choices.
    Choice(u32),
}

/// A numeric expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// A constant, as the bits of a float.
    Constant(u64),
    /// A number of the state.
    Variable(NumberId),
    /// An arithmetic operation.
    Binary(Arithmetic, Box<Number>, Box<Number>),
}

impl Number {
    /// The constant expression of this value.
    pub fn constant(value: f64) -> Self {
        // Positive and negative zero are the same number and need the same bits.
        Number::Constant(if value == 0.0 { 0.0f64 } else { value }.to_bits())
    }

    /// The value where the numbers of the state are these; NaN where undefined.
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

/// The result of an operation; NaN where undefined or infinite.
pub fn calculate(how: Arithmetic, left: f64, right: f64) -> f64 {
    let value = match how {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide => left / right,
    };
    if value.is_finite() { value } else { f64::NAN }
}

/// Whether the comparison holds; false where either number is undefined (NaN).
pub fn compare(how: Comparison, left: f64, right: f64) -> bool {
    match how {
        Comparison::Less => left < right,
        Comparison::LessEqual => left <= right,
        Comparison::Equal => left == right,
        Comparison::GreaterEqual => left >= right,
        Comparison::Greater => left > right,
    }
}

/// An existential quantifier with too many bindings to write out. It is evaluated by depth-first
/// search, one variable after the other; a branch is cut as soon as a part of the body is false
/// whatever the values of the remaining variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The number of values of each variable.
    pub sizes: Vec<u32>,
    /// The conjuncts of the body.
    pub parts: Vec<OpenFormula>,
}

/// A formula with free variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenFormula {
    /// A formula without free variables.
    Closed(NodeId),
    /// All parts hold.
    And(Vec<OpenFormula>),
    /// Some part holds.
    Or(Vec<OpenFormula>),
    /// Whether a variable has this value; with `false` at the end, whether it has not.
    Is(usize, u32, bool),
    /// Whether two variables are the same object; with `false` at the end, whether they are not.
    /// The table has for each value of the first the value of the second that is the same object.
    Same(usize, usize, Box<[Option<u32>]>, bool),
    /// The node at the values of these variables, in a table in mixed radix, the first variable
    /// counting fastest.
    Table(Vec<usize>, Box<[NodeId]>),
}

/// All formulas of a task.
#[derive(Clone, Debug)]
pub struct Circuit {
    nodes: Interner<Node>,
    /// The quantifiers that are evaluated by search.
    pub choices: Vec<Choice>,
}

impl Default for Circuit {
    fn default() -> Self {
        let mut circuit = Circuit {
            nodes: Interner::default(),
            choices: Vec::new(),
        };
        circuit.intern(Node::False);
        circuit.intern(Node::True);
        circuit
    }
}

impl Circuit {
    /// The formula with this id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes.keys()[id.0 as usize]
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.keys().len()
    }

    /// Never true: the two constants are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.keys().is_empty()
    }

    /// All nodes; parts come before the nodes that use them.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes
            .keys()
            .iter()
            .enumerate()
            .map(|(index, node)| (NodeId(index as u32), node))
    }

    /// `Err` where the memory does not allow one more node.
    pub(crate) fn affords_one(&self, poll: &Poll) -> Result<(), Limit> {
        self.nodes.affords_one(poll)
    }

    fn intern(&mut self, node: Node) -> NodeId {
        NodeId(self.nodes.id(node))
    }

    /// `TRUE` or `FALSE`.
    pub fn constant(&self, value: bool) -> NodeId {
        if value { TRUE } else { FALSE }
    }

    /// The node of a fact.
    pub fn fact(&mut self, fact: FactId) -> NodeId {
        self.intern(Node::Fact(fact))
    }

    /// The node of a derived fact.
    pub fn derived(&mut self, derived: DerivedId) -> NodeId {
        self.intern(Node::Derived(derived))
    }

    /// The negation.
    pub fn not(&mut self, node: NodeId) -> NodeId {
        match *self.node(node) {
            Node::False => TRUE,
            Node::True => FALSE,
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(node)),
        }
    }

    /// The conjunction.
    pub fn and(&mut self, parts: Vec<NodeId>) -> NodeId {
        match self.gather(parts, true) {
            Ok(parts) => self.intern(Node::And(parts)),
            Err(known) => known,
        }
    }

    /// The conjunction, or the disjunction.
    pub(crate) fn and_or(&mut self, and: bool, parts: Vec<NodeId>) -> NodeId {
        if and { self.and(parts) } else { self.or(parts) }
    }

    /// The node itself, or its negation.
    pub(crate) fn signed(&mut self, node: NodeId, positive: bool) -> NodeId {
        if positive { node } else { self.not(node) }
    }

    /// The disjunction.
    pub fn or(&mut self, parts: Vec<NodeId>) -> NodeId {
        match self.gather(parts, false) {
            Ok(parts) => self.intern(Node::Or(parts)),
            Err(known) => known,
        }
    }

    /// The parts of a conjunction or disjunction, flattened and sorted; `Err` where it simplifies
    /// to one node.
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

    /// That at most this many of the parts hold; a part that is listed twice counts twice.
    pub fn at_most(&mut self, most: usize, parts: Vec<NodeId>) -> NodeId {
        let certain = parts.iter().filter(|&&part| part == TRUE).count();
        let open: Vec<NodeId> = parts
            .into_iter()
            .filter(|&part| part != TRUE && part != FALSE)
            .collect();
        let Some(left) = most.checked_sub(certain) else {
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

    /// The comparison of two numbers.
    pub fn compare(&mut self, how: Comparison, left: Number, right: Number) -> NodeId {
        if let (Number::Constant(left), Number::Constant(right)) = (&left, &right) {
            return self.constant(compare(how, f64::from_bits(*left), f64::from_bits(*right)));
        }
        self.intern(Node::Compare(how, Box::new(left), Box::new(right)))
    }

    /// A quantifier that is evaluated by search.
    pub fn choice(&mut self, choice: Choice) -> NodeId {
        self.choices.push(choice);
        self.intern(Node::Choice(self.choices.len() as u32 - 1))
    }

    /// The circuit of these nodes alone, with facts replaced by other facts or by constants, and the
    /// new id of each of these nodes. The nodes include the constants and all parts of each other, and
    /// have no choices.
    pub(crate) fn replaced(
        &self,
        kept: impl Fn(NodeId) -> bool,
        replacement: impl Fn(FactId) -> Node,
    ) -> (Circuit, Vec<NodeId>) {
        let mut circuit = Circuit::default();
        let mut ids = vec![FALSE; self.len()];
        for (id, node) in self.nodes().filter(|(id, _)| kept(*id)) {
            let parts = |parts: &[NodeId]| parts.iter().map(|part| ids[part.0 as usize]).collect();
            ids[id.0 as usize] = match node {
                Node::Fact(fact) => circuit.intern(replacement(*fact)),
                Node::Not(inner) => circuit.not(ids[inner.0 as usize]),
                Node::And(inner) => circuit.and(parts(inner)),
                Node::Or(inner) => circuit.or(parts(inner)),
                Node::AtMost(most, inner) => circuit.at_most(*most as usize, parts(inner)),
                Node::Choice(_) => unreachable!("there are no choices"),
                other => circuit.intern(other.clone()),
            };
        }
        (circuit, ids)
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
    fn equal_formulas_are_one_node_and_constants_are_folded() {
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
