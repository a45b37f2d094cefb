//! Compares the OPB file of a certificate with a task: parts 1 and 3 must be, byte for byte, what
//! the task and the claim give; part 2 must be made of definitions. So a proof that the constraints
//! have no solution proves the claim for this task.
//!
//! A definition is a pair of constraints: a new variable implies a constraint over earlier variables
//! of the state and the cost, and is implied by it. Such pairs exclude no state. The second copy of
//! the definitions must be the first one with the mark `^` on every variable.

use std::fmt;

use ployglot_base::{Budget, Poll};
use rustc_hash::FxHashSet;

use super::encode::Encoding;
use super::opb::Section;
use super::{CannotCertify, Claim, Names, head};
use crate::task::Task;

/// Where an OPB file differs from what it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// `Ok(Err(…))`: the file is not that of a certificate for this task and claim.
pub fn check_opb(
    task: &Task,
    names: &Names,
    claim: Claim,
    text: &str,
    budget: &Budget,
) -> Result<Result<(), Mismatch>, CannotCertify> {
    let poll = Poll::new(budget, "check");
    let encoding = Encoding::new(task, claim, names, &poll)?;
    let mut last = Section::default();
    encoding.claim(&mut last);
    let mut file = File {
        lines: text.lines().collect(),
        next: 0,
    };
    Ok(file.check(&encoding, claim, &last.text, &poll)?)
}

struct File<'a> {
    lines: Vec<&'a str>,
    next: usize,
}

/// What ended the comparison: a limit, or a difference.
type Compared = Result<(), Mismatch>;

impl<'a> File<'a> {
    fn check(
        &mut self,
        encoding: &Encoding,
        claim: Claim,
        last: &str,
        poll: &Poll,
    ) -> Result<Compared, ployglot_base::Limit> {
        // The counts in the first line are for other readers.
        let heading = head(claim, 0, 0);
        let expected = heading.lines().chain(encoding.section.text.lines());
        for (at, expected) in expected.enumerate() {
            poll.try_step()?;
            let found = self.lines.get(at).copied().unwrap_or("");
            let is_count = at == 0 && found.starts_with("* #variable= ");
            if found != expected && !is_count {
                self.next = at;
                return Ok(Err(
                    self.wrong(format!("expected '{}'", shortened(expected)))
                ));
            }
            self.next = at + 1;
        }
        let last: Vec<&str> = last.lines().collect();
        let Some(end) = self.lines.len().checked_sub(last.len()) else {
            return Ok(Err(self.wrong("part 3 is missing".to_string())));
        };
        for (at, expected) in last.iter().enumerate() {
            if self.lines[end + at] != *expected {
                self.next = end + at;
                return Ok(Err(
                    self.wrong(format!("expected '{}'", shortened(expected)))
                ));
            }
        }
        if end < self.next || (end - self.next) % 2 == 1 {
            return Ok(Err(
                self.wrong("part 2 does not have two equal halves".to_string())
            ));
        }
        let middle = self.next + (end - self.next) / 2;
        let mut known: FxHashSet<String> = FxHashSet::default();
        let facts = 0..encoding.task.facts.len();
        known.extend(facts.map(|at| format!("x{at}")));
        known.extend((0..encoding.bits).map(|at| format!("c{at}")));
        let mut defines_invariant = false;
        while self.next < middle {
            poll.try_step()?;
            let line = self.lines[self.next];
            let copy = self.lines[self.next + (end - middle)];
            if line.starts_with('*') {
                // Comments of the two halves may differ.
                if !copy.starts_with('*') {
                    return Ok(Err(
                        self.wrong("the other half has no comment here".to_string())
                    ));
                }
                self.next += 1;
                continue;
            }
            match self.definition(&mut known, end - middle) {
                Ok(name) => defines_invariant |= name == "inv",
                Err(message) => return Ok(Err(self.wrong(message))),
            }
            self.next += 2;
        }
        if !defines_invariant {
            return Ok(Err(self.wrong("the invariant is not defined".to_string())));
        }
        Ok(Ok(()))
    }

    /// Reads the pair of constraints at the next line, and compares it with its copy.
    fn definition(&self, known: &mut FxHashSet<String>, half: usize) -> Result<String, String> {
        let read = |at: usize| {
            let line = self.lines.get(at).copied().unwrap_or("");
            parse(line).ok_or_else(|| "expected a constraint".to_string())
        };
        let [forward, backward] = [read(self.next)?, read(self.next + 1)?];
        for at in [self.next, self.next + 1] {
            let marked: String = self.lines[at]
                .split(' ')
                .map(|word| match word.trim_start_matches('~').chars().next() {
                    Some(first) if first.is_ascii_alphabetic() => format!("{word}^ "),
                    _ => format!("{word} "),
                })
                .collect();
            if self.lines.get(at + half).copied() != Some(marked.trim_end()) {
                return Err("the other half is not a copy".to_string());
            }
        }
        let Some((by, name, true)) = backward.terms.first() else {
            return Err("the second constraint does not start with the new variable".to_string());
        };
        let is_plain = name.chars().all(|each| each.is_ascii_alphanumeric());
        let is_free = name.starts_with(|first: char| "gsealmhi".contains(first));
        if known.contains(*name) || !is_plain || !is_free {
            return Err(format!("'{name}' is not new"));
        }
        let meaning = &backward.terms[1..];
        let total: u64 = meaning.iter().map(|term| term.0).sum();
        // The second constraint: by * name + the negated terms >= by.
        let degree = (total + 1).checked_sub(*by);
        if *by != backward.degree || degree.is_none() {
            return Err("the second constraint does not imply the new variable".to_string());
        }
        let degree = degree.unwrap_or(0);
        let mut terms: Vec<(u64, &str, bool)> = Vec::new();
        if degree > 0 {
            terms.push((degree, name, false));
        }
        terms.extend(
            meaning
                .iter()
                .map(|&(by, name, positive)| (by, name, !positive)),
        );
        if forward.terms != terms || forward.degree != degree {
            return Err("the two constraints are not a definition".to_string());
        }
        if let Some((_, unknown, _)) = meaning.iter().find(|term| !known.contains(term.1)) {
            return Err(format!("'{unknown}' is not defined"));
        }
        known.insert(name.to_string());
        Ok(name.to_string())
    }

    fn wrong(&self, message: String) -> Mismatch {
        Mismatch {
            line: self.next + 1,
            message,
        }
    }
}

struct Read<'a> {
    /// Coefficient, variable, and whether it is not negated.
    terms: Vec<(u64, &'a str, bool)>,
    degree: u64,
}

fn parse(line: &str) -> Option<Read<'_>> {
    let (left, right) = line.split_once(">=")?;
    let degree = right.strip_suffix(" ;")?.trim().parse().ok()?;
    let words: Vec<&str> = left.split_whitespace().collect();
    let terms = words.chunks(2).map(|pair| {
        let [by, lit] = pair else { return None };
        let name = lit.strip_prefix('~');
        Some((by.parse().ok()?, name.unwrap_or(lit), name.is_none()))
    });
    Some(Read {
        terms: terms.collect::<Option<_>>()?,
        degree,
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}
