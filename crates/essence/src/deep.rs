//! Recursion that cannot exhaust the stack: texts are nested at most
//! [`MAX_DEPTH`](crate::parse::MAX_DEPTH) deep, but values and terms may be nested deeper.

/// A new segment is used when less than this is left of the stack.
const RED_ZONE: usize = 128 << 10;
/// The size of a segment.
const SEGMENT: usize = 4 << 20;

/// Calls a function that may recurse, on a new segment of the stack if the old one is almost used
/// up.
pub(crate) fn deep<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, SEGMENT, work)
}
