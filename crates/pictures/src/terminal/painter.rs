//! Draws grounds, walls and pieces as characters.

use ployglot_base::text::is_printable;
use ployglot_games::{Cell, Ground, Piece, Shape, Side, View};

use super::signs::{Lines, nameless, outline, sides};
use super::{BLANK, Drawing, Glyph, Look, Size};
use crate::palette::{self, Rgb};

/// The layout of a drawing.
#[derive(Clone, Copy)]
pub(super) struct Metrics {
    /// Width and height of a cell, in characters.
    pub(super) wide: usize,
    pub(super) high: usize,
    /// The distance from one cell to the next; one more than the cell where there are walls between
    /// cells.
    pub(super) pitch: (usize, usize),
    /// 1 where there are walls between cells, else 0.
    pub(super) gap: usize,
    /// The column where the board begins, after the row numbers.
    pub(super) left: usize,
}

impl Metrics {
    pub(super) fn of(view: &View, size: Size) -> Metrics {
        let walled = view.cells.cells().iter().any(|cell| cell.walls != 0);
        // A pipe that cannot be turned, or that the path must pass, needs a mark beside its lines.
        let marked = view
            .pieces
            .iter()
            .any(|piece| is_fixed(piece.shape) || is_pipe_on_goal(view, piece));
        let (wide, high) = match size {
            Size::Small if marked => (5, 1),
            Size::Small => (3, 1),
            Size::Large => (7, 3),
        };
        let gap = usize::from(walled);
        Metrics {
            wide,
            high,
            pitch: (wide + gap, high + gap),
            gap,
            left: view.cells.rows().to_string().len() + 1,
        }
    }
}

fn is_pipe_on_goal(view: &View, piece: &Piece) -> bool {
    matches!(piece.shape, Shape::Pipe { .. }) && cell_of(view, piece).is_some_and(|cell| cell.goal)
}

/// The cell that a piece is on; `None` outside the board.
fn cell_of(view: &View, piece: &Piece) -> Option<Cell> {
    let index = |at: f32| usize::try_from(at.round() as i32 - 1).ok();
    view.cells
        .get(index(piece.row)?, index(piece.col)?)
        .copied()
}

fn is_fixed(shape: Shape) -> bool {
    matches!(
        shape,
        Shape::Pipe {
            fixed: true,
            end: false,
            ..
        }
    )
}

pub(super) struct Painter<'a> {
    view: &'a View,
    pub(super) look: Look,
    pub(super) metrics: Metrics,
    rows: std::ops::Range<usize>,
    cols: std::ops::Range<usize>,
    pub(super) drawing: Drawing,
}

impl<'a> Painter<'a> {
    pub(super) fn new(view: &'a View, look: Look) -> Self {
        let metrics = Metrics::of(view, look.size);
        let part = |first: usize, most: usize, all: usize| {
            let first = first.min(all);
            first..first.saturating_add(most).min(all)
        };
        let rows = part(look.window.row, look.window.rows, view.cells.rows());
        let cols = part(look.window.col, look.window.cols, view.cells.cols());
        let rim = if view.rim { 2 } else { 0 };
        let width = metrics.left + (cols.len() + rim) * metrics.pitch.0 + metrics.gap;
        let height = 1 + (rows.len() + rim) * metrics.pitch.1 + metrics.gap;
        Self {
            view,
            look,
            metrics,
            rows,
            cols,
            drawing: Drawing {
                lines: vec![vec![BLANK; width]; height],
            },
        }
    }

    /// The top left character of a cell counted from 1, or of a rim cell; `None` outside the
    /// window.
    fn corner(&self, row: i32, col: i32) -> Option<(usize, usize)> {
        let rim = i32::from(self.view.rim);
        let down = row - self.rows.start as i32 - 1 + rim;
        let right = col - self.cols.start as i32 - 1 + rim;
        let inside = |at: i32, cells: usize| (0..cells as i32 + 2 * rim).contains(&at);
        (inside(down, self.rows.len()) && inside(right, self.cols.len())).then(|| {
            (
                self.metrics.left + self.metrics.gap + right as usize * self.metrics.pitch.0,
                1 + self.metrics.gap + down as usize * self.metrics.pitch.1,
            )
        })
    }

