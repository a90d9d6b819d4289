//! Objects of a store that speaks S3. One is there whole or not at all, and is put in place of none. What is in the
//! environment of the machine counts for nothing: the flow file says all. An object is put in one piece, which is up to
//! 5 GB in such stores.

use std::io::{Read as _, Write};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use diagnostics::Diagnostic;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use rusty_s3::actions::{ListObjectsV2, ListObjectsV2Response, PutObject};
use rusty_s3::{Bucket, Credentials, Map, S3Action, UrlStyle};
use transport::{
    Access, Appears, Digest, Far, FarError, FarFile, FarKind, Parcel, Place, Scheme, is_there,
};
use ureq::http::Response;
use ureq::{Body, RequestBuilder};

use crate::web::{No, Web, inner, plain};

/// The region, where the store has none.
const REGION: &str = "us-east-1";

/// How long the signature of a request is good for: the clocks of two machines may differ by this.
const GOOD_FOR: Duration = Duration::from_secs(15 * 60);

/// Octets of a page of a list, which has up to 1000 names of up to 1024 octets, each of which may be written as three.
const PAGE_OCTETS_MAX: u64 = 8_000_000;

/// Most names of a folder: more than a gateway takes from one.
const LISTED_MAX: usize = 1_000_000;

/// What a store says, with 400, of what went wrong on the way (Amazon S3, "Error responses").
const PASSING: [&str; 4] =
    ["RequestTimeout", "BadDigest", "IncompleteBody", "XAmzContentChecksumMismatch"];

/// `s3://bucket/folder`.
pub(crate) struct S3;

impl Scheme for S3 {
    fn names(&self) -> &'static [&'static str] {
        &["s3"]
    }

    fn keys(&self) -> &'static [&'static str] {
        &["endpoint", "region", "access-key", "secret-key-file", "certificate-authority"]
    }

    fn place(&self, access: Access) -> Result<Box<dyn Place>, Diagnostic> {
        if access.address.user.is_some() || access.address.port.is_some() {
            let hint = "write \"s3://bucket/folder\", and where the store is with \"endpoint\"";
            return Err(access.mistake("a bucket has no user and no port").hint(hint));
        }
        if access.text("access-key").is_none() || access.text("secret-key-file").is_none() {
            let hint = "write \"access-key\" and \"secret-key-file\"";
            return Err(access.mistake("nothing is said by which to be let in").hint(hint));
        }
        let folder = access.address.path.trim_matches('/').to_owned();
        if !folder.is_empty() && plain(&folder).is_err() {
            return Err(access.mistake("the folder has what no name has"));
        }
        let region = access.text("region").unwrap_or(REGION).to_owned();
        let name = access.address.host.clone();
        let (endpoint, style) = match access.text("endpoint") {
            Some(endpoint) => (endpoint.to_owned(), UrlStyle::Path),
            // A certificate of theirs has no name with a point more.
            None if name.contains('.') => {
                (format!("https://s3.{region}.amazonaws.com"), UrlStyle::Path)
            }
            None => (format!("https://s3.{region}.amazonaws.com"), UrlStyle::VirtualHost),
        };
        let url = endpoint.parse().ok();
        let bucket = url.and_then(|url| Bucket::new(url, style, name, region).ok());
        let bucket = bucket.ok_or_else(|| {
            let hint = "write \"https://s3.example.com\"";
            access.mistake("\"endpoint\" is where the store is").hint(hint)
        })?;
        Ok(Box::new(S3Place { access, bucket, endpoint, folder }))
    }
}

#[derive(Debug)]
struct S3Place {
    access: Access,
    bucket: Bucket,
    endpoint: String,
    folder: String,
}

impl Place for S3Place {
    fn address(&self) -> String {
        self.access.address.to_string()
    }

    fn appears(&self) -> Appears {
        Appears::AtOnce
    }

    fn connect(&self) -> Result<Box<dyn Far>, FarError> {
        let key = self.access.text("access-key").unwrap_or_default();
        let secret = self.access.secret_file("secret-key-file")?;
        let secret = secret.as_ref().map_or("", |secret| secret.reveal());
        Ok(Box::new(Store {
            web: Web::new(&self.access, self.endpoint.clone())?,
            bucket: self.bucket.clone(),
            credentials: Credentials::new(key, secret),
            folder: self.folder.clone(),
        }))
    }
}

/// A bucket to be asked.
struct Store {
    web: Web,
    bucket: Bucket,
    credentials: Credentials,
    folder: String,
}

impl Store {
    fn key(&self, name: &str) -> Result<String, FarError> {
        let name = plain(name)?;
        Ok(if self.folder.is_empty() { name.to_owned() } else { format!("{}/{name}", self.folder) })
    }

