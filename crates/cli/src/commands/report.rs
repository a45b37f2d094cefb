//! `ploy report`: tables and plots from a database of results.

use ployglot_experiments::report::{Format, Part, ReportOptions, Results, comparison, report};
use ployglot_io::exit::Exit;
use ployglot_io::failure::Failure;
use ployglot_io::output;

#[derive(clap::Args)]
pub struct Args {
    /// A database of `ploy bench`
    db: String,
    /// The format [default: by the extension of --out, otherwise text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// What to write [default: levels for csv, the cactus plot for svg, everything for html,
    /// otherwise the summary]
    #[arg(long, value_enum)]
    part: Option<Part>,
    /// The two solvers of the scatter plot [default: the first two]
    #[arg(long, num_args = 2, value_names = ["X", "Y"])]
    scatter: Option<Vec<String>>,
    /// Compare with earlier results: changed outcomes first
    #[arg(long, value_name = "BEFORE", conflicts_with_all = ["part", "scatter"])]
    compare: Option<String>,
    /// Write to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
}

pub fn run(args: Args) -> Result<Exit, Failure> {
    let by_extension = args.out.as_deref().and_then(Format::of_file);
    let format = args.format.or(by_extension).unwrap_or(Format::Text);
    let inputs = [Some(&args.db), args.compare.as_ref()];
    output::refuse_inputs(&[("--out", args.out.as_ref())], &inputs)?;
    let results = Results::read(&args.db)?;
    let text = match &args.compare {
        Some(before) => comparison(&Results::read(before)?, &results, format)?,
        None => {
            let scatter = args
                .scatter
                .and_then(|pair| <[String; 2]>::try_from(pair).ok());
            let part = if scatter.is_some() {
                args.part.or(Some(Part::Scatter))
            } else {
                args.part
            };
            let options = ReportOptions {
                format,
                part,
                scatter: scatter.map(|[x, y]| (x, y)),
            };
            report(&results, &options)?
        }
    };
    match &args.out {
        None => output::text(&text)?,
        Some(file) => output::file(file, text.as_bytes())?,
    }
    let contradicted = results.contradicted();
    if contradicted > 0 {
        anstream::eprintln!(
            "{}: another run or the referee contradicts {contradicted} of the runs; --part levels \
             names them",
            args.db
        );
        return Ok(Exit::Defect);
    }
    Ok(Exit::Solved)
}
