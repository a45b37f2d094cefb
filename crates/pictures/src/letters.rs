//! A small alphabet of strokes, so that pictures need no font: the same letters in every viewer,
//! and in PNG and GIF.
//!
//! Capitals stand on the line y = 6 and reach up to 0; small letters reach up to 2.2 and down to 8.
//! A glyph is the path of a pen; the caller chooses the width of the pen. Zero has a stroke through
//! it and I has serifs, so that letters and digits are not confused.

use std::fmt::Write;

use super::palette::Rgb;

/// The space between two glyphs, and the width of a blank.
const GAP: f32 = 1.5;
const BLANK: f32 = 2.2;
const CAPITAL: f32 = 6.0;
const PEN: f32 = 0.85;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// The width of a text whose capitals have this height.
pub fn width(text: &str, height: f32) -> f32 {
    let advance: f32 = text.chars().map(|c| glyph(c).0 + GAP).sum();
    (advance - GAP).max(0.0) * height / CAPITAL
}

/// A text as SVG paths; `y` is the baseline.
pub fn draw(svg: &mut String, text: &str, x: f32, y: f32, height: f32, anchor: Anchor, ink: Rgb) {
    if text.trim().is_empty() {
        return;
    }
    let scale = height / CAPITAL;
    let mut x = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width(text, height) / 2.0,
        Anchor::End => x - width(text, height),
    };
    let _ = write!(
        svg,
        r#"<g fill="none" stroke="{}" stroke-width="{PEN}" stroke-linecap="round" stroke-linejoin="round">"#,
        ink.hex()
    );
    for c in text.chars() {
        let (wide, path) = glyph(c);
        if !path.is_empty() {
            let (left, top) = (round(x), round(y - height));
            let scale = (scale * 1000.0).round() / 1000.0;
            let _ = write!(
                svg,
                r#"<path transform="translate({left} {top})scale({scale})" d="{path}"/>"#
            );
        }
        x += (wide + GAP) * scale;
    }
    svg.push_str("</g>");
}

