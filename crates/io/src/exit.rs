//! Exit codes. This is the one map from outcomes to codes.
//!
//! The codes follow Fast Downward's table, so that scripts written for planners work: 0 solved, 1
//! and 2 a plan but no proof before memory or time ran out, 11 proven unsolvable, 12 ended without
//! a proof, 22 out of memory, 23 out of time, 30 to 36 errors. `docs/formats.md` lists them for
//! users.

use std::process::ExitCode;

use ployglot_base::Limit;
use ployglot_solve::Status;

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Solved,
    Unsolvable,
    /// Ended without a proof.
    Unproven,
    OutOfMemory,
    OutOfTime,
    /// There is a plan, but memory ran out before the proof that it is optimal.
    PlanOutOfMemory,
    /// There is a plan, but time ran out before the proof that it is optimal.
    PlanOutOfTime,
    /// The route claimed what the referee rejects, or another defect of the program.
    Defect,
    /// The plan that was checked has an illegal move or misses the goal.
    Rejected,
    /// One level of many ended in an error, which was reported already.
    Error(u8),
}

/// A text with an error: a level, a plan, a model or a suite.
pub const BAD_INPUT: u8 = 31;
/// A defect of the program: the referee rejects what a route claims, or a panic.
pub const DEFECT: u8 = 32;
/// A route, measure, rule or format that this game does not have.
pub const BAD_REQUEST: u8 = 33;
/// A valid request that cannot be fulfilled, such as a format that cannot hold this level.
pub const UNSUPPORTED: u8 = 34;
/// A file or a stream that cannot be read or written.
pub const BAD_FILE: u8 = 35;
/// A command line that is wrong for every level.
pub const BAD_USAGE: u8 = 36;

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Solved => 0,
            Exit::PlanOutOfMemory | Exit::Rejected => 1,
            Exit::PlanOutOfTime => 2,
            Exit::Unsolvable => 11,
            Exit::Unproven => 12,
            Exit::OutOfMemory => 22,
            Exit::OutOfTime => 23,
            Exit::Defect => DEFECT,
            Exit::Error(code) => code,
        }
    }

    /// A limit ended the work after a plan (or a solution) was found, but before the proof.
    pub fn with_plan(limit: Limit) -> Exit {
        match limit {
            Limit::Time => Exit::PlanOutOfTime,
            Limit::Memory => Exit::PlanOutOfMemory,
            Limit::Interrupt => Exit::Unproven,
            // The route never proves anything, so its work is complete.
            Limit::Incomplete => Exit::Solved,
        }
    }

    /// The answer is proven, but a limit ended its certificate.
    pub fn without_certificate(limit: Limit) -> Exit {
        match limit {
            Limit::Time => Exit::PlanOutOfTime,
            Limit::Memory => Exit::PlanOutOfMemory,
            Limit::Interrupt | Limit::Incomplete => Exit::Unproven,
        }
    }

    /// A limit ended the work before anything was found.
    pub fn without_plan(limit: Limit) -> Exit {
        match limit {
            Limit::Time => Exit::OutOfTime,
            Limit::Memory => Exit::OutOfMemory,
            Limit::Interrupt | Limit::Incomplete => Exit::Unproven,
        }
    }
}

impl From<&Status> for Exit {
    fn from(status: &Status) -> Exit {
        match status {
            Status::Optimal => Exit::Solved,
            Status::Feasible(limit) => Exit::with_plan(*limit),
            Status::Unsolvable => Exit::Unsolvable,
            Status::Limit(limit) => Exit::without_plan(*limit),
            Status::Defect(_) => Exit::Defect,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_follow_the_table() {
        use Limit::{Incomplete, Interrupt, Memory, Time};
        for (status, code) in [
            (Status::Optimal, 0),
            (Status::Feasible(Incomplete), 0),
            (Status::Feasible(Memory), 1),
            (Status::Feasible(Time), 2),
            (Status::Unsolvable, 11),
            (Status::Feasible(Interrupt), 12),
            (Status::Limit(Interrupt), 12),
            (Status::Limit(Incomplete), 12),
            (Status::Limit(Memory), 22),
            (Status::Limit(Time), 23),
            (Status::Defect("why".to_string()), 32),
        ] {
            assert_eq!(Exit::from(&status).code(), code, "{status:?}");
        }
    }
}
