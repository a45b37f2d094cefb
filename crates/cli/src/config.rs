//! `ploy.toml`: defaults for options, so that they need not be typed each time.
//!
//! A table has the name of a command and the long names of its options; the table `defaults` counts
//! for every command that has the option. What is typed always wins.
//!
//! ```toml
//! [defaults]
//! memory = "8G"
//! [solve]
//! threads = 2
//! ```
//!
//! The file is that of `PLOY_CONFIG` (empty: none), or `ploy.toml` in the current folder, or
//! `ploy/ploy.toml` in the user's folder of configurations; the first that exists. The defaults are
//! given to the parser as such, so help texts show them. Each value is checked when the file is read, so
//! that an error names the line.

use std::ops::Range;
use std::path::PathBuf;

use ployglot_base::text::{BadText, position, unknown};
use ployglot_io::failure::Failure;
use ployglot_io::load;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const NAME: &str = "ploy.toml";
/// The table whose options count for every command.
const DEFAULTS: &str = "defaults";

/// The file that is used, if there is one.
pub fn path() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("PLOY_CONFIG") {
        return (!given.is_empty()).then(|| given.into());
    }
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let user = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")));
    let user = user.map(|folder| folder.join("ploy").join(NAME));
    [Some(PathBuf::from(NAME)), user]
        .into_iter()
        .flatten()
        .find(|path| path.is_file())
}

/// The command line with the defaults of the file.
pub fn with_defaults(command: clap::Command) -> Result<clap::Command, Failure> {
    let Some(path) = path() else {
        return Ok(command);
    };
    let name = path.display().to_string();
    let text = load::text(&name)?;
    applied(command, &text).map_err(|bad| load::bad_text(&name, text.as_bytes(), bad))
}

fn applied(mut command: clap::Command, text: &str) -> Result<clap::Command, BadText> {
    let tables = DeTable::parse(text).map_err(|error| {
        let (line, column) = position(text, error.span().map_or(0, |span| span.start));
        BadText::new(line, column, error.message())
    })?;
    let tables = tables.into_inner();
    let names: Vec<String> = command
        .get_subcommands()
        .map(|each| each.get_name().to_string())
        .collect();
    let bad = |place: Range<usize>, message: String| {
        let (line, column) = position(text, place.start);
        BadText::new(line, column, message)
    };
    for (key, options) in &tables {
        let table: &str = key.get_ref();
        let DeValue::Table(options) = options.get_ref() else {
            let message =
                format!("'{table}' must be a table with the name of a command: [{table}]");
            return Err(bad(key.span(), message));
        };
        if table != DEFAULTS && !names.iter().any(|name| name == table) {
            let known = names.iter().map(String::as_str).chain([DEFAULTS]);
            return Err(bad(key.span(), unknown("command", table, known)));
        }
        for (key, value) in options {
            let option: &str = key.get_ref();
            let typed = plain(value.get_ref()).ok_or_else(|| {
                let message = format!("[{table}] {option}: a text, a number, or true or false");
                bad(value.span(), message)
            })?;
            // The parser keeps texts for as long as the program runs.
            let typed: &'static str = typed.leak();
            let mut used = false;
            let all = |name: &&String| table == DEFAULTS || *name == table;
            for name in names.iter().filter(all) {
                let Some(arg) = find(&command, name, option) else {
                    continue;
                };
                used = true;
                // What a command says itself is not overwritten by what counts for all.
                let own = tables.get(name.as_str()).map(Spanned::get_ref);
                if table == DEFAULTS && own.and_then(|own| own.get(option)).is_some() {
                    continue;
                }
                refusal(arg, typed).map_or(Ok(()), |why| {
                    let message = format!("[{table}] {option}, for 'ploy {name}': {why}");
                    Err(bad(value.span(), message))
                })?;
                let id = arg.get_id().clone();
                command = command.mut_subcommand(name.as_str(), |sub| {
                    // Arguments keep their order in help texts.
                    sub.mut_args(|arg| match *arg.get_id() == id {
                        true => arg.default_value(typed),
                        false => arg,
                    })
                });
            }
            if !used {
                let known = names.iter().filter(all);
                let known = known.filter_map(|name| command.find_subcommand(name));
                let mut longs: Vec<&str> = known
                    .flat_map(clap::Command::get_arguments)
                    .filter_map(clap::Arg::get_long)
                    .collect();
                longs.sort_unstable();
                longs.dedup();
                let message = unknown("option", option, longs);
                return Err(bad(key.span(), format!("[{table}]: {message}")));
            }
        }
    }
    Ok(command)
}