    /// Puts a sign. On the terminal's own ground, whose colour is not known, its ink is one that can
    /// be read on any.
    pub(super) fn sign(&mut self, x: usize, y: usize, glyph: Glyph) {
        let ink = match glyph.fill {
            None => glyph.ink.map(Rgb::on_any_ground),
            Some(_) => glyph.ink,
        };
        self.put(x, y, Glyph { ink, ..glyph });
    }

    pub(super) fn put(&mut self, x: usize, y: usize, glyph: Glyph) {
        if let Some(place) = self
            .drawing
            .lines
            .get_mut(y)
            .and_then(|line| line.get_mut(x))
        {
            *place = glyph;
        }
    }

    fn write(&mut self, x: usize, y: usize, text: &str) {
        for (index, sign) in text.chars().enumerate() {
            self.put(x + index, y, Glyph { sign, ..BLANK });
        }
    }

    /// The position of the middle character of a cell, given its top left one.
    pub(super) fn middle(&self, (x, y): (usize, usize)) -> (usize, usize) {
        (x + self.metrics.wide / 2, y + self.metrics.high / 2)
    }

    pub(super) fn numbers(&mut self) {
        for row in self.rows.clone() {
            let number = (row + 1).to_string();
            if let Some(corner) = self.corner(row as i32 + 1, self.cols.start as i32 + 1) {
                let (_, y) = self.middle(corner);
                let x = self.metrics.left - 1 - number.len();
                self.write(x, y, &number);
            }
        }
        // Where the numbers would touch, only every fifth is written.
        let longest = self.cols.end.to_string().len();
        let every = if longest < self.metrics.pitch.0 { 1 } else { 5 };
        for col in self.cols.clone().filter(|col| (col + 1) % every == 0) {
            let number = (col + 1).to_string();
            if let Some(corner) = self.corner(self.rows.start as i32 + 1, col as i32 + 1) {
                let (x, _) = self.middle(corner);
                self.write(x + 1 - number.len().div_ceil(2), 0, &number);
            }
        }
    }

    pub(super) fn grounds(&mut self) {
        for row in self.rows.clone() {
            for col in self.cols.clone() {
                let cell = self.view.cells[(row, col)];
                let corner = self
                    .corner(row as i32 + 1, col as i32 + 1)
                    .expect("inside the window");
                self.ground(&cell, corner);
            }
        }
    }

    fn ground(&mut self, cell: &Cell, (x, y): (usize, usize)) {
        let unicode = self.look.unicode;
        let pick = |plain: char, fine: char| if unicode { fine } else { plain };
        // The sign that fills the cell, the sign in its middle, and the colours.
        let (all, middle, ink, fill) = match cell.ground {
            Ground::Void => (' ', ' ', None, None),
            Ground::Floor => (' ', pick('.', '·'), Some(palette::MUTED), None),
            Ground::Wall => (pick('#', '█'), pick('#', '█'), Some(palette::WALL), None),
            Ground::Ice => ('~', '~', Some(Rgb(0x3b, 0x7d, 0x9c)), Some(palette::ICE)),
            Ground::Hole => (pick(':', '░'), pick(':', '░'), Some(palette::MUTED), None),
        };
        let (middle_x, middle_y) = self.middle((x, y));
        for down in 0..self.metrics.high {
            for right in 0..self.metrics.wide {
                let sign = if (x + right, y + down) == (middle_x, middle_y) {
                    middle
                } else {
                    all
                };
                let glyph = Glyph {
                    sign,
                    ink,
                    fill,
                    bold: false,
                };
                self.sign(x + right, y + down, glyph);
            }
        }
        if cell.goal {
            let middle = if cell.ground == Ground::Ice { '~' } else { ' ' };
            self.sign(
                middle_x,
                middle_y,
                Glyph {
                    sign: middle,
                    ink,
                    fill,
                    bold: false,
                },
            );
            self.goal((x, y), fill, 0);
        }
    }

