//! A board, or a plan's boards side by side, as a self-contained SVG: no font, no style sheet, no
//! script.
//!
//! The drawing has units of its own (a cell is 40 wide); `scale` sets only the displayed size. Rows
//! and columns are numbered at the edges, as moves name them. Labels (such as the hand) come below
//! the board, and below them the caption. All boards of a plan share one layout, so that nothing
//! jumps when they follow each other.

use std::fmt::Write;

use ployglot_games::{Cell, Grid, Ground, Piece, StatusItem, View};

use super::ground::{self, CELL};
use super::letters::{self, Anchor, round};
use super::palette;
use super::scene::Scene;
use super::{TooLarge, pieces};

/// The default width of a cell in pixels.
pub const SCALE: u32 = 48;
/// The most cells of a picture, over all its boards.
pub const MOST_CELLS: usize = 60_000;

const MARGIN: f32 = 10.0;
const NUMBER: f32 = 10.0;
const WORD: f32 = 11.0;
const LINE: f32 = 24.0;
/// The margin around each board of a sheet.
const GUTTER: f32 = 8.0;

/// One board. The title is for screen readers.
pub fn board(view: &View, title: &str, scale: u32) -> Result<String, TooLarge> {
    sheet(&[(view, "")], title, scale)
}

/// Boards with their captions, in rows, left to right.
pub fn sheet(boards: &[(&View, &str)], title: &str, scale: u32) -> Result<String, TooLarge> {
    check_size(boards.iter().map(|&(view, _)| view))?;
    let layout = Layout::of(
        boards.iter().map(|&(view, _)| view),
        boards.iter().map(|&(_, caption)| caption),
    );
    let (wide, high) = (layout.width + GUTTER, layout.height + GUTTER);
    // The number of boards in a row that makes the sheet about 1.5 times as wide as high.
    let count = boards.len().max(1);
    let across = (1..=count)
        .find(|&n| n as f32 * wide >= 1.5 * count.div_ceil(n) as f32 * high)
        .unwrap_or(count);
    let across = if count <= 3 { count } else { across };
    let down = count.div_ceil(across);
    let mut body = String::new();
    for (index, &(view, caption)) in boards.iter().enumerate() {
        let (x, y) = (
            (index % across) as f32 * wide,
            (index / across) as f32 * high,
        );
        let _ = write!(
            body,
            r#"<g transform="translate({} {})">"#,
            round(x),
            round(y)
        );
        tableau(
            &mut body,
            &layout,
            &Scene::still(view),
            caption,
            Window::ALL,
        );
        body.push_str("</g>\n");
    }
    let size = (across as f32 * wide - GUTTER, down as f32 * high - GUTTER);
    Ok(wrap(&body, size, title, scale))
}

/// A piece alone, around its own middle.
pub fn piece(piece: &Piece) -> String {
    let mut svg = String::new();
    pieces::shape(&mut svg, piece);
    svg
}

/// The ground of a board whose first cell has its corner at the origin.
pub fn ground(view: &View) -> String {
    let mut svg = String::new();
    let at = |place: (usize, usize)| (place.1 as f32 * CELL, place.0 as f32 * CELL);
    floor(&mut svg, &view.cells, &[], at, Window::ALL);
    svg
}

/// The marks of goals, which lie over the pieces.
pub fn goals(view: &View) -> String {
    let mut svg = String::new();
    let goals = view.cells.places().filter(|&place| view.cells[place].goal);
    for (row, col) in goals {
        ground::draw_goal(&mut svg, col as f32 * CELL, row as f32 * CELL);
    }
    svg
}

/// One moment of a film, in a layout that fits all of them. Outside the window, parts may be missing.
pub fn frame(layout: &Layout, scene: &Scene, caption: &str, scale: u32, window: Window) -> String {
    let mut body = String::new();
    tableau(&mut body, layout, scene, caption, window);
    wrap(&body, (layout.width, layout.height), "", scale)
}

