//! Compiles the text of a game: reads it, finds out what its names mean, expands its rules, and
//! reports what is wrong.
//!
//! The faults are those of the reference compiler, in its order. It makes a game even of a faulty
//! file where it can, and so does this one.

mod expand;
mod levels;
mod names;
mod patterns;
mod rule_text;
mod screen;
mod settings;
mod sounds;
mod wins;

use crate::colours::{palette, rgb};
use crate::fault::{Fault, Faults, Place};
use crate::game::{Game, Object};
use crate::read::{self, Source};
use crate::set::Set;
use names::Names;
use rule_text::RuleLine;

/// A compiled file.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The game; `None` where the faults leave nothing to play.
    pub game: Option<Game>,
    /// All faults, in the order in which they were found.
    pub faults: Vec<Fault>,
    /// How many faults count as errors.
    pub errors: usize,
}

/// Compiles the text of a game.
///
/// ```
/// let text = "
/// objects
///
/// background
/// black
///
/// player
/// white
///
/// legend
///
/// . = background
/// p = player
///
/// sounds
/// collisionlayers
///
/// background
/// player
///
/// rules
/// winconditions
/// levels
///
/// p..
/// ";
/// let compiled = ployglot_puzzlescript::compile(text);
/// assert!(compiled.faults.is_empty(), "{:?}", compiled.faults);
/// let game = compiled.game.expect("there are no faults");
/// assert_eq!(game.level(0).map(|level| (level.width, level.height)), Some((3, 1)));
///
/// let compiled = ployglot_puzzlescript::compile(&text.replace("p..", "p?."));
/// assert_eq!(
///     compiled.faults[0].to_string(),
///     "line 25, column 2: error: the symbol \"?\" is not in the legend"
/// );
/// ```
pub fn compile(text: &str) -> Compiled {
    let mut faults = Faults::default();
    let source = read::read(text, &mut faults);
    let game = source
        .as_ref()
        .and_then(|source| compile_source(source, &mut faults));
    match (&game, &source) {
        (Some(game), _) if game.entries.is_empty() => {
            faults.error(Place::FILE, "no-levels", "there are no levels");
        }
        (Some(_), Some(source)) if !faults.too_many() => screen::check_title(source, &mut faults),
        _ => {}
    }
    let too_many = faults.too_many();
    let (faults, errors) = faults.finish();
    let game = game.filter(|_| !too_many).map(|game| Game {
        faulty: errors > 0,
        ..game
    });
    Compiled {
        game,
        faults,
        errors,
    }
}

fn compile_source(source: &Source, faults: &mut Faults) -> Option<Game> {
    for (name, code) in [("player", "no-player"), ("background", "no-background")] {
        if source.declared(name).is_none() {
            let message = format!("nothing is called {name}: every game needs one");
            faults.error(Place::FILE, code, message);
        }
    }
    if source.layers.is_empty() {
        let message = "there are no collision layers, and every object must be in one";
        faults.error(Place::FILE, "no-layers", message);
        return None;
    }
    let mut names = names::resolve(source, faults);
    let entries = levels::entries(source, &names, faults);

    let (mut rules, mut loops, mut invalid) = (Vec::new(), Vec::new(), false);
    for text in &source.rules {
        let line = rule_text::read_rule(text, source, &mut names, &rules, &mut invalid, faults);
        match line {
            Some(RuleLine::Rule(rule)) => rules.push(rule),
            Some(RuleLine::StartLoop) => loops.push((text.line, true)),
            Some(RuleLine::EndLoop) => loops.push((text.line, false)),
            None => {}
        }
    }
    let rules = expand::expand(rules, invalid, &names, faults)?;
    let (early, late) = patterns::translate(&rules, &names, faults);
    let wins = wins::conditions(source, &names, faults);
    let mut declared: Vec<_> = names.objects.iter().collect();
    names::sort_keys(&mut declared, |object| &object.name);
    for object in declared {
        if object.layer.is_none() {
            names::not_layered(&object.name, Place::line(object.line), faults);
        }
    }
    let settings = settings::read(source, faults);
    let (rules, late) = patterns::add_loops(loops, early, late, faults);
    sounds::check(source, &names, faults);
    settings::check_colours(source, faults);
    Some(Game {
        title: settings::value(source, "title").map(str::to_string),
        objects: objects(source, &names),
        layers: names.layers.clone(),
        player: names.player.clone(),
        rules,
        late,
        wins,
        entries,
        symbols: symbols(&names),
        background: names.background(),
        settings,
        faulty: false,
    })
}

/// The symbols of maps, in their order.
fn symbols(names: &Names) -> Vec<(char, Set)> {
    let mut symbols = Vec::new();
    for (name, cell) in &names.glyphs {
        let mut chars = name.chars();
        if let (Some(symbol), None) = (chars.next(), chars.next()) {
            symbols.push((symbol, cell.clone()));
        }
    }
    symbols.sort_by_key(|&(symbol, _)| symbol);
    symbols
}

/// The objects by their numbers.
fn objects(source: &Source, names: &Names) -> Vec<Object> {
    let size = read::SPRITE_SIZE;
    let pixel = |pixel: char| pixel.to_digit(10).map(|digit| digit as u8);
    let palette = palette(settings::value(source, "color_palette"));
    let object = |&index: &usize| {
        let text = &source.objects[index];
        let sprite = match text.sprite.is_empty() {
            true => vec![vec![Some(0); size]; size],
            false => {
                let rows = text
                    .sprite
                    .iter()
                    .map(|row| row.chars().map(pixel).collect());
                rows.collect()
            }
        };
        Object {
            name: text.name.clone(),
            layer: names.objects[index].layer(),
            colours: text
                .colours
                .iter()
                .map(|colour| rgb(palette, colour))
                .collect(),
            sprite,
        }
    };
    names.numbered.iter().map(object).collect()
}
