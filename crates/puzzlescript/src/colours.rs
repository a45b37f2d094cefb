//! The colours of objects: names in one of several palettes, or hexadecimal digits.

/// The names of colours; those of the palettes below are in this order.
const NAMES: [&str; 21] = [
    "black",
    "white",
    "lightgrey",
    "grey",
    "darkgrey",
    "red",
    "darkred",
    "lightred",
    "brown",
    "darkbrown",
    "lightbrown",
    "orange",
    "yellow",
    "green",
    "darkgreen",
    "lightgreen",
    "blue",
    "lightblue",
    "darkblue",
    "purple",
    "pink",
];

/// The palette of a file that names none.
const DEFAULT: usize = 3;

/// The palettes by their names, in the order of the numbers by which they may be chosen, from 1.
pub(crate) const PALETTES: [(&str, &str); 14] = [
    (
        "mastersystem",
        "000000 ffffff aaaaaa 555555 555500 ff0000 aa0000 \
         ff5555 aa5500 550000 ffaa00 ff5500 ffff55 55aa00 \
         005500 aaff00 5555aa aaffff 000055 550055 ffaaff",
    ),
    (
        "gameboycolour",
        "000000 ffffff baa7a7 7f7f7c 3e3e44 a7120c 880606 \
         ba381f 57381f 3e2519 8e634b ba4b32 c0ba6f 517525 \
         385d12 6f8e44 5d6fa7 8ea7a7 4b575d 3e3e44 ba381f",
    ),
    (
        "amiga",
        "000000 ffffff ffeedd bbbbbb 333333 dd1111 990000 \
         ff4422 663311 331100 aa6644 ff6644 ffdd66 448811 \
         335500 88bb77 8899dd bbddee 666688 665555 997788",
    ),
    (
        "arnecolors",
        "000000 ffffff cccccc 9d9d9d 697175 be2633 732930 \
         e06f8b a46422 493c2b eeb62f eb8931 f7e26b 44891a \
         2f484e a3ce27 1d57f7 b2dcef 1b2632 342a97 de65e2",
    ),
    (
        "famicom",
        "000000 ffffff bcbcbc 7c7c7c 080808 f83800 881400 \
         f87858 ac7c00 503000 fce0a8 fca044 f8b800 00b800 \
         005800 b8f8b8 0058f8 3cbcfc 0000bc 6644fc f878f8",
    ),
    (
        "atari",
        "000000 ffffff b0b0b0 909090 404040 a03c50 700014 \
         dc849c 805020 703400 cb9870 ccac70 ecd09c 58b06c \
         006414 70c484 1c3c88 6888c8 000088 3c0080 b484dc",
    ),
    (
        "pastel",
        "000000 ffffff 9cbcbc 3e3e3e 313131 f56ca2 a63577 \
         ffa9cf b58c53 787562 b58c53 eb792d ffe15f 00ff4f \
         2b732c 97c04f 0f88d3 00fffe 293a7b ff6554 eb792d",
    ),
    (
        "ega",
        "000000 ffffff aaaaaa 555555 555555 ff5555 aa0000 \
         ff55ff aa5500 aa5500 ffff55 ff5555 ffff55 00aa00 \
         00aaaa 55ff55 5555ff 55ffff 0000aa aa00aa ff55ff",
    ),
    (
        "amstrad",
        "000000 ffffff afafaf 7f7f7f 636363 ff0000 7f0000 \
         ff7f7f ff7f00 7f7f00 ffff00 ff007f ffff7f 01ff00 \
         007f00 7fff7f 0000ff 7f7fff 00007f 7f007f ff7fff",
    ),
    (
        "proteus_mellow",
        "3d2d2e ddf1fc a4bfda 9fb2d4 7b8272 9d5443 8c5b4a \
         94614c 89a78d 829e88 aaae97 d1ba86 d6cda2 75ac8d \
         8fa67f 8eb682 88a3ce a5adb0 5c6b8c d39fac c8ac9e",
    ),
    (
        "proteus_rich",
        "6f686f d1b1e2 c7b5cd b9aac1 8e8b84 a11f4f 934765 \
         c998ad 89867d 797f75 ab9997 ce8c5c f0d959 75bc54 \
         599d79 90cf5c 8fd0ec bcdce7 0b2c70 9b377f cd88e5",
    ),
    (
        "proteus_night",
        "010912 fdeeec 062151 051d40 091842 ad4576 934765 \
         ab6290 61646b 3d2d2d 8393a0 0a2227 0a2541 75ac8d \
         0a2434 061f2e 0b2c79 809ccb 08153b 666a87 754b4d",
    ),
    (
        "c64",
        "000000 ffffff 959595 6c6c6c 444444 68372b 3f1e17 \
         9a6759 433900 221c02 6d5c0d 6f4f25 b8c76f 588d43 \
         345129 9ad284 6c5eb5 70a4b2 352879 6f3d86 b044ac",
    ),
    (
        "whitingjp",
        "202527 eff8fd bed0d7 7b7680 3c3b44 bd194b 6b1334 \
         ef2358 b52e1c 681c12 e87b45 ff8c10 fbd524 36bc3c \
         317610 8ce062 3f62c6 57bbe0 2c2fa0 7037d9 ec2b8f",
    ),
];

/// The index of a palette, by its name or its number.
pub(crate) fn palette(name: Option<&str>) -> usize {
    let named = |name: &str| PALETTES.iter().position(|(known, _)| *known == name);
    let numbered = |name: &str| {
        let number: usize = name.parse().ok()?;
        (1..=PALETTES.len()).contains(&number).then(|| number - 1)
    };
    name.and_then(|name| named(name).or_else(|| numbered(name)))
        .unwrap_or(DEFAULT)
}

/// Red, green and blue of a colour as a file has it; `None` for a transparent one.
pub(crate) fn rgb(palette: usize, colour: &str) -> Option<[u8; 3]> {
    let digits = match colour.strip_prefix('#') {
        Some(digits) => digits,
        None => {
            let name = colour.replace("gray", "grey");
            let index = NAMES.iter().position(|known| *known == name)?;
            PALETTES[palette].1.split(' ').nth(index)?
        }
    };
    let digits: Vec<u8> = digits
        .chars()
        .map(|digit| digit.to_digit(16).map(|digit| digit as u8))
        .collect::<Option<_>>()?;
    match digits[..] {
        [r, g, b] => Some([r * 17, g * 17, b * 17]),
        [r, s, g, h, b, c, ..] => Some([r * 16 + s, g * 16 + h, b * 16 + c]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_names_and_digits() {
        let default = palette(None);
        assert_eq!(rgb(default, "red"), Some([0xbe, 0x26, 0x33]));
        assert_eq!(rgb(default, "darkgray"), rgb(default, "darkgrey"));
        assert_eq!(rgb(palette(Some("8")), "white"), Some([255, 255, 255]));
        assert_eq!(palette(Some("ega")), palette(Some("8")));
        assert_eq!(rgb(default, "#f80"), Some([255, 136, 0]));
        assert_eq!(rgb(default, "#0102ff"), Some([1, 2, 255]));
        assert_eq!(rgb(default, "transparent"), None);
        for (name, colours) in PALETTES {
            assert_eq!(colours.split(' ').count(), NAMES.len(), "{name}");
        }
    }
}
