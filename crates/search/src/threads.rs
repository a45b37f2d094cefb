//! One thread for each of several jobs.

use std::panic::resume_unwind;

/// Runs each job on a thread of its own and gives the results in the order of the jobs. If a job
/// panics, so does the caller, after all jobs have ended.
pub(crate) fn run_each<J: Send, R: Send>(
    jobs: impl IntoIterator<Item = J>,
    work: impl Fn(J) -> R + Sync,
) -> Vec<R> {
    let work = &work;
    std::thread::scope(|scope| {
        let jobs = jobs.into_iter();
        let threads: Vec<_> = jobs.map(|job| scope.spawn(move || work(job))).collect();
        let ends = threads.into_iter().map(|thread| thread.join());
        ends.map(|end| end.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}