    /// Asks for what has no octets of its own.
    fn ask(
        &self,
        name: &str,
        request: RequestBuilder<ureq::typestate::WithoutBody>,
    ) -> Result<Response<Body>, FarError> {
        let answer = self.web.answered(name, request.call())?;
        if answer.status().is_success() { Ok(answer) } else { Err(self.no(No::of(answer), name)) }
    }

    fn no(&self, no: No, name: &str) -> FarError {
        match no.said.as_str() {
            "NoSuchBucket" => {
                FarError::Shut(format!("there is no bucket \"{}\"", self.bucket.name()))
            }
            said if PASSING.contains(&said) => FarError::passing(format!("\"{name}\": {said}")),
            // It says the same status where it does not know us, or not our key.
            said if !matches!(said, "" | "AccessDenied") => match no.error(name) {
                FarError::Forbidden(what) => FarError::Shut(what),
                error => error,
            },
            _ => no.error(name),
        }
    }

    fn page(&self, prefix: &str, next: Option<&str>) -> Result<ListObjectsV2Response, FarError> {
        let mut asked = self.bucket.list_objects_v2(Some(&self.credentials));
        asked.with_delimiter("/");
        asked.with_prefix(prefix);
        next.into_iter().for_each(|next| asked.with_continuation_token(next.to_owned()));
        let answer = self.ask(prefix, self.web.agent.get(asked.sign(GOOD_FOR).as_str()))?;
        let mut page = String::new();
        let stopped =
            |error| FarError::passing_by(format!("\"{prefix}\": the list stopped"), error);
        let body = answer.into_body().into_reader();
        body.take(PAGE_OCTETS_MAX).read_to_string(&mut page).map_err(stopped)?;
        ListObjectsV2::parse_response(&page).map_err(|error| {
            FarError::passing_by(format!("\"{prefix}\": the list is not understood"), error)
        })
    }

