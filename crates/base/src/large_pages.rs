//! Large memory pages for large tables.
//!
//! A search accesses its table at random places. With pages of 4 KiB nearly every access also
//! misses the translation lookaside buffer (TLB): on Puzznic's hardest level a fifth of the time
//! was lost that way. Linux provides pages of 2 MiB on request.

/// Asks the system for large pages for the whole capacity of the vector. This works best before the
/// vector is filled.
pub fn prefer_large_pages<T>(table: &Vec<T>) {
    let start = table.as_ptr().addr();
    advise(start, table.capacity() * size_of::<T>());
}

/// The size of a large page in bytes. Memory that does not fill a large page keeps its small ones.
const LARGE: usize = 2 << 20;

#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "large pages are requested by a system call, which std does not offer"
)]
fn advise(start: usize, bytes: usize) {
    /// `MADV_HUGEPAGE`.
    const PREFER_LARGE: i32 = 14;
    unsafe extern "C" {
        fn madvise(start: usize, bytes: usize, advice: i32) -> i32;
    }
    let first = start.next_multiple_of(LARGE);
    let end = (start + bytes) / LARGE * LARGE;
    if first >= end {
        return;
    }
    // SAFETY: the pages belong to the vector, and advice on their size does not change their
    // contents. If the call fails, the pages stay as they are.
    unsafe {
        madvise(first, end - first, PREFER_LARGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: usize, _bytes: usize) {}
