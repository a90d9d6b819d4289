//! Objects of a store that speaks S3. An object exists whole or not at all, and an upload replaces none. The
//! environment of the process has no influence: the flow file has all settings. An object is sent in one request, which
//! may have up to 5 GB in such stores.

use std::collections::HashSet;
use std::io::{Read as _, Write};
use std::thread;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use diagnostics::Diagnostic;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use runtime::backoff::Backoff;
use rusty_s3::actions::{ListObjectsV2, ListObjectsV2Response, PutObject};
use rusty_s3::{Bucket, Credentials, Map, S3Action, UrlStyle};
use transport::{
    Access, Digest, Listing, Parcel, Place, PutMethod, RemoteConnection, RemoteError, RemoteFile,
    RemoteKind, Scheme, is_there,
};
use ureq::http::Response;
use ureq::{Body, RequestBuilder};

use crate::calls::shown;
use crate::fault::Fault;
use crate::web::{No, Web, inner, plain};

/// The region for a store without one.
const REGION: &str = "us-east-1";

/// How long a signed request is valid. The clocks of the two hosts may differ by this.
const GOOD_FOR: Duration = Duration::from_secs(15 * 60);

/// The maximum size in octets of a page of a list. A page has up to 1000 names of up to 1024 octets, and an escaped
/// octet takes three.
const PAGE_OCTETS_MAX: u64 = 8_000_000;

/// The maximum number of names in a folder: more than a gateway takes from one.
const LISTED_MAX: usize = 1_000_000;

/// The maximum number of consecutive pages without a new name. This bounds a list that repeats itself. A store may send
/// some empty pages if many objects were deleted.
const NOTHING_NEW_MAX: usize = 200;

/// The maximum octets of the answer to a copy request.
const COPIED_OCTETS_MAX: u64 = 16_384;

/// The number of attempts while a store is busy.
const TRIES: u32 = 5;

/// The delays between them.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(100), AGAIN_AFTER_MAX);

/// The longest `Retry-After` that is waited for here. If it is longer, the caller tries again later.
const AGAIN_AFTER_MAX: Duration = Duration::from_secs(2);

/// Error codes with status 400 for errors in the transmission (Amazon S3, "Error responses").
const PASSING: [&str; 4] =
    ["RequestTimeout", "BadDigest", "IncompleteBody", "XAmzContentChecksumMismatch"];

/// Error codes of a store that does not accept the account or the key, or if the clocks differ.
const NOT_LET_IN: [&str; 14] = [
    "AccessKeyIdNotFound",
    "AccountProblem",
    "AllAccessDisabled",
    "AuthorizationHeaderMalformed",
    "AuthorizationQueryParametersError",
    "ExpiredToken",
    "InvalidAccessKeyId",
    "InvalidPayer",
    "InvalidSecurity",
    "InvalidToken",
    "NotSignedUp",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
    "TokenRefreshRequired",
];