/// Rounds to two decimals, which is enough for any screen.
pub fn round(value: f32) -> f32 {
    let rounded = (value * 100.0).round() / 100.0;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// The width of a glyph and the path of its pen. A character that is not in the alphabet becomes a
/// box.
fn glyph(c: char) -> (f32, &'static str) {
    match c {
        ' ' | '\u{a0}' => (BLANK, ""),
        'A' => (4.0, "M0 6L2 0L4 6M.8 4H3.2"),
        'B' => (
            3.7,
            "M0 0V6H2.2Q3.7 6 3.7 4.4T2.2 2.8H0M2 2.8Q3.3 2.8 3.3 1.4T2 0H0",
        ),
        'C' => (3.8, "M3.8 1.2Q3.2 0 2 0Q0 0 0 3T2 6Q3.2 6 3.8 4.8"),
        'D' => (4.0, "M0 0V6H1.6Q4 6 4 3T1.6 0Z"),
        'E' => (3.4, "M3.4 0H0V6H3.4M0 3H2.8"),
        'F' => (3.4, "M3.4 0H0V6M0 3H2.8"),
        'G' => (4.0, "M3.8 1.2Q3.2 0 2 0Q0 0 0 3T2 6Q4 6 4 3.4H2.4"),
        'H' => (4.0, "M0 0V6M4 0V6M0 3H4"),
        'I' => (2.0, "M1 0V6M0 0H2M0 6H2"),
        'J' => (3.0, "M3 0V4.4Q3 6 1.5 6T0 4.6"),
        'K' => (4.0, "M0 0V6M3.8 0L0 3.4M1.3 2.3L4 6"),
        'L' => (3.4, "M0 0V6H3.4"),
        'M' => (4.6, "M0 6V0L2.3 3.6L4.6 0V6"),
        'N' => (4.0, "M0 6V0L4 6V0"),
        'O' => (4.2, "M2.1 0Q0 0 0 3T2.1 6T4.2 3T2.1 0Z"),
        'P' => (3.8, "M0 6V0H2.2Q3.8 0 3.8 1.7T2.2 3.4H0"),
        'Q' => (4.2, "M2.1 0Q0 0 0 3T2.1 6T4.2 3T2.1 0ZM2.6 4.2L4.3 6.4"),
        'R' => (3.9, "M0 6V0H2.2Q3.8 0 3.8 1.7T2.2 3.4H0M1.9 3.4L3.9 6"),
        'S' => (
            3.8,
            "M3.6 1.1Q3.1 0 1.9 0Q.2 0 .2 1.5C.2 3.3 3.8 2.6 3.8 4.5Q3.8 6 1.9 6Q.5 6 0 4.8",
        ),
        'T' => (4.0, "M0 0H4M2 0V6"),
        'U' => (4.0, "M0 0V4Q0 6 2 6T4 4V0"),
        'V' => (4.0, "M0 0L2 6L4 0"),
        'W' => (5.0, "M0 0L1.2 6L2.5 1.6L3.8 6L5 0"),
        'X' => (4.0, "M0 0L4 6M4 0L0 6"),
        'Y' => (4.0, "M0 0L2 3L4 0M2 3V6"),
        'Z' => (3.8, "M0 0H3.8L0 6H3.8"),
        'a' => (3.0, "M3 2.4V6M3 4Q3 2.2 1.5 2.2Q0 2.2 0 4.1T1.5 6T3 4"),
        'b' => (3.0, "M0 0V6M0 4Q0 2.2 1.5 2.2T3 4.1T1.5 6T0 4"),
        'c' => (
            2.8,
            "M2.8 3Q2.4 2.2 1.5 2.2Q0 2.2 0 4.1T1.5 6Q2.4 6 2.8 5.2",
        ),
        'd' => (3.0, "M3 0V6M3 4Q3 2.2 1.5 2.2Q0 2.2 0 4.1T1.5 6T3 4"),
        'e' => (3.0, "M0 4H3Q3 2.2 1.5 2.2T0 4.1Q0 6 1.5 6Q2.5 6 2.9 5.2"),
        'f' => (2.2, "M2.2 .2Q.8 -.2 .8 1.4V6M0 2.4H2"),
        'g' => (
            3.0,
            "M3 2.4V6.4Q3 8 1.5 8Q.5 8 .2 7.4M3 4Q3 2.2 1.5 2.2Q0 2.2 0 4.1T1.5 6T3 4",
        ),
        'h' => (3.0, "M0 0V6M0 3.8Q.2 2.2 1.6 2.2Q3 2.2 3 3.9V6"),
        'i' => (0.4, "M.2 2.2V6M.2 .5V.7"),
        'j' => (1.2, "M1 2.2V6.6Q1 8 0 8M1 .5V.7"),
        'k' => (2.9, "M0 0V6M2.6 2.3L0 4.6M1 3.8L2.9 6"),
        'l' => (0.9, "M0 0V5Q0 6 .9 6"),
        'm' => (
            4.6,
            "M0 2.2V6M0 3.6Q.2 2.2 1.3 2.2Q2.3 2.2 2.3 3.6V6M2.3 3.6Q2.5 2.2 3.6 2.2Q4.6 2.2 4.6 3.6V6",
        ),
        'n' => (3.0, "M0 2.2V6M0 3.8Q.2 2.2 1.6 2.2Q3 2.2 3 3.9V6"),
        'o' => (3.0, "M1.5 2.2Q0 2.2 0 4.1T1.5 6T3 4.1T1.5 2.2Z"),
        'p' => (3.0, "M0 2.2V8M0 4Q0 2.2 1.5 2.2T3 4.1T1.5 6T0 4"),
        'q' => (3.0, "M3 2.2V8M3 4Q3 2.2 1.5 2.2Q0 2.2 0 4.1T1.5 6T3 4"),
        'r' => (2.0, "M0 2.2V6M0 4Q.3 2.2 2 2.3"),
        's' => (
            2.8,
            "M2.6 2.8Q2.2 2.2 1.4 2.2Q.2 2.2 .2 3.2C.2 4.5 2.8 3.8 2.8 5Q2.8 6 1.4 6Q.4 6 0 5.3",
        ),
        't' => (2.1, "M.8 .8V4.8Q.8 6 2.1 5.9M0 2.4H2"),
        'u' => (3.0, "M0 2.2V4.4Q0 6 1.4 6Q2.8 6 3 4.4M3 2.2V6"),
        'v' => (3.0, "M0 2.2L1.5 6L3 2.2"),
        'w' => (4.2, "M0 2.2L1 6L2.1 3L3.2 6L4.2 2.2"),
        'x' => (2.9, "M0 2.2L2.9 6M2.9 2.2L0 6"),
        'y' => (3.0, "M0 2.2L1.5 6M3 2.2L1.2 6.9Q.8 8 -.2 7.9"),
        'z' => (2.8, "M0 2.2H2.8L0 6H2.8"),
        '0' => (3.8, "M1.9 0Q0 0 0 3T1.9 6T3.8 3T1.9 0ZM1.3 4.1L2.5 1.9"),
        '1' => (2.6, "M0 1.4L1.4 0V6M.2 6H2.6"),
        '2' => (3.7, "M.1 1.5Q.3 0 1.9 0Q3.6 0 3.6 1.6C3.6 3.2 .8 4 0 6H3.7"),
        '3' => (
            3.6,
            "M.2 1Q.7 0 1.8 0Q3.3 0 3.3 1.4Q3.3 2.8 1.4 2.8Q3.6 2.8 3.6 4.4Q3.6 6 1.8 6Q.5 6 0 4.9",
        ),
        '4' => (3.9, "M2.9 6V0L0 4.2H3.9"),
        '5' => (
            3.6,
            "M3.4 0H.5L.3 2.8Q1 2.3 1.8 2.3Q3.6 2.3 3.6 4.1T1.7 6Q.5 6 0 5",
        ),
        '6' => (
            3.7,
            "M3.3 .7Q2.8 0 2 0Q0 0 0 3.6Q0 6 1.9 6T3.7 4.2T1.9 2.4T0 4.1",
        ),
        '7' => (3.7, "M0 0H3.7L1.4 6"),
        '8' => (
            3.8,
            "M1.9 2.8Q.3 2.8 .3 1.4T1.9 0T3.5 1.4T1.9 2.8Q0 2.8 0 4.4T1.9 6T3.8 4.4T1.9 2.8Z",
        ),
        '9' => (
            3.7,
            "M.4 5.3Q.9 6 1.7 6Q3.7 6 3.7 2.4Q3.7 0 1.8 0T0 1.8T1.8 3.6T3.7 1.9",
        ),
        '.' => (0.4, "M.2 5.8V6"),
        ',' => (0.6, "M.5 5.7V6L0 7.2"),
        ':' => (0.4, "M.2 2.8V3M.2 5.8V6"),
        ';' => (0.6, "M.5 2.8V3M.5 5.7V6L0 7.2"),
        '!' => (0.4, "M.2 0V4.2M.2 5.8V6"),
        '?' => (
            3.2,
            "M0 1.3Q.2 0 1.6 0Q3.2 0 3.2 1.5C3.2 2.9 1.6 2.8 1.6 4.3M1.6 5.8V6",
        ),
        '+' => (3.4, "M0 3.4H3.4M1.7 1.7V5.1"),
        '-' | '\u{2013}' | '\u{2212}' => (2.4, "M0 3.6H2.4"),
        '*' => (3.0, "M1.5 1.2V5.2M-.2 2.2L3.2 4.2M3.2 2.2L-.2 4.2"),
        '/' => (2.8, "M2.8 -.4L0 6.4"),
        '\\' => (2.8, "M0 -.4L2.8 6.4"),
        '=' => (3.2, "M0 2.6H3.2M0 4.4H3.2"),
        '~' => (3.4, "M0 3.8Q.8 2.6 1.7 3.4T3.4 3"),
        '_' => (3.4, "M0 6.6H3.4"),
        '(' => (1.4, "M1.4 -.6Q-1 3 1.4 6.6"),
        ')' => (1.4, "M0 -.6Q2.4 3 0 6.6"),
        '[' => (1.3, "M1.3 -.5H0V6.5H1.3"),
        ']' => (1.3, "M0 -.5H1.3V6.5H0"),
        '{' => (
            1.6,
            "M1.6 -.5Q.7 -.5 .7 .7Q.7 3 0 3Q.7 3 .7 5.3Q.7 6.5 1.6 6.5",
        ),
        '}' => (
            1.6,
            "M0 -.5Q.9 -.5 .9 .7Q.9 3 1.6 3Q.9 3 .9 5.3Q.9 6.5 0 6.5",
        ),
        '<' => (2.8, "M2.8 1.4L0 3.5L2.8 5.6"),
        '>' => (2.8, "M0 1.4L2.8 3.5L0 5.6"),
        '\'' | '\u{2019}' => (0.4, "M.2 0V1.4"),
        '"' => (1.6, "M.2 0V1.4M1.4 0V1.4"),
        '#' => (3.8, "M1.2 .4L.6 5.6M3.2 .4L2.6 5.6M.2 2H3.8M0 4H3.6"),
        '$' => (
            3.8,
            "M3.6 1.3Q3.1 .4 1.9 .4Q.2 .4 .2 1.7C.2 3.3 3.8 2.7 3.8 4.3Q3.8 5.6 1.9 5.6Q.5 5.6 0 4.6M1.9 -.5V6.5",
        ),
        '`' => (1.0, "M0 0L1 1.4"),
        '%' => (
            4.2,
            "M3.8 0L.4 6M.9 .2Q0 .2 0 1.2T.9 2.2T1.8 1.2T.9 .2ZM3.3 3.8Q2.4 3.8 2.4 4.8T3.3 5.8T4.2 4.8T3.3 3.8Z",
        ),
        '&' => (
            4.0,
            "M4 6L.8 1.9Q.2 0 1.6 0Q3 0 2.6 1.6Q2.3 2.5 .9 3.2Q0 3.8 0 4.6Q0 6 1.5 6Q3.3 6 3.7 3.4",
        ),
        '@' => (
            4.8,
            "M3.4 2.2V3.8Q3.4 4.6 4.1 4.4Q4.8 4 4.8 2.8Q4.8 .4 2.5 .4Q0 .4 0 3.3T2.6 6.2Q3.4 6.2 4 5.9M3.4 3.2Q3.4 2 2.4 2Q1.4 2 1.4 3.3T2.3 4.5Q3.4 4.5 3.4 3.2",
        ),
        '|' => (0.4, "M.2 -.5V6.5"),
        '^' => (2.8, "M0 2L1.4 0L2.8 2"),
        '\u{d7}' => (2.6, "M0 2.2L2.6 4.8M2.6 2.2L0 4.8"),
        '\u{b7}' => (0.4, "M.2 3.4V3.6"),
        '\u{2026}' => (3.6, "M.2 5.8V6M1.8 5.8V6M3.4 5.8V6"),
        '\u{2190}' => (4.0, "M4 3.5H0M1.6 1.8L0 3.5L1.6 5.2"),
        '\u{2192}' => (4.0, "M0 3.5H4M2.4 1.8L4 3.5L2.4 5.2"),
        '\u{2191}' => (3.0, "M1.5 6V.6M0 2.2L1.5 .6L3 2.2"),
        '\u{2193}' => (3.0, "M1.5 .4V5.8M0 4.2L1.5 5.8L3 4.2"),
        '\u{2605}' => (
            5.0,
            "M2.5 .4L3.2 2.5H5.2L3.6 3.8L4.2 5.8L2.5 4.6L.8 5.8L1.4 3.8L-.2 2.5H1.8Z",
        ),
        '\u{2265}' => (3.2, "M0 .8L3 2.6L0 4.4M0 5.8H3"),
        '\u{2264}' => (3.2, "M3 .8L0 2.6L3 4.4M0 5.8H3"),
        _ => (3.0, "M0 0H3V6H0Z"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_of_ascii_has_strokes_of_its_own() {
        let mut seen = std::collections::HashSet::new();
        for c in (33..127u8).map(char::from) {
            let (wide, path) = glyph(c);
            assert!(wide > 0.0 && path.starts_with('M'), "{c}");
            assert!(seen.insert(path), "{c} looks like another sign");
            assert!(!path.contains("M0 0H3V6H0Z"), "{c} is not in the alphabet");
        }
    }

    #[test]
    fn texts_are_as_wide_as_their_glyphs() {
        assert_eq!(width("", 6.0), 0.0);
        assert_eq!(width("A", 12.0), 8.0);
        assert_eq!(width("AA", 6.0), 4.0 + GAP + 4.0);
    }
}
