//! JUnit's XML, as build servers read it: a suite of tests, each passed or with a failure. A finding is a test that
//! fails; a campaign that ended as it should is one that passes.

use qualm_core::escape::lines;
use qualm_run::report::view::{CampaignView, FindingView};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// A test beside those of the findings, for instance a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    pub group: String,
    pub name: String,
    pub result: Outcome,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Passed,
    /// What is wrong in a line, and all of it.
    Failed(String, String),
    /// It could not be done.
    Broken(String),
    Skipped(String),
}

pub fn text(campaigns: &[CampaignView], findings: &[FindingView], extra: &[Test]) -> String {
    let mut tests = extra.to_vec();
    tests.extend(of_campaigns(campaigns));
    tests.extend(findings.iter().map(of_finding));
    let time = duration(tests.iter().map(|t| t.seconds).sum());
    let mut suite = TestSuite::new("qualm");
    suite.set_time(time).add_test_cases(tests.iter().map(test));
    let mut report = Report::new("qualm");
    report.set_time(time).add_test_suite(suite);
    report.to_string().expect("a String takes all that is written to it")
}

/// One test for each engine, however many hunts there were: two of one name would be one to a build server. A run that
/// only replayed is none; it has no workers.
fn of_campaigns(campaigns: &[CampaignView]) -> Vec<Test> {
    let mut tests: Vec<Test> = Vec::new();
    let hunted = |c: &&CampaignView| c.summary.is_some() || c.began.as_ref().is_none_or(|b| b.workers > 0);
    for test in campaigns.iter().filter(hunted).map(of_campaign) {
        match tests.iter_mut().find(|t| t.group == test.group) {
            None => tests.push(test),
            Some(before) => {
                before.seconds += test.seconds;
                match (&mut before.result, test.result) {
                    (Outcome::Broken(why), Outcome::Broken(more)) => *why = format!("{why}\n{more}"),
                    (result @ Outcome::Passed, broken) => *result = broken,
                    _ => {}
                }
            }
        }
    }
    tests
}

fn of_campaign(campaign: &CampaignView) -> Test {
    let field = |name: &str| campaign.summary.as_ref().and_then(|s| s.get(name));
    let words = |name: &str| field(name).and_then(|v| v.as_str()).unwrap_or_default().to_owned();
    let faults: Vec<String> = field("faults")
        .and_then(|v| v.as_array())
        .map(|list| list.iter().filter_map(|v| v.as_str()).map(str::to_owned).collect())
        .unwrap_or_default();
    let result = match (&campaign.summary, faults.is_empty()) {
        (None, _) => Outcome::Broken("the hunt is still running, or was interrupted".into()),
        (Some(_), false) => Outcome::Broken(faults.join("\n")),
        (Some(_), true) => Outcome::Passed,
    };
    let began = || campaign.began.as_ref().map(|b| b.engine.clone()).unwrap_or_default();
    let engine = Some(words("engine")).filter(|e| !e.is_empty()).unwrap_or_else(began);
    Test {
        group: format!("qualm.{engine}"),
        // The name is the same in every run, so that a build server can follow the test.
        name: "hunt".into(),
        result,
        seconds: field("seconds").and_then(serde_json::Value::as_f64).unwrap_or(0.0),
    }
}

fn of_finding(f: &FindingView) -> Test {
    let line = if f.actual.is_empty() { f.title.clone() } else { format!("{} {}", f.expected, f.actual) };
    let all = format!("{}\n\n{}", f.replay, f.script);
    let name = if f.fingerprint.is_empty() { f.title.clone() } else { format!("{} [{}]", f.title, f.fingerprint) };
    Test {
        group: format!("qualm.{}.{}", f.engine, f.kind),
        name,
        result: Outcome::Failed(line, all.trim().to_owned()),
        seconds: 0.0,
    }
}

fn test(t: &Test) -> TestCase {
    let status = match &t.result {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed(line, all) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(shown(line)).set_description(shown(all));
            status
        }
        Outcome::Broken(why) => explained(TestCaseStatus::non_success(NonSuccessKind::Error), why),
        Outcome::Skipped(why) => explained(TestCaseStatus::skipped(), why),
    };
    let mut test = TestCase::new(shown(&t.name), status);
    test.set_classname(shown(&t.group)).set_time(duration(t.seconds));
    test
}

/// Who reads XML makes blanks of the line ends in an attribute, so that several lines are also given as text.
fn explained(mut status: TestCaseStatus, why: &str) -> TestCaseStatus {
    status.set_message(shown(why));
    if why.contains('\n') {
        status.set_description(shown(why));
    }
    status
}

/// XML has no way to write most control characters: the library would leave them out.
fn shown(text: &str) -> String {
    lines(text).replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}")
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_run::series::Began;
    use serde_json::json;

    #[test]
    fn hunts_of_an_engine_are_one_test() {
        let hunt = |engine: &str, workers: usize, summary: Option<serde_json::Value>| {
            let began = Began { engine: engine.into(), workers, ..Began::at(0) };
            CampaignView { name: String::new(), began: Some(began), points: Vec::new(), summary, bytes: 0 }
        };
        let done = |engine: &str| Some(json!({ "engine": engine, "seconds": 2.0 }));
        let fault = Some(json!({ "engine": "sqlite", "seconds": 1.0, "faults": ["worker died"] }));
        let tests = of_campaigns(&[
            hunt("sqlite", 1, done("sqlite")),
            hunt("z3", 1, done("z3")),
            hunt("sqlite", 1, fault),
            hunt("sqlite", 1, None),
            hunt("sqlite:3.31.1", 0, None),
        ]);
        let seen: Vec<(&str, f64)> = tests.iter().map(|t| (t.group.as_str(), t.seconds)).collect();
        assert_eq!(seen, [("qualm.sqlite", 3.0), ("qualm.z3", 2.0)], "replays alone are no hunt");
        let why = "worker died\nthe hunt is still running, or was interrupted";
        assert_eq!((&tests[0].result, &tests[1].result), (&Outcome::Broken(why.into()), &Outcome::Passed));
    }

    #[test]
    fn tests_are_counted_and_text_is_escaped() {
        let test = |name: &str, result| Test { group: "g".into(), name: name.into(), result, seconds: 1.5 };
        let tests = [
            test("fine", Outcome::Passed),
            test("<&\"\0>", Outcome::Failed("line".into(), "a < b\n]]>".into())),
            test("broken", Outcome::Broken("gone".into())),
            test("left out", Outcome::Skipped("known".into())),
        ];
        insta::assert_snapshot!(text(&[], &[], &tests));
    }
}
