//! Exact numbers of any length, for sums of what engines give as integers and decimals. Knows no tolerance.

use crate::value::Value;
use std::cmp::Ordering;

/// An integer of any length over a power of ten.
#[derive(Clone, Debug)]
pub struct Exact {
    /// Zero is not negative.
    negative: bool,
    /// Decimal digits, the last one first.
    digits: Vec<u8>,
    /// So many of the digits are behind the point.
    scale: usize,
}

impl Exact {
    /// Nothing for a value that is not exact, or no number.
    pub fn of(value: &Value) -> Option<Exact> {
        match value {
            Value::Int(i) => Exact::parse(&i.to_string()),
            Value::Decimal(text) => Exact::parse(text),
            _ => None,
        }
    }

    /// The number 10^`exponent`.
    pub fn power_of_ten(exponent: i32) -> Exact {
        let zeros = exponent.max(0) as usize;
        let mut digits = vec![0; zeros];
        digits.push(1);
        Exact { negative: false, digits, scale: (-exponent).max(0) as usize }
    }

    fn parse(text: &str) -> Option<Exact> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole.bytes().chain(fraction.bytes()).rev();
        let digits: Vec<u8> = digits.map(|b| b.is_ascii_digit().then(|| b - b'0')).collect::<Option<_>>()?;
        (!digits.is_empty()).then(|| Exact { negative, digits, scale: fraction.len() }.normal())
    }

    fn normal(mut self) -> Exact {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        self.negative &= !self.digits.is_empty();
        self
    }

    /// The digits with so many of them behind the point.
    fn at_scale(&self, scale: usize) -> Vec<u8> {
        let mut digits = vec![0; scale - self.scale];
        digits.extend_from_slice(&self.digits);
        digits
    }

    pub fn plus(&self, other: &Exact) -> Exact {
        let scale = self.scale.max(other.scale);
        let (a, b) = (self.at_scale(scale), other.at_scale(scale));
        let (negative, digits) = match (self.negative == other.negative, compared(&a, &b)) {
            (true, _) => (self.negative, added(&a, &b)),
            (false, Ordering::Less) => (other.negative, subtracted(&b, &a)),
            (false, _) => (self.negative, subtracted(&a, &b)),
        };
        Exact { negative, digits, scale }.normal()
    }

    pub fn minus(&self, other: &Exact) -> Exact {
        self.plus(&Exact { negative: !other.negative, ..other.clone() })
    }

    pub fn times(&self, factor: u64) -> Exact {
        let mut digits = Vec::with_capacity(self.digits.len() + 20);
        let mut carry: u128 = 0;
        for digit in &self.digits {
            carry += u128::from(*digit) * u128::from(factor);
            digits.push((carry % 10) as u8);
            carry /= 10;
        }
        while carry > 0 {
            digits.push((carry % 10) as u8);
            carry /= 10;
        }
        Exact { negative: self.negative, digits, scale: self.scale }.normal()
    }

    pub fn abs(self) -> Exact {
        Exact { negative: false, ..self }
    }

    /// Digits before the point, and behind it.
    pub fn places(&self) -> (usize, usize) {
        (self.digits.len().saturating_sub(self.scale), self.scale)
    }

    /// The float next to it.
    pub fn to_real(&self) -> f64 {
        self.written().parse().expect("digits and a point are a number")
    }

    pub fn to_value(&self) -> Value {
        Value::decimal(&self.written())
    }

    fn written(&self) -> String {
        let mut text = String::with_capacity(self.digits.len() + 3);
        text.push_str(if self.negative { "-" } else { "" });
        for place in (0..self.digits.len().max(self.scale + 1)).rev() {
            text.push((b'0' + self.digits.get(place).copied().unwrap_or(0)) as char);
            if place == self.scale && place > 0 {
                text.push('.');
            }
        }
        text
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Exact) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Exact {}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Exact) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Exact) -> Ordering {
        let scale = self.scale.max(other.scale);
        let size = || compared(&self.at_scale(scale), &other.at_scale(scale));
        match (self.negative, other.negative) {
            (false, false) => size(),
            (true, true) => size().reverse(),
            (negative, _) => {
                if negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }
}

/// Zeros in front mean nothing.
fn compared(a: &[u8], b: &[u8]) -> Ordering {
    let significant = |digits: &[u8]| digits.iter().rposition(|d| *d != 0).map_or(0, |last| last + 1);
    let (a, b) = (&a[..significant(a)], &b[..significant(b)]);
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn added(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut carry = 0;
    let mut sum = Vec::with_capacity(a.len().max(b.len()) + 1);
    for place in 0..a.len().max(b.len()) {
        let digit = carry + a.get(place).unwrap_or(&0) + b.get(place).unwrap_or(&0);
        sum.push(digit % 10);
        carry = digit / 10;
    }
    sum.push(carry);
    sum
}

/// `a` is not less than `b`.
fn subtracted(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut borrowed = 0;
    let mut rest = Vec::with_capacity(a.len());
    for (place, digit) in a.iter().enumerate() {
        let take = b.get(place).unwrap_or(&0) + borrowed;
        borrowed = u8::from(*digit < take);
        rest.push(digit + 10 * borrowed - take);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> Exact {
        Exact::of(&Value::decimal(text)).unwrap()
    }

    #[test]
    fn sums_have_every_digit() {
        let cases = [
            ("7.5", "7.5", "15"),
            ("0.1", "0.2", "0.3"),
            ("9223372036854775807", "1", "9223372036854775808"),
            ("-9223372036854775808", "-1", "-9223372036854775809"),
            ("99.95", "-100", "-0.05"),
            ("-0.05", "0.05", "0"),
            ("12345678901234567890123456789012345678.9", "0.1", "12345678901234567890123456789012345679"),
            ("5", "-12", "-7"),
        ];
        for (a, b, sum) in cases {
            assert_eq!(exact(a).plus(&exact(b)).to_value(), Value::decimal(sum), "{a} + {b}");
            assert_eq!(exact(sum).minus(&exact(b)).to_value(), Value::decimal(a), "{sum} - {b}");
        }
        assert_eq!(exact("-1.25").times(8).to_value(), Value::Int(-10));
        assert_eq!(exact("0").times(u64::MAX).to_value(), Value::Int(0));
        assert_eq!(Exact::power_of_ten(-4).to_value(), Value::decimal("0.0001"));
        assert_eq!(Exact::power_of_ten(3).to_value(), Value::Int(1000));
        assert_eq!(exact("-0.05").to_real(), -0.05);
        assert_eq!(exact("0").to_real(), 0.0);
    }

    #[test]
    fn numbers_are_in_order() {
        let ascending = ["-10.5", "-10.05", "-10", "-9.9", "-0.001", "0", "0.0001", "0.001", "9", "9.9", "10", "10.05"];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(exact(a).cmp(&exact(b)), i.cmp(&j), "{a} {b}");
            }
        }
        assert!(exact("9007199254740993.5") < exact("9007199254740994"));
        assert_eq!(exact("123.45").places(), (3, 2));
        assert_eq!(exact("0.05").places(), (0, 2));
    }
}
