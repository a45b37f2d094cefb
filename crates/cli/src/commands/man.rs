//! `ploy man`: the manual, from the parser's own list of commands.

use clap_mangen::Man;

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::output;

#[derive(clap::Args)]
pub struct Args {
    /// Write one page for each command into this folder [default: the first page, to standard
    /// output]
    dir: Option<String>,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let command = super::command();
    let Some(dir) = args.dir else {
        output::text(&String::from_utf8_lossy(&page(command)?))?;
        return Ok(Exit::Solved);
    };
    std::fs::create_dir_all(&dir).map_err(|error| Failure::io(&dir, error))?;
    let subcommands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    output::file(&format!("{dir}/ploy.1"), &page(command)?)?;
    for subcommand in subcommands {
        let name = format!("ploy-{}", subcommand.get_name());
        let full: &'static str = String::leak(name.clone());
        output::file(&format!("{dir}/{name}.1"), &page(subcommand.name(full))?)?;
    }
    Ok(Exit::Solved)
}

fn page(command: clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    Man::new(command)
        .render(&mut page)
        .map_err(|error| Failure::io("the manual", error))?;
    Ok(page)
}