/// Refuses a picture that is too large, before it is drawn.
pub fn check_size<'a>(views: impl Iterator<Item = &'a View>) -> Result<(), TooLarge> {
    let mut total = 0;
    for view in views {
        let (rows, cols) = (view.cells.rows(), view.cells.cols());
        total += rows * cols;
        if total > MOST_CELLS {
            return Err(TooLarge(format!(
                "the picture would have more than {MOST_CELLS} cells (the board is {rows} by {cols}); it is too large to draw"
            )));
        }
    }
    Ok(())
}

/// A rectangle of a drawing, in its units.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

impl Window {
    pub const ALL: Window = Window {
        left: f32::NEG_INFINITY,
        top: f32::NEG_INFINITY,
        right: f32::INFINITY,
        bottom: f32::INFINITY,
    };

    /// Whether a drawing at this point may reach into the window: most are as large as a cell, and
    /// none reaches further than two cells.
    fn reaches(&self, (x, y): (f32, f32)) -> bool {
        let far = 2.0 * CELL;
        (self.left - far..=self.right + far).contains(&x)
            && (self.top - far..=self.bottom + far).contains(&y)
    }
}

/// The layout of a drawing, large enough for all views and captions.
pub struct Layout {
    pub width: f32,
    pub height: f32,
    /// The top left corner of the first cell.
    left: f32,
    top: f32,
    rim: Rim,
    /// The top of the text below the board, and its width.
    words: f32,
    line_width: f32,
    /// Whether each label is on a line of its own.
    stacked: bool,
    /// The baseline of the caption, if there is one.
    caption: Option<f32>,
}

/// The margin around the board, on the sides where pieces are outside it.
#[derive(Clone, Copy, Default)]
struct Rim {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

impl Rim {
    /// Makes room for the pieces of this view that are beyond the edges.
    fn add(&mut self, view: &View, rows: usize, cols: usize) {
        for piece in view.pieces.iter().filter(|_| view.rim) {
            let beyond = |outside: bool, side: &mut f32| {
                if outside {
                    *side = CELL;
                }
            };
            beyond(piece.col < 0.9, &mut self.left);
            beyond(piece.row < 0.9, &mut self.top);
            beyond(piece.col > cols as f32 + 0.1, &mut self.right);
            beyond(piece.row > rows as f32 + 0.1, &mut self.bottom);
        }
    }
}

impl Layout {
    /// The layout of these views and captions.
    pub fn of<'a>(
        views: impl Iterator<Item = &'a View>,
        captions: impl Iterator<Item = &'a str>,
    ) -> Layout {
        let mut outline = Outline::default();
        views.for_each(|view| outline.add_view(view));
        captions.for_each(|caption| outline.add_caption(caption));
        outline.layout()
    }

    /// The window of the cells from the first row and column to the last, with what their pieces may
    /// cover around them.
    pub fn window(&self, top: f32, left: f32, bottom: f32, right: f32) -> Window {
        Window {
            left: self.left + (left - 2.0) * CELL,
            top: self.top + (top - 2.0) * CELL,
            right: self.left + (right + 1.0) * CELL,
            bottom: self.top + (bottom + 1.0) * CELL,
        }
    }

    /// The window of the labels and the caption.
    pub fn words(&self) -> Window {
        Window {
            top: self.words - LINE,
            ..Window::ALL
        }
    }
}

/// What the layout depends on. A film collects it move by move, so that its views need not be in
/// memory at the same time.
#[derive(Default)]
pub struct Outline {
    /// Rows and columns; those of the first view.
    size: Option<(usize, usize)>,
    rim: Rim,
    /// The width of the widest caption.
    caption: f32,
    /// The different labels of the views.
    labels: Vec<Vec<StatusItem>>,
}

impl Outline {
    /// Adds a view.
    pub fn add_view(&mut self, view: &View) {
        let (rows, cols) = *(self.size).get_or_insert((view.cells.rows(), view.cells.cols()));
        self.rim.add(view, rows, cols);
        // Most views have the labels of the view before.
        if self.labels.last() != Some(&view.status) {
            self.labels.push(view.status.clone());
        }
    }

