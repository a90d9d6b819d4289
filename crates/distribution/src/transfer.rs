//! Delivers one file. If the journal says that a file was put, its rename was tried or will be. Only then does a
//! missing file count as delivered.

use std::fs;
use std::path::Path;

use store::StoreError;
use transport::{Appears, Digest, Far, FarError, Parcel, is_there};

use super::destination::{About, Receiver, remove_delivered};
use super::outbox;
use super::outbox::{Carried, Named, PlacedFile};
use super::packing::{Contents, Writing, release};
use super::payload::{Note, Sending};
use super::{Checksum, Road, TEMPORARY};

/// The reason that a file cannot be delivered.
pub(super) enum Hindrance {
    /// An error of the far place.
    Far(About, FarError),
    /// A permanent error of the far place. The receiver has not found the file.
    Unseen(FarError),
    /// An error of the journal. The gateway handles it.
    Journal(StoreError),
}

impl From<StoreError> for Hindrance {
    fn from(error: StoreError) -> Self {
        Hindrance::Journal(error)
    }
}

impl From<FarError> for Hindrance {
    fn from(error: FarError) -> Self {
        Hindrance::Far(About::File, error)
    }
}

/// A thread's connection. It is made when a file needs it.
pub(super) type Line = Option<Box<dyn Far>>;

/// Delivers a file as far as possible, and notes how far. Returns only errors of the journal.
pub(super) fn carry(
    receiver: &Receiver,
    line: &mut Line,
    carried: &Carried,
) -> Result<(), StoreError> {
    let contents = Contents::of(&receiver.journal, carried.id, (&carried.path, &carried.lies))?;
    let carrying = Carrying { receiver, carried, contents: &contents };
    let hindrance = match carrying.run(line) {
        Ok(()) => return receiver.went_well(),
        Err(hindrance) => hindrance,
    };
    let (about, error) = match hindrance {
        Hindrance::Journal(error) => return Err(error),
        Hindrance::Unseen(error) => {
            return receiver.give_up(carried, &error.with_causes(), Named::No);
        }
        // A stop cuts running transfers.
        Hindrance::Far(..) if receiver.ends.stop.is_set() => return Ok(()),
        Hindrance::Far(about, error) => (about, error),
    };
    match error {
        FarError::Refused(_) | FarError::Exists(_) => {
            receiver.give_up(carried, &error.with_causes(), Named::Perhaps)
        }
        error => {
            // An error of one file leaves the connection usable.
            if error.is_about_place() {
                *line = None;
            }
            receiver.failed(carried, about, &error)
        }
    }
}

struct Carrying<'c> {
    receiver: &'c Receiver,
    carried: &'c Carried,
    contents: &'c Contents,
}

