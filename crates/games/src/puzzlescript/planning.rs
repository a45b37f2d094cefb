//! PuzzleScript in PDDL: the games in which things only push each other.
//!
//! A turn repeats groups of rules until nothing changes, and any rule may create and destroy objects,
//! give commands, and look at cells far away. The order of all this matters, and one action of PDDL
//! cannot say it. What can be said: rules that only pass movements on in the direction of the key,
//! where the groups come in an order in which none could add something to an earlier one. For any
//! other game the model says which rule it cannot express.

use std::collections::BTreeSet;

use ployglot_puzzlescript::{
    Cell as Part, Command, Direction, Group, Input, Motion, Quantifier, Rule as GameRule, Set,
    Term, Things,
};

use super::PuzzleScript;
use crate::*;

pub(super) const MODELS: &[PlanningModel<PuzzleScript>] = &[PlanningModel {
    name: "pushes",
    about: "one action, the key; what moves is derived (games in which things only push each other)",
    measure: "moves",
    domain: include_str!("models/pushes.pddl"),
    problem,
    moves,
    states: |_| None,
}];

/// A rule as a fact: in a direction, one kind of thing pushes another.
type Push = (usize, usize, usize);

fn problem(level: &PuzzleScript) -> Result<String, String> {
    let space = &level.space;
    let game = space.game();
    let setting = |on: bool, name: &str| match on {
        true => Err(format!("the setting {name} cannot be said")),
        false => Ok(()),
    };
    setting(
        game.settings.run_rules_on_level_start && !level.opening.settled,
        "run_rules_on_level_start",
    )?;
    setting(
        game.settings.require_player_movement,
        "require_player_movement",
    )?;
    if level.opening.checkpoint_wins {
        return Err("checkpoints as goals cannot be said".to_string());
    }
    if game.player.all {
        return Err("a player that is several objects at once cannot be said".to_string());
    }
    if let Some(rule) = game.late.groups.iter().flat_map(|it| &it.rules).next() {
        return Err(format!(
            "the late rule on line {} cannot be said",
            rule.line
        ));
    }
    let pushes = pushes(&game.rules.groups)?;
    let cells = space.cells(&space.start());
    let wins = || {
        game.wins
            .iter()
            .map(|win| (win.quantifier, &win.what, &win.on))
    };
    if game.wins.is_empty() {
        return Err("a game without win conditions cannot be said".to_string());
    }
    let holds = |(quantifier, what, on): (Quantifier, &Things, &Things)| {
        let mut there = cells.iter().filter(|cell| what.are_in(cell));
        match quantifier {
            Quantifier::No => !there.any(|cell| on.are_in(cell)),
            Quantifier::Some => there.any(|cell| on.are_in(cell)),
            Quantifier::All => there.all(|cell| on.are_in(cell)),
        }
    };
    if wins().all(holds) {
        let why = "the win conditions hold before the first move, and PDDL has a plan of no steps";
        return Err(why.to_string());
    }
    let kind = |object: usize| format!("k{object}-{}", word(&game.objects[object].name));
    let cell = |index: usize| format!("c{index}");
    let side = |direction: Direction| Input::ALL[INPUT_OF[direction as usize]].name();
    let mut facts: Vec<String> = Vec::new();
    for (index, objects) in cells.iter().enumerate() {
        facts.extend(
            objects
                .iter()
                .map(|it| format!("(at {} {})", kind(it), cell(index))),
        );
    }
    let (rows, cols) = (level.glyphs.rows(), level.glyphs.cols());
    for index in 0..rows * cols {
        let (row, col) = ((index % rows) as isize, (index / rows) as isize);
        for direction in Direction::ALL {
            let (dx, dy) = direction.step();
            let (x, y) = (col + dx, row + dy);
            if (0..cols as isize).contains(&x) && (0..rows as isize).contains(&y) {
                let to = x as usize * rows + y as usize;
                facts.push(format!(
                    "(next {} {} {})",
                    side(direction),
                    cell(index),
                    cell(to)
                ));
            }
        }
    }
    facts.extend(
        game.player
            .objects
            .iter()
            .map(|it| format!("(player {})", kind(it))),
    );
    for (direction, a, b) in &pushes {
        let direction = side(Direction::ALL[*direction]);
        facts.push(format!("(pushes {direction} {} {})", kind(*a), kind(*b)));
    }
    for layer in &game.layers {
        for (one, other) in layer
            .iter()
            .flat_map(|one| layer.iter().map(move |o| (one, o)))
        {
            facts.push(format!("(same-layer {} {})", kind(one), kind(other)));
        }
    }
    // A condition about one cell.
    let has = |things: &Things| {
        let terms = things
            .objects
            .iter()
            .map(|it| format!("(at {} ?c)", kind(it)));
        let terms: Vec<String> = terms.collect();
        format!(
            "({} {})",
            if things.all { "and" } else { "or" },
            terms.join(" ")
        )
    };
    let goals = wins().map(|(quantifier, what, on)| match quantifier {
        Quantifier::No => format!("(forall (?c - cell) (not (and {} {})))", has(what), has(on)),
        Quantifier::Some => format!("(exists (?c - cell) (and {} {}))", has(what), has(on)),
        Quantifier::All => format!("(forall (?c - cell) (or (not {}) {}))", has(what), has(on)),
    });
    let goals: Vec<String> = goals.collect();
    let kinds: Vec<String> = (0..game.objects.len()).map(kind).collect();
    let names: Vec<String> = (0..cells.len()).map(cell).collect();
    Ok(format!(
        "(define (problem level)\n  (:domain puzzlescript-pushes)\n  \
         (:objects up left down right - direction {} - kind {} - cell)\n  \
         (:init\n    {})\n  (:goal (and\n    {})))\n",
        kinds.join(" "),
        names.join(" "),
        facts.join("\n    "),
        goals.join("\n    ")
    ))
}

