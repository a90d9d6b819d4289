//! Suggestions for type names that no module defines.

use diagnostics::did_you_mean;

/// X.680 types of one or two keywords.
const TYPES: [&str; 13] = [
    "ANY",
    "BIT STRING",
    "BOOLEAN",
    "CHOICE",
    "ENUMERATED",
    "EXTERNAL",
    "GeneralizedTime",
    "INTEGER",
    "OBJECT IDENTIFIER",
    "OCTET STRING",
    "SEQUENCE",
    "SEQUENCE OF",
    "UTCTime",
];

/// Character string types of X.680. Only the part before `String` is compared: the common ending
/// would make unrelated names look similar.
const STRINGS: [&str; 8] = [
    "BMPString",
    "GeneralString",
    "GraphicString",
    "IA5String",
    "NumericString",
    "PrintableString",
    "UTF8String",
    "VisibleString",
];

/// Returns a suggestion for an undefined type name.
pub(super) fn hint(name: &str) -> Option<String> {
    let plain: String = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    if let Some(of) = plain.strip_suffix("string").filter(|of| !matches!(*of, "octet" | "bit")) {
        let beginnings = STRINGS.map(|name| name.trim_end_matches("String"));
        let meant = diagnostics::closest(of, beginnings);
        return Some(match meant {
            Some(meant) => format!("did you mean \"{meant}String\"?"),
            None => {
                format!("ASN.1 has no such type; define it, for example {name} ::= OCTET STRING")
            }
        });
    }
    did_you_mean(name, TYPES.into_iter().chain(STRINGS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_of_the_standard_is_found_and_one_of_vendors_is_not_taken_for_another() {
        for (name, meant) in [
            ("INTEGRE", "INTEGER"),
            ("OCTETSTRING", "OCTET STRING"),
            ("OctetString", "OCTET STRING"),
            ("OCTET-STRING", "OCTET STRING"),
            ("BITSTRING", "BIT STRING"),
            ("OBJECTIDENTIFIER", "OBJECT IDENTIFIER"),
            ("SEQUENCEOF", "SEQUENCE OF"),
            ("IA5STRING", "IA5String"),
            ("UTF-8String", "UTF8String"),
            ("UTF8Strng", "UTF8String"),
            ("Visable-String", "VisibleString"),
        ] {
            assert_eq!(hint(name), Some(format!("did you mean \"{meant}\"?")), "{name}");
        }
        for name in ["BCDString", "TBCDString", "TBCD-STRING", "HexString", "ByteString"] {
            let hint = hint(name).expect("there is one");
            assert!(
                hint.ends_with(&format!("define it, for example {name} ::= OCTET STRING")),
                "{hint}"
            );
        }
        assert_eq!(hint("Subscriber"), None);
    }
}
