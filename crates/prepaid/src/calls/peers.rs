//! Peers of Diameter: those that are connected, those that were refused, and letting one in.

use std::collections::BTreeMap;

use credit_control::profile::Profile;
use diagnostics::with_causes;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Call, Clerk, text, unusable};
use crate::definition::{is_node_name, text_of};
use crate::peer_alarms::PeerAlarm;
use crate::peers::{ConnectedPeer, RefusedPeer};
use crate::refused::Refused;
use crate::restore::{Restored, restore};
use crate::system::System;

/// Lists the peers of Diameter of a charging system: those that are or were connected, and those that were refused.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ListPeers {}

/// The peers of Diameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PeerList {
    /// Whether a system with `[diameter]` runs.
    pub served: bool,
    /// Those that are or were connected since the start, in the order of their names.
    pub peers: Vec<ConnectedPeer>,
    /// Those that were refused, the last one first; 100 at most.
    pub refused: Vec<RefusedPeer>,
    /// The alarms about peers that are raised.
    pub alarms: Vec<PeerAlarm>,
    /// The profiles that a peer may have.
    pub profiles: Vec<String>,
}

impl Call for ListPeers {
    type Reply = PeerList;

    const NAME: &'static str = "charging peers";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PeerList, Refused> {
        let found = clerk.system.network_peers().map(|server| server.peers());
        let served = found.is_some();
        let (peers, mut refused) = found.unwrap_or_default();
        // One that was let in meanwhile has not tried again yet.
        let rules = clerk.system.rules();
        refused.retain(|of| !of.unknown || rules.credit_control.peer(&of.host).is_none());
        let profiles = Profile::NAMES.map(str::to_owned).to_vec();
        let alarms = clerk.system.peer_alarms.raised();
        Ok(PeerList { served, peers, refused, alarms, profiles })
    }

    fn subject(&self) -> Option<String> {
        None
    }
}

/// Lets a peer of Diameter in: a table in the definition of the charging system names it from then on.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AllowPeer {
    /// The name of its node: its Origin-Host.
    pub peer: String,
    /// Its profile, such as `open5gs`; `standard` by default.
    #[serde(default)]
    pub profile: Option<String>,
    /// The reason.
    pub because: String,
}

impl Call for AllowPeer {
    type Reply = PeerList;

    const NAME: &'static str = "charging peer allow";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PeerList, Refused> {
        let because = text("the reason", &self.because)?;
        let host = self.peer.trim();
        let unusable_name = || Refused::PeerInvalid { peer: host.to_owned() };
        is_node_name(host).then_some(()).ok_or_else(unusable_name)?;
        let profile = self.profile.as_deref().unwrap_or("standard").trim();
        let unknown = || Refused::ProfileUnknown { profile: profile.to_owned() };
        Profile::named(profile).ok_or_else(unknown)?;
        let System { back, definition: (definition, place), .. } = clerk.system;
        let not_allowed = |why| Refused::PeerNotAllowed { peer: host.to_owned(), why };
        let terms = &clerk.system.rules().credit_control;
        if terms.services.is_empty() {
            return Err(not_allowed("the definition has no [diameter]".to_owned()));
        }
        if terms.peer(host).is_some() {
            let why = "it has a table in [diameter.peers] already, and may connect";
            return Err(not_allowed(why.to_owned()));
        }
        if terms.peers.is_empty() {
            let why = "all peers of this machine may connect; the first table of [diameter.peers] would shut out the others";
            return Err(not_allowed(why.to_owned()));
        }
        let _turn = clerk.system.restore_turn();
        let before = text_of(definition).map_err(|why| not_allowed(why.to_string()))?;
        let gap = if before.ends_with('\n') { "" } else { "\n" };
        let table = format!("{gap}\n[diameter.peers.\"{host}\"]\nprofile = \"{profile}\"\n");
        let name = definition.file_name().unwrap_or_default().display().to_string();
        let files = BTreeMap::from([(name, before + &table)]);
        let changed = Restored { files: &files, others: &[], only: None };
        restore((definition, place), changed).map_err(|why| not_allowed(with_causes(&why)))?;
        let subject = format!("the peer {host} with the profile {profile}");
        back.commit(clerk.trail(Self::NAME, subject, because)).map_err(unusable)?;
        let mut list = ListPeers {}.perform(clerk)?;
        // A system that runs reads its definition a moment later.
        list.refused.retain(|of| !of.host.eq_ignore_ascii_case(host));
        Ok(list)
    }

    fn subject(&self) -> Option<String> {
        None
    }
}
