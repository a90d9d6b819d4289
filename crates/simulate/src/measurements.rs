//! Files of performance measurements of a base station, in the form of 3GPP TS 32.435: most results are numbers, some are blank,
//! and some are long lists, most of them zeros.

use std::fmt::Write as _;

use crate::random::Random;

/// What is in a file.
#[derive(Clone, Copy, Debug)]
pub struct BaseStation {
    /// The number of groups of counters.
    pub infos: u32,
    /// The number of counters of all groups together.
    pub counters: u32,
    /// The number of measured objects of each group.
    pub objects: u32,
}

impl Default for BaseStation {
    /// A base station of 5G with three cells.
    fn default() -> Self {
        BaseStation { infos: 34, counters: 880, objects: 3 }
    }
}

/// Maximum elements of a list.
const LIST_MAX: u32 = 48;

/// The text of a file, and what is in it.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The text.
    pub text: String,
    /// The number of measured objects.
    pub rows: u64,
    /// The number of results.
    pub results: u64,
    /// The number of numbers among the results, and the elements of lists among them.
    pub numbers: u64,
    /// The sum of these, of which none has a fraction.
    pub sum: u64,
}

impl BaseStation {
    /// Returns a file for the quarter of an hour that ends at `end`, a time of ISO 8601.
    pub fn file(&self, random: &mut Random, name: &str, end: &str) -> File {
        let mut file = File::default();
        file.begin(name);
        for info in 0..self.infos {
            let counters = (self.counters - info).div_ceil(self.infos);
            file.info(random, info, end, counters, self.objects);
        }
        file.text.push_str("  </measData>\n  <fileFooter>\n    <measCollec endTime=\"");
        file.text.push_str(end);
        file.text.push_str("\"/>\n  </fileFooter>\n</measCollecFile>\n");
        file
    }
}

impl File {
    fn begin(&mut self, name: &str) {
        self.add(&format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <measCollecFile xmlns=\"http://www.3gpp.org/ftp/specs/archive/32_series/32.435#measCollec\">\n  \
             <fileHeader fileFormatVersion=\"32.435 V10.0\" vendorName=\"Example\" dnPrefix=\"SubNetwork=North\">\n    \
             <fileSender localDn=\"{name}\" elementType=\"RadioNode\"/>\n    \
             <measCollec beginTime=\"2026-03-01T14:00:00+00:00\"/>\n  </fileHeader>\n  <measData>\n    \
             <managedElement localDn=\"{name}\" swVersion=\"R44B17\"/>\n"
        ));
    }

    fn info(&mut self, random: &mut Random, info: u32, end: &str, counters: u32, objects: u32) {
        self.add(&format!(
            "    <measInfo measInfoId=\"PM=1,PmGroup=Group_{info}\">\n      <job jobId=\"nr_all\"/>\n      \
             <granPeriod duration=\"PT900S\" endTime=\"{end}\"/>\n      <repPeriod duration=\"PT900S\"/>\n"
        ));
        for counter in 1..=counters {
            let line = format!(
                "      <measType p=\"{counter}\">pmGroup{info}Counter{counter}Att</measType>\n"
            );
            self.add(&line);
        }
        for object in 1..=objects {
            self.rows += 1;
            let line = format!(
                "      <measValue measObjLdn=\"ManagedElement=1,GNBDUFunction=1,NRCellDU={object},Part={info}\">\n"
            );
            self.add(&line);
            for counter in 1..=counters {
                let _ = write!(self.text, "        <r p=\"{counter}\">");
                self.result(random);
                self.add("</r>\n");
            }
            let is_suspect = random.below(60) == 0;
            self.add(&format!("        <suspect>{is_suspect}</suspect>\n      </measValue>\n"));
        }
        self.add("    </measInfo>\n");
    }

    fn result(&mut self, random: &mut Random) {
        self.results += 1;
        match random.below(100) {
            0 => self.add(" "),
            1..=15 => {
                for element in 0..2 + random.below(LIST_MAX) {
                    if element > 0 {
                        self.add(",");
                    }
                    match random.below(20) {
                        0 => self.add(" "),
                        1..=15 => self.number(0),
                        _ => self.number(u64::from(random.below(5_000))),
                    }
                }
            }
            16..=55 => self.number(0),
            _ => self.number(u64::from(random.below(1_000_000))),
        }
    }

    fn number(&mut self, number: u64) {
        (self.numbers, self.sum) = (self.numbers + 1, self.sum + number);
        let _ = write!(self.text, "{number}");
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_all_counters_of_each_object() {
        let file = BaseStation::default().file(&mut Random::new(7, 0), "N", "2026-03-01T14:15:00Z");
        assert_eq!((file.rows, file.results), (34 * 3, 880 * 3));
        assert_eq!(file.text.matches("<measType ").count(), 880);
        assert_eq!(file.text.matches("<r ").count(), 880 * 3);
        assert!(file.numbers > file.results, "{}", file.numbers);
    }
}
