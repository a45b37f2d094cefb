//! Pictures of boards with every ground and shape, and of every game's levels and states.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ployglot_base::{Budget, Limit};
use ployglot_games::template::Template;
use ployglot_games::{
    Document, Game, GameVisitor, Ground, Level, Pictures, Piece, Random, Shape, Side, Space, Text,
    View, legal_moves, visit_games,
};
use resvg::tiny_skia::Pixmap;

use super::canvas::Canvas;
use super::scene::Scene;
use super::terminal::{self, Look, Size, Window};
use super::{NoFilm, TooLarge, film, gif, raster, svg};

fn piece(id: u32, row: usize, col: usize, shape: Shape, colour: u8, label: &str) -> Piece {
    Piece {
        id,
        row: row as f32,
        col: col as f32,
        shape,
        colour,
        label: label.to_string(),
        lit: false,
    }
}

fn pipe(sides: &[Side]) -> Shape {
    Shape::Pipe {
        openings: sides.iter().map(|&side| 1 << side as u8).sum(),
        cross: sides.len() == 4,
        arrow: None,
        fixed: false,
        end: false,
    }
}

/// Each ground, bare and as a goal; then each solid shape on floor, on a goal, on ice, and lit.
fn solids() -> View {
    let mut view = View::new(5, 5);
    let grounds = [
        Ground::Floor,
        Ground::Wall,
        Ground::Ice,
        Ground::Hole,
        Ground::Void,
    ];
    for (col, ground) in grounds.into_iter().enumerate() {
        view.cells[(0, col)].ground = ground;
    }
    let shapes = [
        Shape::Block,
        Shape::Round,
        Shape::Avatar,
        Shape::Crate,
        Shape::Shot,
    ];
    for (col, shape) in shapes.into_iter().enumerate() {
        view.cells[(2, col)].goal = true;
        view.cells[(3, col)].ground = Ground::Ice;
        for row in 1..5 {
            let label = ["R", "a", "", "10", "G"][col];
            let mut piece = piece(
                (10 * row + col) as u32,
                row + 1,
                col + 1,
                shape,
                col as u8,
                label,
            );
            piece.lit = row == 4;
            view.pieces.push(piece);
        }
    }
    view.add_status("blocks", "20");
    view
}

fn pipes() -> View {
    use Side::{Down, Left, Right, Up};
    let mut view = View::new(2, 5);
    let end = Shape::Pipe {
        openings: 0b1010,
        cross: false,
        arrow: None,
        fixed: true,
        end: true,
    };
    let one_way = Shape::Pipe {
        openings: 0b0101,
        cross: false,
        arrow: Some(Down),
        fixed: true,
        end: false,
    };
    let shapes = [
        [
            end,
            pipe(&[Left, Right]),
            pipe(&[Left, Down]),
            pipe(&[Right, Down]),
            one_way,
        ],
        [
            pipe(&[Up, Right]),
            pipe(&[Left, Up]),
            pipe(&[Up, Down]),
            pipe(&Side::ALL),
            pipe(&[Left, Right]),
        ],
    ];
    for (row, shapes) in shapes.into_iter().enumerate() {
        for (col, shape) in shapes.into_iter().enumerate() {
            let mut piece = piece((5 * row + col) as u32, row + 1, col + 1, shape, 0, "B");
            piece.lit = row == 0 && col < 3;
            view.pieces.push(piece);
        }
    }
    view
}

fn rimmed() -> View {
    let mut view = View::new(1, 2);
    view.rim = true;
    view.pieces.push(piece(0, 1, 1, Shape::Block, 2, "G"));
    view.pieces.push(piece(1, 1, 0, Shape::Barred, 0, "x"));
    view.pieces.push(piece(2, 0, 2, Shape::Shot, 1, "R"));
    view.cells[(0, 0)].walls = 1 << Side::Right as u8 | 1 << Side::Down as u8;
    view
}

/// The drawing without colours.
fn plain(view: &View, look: Look) -> String {
    let drawing = terminal::draw(view, look);
    let line = |line: &Vec<terminal::Glyph>| -> String {
        let signs: String = line.iter().map(|glyph| glyph.sign).collect();
        format!("{}\n", signs.trim_end())
    };
    drawing.lines.iter().map(line).collect()
}

#[test]
fn every_ground_and_shape_has_its_signs() {
    let expected = "   1  2  3  4  5
1  . ###~~~:::
2  R (a)<@>10]*G*
3 {R}{a}{@}10}{G}
4 ~R~~a~~@~10~~G~
5 !R!!a!!@!10!!G!
blocks: 20
";
    assert_eq!(plain(&solids(), Look::PLAIN), expected);
}

#[test]
fn pipes_are_drawn_as_pipes() {
    let unicode = Look {
        unicode: true,
        ..Look::PLAIN
    };
    let expected = "    1    2    3    4    5
1 ━━B━━━━━━━━━┓    ┌──  ▼!
2   └────┘    │  ──┼───────
";
    assert_eq!(plain(&pipes(), unicode), expected);
    let expected = "    1    2    3    4    5
1 ==B=========.    .--  v!
2   '----'    |  --+-------
";
    assert_eq!(plain(&pipes(), Look::PLAIN), expected);
}