/// For each direction, the index of its key.
const INPUT_OF: [usize; 4] = [0, 2, 1, 3];

/// A name in the letters of PDDL.
fn word(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    name.chars().map(letter).collect()
}

/// The rules as facts; `Err`: the first rule that is not of the form, or whose order matters.
fn pushes(groups: &[Group]) -> Result<BTreeSet<Push>, String> {
    let mut all: BTreeSet<Push> = BTreeSet::new();
    for group in groups {
        let mut of_group = BTreeSet::new();
        for rule in &group.rules {
            let why = || {
                let form = "[ > A | B ] -> [ > A | > B ]";
                format!("the rule on line {} is not of the form {form}", rule.line)
            };
            if group.random || group.rigid.is_some() || !rule.changes {
                return Err(why());
            }
            of_group.extend(push(rule).ok_or_else(why)?);
        }
        // What this group moves would have to be seen by the groups before it.
        let late = all.iter().any(|(direction, pusher, _)| {
            let mut moved = of_group.iter();
            moved.any(|(other, _, moved)| (other, moved) == (direction, pusher))
        });
        if late {
            let line = group.rules.first().map_or(0, |rule| rule.line);
            return Err(format!(
                "the rule on line {line} moves something that an earlier rule looks at, and the \
                 order of rules cannot be said"
            ));
        }
        all.extend(of_group);
    }
    Ok(all)
}

/// A rule of the form `[ > A | B ] -> [ > A | > B ]`, for all objects of A and B.
fn push(rule: &GameRule) -> Option<Vec<Push>> {
    let harmless = |command: &Command| matches!(command, Command::Sound(_) | Command::Message(_));
    let [row] = rule.rows.as_slice() else {
        return None;
    };
    let [
        Part::Pattern {
            before: a,
            after: a_after,
        },
        Part::Pattern {
            before: b,
            after: b_after,
        },
    ] = row.as_slice()
    else {
        return None;
    };
    let opposite = {
        let (dx, dy) = rule.direction.step();
        let back = |other: &Direction| other.step() == (-dx, -dy);
        Direction::ALL.into_iter().find(back)?
    };
    let one = |terms: &[Term], motion: Motion| match terms {
        [term] => objects(term).filter(|(_, found)| *found == motion),
        _ => None,
    };
    // The compiler turns some rules round, so that the pusher is the second cell.
    let forward =
        |(a, a_after): (&[Term], &[Term]), (b, b_after): (&[Term], &[Term]), to: Direction| {
            let motion = Motion::Moving(to.bit());
            let (pushers, _) = one(a, motion)?;
            let (pushed, _) = one(b, Motion::Any)?;
            let kept = one(a_after, motion)?.0 == pushers && one(b_after, motion)?.0 == pushed;
            kept.then_some((to, pushers, pushed))
        };
    let (first, second) = ((&a[..], &a_after[..]), (&b[..], &b_after[..]));
    let found = forward(first, second, rule.direction);
    let (to, pushers, pushed) = found.or_else(|| forward(second, first, opposite))?;
    if !rule.commands.iter().all(harmless) {
        return None;
    }
    let pairs = pushers.iter().flat_map(|a| {
        let direction = to as usize;
        pushed.iter().map(move |b| (direction, a, b))
    });
    Some(pairs.collect())
}

/// The objects of a term and its movement.
fn objects(term: &Term) -> Option<(Set, Motion)> {
    match term {
        Term::Object { object, motion, .. } => Some(([*object].into_iter().collect(), *motion)),
        Term::Property {
            objects, motion, ..
        } => Some((objects.clone(), *motion)),
        Term::No(_) | Term::Random(_) => None,
    }
}

fn moves(_level: &PuzzleScript, steps: &[Vec<String>]) -> Result<Vec<Input>, String> {
    let read = |step: &Vec<String>| match step.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["press", key] => Input::ALL.into_iter().find(|input| input.name() == key),
        _ => None,
    };
    let moves = steps.iter().map(|step| {
        read(step).ok_or_else(|| format!("'{}' is not a step of this model", step.join(" ")))
    });
    moves.collect()
}
