//! Every game is played to the goal by keys, and drawn on screens of all sizes.

use std::time::Duration;

use ployglot_base::Budget;
use ployglot_games::{Document, Game, GameVisitor, Level, Side, visit_games};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::draw::{self, Capabilities};
use super::hint::{self, Advice};
use super::session::{Key, Message, Mode, Par, Request, Session};

const PLAIN: Capabilities = Capabilities {
    unicode: false,
    colours: false,
};

fn level<G: Game>(text: &str) -> Level<G> {
    Level::parse(&Document::parse(text).expect("a text")).expect("a level")
}

fn levels<G: Game>() -> impl Iterator<Item = Level<G>> {
    G::LEVELS.iter().map(|builtin| level(builtin.text))
}

fn session<G: Game>(level: &Level<G>) -> Session<G> {
    Session::new(level, G::MEASURES[0].name)
}

/// The screen as text.
fn screen<G: Game>(session: &Session<G>, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test terminal");
    let view = session.view();
    terminal
        .draw(|frame| draw::draw(frame, session, &view, false, PLAIN))
        .expect("drawn");
    terminal.backend().to_string()
}

/// The solver's answer for the current state.
fn advice<G: Game>(session: &Session<G>) -> Advice {
    let text = session.level.print_at(session.state());
    let time = Duration::from_secs(20);
    hint::advise::<G>(
        &text,
        session.measure,
        time,
        &Budget::unlimited().with_time(time),
    )
}

/// The arrow keys that move the cursor to a cell.
fn path_to<G: Game>(session: &Session<G>, cell: (i32, i32)) -> Option<Vec<Key>> {
    let mut seen = vec![session.cursor];
    let mut queue = std::collections::VecDeque::from([(session.clone(), Vec::new())]);
    while let Some((here, keys)) = queue.pop_front() {
        if here.cursor == cell {
            return Some(keys);
        }
        for side in Side::ALL {
            let mut there = here.clone();
            there.press(Key::Arrow(side));
            if !seen.contains(&there.cursor) {
                seen.push(there.cursor);
                let mut keys = keys.clone();
                keys.push(Key::Arrow(side));
                queue.push_back((there, keys));
            }
        }
    }
    None
}

/// The keys that make a move.
fn keys<G: Game>(session: &Session<G>, mv: G::Move) -> Vec<Key> {
    let grip = session.level.game.gesture(session.state(), mv);
    let arrow = grip.toward.map(Key::Arrow);
    if session.plays_at_once() {
        return arrow.into_iter().collect();
    }
    let mut keys = path_to(session, (grip.row, grip.col)).expect("every grip can be reached");
    keys.push(Key::Enter);
    let mut there = session.clone();
    for &key in &keys {
        there.press(key);
    }
    if there.mode == Mode::Held {
        keys.extend(arrow);
    }
    keys
}

/// A check for every game.
macro_rules! for_every_game {
    ($name:ident, $level:ident => $body:block) => {
        #[test]
        fn $name() {
            struct Check;
            impl GameVisitor for Check {
                fn visit<G: Game>(&mut self) {
                    for $level in levels::<G>() $body
                }
            }
            visit_games(&mut Check);
        }
    };
}

#[test]
fn the_first_level_of_each_game_is_played_to_the_goal_by_keys() {
    struct Check;
    impl GameVisitor for Check {
        fn visit<G: Game>(&mut self) {
            let level = levels::<G>().next().expect("a game has levels");
            let mut session = session(&level);
            let mut moves = 0;
            while !session.at_goal() {
                let Advice::Best { mv, .. } = advice(&session) else {
                    panic!("{}: the first level is solvable", G::NAME)
                };
                let mv = level.game.parse_move(session.state(), &mv).expect("a move");
                let keys = keys(&session, mv);
                let (last, before) = keys.split_last().expect("a key");
                for &key in before {
                    assert_eq!(session.press(key), Request::Nothing, "{}", G::NAME);
                }
                assert!(
                    matches!(session.press(*last), Request::Animate(_)),
                    "{}",
                    G::NAME
                );
                moves += 1;
                assert!(moves < 100);
            }
            assert!(
                matches!(&session.message, Message::Success(text) if text.contains("this is optimal")),
                "{:?}",
                session.message
            );
            let text = super::plan_text(&session);
            assert!(text.contains("; the goal is reached"), "{text}");
            let plan =
                ployglot_games::plan::parse(&level.game, &text).expect("printed plans can be read");
            assert_eq!(plan, session.plan());
        }
    }
    visit_games(&mut Check);
}

for_every_game!(every_grip_can_be_reached_by_arrows, level => {
    let session = session(&level);
    let game = &level.game;
    if !session.plays_at_once() {
        for mv in game.writable_moves(session.state()) {
            let grip = game.gesture(session.state(), mv);
            assert!(path_to(&session, (grip.row, grip.col)).is_some(), "{}: {grip:?}\n{}", G::NAME, level.print());
        }
    }
});

