//! A plan as an animated GIF. Each frame stores only the rectangle that changed; unchanged pixels
//! inside it are transparent. All frames share one palette, so that no colour flickers.
//!
//! The file is bounded: frames, pixels and bytes each have a limit. A long plan gets fewer frames
//! for each move, in the end only the one after it; a file that still grows too large is drawn
//! again at half the size.
//!
//! The views of a film are not kept: 400 moves on 100×100 cells took 1.4 GB. Instead the moves are
//! played again for each pass over the film: one that measures it, one that samples its colours,
//! and one that draws it.

use std::collections::HashMap;

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use ployglot_base::{Budget, Progress};
use ployglot_games::{Game, View};
use resvg::tiny_skia::{Pixmap, PremultipliedColorU8};

use super::canvas::{Canvas, Rectangle};
use super::film::{self, Take};
use super::palette::Rgb;
use super::scene::Scene;
use super::svg::{self, Layout, Outline, Window};
use super::{NoFilm, TooLarge, raster};

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

/// A film: its first board with a caption, its takes, and the caption of its last board. The takes
/// are made as often as they are needed, the same each time.
pub struct Film<'a, F> {
    pub opening: (&'a View, &'a str),
    pub takes: F,
    pub closing: &'a str,
}

/// A film with its captions; `scale` is the width of a cell in pixels.
pub fn animate<F, I>(film: &Film<F>, scale: u32, budget: &Budget) -> Result<Vec<u8>, NoFilm>
where
    F: Fn() -> I,
    I: Iterator<Item = Take>,
{
    svg::check_size(std::iter::once(film.opening.0))?;
    let (layout, script) = measure(film, budget)?;
    let mut scale = scale.max(1);
    let area = |scale: u32| {
        let units = f64::from(scale) / f64::from(super::ground::CELL);
        (f64::from(layout.width) * units * f64::from(layout.height) * units) as u64
    };
    while scale > 1 && area(scale) > MOST_PIXELS {
        scale = scale * 9 / 10;
    }
    loop {
        let file = encode(film, &layout, &script, scale, budget)?;
        if file.len() <= MOST_BYTES || scale <= LEAST_SCALE {
            return Ok(file);
        }
        scale /= 2;
    }
}

/// A plan as it is played, with the moves below the board.
pub fn of_plan<G: Game>(level: &G, plan: &[G::Move], budget: &Budget) -> Result<Vec<u8>, NoFilm> {
    check_length(plan.len())?;
    let total = plan.len();
    let say = move |number: usize, mv: &str| format!("{number}/{total}  {mv}");
    let opening = level.view(&level.start());
    let film = Film {
        opening: (&opening, ""),
        takes: || film::takes(level, plan, say),
        closing: "",
    };
    animate(&film, svg::SCALE, budget)
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

/// The number of frames for each moment of each take.
struct Script(Vec<Vec<usize>>);

impl Script {
    /// All frames, with the first, the last, and one after each move.
    fn frames(&self) -> usize {
        let moments: usize = self.0.iter().flatten().sum();
        moments + self.0.len() + 2
    }
}

/// The layout that fits all views, and the script.
fn measure<F, I>(film: &Film<F>, budget: &Budget) -> Result<(Layout, Script), NoFilm>
where
    F: Fn() -> I,
    I: Iterator<Item = Take>,
{
    let mut outline = Outline::default();
    outline.add_view(film.opening.0);
    outline.add_caption(film.opening.1);
    outline.add_caption(film.closing);
    let mut wanted: Vec<Vec<usize>> = Vec::new();
    for take in (film.takes)() {
        check(budget, wanted.len())?;
        check_length(wanted.len() + 1)?;
        outline.add_caption(&take.caption);
        take.views.iter().for_each(|view| outline.add_view(view));
        let moments = take.views.windows(2);
        wanted.push(moments.map(|pair| smooth(&pair[0], &pair[1])).collect());
    }
    // If there are too many, each moment gets the same share of what it wants.
    let planned: usize = wanted
        .iter()
        .map(|take| take.iter().sum::<usize>() + 1)
        .sum();
    let share = ((MOST_FRAMES - 2 - wanted.len()) as f32 / planned.max(1) as f32).min(1.0);
    for count in wanted.iter_mut().flatten() {
        *count = (*count as f32 * share).floor() as usize;
    }
    Ok((outline.layout(), Script(wanted)))
}

fn check(budget: &Budget, depth: usize) -> Result<(), NoFilm> {
    let progress = || Progress {
        phase: "film",
        depth: depth as u32,
        ..Progress::default()
    };
    Ok(budget.check(progress)?)
}

/// The number of frames between two views that a smooth motion needs.
fn smooth(from: &View, to: &View) -> usize {
    let wanted = (film::distance(from, to) * FRAMES_FOR_CELL).ceil() as usize;
    wanted.clamp(4, LONGEST_MOMENT)
}

/// A frame that is still to be drawn.
struct Still<'a> {
    scene: &'a dyn Fn() -> Scene,
    caption: &'a str,
    delay: u16,
}

