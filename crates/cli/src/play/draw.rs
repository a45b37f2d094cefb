//! The screen of the game: a title, the board as large as it fits, the moves against par, a sentence, and the keys.

use ployglot_games::{Game, View};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::session::{Known, Mode, Says, Session};
use ployglot_io::row::amount;
use ployglot_pictures::palette::{self, Rgb};
use ployglot_pictures::terminal::{self, Glyph, Look, Size, Window};

/// What the terminal can show.
#[derive(Clone, Copy, Debug)]
pub struct Ability {
    pub unicode: bool,
    pub colours: bool,
}

/// Smaller screens show no board.
const LEAST: (u16, u16) = (16, 7);

/// Draws the game; `shown` is the board, which may be in the middle of a film.
pub fn draw<G: Game>(
    frame: &mut Frame,
    session: &Session<G>,
    shown: &View,
    moving: bool,
    able: Ability,
) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        frame.render_widget(
            Paragraph::new("This terminal is too small; q quits.").wrap(Wrap { trim: true }),
            area,
        );
        return;
    }
    let keys = keys(session);
    let keys = Paragraph::new(keys)
        .style(dim(able))
        .wrap(Wrap { trim: true });
    let narrow = if area.width < 76 { 2 } else { 1 };
    let [title, board, status, says, help] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(narrow),
        Constraint::Length(narrow),
    ])
    .areas(area);
    let name = session.level.title().unwrap_or("A level");
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let line = Line::from(vec![
        Span::styled(name, Style::new().add_modifier(Modifier::BOLD)),
        Span::styled(format!("  {}", G::NAME), dim(able)),
    ]);
    frame.render_widget(line, title);
    draw_board(frame.buffer_mut(), board, session, shown, moving, able);
    frame.render_widget(Line::from(tally(session)), status);
    frame.render_widget(message(session, able).wrap(Wrap { trim: true }), says);
    frame.render_widget(keys, help);
}

fn draw_board<G: Game>(
    buffer: &mut Buffer,
    area: Rect,
    session: &Session<G>,
    shown: &View,
    moving: bool,
    able: Ability,
) {
    let words = usize::from(!shown.status.is_empty());
    let (wide, high) = (
        usize::from(area.width),
        usize::from(area.height) - words.min(usize::from(area.height)),
    );
    let fits = |size| {
        let (width, height) = terminal::size_of(shown, size);
        width <= wide && height <= high
    };
    let size = if fits(Size::Large) {
        Size::Large
    } else {
        Size::Small
    };
    let (rows, cols) = terminal::cells_within(shown, size, wide, high);
    // Where the board is larger than the screen, the part around the cursor is shown.
    let first = |at: i32, shown: usize, all: usize| {
        let before = usize::try_from(at)
            .unwrap_or(0)
            .saturating_sub(shown / 2 + 1);
        before.min(all.saturating_sub(shown))
    };
    let window = Window {
        row: first(session.cursor.0, rows, shown.cells.rows()),
        col: first(session.cursor.1, cols, shown.cells.cols()),
        rows,
        cols,
    };
    let cursor = (!moving && !session.plays_at_once()).then_some(session.cursor);
    let look = Look {
        unicode: able.unicode,
        size,
        window,
        cursor,
    };
    let drawing = terminal::draw(shown, look);
    for (y, line) in (area.top()..area.bottom()).zip(&drawing.lines) {
        for (x, glyph) in (area.left()..area.right()).zip(line) {
            buffer[(x, y)]
                .set_char(glyph.sign)
                .set_style(style(glyph, able));
        }
    }
}

fn style(glyph: &Glyph, able: Ability) -> Style {
    let mut style = Style::new();
    if able.colours {
        let colour = |rgb: Rgb| Color::Indexed(rgb.indexed());
        style.fg = glyph.ink.map(colour);
        style.bg = glyph.fill.map(colour);
    }
    if glyph.bold {
        style = style.add_modifier(Modifier::BOLD);
    }
    style
}

fn dim(able: Ability) -> Style {
    if able.colours {
        Style::new().fg(Color::Indexed(Rgb(0x8a, 0x88, 0x80).indexed()))
    } else {
        Style::new()
    }
}

/// The moves so far against par.
fn tally<G: Game>(session: &Session<G>) -> String {
    let moves = session.plan().len();
    let so_far = match session.cost() {
        Some(cost) => amount(cost, session.measure),
        None if moves == 1 => "1 move".to_string(),
        None => format!("{moves} moves"),
    };
    let par = match session.par {
        Known::Cost(par) => format!("par {}", amount(par, session.measure)),
        Known::Unsolvable => "no plan exists".to_string(),
        Known::Looking => "par \u{2026}".to_string(),
        Known::Unknown => "par not known".to_string(),
    };
    format!("{so_far}  |  {par}")
}

fn message<G: Game>(session: &Session<G>, able: Ability) -> Paragraph<'static> {
    let ink = |rgb: Rgb| {
        let style = Style::new().add_modifier(Modifier::BOLD);
        if able.colours {
            style.fg(Color::Indexed(rgb.indexed()))
        } else {
            style
        }
    };
    let (text, style) = match (&session.mode, &session.says) {
        (Mode::Typing(text), _) => (format!(":{text}_"), Style::new()),
        (_, Says::Nothing) => (String::new(), Style::new()),
        (_, Says::Word(text)) => (text.clone(), Style::new()),
        (_, Says::Refusal(text)) => (text.clone(), ink(palette::piece(1))),
        (_, Says::Hint(text)) => (text.clone(), ink(palette::piece(8))),
        (_, Says::Cheer(text)) => (text.clone(), ink(palette::piece(2))),
    };
    Paragraph::new(text).style(style)
}

fn keys<G: Game>(session: &Session<G>) -> String {
    let arrows = match session.mode {
        Mode::Typing(_) => return "Enter plays the move  Esc forgets it".to_string(),
        Mode::Held => "arrows move it  Esc lets go",
        Mode::Free if session.plays_at_once() => "arrows move",
        Mode::Free => "arrows choose  Enter takes",
    };
    format!("{arrows}  : type  u undo  r redo  x restart  h hint  q quit")
}
