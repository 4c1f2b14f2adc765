//! JUnit's XML, as build servers read it: a suite of tests, each passed or with a failure. A finding is a test that
//! fails; a campaign that ended as it should is one that passes.

use qualm_core::escape::xml;
use qualm_run::report::view::{CampaignView, FindingView};
use std::fmt::Write;

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
    tests.extend(campaigns.iter().map(of_campaign));
    tests.extend(findings.iter().map(of_finding));
    let failed = |t: &&Test| matches!(t.result, Outcome::Failed(..));
    let broken = |t: &&Test| matches!(t.result, Outcome::Broken(_));
    let skipped = |t: &&Test| matches!(t.result, Outcome::Skipped(_));
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\"",
        tests.len(),
        tests.iter().filter(failed).count(),
        tests.iter().filter(broken).count(),
        tests.iter().filter(skipped).count(),
        tests.iter().map(|t| t.seconds).sum::<f64>(),
    );
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(out, "<testsuites name=\"qualm\" {counts}>\n<testsuite name=\"qualm\" {counts}>");
    tests.iter().for_each(|t| test(&mut out, t));
    out.push_str("</testsuite>\n</testsuites>\n");
    out
}

fn of_campaign(campaign: &CampaignView) -> Test {
    let field = |name: &str| campaign.summary.as_ref().and_then(|s| s.get(name));
    let words = |name: &str| field(name).and_then(|v| v.as_str()).unwrap_or_default().to_owned();
    let faults: Vec<String> = field("faults")
        .and_then(|v| v.as_array())
        .map(|list| list.iter().filter_map(|v| v.as_str()).map(str::to_owned).collect())
        .unwrap_or_default();
    let checks = field("checks").and_then(serde_json::Value::as_u64).unwrap_or(0);
    let result = match (&campaign.summary, faults.is_empty()) {
        (None, _) => Outcome::Broken("the hunt is still running, or was interrupted".into()),
        (Some(_), false) => Outcome::Broken(faults.join("\n")),
        (Some(_), true) => Outcome::Passed,
    };
    Test {
        group: format!("qualm.{}", words("engine")),
        name: format!("hunt of {checks} checks in {}", campaign.name),
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

fn test(out: &mut String, t: &Test) {
    let _ =
        write!(out, "<testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"", xml(&t.group), xml(&t.name), t.seconds);
    let _ = match &t.result {
        Outcome::Passed => writeln!(out, "/>"),
        Outcome::Failed(line, all) => {
            writeln!(out, "><failure message=\"{}\">{}</failure></testcase>", xml(line), xml(all))
        }
        Outcome::Broken(why) => writeln!(out, "><error message=\"{}\"/></testcase>", xml(why)),
        Outcome::Skipped(why) => writeln!(out, "><skipped message=\"{}\"/></testcase>", xml(why)),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

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