    /// Adds a caption.
    pub fn add_caption(&mut self, text: &str) {
        self.caption = self.caption.max(letters::width(text, WORD));
    }

    /// The layout that is large enough for all that was added.
    pub fn layout(self) -> Layout {
        let (rows, cols) = self.size.unwrap_or((1, 1));
        let (rim, caption) = (self.rim, self.caption);
        let band = letters::width(&rows.to_string(), NUMBER) + 6.0;
        let left = MARGIN + band + rim.left;
        let top = MARGIN + NUMBER + 6.0 + rim.top;
        let board_width = cols as f32 * CELL + rim.left + rim.right + band;
        let longest = (self.labels.iter().flatten())
            .map(label_width)
            .fold(0.0, f32::max);
        let line_width = board_width.max(caption).max(longest);
        // If the labels wrap in one view and not in another, each gets a line of its own.
        let counts = |stacked: bool| {
            self.labels.iter().map(move |labels| {
                let places = flow(labels, line_width, stacked);
                places.last().map_or(0, |at| at.1 + 1)
            })
        };
        let stacked = counts(false).min() != counts(false).max();
        let lines = counts(stacked).max().unwrap_or(0);
        let words = top + rows as f32 * CELL + rim.bottom + 8.0;
        let below = words + lines as f32 * LINE;
        let caption = (caption > 0.0).then_some(below + WORD + 6.0);
        let bottom = match caption {
            Some(baseline) => baseline + 5.0,
            None if lines > 0 => below - 2.0,
            None => words - 8.0,
        };
        Layout {
            width: 2.0 * MARGIN + line_width,
            height: bottom + MARGIN,
            left,
            top,
            rim,
            words,
            line_width,
            stacked,
            caption,
        }
    }
}

/// A board with its numbers, labels and caption.
fn tableau(svg: &mut String, layout: &Layout, scene: &Scene, caption: &str, window: Window) {
    let corner = |row: f32, col: f32| {
        (
            layout.left + (col - 1.0) * CELL,
            layout.top + (row - 1.0) * CELL,
        )
    };
    numbers(svg, layout, scene, window);
    let at = |(row, col): (usize, usize)| corner(row as f32 + 1.0, col as f32 + 1.0);
    floor(svg, &scene.cells, &scene.melting, at, window);
    for sprite in &scene.sprites {
        let (x, y) = corner(sprite.piece.row, sprite.piece.col);
        if window.reaches((x, y)) {
            pieces::draw(svg, sprite, x + CELL / 2.0, y + CELL / 2.0);
        }
    }
    let goals = scene
        .cells
        .places()
        .filter(|&place| scene.cells[place].goal);
    for (x, y) in goals.map(at).filter(|&place| window.reaches(place)) {
        ground::draw_goal(svg, x, y);
    }
    for (item, (x, line)) in
        scene
            .aside
            .iter()
            .zip(flow(&scene.aside, layout.line_width, layout.stacked))
    {
        let baseline = layout.words + line as f32 * LINE + 16.0;
        draw_label(svg, item, MARGIN + x, baseline);
    }
    if let Some(baseline) = layout.caption {
        letters::draw(
            svg,
            caption,
            MARGIN,
            baseline,
            WORD,
            Anchor::Start,
            palette::INK,
        );
    }
}

