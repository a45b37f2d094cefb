//! The colours of all pictures.
//!
//! Red, green, blue, yellow, orange, pink and cyan are those of Okabe and Ito (2008), which people
//! with any of the common kinds of colour vision tell apart. The others are darker or paler, so
//! that they differ in lightness. Colour is never the only sign: pieces have letters and shapes
//! too.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// Indexed by `Piece::colour`; 0 is neutral, and higher numbers wrap around. Red, green, blue,
/// yellow, orange, violet, pink, cyan, white, black, magenta, almond, teal, lime, salmon and nut
/// brown: games name colours by letters.
const PIECES: [Rgb; 17] = [
    Rgb(0xb9, 0xb5, 0xa9),
    Rgb(0xd5, 0x5e, 0x00),
    Rgb(0x00, 0x9e, 0x73),
    Rgb(0x00, 0x72, 0xb2),
    Rgb(0xf0, 0xe4, 0x42),
    Rgb(0xe6, 0x9f, 0x00),
    Rgb(0x5b, 0x3f, 0xa8),
    Rgb(0xcc, 0x79, 0xa7),
    Rgb(0x56, 0xb4, 0xe9),
    Rgb(0xfa, 0xf8, 0xf2),
    Rgb(0x3d, 0x3d, 0x45),
    Rgb(0x88, 0x22, 0x55),
    Rgb(0xe8, 0xd0, 0xa0),
    Rgb(0x1e, 0x5b, 0x4a),
    Rgb(0xb8, 0xd9, 0x9a),
    Rgb(0xf7, 0xb3, 0xa6),
    Rgb(0x7a, 0x4a, 0x1e),
];

pub const INK: Rgb = Rgb(0x23, 0x23, 0x2b);
pub const PAPER: Rgb = Rgb(0xfb, 0xfa, 0xf6);
pub const MUTED: Rgb = Rgb(0x6d, 0x6a, 0x62);
/// The background between the cells.
pub const JOINT: Rgb = Rgb(0xd3, 0xcf, 0xc4);
pub const FLOOR: Rgb = Rgb(0xed, 0xea, 0xe2);
pub const WALL: Rgb = Rgb(0x55, 0x53, 0x5c);
pub const ICE: Rgb = Rgb(0xc9, 0xe9, 0xf8);
pub const HOLE: Rgb = Rgb(0x2c, 0x35, 0x45);
pub const GOAL: Rgb = Rgb(0x8a, 0x1c, 0x5c);
/// The border of a highlighted piece.
pub const LIGHT: Rgb = Rgb(0xff, 0xd2, 0x3f);
/// The filling of a pipe on the path.
pub const FLOW: Rgb = Rgb(0x1f, 0x9b, 0xd8);

pub fn piece(colour: u8) -> Rgb {
    let index = usize::from(colour);
    match index {
        0 => PIECES[0],
        _ => PIECES[(index - 1) % (PIECES.len() - 1) + 1],
    }
}

impl Rgb {
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Black or white, whichever is easier to read on this colour.
    pub fn ink(self) -> Rgb {
        if self.luminance() > 0.22 {
            INK
        } else {
            Rgb(0xff, 0xff, 0xff)
        }
    }

    /// The same hue, as light as it must be to be read on the white and on the black ground of a
    /// terminal that shows 256 colours.
    pub fn on_any_ground(self) -> Rgb {
        let white = Rgb(0xff, 0xff, 0xff);
        let (darkest, lightest) = (0.14, 0.23);
        let shown = |colour: Rgb| Rgb::of_index(colour.indexed()).luminance();
        let toward = if shown(self) > lightest {
            Rgb(0, 0, 0)
        } else {
            white
        };
        let fits = |colour: &Rgb| (darkest..=lightest).contains(&shown(*colour));
        let mut mixed = (0..=40).map(|step| self.mix(toward, step as f32 / 40.0));
        mixed.find(fits).unwrap_or(MUTED)
    }

    /// This colour mixed with a share of another.
    pub fn mix(self, other: Rgb, share: f32) -> Rgb {
        let channel = |a: u8, b: u8| (f32::from(a) * (1.0 - share) + f32::from(b) * share) as u8;
        Rgb(
            channel(self.0, other.0),
            channel(self.1, other.1),
            channel(self.2, other.2),
        )
    }

    /// The nearest of the 256 terminal colours: a cube of 6×6×6, then 24 greys.
    pub fn indexed(self) -> u8 {
        const STEPS: [i32; 6] = [0, 95, 135, 175, 215, 255];
        let channels = [self.0, self.1, self.2].map(i32::from);
        let nearest = |value: i32| {
            (0..6)
                .min_by_key(|&step| (STEPS[step] - value).abs())
                .expect("six steps")
        };
        let cube = channels.map(nearest);
        let grey = ((channels.iter().sum::<i32>() / 3 - 8) / 10).clamp(0, 23);
        let distance = |other: [i32; 3]| -> i32 {
            channels
                .iter()
                .zip(other)
                .map(|(a, b)| (a - b) * (a - b))
                .sum()
        };
        if distance(cube.map(|step| STEPS[step])) <= distance([8 + 10 * grey; 3]) {
            (16 + 36 * cube[0] + 6 * cube[1] + cube[2]) as u8
        } else {
            (232 + grey) as u8
        }
    }

    /// The colour of one of the terminal's colours from 16.
    fn of_index(index: u8) -> Rgb {
        if index >= 232 {
            let grey = 8 + 10 * (index - 232);
            return Rgb(grey, grey, grey);
        }
        let step = |digit: u8| match digit % 6 {
            0 => 0,
            digit => 55 + 40 * digit,
        };
        let cube = index - 16;
        Rgb(step(cube / 36), step(cube / 6), step(cube))
    }

    /// Relative luminance, as the web's contrast rules define it.
    pub fn luminance(self) -> f32 {
        let linear = |channel: u8| {
            let value = f32::from(channel) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_can_be_read_on_every_colour() {
        for colour in 0..=40 {
            let fill = piece(colour);
            let (a, b) = (fill.luminance(), fill.ink().luminance());
            let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(contrast >= 3.5, "colour {colour}: {contrast}");
        }
    }

    #[test]
    fn signs_without_a_background_can_be_read_on_light_and_dark_terminals() {
        let inks = (0..=40).map(piece);
        for ink in inks.chain([MUTED, WALL, ICE, HOLE, GOAL, LIGHT, FLOW]) {
            let shown = Rgb::of_index(ink.on_any_ground().indexed());
            let on_white = 1.05 / (shown.luminance() + 0.05);
            let on_black = (shown.luminance() + 0.05) / 0.05;
            assert!(on_white >= 3.5 && on_black >= 3.5, "{ink:?}: {shown:?}");
        }
    }

    #[test]
    fn neighbouring_colours_differ_and_zero_stays_neutral() {
        for colour in 1..=40 {
            assert_ne!(piece(colour), piece(colour + 1));
            assert_ne!(piece(colour), piece(0));
        }
    }

    #[test]
    fn terminals_get_the_nearest_of_their_colours() {
        assert_eq!(Rgb(0, 0, 0).indexed(), 16);
        assert_eq!(Rgb(255, 255, 255).indexed(), 231);
        assert_eq!(Rgb(0x76, 0x76, 0x76).indexed(), 243);
        for index in 16..=255 {
            assert_eq!(
                Rgb::of_index(Rgb::of_index(index).indexed()),
                Rgb::of_index(index)
            );
        }
    }
}
