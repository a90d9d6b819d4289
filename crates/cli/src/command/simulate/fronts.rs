//! How simulated calls reach a charging system: over HTTP, or in this process.

use std::cell::Cell;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use ::simulate::calls::{CallAnswer, CallPhase, CallRequest, Front, FrontError};
use operate::prepaid::calls::{Authority, Call as _, Clerk, PrepaidAccount, ShowAccount};
use prepaid::{
    Answered, Interrogation, LegInterrogation, PhaseName, QuantityText, Queue, QueuedInterrogation,
    System,
};
use serde::de::DeserializeOwned;
use ureq::Agent;

/// The pause before a request is sent again.
const AGAIN_AFTER: Duration = Duration::from_millis(100);

/// How long a request waits for its answer: as long as clients do (RFC 8506 section 13, Tx).
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// A charging system behind HTTP, in one process or several.
pub(super) struct HttpFront {
    agent: Agent,
    /// The address of each process.
    urls: Vec<String>,
    /// The place of the address for the next request.
    next: Cell<usize>,
    authorization: Option<String>,
    patience: Duration,
}

impl HttpFront {
    pub(super) fn new(urls: &[String], token: Option<&str>, patience: Duration) -> Self {
        let config = Agent::config_builder().http_status_as_error(false);
        let agent = config.timeout_global(Some(ANSWER_WITHIN)).build().into();
        let urls = urls.iter().map(|url| url.trim_end_matches('/').to_owned()).collect();
        let authorization = token.map(|token| format!("Bearer {token}"));
        HttpFront { agent, urls, next: Cell::new(0), authorization, patience }
    }

    /// Returns the address of the process that is next.
    fn url(&self) -> &str {
        let place = self.next.get();
        self.next.set((place + 1) % self.urls.len());
        &self.urls[place]
    }

    /// Sends a request until there is an answer, as a network does: the same request gets the same answer, whichever
    /// process gets it.
    fn answer<T: DeserializeOwned>(
        &self,
        send: impl Fn(&Self) -> Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<T, FrontError> {
        let begun = Instant::now();
        loop {
            let failed = match send(self) {
                Ok(response) if response.status().as_u16() == 503 => "it is too busy".to_owned(),
                Ok(mut response) => {
                    let status = response.status();
                    let text = response.body_mut().read_to_string();
                    let text = text.map_err(|error| FrontError(error.to_string()))?;
                    return serde_json::from_str(&text)
                        .map_err(|_| FrontError(format!("{status}: {text}")));
                }
                Err(error) => error.to_string(),
            };
            if begun.elapsed() >= self.patience {
                return Err(FrontError(failed));
            }
            thread::sleep(AGAIN_AFTER);
        }
    }
}

impl Front for HttpFront {
    fn interrogate(&mut self, request: &CallRequest) -> Result<CallAnswer, FrontError> {
        let body = serde_json::to_string(&interrogation(request));
        let body = body.map_err(|error| FrontError(error.to_string()))?;
        let answered = self.answer(|front| {
            let post = front.agent.post(format!("{}/interrogations", front.url()));
            let post = post.header("content-type", "application/json");
            match &front.authorization {
                Some(authorization) => post.header("authorization", authorization).send(&body),
                None => post.send(&body),
            }
        })?;
        answer(answered)
    }

    fn balance(&mut self, number: &str) -> Result<i64, FrontError> {
        let account: PrepaidAccount = self.answer(|front| {
            let get = front.agent.get(format!("{}/balances/{number}", front.url()));
            match &front.authorization {
                Some(authorization) => get.header("authorization", authorization).call(),
                None => get.call(),
            }
        })?;
        main_balance(&account)
    }
}

/// A charging system in this process.
pub(super) struct InProcess<'s> {
    pub(super) queue: &'s Queue,
    pub(super) system: &'s System,
}

impl Front for InProcess<'_> {
    fn interrogate(&mut self, request: &CallRequest) -> Result<CallAnswer, FrontError> {
        let (sender, answered) = mpsc::channel();
        let reply = Box::new(move |of| drop(sender.send(of)));
        self.queue.add(Box::new(QueuedInterrogation::new(
            "simulated".into(),
            interrogation(request),
            reply,
        )));
        answer(answered.recv().map_err(|error| FrontError(error.to_string()))?)
    }

    fn balance(&mut self, number: &str) -> Result<i64, FrontError> {
        let clerk = Clerk { system: self.system, who: "simulated", authority: Authority::Network };
        let account = ShowAccount { account: number.to_owned() }.perform(&clerk);
        main_balance(&account.map_err(|refused| FrontError(refused.to_string()))?)
    }
}

fn interrogation(request: &CallRequest) -> Interrogation {
    let CallRequest { session, number, phase, subscriber, called, used, wanted } = request;
    let quantity = |of: &Option<u64>| {
        of.map(|seconds| QuantityText { seconds: Some(seconds), ..QuantityText::default() })
    };
    Interrogation {
        session: session.clone(),
        number: *number,
        phase: match phase {
            CallPhase::First => PhaseName::First,
            CallPhase::Next => PhaseName::Next,
            CallPhase::Final => PhaseName::Final,
        },
        event: Default::default(),
        subscriber: subscriber.clone(),
        legs: vec![LegInterrogation {
            service: (*phase == CallPhase::First).then(|| "telephony".to_owned()),
            other: called.clone(),
            used: quantity(used),
            wanted: quantity(wanted),
            ..LegInterrogation::default()
        }],
    }
}

fn answer(answered: Answered) -> Result<CallAnswer, FrontError> {
    let Answered::Legs { legs } = &answered else {
        return Err(FrontError(format!("{answered:?}")));
    };
    let [leg] = &legs[..] else { return Err(FrontError(format!("{answered:?}"))) };
    let granted = leg.granted.map(|granted| (granted.quantity.seconds, granted.is_final));
    Ok(CallAnswer {
        granted: granted.and_then(|(seconds, _)| seconds),
        is_final: granted.is_some_and(|(_, is_final)| is_final),
        refused: leg.refused.as_ref().map(|refused| refused.code.clone()),
    })
}

/// Returns the amount of the main balance, in billionths, with what is reserved.
fn main_balance(account: &PrepaidAccount) -> Result<i64, FrontError> {
    let main = account.balances.iter().find(|balance| balance.bucket == 0);
    let text = main.map_or("", |main| &main.amount);
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let nanos = rating::decimal(digits).ok().and_then(|nanos| i64::try_from(nanos).ok());
    let nanos = nanos.ok_or_else(|| FrontError(format!("\"{text}\" is no amount")))?;
    Ok(sign * nanos)
}
