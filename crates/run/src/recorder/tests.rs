use super::*;

fn pair() -> (tempfile::TempDir, Recorder, Reader) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    assert!(Reader::open(&path).is_none());
    let recorder = Recorder::create(&path).unwrap();
    let reader = Reader::open(&path).unwrap();
    (folder, recorder, reader)
}

#[test]
fn the_running_statement_is_seen() {
    let (_folder, mut recorder, reader) = pair();
    assert_eq!(reader.running_ms(), None);
    recorder.begin("CREATE TABLE t0(c0)");
    recorder.end();
    recorder.mark();
    recorder.begin("SELECT 'é'");
    assert!(reader.running_ms().is_some());
    let flight = reader.flight();
    assert_eq!(flight.statements[1], Noted { text: "SELECT 'é'".into(), rejected: false });
    assert_eq!(flight.statements.len(), 2);
    assert_eq!((flight.marked, flight.running, flight.complete), (1, true, true));
    recorder.end();
    recorder.rejected();
    assert!(!reader.flight().running && reader.flight().statements[1].rejected);
    assert_eq!(reader.flight().statements[1].text, "SELECT 'é'");
    recorder.clear();
    assert!(reader.flight().statements.is_empty());
}

#[test]
fn a_recorder_is_read_by_its_user_only_and_nothing_else_is_taken_for_one() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, _recorder, _reader) = pair();
    let path = folder.path().join("r");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    std::os::unix::fs::symlink(&path, folder.path().join("link")).unwrap();
    assert!(Reader::open(&folder.path().join("link")).is_none());
    // Opening a pipe that nobody writes to would wait for ever.
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (say, hear) = std::sync::mpsc::channel();
    std::thread::spawn(move || say.send(Reader::open(&pipe).is_none()));
    assert_eq!(hear.recv_timeout(Duration::from_secs(30)), Ok(true));
}

/// What a question was made from outlives the process, and is no statement.
#[test]
fn what_a_question_is_about_is_kept_beside_it() {
    let (_folder, mut recorder, reader) = pair();
    recorder.begin("CREATE TABLE t0(c0)");
    recorder.end();
    recorder.mark();
    for number in 0..2 {
        recorder.about(&format!("{{\"question\": {number}}}"));
        recorder.begin("SELECT 1");
    }
    let flight = reader.flight();
    assert_eq!(flight.about.as_deref(), Some("{\"question\": 1}"));
    assert_eq!((flight.statements.len(), flight.marked), (3, 1));
    recorder.about(&"x".repeat(RECORDER_BYTES));
    recorder.clear();
    assert_eq!(reader.flight().about, None);
}

#[test]
fn questions_make_room_and_the_state_stays() {
    let (_folder, mut recorder, reader) = pair();
    recorder.begin("CREATE TABLE t0(c0)");
    recorder.mark();
    let long = "x".repeat(1000);
    for i in 0..3000 {
        recorder.begin(&format!("{i} {long}"));
    }
    let flight = reader.flight();
    assert_eq!(flight.statements[0].text, "CREATE TABLE t0(c0)");
    assert!(flight.statements.last().unwrap().text.starts_with("2999 "));
    assert!(flight.complete && flight.statements.len() < 1100);
    recorder.begin(&"y".repeat(RECORDER_BYTES));
    assert!(!reader.flight().complete);
}

/// A session that can be made to have lost its server.
struct Flaky(std::rc::Rc<std::cell::Cell<bool>>);

impl Session for Flaky {
    fn run(&mut self, _: &str) -> Outcome {
        Outcome::Done
    }

    fn plan(&mut self, _: &str) -> Option<Plan> {
        None
    }

    fn reset(&mut self) -> Result<(), String> {
        if self.0.get() { Err("connection refused".into()) } else { Ok(()) }
    }
}

/// A session that takes as long as a clock needs to notice.
struct Busy;

fn work() {
    let begun = Instant::now();
    while begun.elapsed().is_zero() {}
}

impl Session for Busy {
    fn run(&mut self, _: &str) -> Outcome {
        work();
        Outcome::Done
    }

    fn plan(&mut self, _: &str) -> Option<Plan> {
        work();
        None
    }

    fn reset(&mut self) -> Result<(), String> {
        work();
        Ok(())
    }
}

/// Drivers have no clock: what they do is timed here, once for all of them.
#[test]
fn statements_plans_and_resets_count_as_time_of_the_engine() {
    let (_folder, recorder, _reader) = pair();
    let session: Box<dyn Session> = Box::new(Busy);
    assert_eq!(session.engine_nanos(), 0);
    let mut recorded = Recorded::new(session, recorder);
    let mut readings = vec![recorded.engine_nanos()];
    recorded.run("SELECT 1");
    readings.push(recorded.engine_nanos());
    recorded.plan("SELECT 1");
    readings.push(recorded.engine_nanos());
    recorded.reset().unwrap();
    readings.push(recorded.engine_nanos());
    assert!(readings[0] == 0 && readings.is_sorted_by(|a, b| a < b), "{readings:?}");
}

/// A session that takes nothing, or says itself that it can do no more.
struct Tired(Option<&'static str>);

impl Session for Tired {
    fn run(&mut self, text: &str) -> Outcome {
        if text == "taken" { Outcome::Done } else { Outcome::rejected(RejectionClass::Limit, "no memory") }
    }

    fn plan(&mut self, _: &str) -> Option<Plan> {
        None
    }

    fn reset(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn exhausted(&self) -> Option<&str> {
        self.0
    }
}

#[test]
fn an_engine_that_can_do_no_more_is_noticed() {
    let (_folder, recorder, _reader) = pair();
    let session: Box<dyn Session> = Box::new(Tired(None));
    let mut recorded = Recorded::new(session, recorder);
    for text in ["refused", "refused", "taken", "refused", "refused"] {
        assert_eq!(recorded.spent(3), None);
        recorded.run(text);
    }
    assert_eq!(recorded.spent(3), None);
    recorded.run("refused");
    assert_eq!(recorded.spent(3).as_deref(), Some("it refused 3 statements in a row"));
    let (_folder, recorder, _reader) = pair();
    let session: Box<dyn Session> = Box::new(Tired(Some("it is tired")));
    assert_eq!(Recorded::new(session, recorder).spent(3).as_deref(), Some("it is tired"));
}

#[test]
fn a_server_that_went_away_is_noticed_until_it_is_back() {
    let (_folder, recorder, _reader) = pair();
    let lost = std::rc::Rc::new(std::cell::Cell::new(true));
    let session: Box<dyn Session> = Box::new(Flaky(lost.clone()));
    let mut recorded = Recorded::new(session, recorder);
    assert_eq!(recorded.gone_for(Duration::ZERO), None);
    assert!(recorded.reset().is_err());
    assert_eq!(recorded.gone_for(Duration::ZERO), Some("connection refused"));
    assert_eq!(recorded.gone_for(Duration::from_secs(3600)), None);
    lost.set(false);
    assert!(recorded.reset().is_ok());
    assert_eq!(recorded.gone_for(Duration::ZERO), None);
}
