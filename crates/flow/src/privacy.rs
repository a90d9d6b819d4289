//! Who sees subscriber data, and which components of records hold it: `[privacy]`.
//!
//! The settings take effect as soon as the flow file is saved, before the gateway reads it. So a flow file that cannot be
//! read shows as little as possible, not the defaults.

use std::path::Path;
use std::sync::{Arc, Mutex};

use diagnostics::{Diagnostic, plain};
use runtime::sync::lock;
use settings::{Setting, Settings};
use toml_edit::{Document, Item, Value};

use crate::file::{self, FlowFile, Keys, TableSchema};

const ROLE: &str = "role";
const COMPONENTS: &str = "components";
const MORE_COMPONENTS: &str = "more-components";
const UNMASK: &str = "unmask";
const KEYS: [&str; 4] = [ROLE, COMPONENTS, MORE_COMPONENTS, UNMASK];

/// `[privacy]`.
pub const PRIVACY: TableSchema = TableSchema { name: "privacy", keys: Keys::These(&KEYS) };

/// The components that hold subscriber data by default: names of 3GPP TS 32.298 and TS 32.255, and frequent headers of
/// CSV files.
const USUAL_COMPONENTS: &[&str] = &[
    // Identities of subscribers and devices.
    "*imsi*",
    "*msisdn*",
    "*imei*",
    "*supi*",
    "*gpsi*",
    "*servedpei*",
    "*iccid*",
    "*subscriber*",
    "subscriptionid*",
    "served*",
    "account",
    "accountnumber",
    "accountid",
    "customer*",
    // Numbers.
    "*calling*number*",
    "*calling*party*",
    "*called*number*",
    "*called*party*",
    "calling",
    "called",
    "caller*",
    "callee*",
    "*dialled*",
    "*dialed*",
    "other",
    "other*number*",
    "other*party*",
    "*partynumber*",
    "*connectednumber*",
    "*redirect*number*",
    "*forwardedto*",
    "*translatednumber*",
    "*roamingnumber*",
    "*originating*number*",
    "*terminating*number*",
    "*destination*number*",
    "anumber*",
    "bnumber*",
    "cnumber*",
    "aparty*",
    "bparty*",
    "phone*",
    "*phonenumber*",
    "mobile*number*",
    // Addresses of persons and devices.
    "*party*address*",
    "originat*address*",
    "destination*address*",
    "recipient*",
    "*assertedidentity*",
    "*sipuri*",
    "*teluri*",
    "*privateuser*",
    "*publicuser*",
    "impi",
    "impu",
    "nai",
    "username",
    "userid*",
    "*email*",
    "*pdpaddress*",
    "*pdppdnaddress*",
    "*pdnaddress*",
    "*ipaddress*",
    "framedip*",
    "*clientip*",
    "*userip*",
    "*ueip*",
    "*sourceip*",
    "*macaddress*",
];

/// The users who see subscriber data: those with this role, or a higher one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All users.
    Viewers,
    /// Operators and administrators.
    Operators,
    /// Administrators.
    Administrators,
}

/// The words of the roles.
const AUDIENCES: [(&str, Audience); 3] = [
    ("viewer", Audience::Viewers),
    ("operator", Audience::Operators),
    ("administrator", Audience::Administrators),
];

/// The words of those who may see one thing unmasked after giving a reason. Administrators alone would be no help to the others.
const UNMASKING: [(&str, Audience); 2] =
    [("viewer", Audience::Viewers), ("operator", Audience::Operators)];

/// Who sees subscriber data, and which components of records hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Privacy {
    /// The users who see it.
    pub audience: Audience,
    /// The users who do not see it, but may see one case of fraud unmasked after giving a reason: those with this role, or a higher
    /// one. `None` for no one.
    pub unmask: Option<Audience>,
    /// Patterns of names, as [`bare`] writes names.
    components: Vec<String>,
}

impl Default for Privacy {
    fn default() -> Self {
        Privacy { audience: Audience::Operators, unmask: None, components: usual() }
    }
}

impl Privacy {
    /// Reads `[privacy]`; without it, the defaults apply.
    ///
    /// # Errors
    ///
    /// A role is unknown, or a component has no name.
    pub fn read(file: &FlowFile) -> Result<Self, Diagnostic> {
        let Some(settings) = file.tables.get(&PRIVACY) else { return Ok(Privacy::default()) };
        let audience = settings.get(ROLE).map(|role| settings.choice(role, &AUDIENCES));
        let unmask = settings.get(UNMASK).map(|role| settings.choice(role, &UNMASKING));
        let named = |key| settings.all(key).map(|setting| component(settings, setting));
        let replaced = named(COMPONENTS).collect::<Result<Vec<_>, _>>()?;
        let more = named(MORE_COMPONENTS).collect::<Result<Vec<_>, _>>()?;
        let base = if replaced.is_empty() { usual() } else { replaced };
        Ok(Privacy {
            audience: audience.transpose()?.unwrap_or(Audience::Operators),
            unmask: unmask.transpose()?,
            components: [base, more].concat(),
        })
    }

