//! Delivers one file. If the journal has a file as put, its rename was tried or will be. Only then
//! does a missing file count as delivered.

use std::fs;
use std::path::Path;

use store::StoreError;
use transport::{Digest, Parcel, PutMethod, RemoteConnection, RemoteError, is_there};

use super::destination::{FailureScope, Receiver, remove_delivered};
use super::fault::DeliveryFault;
use super::outbox;
use super::outbox::{Named, OutgoingFile, PlacedFile};
use super::packing::{Contents, release};
use super::payload::{FileParcel, OctetParcel};
use super::{Checksum, Route};

/// Why a file cannot be delivered.
pub(super) enum TransferError {
    /// An error of the remote place.
    Remote(FailureScope, RemoteError),
    /// A permanent error of the remote place, where the file never had its final name.
    NeverNamed(RemoteError),
    /// An error of the journal. The gateway handles it.
    Journal(StoreError),
}

impl From<StoreError> for TransferError {
    fn from(error: StoreError) -> Self {
        TransferError::Journal(error)
    }
}

impl From<RemoteError> for TransferError {
    fn from(error: RemoteError) -> Self {
        TransferError::Remote(FailureScope::File, error)
    }
}

/// A thread's connection, which is opened when a file needs it.
pub(super) type OpenConnection = Option<Box<dyn RemoteConnection>>;

/// Delivers a file as far as possible, and notes how far. Returns only errors of the journal.
pub(super) fn deliver(
    receiver: &Receiver,
    connection: &mut OpenConnection,
    file: &OutgoingFile,
) -> Result<(), StoreError> {
    let contents = Contents::of(&receiver.journal, file.id, (&file.path, &file.location))?;
    let transfer = Transfer { receiver, file, contents: &contents };
    let failure = match transfer.run(connection) {
        Ok(()) => return receiver.note_success(),
        Err(failure) => failure,
    };
    let (scope, error) = match failure {
        TransferError::Journal(error) => return Err(error),
        TransferError::NeverNamed(error) => {
            return receiver.give_up(file, error.reason(), Named::No);
        }
        // A stop interrupts running transfers.
        TransferError::Remote(..) if receiver.signals.stop.is_set() => return Ok(()),
        TransferError::Remote(scope, error) => (scope, error),
    };
    match error {
        RemoteError::Refused(_) | RemoteError::Exists(_) => {
            receiver.give_up(file, error.reason(), Named::Perhaps)
        }
        error => {
            // An error of one file leaves the connection usable.
            if error.is_about_place() {
                *connection = None;
            }
            receiver.note_failure(file, scope, &error)
        }
    }
}

struct Transfer<'t> {
    receiver: &'t Receiver,
    file: &'t OutgoingFile,
    contents: &'t Contents,
}

