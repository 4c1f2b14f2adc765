//! Reads an answer of DuckDB into typed values: vector by vector, or, when a column has a type that no vector is read
//! of (dates, lists), all of it as text.

use super::api::{Api, Chunk, RawResult, SUCCESS};
use qualm_core::session::{Outcome, RejectionClass};
use qualm_core::value::{Rows, Value};
use std::ffi::{CStr, c_int};

/// Longest answer that is read.
const ANSWER_ROWS: u64 = 100_000;

/// `duckdb_type`, as far as it is read by vectors. The numbers are part of the C interface.
mod kind {
    pub const BOOLEAN: i32 = 1;
    pub const TINYINT: i32 = 2;
    pub const SMALLINT: i32 = 3;
    pub const INTEGER: i32 = 4;
    pub const BIGINT: i32 = 5;
    pub const UTINYINT: i32 = 6;
    pub const USMALLINT: i32 = 7;
    pub const UINTEGER: i32 = 8;
    pub const UBIGINT: i32 = 9;
    pub const FLOAT: i32 = 10;
    pub const DOUBLE: i32 = 11;
    pub const HUGEINT: i32 = 16;
    pub const VARCHAR: i32 = 17;
    pub const BLOB: i32 = 18;
    pub const DECIMAL: i32 = 19;
    pub const UHUGEINT: i32 = 32;
    /// A column of bare NULLs, in releases that do not call it INTEGER.
    pub const SQLNULL: i32 = 36;
}

/// An answer that frees itself with its scope.
pub struct Answer<'a> {
    pub api: &'a Api,
    pub raw: RawResult,
    pub code: c_int,
    pub numbers: Numbers,
}

/// How a release numbers its types: 0.10.0 has put UHUGEINT in front of VARCHAR, later releases put it elsewhere again.
#[derive(Clone, Copy, Default)]
pub struct Numbers {
    is_shifted: bool,
}

impl Numbers {
    /// The number of the type of a column, as every other release has it.
    fn plain(self, number: c_int) -> c_int {
        match number {
            kind::VARCHAR if self.is_shifted => kind::UHUGEINT,
            _ if self.is_shifted && number > kind::VARCHAR => number - 1,
            _ => number,
        }
    }
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        // SAFETY: filled by duckdb_query, freed once.
        unsafe { (self.api.destroy_result)(&mut self.raw) };
    }
}

/// How the cells of one column lie in memory.
#[derive(Clone, Copy)]
struct Column {
    kind: c_int,
    /// Digits behind the point, of a DECIMAL; its `kind` is then that of the integer that holds it.
    scale: Option<u8>,
}

