//! Playing: a level of each game by keyboard alone, undo and redo, hints, warnings and refusals.

use crate::page::Page;
use crate::studio::{address, go, open_level, page_at, play};

/// Plays a level of the gallery with these keys, which must reach the goal.
#[track_caller]
fn reaches_the_goal(level: &str, keys: &[&str], cost: &str) {
    let Some(page) = page_at("gallery") else {
        return;
    };
    open_level(&page, level);
    press_all(&page, keys);
    page.until_text("[data-state]", "Solved");
    assert_eq!(page.text("[data-cost]"), cost);
    // The key n opens the next level.
    let title = page.text("h1");
    page.press("n");
    page.until(&format!("document.querySelector('h1').textContent !== {title:?} && document.querySelector('[data-cost]').textContent === '0'"));
    // The gallery shows that the level is solved.
    go(&page, "gallery");
    page.until(&format!(
        "!!document.querySelector('[data-level={level:?}] .solved')"
    ));
}

fn press_all(page: &Page, keys: &[&str]) {
    for key in keys {
        page.press(key);
    }
}

const UP: &str = "ArrowUp";
const RIGHT: &str = "ArrowRight";
const DOWN: &str = "ArrowDown";
const LEFT: &str = "ArrowLeft";
const ENTER: &str = "Enter";

#[test]
fn plotting_is_played_by_keyboard() {
    // The first arrow key shows the cursor at the first cell to shoot from, which is the right one.
    reaches_the_goal("plotting/02-around-the-corner", &[DOWN, ENTER], "1");
}

#[test]
fn puzznic_is_played_by_keyboard() {
    // Enter takes hold of the block.
    reaches_the_goal("puzznic/01-first-step", &[RIGHT, ENTER, RIGHT], "1");
}

#[test]
fn pipe_mania_is_played_by_keyboard() {
    reaches_the_goal("pipe-mania/01-one-turn", &[RIGHT, ENTER], "2");
}

#[test]
fn lunar_lockout_is_played_by_keyboard() {
    // b moves right and is let go; then R is chosen and moves right.
    let keys = [RIGHT, ENTER, RIGHT, "Escape", LEFT, LEFT, ENTER, RIGHT];
    reaches_the_goal("lunar-lockout/02-make-way", &keys, "2");
}

#[test]
fn bombastic_is_played_by_keyboard() {
    // The keys are pressed without waiting for the films of the steps.
    reaches_the_goal(
        "bombastic/03-cold-start",
        &[RIGHT, UP, LEFT, LEFT, DOWN, LEFT],
        "6",
    );
}

const WALK: &str = "game: bombastic\ntitle: A walk\npar: 3\n\n-----\n@--$.\n-----\n";

#[test]
fn undo_and_redo_survive_restart_reload_and_another_level() {
    let Some(page) = play(WALK) else { return };
    let cost = |expected: &str| page.until_text("[data-cost]", expected);
    press_all(&page, &[DOWN, RIGHT]);
    cost("2");
    page.press("u");
    cost("1");
    page.press("r");
    cost("2");
    // A restart is undone like a move.
    page.press("0");
    cost("0");
    page.press("u");
    cost("2");
    page.press("u");
    cost("1");
    page.reload();
    cost("1");
    page.press("r");
    cost("2");
    // Another level, and back.
    open_level(&page, "bombastic/01-first-push");
    cost("0");
    go(&page, "gallery");
    crate::studio::paste(&page, WALK);
    cost("2");
    page.press("u");
    page.press("u");
    cost("0");
    assert_eq!(
        page.evaluate("document.querySelector('[data-do=undo]').disabled"),
        true
    );
    // A new move drops what could be redone.
    page.press(UP);
    cost("1");
    assert_eq!(
        page.evaluate("document.querySelector('[data-do=redo]').disabled"),
        true
    );
}

#[test]
fn hints_come_in_three_grades() {
    let Some(page) = play(WALK) else { return };
    page.click("[data-do=hint1]");
    page.until_text("#toast", "The goal can still be reached, in 3 steps.");
    assert_eq!(page.evaluate("!!document.querySelector('.hinted')"), false);
    page.press("2");
    page.until_text("#toast", "row 2, column 1");
    page.until("!!document.querySelector('.hinted')");
    page.press("3");
    page.until_text("#toast", "in 3 steps: right");
}

#[test]
fn warnings_of_dead_ends_follow_the_setting() {
    // A block in the corner cannot be moved any more.
    let level = "game: bombastic\n\n---\n-$@\n-.-\n";
    let Some(page) = play(level) else { return };
    page.evaluate("(() => { const field = document.querySelector('[data-field=warnings]'); field.value = 'once'; field.dispatchEvent(new Event('change')); })()");
    page.until_text("[data-state]", "Still solvable");
    page.press(LEFT);
    page.until_text("[data-state]", "Dead end");
    page.press("u");
    page.until_text("[data-state]", "Still solvable");
    page.evaluate("(() => { const field = document.querySelector('[data-field=warnings]'); field.value = 'off'; field.dispatchEvent(new Event('change')); })()");
    page.until("document.querySelector('[data-do=hint1]').hidden && document.querySelector('[data-state]').textContent === ''");
    // The setting survives a reload.
    page.reload();
    page.until("document.querySelector('[data-field=warnings]')?.value === 'off'");
}

