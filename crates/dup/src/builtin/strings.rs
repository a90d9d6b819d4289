//! Built-in functions on strings: parts, searching, padding. Positions are counted in octets from 0. Positions beyond
//! the end are no error: there is nothing.

use super::{CallContext, append};
use crate::fault::Reason;
use crate::value::Octets;

/// Maximum octets of `pad`, so that a wrong number does not fill up a record's memory.
const WIDTH_MAX: i64 = 65_536;

type Result = std::result::Result<u64, Reason>;

pub(super) fn length(_: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(u64::from(Octets(arguments[0]).length()))
}

pub(super) fn mid(_: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let from = not_negative(arguments[1], "position")?;
    let count = match arguments.get(2) {
        Some(count) => not_negative(*count, "length")?,
        None => u64::MAX,
    };
    Ok(Octets(arguments[0]).part(from, count).0)
}

pub(super) fn left(_: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let count = not_negative(arguments[1], "length")?;
    Ok(Octets(arguments[0]).part(0, count).0)
}

pub(super) fn right(_: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let count = not_negative(arguments[1], "length")?;
    let text = Octets(arguments[0]);
    Ok(text.part(u64::from(text.length()).saturating_sub(count), count).0)
}

pub(super) fn find(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let (text, wanted) = (context.octets(arguments[0]), context.octets(arguments[1]));
    let from = match arguments.get(2) {
        Some(from) => not_negative(*from, "position")? as usize,
        None => 0,
    };
    let found = text.get(from..).and_then(|rest| position(rest, wanted));
    Ok(found.map_or(-1, |place| (from + place) as i64) as u64)
}

pub(super) fn contains(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let found = position(context.octets(arguments[0]), context.octets(arguments[1]));
    Ok(u64::from(found.is_some()))
}

pub(super) fn starts_with(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(u64::from(context.octets(arguments[0]).starts_with(context.octets(arguments[1]))))
}

pub(super) fn ends_with(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(u64::from(context.octets(arguments[0]).ends_with(context.octets(arguments[1]))))
}

pub(super) fn is_digits(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let text = context.octets(arguments[0]);
    Ok(u64::from(!text.is_empty() && text.iter().all(u8::is_ascii_digit)))
}

pub(super) fn concat(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        for argument in arguments {
            append(out, context.octets(*argument))?;
        }
        Ok(())
    })
}

pub(super) fn upper(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        out.extend(context.octets(arguments[0]).iter().map(u8::to_ascii_uppercase));
        Ok(())
    })
}

pub(super) fn lower(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        out.extend(context.octets(arguments[0]).iter().map(u8::to_ascii_lowercase));
        Ok(())
    })
}

pub(super) fn trim(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let text = context.octets(arguments[0]);
    let mut fills = [false; 256];
    match arguments.get(1) {
        Some(fill) => {
            context.octets(*fill).iter().for_each(|fill| fills[usize::from(*fill)] = true)
        }
        None => {
            (0..=u8::MAX).for_each(|octet| fills[usize::from(octet)] = octet.is_ascii_whitespace())
        }
    }
    let is_fill = |octet: &&u8| fills[usize::from(**octet)];
    let from = text.iter().take_while(is_fill).count();
    let behind = text[from..].iter().rev().take_while(is_fill).count();
    let count = text.len() - from - behind;
    Ok(Octets(arguments[0]).part(from as u64, count as u64).0)
}

pub(super) fn pad(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        let (missing, fill) = padding(context, arguments)?;
        out.extend_from_slice(context.octets(arguments[0]));
        out.extend(std::iter::repeat_n(fill, missing));
        Ok(())
    })
}

pub(super) fn pad_left(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        let (missing, fill) = padding(context, arguments)?;
        out.extend(std::iter::repeat_n(fill, missing));
        out.extend_from_slice(context.octets(arguments[0]));
        Ok(())
    })
}

/// Returns how many octets are missing, and the octet to fill with.
fn padding(
    context: &CallContext<'_, '_>,
    arguments: &[u64],
) -> std::result::Result<(usize, u8), Reason> {
    let width = arguments[1] as i64;
    if !(0..=WIDTH_MAX).contains(&width) {
        return Err(Reason::argument(format!("the width {width} is not within 0 .. {WIDTH_MAX}")));
    }
    let fill = match arguments.get(2).map(|fill| context.octets(*fill)) {
        None => b' ',
        Some([fill]) => *fill,
        Some(_) => return Err(Reason::argument("what fills is one character")),
    };
    Ok(((width as usize).saturating_sub(context.octets(arguments[0]).len()), fill))
}

pub(super) fn replace(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        let wanted = context.octets(arguments[1]);
        let text = context.octets(arguments[0]);
        if wanted.is_empty() {
            return Err(Reason::argument("what is replaced is empty"));
        }
        let mut behind = 0;
        for place in memchr::memmem::find_iter(text, wanted) {
            append(out, &text[behind..place])?;
            append(out, context.octets(arguments[2]))?;
            behind = place + wanted.len();
        }
        append(out, &text[behind..])
    })
}

fn position(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, wanted)
}

fn not_negative(number: u64, what: &str) -> Result {
    match number as i64 {
        ..0 => Err(Reason::argument(format!("the {what} {} is negative", number as i64))),
        _ => Ok(number),
    }
}