#[test]
fn the_rim_and_walls_between_cells_have_their_places() {
    let expected = "        1   2

           *R*

1   x   G | .
       ---


";
    assert_eq!(plain(&rimmed(), Look::PLAIN), expected);
}

#[test]
fn a_large_board_has_outlines() {
    let mut view = View::new(1, 3);
    view.cells[(0, 0)].goal = true;
    view.pieces = vec![
        piece(0, 1, 2, Shape::Round, 1, "R"),
        piece(1, 1, 3, Shape::Crate, 2, "$"),
    ];
    let look = Look {
        size: Size::Large,
        cursor: Some((1, 2)),
        ..Look::PLAIN
    };
    let expected = "     1      2      3
  {     } .---. +-----+
1 {     }>( R )<|[ $ ]|
  {     } '---' +-----+
";
    assert_eq!(plain(&view, look), expected);
}

#[test]
fn a_window_shows_its_part_with_its_numbers() {
    let mut view = View::new(30, 200);
    view.pieces.push(piece(0, 21, 102, Shape::Block, 1, "R"));
    let window = Window {
        row: 19,
        col: 98,
        rows: 2,
        cols: 7,
    };
    let look = Look {
        window,
        ..Look::PLAIN
    };
    let expected = "      100            105
20  .  .  .  .  .  .  .
21  .  .  .  R  .  .  .
";
    assert_eq!(plain(&view, look), expected);
}

#[test]
fn colours_are_codes_around_the_same_signs() {
    let text = terminal::draw(&rimmed(), Look::PLAIN).ansi();
    assert!(text.contains("\u{1b}["), "{text:?}");
    let stripped = anstream::adapter::strip_str(&text).to_string();
    let without_ends = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.trim_end().to_string())
            .collect()
    };
    assert_eq!(
        without_ends(&stripped),
        without_ends(&plain(&rimmed(), Look::PLAIN))
    );
}

#[test]
fn svg_and_png_have_the_size_that_was_asked_for() {
    for view in [solids(), pipes(), rimmed(), View::new(1, 1)] {
        let small = svg::board(&view, "a <title> & more \u{1}", 20).expect("small enough");
        let large = svg::board(&view, "", 80).expect("small enough");
        let size = |svg: &str| {
            let png = raster::png(svg).expect("small enough");
            let pixmap = Pixmap::decode_png(&png).expect("a PNG");
            (f64::from(pixmap.width()), f64::from(pixmap.height()))
        };
        let ((w, h), (wide, high)) = (size(&small), size(&large));
        assert!(
            (wide / w - 4.0).abs() < 0.1 && (high / h - 4.0).abs() < 0.1,
            "{w}x{h}, {wide}x{high}"
        );
        assert!(
            !small.contains("<text") && !small.contains("href"),
            "needs nothing from outside"
        );
    }
}

#[test]
fn a_sheet_holds_all_boards() {
    let view = View::new(2, 3);
    let one = svg::board(&view, "", 40).expect("small enough");
    let boards = vec![(&view, "1. right"); 12];
    let sheet = svg::sheet(&boards, "", 40).expect("small enough");
    let pixels = |svg: &str| {
        let pixmap = raster::pixels(svg).expect("small enough");
        pixmap.width() * pixmap.height()
    };
    assert!(pixels(&sheet) >= 12 * pixels(&one));
}

#[test]
fn what_is_too_large_is_refused() {
    let huge = View::new(1000, 1000);
    let Err(TooLarge(why)) = svg::board(&huge, "", 48) else {
        panic!("drew a million cells")
    };
    assert!(why.contains("1000 by 1000"), "{why}");
    let large = svg::board(&View::new(100, 100), "", 400).expect("text is small");
    assert!(raster::png(&large).is_err(), "1600 million pixels");
    assert!(gif::check_length(100_000).is_err());
}

/// The frames of a GIF: their delays; and the size of the whole.
fn decode(bytes: &[u8]) -> (Vec<u16>, (u16, u16)) {
    let mut decoder = ::gif::DecodeOptions::new().read_info(bytes).expect("a GIF");
    let size = (decoder.width(), decoder.height());
    let mut delays = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        delays.push(frame.delay);
    }
    (delays, size)
}

fn film_of<G: Game>(level: &G, plan: &[G::Move], scale: u32) -> Vec<u8> {
    let say = |number: usize, mv: &str| format!("{number} {mv}");
    let opening = level.view(&level.start());
    let film = gif::Film {
        opening: (&opening, "start"),
        takes: || film::takes(level, plan, say),
        closing: "end",
    };
    assert_eq!((film.takes)().count(), plan.len());
    gif::animate(&film, scale, &Budget::unlimited()).expect("small enough")
}

