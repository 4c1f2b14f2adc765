//! Fingerprints of cases in which everything was replaced that may vary: the features that every variant needs, and the
//! shape of the case with the first of each kind. Two bugs that differ only in what may vary have the same of both.

use super::*;
use qualm_core::vary::General;

/// What a fingerprint knows once its case was generalised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneralPrint {
    /// The features that all cases have that fail in the same way.
    pub needed: BTreeSet<String>,
    /// 16 hex digits over the script of the canonical case without its constants.
    pub shape: String,
    /// The fingerprint by all features, as it was before there was generalising: files of known bugs may have it.
    pub older: String,
}

impl Fingerprint {
    /// The features that count when it is compared with others. Where none is needed, those that it has.
    pub fn needed(&self) -> &BTreeSet<String> {
        self.general.as_ref().map(|g| &g.needed).filter(|n| !n.is_empty()).unwrap_or(&self.features)
    }

    /// Under these it may be known.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.id.as_str()).chain(self.general.iter().map(|g| g.older.as_str()))
    }
}

/// The fingerprint of a case, given what may vary in it.
pub fn generalised(print: &Fingerprint, general: &General) -> Fingerprint {
    let needed = needed(&print.features, &general.failing);
    let shape = shape(&general.canonical);
    let mut next =
        Fingerprint { general: Some(GeneralPrint { needed, shape, older: print.id.clone() }), ..print.clone() };
    next.id = id(next.kind, &next.signature, &next.cures, next.needed());
    let language = general.canonical.language;
    next.title = title(next.kind, &next.signature, next.needed(), &written_out(&next.cures), language);
    next
}

/// What all of them have. `lower()` in one and `hex()` in another is a function call in both.
fn needed(features: &BTreeSet<String>, failing: &[Case]) -> BTreeSet<String> {
    let mut common = may_become(features.clone());
    for case in failing {
        let of_variant = may_become(super::features(case));
        common.retain(|f| of_variant.contains(f));
    }
    // The plainer name says something only where the one it stands for is gone.
    let stands = |plain: &str| !PLAINER.iter().any(|(end, p)| *p == plain && common.iter().any(|f| f.ends_with(end)));
    common.iter().filter(|f| features.contains(*f) || stands(f)).cloned().collect()
}

/// The script without what is left out of fingerprints: numbers, texts, the numbers in names.
fn shape(case: &Case) -> String {
    let mut hasher = Fnv::default();
    for step in &case.script {
        hasher.write_u8(u8::from(step.is_query()));
        hasher.write(without_constants(&step.text).as_bytes());
        hasher.write_u8(0);
    }
    format!("{:016x}", hasher.finish())
}

fn without_constants(text: &str) -> String {
    let (mut out, mut quoted) = (String::with_capacity(text.len()), false);
    for c in text.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                if quoted {
                    out.push('?');
                }
            }
            _ if quoted => {}
            _ if c.is_ascii_digit() => {
                if !out.ends_with('?') {
                    out.push('?');
                }
            }
            _ => out.push(c),
        }
    }
    out.replace("-?", "?").replace("?.?", "?").replace("NULL", "?")
}

/// Whether two findings that were generalised are one bug: nothing is left of what they differ in.
pub fn same_in_general(a: &Fingerprint, b: &Fingerprint) -> bool {
    let (Some(x), Some(y)) = (&a.general, &b.general) else { return false };
    if a.kind != b.kind {
        return false;
    }
    let distinctive = |n: &BTreeSet<String>| n.iter().filter(|f| rank(f) == 0).count();
    let same_needs = x.needed == y.needed && distinctive(&x.needed) > 0;
    if a.signature != b.signature {
        // Where memory is damaged, it crashes here and there.
        return a.kind == Kind::Crash
            && signal(&a.signature) == signal(&b.signature)
            && (x.shape == y.shape || same_needs && distinctive(&x.needed) > 1);
    }
    let wrong = matches!(a.kind, Kind::WrongResult | Kind::Changed);
    let one_cause = !wrong || a.cures.is_empty() && b.cures.is_empty() || share_a_cure(&a.cures, &b.cures);
    let (small, large) = if x.needed.len() <= y.needed.len() { (x, y) } else { (y, x) };
    let contained = distinctive(&small.needed) > 1 && small.needed.is_subset(&large.needed);
    x.shape == y.shape || one_cause && (same_needs || contained)
}

/// A crash without the place where it came.
pub fn signal(signature: &str) -> &str {
    signature.split(" in ").next().unwrap_or(signature)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{broke, print, text_case};
    use super::*;
    use qualm_core::relation::FailureKind;
    use qualm_core::vary::General;

    fn general(failing: &[&str], canonical: &str) -> General {
        General {
            variations: Vec::new(),
            failing: failing.iter().map(|text| text_case(&[*text])).collect(),
            canonical: text_case(&[canonical]),
            complete: true,
        }
    }

    #[test]
    fn what_varies_is_no_part_of_a_fingerprint_and_the_older_one_is_kept() {
        let shown = text_case(&["SELECT lower(c0) FROM t0 LEFT JOIN t1"]);
        let print = of(&shown, &broke(FailureKind::Crash, "SIGSEGV"), &[]);
        let varied = ["SELECT hex(c0) FROM t0 LEFT JOIN t1", "SELECT upper(c0) FROM t0 RIGHT JOIN t1"];
        let next = generalised(&print, &general(&varied, "SELECT hex(c0) FROM t0 JOIN t1"));
        let needed: Vec<&str> = next.needed().iter().map(String::as_str).collect();
        assert_eq!(needed, ["function call", "join"]);
        assert_ne!(next.id, print.id);
        assert_eq!(next.ids().collect::<Vec<_>>(), [next.id.as_str(), print.id.as_str()]);
        let alone = generalised(&print, &general(&[], "SELECT lower(c0) FROM t0 LEFT JOIN t1"));
        assert_eq!((alone.id, alone.title), (print.id, print.title));
    }

    #[test]
    fn equal_shapes_are_one_bug_and_constants_are_no_part_of_them() {
        let of = |features: &[&str], canonical: &str| generalised(&print(features, &[]), &general(&[], canonical));
        let one = of(&["CASE", "window function"], "SELECT t0.c0 = 'x', count(*) OVER () FROM t0");
        let other = of(&["text compared with number"], "SELECT t0.c0 = -1.5, count(*) OVER () FROM t0");
        let third = of(&["text compared with number"], "SELECT t0.c0 = 0 FROM t0");
        assert!(same_bug(&one, &other));
        assert!(!same_bug(&one, &third));
    }

    #[test]
    fn a_crash_may_come_at_another_place_if_all_else_is_the_same() {
        let of = |text: &str, features: &[&str]| {
            let evidence = broke(FailureKind::Crash, text);
            let print = Fingerprint {
                features: features.iter().map(|f| (*f).to_owned()).collect(),
                ..of(&text_case(&[]), &evidence, &[])
            };
            generalised(&print, &general(&[], text))
        };
        let one = of("SIGSEGV in one", &["XOR", "pattern predicate"]);
        assert!(same_bug(&one, &of("SIGSEGV in other", &["XOR", "pattern predicate"])));
        assert!(!same_bug(&one, &of("SIGABRT in other", &["XOR", "pattern predicate"])));
        assert!(!same_bug(&one, &of("SIGSEGV in other", &["XOR"])));
    }
}
