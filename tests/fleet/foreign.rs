//! What somebody else wrote into the bucket of a campaign: nothing is run and nothing is written because of it.

use super::{ENGINE, Server, end, hunt, run, summary, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Writes into a campaign what no member of it would.
fn write_key(server: &Server, campaign: &str, key: &str, value: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let context = async_nats::jetstream::new(async_nats::connect(&server.url).await.unwrap());
        let keys = context.get_key_value(format!("qualm-{campaign}")).await.unwrap();
        keys.put(key, value.to_owned().into()).await.unwrap();
    });
}

fn read_key(server: &Server, campaign: &str, key: &str) -> String {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let context = async_nats::jetstream::new(async_nats::connect(&server.url).await.unwrap());
        let keys = context.get_key_value(format!("qualm-{campaign}")).await.unwrap();
        String::from_utf8(keys.get(key).await.unwrap().unwrap().to_vec()).unwrap()
    })
}

fn write_object(server: &Server, campaign: &str, name: &str, text: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let context = async_nats::jetstream::new(async_nats::connect(&server.url).await.unwrap());
        let objects = context.get_object_store(format!("qualm-{campaign}")).await.unwrap();
        objects.put(name, &mut text.as_bytes()).await.unwrap();
    });
}

/// Whoever may write the bucket can name a finding's folder as they like. Nothing is written outside of the copy.
#[test]
fn a_finding_of_the_bucket_is_written_nowhere_else() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    fs::create_dir_all(home.join(".ssh")).unwrap();
    let printed = summary(&end(hunt(&server.url, "names", "16000", &folder.path().join("out"))));
    assert!(printed["findings"].as_u64().unwrap() > 0, "{printed}");
    let place = format!("{}/names", server.url);
    let page = folder.path().join("page.html");
    let report = || run(&["report", &place, "--out", page.to_str().unwrap()]);
    assert!(report().status.success(), "{}", text(&report()));
    let entry: Value = serde_json::from_str(&read_key(&server, "names", "finding.000001")).unwrap();
    let absolute = home.join(".ssh").display().to_string();
    let long = "x".repeat(300);
    let names =
        ["../../../../../../tmp/qualm-hostile", &absolute, "", ".", "..", "a/b", "a\0b", "a\nb", "\u{1b}]0;x", &long];
    for (i, name) in names.iter().enumerate() {
        let mut hostile = entry.clone();
        hostile["told"]["folder"] = (*name).into();
        hostile["object"] = "hostile".into();
        let files = serde_json::json!({"authorized_keys": "mine", "case.json": "{}"});
        write_object(&server, "names", "hostile", &files.to_string());
        write_key(&server, "names", "finding.000900", &hostile.to_string());
        let said = report();
        assert_eq!(said.status.code(), Some(2), "{i} {name:?}: {}", text(&said));
        assert!(!text(&said).contains('\u{1b}') && text(&said).contains("plain name"), "{}", text(&said));
        assert_eq!(fs::read_dir(home.join(".ssh")).unwrap().count(), 0, "{name:?} was written");
        assert!(!Path::new("/tmp/qualm-hostile").exists());
    }
    // The same for the names of its files.
    let mut hostile = entry.clone();
    hostile["told"]["folder"] = "plain".into();
    hostile["object"] = "hostile".into();
    let target = home.join(".ssh/authorized_keys").display().to_string();
    for name in [target.as_str(), "../../x", ".hidden"] {
        let mut files = serde_json::json!({"case.json": "{}"});
        files[name] = "mine".into();
        write_object(&server, "names", "hostile", &files.to_string());
        write_key(&server, "names", "finding.000900", &hostile.to_string());
        let said = report();
        assert_eq!(said.status.code(), Some(2), "{name:?}: {}", text(&said));
        assert_eq!(fs::read_dir(home.join(".ssh")).unwrap().count(), 0, "{name:?} was written");
    }
}

/// Whoever may write the bucket can name another engine. A machine runs what its own command line names.
#[test]
fn a_command_of_the_bucket_is_not_run() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("marker");
    let printed = summary(&end(hunt(&server.url, "engine", "1000", &folder.path().join("out"))));
    assert_eq!(printed["checks"], 1_000, "{printed}");
    let config = read_key(&server, "engine", "config");
    let joining = |more: &[&str]| {
        run(&[["worker", "--fleet", &server.url, "--campaign", "engine", "--workers", "1"].as_slice(), more].concat())
    };
    // The campaign as it is: only with its engine.
    for (more, code) in [(vec![], 2), (vec!["--allow-engine", "sqlite"], 2), (vec!["--allow-engine", ENGINE], 0)] {
        let said = joining(&more);
        assert_eq!(said.status.code(), Some(code), "{more:?}: {}", text(&said));
        assert!(code == 0 || text(&said).contains(&format!("--allow-engine {ENGINE}")), "{}", text(&said));
    }
    // Behind a hash, so that it names no second file when it is run below.
    let command = format!("exec:touch {} # \u{1b}]0;x\u{7}", marker.display());
    for engine in [command.as_str(), "sqlite:/nowhere/evil.so", "mysql:mysql://root@127.0.0.1:1"] {
        let mut hostile: Value = serde_json::from_str(&config).unwrap();
        hostile["engine"] = engine.into();
        write_key(&server, "engine", "config", &hostile.to_string());
        for more in [vec![], vec!["--allow-engine", ENGINE], vec!["--allow-engine", "exec:true"]] {
            let said = joining(&more);
            assert_eq!(said.status.code(), Some(2), "{engine}: {}", text(&said));
            assert!(text(&said).contains("--allow-engine") && !text(&said).contains('\u{1b}'), "{}", text(&said));
        }
        let status = run(&["fleet", "status", &format!("{}/engine", server.url)]);
        assert!(!text(&status).contains('\u{1b}'), "{}", text(&status));
        assert!(!marker.exists(), "{engine} was run");
    }
    // Named by the user it is run: this test can fail.
    let mut hostile: Value = serde_json::from_str(&config).unwrap();
    hostile["engine"] = command.as_str().into();
    write_key(&server, "engine", "config", &hostile.to_string());
    joining(&["--allow-engine", &command]);
    assert!(marker.exists());
}

/// The bucket is read by many: an engine's password is not in it.
#[test]
fn the_password_of_an_engine_stays_at_home() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let engine =
        format!("exec:python3 {}/examples/sqlite_adapter.py --password hunter2secret", env!("CARGO_MANIFEST_DIR"));
    let args = ["hunt", &engine, "--checks", "500", "--workers", "1", "--oracle", "norec", "--size", "small", "--out"];
    let named = ["--fleet", &server.url, "--campaign", "secret"];
    let out = folder.path().join("out");
    let said = run(&[args.as_slice(), &[out.to_str().unwrap()], &named].concat());
    assert!(matches!(said.status.code(), Some(0 | 1)), "{}", text(&said));
    let config = read_key(&server, "secret", "config");
    assert!(config.contains("--password ***") && !config.contains("hunter2secret"), "{config}");
    let joined = run(&[["worker", "--allow-engine", &engine].as_slice(), &named].concat());
    assert!(joined.status.success() && !text(&joined).contains("hunter2secret"), "{}", text(&joined));
}
