//! The same numbers by the quick-xml crate.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::{Case, Measurement, Sum};

/// Returns the measurement.
pub(super) fn measurements() -> Vec<Measurement> {
    vec![("quick-xml", read)]
}

fn read(case: &Case) -> Sum {
    let mut reader = Reader::from_str(&case.text);
    let (mut found, mut is_result) = (Sum::default(), false);
    loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                is_result = element.name().as_ref() == "r";
                if is_result {
                    let number = element.try_get_attribute("p").ok().flatten();
                    let number: Option<u32> = number.and_then(|number| number.value.parse().ok());
                    found.results += u64::from(number.is_some());
                }
            }
            Ok(Event::Text(text)) if is_result => {
                let numbers =
                    text.split(',').filter_map(|number| number.trim().parse::<i64>().ok());
                for number in numbers {
                    found.numbers += 1;
                    found.sum = found.sum.wrapping_add(number as u64);
                }
            }
            Ok(Event::End(_)) => is_result = false,
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}
