// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//! Sessions that wait for their answers. The dispatcher answers all but one: it forgets the sender of session 7, which
//! waits for ever. `corotracer-gui` shows its name, and the line of its `await`.
//!
//! usage: rust_forgotten_sender [SECONDS]

use std::time::Duration;

use corotracer::TraceFutureExt;
use tokio::sync::{mpsc, oneshot};

const SESSIONS: usize = 20;
const FORGOTTEN: usize = 7;

#[derive(Debug)]
struct Request {
    session: usize,
    answer: oneshot::Sender<usize>,
}

/// Asks for an answer, and waits for it.
async fn serve(session: usize, requests: mpsc::Sender<Request>) -> usize {
    let (answer, receiver) = oneshot::channel();
    requests.send(Request { session, answer }).await.expect("the dispatcher runs");
    drop(requests);
    receiver.traced().named(&format!("answer for session {session}")).await.expect("the answer comes")
}

async fn dispatch(mut requests: mpsc::Receiver<Request>) {
    while let Some(request) = requests.recv().await {
        if request.session == FORGOTTEN {
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