impl Answer<'_> {
    pub fn is_ok(&self) -> bool {
        self.code == SUCCESS
    }

    pub fn error(&mut self) -> String {
        // SAFETY: a live result; the text belongs to it.
        let text = unsafe { (self.api.result_error)(&mut self.raw) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: not null, so a text that ends in NUL.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    pub fn rows(&mut self) -> Outcome {
        // SAFETY: a live result.
        let (columns, rows) = unsafe { ((self.api.column_count)(&mut self.raw), (self.api.row_count)(&mut self.raw)) };
        if rows > ANSWER_ROWS {
            return Outcome::rejected(RejectionClass::Limit, "answer too long");
        }
        let layout: Vec<Column> = (0..columns).map(|i| self.column(i)).collect();
        if layout.iter().all(Column::is_vector) { self.by_vectors(&layout) } else { self.by_text(&layout, rows) }
    }

    /// Of an answer to a question about text.
    pub fn learn_numbers(&mut self) -> Numbers {
        // SAFETY: a live result that has a column.
        Numbers { is_shifted: unsafe { (self.api.column_type)(&mut self.raw, 0) } != kind::VARCHAR }
    }

    fn column(&mut self, index: u64) -> Column {
        let api = self.api;
        // SAFETY: a live result that has this column; the logical type is freed here.
        unsafe {
            let kind = self.numbers.plain((api.column_type)(&mut self.raw, index));
            if kind != kind::DECIMAL {
                return Column { kind, scale: None };
            }
            let mut logical = (api.column_logical_type)(&mut self.raw, index);
            let column =
                Column { kind: (api.decimal_internal_type)(logical), scale: Some((api.decimal_scale)(logical)) };
            (api.destroy_logical_type)(&mut logical);
            column
        }
    }

    fn by_vectors(&mut self, layout: &[Column]) -> Outcome {
        let mut rows = Rows::new(layout.len());
        // SAFETY: a live result; each chunk is one of it and is freed once.
        unsafe {
            for i in 0..(self.api.chunk_count)(self.raw) {
                let mut chunk = (self.api.get_chunk)(self.raw, i);
                if chunk.is_null() {
                    return Outcome::rejected(RejectionClass::Limit, "a chunk of the answer could not be read");
                }
                read_chunk(self.api, chunk, layout, &mut rows);
                (self.api.destroy_chunk)(&mut chunk);
            }
        }
        Outcome::Rows(rows)
    }

    /// Every cell through DuckDB's own conversion to text, then into its type.
    fn by_text(&mut self, layout: &[Column], count: u64) -> Outcome {
        let mut rows = Rows::new(layout.len());
        for row in 0..count {
            for (column, shape) in layout.iter().enumerate() {
                let (api, raw, column) = (self.api, &mut self.raw, column as u64);
                // SAFETY: a live result that has this cell; the text is ours to free.
                let value = unsafe {
                    if shape.kind == kind::SQLNULL || (api.value_is_null)(raw, column, row) {
                        Value::Null
                    } else if matches!(shape.kind, kind::FLOAT | kind::DOUBLE) && shape.scale.is_none() {
                        Value::real((api.value_double)(raw, column, row))
                    } else {
                        let text = (api.value_varchar)(raw, column, row);
                        if text.is_null() {
                            let why = "a column of this type cannot be read; cast it to VARCHAR";
                            return Outcome::rejected(RejectionClass::Expected, why);
                        }
                        let value = shape.parse(&CStr::from_ptr(text).to_string_lossy());
                        (api.free)(text.cast());
                        value
                    }
                };
                rows.cells.push(value);
            }
        }
        Outcome::Rows(rows)
    }
}

/// Appends the rows of a chunk.
///
/// # Safety
/// `chunk` is alive and has the columns of `layout`.
unsafe fn read_chunk(api: &Api, chunk: Chunk, layout: &[Column], rows: &mut Rows) {
    unsafe {
        let vectors: Vec<_> = (0..layout.len() as u64)
            .map(|i| {
                let vector = (api.chunk_vector)(chunk, i);
                ((api.vector_data)(vector).cast::<u8>().cast_const(), (api.vector_validity)(vector))
            })
            .collect();
        for row in 0..(api.chunk_size)(chunk) as usize {
            for ((data, validity), column) in vectors.iter().zip(layout) {
                // No mask at all: no NULL in this vector.
                let is_null = !validity.is_null() && *validity.add(row / 64) >> (row % 64) & 1 == 0;
                rows.cells.push(if is_null { Value::Null } else { column.cell(*data, row) });
            }
        }
    }
}

impl Column {
    fn is_vector(&self) -> bool {
        matches!(self.kind, kind::BOOLEAN..=kind::DOUBLE | kind::HUGEINT | kind::VARCHAR | kind::BLOB | kind::SQLNULL)
    }

    /// # Safety
    /// `data` is the array of a vector of this type, and has a valid cell at `row`.
    unsafe fn cell(&self, data: *const u8, row: usize) -> Value {
        unsafe {
            match self.kind {
                kind::SQLNULL => Value::Null,
                kind::BOOLEAN => Value::Bool(*data.add(row) != 0),
                kind::TINYINT => Value::Int(i64::from(*data.cast::<i8>().add(row))),
                kind::SMALLINT => self.exact(i128::from(*data.cast::<i16>().add(row))),
                kind::INTEGER => self.exact(i128::from(*data.cast::<i32>().add(row))),
                kind::BIGINT => self.exact(i128::from(*data.cast::<i64>().add(row))),
                kind::UTINYINT => Value::Int(i64::from(*data.add(row))),
                kind::USMALLINT => Value::Int(i64::from(*data.cast::<u16>().add(row))),
                kind::UINTEGER => Value::Int(i64::from(*data.cast::<u32>().add(row))),
                kind::UBIGINT => self.exact(i128::from(*data.cast::<u64>().add(row))),
                kind::FLOAT => Value::real(f64::from(*data.cast::<f32>().add(row))),
                kind::DOUBLE => Value::real(*data.cast::<f64>().add(row)),
                // The low word first; read by words, because vectors are aligned to eight bytes only.
                kind::HUGEINT => {
                    let words = data.cast::<u64>().add(row * 2);
                    self.exact(((u128::from(*words.add(1)) << 64) | u128::from(*words)) as i128)
                }
                kind::BLOB => Value::Blob(string(data, row).to_vec()),
                _ => text(string(data, row)),
            }
        }
    }

    fn exact(&self, unscaled: i128) -> Value {
        match self.scale {
            None | Some(0) => {
                i64::try_from(unscaled).map_or_else(|_| Value::decimal(&unscaled.to_string()), Value::Int)
            }
            Some(scale) => {
                let sign = if unscaled < 0 { "-" } else { "" };
                let scale = usize::from(scale);
                let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
                let (whole, fraction) = digits.split_at(digits.len() - scale);
                Value::decimal(&format!("{sign}{whole}.{fraction}"))
            }
        }
    }

    fn parse(&self, text: &str) -> Value {
        match self.kind {
            _ if self.scale.is_some() => Value::decimal(text),
            kind::TINYINT..=kind::UBIGINT | kind::HUGEINT => Value::decimal(text),
            kind::BOOLEAN => Value::Bool(text == "true"),
            _ => Value::Text(text.to_owned()),
        }
    }
}

/// Text that is not valid UTF-8 keeps its bytes.
fn text(bytes: &[u8]) -> Value {
    std::str::from_utf8(bytes).map_or_else(|_| Value::Blob(bytes.to_vec()), |text| Value::Text(text.to_owned()))
}

/// The bytes of a `duckdb_string_t`: its length, then up to twelve bytes in place, or four of them and a pointer.
///
/// # Safety
/// `data` is an array of them with a valid one at `row`.
unsafe fn string<'a>(data: *const u8, row: usize) -> &'a [u8] {
    const INLINE_BYTES: usize = 12;
    unsafe {
        let cell = data.add(row * 16);
        let length = *cell.cast::<u32>() as usize;
        let start = if length <= INLINE_BYTES { cell.add(4) } else { *cell.add(8).cast::<*const u8>() };
        std::slice::from_raw_parts(start, length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_have_their_point() {
        let column = |scale| Column { kind: kind::INTEGER, scale };
        for (scale, unscaled, shown) in [
            (None, -7, "-7"),
            (Some(2), 150, "1.5"),
            (Some(2), -5, "-0.05"),
            (Some(3), 0, "0"),
            (None, i128::MAX, "170141183460469231731687303715884105727"),
        ] {
            assert_eq!(column(scale).exact(unscaled).show(), shown);
        }
    }
}
