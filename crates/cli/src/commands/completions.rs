//! `ploy completions`: a completion script for a shell, from the parser's own list of commands, with
//! the names of games, of built-in levels and of routes.
//!
//! The names are put into the script as possible values, for the script only: a level may also be a
//! file, and a route may have switches. Bash and fish offer files where no name fits; for zsh files are
//! added to the script. Bash splits the line at colons, which the names of routes have, and at `=`;
//! the script for bash gets a function that joins such words again.

use clap::builder::PossibleValuesParser;
use clap_complete::{Shell, generate};

use ployglot_games::{Game, GameVisitor, NAMES, visit_games};
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::{load, output};
use ployglot_solve::{BEST, routes};

#[derive(clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    output::text(&script(args.shell))?;
    Ok(Exit::Solved)
}

fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    generate(
        shell,
        &mut with_names(super::command()),
        "ploy",
        &mut script,
    );
    let script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => with_joined_words(&script),
        Shell::Zsh => with_files(&script),
        Shell::Fish => script + &levels_for_fish(),
        _ => script,
    }
}

/// The names of the built-in levels.
fn level_names() -> Vec<&'static str> {
    let all = load::builtins().into_iter();
    all.map(|(game, level)| -> &'static str { format!("{game}/{}", level.name).leak() })
        .collect()
}

/// The names of the routes of all games, each once.
fn route_names() -> Vec<&'static str> {
    struct Collect(Vec<&'static str>);
    impl GameVisitor for Collect {
        fn visit<G: Game>(&mut self) {
            self.0.extend(
                routes::<G>()
                    .into_iter()
                    .map(|route| -> &'static str { route.name.leak() }),
            );
        }
    }
    let mut collect = Collect(vec![BEST]);
    visit_games(&mut collect);
    let mut seen = std::collections::HashSet::new();
    collect.0.retain(|name| seen.insert(*name));
    collect.0
}

/// The command line with the names of games, levels and routes as possible values.
fn with_names(mut command: clap::Command) -> clap::Command {
    let (levels, routes, games) = (level_names(), route_names(), NAMES.to_vec());
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_string())
        .collect();
    // Arguments keep their order, which positional ones need.
    let with_values = |arg: clap::Arg| {
        let values = match arg.get_id().as_str() {
            "level" | "levels" => &levels,
            "route" | "routes" => &routes,
            "game" | "games" => &games,
            _ => return arg,
        };
        match arg.get_action().takes_values() {
            true => arg.value_parser(PossibleValuesParser::new(values.clone())),
            false => arg,
        }
    };
    for name in names {
        command = command.mut_subcommand(name, |sub| sub.mut_args(with_values));
    }
    command
}

/// Clap's script for fish has no values of positional arguments.
fn levels_for_fish() -> String {
    let command = super::command();
    let line = |ids: [&str; 2], names: &[&str]| {
        let takes = |sub: &&clap::Command| {
            let mut positionals = sub.get_positionals();
            positionals.any(|arg| ids.contains(&arg.get_id().as_str()))
        };
        let subs: Vec<&str> = command
            .get_subcommands()
            .filter(takes)
            .map(clap::Command::get_name)
            .collect();
        format!(
            "complete -c ploy -n \"__fish_seen_subcommand_from {}\" -a \"{}\"\n",
            subs.join(" "),
            names.join(" ")
        )
    };
    line(["level", "levels"], &level_names()) + &line(["game", "games"], NAMES)
}

/// The script with a function around clap's, which gets the words as they were typed.
fn with_joined_words(script: &str) -> String {
    script.replace("complete -F _ploy -o", "complete -F _ploy_words -o") + JOINED_WORDS
}

const JOINED_WORDS: &str = r#"
# Bash splits the line at ':' and '=' too; _ploy gets it split at blanks, and --option=value in two.
_ploy_words() {
    local line="${COMP_LINE:0:COMP_POINT}" COMP_WORDS COMP_CWORD word
    read -ra COMP_WORDS <<<"$line"
    [[ "$line" != *[[:space:]] ]] || COMP_WORDS+=("")
    word="${COMP_WORDS[-1]}"
    if [[ "$word" == --*=* ]]; then
        COMP_WORDS[-1]="${word%%=*}"
        COMP_WORDS+=("${word#*=}")
        word="${word#*=}"
    fi
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _ploy "$1" "$word" "${COMP_WORDS[-2]}"
    # The shell replaces what follows the last colon.
    if [[ "$word" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${word%:*}:"}")
    fi
}
"#;

/// Zsh offers the listed values only, so files are added to the levels.
fn with_files(script: &str) -> String {
    let list = format!("({})", level_names().join(" "));
    let with_files =
        format!("{{_alternative \"levels:built-in level:{list}\" \"files:file:_files\"}}");
    script.replace(&list, &with_files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_know_levels_and_routes() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = script(shell);
            assert!(script.contains("plotting/04-staircase"), "{shell}");
            assert!(script.contains("astar"), "{shell}");
        }
        assert!(script(Shell::Zsh).contains("_files"));
    }

    #[test]
    fn names_of_routes_are_listed_once() {
        let names = route_names();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len());
    }
}
