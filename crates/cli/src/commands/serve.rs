//! `ploy serve`: the studio in the browser.

use std::net::{IpAddr, Ipv4Addr};

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::{interrupt, load, output};

#[derive(clap::Args)]
pub struct Args {
    /// Level files to show beside the built-in levels
    #[arg(value_name = "LEVEL")]
    levels: Vec<String>,
    /// The port; 0 for any free one
    #[arg(long, default_value_t = 7878)]
    port: u16,
    /// The address to listen on; unless it is a loopback address, other machines can connect
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let mut given = Vec::new();
    for name in args.levels.into_iter().flat_map(load::expand) {
        // A file that cannot be read is reported before the server starts.
        let text = load::level_text(&name)?;
        given.push((name, text));
    }
    if !args.address.is_loopback() {
        anstream::eprintln!(
            "warning: every machine that can reach {} can use this machine's solvers",
            args.address
        );
    }
    let stop = interrupt::flag();
    ployglot_studio::serve(given, args.address, args.port, stop, |at| {
        output::line(&format!("http://{at}/"))?;
        anstream::eprintln!("open this address in a browser; Ctrl-C ends the server");
        Ok(())
    })?;
    Ok(Exit::Solved)
}