/// The error code for an archived object.
const ARCHIVED: &str = "InvalidObjectState";

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
            // The wildcard certificate of Amazon covers no bucket name with a dot.
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

    fn put_method(&self) -> PutMethod {
        PutMethod::Atomic
    }

    fn connect(&self) -> Result<Box<dyn RemoteConnection>, RemoteError> {
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

/// A bucket.
struct Store {
    web: Web,
    bucket: Bucket,
    credentials: Credentials,
    folder: String,
}

impl Store {
    fn key(&self, name: &str) -> Result<String, RemoteError> {
        let name = plain(name)?;
        Ok(if self.folder.is_empty() { name.to_owned() } else { format!("{}/{name}", self.folder) })
    }

    /// Sends a request without a body.
    fn ask(
        &self,
        name: &str,
        request: impl Fn() -> RequestBuilder<ureq::typestate::WithoutBody>,
    ) -> Result<Response<Body>, RemoteError> {
        let answer = patiently(|| self.web.answered(name, request().call()))?;
        if answer.status().is_success() { Ok(answer) } else { Err(self.no(No::of(answer), name)) }
    }

    /// Converts an error answer (Amazon S3, "Error responses"). Its code says more than the status.
    fn no(&self, no: No, name: &str) -> RemoteError {
        let what = no.fault(name);
        match (no.status.as_u16(), no.text.as_str()) {
            (_, "NoSuchBucket") => {
                RemoteError::shut(Fault::S3NoBucket { bucket: self.bucket.name().to_owned() })
            }
            (_, code) if NOT_LET_IN.contains(&code) => RemoteError::shut(what),
            (_, code) if PASSING.contains(&code) => RemoteError::unavailable(what),
            (_, ARCHIVED) => {
                let (file, answer) = (name.to_owned(), no.answer());
                RemoteError::unavailable(Fault::S3Archived { file, answer })
            }
            // The object was deleted, or is locked.
            (405, _) => RemoteError::forbidden(what),
            _ => no.error(name),
        }
    }

    fn page(&self, prefix: &str, next: Option<&str>) -> Result<ListObjectsV2Response, RemoteError> {
        let mut request = self.bucket.list_objects_v2(Some(&self.credentials));
        request.with_delimiter("/");
        request.with_prefix(prefix);
        next.into_iter().for_each(|next| request.with_continuation_token(next.to_owned()));
        let (name, url) = (format!("{}/{prefix}", self.bucket.name()), request.sign(GOOD_FOR));
        let answer = self.ask(&name, || self.web.agent.get(url.as_str()));
        let answer = answer.map_err(|error| match error {
            // Without the list, nothing else can be done in this place.
            RemoteError::Unavailable { what, after } => {
                RemoteError::Passing { what, after, cause: None }
            }
            RemoteError::NotThere(name) => RemoteError::NotThere(format!("s3://{name}")),
            error => error,
        })?;
        let mut page = String::new();
        let stopped =
            |error| RemoteError::broken_by(Fault::S3ListStopped { folder: name.clone() }, error);
        let body = answer.into_body().into_reader();
        body.take(PAGE_OCTETS_MAX).read_to_string(&mut page).map_err(stopped)?;
        ListObjectsV2::parse_response(&page).map_err(|error| {
            let is_cut = inner(&page, "IsTruncated") == Some("true")
                && inner(&page, "NextContinuationToken").is_none_or(str::is_empty);
            match is_cut {
                true => RemoteError::shut(Fault::S3ListCut { folder: name.clone() }),
                false => {
                    let fault = Fault::S3ListNotUnderstood { folder: name.clone() };
                    RemoteError::passing_by(fault, error)
                }
            }
        })
    }

    /// Puts an object unless one exists; `fill` adds the body.
    fn put_object(
        &self,
        name: &str,
        headers: &[(&'static str, String)],
        fill: impl Fn(RequestBuilder<ureq::typestate::WithBody>) -> Result<Response<Body>, RemoteError>,
    ) -> Result<Response<Body>, RemoteError> {
        let key = self.key(name)?;
        let mut put = PutObject::new(&self.bucket, Some(&self.credentials), &key);
        let signed: &mut Map<'_> = put.headers_mut();
        headers.iter().for_each(|(header, value)| signed.insert(*header, value.clone()));
        let url = put.sign(GOOD_FOR);
        patiently(|| {
            let mut request = self.web.agent.put(url.as_str());
            for (header, value) in headers {
                request = request.header(*header, value);
            }
            fill(request)
        })
    }

    /// Returns the ETag of an object. That of a copy is the same.
    fn tag(&self, name: &str) -> Result<Option<String>, RemoteError> {
        let key = self.key(name)?;
        let url = self.bucket.head_object(Some(&self.credentials), &key).sign(GOOD_FOR);
        let answer = self.ask(name, || self.web.agent.head(url.as_str()))?;
        Ok(text(&answer, "etag").map(str::to_owned))
    }
}

impl RemoteConnection for Store {
    fn list(&mut self, folder: &str) -> Result<Listing, RemoteError> {
        let within = |part: &str| if part.is_empty() { String::new() } else { format!("{part}/") };
        let prefix = format!("{}{}", within(&self.folder), within(folder));
        let (mut files, mut names, mut next) = (Vec::new(), HashSet::new(), None::<String>);
        let mut nothing_new = 0;
        loop {
            let page = self.page(&prefix, next.as_deref())?;
            let before = files.len();
            let listed = listed(&page, &prefix);
            files.extend(
                listed.filter(|file| {
                    names.insert((file.kind == RemoteKind::File, file.name.clone()))
                }),
            );
            nothing_new = if files.len() > before { 0 } else { nothing_new + 1 };
            let Some(token) = page.next_continuation_token else { break };
            if next.as_ref() == Some(&token) || nothing_new > NOTHING_NEW_MAX {
                let folder = format!("{}/{prefix}", self.bucket.name());
                return Err(RemoteError::shut(Fault::S3EndlessList { folder }));
            }
            if files.len() > LISTED_MAX {
                break;
            }
            next = Some(token);
        }
        Ok(Listing { files, unreadable: Vec::new() })
    }

    fn stat(&mut self, name: &str) -> Result<RemoteFile, RemoteError> {
        let key = self.key(name)?;
        let url = self.bucket.head_object(Some(&self.credentials), &key).sign(GOOD_FOR);
        let answer = self.ask(name, || self.web.agent.head(url.as_str()))?;
        let octets = text(&answer, "content-length").and_then(|length| length.parse().ok());
        let modified = text(&answer, "last-modified")
            .and_then(|at| rfc2822::parse(at).ok()?.timestamp().into());
        let modified = modified.and_then(seconds);
        Ok(RemoteFile { name: name.to_owned(), kind: RemoteKind::File, octets, modified })
    }

    fn fetch(&mut self, name: &str, to: &mut dyn Write) -> Result<u64, RemoteError> {
        let key = self.key(name)?;
        let url = self.bucket.get_object(Some(&self.credentials), &key).sign(GOOD_FOR);
        let answer = self.ask(name, || self.web.agent.get(url.as_str()))?;
        self.web.fetched(name, answer, to)
    }

    fn put(&mut self, name: &str, parcel: &dyn Parcel) -> Result<u64, RemoteError> {
        let digest = Digest::of(parcel)?;
        // Not all stores support the condition below, so check first. A client that may only write cannot check.
        let answer = match self.stat(name) {
            Ok(_) => None,
            Err(RemoteError::NotThere(_) | RemoteError::Forbidden(_)) => {
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
                    RemoteError::NotThere(_) => {
                        RemoteError::unavailable(Fault::S3TakesNothing { file: name.to_owned() })
                    }
                    error => error,
                });
            }
            _ => {}
        }
        match is_there(self, name, parcel) {
            Ok(true) => Ok(digest.octets),
            Ok(false) => Err(RemoteError::Exists(name.into())),
            Err(RemoteError::Forbidden(_)) => {
                Err(RemoteError::refused(Fault::S3NotCompared { file: name.to_owned() }))
            }
            // The object was removed meanwhile.
            Err(RemoteError::NotThere(_)) => {
                Err(RemoteError::unavailable(Fault::Gone { file: name.to_owned() }))
            }
            Err(error) => Err(error),
        }
    }

    /// Copies, then removes, since a store has no rename. A rename that was interrupted between the two goes on there.
    fn rename(&mut self, from: &str, to: &str) -> Result<(), RemoteError> {
        let file = self.stat(from)?;
        let there = match self.stat(to) {
            Ok(there) if differ(there.octets, file.octets) => {
                return Err(RemoteError::Exists(to.into()));
            }
            Ok(_) if self.tag(from)? != self.tag(to)? => {
                return Err(RemoteError::Exists(to.into()));
            }
            Ok(_) => true,
            Err(RemoteError::NotThere(_)) => false,
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
            // A store sends the status before the copy is done, and may report an error in the body.
            let (mut octets, mut body) = (Vec::new(), answer.into_body().into_reader());
            let read = body.by_ref().take(COPIED_OCTETS_MAX).read_to_end(&mut octets);
            let stopped = Fault::S3CopyStopped { file: from.to_owned() };
            read.map_err(|error| RemoteError::broken_by(stopped, error))?;
            if let Some(code) = inner(&String::from_utf8_lossy(&octets), "Code") {
                let (file, answer) = (from.to_owned(), shown(code));
                return Err(RemoteError::unavailable(Fault::S3NotCopied { file, answer }));
            }
        }
        self.remove(from)
    }

    fn remove(&mut self, name: &str) -> Result<(), RemoteError> {
        // A store reports success for a missing object too.
        self.stat(name)?;
        let key = self.key(name)?;
        let url = self.bucket.delete_object(Some(&self.credentials), &key).sign(GOOD_FOR);
        self.ask(name, || self.web.agent.delete(url.as_str())).map(drop)
    }

    fn make_folder(&mut self, _: &str) -> Result<(), RemoteError> {
        // A folder exists as soon as it contains an object.
        Ok(())
    }
}

/// Returns the files and folders of a page.
fn listed(page: &ListObjectsV2Response, prefix: &str) -> impl Iterator<Item = RemoteFile> {
    let own = move |key: &str| Some(key.strip_prefix(prefix)?.to_owned());
    let files = page.contents.iter().filter_map(move |object| {
        // Some clients make a folder by an object with the folder's own name.
        let name = own(&object.key).filter(|name| !name.is_empty())?;
        let modified = object.last_modified.as_deref().and_then(|at| at.parse().ok());
        let (octets, modified) = (object.size, modified.and_then(seconds));
        Some(RemoteFile { name, kind: RemoteKind::File, octets, modified })
    });
    let folders = page.common_prefixes.iter().filter_map(move |folder| {
        let name = own(&folder.prefix)?.trim_end_matches('/').to_owned();
        Some(RemoteFile { name, kind: RemoteKind::Folder, octets: None, modified: None })
    });
    files.chain(folders)
}

/// Repeats a request if the store is busy or reports an internal error: stores shed load that way, and expect clients
/// to try again.
fn patiently(
    mut ask: impl FnMut() -> Result<Response<Body>, RemoteError>,
) -> Result<Response<Body>, RemoteError> {
    for tried in 1..TRIES {
        let answer = ask()?;
        if !matches!(answer.status().as_u16(), 429 | 500 | 502..=504) {
            return Ok(answer);
        }
        let after = text(&answer, "retry-after").and_then(|after| after.trim().parse().ok());
        let wait = BACKOFF.longest_after(tried);
        match after.map_or(wait, Duration::from_secs) {
            after if after > AGAIN_AFTER_MAX => return Ok(answer),
            after => thread::sleep(after.max(wait)),
        }
    }
    ask()
}

/// Returns whether two sizes are known and differ.
fn differ(one: Option<u64>, other: Option<u64>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one != other)
}

fn text<'a>(answer: &'a Response<Body>, header: &str) -> Option<&'a str> {
    answer.headers().get(header)?.to_str().ok()
}

/// Returns a time in whole seconds. A list has fractions of a second, the headers of an object have not, and both must
/// be equal.
fn seconds(at: Timestamp) -> Option<SystemTime> {
    Timestamp::from_second(at.as_second()).ok()?.try_into().ok()
}