/// Calls `show` with every frame of the film, in order.
fn play<F, I>(
    film: &Film<F>,
    script: &Script,
    budget: &Budget,
    mut show: impl FnMut(Still) -> Result<(), NoFilm>,
) -> Result<(), NoFilm>
where
    F: Fn() -> I,
    I: Iterator<Item = Take>,
{
    let mut number = 0;
    let mut show = |scene: &dyn Fn() -> Scene, caption: &str, delay: u16| {
        check(budget, number)?;
        number += 1;
        show(Still {
            scene,
            caption,
            delay,
        })
    };
    let mut end = film.opening.0.clone();
    show(&|| Scene::still(&end), film.opening.1, FIRST)?;
    for (take, counts) in (film.takes)().zip(&script.0) {
        let caption = &take.caption;
        for (pair, &count) in take.views.windows(2).zip(counts) {
            for step in 1..=count {
                let t = step as f32 / count as f32;
                show(&|| Scene::between(&pair[0], &pair[1], t), caption, TICK)?;
            }
        }
        end = take.views.into_iter().last().expect("a take has views");
        show(&|| Scene::still(&end), caption, AFTER_MOVE)?;
    }
    show(&|| Scene::still(&end), film.closing, LAST)
}

fn encode<F, I>(
    film: &Film<F>,
    layout: &Layout,
    script: &Script,
    scale: u32,
    budget: &Budget,
) -> Result<Vec<u8>, NoFilm>
where
    F: Fn() -> I,
    I: Iterator<Item = Take>,
{
    // The palette is made from a sample of frames, spread over the film.
    let mut colours = Colours::default();
    let mut size = None;
    let (frames, mut number) = (script.frames(), 0);
    let sampled = frames.div_ceil(24).max(1);
    play(film, script, budget, |still| {
        if number % sampled == 0 || number + 1 == frames {
            let whole = svg::frame(layout, &(still.scene)(), still.caption, scale, Window::ALL);
            let pixmap = raster::pixels(&whole)?;
            size.get_or_insert((pixmap.width() as u16, pixmap.height() as u16));
            colours.count(&pixmap);
        }
        number += 1;
        Ok(())
    })?;
    let (table, lookup) = colours.choose();
    let size = size.expect("a film has a first frame");
    let mut writer = FilmWriter::new(size, &table, lookup);
    let mut canvas = Canvas::new(layout, scale);
    play(film, script, budget, |still| {
        if scale <= LEAST_SCALE || writer.encoder.get_ref().len() <= MOST_BYTES {
            let (pixels, changed) = canvas.show((still.scene)(), still.caption)?;
            writer.add(pixels, &changed, still.delay);
        }
        Ok(())
    })?;
    Ok(writer.finish())
}

/// Writes frames to memory, where it cannot fail.
struct FilmWriter {
    encoder: Encoder<Vec<u8>>,
    size: (u16, u16),
    lookup: Lookup,
    /// The indices of the last frame's pixels; empty before the first.
    shown: Vec<u8>,
    /// The last frame, which is shown longer if the next one is the same.
    pending: Option<Frame<'static>>,
}

impl FilmWriter {
    fn new(size: (u16, u16), table: &[u8], lookup: Lookup) -> FilmWriter {
        let mut encoder =
            Encoder::new(Vec::new(), size.0, size.1, table).expect("memory does not fail");
        encoder
            .set_repeat(Repeat::Infinite)
            .expect("memory does not fail");
        FilmWriter {
            encoder,
            size,
            lookup,
            shown: Vec::new(),
            pending: None,
        }
    }

    /// Adds a frame; outside the rectangles it is the frame before.
    fn add(&mut self, pixmap: &Pixmap, changed: &[Rectangle], delay: u16) {
        let (width, height) = self.size;
        let mut indices = self.shown.clone();
        indices.resize(pixmap.pixels().len(), 0);
        for rectangle in changed {
            for row in rectangle.top..rectangle.bottom {
                let line = row * usize::from(width);
                let line = line + rectangle.left..line + rectangle.right;
                let colours = pixmap.pixels()[line.clone()].iter();
                for (index, &pixel) in indices[line].iter_mut().zip(colours) {
                    *index = self.lookup.index(rgb(pixel));
                }
            }
        }
        let frame = if self.shown.is_empty() {
            Some(whole(&indices, width, height))
        } else {
            difference(&self.shown, &indices, width, height)
        };
        match (frame, &mut self.pending) {
            (Some(mut frame), _) => {
                frame.delay = delay;
                self.write_pending();
                self.pending = Some(frame);
            }
            // Nothing changed: the last frame is shown longer.
            (None, Some(frame)) => frame.delay = frame.delay.saturating_add(delay),
            (None, None) => {}
        }
        self.shown = indices;
    }

    fn write_pending(&mut self) {
        if let Some(frame) = self.pending.take() {
            (self.encoder.write_frame(&frame)).expect("memory does not fail");
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.write_pending();
        self.encoder.into_inner().expect("memory does not fail")
    }
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

/// The colour of a pixel. Outside the rounded corners, the picture is transparent; white shows through.
fn rgb(pixel: PremultipliedColorU8) -> Rgb {
    let under = 255 - pixel.alpha();
    Rgb(
        pixel.red() + under,
        pixel.green() + under,
        pixel.blue() + under,
    )
}

/// How often each colour occurs.
#[derive(Default)]
struct Colours(HashMap<Rgb, u64>);

impl Colours {
    fn count(&mut self, pixmap: &Pixmap) {
        for &pixel in pixmap.pixels() {
            *self.0.entry(rgb(pixel)).or_default() += 1;
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
