//! A checker of LRAT proofs (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017), for clauses
//! in DIMACS text. Both are read as streams.
//!
//! A line of a proof adds a clause: its number, its literals, 0, hints, 0. Under the assumption that
//! all its literals are false, the clauses of the hints must become unit one after the other, and the
//! last one empty. Where they do not, the clause must have the property of a resolution asymmetric
//! tautology on its first literal: for every clause with the opposite literal, the hints after the
//! negated number of that clause lead to a conflict, or it clashes with another literal. A line
//! `NUMBER d ... 0` deletes clauses. The proof is complete when the empty clause is added.
//!
//! It is written from that definition, for proofs of many millions of lines: clauses are found by
//! their number, and the values of variables are an array that is undone by a trail. The checker in
//! `ployglot-csp`, which tests compare with this one, shares no code with it.

use std::io::{self, BufRead};

use ployglot_base::{Budget, Limit, Progress};

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Clauses of the problem.
    pub clauses: u64,
    /// Clauses that the proof adds.
    pub added: u64,
}

/// Why a proof is not accepted.
#[derive(Debug)]
pub enum NotProven {
    /// The clauses are not DIMACS text, on this line.
    BadClauses(usize, String),
    /// The proof is wrong on this line.
    BadProof(usize, String),
    /// A limit ended the check.
    Limit(Limit),
    /// A file cannot be read.
    Io(io::Error),
}

impl From<io::Error> for NotProven {
    fn from(error: io::Error) -> Self {
        NotProven::Io(error)
    }
}

/// Checks that the proof derives the empty clause from the clauses.
pub fn check_lrat(
    clauses: impl BufRead,
    proof: impl BufRead,
    budget: &Budget,
) -> Result<Checked, NotProven> {
    let mut checker = Checker::default();
    let count = checker.read_clauses(clauses, budget)?;
    let mut text = Lines::new(proof);
    let mut added = 0;
    let mut numbers = Vec::new();
    while let Some((number, line)) = text.next()? {
        poll(budget, number)?;
        let bad = |why: &str| NotProven::BadProof(number, why.to_string());
        match checker.step(line, &mut numbers).map_err(bad)? {
            Done::Nothing => {}
            Done::Added => added += 1,
            Done::Empty => {
                let (clauses, added) = (count, added + 1);
                return Ok(Checked { clauses, added });
            }
        }
    }
    let why = "the proof ends without the empty clause";
    Err(NotProven::BadProof(text.number + 1, why.to_string()))
}

fn poll(budget: &Budget, line: usize) -> Result<(), NotProven> {
    if !line.is_multiple_of(64) {
        return Ok(());
    }
    let progress = || Progress {
        phase: "proof",
        expanded: line as u64,
        ..Progress::default()
    };
    budget.check(progress).map_err(NotProven::Limit)
}

/// The lines of a text that have something on them and are no comments.
struct Lines<R> {
    text: R,
    line: Vec<u8>,
    /// The number of the last line, from 1.
    number: usize,
}

impl<R: BufRead> Lines<R> {
    fn new(text: R) -> Self {
        Self {
            text,
            line: Vec::new(),
            number: 0,
        }
    }

    /// The next line, with its number.
    fn next(&mut self) -> io::Result<Option<(usize, &[u8])>> {
        loop {
            self.line.clear();
            if self.text.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            let first = self.line.iter().find(|byte| !byte.is_ascii_whitespace());
            if first.is_some_and(|&byte| byte != b'c') {
                return Ok(Some((self.number, &self.line)));
            }
        }
    }
}

/// What a line of a proof did.
enum Done {
    Nothing,
    Added,
    Empty,
}

/// The clauses that exist now, and the values of variables while one is checked.
#[derive(Default)]
struct Checker {
    /// Clauses by their number.
    clauses: Vec<Option<Box<[i32]>>>,
    /// For each variable: 1 true, -1 false, 0 neither.
    values: Vec<i8>,
    /// The variables that have a value.
    trail: Vec<i32>,
    /// Numbers up to here may be used: no proof needs greater ones than it has lines, but for a
    /// factor.
    steps: usize,
}

/// The largest number of a variable. The values take as many bytes.
const MOST_VARIABLES: i64 = 1 << 30;

