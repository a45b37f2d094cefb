//! Whether the matches of a rule have an effect on each other. Where none has, all are changed at
//! once, by planes.
//!
//! The language applies a rule to the matches that were there before it, one after the other, and
//! checks each again. So two matches matter to each other only where they share a cell, and a cell
//! that fits two patterns must agree with both: a cell with a crate is not one with a player, if both
//! are in one layer. What remains is compared pair by pair: one pattern must not change what the
//! other one looks at, nor undo what it does.

use super::board::Layout;
use super::program::{FastPhase, FastRule, Pattern, Row, Way, mask, members};
use crate::engine::MOST_ROUNDS;
use crate::set::Set;

/// A pattern as sets of planes.
struct View {
    wanted: Set,
    any: Vec<Set>,
    excluded: Set,
    /// What a cell that fits does not have.
    absent: Set,
    /// What changes in a cell that fits.
    set: Set,
    clear: Set,
}

/// How a rule without ellipses and random choices is applied. Changes that never happen are removed
/// from its patterns. `lawful`: a cell has at most one object of each layer.
pub(super) fn way(rows: &mut [Row], layout: &Layout, lawful: bool) -> Way {
    let views_of = |row: &Row| -> Vec<View> {
        let patterns = row.parts.iter().flat_map(|part| &part.patterns);
        patterns
            .map(|pattern| View::new(pattern, layout, lawful))
            .collect()
    };
    let views_by_row: Vec<Vec<View>> = rows.iter().map(views_of).collect();
    // Where only one row changes anything, each of its matches is changed once, whatever the other
    // rows match. Otherwise one match is changed in several combinations, if it is left.
    let several = views_by_row
        .iter()
        .filter(|row| row.iter().any(View::changes))
        .count()
        > 1;
    let views: Vec<View> = views_by_row.into_iter().flatten().collect();
    // Two matches of one row never have the same cell at the same place.
    let apart = |i: usize, j: usize| i != j || several;
    let count = views.len();
    let pairs = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
    let mut pairs = pairs.filter(|&(i, j)| apart(i, j));
    let at_once = pairs.all(|(i, j)| !views[i].meets(&views[j]) || !views[i].disturbs(&views[j]));
    // Without a second row, a cell fits until it is changed.
    let narrow = at_once || rows.len() == 1;
    let monotone = {
        let mut set = Set::new();
        views.iter().for_each(|view| set.add(&view.set));
        views.iter().all(|view| !view.clear.meets(&set))
    };
    let settles = views.iter().all(|one| {
        views
            .iter()
            .all(|other| !one.enables(other, layout, lawful))
    });
    if narrow {
        let patterns = rows.iter_mut().flat_map(|row| &mut row.parts);
        let patterns = patterns.flat_map(|part| &mut part.patterns);
        for (pattern, view) in patterns.zip(&views) {
            pattern.set = view.set.iter().collect();
            pattern.clear = mask(&view.clear);
        }
    }
    match at_once {
        true => Way::AtOnce { settles },
        // The sets of a view are those of a cell that fits; with several rows another row may have
        // changed it before.
        false => Way::InTurn {
            monotone: monotone && rows.len() == 1,
        },
    }
}

/// Whether the groups of a phase end in the same board whatever the order of their rules, if
/// everything that moves moves in one direction. The law holds that a cell has at most one object of
/// each layer.
pub(super) fn is_free_of_order(phase: &FastPhase, layout: &Layout, cells: usize) -> bool {
    phase.groups.iter().all(|group| {
        let rules = &phase.rules[group.first..group.end];
        let plain = |rule: &FastRule| !rule.changes || matches!(rule.way, Way::AtOnce { .. });
        !group.random
            && rules.iter().all(plain)
            && (0..5).all(|motion| ends_alike(rules, layout, cells, motion))
    })
}

