//! Compact table (Demeulenaere et al. 2016): a table constraint as bit sets over its rows. Each value
//! of each column has the set of its rows, and the rows that are still possible are the
//! intersection over the columns of the union over the values that are left.
//!
//! Explanations are computed when they are asked for: a value goes because each of its rows has a
//! value that went earlier, and of these values a small set that covers all rows is chosen
//! greedily. Clauses with a literal for each row, as Pumpkin decomposes a table, were the only form
//! before; they propagate the same, but a row costs two clauses for each column.
//!
//! After a backtrack the possible rows are computed anew from the domains. Between backtracks only
//! the columns that changed are intersected.

use pumpkin_core::declare_inference_label;
use pumpkin_core::predicates::{Predicate, PredicateConstructor, PropositionalConjunction};
use pumpkin_core::proof::{ConstraintTag, InferenceCode};
use pumpkin_core::propagation::{
    DomainEvents, EnqueueDecision, EventsToRegister, ExplanationContext, LazyExplanation, LocalId,
    NotificationContext, OpaqueDomainEvent, Priority, PropagationContext, Propagator,
    PropagatorConstructor, PropagatorConstructorContext, PropagatorSpec, ReadDomains,
    RuntimeCheckers,
};
use pumpkin_core::state::{PropagationStatusCP, PropagatorConflict};
use pumpkin_core::variables::{DomainId, Reason};

/// A table on these columns. Each row is as long as `columns`, and its values are in the domains.
#[derive(Clone, Debug)]
pub(super) struct CompactTable {
    pub columns: Vec<DomainId>,
    pub rows: Vec<Vec<i32>>,
    pub tag: ConstraintTag,
}

declare_inference_label!(Table);

/// The values of one column, in order, each with the set of its rows.
#[derive(Clone, Debug)]
struct Column {
    variable: DomainId,
    values: Vec<i32>,
    /// For each value, as many words as the table needs.
    rows: Vec<u64>,
}

#[derive(Clone, Debug)]
pub(super) struct TablePropagator {
    columns: Vec<Column>,
    rows: Vec<Vec<i32>>,
    words: usize,
    /// The rows that are possible, if `is_current`.
    possible: Vec<u64>,
    is_current: bool,
    /// The columns that changed since `possible` was computed.
    changed: Vec<usize>,
    is_changed: Vec<bool>,
    reason: Vec<Predicate>,
    code: InferenceCode,
}

impl PropagatorConstructor for CompactTable {
    type PropagatorImpl = TablePropagator;

    fn create(self, _: PropagatorConstructorContext) -> PropagatorSpec<TablePropagator> {
        let mut registration = EventsToRegister::builder();
        for (i, variable) in self.columns.iter().enumerate() {
            registration =
                registration.add(variable, DomainEvents::ANY_INT, LocalId::from(i as u32));
        }
        let words = self.rows.len().div_ceil(64);
        let column = |(i, &variable): (usize, &DomainId)| {
            let mut values: Vec<i32> = self.rows.iter().map(|row| row[i]).collect();
            values.sort_unstable();
            values.dedup();
            let mut rows = vec![0; values.len() * words];
            for (at, row) in self.rows.iter().enumerate() {
                let value = values.binary_search(&row[i]).expect("it is one of them");
                rows[value * words + at / 64] |= 1 << (at % 64);
            }
            Column {
                variable,
                values,
                rows,
            }
        };
        let columns: Vec<Column> = self.columns.iter().enumerate().map(column).collect();
        PropagatorSpec {
            registration: registration.build(),
            checkers: RuntimeCheckers::empty(),
            propagator: TablePropagator {
                is_changed: vec![false; columns.len()],
                columns,
                words,
                possible: vec![0; words],
                is_current: false,
                changed: Vec::new(),
                reason: Vec::new(),
                code: InferenceCode::new(self.tag, Table),
                rows: self.rows,
            },
        }
    }
}

impl Propagator for TablePropagator {
    fn name(&self) -> &str {
        "CompactTable"
    }

    fn priority(&self) -> Priority {
        Priority::Low
    }

    fn notify(
        &mut self,
        _: NotificationContext,
        id: LocalId,
        _: OpaqueDomainEvent,
    ) -> EnqueueDecision {
        let column = id.unpack() as usize;
        if !std::mem::replace(&mut self.is_changed[column], true) {
            self.changed.push(column);
        }
        EnqueueDecision::Enqueue
    }

    fn synchronise(&mut self, _: NotificationContext<'_>) {
        self.is_current = false;
    }