    /// Returns the settings of a flow file, as it is on the disk. If they cannot be read, they are the strictest: only
    /// administrators see subscriber data, and any value may be such.
    pub fn of_flow(path: &Path) -> Self {
        match plain::read_text(path, plain::TEXT_OCTETS_MAX) {
            Ok(text) => Self::of_text(path, text),
            Err(_) => Privacy::strictest(),
        }
    }

    /// As [`of_flow`](Self::of_flow), for a text of the flow file.
    pub fn of_text(path: &Path, text: String) -> Self {
        Self::parsed(path, text).unwrap_or_else(Self::strictest)
    }

    /// Returns the settings of a text of the flow file; `None` if they cannot be read.
    pub fn parsed(path: &Path, text: String) -> Option<Self> {
        let (file, _) = file::parse(path, text.clone(), &[], None);
        let is_whole = Document::parse(text.as_str()).is_ok_and(|document| {
            let written = document.as_table().get(PRIVACY.name);
            written.is_none_or(|written| is_whole(written, file.tables.get(&PRIVACY)))
        });
        Privacy::read(&file).ok().filter(|_| is_whole)
    }

    /// Returns the strictest settings.
    pub fn strictest() -> Self {
        Privacy { audience: Audience::Administrators, unmask: None, components: vec!["*".into()] }
    }

    /// Returns whether a component of a record holds subscriber data, by its name. Case does not matter, nor do
    /// characters that are neither letters nor digits: `called-number` is `calledNumber`.
    pub fn is_subscriber_data(&self, name: &str) -> bool {
        let name = bare(name);
        self.components.iter().any(|pattern| transport::matches(pattern, &name))
    }
}

/// Reads the settings of a flow file again and again. It parses the text only if it is another one than the last time,
/// since that takes half a millisecond for a flow of 75 nodes. The text itself is compared, not the time of its file:
/// two edits within one tick of the clock must not show more than the second allows.
#[derive(Debug, Default)]
pub struct PrivacyReader {
    last: Mutex<Option<(String, Arc<Privacy>)>>,
}

impl PrivacyReader {
    /// As [`Privacy::of_flow`].
    pub fn of_flow(&self, path: &Path) -> Arc<Privacy> {
        let Ok(text) = plain::read_text(path, plain::TEXT_OCTETS_MAX) else {
            return Arc::new(Privacy::strictest());
        };
        let mut last = lock(&self.last);
        if let Some((known, privacy)) = &*last
            && *known == text
        {
            return Arc::clone(privacy);
        }
        let privacy = Arc::new(Privacy::of_text(path, text.clone()));
        *last = Some((text, Arc::clone(&privacy)));
        privacy
    }
}

fn usual() -> Vec<String> {
    USUAL_COMPONENTS.iter().map(|&pattern| pattern.to_owned()).collect()
}