impl Checker {
    /// Reads DIMACS text; returns the number of clauses.
    fn read_clauses(&mut self, text: impl BufRead, budget: &Budget) -> Result<u64, NotProven> {
        let mut lines = Lines::new(text);
        let mut header: Option<(i64, i64)> = None;
        let mut clause: Vec<i32> = Vec::new();
        self.clauses.push(None);
        while let Some((number, line)) = lines.next()? {
            poll(budget, number)?;
            let bad = |why: &str| NotProven::BadClauses(number, why.to_string());
            let Some((variables, _)) = header else {
                let numbers = line.strip_prefix(b"p cnf ").map(numbers);
                let Some(Some([variables, count])) = numbers.as_ref().map(Option::as_deref) else {
                    return Err(bad("the first line is 'p cnf VARIABLES CLAUSES'"));
                };
                if !(0..=MOST_VARIABLES).contains(variables) {
                    return Err(bad("the number of variables is out of range"));
                }
                self.values = vec![0; *variables as usize + 1];
                header = Some((*variables, *count));
                continue;
            };
            let numbers = numbers(line).ok_or_else(|| bad("a clause has only numbers"))?;
            for number in numbers {
                match number {
                    0 => self.clauses.push(Some(std::mem::take(&mut clause).into())),
                    _ if number.abs() > variables => {
                        return Err(bad("a literal is beyond the number of variables"));
                    }
                    literal => clause.push(literal as i32),
                }
            }
        }
        let count = self.clauses.len() as i64 - 1;
        match header {
            Some((_, said)) if said == count && clause.is_empty() => Ok(count as u64),
            _ => {
                let why = format!("there are {count} clauses, not as many as the first line says");
                Err(NotProven::BadClauses(lines.number, why))
            }
        }
    }