/// The option of a command with this long name.
fn find<'c>(command: &'c clap::Command, name: &str, option: &str) -> Option<&'c clap::Arg> {
    let mut arguments = command.find_subcommand(name)?.get_arguments();
    arguments.find(|arg| arg.get_long() == Some(option))
}

/// Why a value is not one of this option; `None` if it is. A command with this option alone parses it.
fn refusal(arg: &clap::Arg, typed: &str) -> Option<String> {
    let long = arg.get_long()?;
    if !arg.get_action().takes_values() {
        let flag = ["true", "false"].contains(&typed);
        return (!flag).then(|| format!("expected true or false, found '{typed}'"));
    }
    let mut alone = clap::Arg::new(arg.get_id())
        // The parser keeps texts for as long as the program runs.
        .long(&*long.to_string().leak())
        .action(arg.get_action().clone())
        .value_parser(arg.get_value_parser().clone());
    if let Some(delimiter) = arg.get_value_delimiter() {
        alone = alone.value_delimiter(delimiter);
    }
    let parser = clap::Command::new("ploy").no_binary_name(true).arg(alone);
    let error = parser
        .try_get_matches_from([format!("--{long}={typed}")])
        .err()?;
    // The first paragraph of the message, without the word `error`.
    let message = error.render().to_string();
    let message = message.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = message.split_whitespace().collect();
    let words = words.join(" ");
    Some(words.strip_prefix("error: ").unwrap_or(&words).to_string())
}

/// The value as it would be typed.
fn plain(value: &DeValue) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.as_str().to_string()),
        DeValue::Float(number) => Some(number.as_str().to_string()),
        DeValue::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ArgAction, Command};

    fn command() -> Command {
        let time = || Arg::new("time").long("time");
        let json = Arg::new("json").long("json").action(ArgAction::SetTrue);
        Command::new("ploy")
            .subcommand(Command::new("solve").arg(time()).arg(json))
            .subcommand(Command::new("rate").arg(time()))
    }

    fn parsed(text: &str, words: &[&str]) -> (Option<String>, bool) {
        let command = applied(command(), text).expect("a configuration");
        let matches = command.get_matches_from(words);
        let (_, sub) = matches.subcommand().expect("a command");
        let json = sub.try_get_one::<bool>("json").ok().flatten();
        (
            sub.get_one::<String>("time").cloned(),
            json.copied().unwrap_or(false),
        )
    }

    #[test]
    fn what_is_typed_wins_over_the_command_and_that_over_all() {
        let text = "[defaults]\ntime = 5\n[solve]\ntime = \"9s\"\njson = true\n";
        assert_eq!(parsed(text, &["ploy", "solve"]), (Some("9s".into()), true));
        assert_eq!(parsed(text, &["ploy", "rate"]), (Some("5".into()), false));
        assert_eq!(
            parsed(text, &["ploy", "solve", "--time", "1s"]),
            (Some("1s".into()), true)
        );
    }

    #[test]
    fn errors_name_the_line_and_what_was_meant() {
        let error = |text| applied(command(), text).expect_err("an error").to_string();
        assert!(error("[slove]\ntime = 1\n").contains("did you mean 'solve'?"));
        let place = |text| {
            applied(command(), text)
                .map_err(|bad| (bad.line, bad.column))
                .err()
        };
        assert_eq!(place("\n[solve]\n  tmie = 1\n"), Some((3, 3)));
        assert_eq!(place("[defaults]\n[slove]\n"), Some((2, 2)));
        assert_eq!(place("[solve]\njson = true\ntime = [1]\n"), Some((3, 8)));
        assert!(error("[solve]\ntmie = 1\n").contains("did you mean 'time'?"));
        assert!(error("[solve]\ntime = \n").contains("line 2"));
        assert!(error("time = 1\n").contains("[time]"));
    }

    #[test]
    fn values_are_checked_and_the_error_names_the_command() {
        let count = Arg::new("count")
            .long("count")
            .value_parser(clap::value_parser!(u8).range(1..=9))
            .value_delimiter(',');
        let command = || command().subcommand(Command::new("new").arg(count.clone()));
        let error = |text| applied(command(), text).expect_err("an error").to_string();
        assert!(applied(command(), "[new]\ncount = \"1,2\"\n").is_ok());
        let message = error("[defaults]\njson = 3\n");
        assert!(message.contains("line 2, column 8"), "{message}");
        assert!(
            message.contains("for 'ploy solve': expected true or false, found '3'"),
            "{message}"
        );
        let message = error("[new]\n\ncount = 10\n");
        assert!(message.contains("line 3, column 9"), "{message}");
        assert!(message.contains("10 is not in 1..=9"), "{message}");
        let message = error("[defaults]\nx = 1\n");
        assert!(message.contains("known are count, json, time"), "{message}");
    }
}
