//! `ploy serve`: the studio in the browser.

use std::net::{IpAddr, Ipv4Addr};

use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::{interrupt, load, output};

#[derive(clap::Args)]
pub struct Args {
    /// Files to show beside the levels that come with the program
    #[arg(value_name = "LEVEL")]
    levels: Vec<String>,
    /// The port; 0 takes any that is free
    #[arg(long, default_value_t = 7878)]
    port: u16,
    /// The address to listen at; anything but this machine's own is open to others
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let mut given = Vec::new();
    for name in &args.levels {
        // Read by the same reader as everywhere, so that a bad file is told before the page opens.
        load::level(name)?;
        given.push((name.clone(), load::text(name)?));
    }
    if !args.address.is_loopback() {
        anstream::eprintln!(
            "warning: everybody who can reach {} can use this machine's solvers",
            args.address
        );
    }
    let stop = interrupt::flag();
    ployglot_studio::serve(given, args.address, args.port, stop, |at| {
        output::line(&format!("http://{at}/"))?;
        anstream::eprintln!("open it in a browser; Ctrl-C ends it");
        Ok(())
    })?;
    Ok(Exit::Solved)
}
