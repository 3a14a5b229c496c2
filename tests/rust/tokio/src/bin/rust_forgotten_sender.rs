// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//! Sessions that ask again and again, and wait for each answer. The dispatcher forgets one: the sender of session 7's
//! second answer. This session waits for ever, while the others go on. `corotracer-gui` shows its name, and the line of its `await`.
//!
//! usage: rust_forgotten_sender [SECONDS]

use std::time::Duration;

use corotracer::TraceFutureExt;
use tokio::sync::{mpsc, oneshot};

const SESSIONS: usize = 20;
const QUESTIONS: usize = 10;
const FORGOTTEN: (usize, usize) = (7, 1);

#[derive(Debug)]
struct Request {
    session: usize,
    question: usize,
    answer: oneshot::Sender<usize>,
}

/// Asks, and waits for the answer, several times.
async fn serve(session: usize, requests: mpsc::Sender<Request>) {
    for question in 0..QUESTIONS {
        let (answer, receiver) = oneshot::channel();
        requests.send(Request { session, question, answer }).await.expect("the dispatcher runs");
        receiver.traced().named(&format!("answer for session {session}")).await.expect("the answer comes");
    }
}

async fn dispatch(mut requests: mpsc::Receiver<Request>) {
    while let Some(request) = requests.recv().await {
        if (request.session, request.question) == FORGOTTEN {
            std::mem::forget(request.answer); // the bug
        } else {
            tokio::time::sleep(Duration::from_millis(1)).await;
            let _ = request.answer.send(request.session);
        }
    }
}

#[tokio::main]
async fn main() {
    let seconds = std::env::args().nth(1).map_or(60.0, |text| text.parse().expect("seconds"));
    let (requests, receiver) = mpsc::channel(SESSIONS);
    tokio::spawn(dispatch(receiver).traced().named("dispatcher"));
    let sessions: Vec<_> = (0..SESSIONS)
        .map(|session| tokio::spawn(serve(session, requests.clone()).traced().named(&format!("session {session}"))))
        .collect();
    drop(requests);
    let all = async {
        for session in sessions {
            session.await.expect("a session panicked");
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs_f64(seconds), all).await;
}