    /// Checks one line of a proof.
    fn step(&mut self, line: &[u8], numbers: &mut Vec<i64>) -> Result<Done, &'static str> {
        self.steps += 1;
        let (id, rest) = number(line).ok_or("a step starts with a number")?;
        let rest = rest.trim_ascii_start();
        if let Some(deleted) = rest.strip_prefix(b"d") {
            read(deleted, numbers).ok_or("a deletion lists clauses and ends with 0")?;
            if numbers.pop() != Some(0) || numbers.contains(&0) {
                return Err("a deletion lists clauses and ends with 0");
            }
            for &id in numbers.iter() {
                let clause = self.slot(id).and_then(Option::take);
                clause.ok_or("no such clause to delete")?;
            }
            return Ok(Done::Nothing);
        }
        read(rest, numbers).ok_or("a step has only numbers")?;
        let end = numbers.iter().position(|&number| number == 0);
        let end = end.ok_or("a clause ends with 0")?;
        let (literals, hints) = (&numbers[..end], &numbers[end + 1..]);
        let Some((&0, hints)) = hints.split_last() else {
            return Err("hints end with 0");
        };
        if hints.contains(&0) {
            return Err("hints end with 0");
        }
        let most = MOST_VARIABLES;
        if literals.iter().any(|literal| literal.abs() > most) {
            return Err("a literal is too large");
        }
        let literals: Vec<i32> = literals.iter().map(|&literal| literal as i32).collect();
        let largest = literals.iter().map(|it| it.unsigned_abs() as usize).max();
        if let Some(largest) = largest.filter(|&largest| largest >= self.values.len()) {
            self.values.resize(largest + 1, 0);
        }
        self.reserve(id)?;
        let checked = self.follows(&literals, hints);
        self.undo(0);
        checked?;
        if literals.is_empty() {
            return Ok(Done::Empty);
        }
        *self.slot(id).expect("it was reserved") = Some(literals.into());
        Ok(Done::Added)
    }

    fn slot(&mut self, id: i64) -> Option<&mut Option<Box<[i32]>>> {
        self.clauses.get_mut(usize::try_from(id).ok()?)
    }

    fn clause(&self, id: i64) -> Option<&[i32]> {
        self.clauses.get(usize::try_from(id).ok()?)?.as_deref()
    }

    /// Makes room for a clause of this number, which must be free.
    fn reserve(&mut self, id: i64) -> Result<(), &'static str> {
        let most = self.clauses.len() + 64 * self.steps + (1 << 20);
        let index = usize::try_from(id)
            .ok()
            .filter(|&index| index > 0 && index < most);
        let index = index.ok_or("the number of the clause is out of range")?;
        if index >= self.clauses.len() {
            self.clauses.resize(index + 1, None);
        }
        match &self.clauses[index] {
            Some(_) => Err("the number is taken"),
            None => Ok(()),
        }
    }

    /// Whether the literal is true or false; 0 if it has no value.
    fn value(&self, literal: i32) -> i8 {
        let value = self.values[literal.unsigned_abs() as usize];
        if literal > 0 { value } else { -value }
    }

    fn assign(&mut self, literal: i32) {
        self.values[literal.unsigned_abs() as usize] = if literal > 0 { 1 } else { -1 };
        self.trail.push(literal);
    }

    /// Takes back all values after the first ones.
    fn undo(&mut self, kept: usize) {
        for literal in self.trail.drain(kept..) {
            self.values[literal.unsigned_abs() as usize] = 0;
        }
    }

    /// Makes all literals but one false. Returns whether one is true already.
    fn refute(&mut self, literals: &[i32], but: Option<i32>) -> bool {
        for &literal in literals.iter().filter(|&&literal| Some(literal) != but) {
            match self.value(literal) {
                1 => return true,
                0 => self.assign(-literal),
                _ => {}
            }
        }
        false
    }

    /// Follows hints. Returns whether they lead to a conflict.
    fn propagate(&mut self, hints: &[i64]) -> Result<bool, &'static str> {
        for &hint in hints {
            let clause = self.clause(hint).ok_or("a hint names no clause")?;
            let mut unit = None;
            for &literal in clause {
                match self.value(literal) {
                    1 => return Err("a hint's clause is satisfied"),
                    0 if unit.is_some_and(|other| other != literal) => {
                        return Err("a hint's clause is not unit");
                    }
                    0 => unit = Some(literal),
                    _ => {}
                }
            }
            match unit {
                None => return Ok(true),
                Some(literal) => self.assign(literal),
            }
        }
        Ok(false)
    }

    /// Whether the clause may be added.
    fn follows(&mut self, literals: &[i32], hints: &[i64]) -> Result<(), &'static str> {
        if self.refute(literals, None) {
            // It has a literal and its negation.
            return Ok(());
        }
        let first = hints.iter().position(|&hint| hint < 0);
        let (units, candidates) = hints.split_at(first.unwrap_or(hints.len()));
        if self.propagate(units)? {
            return Ok(());
        }
        let &pivot = literals.first().ok_or("the hints lead to no conflict")?;
        self.resolves(pivot, candidates)
    }

    /// Whether every clause with the negated pivot has hints that lead to a conflict.
    fn resolves(&mut self, pivot: i32, hints: &[i64]) -> Result<(), &'static str> {
        let kept = self.trail.len();
        for id in 1..self.clauses.len() {
            let Some(clause) = &self.clauses[id] else {
                continue;
            };
            if !clause.contains(&-pivot) {
                continue;
            }
            let clause = clause.clone();
            let conflict = self.refute(&clause, Some(-pivot)) || {
                let start = hints.iter().position(|&hint| hint == -(id as i64));
                let start = start.ok_or("the hints lead to no conflict")? + 1;
                let rest = &hints[start..];
                let end = rest.iter().position(|&hint| hint < 0);
                self.propagate(&rest[..end.unwrap_or(rest.len())])?
            };
            self.undo(kept);
            if !conflict {
                return Err("the hints lead to no conflict");
            }
        }
        Ok(())
    }
}

/// The first number of a line, and what follows it.
fn number(line: &[u8]) -> Option<(i64, &[u8])> {
    let line = line.trim_ascii_start();
    let (negative, digits) = match line.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, line),
    };
    let count = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    // Eighteen digits fit into 64 bits.
    if count == 0 || count > 18 {
        return None;
    }
    let (digits, rest) = digits.split_at(count);
    if rest.first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
        return None;
    }
    let value = digits
        .iter()
        .fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    Some((if negative { -value } else { value }, rest))
}

