//! Values of an enum that are chosen by name.

use ployglot_base::text::unknown;

/// The value with this name. The error is a sentence for the user; `what` is its subject.
pub(crate) fn by_name<T: Copy>(
    what: &str,
    name: &str,
    all: &[T],
    name_of: fn(T) -> &'static str,
) -> Result<T, String> {
    let found = all.iter().copied().find(|&value| name_of(value) == name);
    found.ok_or_else(|| unknown(what, name, all.iter().map(|&value| name_of(value))))
}