/// The budget ends a film in each pass: while it is measured, while its colours are sampled, and
/// while it is drawn.
#[test]
fn a_limit_ends_a_film_in_each_pass() {
    let document = format!("game: template\nT{}X\n", ".".repeat(300));
    let document = Document::parse(&document).expect("a text");
    let level = Template::parse(&document).expect("a level");
    let plan = vec![legal_moves(&level, &level.start())[0]; 300];
    let expected = Err(NoFilm::Limit(Limit::Interrupt));
    for pass in 1..=3 {
        let made = std::cell::Cell::new(0);
        let flag = Arc::new(AtomicBool::new(false));
        let opening = level.view(&level.start());
        let film = gif::Film {
            opening: (&opening, ""),
            takes: || {
                made.set(made.get() + 1);
                flag.store(made.get() == pass, Relaxed);
                film::takes(&level, &plan, |_, mv| mv.to_string())
            },
            closing: "",
        };
        let budget = Budget::unlimited().with_interrupt(flag.clone());
        assert_eq!(gif::animate(&film, 8, &budget).map(|_| ()), expected);
        assert_eq!(made.get(), pass);
    }
}

#[test]
fn a_gif_shows_every_move_and_holds_the_last_board() {
    let document = Document::parse("game: template\nT..X\n").expect("a text");
    let level = Template::parse(&document).expect("a level");
    let plan: Vec<_> = (0..3)
        .map(|_| legal_moves(&level, &level.start())[0])
        .collect();
    let (delays, (width, height)) = decode(&film_of(&level, &plan, 40));
    assert!(delays.len() > 3 * 4, "{delays:?}");
    let last = *delays.last().expect("frames");
    assert!(
        last >= 250
            && delays[1..delays.len() - 1]
                .iter()
                .all(|&delay| delay < last),
        "{delays:?}"
    );
    assert!(
        (190..=220).contains(&width) && height > 60,
        "{width}x{height}"
    );
    assert_eq!(
        film_of(&level, &plan, 40),
        film_of(&level, &plan, 40),
        "the same film twice"
    );
    // The empty plan has a film too.
    assert!(!decode(&film_of(&level, &[], 40)).0.is_empty());
}

#[test]
fn every_state_of_every_level_can_be_drawn() {
    struct Check;
    impl GameVisitor for Check {
        fn visit<G: Game>(&mut self) {
            for (index, builtin) in G::LEVELS.iter().enumerate() {
                let document = Document::parse(builtin.text).expect(builtin.name);
                let level: Level<G> = Level::parse(&document).expect(builtin.name);
                walk(&level.game, index as u64);
            }
        }
    }
    visit_games(&mut Check);
}

/// Draws what a random walk meets.
fn walk<G: Game>(level: &G, seed: u64) {
    let mut random = Random::new(seed);
    let mut state = level.start();
    let mut plan = Vec::new();
    for _ in 0..8 {
        draw_everywhere(&level.view(&state));
        let legal = legal_moves(level, &state);
        if legal.is_empty() {
            break;
        }
        let mv = legal[random.below(legal.len())];
        for view in level.film(&state, mv) {
            draw_everywhere(&view);
        }
        plan.push(mv);
        state = level.play(&state, mv).expect("legal");
    }
    plan.truncate(2);
    redraw(level, &plan, 13);
    plan.truncate(1);
    assert!(!decode(&film_of(level, &plan, 8)).0.is_empty());
}

/// Shows the moments of a plan on one canvas, and compares its pixels with each frame drawn at once.
fn redraw<G: Game>(level: &G, plan: &[G::Move], scale: u32) {
    let takes: Vec<_> = film::takes(level, plan, |_, mv| mv.to_string()).collect();
    let layout = svg::Layout::of(
        takes.iter().flat_map(|take| &take.views),
        takes.iter().map(|take| take.caption.as_str()),
    );
    let mut canvas = Canvas::new(&layout, scale);
    for take in &takes {
        for pair in take.views.windows(2) {
            for t in [0.4, 1.0] {
                let scene = Scene::between(&pair[0], &pair[1], t);
                let whole = svg::frame(&layout, &scene, &take.caption, scale, svg::Window::ALL);
                let whole = raster::pixels(&whole).expect("small enough");
                let (shown, _) = canvas.show(scene, &take.caption).expect("small enough");
                assert_eq!(shown.data(), whole.data(), "{} at {t}", take.caption);
            }
        }
    }
}

fn draw_everywhere(view: &View) {
    for unicode in [false, true] {
        for size in [Size::Small, Size::Large] {
            let look = Look {
                unicode,
                size,
                cursor: Some((1, 1)),
                ..Look::PLAIN
            };
            let text = plain(view, look);
            assert!(unicode || text.is_ascii(), "{text}");
            let (width, height) = terminal::size_of(view, size);
            assert!(
                text.lines()
                    .take(height)
                    .all(|line| line.chars().count() <= width)
            );
        }
    }
    svg::board(view, "", 8).expect("small enough");
}
