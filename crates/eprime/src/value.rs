//! Values: ints, bools and matrices of them. They print in the syntax of Essence Prime.

use std::fmt;
use std::sync::Arc;

use ployglot_csp::Domain;

use crate::model::{Scalar, Type};

/// The value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// An int.
    Number(i64),
    /// A bool.
    Truth(bool),
    /// A matrix with at least one dimension.
    Matrix(Arc<Matrix>),
}

/// A matrix of ints or bools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The index of each dimension.
    pub axes: Vec<Axis>,
    /// The type of the items.
    pub of: Scalar,
    /// The items row by row, the last index running fastest; bools are 0 and 1.
    pub items: Vec<i64>,
}

/// The index of one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The members of the index.
    pub domain: Domain,
    /// Whether the members are `false` and `true`.
    pub is_bool: bool,
    /// Whether the text gave the index; otherwise it is `1..length` by default.
    pub explicit: bool,
}

/// Whether the indices have the same members; whether the text gave them does not matter.
pub(crate) fn alike(left: &[Axis], right: &[Axis]) -> bool {
    let same = |(left, right): (&Axis, &Axis)| left.domain == right.domain;
    left.len() == right.len() && left.iter().zip(right).all(same)
}

impl Axis {
    /// The default index `1..length`.
    pub fn from_one(length: usize) -> Self {
        Axis {
            domain: Domain::range(1, i32::try_from(length).unwrap_or(i32::MAX)),
            is_bool: false,
            explicit: false,
        }
    }

    /// The number of members.
    pub fn length(&self) -> usize {
        usize::try_from(self.domain.len()).unwrap_or(usize::MAX)
    }

    /// The position of a member, counted from 0; `None` if the index does not have it.
    pub fn position(&self, member: i64) -> Option<usize> {
        let member = i32::try_from(member).ok()?;
        let mut before = 0;
        for &(low, high) in self.domain.ranges() {
            if (low..=high).contains(&member) {
                return Some(before + (i64::from(member) - i64::from(low)) as usize);
            }
            before += (i64::from(high) - i64::from(low) + 1) as usize;
        }
        None
    }
}

impl Value {
    /// The number, or a bool as 0 or 1; `None` for a matrix.
    pub fn number(&self) -> Option<i64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Truth(truth) => Some(i64::from(*truth)),
            Value::Matrix(_) => None,
        }
    }

    /// The matrix; `None` for a scalar.
    pub fn matrix(&self) -> Option<&Matrix> {
        match self {
            Value::Matrix(matrix) => Some(matrix),
            _ => None,
        }
    }

    /// The type of the value.
    pub fn ty(&self) -> Type {
        match self {
            Value::Number(_) => Type::INT,
            Value::Truth(_) => Type::BOOL,
            Value::Matrix(matrix) => Type {
                dims: matrix.axes.len() as u8,
                of: matrix.of,
            },
        }
    }
}

impl Matrix {
    /// The item at these members of the indices; `None` if one of them is out of range.
    pub fn at(&self, members: &[i64]) -> Option<i64> {
        let mut position = 0;
        for (axis, &member) in self.axes.iter().zip(members) {
            position = position * axis.length() + axis.position(member)?;
        }
        self.items.get(position).copied()
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.is_bool {
            true => f.write_str("bool"),
            false => {
                // A single member is printed as a range too, as other tools do.
                let ranges = self.domain.ranges().iter();
                let ranges: Vec<String> = ranges.map(|(a, b)| format!("{a}..{b}")).collect();
                write!(f, "int({})", ranges.join(", "))
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Truth(truth) => write!(f, "{truth}"),
            Value::Matrix(matrix) => matrix.fmt(f),
        }
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        print(f, &self.axes, self.of, &self.items)
    }
}

/// Prints a matrix with these dimensions, or a scalar if there are none.
fn print(f: &mut fmt::Formatter, axes: &[Axis], of: Scalar, items: &[i64]) -> fmt::Result {
    let Some((axis, inner)) = axes.split_first() else {
        return match of {
            Scalar::Bool => write!(f, "{}", items[0] != 0),
            _ => write!(f, "{}", items[0]),
        };
    };
    let length = axis.length();
    let part = items.len().checked_div(length).unwrap_or(0);
    f.write_str("[")?;
    for i in 0..length {
        if i > 0 {
            f.write_str(", ")?;
        }
        print(f, inner, of, &items[i * part..(i + 1) * part])?;
    }
    write!(f, "; {axis}]")
}