impl Carrying<'_> {
    fn run(&self, line: &mut Line) -> Result<(), Hindrance> {
        let Carrying { receiver, carried, contents } = self;
        let place = &receiver.road.place;
        if let Some(missing) = contents.missing() {
            return self.is_missing(missing);
        }
        let far = match line {
            Some(far) => far,
            None => {
                let connected = place.connect();
                line.insert(connected.map_err(|error| Hindrance::Far(About::Receiver, error))?)
            }
        };
        let far = &mut **far;
        let resumed = carried.put.as_ref().filter(|put| put.place == receiver.road.destination());
        let name = match (resumed, place.appears()) {
            (put, Appears::AtOnce) => self.at_once(far, put)?,
            (Some(put), Appears::Renamed) => self.put_before(far, put)?,
            (None, Appears::Renamed) => self.put(far)?,
        };
        self.there(&name)
    }

    fn sending(&self) -> Sending<'_> {
        let Receiver { road, ends, .. } = self.receiver;
        Sending { contents: self.contents, compress: road.compress, stop: &ends.stop }
    }

    /// Returns the temporary name of a file.
    fn temporary(&self, name: &str) -> String {
        self.receiver.road.temporary.of(name)
    }

    /// Puts the file under its temporary name, notes that, and renames it.
    fn put(&self, far: &mut dyn Far) -> Result<String, Hindrance> {
        let road = &*self.receiver.road;
        let name = road.name_of(&self.carried.file());
        let sending = self.sending();
        match is_there(far, &name, &sending) {
            // A gateway delivered it and then lost its journal.
            Ok(true) => return Ok(name),
            Ok(false) => return Err(FarError::Exists(name).into()),
            Err(FarError::NotThere(_)) => {}
            Err(error) => return Err(error.into()),
        }
        self.forget_acknowledgement(far, &name)?;
        for folder in road.temporary.folders() {
            far.make_folder(folder)?;
        }
        let temporary = self.temporary(&name);
        let octets = far.put(&temporary, &sending).map_err(|error| match error {
            FarError::NotThere(_) => {
                FarError::unavailable(format!("the folder {} is not there", road.place.shown()))
            }
            FarError::Refused(what) => FarError::Refused(format!(
                "{what}; files are put there as \"{temporary}\" first: \"{TEMPORARY}\" gives them another name"
            )),
            error => error,
        })?;
        if let Some(checksum) = road.checksum {
            let note = self.checksum(checksum, &name, &sending)?;
            far.put(&self.temporary(&beside(&name, checksum)), &note)?;
        }
        let (place, octets) = (road.destination(), Some(octets));
        let put = PlacedFile { place, name, octets, named: Named::Perhaps };
        self.note(&put)?;
        self.named(far, &put, Named::No)
    }

    /// Renames a file that an earlier try put and perhaps renamed.
    fn put_before(&self, far: &mut dyn Far, put: &PlacedFile) -> Result<String, Hindrance> {
        if put.named == Named::No {
            // A process took it away before it could be renamed.
            if !has(far, &self.temporary(&put.name))? {
                return Err(self.swept(&put.name)?);
            }
            self.note(&PlacedFile { named: Named::Perhaps, ..put.clone() })?;
        }
        self.named(far, put, put.named)
    }

    /// Notes how far the file has come.
    fn note(&self, put: &PlacedFile) -> Result<(), StoreError> {
        let (id, put) = (self.carried.id, put.clone());
        self.receiver.journal.commit(move |db| outbox::note_put(db, id, &put))
    }

    /// Renames a file from its temporary name, and then its checksum file.
    fn named(
        &self,
        far: &mut dyn Far,
        put: &PlacedFile,
        named: Named,
    ) -> Result<String, Hindrance> {
        if let Err(error) = far.rename(&self.temporary(&put.name), &put.name) {
            self.not_renamed(far, put, named, error)?;
        }
        if let Some(checksum) = self.receiver.road.checksum {
            self.checksum_named(far, &put.name, (checksum, named))?;
        }
        Ok(put.name.clone())
    }

    /// Handles a failed rename. The file may have its name already. If it still has its temporary name, the journal
    /// notes that: if it is gone later, this does not count as renamed.
    fn not_renamed(
        &self,
        far: &mut dyn Far,
        put: &PlacedFile,
        named: Named,
        error: FarError,
    ) -> Result<(), Hindrance> {
        let hidden_name = self.temporary(&put.name);
        match (far.stat(&hidden_name), error) {
            // It was renamed, and the reply was lost. The receiver may have taken it since.
            (Err(FarError::NotThere(_)), _) if named == Named::Perhaps => Ok(()),
            (Err(FarError::NotThere(_)), FarError::NotThere(_) | FarError::Exists(_)) => {
                Err(self.swept(&put.name)?)
            }
            (Ok(_), FarError::Exists(name)) => match is_there(far, &name, &self.sending())? {
                true => Ok(far.remove(&hidden_name)?),
                false => {
                    self.begins_anew()?;
                    far.remove(&hidden_name)?;
                    Err(Hindrance::Unseen(FarError::Exists(name)))
                }
            },
            (Ok(_), error @ FarError::Refused(_)) => {
                self.begins_anew()?;
                let _ = far.remove(&hidden_name);
                Err(Hindrance::Unseen(error))
            }
            (Ok(_), error) => {
                self.note(&PlacedFile { named: Named::No, ..put.clone() })?;
                Err(error.into())
            }
            // It is unknown which file is there.
            (Err(error), FarError::Exists(_)) => Err(error.into()),
            (Err(_), error) => Err(error.into()),
        }
    }

    /// Notes that a file certainly does not have its name, before its octets there are removed. The next try puts it
    /// again.
    fn begins_anew(&self) -> Result<(), StoreError> {
        let id = self.carried.id;
        self.receiver.journal.commit(move |db| outbox::note_not_put(db, id))
    }

    /// Handles a file that was taken away before it was renamed.
    fn swept(&self, name: &str) -> Result<Hindrance, StoreError> {
        self.begins_anew()?;
        let what = format!("\"{}\" was taken away before it had its name", self.temporary(name));
        Ok(FarError::passing(what).into())
    }

    /// Renames the checksum file.
    fn checksum_named(
        &self,
        far: &mut dyn Far,
        name: &str,
        (checksum, named): (Checksum, Named),
    ) -> Result<(), Hindrance> {
        let beside = beside(name, checksum);
        let hidden = self.temporary(&beside);
        match far.rename(&hidden, &beside) {
            Ok(()) => Ok(()),
            Err(FarError::NotThere(_)) if named == Named::Perhaps => Ok(()),
            Err(FarError::Exists(_)) => {
                let note = self.checksum(checksum, name, &self.sending())?;
                if !is_there(far, &beside, &note)? {
                    return Err(FarError::Exists(beside).into());
                }
                match far.remove(&hidden) {
                    Ok(()) | Err(FarError::NotThere(_)) => Ok(()),
                    Err(error) => Err(error.into()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Puts a file to a place that shows it whole or not at all, and then its checksum file. Steps of an earlier try
    /// are not repeated: otherwise a receiver that takes files away would get them twice.
    fn at_once(&self, far: &mut dyn Far, tried: Option<&PlacedFile>) -> Result<String, Hindrance> {
        let road = &*self.receiver.road;
        let sending = self.sending();
        let begun = || {
            let name = road.name_of(&self.carried.file());
            PlacedFile { place: road.destination(), name, octets: None, named: Named::Perhaps }
        };
        let mut put = tried.cloned().unwrap_or_else(begun);
        if road.acknowledgement.is_some() && tried.is_none() {
            if self.is_acknowledged(far, &put.name)? {
                self.forget_acknowledgement(far, &put.name)?;
            }
            // An acknowledgement from now on is for this file, even if the reply to the transfer is lost.
            self.note(&put)?;
        }
        let has_come =
            put.octets.is_some() || (tried.is_some() && self.is_acknowledged(far, &put.name)?);
        if !has_come {
            let octets = far.put(&put.name, &sending).map_err(|error| match error {
                // Nothing of it is there. The next try starts again.
                FarError::Exists(_) => Hindrance::Unseen(error),
                _ => error.into(),
            })?;
            put.octets = Some(octets);
            if road.checksum.is_some() {
                self.note(&put)?;
            }
        }
        if let Some(checksum) = road.checksum {
            let note = self.checksum(checksum, &put.name, &sending)?;
            far.put(&beside(&put.name, checksum), &note)?;
        }
        Ok(put.name)
    }

    fn is_acknowledged(&self, far: &mut dyn Far, name: &str) -> Result<bool, FarError> {
        let acknowledgement = self.receiver.road.acknowledgement.as_ref();
        acknowledgement.map_or(Ok(false), |acknowledgement| has(far, &acknowledgement.of(name)))
    }

    /// Removes the acknowledgement of an earlier file of this name, since it does not acknowledge this one.
    fn forget_acknowledgement(&self, far: &mut dyn Far, name: &str) -> Result<(), FarError> {
        let Some(acknowledgement) = &self.receiver.road.acknowledgement else { return Ok(()) };
        match far.remove(&acknowledgement.of(name)) {
            Ok(()) | Err(FarError::NotThere(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes the checksum file in the format of `sha256sum`.
    fn checksum(
        &self,
        checksum: Checksum,
        name: &str,
        sending: &dyn Parcel,
    ) -> Result<Note, FarError> {
        let Checksum::Sha256 = checksum;
        let digest = Digest::of(sending)?;
        Ok(Note(format!("{}  {name}\n", digest.hexadecimal()).into_bytes()))
    }

    /// Notes that the file is where the receiver expects it. Only then is it removed here.
    fn there(&self, name: &str) -> Result<(), Hindrance> {
        let Carrying { receiver, carried, .. } = self;
        let Road { system, acknowledgement, .. } = &*receiver.road;
        tracing::info!(
            target: "flow::delivery",
            receiver = system,
            file = name,
            records = carried.records,
            "{system}: \"{name}\" is delivered"
        );
        if let Some(file) = carried.made_of {
            receiver.meters.carried(file);
        }
        if acknowledgement.is_some() {
            let (id, name) = (carried.id, name.to_owned());
            return Ok(receiver
                .journal
                .commit(move |db| outbox::note_there(db, id, "sent", &name, None))?);
        }
        Ok(let_go(receiver, (carried.id, name), (&carried.path, &carried.lies))?)
    }

    /// Handles a missing file. If its path was delivered before, it was this file, with the same name and contents.
    /// Otherwise another process took it.
    fn is_missing(&self, missing: &Path) -> Result<(), Hindrance> {
        let Carrying { receiver, carried, .. } = self;
        let reader = receiver.journal.reader()?;
        let noted = receiver.journal.view.noted(&carried.path);
        let before = outbox::was_delivered_before(&reader, carried.id, &noted);
        if receiver.journal.answer(before)? {
            return self.there(&receiver.road.name_of(&carried.file()));
        }
        let path = missing.display();
        Err(FarError::passing(format!(
            "\"{path}\" is not there; does another program take files from its folder?"
        ))
        .into())
    }
}

/// Returns whether the far place has a file of this name.
pub(super) fn has(far: &mut dyn Far, name: &str) -> Result<bool, FarError> {
    match far.stat(name) {
        Ok(_) => Ok(true),
        Err(FarError::NotThere(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Notes that a file is delivered, and removes it or moves it to where it is kept.
pub(super) fn let_go(
    receiver: &Receiver,
    (id, name): (i64, &str),
    (path, lies): (&Path, &Path),
) -> Result<(), StoreError> {
    let Receiver { road, journal, .. } = receiver;
    let copy = road.keep.map(|_| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        road.sent.join(format!("{id}-{file}"))
    });
    let contents = Contents::of(journal, id, (path, lies))?;
    if let Some(copy) = copy.as_ref().filter(|_| contents.is_in_pieces())
        && let Err(error) = Writing(&contents).to(copy)
    {
        tracing::warn!(
            target: "flow::delivery",
            receiver = road.system,
            file = name,
            "could not keep \"{}\": {error}",
            copy.display()
        );
    }
    let noted = copy.as_ref().map(|copy| journal.view.noted(copy));
    let name = name.to_owned();
    journal.commit(move |db| outbox::note_there(db, id, "delivered", &name, noted.as_deref()))?;
    match copy {
        _ if contents.is_in_pieces() => release(journal, id),
        Some(copy) => receiver.move_to(lies, &copy),
        None if fs::exists(lies).unwrap_or(true) => remove_delivered(lies),
        None => {}
    }
    Ok(())
}

/// Returns the name of the checksum file of a file.
fn beside(name: &str, checksum: Checksum) -> String {
    format!("{name}{}", checksum.ending())
}
