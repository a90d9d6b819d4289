//! Messages as XML, with all their AVPs.

use std::fmt::Write as _;

use diameter::decoded::{DecodedAvp, decode};
use diameter::dictionary::Dictionary;
use runtime::time;

use crate::messages::{Found, MessageOf, command, microsecond};

/// Returns a document of messages.
pub(crate) fn document(messages: &[Found<'_>], dictionary: &Dictionary) -> String {
    let mut file = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<messages>\n".to_owned();
    messages.iter().for_each(|found| add(&mut file, found.of(), dictionary));
    file + "</messages>\n"
}

/// Appends a message.
pub(crate) fn add(file: &mut String, of: MessageOf<'_>, dictionary: &Dictionary) {
    let MessageOf { host, address, logged, message } = of;
    let direction = if logged.is_sent { "sent" } else { "received" };
    let (host, command) = (escaped(host), command(&message, dictionary));
    let (at, header) = (microsecond(logged.at), message.header);
    let _ = writeln!(
        file,
        "  <message at=\"{at}\" {direction}=\"true\" peer=\"{host}\" address=\"{address}\" command=\"{}\" \
         application=\"{}\" hop-by-hop=\"{}\" end-to-end=\"{}\">",
        escaped(&command),
        header.application,
        header.hop_by_hop,
        header.end_to_end,
    );
    let time = |seconds: i64| time::shown(seconds.saturating_mul(1_000));
    for avp in decode(message.avps(), dictionary, &time) {
        add_avp(file, &avp, 2);
    }
    file.push_str("  </message>\n");
}

fn add_avp(file: &mut String, avp: &DecodedAvp, depth: usize) {
    let DecodedAvp { name, code, vendor, value, members, .. } = avp;
    let indent = "  ".repeat(depth);
    let vendor = if *vendor == 0 { String::new() } else { format!(" vendor=\"{vendor}\"") };
    let name = if name.is_empty() { String::new() } else { format!(" name=\"{}\"", escaped(name)) };
    let _ = write!(file, "{indent}<avp code=\"{code}\"{vendor}{name}");
    if members.is_empty() {
        let _ = writeln!(file, " value=\"{}\"/>", escaped(value));
        return;
    }
    file.push_str(">\n");
    members.iter().for_each(|member| add_avp(file, member, depth + 1));
    let _ = writeln!(file, "{indent}</avp>");
}

/// Returns a text for an attribute. Characters that XML cannot have are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}');
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}