    /// The braces of a goal; with `skip` 1, the right one only. In a large cell they are as high as
    /// the cell.
    fn goal(&mut self, (x, y): (usize, usize), fill: Option<Rgb>, skip: usize) {
        let fine = self.look.unicode && self.metrics.high > 1;
        let signs: [&str; 2] = if fine {
            ["⎧⎨⎩", "⎫⎬⎭"]
        } else {
            ["{{{", "}}}"]
        };
        for down in 0..self.metrics.high {
            let part = if self.metrics.high == 1 { 1 } else { down };
            let sides = [x, x + self.metrics.wide - 1].into_iter().enumerate();
            for (index, x) in sides.skip(skip) {
                let sign = signs[index].chars().nth(part.min(2)).expect("three parts");
                let glyph = Glyph {
                    sign,
                    ink: Some(palette::piece(7)),
                    fill,
                    bold: true,
                };
                self.sign(x, y + down, glyph);
            }
        }
    }

    /// Walls between cells, in the gaps.
    pub(super) fn walls(&mut self) {
        if self.metrics.gap == 0 {
            return;
        }
        let unicode = self.look.unicode;
        let pick = |plain: char, fine: char| if unicode { fine } else { plain };
        let glyph = |sign| Glyph {
            sign,
            bold: true,
            ..BLANK
        };
        for row in self.rows.clone() {
            for col in self.cols.clone() {
                let walls = self.view.cells[(row, col)].walls;
                let (x, y) = self
                    .corner(row as i32 + 1, col as i32 + 1)
                    .expect("inside the window");
                let (wide, high) = (self.metrics.wide, self.metrics.high);
                for side in Side::ALL
                    .into_iter()
                    .filter(|&side| walls & (1 << side as u8) != 0)
                {
                    match side {
                        Side::Up | Side::Down => {
                            let y = if side == Side::Up { y - 1 } else { y + high };
                            for right in 0..wide {
                                self.sign(x + right, y, glyph(pick('-', '━')));
                            }
                        }
                        Side::Left | Side::Right => {
                            let x = if side == Side::Left { x - 1 } else { x + wide };
                            for down in 0..high {
                                self.sign(x, y + down, glyph(pick('|', '┃')));
                            }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn piece(&mut self, piece: &Piece) {
        let (row, col) = (piece.row.round() as i32, piece.col.round() as i32);
        let Some(corner) = self.corner(row, col) else {
            return;
        };
        let cell = cell_of(self.view, piece);
        match piece.shape {
            Shape::Pipe {
                openings,
                arrow,
                end,
                ..
            } => {
                self.pipe(piece, corner, openings, arrow, end);
                if cell.is_some_and(|cell| cell.goal) {
                    self.goal(corner, None, 0);
                }
            }
            Shape::Barred => {
                let sign = if self.look.unicode { '×' } else { 'x' };
                let (x, y) = self.middle(corner);
                let glyph = Glyph {
                    sign,
                    ink: Some(palette::piece(1)),
                    fill: None,
                    bold: true,
                };
                self.sign(x, y, glyph);
            }
            Shape::Sprite(sprite) => self.sprite(piece, &sprite, corner),
            _ => self.solid(piece, corner, cell),
        }
    }

    /// A piece with a body: its letter, its sides, and in a large cell its outline.
    fn solid(&mut self, piece: &Piece, (x, y): (usize, usize), cell: Option<Cell>) {
        let fill = palette::piece(piece.colour);
        let body = |sign| Glyph {
            sign,
            ink: Some(fill.ink()),
            fill: Some(fill),
            bold: true,
        };
        let (wide, high) = (self.metrics.wide, self.metrics.high);
        let (middle_x, middle_y) = self.middle((x, y));
        let [left, right] = sides(piece);
        if high == 1 {
            self.sign(middle_x - 1, y, body(left));
            self.sign(middle_x + 1, y, body(right));
        } else {
            let outline = outline(piece, self.look.unicode);
            for (down, line) in outline.iter().enumerate() {
                for (right, sign) in line.chars().enumerate() {
                    // Round pieces do not cover the corners.
                    if sign != '\0' {
                        self.sign(x + right, y + down, body(sign));
                    }
                }
            }
            self.sign(middle_x - 2, middle_y, body(left));
            self.sign(middle_x + 2, middle_y, body(right));
        }
        let mut label = piece.label.chars().map(|c| self.spell(c));
        match (label.next(), label.next()) {
            (None | Some(' '), _) => self.sign(middle_x, middle_y, body(nameless(piece.shape))),
            (Some(only), None) => self.sign(middle_x, middle_y, body(only)),
            (Some(first), Some(second)) => {
                self.sign(middle_x - 1, middle_y, body(first));
                self.sign(middle_x, middle_y, body(second));
            }
        }
        // The ground shows at the sides.
        let ground = cell.filter(|cell| cell.goal || cell.ground == Ground::Ice);
        if let Some(cell) = ground {
            // Two letters leave room on the right only.
            let skip = usize::from(high == 1 && piece.label.chars().count() > 1);
            let ice = cell.ground == Ground::Ice;
            let under = ice.then_some(palette::ICE);
            if cell.goal {
                self.goal((x, y), under, skip);
            } else {
                for down in 0..high {
                    for x in [x, x + wide - 1].into_iter().skip(skip) {
                        let glyph = Glyph {
                            sign: '~',
                            ink: Some(Rgb(0x3b, 0x7d, 0x9c)),
                            fill: under,
                            bold: false,
                        };
                        self.sign(x, y + down, glyph);
                    }
                }
            }
        }
    }

    fn pipe(
        &mut self,
        piece: &Piece,
        (x, y): (usize, usize),
        openings: u8,
        arrow: Option<Side>,
        end: bool,
    ) {
        let open = |side: Side| openings & (1 << side as u8) != 0;
        let lines = Lines::of(self.look.unicode, piece.lit);
        let (wide, high) = (self.metrics.wide, self.metrics.high);
        let (middle_x, middle_y) = self.middle((x, y));
        let ink = if piece.lit {
            Some(palette::FLOW)
        } else {
            (piece.colour != 0).then(|| palette::piece(piece.colour))
        };
        let glyph = |sign| Glyph {
            sign,
            ink,
            fill: None,
            bold: piece.lit,
        };
        for down in 0..high {
            for right in 0..wide {
                self.sign(x + right, y + down, BLANK);
            }
        }
        for at in x..x + wide {
            let side = if at < middle_x {
                Side::Left
            } else {
                Side::Right
            };
            if at != middle_x && open(side) {
                self.sign(at, middle_y, glyph(lines.flat));
            }
        }
        for at in y..y + high {
            let side = if at < middle_y { Side::Up } else { Side::Down };
            if at != middle_y && open(side) {
                self.sign(middle_x, at, glyph(lines.upright));
            }
        }
        let middle = match arrow {
            _ if end => Glyph {
                bold: true,
                ..glyph('B')
            },
            Some(side) => glyph(lines.arrows[side as usize]),
            None => glyph(lines.joint(openings)),
        };
        self.sign(middle_x, middle_y, middle);
        if is_fixed(piece.shape) {
            self.sign(
                middle_x + 1,
                middle_y,
                Glyph {
                    bold: true,
                    ..glyph('!')
                },
            );
        }
    }

    pub(super) fn cursor(&mut self, (row, col): (i32, i32)) {
        let Some((x, y)) = self.corner(row, col) else {
            return;
        };
        let (wide, high) = (self.metrics.wide, self.metrics.high);
        for down in 0..high {
            let middle = down == high / 2;
            for (x, sign) in [(x, '>'), (x + wide - 1, '<')] {
                let glyph = Glyph {
                    sign: if middle { sign } else { ' ' },
                    ink: Some(palette::INK),
                    fill: Some(palette::LIGHT),
                    bold: true,
                };
                self.sign(x, y + down, glyph);
            }
        }
    }

    /// The letter, or `?` if this terminal cannot show it.
    pub(super) fn spell(&self, c: char) -> char {
        if !is_printable(c) || !(self.look.unicode || c.is_ascii()) {
            '?'
        } else {
            c
        }
    }
}