/// Whether rules that need no movement, or this one, end in the same board whatever their order.
///
/// A match that no other one ends or undoes may come sooner or later: the boards after both orders
/// are the same (the diamond property), so there is one last board, if the rounds suffice for it.
fn ends_alike(rules: &[FastRule], layout: &Layout, cells: usize, motion: usize) -> bool {
    let is_other = |plane: usize| plane >= layout.objects && (plane - layout.objects) % 5 != motion;
    let mut views: Vec<(usize, View)> = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let parts = || rule.rows.iter().flat_map(|row| &row.parts);
        let mut wanted = parts().flat_map(|part| &part.wanted);
        if wanted.any(|&(plane, _)| is_other(plane)) {
            continue;
        }
        let patterns = parts().flat_map(|part| &part.patterns);
        views.extend(patterns.map(|pattern| {
            let mut view = View::new(pattern, layout, true);
            // No other movement is there to be ended.
            let others: Set = view.clear.iter().filter(|&it| is_other(it)).collect();
            view.clear.remove(&others);
            if !rule.changes {
                (view.set, view.clear) = (Set::new(), Set::new());
            }
            (number, view)
        }));
    }
    let pairs = || {
        let of = |one| views.iter().map(move |other| (one, other));
        views.iter().flat_map(of)
    };
    let undisturbed = pairs().all(|((rule, one), (other_rule, other))| {
        rule == other_rule || !one.meets(other) || !one.disturbs(other)
    });
    let settles = pairs().all(|((_, one), (_, other))| !one.enables(other, layout, true));
    let (mut set, mut clear) = (Set::new(), Set::new());
    for (_, view) in &views {
        set.add(&view.set);
        clear.add(&view.clear);
    }
    let changes = set.iter().chain(clear.iter()).count() * cells;
    undisturbed && (settles || !set.meets(&clear) && changes < MOST_ROUNDS)
}

impl View {
    fn new(pattern: &Pattern, layout: &Layout, lawful: bool) -> Self {
        let wanted: Set = pattern.wanted.iter().copied().collect();
        let excluded = members(&pattern.excluded);
        let any: Vec<Set> = pattern.any.iter().map(members).collect();
        let mut absent = excluded.clone();
        if lawful {
            for object in wanted.iter().filter(|&it| it < layout.objects) {
                absent.add(&others(layout, &[object].into_iter().collect()));
            }
            any.iter()
                .for_each(|objects| absent.add(&others(layout, objects)));
        }
        let mut set: Set = pattern.set.iter().copied().collect();
        set.remove(&wanted);
        let mut clear = members(&pattern.clear);
        clear.remove(&absent);
        Self {
            wanted,
            any,
            excluded,
            absent,
            set,
            clear,
        }
    }

    fn changes(&self) -> bool {
        !self.set.is_empty() || !self.clear.is_empty()
    }

    /// Whether a cell can fit both patterns.
    fn meets(&self, other: &View) -> bool {
        let denies = |one: &View, other: &View| {
            one.absent.meets(&other.wanted) || other.any.iter().any(|any| any.within(&one.absent))
        };
        !denies(self, other) && !denies(other, self)
    }

    /// Whether a change by this pattern can end a match of the other one in the same cell, or is
    /// undone by it.
    fn disturbs(&self, other: &View) -> bool {
        self.set.meets(&other.excluded)
            || self.clear.meets(&other.wanted)
            || other.any.iter().any(|any| any.meets(&self.clear))
            || self.set.meets(&other.clear)
            || self.clear.meets(&other.set)
    }

    /// Whether a cell that this pattern has changed may fit the other one because of that.
    fn enables(&self, other: &View, layout: &Layout, lawful: bool) -> bool {
        let makes = self.set.meets(&other.wanted)
            || other.any.iter().any(|any| any.meets(&self.set))
            || self.clear.meets(&other.excluded);
        if !makes {
            return false;
        }
        let mut present = self.wanted.clone();
        present.remove(&self.clear);
        present.add(&self.set);
        let mut absent = self.excluded.clone();
        absent.remove(&self.set);
        absent.add(&self.clear);
        if lawful {
            for object in present.iter().filter(|&it| it < layout.objects) {
                absent.add(&others(layout, &[object].into_iter().collect()));
            }
        }
        !absent.meets(&other.wanted)
            && !present.meets(&other.excluded)
            && !other.any.iter().any(|any| any.within(&absent))
    }
}

/// The other objects of the layer of these, which are all in one layer.
fn others(layout: &Layout, objects: &Set) -> Set {
    let layer = objects.iter().next().map(|it| layout.layer_of[it]);
    let layer = layer.into_iter().flat_map(|layer| &layout.layers[layer]);
    layer.copied().filter(|&it| !objects.contains(it)).collect()
}