for_every_game!(every_level_is_drawn_on_screens_of_every_size, level => {
    let session = session(&level);
    for (width, height) in [(80, 24), (200, 70), (40, 12), (20, 8), (16, 7), (5, 3), (1, 1)] {
        screen(&session, width, height);
    }
    let title = level.title().expect("a title").to_string();
    assert!(screen(&session, 80, 24).contains(&title));
});

mod by_hand {
    use super::*;
    use ployglot_games::Text;
    use ployglot_games::template::Template;

    fn template_session() -> Session<Template> {
        session(&level("game: template\npar: 3\n.T..X\n"))
    }

    fn press(session: &mut Session<Template>, keys: &str) {
        for c in keys.chars() {
            session.press(match c {
                '<' => Key::Arrow(Side::Left),
                '>' => Key::Arrow(Side::Right),
                '\n' => Key::Enter,
                '\u{8}' => Key::Backspace,
                c => Key::Char(c),
            });
        }
    }

    fn board(session: &Session<Template>) -> String {
        session.level.game.write(session.state()).rows.concat()
    }

    #[test]
    fn undo_and_redo_go_through_a_restart() {
        let mut session = template_session();
        press(&mut session, ">>x");
        assert_eq!(
            (board(&session).as_str(), session.plan().len()),
            (".T..X", 0)
        );
        press(&mut session, "u");
        assert_eq!(
            (board(&session).as_str(), session.plan().len()),
            ("...TX", 2)
        );
        press(&mut session, "uur");
        assert_eq!(board(&session), "..T.X");
        press(&mut session, "u<r");
        assert_eq!(
            board(&session),
            "T...X",
            "a new move removes what was undone"
        );
        assert_eq!(
            session.message,
            Message::Refusal("There is nothing to redo.".to_string())
        );
    }

    #[test]
    fn a_refused_move_shows_the_reason_and_changes_nothing() {
        let mut session = template_session();
        press(&mut session, "<<");
        let reason = "The row ends there: the token cannot step left.";
        assert_eq!(session.message, Message::Refusal(reason.to_string()));
        assert_eq!(session.plan().len(), 1);
        assert!(screen(&session, 80, 24).contains(reason));
    }

    #[test]
    fn a_move_can_be_typed() {
        let mut session = template_session();
        press(&mut session, ":righty\u{8}\n");
        assert_eq!(board(&session), "..T.X");
        press(&mut session, ":fly\n");
        assert!(
            matches!(&session.message, Message::Refusal(text) if text.starts_with("A move is"))
        );
        press(&mut session, ":u");
        assert_eq!(session.mode, Mode::Typing("u".to_string()));
    }

    #[test]
    fn the_goal_is_reported_with_the_par() {
        let mut session = template_session();
        press(&mut session, "<>>>");
        assert_eq!(session.message, Message::None);
        press(&mut session, ">");
        let Message::Success(text) = &session.message else {
            panic!("not the goal: {:?}", session.message)
        };
        assert_eq!(
            text,
            "Goal! 5 steps; par is 3. Try to save 2 (u: undo, x: restart)."
        );
        let text = screen(&session, 80, 24);
        assert!(text.contains("5 steps  |  par 3 steps"), "{text}");
    }

    #[test]
    fn a_hint_is_the_best_move_or_that_there_is_no_plan() {
        let mut session = template_session();
        assert_eq!(session.press(Key::Char('h')), Request::Hint);
        let found = advice(&session);
        assert_eq!(
            found,
            Advice::Best {
                mv: "right".to_string(),
                cost: 3
            }
        );
        let state = *session.state();
        session.show_advice(&state, found.clone());
        assert_eq!(
            session.message,
            Message::Hint("Hint: right. The goal is 3 steps from here.".to_string())
        );
        // An answer is ignored if the player has left the state that it is for.
        session.press(Key::Char('h'));
        press(&mut session, ">");
        session.show_advice(&state, found);
        assert_eq!(session.message, Message::None);

        let unsolvable: Session<Template> = super::session(&level("game: template\n.T.\n"));
        assert_eq!(advice(&unsolvable), Advice::Lost);
        assert_eq!(advice(&unsolvable).par(None), Par::Unsolvable);
    }

    #[test]
    fn par_is_computed_if_the_level_does_not_have_it() {
        let level: Level<Template> = level("game: template\nT.X\n");
        let session = session(&level);
        assert_eq!(session.par, Par::Searching);
        let job = hint::start(
            &level,
            session.state(),
            session.measure,
            Duration::from_secs(20),
            None,
        );
        let job = job.expect("a thread");
        let clock = Budget::unlimited();
        let found = loop {
            if let Some(advice) = job.answer() {
                break advice;
            }
            assert!(clock.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(found.par(Some(0)), Par::Cost(2));
    }
}