impl Transfer<'_> {
    fn run(&self, connection: &mut OpenConnection) -> Result<(), TransferError> {
        let Transfer { receiver, file, contents } = self;
        let place = &receiver.route.place;
        if let Some(missing) = contents.missing() {
            return self.handle_missing(missing);
        }
        let remote = match connection {
            Some(remote) => remote,
            None => {
                let unreachable = |error| TransferError::Remote(FailureScope::Receiver, error);
                connection.insert(place.connect().map_err(unreachable)?)
            }
        };
        let remote = &mut **remote;
        let resumed = file.put.as_ref().filter(|put| put.place == receiver.route.destination());
        let name = match (resumed, place.put_method()) {
            (put, PutMethod::Atomic) => self.put_at_once(remote, put)?,
            (Some(put), PutMethod::Rename) => self.resume(remote, put)?,
            (None, PutMethod::Rename) => self.put(remote)?,
        };
        self.note_arrived(&name)
    }

    fn parcel(&self) -> FileParcel<'_> {
        let Receiver { route, signals, .. } = self.receiver;
        FileParcel { contents: self.contents, compress: route.compress, stop: &signals.stop }
    }

    /// Returns the temporary name of a file.
    fn temporary(&self, name: &str) -> String {
        self.receiver.route.temporary.of(name)
    }

    /// Puts the file under its temporary name, notes that, and renames it.
    fn put(&self, remote: &mut dyn RemoteConnection) -> Result<String, TransferError> {
        let route = &*self.receiver.route;
        let name = route.name_of(&self.file.name());
        let parcel = self.parcel();
        match is_there(remote, &name, &parcel) {
            // A gateway delivered it and then lost its journal.
            Ok(true) => return Ok(name),
            Ok(false) => return Err(RemoteError::Exists(name).into()),
            Err(RemoteError::NotThere(_)) => {}
            Err(error) => return Err(error.into()),
        }
        self.remove_old_acknowledgement(remote, &name)?;
        for folder in route.temporary.folders() {
            remote.make_folder(folder)?;
        }
        let temporary = self.temporary(&name);
        let octets = remote.put(&temporary, &parcel).map_err(|error| match error {
            RemoteError::NotThere(_) => {
                RemoteError::unavailable(DeliveryFault::NoFolder { folder: route.place.shown() })
            }
            RemoteError::Refused(problem) => {
                let temporary = temporary.clone();
                RemoteError::refused(DeliveryFault::TemporaryName { problem, temporary })
            }
            error => error,
        })?;
        if let Some(checksum) = route.checksum {
            let checksum_file = self.checksum_file(checksum, &name, &parcel)?;
            remote.put(&self.temporary(&checksum_name(&name, checksum)), &checksum_file)?;
        }
        let (place, octets) = (route.destination(), Some(octets));
        let put = PlacedFile { place, name, octets, named: Named::Perhaps };
        self.note_put(&put)?;
        self.rename(remote, &put, Named::No)
    }

    /// Renames a file that an earlier try put and perhaps renamed.
    fn resume(
        &self,
        remote: &mut dyn RemoteConnection,
        put: &PlacedFile,
    ) -> Result<String, TransferError> {
        if put.named == Named::No {
            // Another process removed it before it could be renamed.
            if !has(remote, &self.temporary(&put.name))? {
                return Err(self.handle_removed(&put.name)?);
            }
            self.note_put(&PlacedFile { named: Named::Perhaps, ..put.clone() })?;
        }
        self.rename(remote, put, put.named)
    }

    /// Notes the progress of the file.
    fn note_put(&self, put: &PlacedFile) -> Result<(), StoreError> {
        let (id, put) = (self.file.id, put.clone());
        self.receiver.journal.commit(move |db| outbox::note_put(db, id, &put))
    }

    /// Renames a file from its temporary name, and then its checksum file.
    fn rename(
        &self,
        remote: &mut dyn RemoteConnection,
        put: &PlacedFile,
        named: Named,
    ) -> Result<String, TransferError> {
        if let Err(error) = remote.rename(&self.temporary(&put.name), &put.name) {
            self.handle_failed_rename(remote, put, named, error)?;
        }
        if let Some(checksum) = self.receiver.route.checksum {
            self.rename_checksum_file(remote, &put.name, (checksum, named))?;
        }
        Ok(put.name.clone())
    }

    /// Handles a failed rename. The file may have its name already. If it still has its temporary
    /// name, the journal notes that: if it is gone later, this does not count as renamed.
    fn handle_failed_rename(
        &self,
        remote: &mut dyn RemoteConnection,
        put: &PlacedFile,
        named: Named,
        error: RemoteError,
    ) -> Result<(), TransferError> {
        let hidden_name = self.temporary(&put.name);
        match (remote.stat(&hidden_name), error) {
            // It was renamed, and the reply was lost. The receiver may have taken it since.
            (Err(RemoteError::NotThere(_)), _) if named == Named::Perhaps => Ok(()),
            (Err(RemoteError::NotThere(_)), RemoteError::NotThere(_) | RemoteError::Exists(_)) => {
                Err(self.handle_removed(&put.name)?)
            }
            (Ok(_), RemoteError::Exists(name)) => match is_there(remote, &name, &self.parcel())? {
                true => Ok(remote.remove(&hidden_name)?),
                false => {
                    self.note_not_put()?;
                    remote.remove(&hidden_name)?;
                    Err(TransferError::NeverNamed(RemoteError::Exists(name)))
                }
            },
            (Ok(_), error @ RemoteError::Refused(_)) => {
                self.note_not_put()?;
                let _ = remote.remove(&hidden_name);
                Err(TransferError::NeverNamed(error))
            }
            (Ok(_), error) => {
                self.note_put(&PlacedFile { named: Named::No, ..put.clone() })?;
                Err(error.into())
            }
            // It is unknown which file is there.
            (Err(error), RemoteError::Exists(_)) => Err(error.into()),
            (Err(_), error) => Err(error.into()),
        }
    }

    /// Notes that the file does not have its name, before its octets there are removed. The next
    /// try puts it again.
    fn note_not_put(&self) -> Result<(), StoreError> {
        let id = self.file.id;
        self.receiver.journal.commit(move |db| outbox::note_not_put(db, id))
    }

    /// Handles a file that another process removed before it was renamed.
    fn handle_removed(&self, name: &str) -> Result<TransferError, StoreError> {
        self.note_not_put()?;
        let fault = DeliveryFault::Removed { file: self.temporary(name) };
        Ok(RemoteError::passing(fault).into())
    }

    /// Renames the checksum file.
    fn rename_checksum_file(
        &self,
        remote: &mut dyn RemoteConnection,
        name: &str,
        (checksum, named): (Checksum, Named),
    ) -> Result<(), TransferError> {
        let target = checksum_name(name, checksum);
        let hidden = self.temporary(&target);
        match remote.rename(&hidden, &target) {
            Ok(()) => Ok(()),
            Err(RemoteError::NotThere(_)) if named == Named::Perhaps => Ok(()),
            Err(RemoteError::Exists(_)) => {
                let checksum_file = self.checksum_file(checksum, name, &self.parcel())?;
                if !is_there(remote, &target, &checksum_file)? {
                    return Err(RemoteError::Exists(target).into());
                }
                match remote.remove(&hidden) {
                    Ok(()) | Err(RemoteError::NotThere(_)) => Ok(()),
                    Err(error) => Err(error.into()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Puts a file to a place where it appears complete, and then its checksum file. Steps of an
    /// earlier try are not repeated: otherwise a receiver that takes files away would get them
    /// twice.
    fn put_at_once(
        &self,
        remote: &mut dyn RemoteConnection,
        tried: Option<&PlacedFile>,
    ) -> Result<String, TransferError> {
        let route = &*self.receiver.route;
        let parcel = self.parcel();
        let new = || {
            let name = route.name_of(&self.file.name());
            PlacedFile { place: route.destination(), name, octets: None, named: Named::Perhaps }
        };
        let mut put = tried.cloned().unwrap_or_else(new);
        if route.acknowledgement.is_some() && tried.is_none() {
            if self.is_acknowledged(remote, &put.name)? {
                self.remove_old_acknowledgement(remote, &put.name)?;
            }
            // An acknowledgement from now on is for this file, even if the reply to the transfer is
            // lost.
            self.note_put(&put)?;
        }
        let has_arrived =
            put.octets.is_some() || (tried.is_some() && self.is_acknowledged(remote, &put.name)?);
        if !has_arrived {
            let octets = remote.put(&put.name, &parcel).map_err(|error| match error {
                // Nothing of it is there. The next try starts again.
                RemoteError::Exists(_) => TransferError::NeverNamed(error),
                _ => error.into(),
            })?;
            put.octets = Some(octets);
            if route.checksum.is_some() {
                self.note_put(&put)?;
            }
        }
        if let Some(checksum) = route.checksum {
            let checksum_file = self.checksum_file(checksum, &put.name, &parcel)?;
            remote.put(&checksum_name(&put.name, checksum), &checksum_file)?;
        }
        Ok(put.name)
    }

    fn is_acknowledged(
        &self,
        remote: &mut dyn RemoteConnection,
        name: &str,
    ) -> Result<bool, RemoteError> {
        let acknowledgement = self.receiver.route.acknowledgement.as_ref();
        acknowledgement.map_or(Ok(false), |acknowledgement| has(remote, &acknowledgement.of(name)))
    }

    /// Removes the acknowledgement of an earlier file of this name, since it does not acknowledge
    /// this one.
    fn remove_old_acknowledgement(
        &self,
        remote: &mut dyn RemoteConnection,
        name: &str,
    ) -> Result<(), RemoteError> {
        let Some(acknowledgement) = &self.receiver.route.acknowledgement else { return Ok(()) };
        match remote.remove(&acknowledgement.of(name)) {
            Ok(()) | Err(RemoteError::NotThere(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes the checksum file in the format of `sha256sum`.
    fn checksum_file(
        &self,
        checksum: Checksum,
        name: &str,
        parcel: &dyn Parcel,
    ) -> Result<OctetParcel, RemoteError> {
        let Checksum::Sha256 = checksum;
        let digest = Digest::of(parcel)?;
        Ok(OctetParcel(format!("{}  {name}\n", digest.hexadecimal()).into_bytes()))
    }

    /// Notes that the file has arrived. Only then is it removed from this machine.
    fn note_arrived(&self, name: &str) -> Result<(), TransferError> {
        let Transfer { receiver, file: outgoing, .. } = self;
        let Route { system, acknowledgement, .. } = &*receiver.route;
        tracing::info!(
            target: "flow::delivery",
            receiver = system,
            file = name,
            records = outgoing.records,
            "{system}: \"{name}\" is delivered"
        );
        if let Some(input) = outgoing.input {
            receiver.meters.transferred(input);
        }
        if acknowledgement.is_some() {
            let (id, name) = (outgoing.id, name.to_owned());
            return Ok(receiver
                .journal
                .commit(move |db| outbox::note_arrived(db, id, "sent", &name, None))?);
        }
        Ok(finish(receiver, (outgoing.id, name), (&outgoing.path, &outgoing.location))?)
    }

    /// Handles a missing file. If its path was delivered before, it was this file, with the same
    /// name and contents. Otherwise another process removed it.
    fn handle_missing(&self, missing: &Path) -> Result<(), TransferError> {
        let Transfer { receiver, file, .. } = self;
        let reader = receiver.journal.reader()?;
        let noted = receiver.journal.view.noted(&file.path);
        let before = outbox::was_delivered_before(&reader, file.id, &noted);
        if receiver.journal.answer(before)? {
            return self.note_arrived(&receiver.route.name_of(&file.name()));
        }
        let path = missing.display().to_string();
        Err(RemoteError::passing(DeliveryFault::Missing { path }).into())
    }
}

/// Returns whether the remote place has a file of this name.
pub(super) fn has(remote: &mut dyn RemoteConnection, name: &str) -> Result<bool, RemoteError> {
    match remote.stat(name) {
        Ok(_) => Ok(true),
        Err(RemoteError::NotThere(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Notes that a file is delivered, and removes it or moves it to the folder of delivered files.
pub(super) fn finish(
    receiver: &Receiver,
    (id, name): (i64, &str),
    (path, location): (&Path, &Path),
) -> Result<(), StoreError> {
    let Receiver { route, journal, .. } = receiver;
    let copy = route.keep.map(|_| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        route.sent.join(format!("{id}-{file}"))
    });
    let contents = Contents::of(journal, id, (path, location))?;
    if let Some(copy) = copy.as_ref().filter(|_| contents.is_in_pieces())
        && let Err(error) = contents.write_to(copy)
    {
        tracing::warn!(
            target: "flow::delivery",
            receiver = route.system,
            file = name,
            "could not write \"{}\", which is delivered: {error}",
            copy.display()
        );
    }
    let noted = copy.as_ref().map(|copy| journal.view.noted(copy));
    let name = name.to_owned();
    journal.commit(move |db| outbox::note_arrived(db, id, "delivered", &name, noted.as_deref()))?;
    match copy {
        _ if contents.is_in_pieces() => release(journal, id),
        Some(copy) => receiver.move_to(location, &copy),
        None if fs::exists(location).unwrap_or(true) => remove_delivered(location),
        None => {}
    }
    Ok(())
}

/// Returns the name of the checksum file of a file.
fn checksum_name(name: &str, checksum: Checksum) -> String {
    format!("{name}{}", checksum.ending())
}
