//! Disassembles the machine code of the processors that Tollgate runs on.

use std::collections::BTreeSet;
use std::ops::Range;

use yaxpeax_arch::{Arch, Decoder, LengthedInstruction, U8Reader};

#[cfg(target_arch = "x86_64")]
type Processor = yaxpeax_x86::amd64::Arch;
#[cfg(target_arch = "aarch64")]
type Processor = yaxpeax_arm::armv8::a64::ARMv8;

/// The beginnings of instructions after which no instruction follows, unless a jump leads there: the tables of switches
/// and the constants of a function follow them.
const LAST: [&str; 3] = ["ret", "jmp r", "br x"];

/// An instruction of the processor, or data among them.
#[derive(Debug)]
pub(super) struct Disassembled {
    /// Its octets.
    pub(super) range: Range<usize>,
    pub(super) text: String,
    /// The octet it jumps to, if it is a jump.
    target: Option<usize>,
}

/// Disassembles a piece of code. Instructions start at `begins` and at the targets of jumps.
pub(super) fn disassemble(octets: &[u8], begins: impl Iterator<Item = usize>) -> Vec<Disassembled> {
    let mut begins: BTreeSet<usize> = begins.collect();
    let found = sweep(octets, &begins);
    begins.extend(found.into_iter().filter_map(|found| found.target));
    sweep(octets, &begins)
}

/// Decodes instructions in order. After the last of a stretch, continues at the next known beginning.
fn sweep(octets: &[u8], begins: &BTreeSet<usize>) -> Vec<Disassembled> {
    let decoder = <Processor as Arch>::Decoder::default();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < octets.len() {
        let (length, text) = match decoder.decode(&mut U8Reader::new(&octets[at..])) {
            Ok(instruction) => (instruction.len().to_const() as usize, instruction.to_string()),
            Err(_) => (1, "data".to_owned()),
        };
        let is_last = LAST.iter().any(|last| text.starts_with(last));
        let (text, target) = absolute(text, at, length);
        found.push(Disassembled { range: at..at + length, text, target });
        at += length;
        let next = begins.range(at..).next().copied().unwrap_or(octets.len());
        if is_last && next > at {
            found.push(Disassembled { range: at..next, text: "data".into(), target: None });
            at = next;
        }
    }
    found
}

/// Replaces a relative jump, as "$+0x1f", with the octet it leads to. Returns the text and that octet.
fn absolute(text: String, at: usize, length: usize) -> (String, Option<usize>) {
    let from = if cfg!(target_arch = "x86_64") { at + length } else { at };
    let found = text.split_once('$').and_then(|(before, far)| {
        let (sign, far) = far.split_at_checked(1)?;
        let far = usize::from_str_radix(far.strip_prefix("0x")?, 16).ok()?;
        let target = if sign == "+" { from.checked_add(far) } else { from.checked_sub(far) }?;
        Some((format!("{before}+{target:04x}"), Some(target)))
    });
    found.unwrap_or((text, None))
}
