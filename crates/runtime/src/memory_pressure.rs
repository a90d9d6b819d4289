//! Tells whether memory runs short: that of the machine, or what Linux control groups (cgroups, versions 1 and 2) allow
//! this process.

use std::fs;
use std::path::Path;

/// One part in this many should stay free: 5 %.
const FREE_PART: u64 = 20;

/// The control groups of this process, and the folder of all groups.
const GROUPS_OF_THIS: &str = "/proc/self/cgroup";
const GROUPS: &str = "/sys/fs/cgroup";

/// The files with the limit and the usage of a group, in one version of control groups.
struct Generation {
    /// Its folder below that of all groups.
    folder: &'static str,
    most: &'static str,
    /// The line of `memory.stat` with what programs have allocated. The cache of files is not counted: the system gives it
    /// back.
    taken: &'static str,
}

/// Version 2, and version 1.
const UNIFIED: Generation = Generation { folder: "", most: "memory.max", taken: "anon " };
const FORMER: Generation =
    Generation { folder: "memory", most: "memory.limit_in_bytes", taken: "total_rss " };

/// Returns whether less than 5 % is left of the memory of the machine, or of what a control group allows. What the system
/// does not tell counts as not short.
pub fn is_short() -> bool {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let machine = read("/proc/meminfo");
    let left = number(&machine, "MemTotal:").zip(number(&machine, "MemAvailable:"));
    left.is_some_and(is_little) || of_groups(Path::new(GROUPS), &read(GROUPS_OF_THIS))
}

/// Returns whether less than a part of `most` is left.
fn is_little((most, left): (u64, u64)) -> bool {
    left < most / FREE_PART
}

/// Returns the same for the control group of this process and those around it. In a container, which sees only its own
/// group, that is the outermost.
fn of_groups(groups: &Path, own: &str) -> bool {
    own.lines().any(|line| {
        // `4:memory:/system.slice/tollgate.service`, `0::/system.slice/tollgate.service`
        let mut parts = line.splitn(3, ':').skip(1);
        let generation = match parts.next() {
            Some("") => UNIFIED,
            Some(controllers) if controllers.split(',').any(|name| name == "memory") => FORMER,
            _ => return false,
        };
        let own = Path::new(parts.next().unwrap_or_default().trim_start_matches('/'));
        let outermost = groups.join(generation.folder);
        own.ancestors().any(|group| {
            let read = |name| fs::read_to_string(outermost.join(group).join(name)).ok();
            // "max", or a number that no machine has, means no limit.
            let most = read(generation.most).and_then(|most| most.trim().parse::<u64>().ok());
            let taken = read("memory.stat").and_then(|stat| number(&stat, generation.taken));
            most.zip(taken)
                .is_some_and(|(most, taken)| is_little((most, most.saturating_sub(taken))))
        })
    })
}

/// Returns the number after a name at the beginning of a line.
fn number(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether memory is short in a group, with such files of groups.
    fn check(own: &str, files: &[(&str, &str)]) -> bool {
        let groups = tempfile::tempdir().expect("a folder");
        for (file, contents) in files {
            let path = groups.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
            fs::write(path, contents).expect("it is written");
        }
        of_groups(groups.path(), own)
    }

    #[test]
    fn a_group_has_what_it_may_have_and_no_more_than_those_it_is_in() {
        let (own, stat) = ("0::/gateways.slice/one.service\n", "anon 960\nfile 9000\n");
        let group = "gateways.slice/one.service/memory";
        let of = |most: &str| {
            check(own, &[(&format!("{group}.max"), most), (&format!("{group}.stat"), stat)])
        };
        assert!(of("1000\n"));
        assert!(!of("2000\n") && !of("max\n"));
        let within =
            [("gateways.slice/memory.max", "1000\n"), ("gateways.slice/memory.stat", stat)];
        assert!(check(own, &within));
        assert!(!check("0::/other.slice\n", &within), "it is another's");
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_outermost() {
        let own = [("memory.max", "1000\n"), ("memory.stat", "file 1\nanon 960\n")];
        assert!(check("0::/\n", &own));
        assert!(!check("0::/\n", &[("memory.stat", "anon 960\n")]), "there is no bound");
    }

    #[test]
    fn groups_of_the_version_before_are_known() {
        let own = "9:name=systemd:/\n4:cpu,memory:/docker/1\n0::/\n";
        let of = |rss: u64| {
            let stat = format!("rss 1\ntotal_rss {rss}\n");
            let files =
                [("memory/memory.limit_in_bytes", "1000\n"), ("memory/memory.stat", stat.as_str())];
            check(own, &files)
        };
        assert!(of(960) && !of(900));
    }
}
