//! Large tables in large pages.
//!
//! A search looks into its table at random places, and with pages of 4 KiB nearly every look also misses the cache of
//! addresses: on Puzznic's hardest level a fifth of the time went there. Linux gives pages of 2 MiB to those who ask.

/// Asks for large pages for all that the vector may hold without growing. Best asked before it is filled.
pub fn prefer_large_pages<T>(table: &Vec<T>) {
    let start = table.as_ptr().addr();
    ask(start, table.capacity() * size_of::<T>());
}

/// The size of a large page. What does not fill one is not asked for.
const LARGE: usize = 2 << 20;

#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "the system's own call; there is no other way to ask"
)]
fn ask(start: usize, bytes: usize) {
    const PREFER_LARGE: i32 = 14;
    unsafe extern "C" {
        fn madvise(start: usize, bytes: usize, advice: i32) -> i32;
    }
    let first = start.next_multiple_of(LARGE);
    let end = (start + bytes) / LARGE * LARGE;
    if first >= end {
        return;
    }
    // SAFETY: the pages are ours, and advice on their size changes nothing that is in them. If it fails, nothing happens.
    unsafe {
        madvise(first, end - first, PREFER_LARGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask(_start: usize, _bytes: usize) {}
