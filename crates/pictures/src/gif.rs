//! A plan as an animated GIF. Each frame stores only the rectangle that changed; unchanged pixels
//! inside it are transparent. All frames share one palette, so that no colour flickers.
//!
//! The file is bounded: frames, pixels and bytes each have a limit. A long plan gets fewer frames
//! for each move, in the end only the one after it; a file that still grows too large is drawn
//! again at half the size.

use std::collections::HashMap;

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use ployglot_games::{Game, View};
use resvg::tiny_skia::Pixmap;

use super::film::{self, Take};
use super::palette::Rgb;
use super::scene::Scene;
use super::svg::{self, Layout};
use super::{TooLarge, raster};

const MOST_FRAMES: usize = 1000;
const MOST_PIXELS: u64 = 600_000;
const MOST_BYTES: usize = 12 << 20;
/// The smallest cell: a film is not scaled down further to save bytes.
const LEAST_SCALE: u32 = 8;

/// Delays in hundredths of a second, the unit of GIF. Many viewers slow down delays below 2, so 4
/// is safe.
const TICK: u16 = 4;
const FIRST: u16 = 100;
const AFTER_MOVE: u16 = 36;
const LAST: u16 = 300;
/// Frames for each cell that a piece moves, and the maximum between two views.
const FRAMES_FOR_CELL: f32 = 2.5;
const LONGEST_MOMENT: usize = 10;

/// A film with its captions; `scale` is the width of a cell in pixels.
pub fn animate(
    opening: (&View, &str),
    takes: &[Take],
    closing: &str,
    scale: u32,
) -> Result<Vec<u8>, TooLarge> {
    let views = || std::iter::once(opening.0).chain(takes.iter().flat_map(|take| &take.views));
    check_length(takes.len())?;
    svg::check_size(std::iter::once(opening.0))?;
    let captions = takes.iter().map(|take| take.caption.as_str());
    let layout = Layout::of(views(), captions.chain([opening.1, closing]));
    let stills = script(opening, takes, closing);
    let mut scale = scale.max(1);
    let area = |scale: u32| {
        let units = f64::from(scale) / f64::from(super::ground::CELL);
        (f64::from(layout.width) * units * f64::from(layout.height) * units) as u64
    };
    while scale > 1 && area(scale) > MOST_PIXELS {
        scale = scale * 9 / 10;
    }
    loop {
        let file = encode(&layout, &stills, scale)?;
        if file.len() <= MOST_BYTES || scale <= LEAST_SCALE {
            return Ok(file);
        }
        scale /= 2;
    }
}

/// A plan as it is played, with the moves below the board.
pub fn of_plan<G: Game>(level: &G, plan: &[G::Move]) -> Result<Vec<u8>, TooLarge> {
    check_length(plan.len())?;
    let total = plan.len();
    let say = move |number: usize, mv: &str| format!("{number}/{total}  {mv}");
    let takes: Vec<_> = film::takes(level, plan, say).collect();
    let opening = level.view(&level.start());
    animate((&opening, ""), &takes, "", svg::SCALE)
}

/// Refuses a plan that is too long, before its film is made.
pub fn check_length(moves: usize) -> Result<(), TooLarge> {
    let most = MOST_FRAMES / 2;
    if moves <= most {
        return Ok(());
    }
    Err(TooLarge(format!(
        "the plan has {moves} moves; a GIF shows at most {most}"
    )))
}

/// A frame that is still to be drawn.
struct Still<'a> {
    scene: Box<dyn Fn() -> Scene + 'a>,
    caption: &'a str,
    delay: u16,
}

/// Every frame of the film, in order.
fn script<'a>(opening: (&'a View, &'a str), takes: &'a [Take], closing: &'a str) -> Vec<Still<'a>> {
    let planned: usize = takes.iter().map(|take| frames(take, 1.0) + 1).sum();
    let share = ((MOST_FRAMES - 2 - takes.len()) as f32 / planned.max(1) as f32).min(1.0);
    let mut stills = vec![Still {
        scene: Box::new(move || Scene::still(opening.0)),
        caption: opening.1,
        delay: FIRST,
    }];
    let mut end = opening.0;
    for take in takes {
        for pair in take.views.windows(2) {
            let count = moment_frames(&pair[0], &pair[1], share);
            for step in 1..=count {
                let t = step as f32 / count as f32;
                stills.push(Still {
                    scene: Box::new(move || Scene::between(&pair[0], &pair[1], t)),
                    caption: &take.caption,
                    delay: TICK,
                });
            }
        }
        end = take.views.last().expect("a take has views");
        stills.push(Still {
            scene: Box::new(move || Scene::still(end)),
            caption: &take.caption,
            delay: AFTER_MOVE,
        });
    }
    stills.push(Still {
        scene: Box::new(move || Scene::still(end)),
        caption: closing,
        delay: LAST,
    });
    stills
}

fn frames(take: &Take, share: f32) -> usize {
    let moments = take.views.windows(2);
    moments
        .map(|pair| moment_frames(&pair[0], &pair[1], share))
        .sum()
}

/// The number of frames between two views: `share`, from 0 to 1, of what a smooth motion needs.
fn moment_frames(from: &View, to: &View, share: f32) -> usize {
    let wanted = (film::distance(from, to) * FRAMES_FOR_CELL).ceil() as usize;
    let wanted = wanted.clamp(4, LONGEST_MOMENT);
    (wanted as f32 * share).floor() as usize
}

