//! Statements that someone else wrote, on their way to the workers: read from a file or a pipe in a thread of its own,
//! handed out one by one, so that a pipe that never ends works and no worker gets what another one has. How text is cut
//! into statements is said by the caller.

use qualm_core::explore::InputLine;
use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Statements that are read before somebody wants them.
const READ_AHEAD: usize = 256;
const CHUNK_BYTES: usize = 1 << 16;

pub struct Feed {
    statements: Mutex<Receiver<InputLine>>,
}

pub enum Next {
    InputLine(InputLine),
    /// Nothing for now.
    Nothing,
    /// Nothing ever again.
    Ended,
}

/// Cuts what was read: given bytes, or nothing at the end, it hands on the statements that are whole.
pub type Cut = Box<dyn FnMut(Option<&[u8]>, &mut dyn FnMut(InputLine)) + Send>;

impl Feed {
    /// Begins to read. A source that fails ends there, with the failure as its last statement's reason.
    pub fn read(source: Box<dyn Read + Send>, cut: Cut) -> Feed {
        let (hand_out, statements) = sync_channel(READ_AHEAD);
        std::thread::spawn(move || pump(source, cut, &hand_out));
        Feed { statements: Mutex::new(statements) }
    }

    pub fn next(&self, patience: Duration) -> Next {
        let statements = self.statements.lock().unwrap_or_else(PoisonError::into_inner);
        match statements.recv_timeout(patience) {
            Ok(line) => Next::InputLine(line),
            Err(RecvTimeoutError::Timeout) => Next::Nothing,
            Err(RecvTimeoutError::Disconnected) => Next::Ended,
        }
    }
}

fn pump(mut source: Box<dyn Read + Send>, mut cut: Cut, hand_out: &SyncSender<InputLine>) {
    let mut gone = false;
    let mut last_line = 0;
    let mut chunk = [0; CHUNK_BYTES];
    loop {
        let mut send = |line: InputLine| {
            last_line = line.line;
            gone |= hand_out.send(line).is_err();
        };
        match source.read(&mut chunk) {
            Ok(0) => return cut(None, &mut send),
            Ok(n) => cut(Some(&chunk[..n]), &mut send),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => {
                let _ = hand_out.send(InputLine { line: last_line, text: Err(format!("cannot read further: {e}")) });
                return;
            }
        }
        // Nobody wants more.
        if gone {
            return;
        }
    }
}
