//! `ploy solve --certificate DIR`.

use ployglot_base::Budget;
use ployglot_games::{Game, Level};
use ployglot_io::exit::{Exit, UNSUPPORTED};
use ployglot_io::failure::Failure;
use ployglot_io::folder::FolderDraft;
use ployglot_io::row::{CertificateNote, Row};
use ployglot_solve::{Answer, NotCertified, certify};

/// Writes the certificate of an answer. If that fails, the answer stands, and the row says why there
/// is no certificate; the exit code is that of the failure.
pub fn write<G: Game>(
    folder: &str,
    level: &Level<G>,
    answer: &Answer<G>,
    budget: &Budget,
    row: &mut Row,
) -> Result<(), Failure> {
    let draft = FolderDraft::create(folder)?;
    let program = concat!("ploy ", env!("CARGO_PKG_VERSION"));
    let note = match certify(level, answer, program, &draft, budget) {
        Ok(manifest) => {
            draft.finish()?;
            CertificateNote::written(folder, &manifest)
        }
        Err(NotCertified::Io(error)) => return Err(Failure::io(folder, error)),
        Err(NotCertified::Defect(why)) => return Err(Failure::Defect(why)),
        Err(why) => {
            let note = CertificateNote::missing(folder, why.to_string());
            row.exit = match why {
                NotCertified::Limit(limit, _) => Exit::without_certificate(limit),
                // An answer without a proof has its own exit code.
                _ if row.exit == Exit::Solved || row.exit == Exit::Unsolvable => {
                    Exit::Error(UNSUPPORTED)
                }
                _ => row.exit,
            };
            note
        }
    };
    row.certificate = Some(note);
    Ok(())
}