/// Returns the letters and digits of a name, in lower case.
fn bare(name: &str) -> String {
    name.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the pattern of a component.
fn component(settings: &Settings, setting: &Setting) -> Result<String, Diagnostic> {
    let parts: Vec<String> = setting.value.split('*').map(bare).collect();
    let pattern = parts.join("*");
    if pattern.is_empty() {
        let message = format!("\"{}\" names no component", setting.value);
        let hint = "write a name, such as \"customerNumber\"; \"*\" stands for any characters";
        return Err(settings.error(setting, message).hint(hint));
    }
    Ok(pattern)
}

/// Returns whether a table was read as it is written: it has known keys only, and no value was left out.
fn is_whole(written: &Item, read: Option<&Settings>) -> bool {
    let (Some(written), Some(read)) = (written.as_table_like(), read) else { return false };
    written.iter().all(|(key, item)| {
        let values = match item.as_value() {
            Some(Value::Array(array)) => array.len(),
            _ => 1,
        };
        KEYS.contains(&key) && read.all(key).count() == values
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_text(text: &str) -> Privacy {
        Privacy::of_text(Path::new("flow.toml"), text.into())
    }

    #[test]
    fn names_of_standards_and_headers_of_csv_files_are_subscriber_data_by_default() {
        let privacy = Privacy::default();
        for name in [
            "servedIMSI",
            "IMSI",
            "imsi",
            "servedMSISDN",
            "servedIMEI",
            "servedIMEISV",
            "callingNumber",
            "callingPartyNumber",
            "called-number",
            "called_party_number",
            "dialledNumber",
            "otherNumber",
            "other",
            "A-Number",
            "b_party",
            "roamingNumber",
            "forwardedToNumber",
            "servedPDPAddress",
            "servedPDPPDNAddress",
            "iPAddress",
            "client_ip",
            "sIP-URI",
            "tEL-URI",
            "list-Of-Calling-Party-Address",
            "subscriberIdentifier",
            "subscription-Id-Data",
            "Account Number",
        ] {
            assert!(privacy.is_subscriber_data(name), "{name}");
        }
    }

    #[test]
    fn other_components_are_no_subscriber_data_by_default() {
        let privacy = Privacy::default();
        for name in [
            "callDuration",
            "answerTime",
            "recordNumber",
            "localSequenceNumber",
            "causeForTerm",
            "recordType",
            "charge",
            "total",
            "chargingID",
            "recordingEntity",
            "p-GWAddress",
            "mscAddress",
            "callReference",
            "[0]",
            "",
        ] {
            assert!(!privacy.is_subscriber_data(name), "{name}");
        }
    }

    #[test]
    fn a_flow_adds_components_or_replaces_them() {
        let added = of_text("[privacy]\nmore-components = [\"Cell-Id\", \"trunk*\"]\n");
        assert_eq!(added.audience, Audience::Operators);
        for name in ["cellId", "trunkGroupIn", "servedIMSI"] {
            assert!(added.is_subscriber_data(name), "{name}");
        }
        let replaced = of_text("[privacy]\nrole = \"viewer\"\ncomponents = [\"cellId\"]\n");
        assert_eq!(replaced.audience, Audience::Viewers);
        assert!(replaced.is_subscriber_data("cell-id"));
        assert!(!replaced.is_subscriber_data("servedIMSI"));
    }

    #[test]
    fn no_one_sees_a_thing_unmasked_unless_the_flow_says_who() {
        for (text, expected) in [
            ("", None),
            ("[privacy]\nrole = \"operator\"\n", None),
            ("[privacy]\nunmask = \"viewer\"\n", Some(Audience::Viewers)),
            (
                "[privacy]\nrole = \"administrator\"\nunmask = \"operator\"\n",
                Some(Audience::Operators),
            ),
        ] {
            assert_eq!(of_text(text).unmask, expected, "{text}");
        }
    }

    #[test]
    fn a_flow_file_is_parsed_again_once_its_text_is_another_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("flow.toml");
        let write = |role: &str| {
            std::fs::write(&path, format!("[privacy]\nrole = \"{role}\"\n")).expect("a file");
        };
        let reader = PrivacyReader::default();
        assert_eq!(*reader.of_flow(&path), Privacy::strictest());
        write("viewer");
        let first = reader.of_flow(&path);
        assert_eq!(first.audience, Audience::Viewers);
        assert!(Arc::ptr_eq(&first, &reader.of_flow(&path)));
        // The size and perhaps the time of the file stay the same.
        write("wiever");
        assert_eq!(*reader.of_flow(&path), Privacy::strictest());
        write("operator");
        assert_eq!(reader.of_flow(&path).audience, Audience::Operators);
        std::fs::remove_file(&path).expect("no file");
        assert_eq!(*reader.of_flow(&path), Privacy::strictest());
    }

    #[test]
    fn settings_that_cannot_be_read_are_the_strictest() {
        for text in [
            "[privacy",
            "privacy = 3",
            "[privacy]\nrole = 3",
            "[privacy]\nrole = \"boss\"",
            "[privacy]\nroles = \"viewer\"",
            "[privacy]\nunmask = \"administrator\"",
            "[privacy]\nrole = \"viewer\"\ncomponents = [\"a\", 3]",
            "[privacy]\nrole = \"viewer\"\ncomponents = [\"-\"]",
            "[privacy]\nrole = { is = \"viewer\" }",
            "[[privacy]]\nrole = \"viewer\"",
        ] {
            assert_eq!(of_text(text), Privacy::strictest(), "{text}");
        }
        assert_eq!(Privacy::of_flow(Path::new("/no/such/flow.toml")), Privacy::strictest());
        assert!(Privacy::strictest().is_subscriber_data("callDuration"));
        assert!(Privacy::strictest().is_subscriber_data(""));
        assert_eq!(of_text("[state]\ndir = \"s\"\n"), Privacy::default());
    }
}