/// All numbers of a line; `None` if there is anything else.
fn numbers(line: &[u8]) -> Option<Vec<i64>> {
    let mut found = Vec::new();
    read(line, &mut found)?;
    Some(found)
}

fn read(mut line: &[u8], found: &mut Vec<i64>) -> Option<()> {
    found.clear();
    loop {
        line = line.trim_ascii_start();
        if line.is_empty() {
            return Some(());
        }
        let (value, rest) = number(line)?;
        found.push(value);
        line = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All four combinations of two variables are forbidden.
    const SQUARE: &str = "c map 1 x = 1\np cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0 -1\n-2 0\n";

    fn check(clauses: &str, proof: &str) -> Result<Checked, String> {
        let checked = check_lrat(clauses.as_bytes(), proof.as_bytes(), &Budget::unlimited());
        checked.map_err(|why| match why {
            NotProven::BadClauses(line, why) => format!("clauses {line}: {why}"),
            NotProven::BadProof(line, why) => format!("{line}: {why}"),
            other => format!("{other:?}"),
        })
    }

    #[track_caller]
    fn wrong(clauses: &str, proof: &str, why: &str) {
        assert_eq!(check(clauses, proof), Err(why.to_string()));
    }

    #[test]
    fn steps_that_follow_are_accepted() {
        let proof = "5 1 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n";
        let (clauses, added) = (4, 2);
        assert_eq!(check(SQUARE, proof), Ok(Checked { clauses, added }));
    }

    #[test]
    fn steps_that_do_not_follow_are_refused() {
        wrong(SQUARE, "5 1 0 1 0\n", "1: the hints lead to no conflict");
        wrong(SQUARE, "5 1 0 3 0\n", "1: a hint's clause is satisfied");
        wrong(SQUARE, "5 0 1 2 0\n", "1: a hint's clause is not unit");
        wrong(SQUARE, "5 1 0 9 0\n", "1: a hint names no clause");
        wrong(
            SQUARE,
            "5 1 0 1 2 0\n",
            "2: the proof ends without the empty clause",
        );
        wrong(SQUARE, "", "1: the proof ends without the empty clause");
        wrong(
            SQUARE,
            "5 d 1 0\n6 1 0 1 2 0\n",
            "2: a hint names no clause",
        );
        wrong(SQUARE, "5 d 7 0\n", "1: no such clause to delete");
        wrong(SQUARE, "4 1 0 1 2 0\n", "1: the number is taken");
        wrong(SQUARE, "5 1 0 1 2\n", "1: hints end with 0");
        wrong(SQUARE, "5 1\n", "1: a clause ends with 0");
        wrong(SQUARE, "x\n", "1: a step starts with a number");
        wrong(SQUARE, "5 1 0 1 2x 0\n", "1: a step has only numbers");
        let large = "999999999999 1 0 1 2 0\n";
        wrong(SQUARE, large, "1: the number of the clause is out of range");
    }

    #[test]
    fn a_step_may_define_a_new_variable() {
        // 3 means "1 and 2"; each line is a step on 3 or -3.
        let definition = "5 3 -1 -2 0 0\n6 -3 1 0 -5 0\n7 -3 2 0 -5 0\n";
        let rest = "8 1 0 1 2 0\n9 2 0 8 3 0\n10 0 8 9 4 0\n";
        assert!(check(SQUARE, &format!("{definition}{rest}")).is_ok());
        let open = "p cnf 3 2\n1 3 0\n-3 2 0\n";
        wrong(open, "3 3 0 0\n", "1: the hints lead to no conflict");
    }

    #[test]
    fn clauses_must_be_what_their_first_line_says() {
        let counts = "clauses 2: there are 1 clauses, not as many as the first line says";
        wrong("p cnf 1 2\n1 0\n", "", counts);
        wrong("p cnf 1 1\n1 0\n1\n", "", &counts.replace("s 2:", "s 3:"));
        let beyond = "clauses 2: a literal is beyond the number of variables";
        wrong("p cnf 1 1\n2 0\n", "", beyond);
        wrong(
            "1 0\n",
            "",
            "clauses 1: the first line is 'p cnf VARIABLES CLAUSES'",
        );
    }
}
