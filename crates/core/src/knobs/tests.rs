use super::*;

const FILE: &str = r#"
set = "SET {name} = {value}"
reset = "SET {name} = DEFAULT"
[group.optimizers]
set = "SET disabled_optimizers = '{members}'"
reset = "RESET disabled_optimizers"
[group.bits]
set = "mask {mask}"
reset = "mask 0"
[[knob]]
name = "optimizers.filter_pushdown"
class = "optimiser"
operators = ["Filter"]
[[knob]]
name = "optimizers.join_order"
class = "optimizer"
operators = ["JOIN"]
[[knob]]
name = "bits.first"
bit = 0
until = "2.1"
class = "optimiser"
operators = ["*"]
[[knob]]
name = "bits.fourth"
bit = 3
since = "2"
class = "optimiser"
operators = ["*"]
[[knob]]
name = "optimizer_switch.mrr"
values = ["on", "off"]
class = "optimiser"
operators = ["*"]
[[knob]]
name = "optimizer_switch.bka"
values = ["on", "off"]
class = "optimiser"
operators = ["*"]
[[knob]]
name = "work_mem"
values = ["'64kB'", "'4MB'"]
class = "memory"
operators = ["Sort", "Hash"]
reset = "RESET {name} TO {current}"
[[excluded]]
name = "log_*"
reason = "format"
"#;

fn knobs(release: &str) -> Knobs {
    let live = [
        ("work_mem", "4MB"),
        ("optimizer_switch", "mrr=on,bka=off,new=on"),
        ("log_x", "1"),
        ("fresh", "1"),
        ("optimizers.filter_pushdown", "on"),
        ("optimizers.join_order", "on"),
        ("optimizers.brand_new", "on"),
        ("bits.0", "on"),
        ("bits.3", "on"),
        ("bits.7", "on"),
    ];
    let live: Vec<Live> = live.iter().map(|(n, v)| Live::new(*n, *v)).collect();
    classify(&KnobFile::read("test", FILE).unwrap(), &live, release)
}

#[test]
fn settings_are_classified_and_what_is_new_is_never_flipped() {
    let found = knobs("2.1.7");
    let names: Vec<&str> = found.knobs.iter().map(|k| k.name.as_str()).collect();
    let expected = [
        "work_mem",
        "optimizer_switch.mrr",
        "optimizer_switch.bka",
        "filter_pushdown",
        "join_order",
        "first",
        "fourth",
    ];
    assert_eq!(names, expected);
    let unknown: Vec<&str> = found.unknown.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(unknown, ["optimizer_switch.new", "fresh", "optimizers.brand_new", "bits.7"]);
    assert_eq!(found.excluded, [("log_x".to_owned(), "format".to_owned())]);
    assert_eq!(found.knobs[0].others, ["'64kB'"], "the present value is no flip");
    assert_eq!(found.knobs[2].others, ["on"]);
    assert!(knobs("2.2").unknown.iter().any(|l| l.name == "bits.0"), "after the last release of its row");
    assert!(knobs("1.9").absent.contains(&"bits.fourth".to_owned()), "before the first");
}

#[test]
fn members_of_a_group_are_switched_off_by_one_statement() {
    let found = knobs("2.0");
    let flips: Vec<Flip> = found.knobs.iter().map(Knob::off).collect();
    let (set, reset) = statements(&flips);
    assert_eq!(
        set,
        [
            "SET work_mem = '64kB'",
            "SET optimizer_switch = 'mrr=off'",
            "SET optimizer_switch = 'bka=on'",
            "SET disabled_optimizers = 'filter_pushdown,join_order'",
            "mask 0x9",
        ]
    );
    assert_eq!(
        reset,
        ["RESET work_mem TO 4MB", "SET optimizer_switch = DEFAULT", "RESET disabled_optimizers", "mask 0"]
    );
}

#[test]
fn a_wrong_file_is_reported_with_its_place() {
    let wrong = |text: &str| KnobFile::read("f.toml", text).unwrap_err();
    assert!(wrong("set = 1").contains("'f.toml', line 1"));
    let row = "[[knob]]\nname = \"a\"\nclass = \"memory\"\noperators = [\"*\"]\n";
    assert!(wrong(row).contains("'a' in 'f.toml' has fewer than two 'values'"));
    assert!(wrong(&format!("{row}values = [\"1\", \"2\"]\n")).contains("give 'set' and 'reset'"));
    assert!(wrong(&format!("{row}vlaues = [\"1\"]\n")).contains("line 5"));
}

#[test]
fn releases_are_read_from_what_engines_call_themselves() {
    for (version, expected) in [
        ("sqlite 3.54.1", "3.54.1"),
        ("canary index-row (sqlite 3.54.1)", "3.54.1"),
        ("postgres 16.4 (Debian 16.4-1)", "16.4"),
        ("odd", ""),
    ] {
        assert_eq!(release(version), expected);
    }
}

#[test]
fn a_knob_concerns_a_plan_by_its_operators() {
    use crate::plan::PlanNode;
    let plan = |operator: &str| Plan { nodes: vec![PlanNode::new(0, operator)] };
    let found = knobs("2.0");
    assert!(found.knobs[0].concerns(&plan("Incremental sort")));
    assert!(!found.knobs[0].concerns(&plan("Seq Scan")));
    assert!(found.knobs[1].concerns(&plan("anything")));
}
