//! The records of a system whose place reads them, such as a charging system.

use diagnostics::Diagnostic;
use record::Shape;
use record::shape::{Digits, Says};
use settings::Settings;
use transport::RecordComponent;

/// Checks that records are written as lines of JSON with the components that a place reads. `shape` is that of the
/// records.
pub(super) fn check(
    encode: &Settings,
    components: &[RecordComponent],
    shape: Option<Shape>,
) -> Result<(), Vec<Diagnostic>> {
    if components.is_empty() {
        return Ok(());
    }
    let mistake = |key: &str, message: String| {
        let span = encode.get(key).map_or(encode.span, |setting| setting.span);
        Diagnostic::error(&encode.source, span, message)
    };
    if encode.get("codec").is_none_or(|codec| codec.value != "json") {
        let message = "the place of this system takes records as lines of JSON".to_owned();
        return Err(vec![mistake("codec", message).hint("write codec = \"json\"")]);
    }
    let Some(shape) = shape else { return Ok(()) };
    let unfit = |RecordComponent { name, may_be_number }: &RecordComponent| {
        let (message, hint) = match says(&shape, name) {
            None => {
                let all: Vec<&str> = components.iter().map(|component| component.name).collect();
                let all = all.join(", ");
                let message = format!("the records have no component \"{name}\"");
                (message, format!("the place of this system reads {all}"))
            }
            Some(Says::Text | Says::Digits(Digits::Plain) | Says::Other) => return None,
            Some(Says::Integer) if *may_be_number => return None,
            Some(Says::Digits(Digits::Packed)) => {
                let message = format!("the component \"{name}\" is written as octets");
                (message, "write tbcd-as-digits = true".to_owned())
            }
            Some(_) => {
                let message = format!("the component \"{name}\" is no text");
                (message, "give it a type such as IA5String".to_owned())
            }
        };
        Some(mistake("type", message).hint(hint))
    };
    let mistakes: Vec<_> = components.iter().filter_map(unfit).collect();
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
}

/// Returns the form of a component of the records. `None` if they have none of this name.
fn says<'s>(shape: &'s Shape, name: &str) -> Option<&'s Says> {
    let Says::Structure(members) = &shape.types.first()?.says else { return None };
    let member = members.iter().find(|member| member.name == name)?;
    Some(member.ty.and_then(|ty| shape.types.get(ty)).map_or(&Says::Other, |of| &of.says))
}
