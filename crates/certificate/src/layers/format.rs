//! The file of a list: compressed by gzip. Inside, each node is a record
//!
//! ```text
//! cost    the cost of the node
//! shared  how many bytes it shares with the beginning of the node before it
//! length  how many bytes follow
//! bytes   the rest of the node
//! ```
//! Numbers are written seven bits to a byte, the lowest first, with the eighth bit set on all bytes but
//! the last (LEB128). The nodes are in strictly ascending order of their bytes.

use std::io::{self, BufRead, BufReader, Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

/// The largest node, in bytes. Boards have at most a few thousand cells where they can be listed.
const LONGEST: u64 = 1 << 24;

/// Writes nodes in ascending order.
pub(super) struct Writer<W: Write> {
    out: GzEncoder<W>,
    last: Vec<u8>,
    record: Vec<u8>,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out: GzEncoder::new(out, Compression::default()),
            last: Vec::new(),
            record: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, cost: u32, node: &[u8]) -> io::Result<()> {
        let pairs = self.last.iter().zip(node);
        let shared = pairs.take_while(|(a, b)| a == b).count();
        self.record.clear();
        for number in [cost as usize, shared, node.len() - shared] {
            number_to(&mut self.record, number as u64);
        }
        self.record.extend(&node[shared..]);
        self.last.truncate(shared);
        self.last.extend(&node[shared..]);
        self.out.write_all(&self.record)
    }

    pub(super) fn finish(self) -> io::Result<W> {
        self.out.finish()
    }
}

/// The file of a list of nodes with their costs, which are in ascending order.
pub fn write_list(nodes: impl IntoIterator<Item = (u32, Vec<u8>)>) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    for (cost, node) in nodes {
        writer.push(cost, &node).expect("memory can be written");
    }
    writer.finish().expect("memory can be written")
}

/// The nodes of a file, with their costs.
pub fn read_list(file: &[u8]) -> io::Result<Vec<(u32, Vec<u8>)>> {
    let mut reader = Reader::new(file);
    let mut nodes = Vec::new();
    while let Some((cost, node)) = reader.next()? {
        nodes.push((cost, node.to_vec()));
    }
    Ok(nodes)
}

fn number_to(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads nodes, and checks their order.
pub(super) struct Reader<R> {
    input: BufReader<MultiGzDecoder<R>>,
    node: Vec<u8>,
    /// How many nodes were read.
    pub(super) count: u64,
}

impl<R: Read> Reader<R> {
    pub(super) fn new(file: R) -> Self {
        Self {
            input: BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file)),
            node: Vec::new(),
            count: 0,
        }
    }

    /// The next node and its cost. An error that is not of the system has the kind `InvalidData`.
    pub(super) fn next(&mut self) -> io::Result<Option<(u32, &[u8])>> {
        if self.input.fill_buf().map_err(damaged)?.is_empty() {
            return Ok(None);
        }
        let cost = u32::try_from(self.number()?).map_err(|_| bad("a cost is too large"))?;
        let (shared, length) = (self.number()?, self.number()?);
        if shared > self.node.len() as u64 || length > LONGEST || shared + length > LONGEST {
            return Err(bad("a record has impossible lengths"));
        }
        let (shared, length) = (shared as usize, length as usize);
        let mut rest = vec![0; length];
        self.input.read_exact(&mut rest).map_err(damaged)?;
        // Both begin with the shared bytes, so the order depends on what follows.
        if self.count > 0 && rest.as_slice() <= &self.node[shared..] {
            return Err(bad("the nodes are not in ascending order"));
        }
        self.node.truncate(shared);
        self.node.extend(rest);
        self.count += 1;
        Ok(Some((cost, &self.node)))
    }

    fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let mut byte = [0];
            self.input.read_exact(&mut byte).map_err(damaged)?;
            number |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] < 0x80 {
                return Ok(number);
            }
        }
        Err(bad("a number is too large"))
    }
}

fn bad(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// What the decompressor reports about damaged bytes is not an error of the system.
fn damaged(error: io::Error) -> io::Error {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    match error.kind() {
        UnexpectedEof => bad("it ends in the middle"),
        InvalidInput | InvalidData => bad("it is not what gzip writes"),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(nodes: &[(u32, &[u8])]) -> Vec<u8> {
        write_list(nodes.iter().map(|(cost, node)| (*cost, node.to_vec())))
    }

    fn read(bytes: &[u8]) -> Result<Vec<(u32, Vec<u8>)>, String> {
        read_list(bytes).map_err(|error| error.to_string())
    }

    #[test]
    fn nodes_are_read_as_they_were_written() {
        let nodes: [(u32, &[u8]); 6] = [
            (3, b""),
            (0, b"ab"),
            (300, b"abc"),
            (1, b"abd"),
            (2, b"b"),
            (u32::MAX, &[0xff; 200]),
        ];
        let found = read(&written(&nodes)).expect("a good list");
        let same = found
            .iter()
            .zip(&nodes)
            .all(|(a, b)| a.0 == b.0 && a.1 == b.1);
        assert!(same && found.len() == nodes.len(), "{found:?}");
        assert_eq!(read(&written(&[])), Ok(Vec::new()));
    }

    #[test]
    fn disorder_and_damage_are_found() {
        for nodes in [
            [(0, b"b".as_slice()), (0, b"a")],
            [(0, b"a"), (0, b"a")],
            [(0, b"ab"), (0, b"a")],
        ] {
            let why = read(&written(&nodes)).expect_err("no order");
            assert_eq!(why, "the nodes are not in ascending order");
        }
        let good = written(&[(0, b"abcdefgh"), (1, b"bcdefghi")]);
        for cut in 0..good.len() {
            assert!(cut == 0 || read(&good[..cut]).is_err(), "{cut} bytes");
        }
    }
}
