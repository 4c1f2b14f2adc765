//! Dates, times and durations as the text of ISO 8601, from the numbers in which graph engines send them.

const SECONDS_OF_DAY: i64 = 86_400;

/// `2020-02-29`, from days since 1970. Years beyond four digits carry a sign, as Cypher writes them.
pub fn date(days: i64) -> String {
    // Civil calendar by eras of 400 years that begin in March, so that a leap day is the last of its year.
    let shifted = i128::from(days) + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i128::from(month <= 2);
    match year {
        0..=9999 => format!("{year:04}-{month:02}-{day:02}"),
        _ => format!("{year:+05}-{month:02}-{day:02}"),
    }
}

/// `10:11:12`, with a fraction only where there is one.
pub fn time(nanos_of_day: i64) -> String {
    let (seconds, nanos) = (nanos_of_day.div_euclid(1_000_000_000), nanos_of_day.rem_euclid(1_000_000_000));
    let (minutes, second) = (seconds.div_euclid(60), seconds.rem_euclid(60));
    format!("{:02}:{:02}:{second:02}{}", minutes.div_euclid(60), minutes.rem_euclid(60), fraction(nanos))
}

/// `2020-02-29T10:11:12`, from seconds since 1970 and nanoseconds.
pub fn date_time(seconds: i64, nanos: i64) -> String {
    let of_day = seconds.rem_euclid(SECONDS_OF_DAY);
    format!("{}T{}", date(seconds.div_euclid(SECONDS_OF_DAY)), time(of_day * 1_000_000_000 + nanos))
}

/// `+01:00`.
pub fn offset(seconds: i64) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.unsigned_abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// `P14M3DT-2.5S`: months, days and seconds do not turn into each other.
pub fn duration(months: i64, days: i64, seconds: i64, nanos: i64) -> String {
    let all = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let sign = if all < 0 { "-" } else { "" };
    let (whole, rest) = (all.unsigned_abs() / 1_000_000_000, (all.unsigned_abs() % 1_000_000_000) as i64);
    format!("P{months}M{days}DT{sign}{whole}{}S", fraction(rest))
}

fn fraction(nanos: i64) -> String {
    if nanos == 0 { String::new() } else { format!(".{nanos:09}").trim_end_matches('0').to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_text() {
        let dates = [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (18_321, "2020-02-29"),
            (11_016, "2000-02-29"),
            (-719_528, "0000-01-01"),
            (-719_529, "-0001-12-31"),
            (2_932_897, "+10000-01-01"),
        ];
        for (days, text) in dates {
            assert_eq!(date(days), text);
        }
        assert_eq!(time(36_672_500_000_000), "10:11:12.5");
        assert_eq!(date_time(-1, 1), "1969-12-31T23:59:59.000000001");
        assert_eq!((offset(-5_400), offset(0)), ("-01:30".into(), "+00:00".into()));
        assert_eq!(duration(14, -3, -3, 500_000_000), "P14M-3DT-2.5S");
    }
}