    fn propagate(&mut self, mut context: PropagationContext) -> PropagationStatusCP {
        let changed = std::mem::take(&mut self.changed);
        self.is_changed.fill(false);
        if self.is_current {
            for column in changed {
                intersect(
                    &self.columns[column],
                    self.words,
                    &mut self.possible,
                    &context,
                );
            }
        } else {
            self.possible = possible(&self.columns, self.words, self.rows.len(), &context);
            self.is_current = true;
        }
        self.filter(&self.possible, &mut context)
    }

    fn propagate_from_scratch(&self, mut context: PropagationContext) -> PropagationStatusCP {
        let possible = possible(&self.columns, self.words, self.rows.len(), &context);
        self.filter(&possible, &mut context)
    }

    fn lazy_explanation(&mut self, code: u64, context: ExplanationContext) -> LazyExplanation<'_> {
        let (column, value) = ((code >> 32) as usize, code as u32 as i32);
        let position = context.get_trail_position();
        let gone = |other: usize, value: i32| {
            let variable = &self.columns[other].variable;
            other != column && !context.contains_at_trail_position(variable, value, position)
        };
        let rows = self.rows_of(column, value);
        self.reason = cover(rows, &self.columns, gone);
        LazyExplanation {
            predicates: &self.reason,
            inference_code: self.code.clone(),
        }
    }
}

impl TablePropagator {
    /// The rows with this value in this column.
    fn rows_of(&self, column: usize, value: i32) -> impl Iterator<Item = &Vec<i32>> {
        let column = &self.columns[column];
        let at = column
            .values
            .binary_search(&value)
            .expect("a value of a row");
        let words = &column.rows[at * self.words..(at + 1) * self.words];
        words.iter().enumerate().flat_map(move |(place, &word)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| &self.rows[place * 64 + bit])
        })
    }

    /// Removes the values without a possible row.
    fn filter(&self, possible: &[u64], context: &mut PropagationContext) -> PropagationStatusCP {
        if possible.iter().all(|&word| word == 0) {
            let gone = |column: usize, value: i32| {
                !context.contains(&self.columns[column].variable, value)
            };
            let conjunction = cover(self.rows.iter(), &self.columns, gone);
            return Err(PropagatorConflict {
                conjunction: PropositionalConjunction::new(conjunction),
                inference_code: self.code.clone(),
            }
            .into());
        }
        for (i, column) in self.columns.iter().enumerate() {
            for (at, &value) in column.values.iter().enumerate() {
                let rows = &column.rows[at * self.words..(at + 1) * self.words];
                let supported = rows.iter().zip(possible).any(|(a, b)| a & b != 0);
                if !supported && context.contains(&column.variable, value) {
                    let code = (i as u64) << 32 | u64::from(value as u32);
                    context.post(
                        column.variable.disequality_predicate(value),
                        Reason::DynamicLazy(code),
                    )?;
                }
            }
        }
        Ok(())
    }
}

/// The rows all of whose values are left.
fn possible(
    columns: &[Column],
    words: usize,
    rows: usize,
    context: &PropagationContext,
) -> Vec<u64> {
    let mut possible = vec![u64::MAX; words];
    if !rows.is_multiple_of(64) {
        possible[words - 1] = (1 << (rows % 64)) - 1;
    }
    for column in columns {
        intersect(column, words, &mut possible, context);
    }
    possible
}

/// Removes the rows whose value in this column is gone.
fn intersect(column: &Column, words: usize, possible: &mut [u64], context: &PropagationContext) {
    let mut rows = vec![0; words];
    for (at, &value) in column.values.iter().enumerate() {
        if context.contains(&column.variable, value) {
            let of_value = &column.rows[at * words..(at + 1) * words];
            rows.iter_mut()
                .zip(of_value)
                .for_each(|(all, &word)| *all |= word);
        }
    }
    possible
        .iter_mut()
        .zip(&rows)
        .for_each(|(word, &rows)| *word &= rows);
}

/// Statements that some values are gone, so that each row has one of these. A value that was chosen
/// for an earlier row is used again.
fn cover<'r>(
    rows: impl Iterator<Item = &'r Vec<i32>>,
    columns: &[Column],
    gone: impl Fn(usize, i32) -> bool,
) -> Vec<Predicate> {
    let mut chosen: Vec<Vec<i32>> = vec![Vec::new(); columns.len()];
    let mut predicates = Vec::new();
    for row in rows {
        let covered = row
            .iter()
            .zip(&chosen)
            .any(|(value, chosen)| chosen.contains(value));
        if covered {
            continue;
        }
        let first = (0..row.len()).find(|&i| gone(i, row[i]));
        let first = first.expect("a row that is not possible has a value that is gone");
        chosen[first].push(row[first]);
        predicates.push(columns[first].variable.disequality_predicate(row[first]));
    }
    predicates
}
