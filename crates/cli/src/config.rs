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
//! given to the parser as such, so help texts show them, and a value is checked as if it was typed.

use std::path::PathBuf;

use ployglot_base::text::{BadText, position, unknown};
use ployglot_io::failure::Failure;
use ployglot_io::load;
use toml::{Table, Value};

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
    let tables: Table = toml::from_str(text).map_err(|error| {
        let (line, column) = position(text, error.span().map_or(0, |span| span.start));
        BadText::new(line, column, error.message())
    })?;
    let names: Vec<String> = command
        .get_subcommands()
        .map(|each| each.get_name().to_string())
        .collect();
    for (table, options) in &tables {
        let bad = |message: String| {
            let line = text.lines().position(|line| {
                line.trim_start()
                    .trim_start_matches('[')
                    .starts_with(table.as_str())
            });
            BadText::new(line.map_or(1, |line| line + 1), 1, message)
        };
        let Value::Table(options) = options else {
            return Err(bad(format!(
                "'{table}' must be a table with the name of a command: [{table}]"
            )));
        };
        if table != DEFAULTS && !names.contains(table) {
            let known = names.iter().map(String::as_str).chain([DEFAULTS]);
            return Err(bad(unknown("command", table, known)));
        }
        for (option, value) in options {
            let value = plain(value).ok_or_else(|| {
                bad(format!(
                    "[{table}] {option}: a text, a number, or true or false"
                ))
            })?;
            let mut used = false;
            for name in names
                .iter()
                .filter(|name| table == DEFAULTS || *name == table)
            {
                // What a command says itself is not overwritten by what counts for all.
                let own = tables.get(name).and_then(|own| own.get(option)).is_some();
                let has = |command: &clap::Command| {
                    let long = |arg: &&clap::Arg| arg.get_long() == Some(option.as_str());
                    command
                        .get_arguments()
                        .find(long)
                        .map(|arg| arg.get_id().clone())
                };
                let id = command.find_subcommand(name).and_then(has);
                used |= id.is_some();
                if let Some(id) = id.filter(|_| table != DEFAULTS || !own) {
                    // The parser keeps texts for as long as the program runs.
                    let value: &'static str = value.clone().leak();
                    command = command.mut_subcommand(name.as_str(), |sub| {
                        // Arguments keep their order in help texts.
                        sub.mut_args(|arg| match *arg.get_id() == id {
                            true => arg.default_value(value),
                            false => arg,
                        })
                    });
                }
            }
            if !used {
                let known = names
                    .iter()
                    .filter(|name| table == DEFAULTS || *name == table);
                let known = known.filter_map(|name| command.find_subcommand(name));
                let longs: Vec<String> = known
                    .flat_map(clap::Command::get_arguments)
                    .filter_map(|arg| arg.get_long().map(str::to_string))
                    .collect();
                let message = unknown("option", option, longs.iter().map(String::as_str));
                return Err(bad(format!("[{table}]: {message}")));
            }
        }
    }
    Ok(command)
}

/// The value as it would be typed.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
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
        assert!(
            error("\n[solve]\ntmie = 1\n").contains("line 2"),
            "{}",
            error("\n[solve]\ntmie = 1\n")
        );
        assert!(error("[solve]\ntmie = 1\n").contains("did you mean 'time'?"));
        assert!(error("[solve]\ntime = \n").contains("line 2"));
        assert!(error("time = 1\n").contains("[time]"));
    }
}
