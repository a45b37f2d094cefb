//! Lists of numbers, one after the other in one vector: a graph's edges in the order in which they
//! are read.

/// Lists, each with a number from 0.
#[derive(Clone, Debug)]
pub(crate) struct Lists<T> {
    /// Where each list begins; the last entry is the end of the last list.
    first: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// Sorts pairs of a list's number and an item into this many lists. The items of a list keep
    /// their order.
    pub fn sorted(lists: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut first = vec![0u32; lists + 1];
        for (list, _) in pairs.clone() {
            first[list as usize + 1] += 1;
        }
        for at in 0..lists {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut items = vec![T::default(); first[lists] as usize];
        for (list, item) in pairs {
            let place = &mut next[list as usize];
            items[*place as usize] = item;
            *place += 1;
        }
        Self { first, items }
    }

    /// The list with this number.
    #[inline]
    pub fn of(&self, list: u32) -> &[T] {
        let (from, to) = (self.first[list as usize], self.first[list as usize + 1]);
        &self.items[from as usize..to as usize]
    }

    /// The items of all lists.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self {
            first: vec![0],
            items: Vec::new(),
        }
    }
}

impl<T: Copy> FromIterator<Vec<T>> for Lists<T> {
    fn from_iter<I: IntoIterator<Item = Vec<T>>>(lists: I) -> Self {
        let mut all = Self::default();
        for list in lists {
            all.items.extend(list);
            all.first.push(all.items.len() as u32);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Lists;

    #[test]
    fn pairs_are_sorted_into_lists() {
        let pairs = [(2, 5), (0, 7), (2, 4)];
        let lists = Lists::sorted(4, pairs.into_iter());
        assert_eq!(lists.len(), 4);
        let all: Vec<&[i32]> = (0..4).map(|list| lists.of(list)).collect();
        assert_eq!(all, [&[7][..], &[], &[5, 4], &[]]);
        let same: Lists<i32> = all.iter().map(|list| list.to_vec()).collect();
        assert_eq!(same.of(2), [5, 4]);
    }
}