    /// Puts what has no object in its place; `fill` says with what.
    fn put_object(
        &self,
        name: &str,
        headers: &[(&'static str, String)],
        fill: impl FnOnce(RequestBuilder<ureq::typestate::WithBody>) -> Result<Response<Body>, FarError>,
    ) -> Result<Response<Body>, FarError> {
        let key = self.key(name)?;
        let mut put = PutObject::new(&self.bucket, Some(&self.credentials), &key);
        let signed: &mut Map<'_> = put.headers_mut();
        headers.iter().for_each(|(header, value)| signed.insert(*header, value.clone()));
        let mut request = self.web.agent.put(put.sign(GOOD_FOR).as_str());
        for (header, value) in headers {
            request = request.header(*header, value);
        }
        fill(request)
    }

    /// What tells an object from others of its name: that of a copy is the same.
    fn tag(&self, name: &str) -> Result<Option<String>, FarError> {
        let key = self.key(name)?;
        let asked = self.bucket.head_object(Some(&self.credentials), &key);
        let answer = self.ask(name, self.web.agent.head(asked.sign(GOOD_FOR).as_str()))?;
        Ok(text(&answer, "etag").map(str::to_owned))
    }
}

impl Far for Store {
    fn list(&mut self, folder: &str) -> Result<Vec<FarFile>, FarError> {
        let within = |part: &str| if part.is_empty() { String::new() } else { format!("{part}/") };
        let prefix = format!("{}{}", within(&self.folder), within(folder));
        let (mut files, mut next) = (Vec::new(), None::<String>);
        loop {
            let page = self.page(&prefix, next.as_deref())?;
            let own = |key: &str| Some(key.strip_prefix(&prefix)?.to_owned());
            files.extend(page.contents.iter().filter_map(|object| {
                // One that has the name of the folder itself is how some make one.
                let name = own(&object.key).filter(|name| !name.is_empty())?;
                let modified = object.last_modified.as_deref().and_then(|at| at.parse().ok());
                let octets = object.size.unwrap_or(0);
                let modified = modified.and_then(seconds);
                Some(FarFile { name, kind: FarKind::File, octets, modified })
            }));
            files.extend(page.common_prefixes.iter().filter_map(|folder| {
                let name = own(&folder.prefix)?.trim_end_matches('/').to_owned();
                Some(FarFile { name, kind: FarKind::Folder, octets: 0, modified: None })
            }));
            next = page.next_continuation_token;
            if next.is_none() || files.len() > LISTED_MAX {
                return Ok(files);
            }
        }
    }

    fn stat(&mut self, name: &str) -> Result<FarFile, FarError> {
        let key = self.key(name)?;
        let asked = self.bucket.head_object(Some(&self.credentials), &key);
        let answer = self.ask(name, self.web.agent.head(asked.sign(GOOD_FOR).as_str()))?;
        let octets = text(&answer, "content-length").and_then(|length| length.parse().ok());
        let octets = octets.ok_or_else(|| {
            FarError::passing(format!("\"{name}\": the store does not say how long it is"))
        })?;
        let modified = text(&answer, "last-modified")
            .and_then(|at| rfc2822::parse(at).ok()?.timestamp().into());
        let modified = modified.and_then(seconds);
        Ok(FarFile { name: name.to_owned(), kind: FarKind::File, octets, modified })
    }

    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, FarError> {
        let key = self.key(name)?;
        let asked = self.bucket.get_object(Some(&self.credentials), &key);
        let answer = self.ask(name, self.web.agent.get(asked.sign(GOOD_FOR).as_str()))?;
        self.web.fetched(name, answer, to)
    }

    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, FarError> {
        let digest = Digest::of(parcel)?;
        // Not all stores know the condition below. Who may only write is not told whether there is one.
        let answer = match self.stat(name) {
            Ok(_) => None,
            Err(FarError::NotThere(_) | FarError::Forbidden(_)) => {
                let headers = [
                    ("if-none-match", "*".to_owned()),
                    ("x-amz-checksum-sha256", BASE64.encode(digest.sha256)),
                ];
                Some(self.put_object(name, &headers, |request| {
                    self.web.send(name, request, parcel, digest.octets)
                })?)
            }
            Err(error) => return Err(error),
        };
        match answer {
            Some(answer) if answer.status().is_success() => return Ok(digest.octets),
            Some(answer) if answer.status() != 412 => {
                return Err(match self.no(No::of(answer), name) {
                    FarError::NotThere(_) => FarError::passing("the store takes nothing there"),
                    error => error,
                });
            }
            _ => {}
        }
        match is_there(self, name, parcel) {
            Ok(true) => Ok(digest.octets),
            Ok(false) => Err(FarError::Exists(name.into())),
            Err(FarError::Forbidden(_)) => Err(FarError::Refused(format!(
                "\"{name}\": the store has an object of this name, and does not show whether it is this one"
            ))),
            // It was taken away meanwhile.
            Err(FarError::NotThere(_)) => {
                Err(FarError::passing(format!("\"{name}\" was there, and is not any more")))
            }
            Err(error) => Err(error),
        }
    }

    /// Copies, and removes: a store has no other way. Where that was interrupted between the two, it goes on there.
    fn rename(&mut self, from: &str, to: &str) -> Result<(), FarError> {
        let file = self.stat(from)?;
        let there = match self.stat(to) {
            Ok(there) if there.octets != file.octets => return Err(FarError::Exists(to.into())),
            Ok(_) if self.tag(from)? != self.tag(to)? => return Err(FarError::Exists(to.into())),
            Ok(_) => true,
            Err(FarError::NotThere(_)) => false,
            Err(error) => return Err(error),
        };
        if !there {
            let source = self.bucket.object_url(&self.key(from)?);
            let path = source.path().strip_prefix(self.bucket.base_url().path());
            let source = format!("/{}/{}", self.bucket.name(), path.unwrap_or_default());
            let answer = self.put_object(to, &[("x-amz-copy-source", source)], |request| {
                self.web.answered(to, request.send_empty())
            })?;
            if !answer.status().is_success() {
                return Err(self.no(No::of(answer), from));
            }
            // A store begins to answer before it is done, and may say then that it could not.
            let mut said = Vec::new();
            self.web.fetched(to, answer, &mut said)?;
            if let Some(code) = inner(&String::from_utf8_lossy(&said), "Code") {
                return Err(FarError::passing(format!("\"{from}\" could not be copied: {code}")));
            }
        }
        self.remove(from)
    }

    fn remove(&mut self, name: &str) -> Result<(), FarError> {
        // A store says the same of one that is not there.
        self.stat(name)?;
        let key = self.key(name)?;
        let asked = self.bucket.delete_object(Some(&self.credentials), &key);
        self.ask(name, self.web.agent.delete(asked.sign(GOOD_FOR).as_str())).map(drop)
    }

    fn make_folder(&mut self, _: &str) -> Result<(), FarError> {
        // A store has folders where it has something in them.
        Ok(())
    }
}

fn text<'a>(answer: &'a Response<Body>, header: &str) -> Option<&'a str> {
    answer.headers().get(header)?.to_str().ok()
}

/// A time as a store tells it, of a list and of an object alike: the one may have less than seconds, the other has not.
fn seconds(at: Timestamp) -> Option<SystemTime> {
    Timestamp::from_second(at.as_second()).ok()?.try_into().ok()
}