#[test]
fn a_refused_move_is_explained() {
    let Some(page) = play("game: bombastic\n\n@$$.\n--.-\n") else {
        return;
    };
    page.press(RIGHT);
    page.until_text("#toast", "Refused: ");
    page.until_text("#toast", "only one can be pushed");
    page.press(UP);
    page.until_text("#toast", "the board ends there");
    assert_eq!(page.text("[data-cost]"), "0");
}

#[test]
fn a_pointer_drags_clicks_and_shoots() {
    let Some(page) = play("game: lunar-lockout\n\n......\nRb.X.a\n......\n") else {
        return;
    };
    // A drag moves the piece that it starts on.
    let middle = |row: f32, col: f32| {
        page.evaluate(&format!(
            "(() => {{ const svg = document.querySelector('.board'); const point = new DOMPoint(({col} - 0.5) * 40, ({row} - 0.5) * 40) \
             .matrixTransform(svg.getScreenCTM()); return [point.x, point.y]; }})()"
        ))
    };
    page.pointer("mousePressed", &middle(2.0, 2.0));
    page.pointer("mouseMoved", &middle(2.0, 3.0));
    page.pointer("mouseReleased", &middle(2.0, 3.0));
    page.until_text("[data-cost]", "1");
    // A click takes hold of a piece, and arrows show its moves.
    page.until("!document.querySelector('.filming')");
    page.click("[data-cell='2,1']");
    page.until("!!document.querySelector('[data-move=\"R right\"]')");
    page.click("[data-move='R right']");
    page.until_text("[data-state]", "Solved");
}

#[test]
fn a_shared_link_opens_in_a_fresh_profile() {
    let Some(page) = play(WALK) else { return };
    press_all(&page, &[DOWN, RIGHT]);
    page.until_text("[data-cost]", "2");
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
    page.click("[data-do=share]");
    page.until("!!window.copied");
    let link = crate::page::text(&page.evaluate("window.copied"));
    assert!(link.starts_with(&format!("{}/#play/", address())), "{link}");
    let Some(friend) = crate::studio::new_page() else {
        return;
    };
    friend.open(&link);
    friend.until_text("[data-cost]", "2");
    assert_eq!(friend.text("h1"), "A walk");
    assert_eq!(
        friend.evaluate(
            "[...document.querySelectorAll('.moves li')].map((item) => item.textContent).join()"
        ),
        "down,right"
    );
    // A link that was cut off gives a message.
    friend.open(&link[..link.len() - 9]);
    friend.until_text("#toast", "This link contains no level");
}

/// A link to a built-in level carries what is certified about it; a link to another level may carry a
/// claim of its author, which is shown as such.
#[test]
fn a_shared_link_carries_the_claim_and_the_hash_of_the_certificate() {
    let certified = ployglot_certificate::certified().next();
    let certified = certified.expect("a certified level");
    let Some(page) = page_at("gallery") else {
        return;
    };
    let level = format!(
        "fetch('/api/levels').then((it) => it.json()).then(({{ levels }}) => levels.find(({{ name }}) => name === '{}').text)",
        certified.level
    );
    let link = |level: &str, proof: &str| {
        let script = format!(
            "import('/page/link.js').then(async (link) => link.address('play', {{ level: {level}, moves: [], proof: {proof} }}))"
        );
        crate::page::text(&page.evaluate(&script))
    };
    let link_to_level = link(&format!("await {level}"), "null");
    page.open(&link_to_level);
    page.until_text("[data-certificate]", certified.sha256);
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
    page.click("[data-do=share]");
    page.until("!!window.copied");
    let carried = "import('/page/link.js').then(({ decode }) => decode(window.copied.split('#play/')[1])).then(({ proof }) => proof.claim + ' ' + proof.sha256)";
    let carried = crate::page::text(&page.evaluate(carried));
    assert!(carried.ends_with(certified.sha256), "{carried}");
    assert!(carried.starts_with("1 shot"), "{carried}");
    let hash = "ab".repeat(32);
    let claimed = format!("{{ claim: '3 steps', sha256: '{hash}' }}");
    let other = link(&format!("`{WALK}`"), &claimed);
    page.open(&other);
    let said = format!("The link claims 3 steps, proven by a certificate with the SHA-256 {hash}");
    page.until_text("[data-certificate]", &said);
}

#[test]
fn levels_of_every_format_can_be_pasted() {
    let Some(mut page) = page_at("gallery") else {
        return;
    };
    page.allow_error("status of 422");
    for (format, level, game) in [
        ("xsb", "#####\n#@$.#\n#####\n", "bombastic"),
        (
            "pipe",
            "########\n##B1L1##\n####B2##\n########\n",
            "pipe-mania",
        ),
        ("line", "RRRG,RGGG 1\n", "plotting"),
        (
            "param",
            "language ESSENCE' 1.0\nletting initGrid be [[1,1,2],[2,2,2]]\nletting goalBlocksRemaining be 1\n",
            "plotting",
        ),
        ("grid", "goal 2 3\n.....\nR...a\n.....\n", "lunar-lockout"),
    ] {
        go(&page, "gallery");
        crate::studio::paste(&page, level);
        let sub = page.text(".sub");
        assert!(sub.starts_with(game), "{format}: {sub}");
    }
    go(&page, "gallery");
    page.fill("[data-field=paste]", "game: plotting\n\nR?\n");
    page.click("[data-do=open]");
    page.until_text("#toast", "line 3");
}