/// The grounds of all cells.
fn floor(
    svg: &mut String,
    cells: &Grid<Cell>,
    melting: &[((usize, usize), Cell, f32)],
    at: impl Fn((usize, usize)) -> (f32, f32),
    window: Window,
) {
    let places = || cells.places().filter(|&place| window.reaches(at(place)));
    // The background shows between the cells; there is none under cells that are not part of the
    // board.
    let mut bed = String::new();
    for place in places() {
        if cells[place].ground != Ground::Void {
            let (x, y) = at(place);
            let _ = write!(bed, "M{} {}h44v44h-44z", round(x - 2.0), round(y - 2.0));
        }
    }
    if !bed.is_empty() {
        let fill = palette::JOINT.hex();
        let _ = write!(svg, r#"<path d="{bed}" fill="{fill}"/>"#);
    }
    for place in places() {
        let (x, y) = at(place);
        ground::draw(svg, &cells[place], x, y, 1.0);
    }
    for &(place, cell, left) in melting {
        let (x, y) = at(place);
        ground::draw(svg, &cell, x, y, left);
    }
    for place in places() {
        let (x, y) = at(place);
        ground::draw_walls(svg, &cells[place], x, y);
    }
}

/// The numbers of rows and columns, at the left and above the board.
fn numbers(svg: &mut String, layout: &Layout, scene: &Scene, window: Window) {
    for row in 1..=scene.cells.rows() {
        let y = layout.top + (row as f32 - 0.5) * CELL + NUMBER / 2.0;
        let x = layout.left - layout.rim.left - 6.0;
        if !window.reaches((x, y)) {
            continue;
        }
        letters::draw(
            svg,
            &row.to_string(),
            x,
            y,
            NUMBER,
            Anchor::End,
            palette::MUTED,
        );
    }
    for col in 1..=scene.cells.cols() {
        let x = layout.left + (col as f32 - 0.5) * CELL;
        let y = layout.top - layout.rim.top - 6.0;
        if !window.reaches((x, y)) {
            continue;
        }
        letters::draw(
            svg,
            &col.to_string(),
            x,
            y,
            NUMBER,
            Anchor::Middle,
            palette::MUTED,
        );
    }
}

const CHIP: f32 = 20.0;
const BETWEEN: f32 = 18.0;

/// The position of each label: its x, and its line.
fn flow(items: &[StatusItem], line_width: f32, stacked: bool) -> Vec<(f32, usize)> {
    let (mut x, mut line) = (0.0, 0);
    let mut places = Vec::new();
    for item in items {
        let wide = label_width(item);
        if x > 0.0 && (stacked || x + wide > line_width + 0.5) {
            (x, line) = (0.0, line + 1);
        }
        places.push((x, line));
        x += wide + BETWEEN;
    }
    places
}

fn label_width(item: &StatusItem) -> f32 {
    letters::width(&item.label, WORD) + 8.0 + chip_width(item)
}

fn chip_width(item: &StatusItem) -> f32 {
    let value = letters::width(&item.value, WORD);
    match item.colour {
        Some(_) => CHIP.max(value + 10.0),
        None => value,
    }
}

fn draw_label(svg: &mut String, item: &StatusItem, x: f32, baseline: f32) {
    letters::draw(
        svg,
        &item.label,
        x,
        baseline,
        WORD,
        Anchor::Start,
        palette::MUTED,
    );
    let x = x + letters::width(&item.label, WORD) + 8.0;
    let Some(colour) = item.colour else {
        letters::draw(
            svg,
            &item.value,
            x,
            baseline,
            WORD,
            Anchor::Start,
            palette::INK,
        );
        return;
    };
    let (fill, wide) = (palette::piece(colour), chip_width(item));
    let _ = write!(
        svg,
        r#"<rect x="{}" y="{}" width="{}" height="{CHIP}" rx="4" fill="{}" stroke="{}"/>"#,
        round(x),
        round(baseline - WORD / 2.0 - CHIP / 2.0),
        round(wide),
        fill.hex(),
        palette::INK.hex()
    );
    let middle = x + wide / 2.0;
    letters::draw(
        svg,
        &item.value,
        middle,
        baseline,
        WORD,
        Anchor::Middle,
        fill.ink(),
    );
}

fn wrap(body: &str, (width, height): (f32, f32), title: &str, scale: u32) -> String {
    let pixels = |units: f32| ((units * scale as f32 / CELL).ceil() as u32).max(1);
    let (width, height) = (round(width), round(height));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"{}\"/>\n{body}</svg>\n",
        pixels(width),
        pixels(height),
        escape(title),
        palette::PAPER.hex()
    )
}

/// Escapes text for XML.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\n' | '\t' => escaped.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => escaped.push(c),
        }
    }
    escaped
}
