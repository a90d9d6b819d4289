//! The notation of group keys. It is printable ASCII, so that terminals interpret nothing in a key
//! and different keys never look alike.

/// Appends one byte of a key value. Values are separated by slashes, so a slash within a value is
/// written `\/`.
pub fn write_key_octet(octet: u8, to: &mut String) {
    match octet {
        b'/' | b'\\' => to.extend(['\\', octet.into()]),
        _ => write_typed(octet, to),
    }
}

/// Converts a typed key to its notation: `é/` becomes `\xc3\xa9/`.
///
/// ```
/// assert_eq!(node::typed_key("é/a\\/b"), "\\xc3\\xa9/a\\/b");
/// ```
pub fn typed_key(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    text.bytes().for_each(|octet| write_typed(octet, &mut written));
    written
}

fn write_typed(octet: u8, to: &mut String) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match octet {
        0x20..0x7F => to.push(octet.into()),
        _ => {
            let digit = |half: u8| char::from(HEX[usize::from(half)]);
            to.extend(['\\', 'x', digit(octet >> 4), digit(octet & 15)]);
        }
    }
}