fn encode(layout: &Layout, stills: &[Still], scale: u32) -> Result<Vec<u8>, TooLarge> {
    let draw = |still: &Still| {
        let picture = svg::frame(layout, &(still.scene)(), still.caption, scale);
        raster::pixels(&picture)
    };
    // The palette is made from a sample of frames, spread over the film.
    let mut colours = Colours::default();
    let sampled = stills.len().div_ceil(24).max(1);
    for still in stills.iter().step_by(sampled).chain(stills.last()) {
        colours.count(&draw(still)?);
    }
    let (table, mut lookup) = colours.choose();
    let first = draw(&stills[0])?;
    let (width, height) = (first.width() as u16, first.height() as u16);
    let mut encoder =
        Encoder::new(Vec::new(), width, height, &table).expect("memory does not fail");
    encoder
        .set_repeat(Repeat::Infinite)
        .expect("memory does not fail");
    let mut shown: Option<Vec<u8>> = None;
    let mut pending: Option<Frame> = None;
    for still in stills {
        let pixmap = draw(still)?;
        let indices: Vec<u8> = rgb(&pixmap).map(|colour| lookup.index(colour)).collect();
        let frame = match &shown {
            None => Some(whole(&indices, width, height)),
            Some(before) => difference(before, &indices, width, height),
        };
        match (frame, &mut pending) {
            (Some(mut frame), pending) => {
                frame.delay = still.delay;
                if let Some(done) = pending.replace(frame) {
                    encoder.write_frame(&done).expect("memory does not fail");
                }
            }
            // Nothing changed: the last frame is shown longer.
            (None, Some(frame)) => frame.delay = frame.delay.saturating_add(still.delay),
            (None, None) => {}
        }
        shown = Some(indices);
        if scale > LEAST_SCALE && encoder.get_ref().len() > MOST_BYTES {
            break;
        }
    }
    if let Some(done) = pending {
        encoder.write_frame(&done).expect("memory does not fail");
    }
    Ok(encoder.into_inner().expect("memory does not fail"))
}

/// The palette index for transparent pixels: they keep the colour of the frame before.
const UNCHANGED: u8 = 255;

fn whole(indices: &[u8], width: u16, height: u16) -> Frame<'static> {
    Frame {
        width,
        height,
        dispose: DisposalMethod::Keep,
        buffer: indices.to_vec().into(),
        ..Frame::default()
    }
}

/// The smallest rectangle that holds all changes; `None` if there are none.
fn difference(before: &[u8], after: &[u8], width: u16, height: u16) -> Option<Frame<'static>> {
    let (wide, high) = (usize::from(width), usize::from(height));
    let row_changes = |row: usize| before[row * wide..][..wide] != after[row * wide..][..wide];
    let top = (0..high).find(|&row| row_changes(row))?;
    let bottom = (0..high).rfind(|&row| row_changes(row))?;
    let changes =
        |col: usize| (top..=bottom).any(|row| before[row * wide + col] != after[row * wide + col]);
    let left = (0..wide).find(|&col| changes(col))?;
    let right = (0..wide).rfind(|&col| changes(col))?;
    let places = (top..=bottom).flat_map(|row| (left..=right).map(move |col| row * wide + col));
    let buffer: Vec<u8> = places
        .map(|at| {
            if before[at] == after[at] {
                UNCHANGED
            } else {
                after[at]
            }
        })
        .collect();
    Some(Frame {
        top: top as u16,
        left: left as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        transparent: Some(UNCHANGED),
        dispose: DisposalMethod::Keep,
        buffer: buffer.into(),
        ..Frame::default()
    })
}

fn rgb(pixmap: &Pixmap) -> impl Iterator<Item = Rgb> {
    // Outside the rounded corners, the picture is transparent; white shows through.
    pixmap.pixels().iter().map(|pixel| {
        let under = 255 - pixel.alpha();
        Rgb(
            pixel.red() + under,
            pixel.green() + under,
            pixel.blue() + under,
        )
    })
}

/// How often each colour occurs.
#[derive(Default)]
struct Colours(HashMap<Rgb, u64>);

impl Colours {
    fn count(&mut self, pixmap: &Pixmap) {
        for colour in rgb(pixmap) {
            *self.0.entry(colour).or_default() += 1;
        }
    }

    /// The most frequent colours that are not too near each other: all flat fills, and some of the
    /// mixtures at their edges. Ties are broken by value, so the same film gives the same file.
    fn choose(&self) -> (Vec<u8>, Lookup) {
        let mut ranked: Vec<(Rgb, u64)> = self.0.iter().map(|(&c, &n)| (c, n)).collect();
        ranked.sort_by_key(|&(Rgb(r, g, b), count)| (std::cmp::Reverse(count), r, g, b));
        let mut chosen: Vec<Rgb> = Vec::new();
        for least in [220, 60, 12, 1] {
            for &(colour, _) in &ranked {
                if chosen.len() < usize::from(UNCHANGED)
                    && chosen.iter().all(|&other| apart(colour, other) >= least)
                {
                    chosen.push(colour);
                }
            }
        }
        let mut table: Vec<u8> = chosen.iter().flat_map(|c| [c.0, c.1, c.2]).collect();
        table.resize(3 * 256, 0);
        let known = HashMap::new();
        (table, Lookup { chosen, known })
    }
}

/// Caches the nearest palette entry of each colour.
struct Lookup {
    chosen: Vec<Rgb>,
    known: HashMap<Rgb, u8>,
}

impl Lookup {
    fn index(&mut self, colour: Rgb) -> u8 {
        *self.known.entry(colour).or_insert_with(|| {
            let nearest = (0..self.chosen.len()).min_by_key(|&i| apart(colour, self.chosen[i]));
            nearest.expect("a picture has colours") as u8
        })
    }
}

fn apart(a: Rgb, b: Rgb) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    square(a.0, b.0) + square(a.1, b.1) + square(a.2, b.2)
}
