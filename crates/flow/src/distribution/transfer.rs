//! Carrying one file. Where the journal says that it was put, its name was given or will be: only then is what is not
//! there any more taken for delivered.

use std::fs;
use std::path::Path;

use store::StoreError;
use transport::{Appears, Digest, Far, FarError, Parcel, is_there};

use super::destination::{About, Receiver, remove_delivered};
use super::outbox;
use super::outbox::{Carried, Named, Put};
use super::packing::{Contents, Writing, release};
use super::payload::{Note, Sending};
use super::{Checksum, Road, TEMPORARY};

/// What keeps a file from being carried on.
pub(super) enum Hindrance {
    /// The far place.
    Far(About, FarError),
    /// The far place, for good, and nobody there has seen the file.
    Unseen(FarError),
    /// The journal: the gateway sees to that.
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

/// A connection of one thread, which is made when a file needs it.
pub(super) type Line = Option<Box<dyn Far>>;

/// Carries a file as far as it goes, and notes that. Only what the journal refuses is returned.
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
        Hindrance::Unseen(error) => return receiver.give_up(carried, &error.told(), Named::No),
        // Who stops cuts what is under way.
        Hindrance::Far(..) if receiver.ends.stop.is_set() => return Ok(()),
        Hindrance::Far(about, error) => (about, error),
    };
    match error {
        FarError::Refused(_) | FarError::Exists(_) => {
            receiver.give_up(carried, &error.told(), Named::Perhaps)
        }
        error => {
            // An answer about one file leaves the connection as it was.
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

    /// What a file is called there while it is not whole.
    fn temporary(&self, name: &str) -> String {
        self.receiver.road.temporary.of(name)
    }

    /// Puts the file under a temporary name, notes that, and gives it its name.
    fn put(&self, far: &mut dyn Far) -> Result<String, Hindrance> {
        let road = &*self.receiver.road;
        let name = road.name_of(&self.carried.file());
        let sending = self.sending();
        match is_there(far, &name, &sending) {
            // Somebody delivered it whose journal was lost.
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
        let put = Put { place, name, octets, named: Named::Perhaps };
        self.note(&put)?;
        self.named(far, &put, Named::No)
    }

    /// Gives a file its name that was put by an earlier try, which perhaps has given it.
    fn put_before(&self, far: &mut dyn Far, put: &Put) -> Result<String, Hindrance> {
        if put.named == Named::No {
            // Whoever took it away did so before it could have been named.
            if !has(far, &self.temporary(&put.name))? {
                return Err(self.swept(&put.name)?);
            }
            self.note(&Put { named: Named::Perhaps, ..put.clone() })?;
        }
        self.named(far, put, put.named)
    }

    /// Notes how far it came.
    fn note(&self, put: &Put) -> Result<(), StoreError> {
        let (id, put) = (self.carried.id, put.clone());
        self.receiver.journal.commit(move |db| outbox::note_put(db, id, &put))
    }

    /// Gives a file its name that lies there under a hidden one, and then the one beside it that says what it is.
    fn named(&self, far: &mut dyn Far, put: &Put, named: Named) -> Result<String, Hindrance> {
        if let Err(error) = far.rename(&self.temporary(&put.name), &put.name) {
            self.not_renamed(far, put, named, error)?;
        }
        if let Some(checksum) = self.receiver.road.checksum {
            self.checksum_named(far, &put.name, (checksum, named))?;
        }
        Ok(put.name.clone())
    }

    /// What it means that a file was not renamed: it may have its name already. Where it lies there as it was put, the
    /// journal has that: if it is gone later, that is not taken for its name having been given.
    fn not_renamed(
        &self,
        far: &mut dyn Far,
        put: &Put,
        named: Named,
        error: FarError,
    ) -> Result<(), Hindrance> {
        let hidden_name = self.temporary(&put.name);
        match (far.stat(&hidden_name), error) {
            // It was renamed, and nobody heard so. A receiver may have taken it since.
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
                self.note(&Put { named: Named::No, ..put.clone() })?;
                Err(error.into())
            }
            // Nobody knows which file is there.
            (Err(error), FarError::Exists(_)) => Err(error.into()),
            (Err(_), error) => Err(error.into()),
        }
    }

    /// Notes that a file does not have its name for sure, before what lies there of it is removed: who tries again puts it
    /// once more.
    fn begins_anew(&self) -> Result<(), StoreError> {
        let id = self.carried.id;
        self.receiver.journal.commit(move |db| outbox::note_not_put(db, id))
    }

    /// That a file was taken away which was put, and had no name yet.
    fn swept(&self, name: &str) -> Result<Hindrance, StoreError> {
        self.begins_anew()?;
        let what = format!("\"{}\" was taken away before it had its name", self.temporary(name));
        Ok(FarError::passing(what).into())
    }

    /// Gives the file its name that says what another is.
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

    /// Puts a file to a place that shows it whole or not at all, and then the one beside it. What an earlier try did of that
    /// is not done again: whoever takes files away would get them twice.
    fn at_once(&self, far: &mut dyn Far, tried: Option<&Put>) -> Result<String, Hindrance> {
        let road = &*self.receiver.road;
        let sending = self.sending();
        let begun = || {
            let name = road.name_of(&self.carried.file());
            Put { place: road.destination(), name, octets: None, named: Named::Perhaps }
        };
        let mut put = tried.cloned().unwrap_or_else(begun);
        if road.acknowledgement.is_some() && tried.is_none() {
            if self.is_acknowledged(far, &put.name)? {
                self.forget_acknowledgement(far, &put.name)?;
            }
            // One that comes from now on is for this file, also where nobody heard that it arrived.
            self.note(&put)?;
        }
        let has_come =
            put.octets.is_some() || (tried.is_some() && self.is_acknowledged(far, &put.name)?);
        if !has_come {
            let octets = far.put(&put.name, &sending).map_err(|error| match error {
                // Nothing of it is there: who tries again begins anew.
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

    /// What an earlier file of the name was acknowledged by does not acknowledge this one.
    fn forget_acknowledgement(&self, far: &mut dyn Far, name: &str) -> Result<(), FarError> {
        let Some(acknowledgement) = &self.receiver.road.acknowledgement else { return Ok(()) };
        match far.remove(&acknowledgement.of(name)) {
            Ok(()) | Err(FarError::NotThere(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// As `sha256sum` writes it, and checks it.
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

    /// The file is where the receiver looks for it: notes that, and only then lets go of it here.
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

    /// The file is not there. Where one of its path was delivered before, it was that one, by the same name and with the same
    /// contents; where not, somebody took it.
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

/// Whether there is a file of a name.
pub(super) fn has(far: &mut dyn Far, name: &str) -> Result<bool, FarError> {
    match far.stat(name) {
        Ok(_) => Ok(true),
        Err(FarError::NotThere(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Notes that a file is delivered, and removes it, or lays it where it is kept.
pub(super) fn let_go(
    receiver: &Receiver,
    (id, name): (i64, &str),
    (path, lies): (&Path, &Path),
) -> Result<(), StoreError> {
    let Receiver { road, journal, .. } = receiver;
    let kept = road.keep.map(|_| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        road.sent.join(format!("{id}-{file}"))
    });
    let contents = Contents::of(journal, id, (path, lies))?;
    if let Some(kept) = kept.as_ref().filter(|_| contents.is_in_pieces())
        && let Err(error) = Writing(&contents).to(kept)
    {
        tracing::warn!(
            target: "flow::delivery",
            receiver = road.system,
            file = name,
            "could not keep \"{}\": {error}",
            kept.display()
        );
    }
    let noted = kept.as_ref().map(|kept| journal.view.noted(kept));
    let name = name.to_owned();
    journal.commit(move |db| outbox::note_there(db, id, "delivered", &name, noted.as_deref()))?;
    match kept {
        _ if contents.is_in_pieces() => release(journal, id),
        Some(kept) => receiver.move_to(lies, &kept),
        None if fs::exists(lies).unwrap_or(true) => remove_delivered(lies),
        None => {}
    }
    Ok(())
}

/// The name of the file that says what another is.
fn beside(name: &str, checksum: Checksum) -> String {
    format!("{name}{}", checksum.ending())
}
