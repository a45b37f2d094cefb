//! Boards in the order of their bounds. Boards are large and of many sizes, and a sort is much code: so
//! their numbers are sorted, by code that is compiled once.

/// The keys in ascending order, each with its index. Equal keys stay in their order.
pub(super) fn by_key(keys: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut order: Vec<(u32, u32)> = keys.zip(0..).collect();
    sort(&mut order);
    order
}

fn sort(order: &mut [(u32, u32)]) {
    order.sort_unstable();
}
