//! Runs the explorer in process and prints what comes: for whoever tunes a generator.
use qualm::explore::*;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let engine = qualm::engine::connect(&a[1]).unwrap_or_else(|e| panic!("{e}"));
    let size = match a[2].as_str() {
        "small" => Size::Small,
        "large" => Size::Large,
        _ => Size::Medium,
    };
    let oracles: Vec<String> = a[3].split(',').map(String::from).collect();
    let n: u64 = a[4].parse().unwrap();
    let seed: u64 = a[5].parse().unwrap();
    let show: usize = a[6].parse().unwrap();
    let mut s = engine.open().unwrap();
    let config = ExploreConfig { dialect: engine.dialect(), oracles, size, seed, worker: 0, database: 0 };
    let mut e = qualm::lang::explorer(config, s.as_mut()).unwrap();
    println!("learned {:?}", e.learned());
    let mut t = Tally::default();
    let mut plans = 0;
    let begun = Instant::now();
    let mut found = 0;
    while t.checks < n {
        for case in e.step(s.as_mut(), &mut t) {
            found += 1;
            if found <= show {
                let mut s2 = engine.open().unwrap();
                let ev = case.run(s2.as_mut());
                println!("==== {} {:?}", case.oracle, case.rules);
                for st in &case.script {
                    println!("{};", st.text);
                }
                println!("{:?}", ev.verdict);
            }
        }
        plans += t.new_plans.len();
        t.new_plans.clear();
    }
    let secs = begun.elapsed().as_secs_f64();
    println!(
        "checks {} in {:.2}s = {:.0}/s  engine_share {:.3} gen {:.3} print {:.3} cmp {:.3}",
        t.checks,
        secs,
        t.checks as f64 / secs,
        t.engine_nanos as f64 / 1e9 / secs,
        t.generate_nanos as f64 / 1e9 / secs,
        t.print_nanos as f64 / 1e9 / secs,
        t.compare_nanos as f64 / 1e9 / secs
    );
    println!(
        "vacuous {:.3} rejected {:.4} limited {} dbs {} statements {} violations {} plans {} per {:?}",
        t.vacuous as f64 / t.checks as f64,
        t.rejected as f64 / t.statements as f64,
        t.limited,
        t.databases,
        t.statements,
        t.violations,
        plans,
        t.per_oracle
    );
    let mut r: Vec<_> = t.rejections.iter().collect();
    r.sort_by_key(|x| std::cmp::Reverse(x.1));
    for (k, v) in r.iter().take(14) {
        println!("  {v} {k}");
    }
}
