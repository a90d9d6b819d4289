//! A sandbox: a flow runs as its file says, but in folders of its own, so that it affects nothing else.

use std::path::{Path, PathBuf};

use settings::{Setting, Settings};

use archive::ARCHIVE;
use flow::file::{FILES_AT_ONCE, FlowFile};
use lineage::TRACE;

/// The collection settings that it keeps.
const COLLECT_KEYS: [&str; 6] =
    ["pattern", "compression", "unpacked-limit", "size-limit", "suspense-limit", FILES_AT_ONCE];

/// The folder that a flow works in.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// The folder, for inputs, outputs and state.
    pub folder: PathBuf,
}

impl Sandbox {
    /// Returns the folder for the files of a network element.
    pub fn input(&self, network_element: &str) -> PathBuf {
        self.folder.join("in").join(transport::file_name(network_element))
    }

    /// Returns the folder of a post-processing system.
    fn output(&self, system: &str) -> PathBuf {
        self.folder.join("out").join(transport::file_name(system))
    }

    /// Makes a flow work there. Keeps all settings that decide about records. Drops folders, remote places, logs, alarm
    /// channels, actions and retention.
    pub(crate) fn moves(&self, file: &mut FlowFile) {
        for element in &mut file.network_elements {
            element.collect.values.retain(|set| COLLECT_KEYS.contains(&&*set.key));
            set(&mut element.collect, "dir", &self.input(&element.name.text).display().to_string());
            set(&mut element.collect, "recursive", "true");
            // Files may have any extension except those that the gateway gives them.
            set(&mut element.collect, "done", transport::TO_ARCHIVE);
        }
        for system in &mut file.post_processing_systems {
            system.deliver.values.clear();
            let folder = self.output(&system.name.text);
            set(&mut system.deliver, "dir", &folder.display().to_string());
        }
        file.state = self.folder.join("state");
        (file.disk_free, file.retention) = (None, None);
        (file.log, file.log_levels) = (None, None);
        file.tables.remove(&TRACE);
        file.tables.remove(&ARCHIVE);
        file.serve = None;
        file.listen.clear();
        file.notify.clear();
        file.actions.clear();
    }
}

fn set(settings: &mut Settings, key: &str, value: &str) {
    settings.values.push(Setting { key: key.into(), value: value.into(), span: settings.span });
}

/// Returns where a file lies within the folder of a network element, by its name there.
pub fn path_of(name: &str) -> PathBuf {
    let parts = name.split("~1").map(|part| part.replace("~0", "~"));
    parts
        .map(|part| transport::file_name(&part))
        .collect::<Vec<_>>()
        .iter()
        .map(Path::new)
        .collect()
}
