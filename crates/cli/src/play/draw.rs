//! Draws the screen of the game: a title, the board, the moves so far and the par, a message, and
//! the keys.

use ployglot_base::text::printable;
use ployglot_games::{Game, View};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::session::{Message, Mode, Par, Session};
use ployglot_io::row::amount;
use ployglot_pictures::palette::{self, Rgb};
use ployglot_pictures::terminal::{self, Glyph, Look, Size, Window};

/// What the terminal can show.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    pub unicode: bool,
    pub colours: bool,
}

/// The smallest terminal, in columns and lines, on which a board is drawn.
const SMALLEST: (u16, u16) = (16, 7);

/// Draws the game; `shown` is the board, which may be a frame of an animation (`moving`).
pub fn draw<G: Game>(
    frame: &mut Frame,
    session: &Session<G>,
    shown: &View,
    moving: bool,
    capabilities: Capabilities,
) {
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        frame.render_widget(
            Paragraph::new("The terminal is too small; q quits.").wrap(Wrap { trim: true }),
            area,
        );
        return;
    }
    let keys = keys(session);
    let keys = Paragraph::new(keys)
        .style(dim(capabilities))
        .wrap(Wrap { trim: true });
    let text_lines = if area.width < 76 { 2 } else { 1 };
    let [title, board, status, message_area, help] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(text_lines),
        Constraint::Length(text_lines),
    ])
    .areas(area);
    let name = session.level.title().unwrap_or("A level");
    let name = printable(name).into_owned();
    let line = Line::from(vec![
        Span::styled(name, Style::new().add_modifier(Modifier::BOLD)),
        Span::styled(format!("  {}", G::NAME), dim(capabilities)),
    ]);
    frame.render_widget(line, title);
    draw_board(
        frame.buffer_mut(),
        board,
        session,
        shown,
        moving,
        capabilities,
    );
    frame.render_widget(Line::from(status_line(session)), status);
    frame.render_widget(
        message(session, capabilities).wrap(Wrap { trim: true }),
        message_area,
    );
    frame.render_widget(keys, help);
}

fn draw_board<G: Game>(
    buffer: &mut Buffer,
    area: Rect,
    session: &Session<G>,
    shown: &View,
    moving: bool,
    capabilities: Capabilities,
) {
    let status_lines = usize::from(!shown.status.is_empty());
    let (width, height) = (
        usize::from(area.width),
        usize::from(area.height).saturating_sub(status_lines),
    );
    let fits = |size| {
        let (columns, lines) = terminal::size_of(shown, size);
        columns <= width && lines <= height
    };
    let size = if fits(Size::Large) {
        Size::Large
    } else {
        Size::Small
    };
    let (rows, cols) = terminal::cells_within(shown, size, width, height);
    // If the board is larger than the screen, the part around the cursor is shown.
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
        unicode: capabilities.unicode,
        size,
        window,
        cursor,
    };
    let drawing = terminal::draw(shown, look);
    for (y, line) in (area.top()..area.bottom()).zip(&drawing.lines) {
        for (x, glyph) in (area.left()..area.right()).zip(line) {
            buffer[(x, y)]
                .set_char(glyph.sign)
                .set_style(style(glyph, capabilities));
        }
    }
}

fn style(glyph: &Glyph, capabilities: Capabilities) -> Style {
    let mut style = Style::new();
    if capabilities.colours {
        let colour = |rgb: Rgb| Color::Indexed(rgb.indexed());
        style.fg = glyph.ink.map(colour);
        style.bg = glyph.fill.map(colour);
    }
    if glyph.bold {
        style = style.add_modifier(Modifier::BOLD);
    }
    style
}

fn dim(capabilities: Capabilities) -> Style {
    if capabilities.colours {
        Style::new().fg(Color::Indexed(palette::MUTED.on_any_ground().indexed()))
    } else {
        Style::new()
    }
}

/// The cost so far, and the par.
fn status_line<G: Game>(session: &Session<G>) -> String {
    let moves = session.plan().len();
    let so_far = match session.cost() {
        Some(cost) => amount(cost, session.measure),
        None if moves == 1 => "1 move".to_string(),
        None => format!("{moves} moves"),
    };
    let par = match session.par {
        Par::Cost(par) => format!("par {}", amount(par, session.measure)),
        Par::Unsolvable => "unsolvable".to_string(),
        Par::Searching => "par \u{2026}".to_string(),
        Par::Unknown => "par unknown".to_string(),
    };
    format!("{so_far}  |  {par}")
}

fn message<G: Game>(session: &Session<G>, capabilities: Capabilities) -> Paragraph<'static> {
    let ink = |rgb: Rgb| {
        let style = Style::new().add_modifier(Modifier::BOLD);
        if capabilities.colours {
            style.fg(Color::Indexed(rgb.on_any_ground().indexed()))
        } else {
            style
        }
    };
    let (text, style) = match (&session.mode, &session.message) {
        (Mode::Typing(text), _) => (format!(":{text}_"), Style::new()),
        (_, Message::None) => (String::new(), Style::new()),
        (_, Message::Info(text)) => (text.clone(), Style::new()),
        (_, Message::Refusal(text)) => (text.clone(), ink(palette::piece(1))),
        (_, Message::Hint(text)) => (text.clone(), ink(palette::piece(8))),
        (_, Message::Success(text)) => (text.clone(), ink(palette::piece(2))),
    };
    Paragraph::new(text).style(style)
}

fn keys<G: Game>(session: &Session<G>) -> String {
    let arrows = match session.mode {
        Mode::Typing(_) => return "Enter plays the move  Esc cancels".to_string(),
        Mode::Held => "arrows move it  Esc cancels",
        Mode::Free if session.plays_at_once() => "arrows move",
        Mode::Free => "arrows select  Enter takes",
    };
    format!("{arrows}  : type  u undo  r redo  x restart  h hint  q quit")
}
