//! HiGHS as a program: reads a model in MPS, solves it, prints HiGHS's log and writes the solution.
//!
//! The arguments are those of the program `highs` that Ployglot uses, so either can be called:
//! `ploy-highs --options_file FILE --solution_file FILE MODEL`. The options file has lines
//! `name = value`. The calls to C are all in this file; each checks the status that HiGHS returns.

use std::ffi::{CString, c_void};
use std::process::ExitCode;

use highs_sys::{
    Highs_create, Highs_destroy, Highs_getOptionType, Highs_readModel, Highs_run,
    Highs_setBoolOptionValue, Highs_setDoubleOptionValue, Highs_setIntOptionValue,
    Highs_setStringOptionValue, Highs_version, Highs_writeSolution, HighsInt,
};

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("ploy-highs: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<String>) -> Result<(), String> {
    let (mut options, mut solution, mut model) = (None, None, None);
    let mut words = arguments.into_iter();
    while let Some(word) = words.next() {
        let mut file = || words.next().ok_or(format!("{word} takes a file"));
        match word.as_str() {
            "--version" => {
                println!("HiGHS version {}", version());
                return Ok(());
            }
            "--options_file" => options = Some(file()?),
            "--solution_file" => solution = Some(file()?),
            _ if word.starts_with('-') => return Err(format!("unknown option {word}")),
            _ => model = Some(word),
        }
    }
    let model = model.ok_or("a model in MPS is missing")?;
    let mut highs = Highs::new();
    if let Some(file) = options {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let (name, value) = line
                .split_once('=')
                .ok_or(format!("{file}: not an option: {line}"))?;
            highs.set(name.trim(), value.trim())?;
        }
    }
    highs.read(&model)?;
    highs.solve()?;
    solution.map_or(Ok(()), |file| highs.write(&file))
}

fn version() -> String {
    // SAFETY: HiGHS returns a constant string that ends with 0.
    unsafe { std::ffi::CStr::from_ptr(Highs_version()) }
        .to_string_lossy()
        .into_owned()
}

/// An instance of HiGHS; freed on drop.
struct Highs(*mut c_void);

/// The types of options, as the C interface numbers them.
const BOOL: HighsInt = 0;
const INT: HighsInt = 1;
const DOUBLE: HighsInt = 2;

/// HiGHS returns -1 for an error, and 0 or 1 (with a warning) otherwise.
const ERROR: HighsInt = -1;

fn text(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("a zero byte in {text:?}"))
}

fn checked(status: HighsInt, what: &str) -> Result<(), String> {
    if status == ERROR {
        Err(format!("{what} failed"))
    } else {
        Ok(())
    }
}

// SAFETY of all calls below: the pointer is that of `Highs_create`, which only `drop` frees, and
// the strings live until the call returns.
impl Highs {
    fn new() -> Self {
        Self(unsafe { Highs_create() })
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let (option, word) = (text(name)?, text(value)?);
        let bad = || format!("the option {name} cannot be {value}");
        let mut kind: HighsInt = 0;
        let known = unsafe { Highs_getOptionType(self.0, option.as_ptr(), &mut kind) };
        checked(known, &format!("the option {name}"))?;
        let status = match kind {
            BOOL => {
                let on = matches!(value, "true" | "on" | "1");
                unsafe { Highs_setBoolOptionValue(self.0, option.as_ptr(), HighsInt::from(on)) }
            }
            INT => {
                let number = value.parse().map_err(|_| bad())?;
                unsafe { Highs_setIntOptionValue(self.0, option.as_ptr(), number) }
            }
            DOUBLE => {
                let number = value.parse().map_err(|_| bad())?;
                unsafe { Highs_setDoubleOptionValue(self.0, option.as_ptr(), number) }
            }
            _ => unsafe { Highs_setStringOptionValue(self.0, option.as_ptr(), word.as_ptr()) },
        };
        checked(status, &format!("setting {name}"))
    }

    fn read(&mut self, file: &str) -> Result<(), String> {
        let name = text(file)?;
        checked(
            unsafe { Highs_readModel(self.0, name.as_ptr()) },
            &format!("reading {file}"),
        )
    }

    fn solve(&mut self) -> Result<(), String> {
        checked(unsafe { Highs_run(self.0) }, "solving")
    }

    fn write(&mut self, file: &str) -> Result<(), String> {
        let name = text(file)?;
        checked(
            unsafe { Highs_writeSolution(self.0, name.as_ptr()) },
            &format!("writing {file}"),
        )
    }
}

impl Drop for Highs {
    fn drop(&mut self) {
        unsafe { Highs_destroy(self.0) };
    }
}
