//! Who is told of alarms, and how: one file a kind of channel.
#![forbid(unsafe_code)]

mod error;
mod mail;
mod webhook;

use alarm::notification::ChannelKind;

/// All kinds of channels. Another is a file and a line here.
pub const KINDS: &[&dyn ChannelKind] = &[&webhook::Webhook, &mail::Mail];
