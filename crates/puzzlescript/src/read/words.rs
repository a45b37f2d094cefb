//! The words of the language, each in one list.

/// The sections of a file, in their order.
pub(super) const SECTIONS: [&str; 7] = [
    "objects",
    "legend",
    "sounds",
    "collisionlayers",
    "rules",
    "winconditions",
    "levels",
];
/// Directions of rules and of sounds.
pub(super) const DIRECTIONS: [&str; 7] = [
    "up",
    "down",
    "left",
    "right",
    "horizontal",
    "vertical",
    "orthogonal",
];
/// What a cell of a rule may say before an object, beside directions.
const MOVEMENTS: [&str; 11] = [
    "^",
    "v",
    "<",
    ">",
    "moving",
    "stationary",
    "parallel",
    "perpendicular",
    "action",
    "no",
    "randomdir",
];
/// Commands of rules, beside sound effects.
const COMMANDS: [&str; 6] = ["cancel", "checkpoint", "restart", "win", "message", "again"];
/// Sound effects, which rules play.
pub(super) const EFFECTS: [&str; 11] = [
    "sfx0", "sfx1", "sfx2", "sfx3", "sfx4", "sfx5", "sfx6", "sfx7", "sfx8", "sfx9", "sfx10",
];
/// Other events that have a sound.
pub(super) const EVENTS: [&str; 10] = [
    "undo",
    "restart",
    "titlescreen",
    "startgame",
    "cancel",
    "endgame",
    "startlevel",
    "endlevel",
    "showmessage",
    "closemessage",
];
/// What an object does when it has a sound.
pub(super) const VERBS: [&str; 5] = ["move", "action", "create", "destroy", "cantmove"];
/// How many things a win condition is about.
pub(super) const QUANTIFIERS: [&str; 4] = ["all", "any", "no", "some"];

/// Whether a word is a command of a rule.
pub(crate) fn is_command(word: &str) -> bool {
    COMMANDS.contains(&word) || EFFECTS.contains(&word)
}

/// Whether a word may be before the first bracket of a rule.
pub(super) fn is_rule_start(word: &str) -> bool {
    DIRECTIONS.contains(&word) || ["startloop", "endloop", "late", "rigid"].contains(&word)
}

/// Whether a word may be before an object in a cell of a rule.
pub(super) fn is_movement(word: &str) -> bool {
    DIRECTIONS.contains(&word) || MOVEMENTS.contains(&word)
}

/// Whether a word should not name an object. `orthogonal` and `checkpoint` may.
pub(super) fn is_keyword(word: &str) -> bool {
    let lists: [&[&str]; 8] = [
        &SECTIONS,
        &DIRECTIONS,
        &MOVEMENTS,
        &COMMANDS,
        &EFFECTS,
        &EVENTS,
        &VERBS,
        &QUANTIFIERS,
    ];
    let others = ["...", "|", "[", "]", "late", "rigid", "random"];
    !["orthogonal", "checkpoint"].contains(&word)
        && (lists.iter().any(|list| list.contains(&word)) || others.contains(&word))
}
