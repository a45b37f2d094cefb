//! Values: numbers, truths, and matrices of them. They print as Essence Prime reads them.

use std::fmt;
use std::sync::Arc;

use ployglot_csp::Domain;

use crate::model::{Scalar, Type};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Number(i64),
    Truth(bool),
    Matrix(Arc<Matrix>),
}

/// Items row by row, the last index running fastest; truths are 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    pub axes: Vec<Axis>,
    pub of: Scalar,
    pub items: Vec<i64>,
}

/// The index of one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    pub domain: Domain,
    pub is_bool: bool,
    /// Whether somebody wrote it down; otherwise it is 1 and up for want of anything better.
    pub explicit: bool,
}

impl Axis {
    /// `1..length`, for want of anything better.
    pub fn from_one(length: usize) -> Self {
        Axis {
            domain: Domain::range(1, i32::try_from(length).unwrap_or(i32::MAX)),
            is_bool: false,
            explicit: false,
        }
    }

    pub fn length(&self) -> usize {
        usize::try_from(self.domain.len()).unwrap_or(usize::MAX)
    }

    /// How many members of the index stand before this one.
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
    /// A bool as 0 or 1; no matrix.
    pub fn number(&self) -> Option<i64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Truth(truth) => Some(i64::from(*truth)),
            Value::Matrix(_) => None,
        }
    }

    pub fn matrix(&self) -> Option<&Matrix> {
        match self {
            Value::Matrix(matrix) => Some(matrix),
            _ => None,
        }
    }

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
    /// The item at these members of the indices, if there is one.
    pub fn at(&self, members: &[i64]) -> Option<i64> {
        let mut place = 0;
        for (axis, &member) in self.axes.iter().zip(members) {
            place = place * axis.length() + axis.position(member)?;
        }
        self.items.get(place).copied()
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.is_bool {
            true => f.write_str("bool"),
            false => {
                // A single member is printed as a range too: other tools do.
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
