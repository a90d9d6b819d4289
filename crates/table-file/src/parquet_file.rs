//! Parquet files.

use std::fs::File;
use std::io;
use std::sync::Arc;

use parquet::basic::{
    Compression, ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical,
};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError as Cause;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use crate::{Column, Kind, Value};

/// The rows of a group: they are in memory until they are written.
const ROWS: usize = 64 * 1024;

/// Why a Parquet file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ParquetError {
    /// The file cannot be created or synced.
    #[error(transparent)]
    File(#[from] io::Error),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] Cause),
    /// A row has a value that its column cannot have, or another number of values: its place.
    #[error("the value {0} of a row is not one of its column")]
    Row(usize),
}

/// A Parquet file that is written.
pub struct ParquetFile {
    writer: SerializedFileWriter<File>,
    values: Vec<Values>,
    rows: usize,
}

impl std::fmt::Debug for ParquetFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetFile").field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// The values of a column that are not written yet, and for each row whether it has one.
struct Values {
    of: OfKind,
    present: Vec<i16>,
}

enum OfKind {
    Texts(Vec<ByteArray>),
    Numbers(Vec<i64>),
    Flags(Vec<bool>),
}

impl ParquetFile {
    /// Begins a file that is empty.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn begin(file: File, columns: &[Column]) -> Result<Self, ParquetError> {
        let fields = columns.iter().map(|column| Ok(Arc::new(field(column)?)));
        let fields = fields.collect::<Result<_, Cause>>()?;
        let schema = Type::group_type_builder("table").with_fields(fields).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        let values = columns.iter().map(|column| Values {
            of: match column.kind {
                Kind::Text => OfKind::Texts(Vec::new()),
                Kind::Number | Kind::Time => OfKind::Numbers(Vec::new()),
                Kind::Flag => OfKind::Flags(Vec::new()),
            },
            present: Vec::new(),
        });
        Ok(ParquetFile { values: values.collect(), writer, rows: 0 })
    }

    /// Adds a row, with a value for each column.
    ///
    /// # Errors
    ///
    /// The row does not have the columns, or the file cannot be written.
    pub fn row(&mut self, row: Vec<Value>) -> Result<(), ParquetError> {
        if row.len() != self.values.len() {
            return Err(ParquetError::Row(row.len()));
        }
        for (place, (value, to)) in row.into_iter().zip(&mut self.values).enumerate() {
            to.present.push(i16::from(value != Value::Absent));
            match (value, &mut to.of) {
                (Value::Absent, _) => {}
                (Value::Text(text), OfKind::Texts(texts)) => {
                    texts.push(ByteArray::from(text.into_bytes()));
                }
                (Value::Number(number), OfKind::Numbers(numbers)) => numbers.push(number),
                (Value::Flag(flag), OfKind::Flags(flags)) => flags.push(flag),
                _ => return Err(ParquetError::Row(place)),
            }
        }
        self.rows += 1;
        if self.rows == ROWS { self.write_group() } else { Ok(()) }
    }

    /// Writes what is left, and syncs the file.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn end(mut self) -> Result<(), ParquetError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        Ok(self.writer.into_inner()?.sync_all()?)
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for Values { of, present } in &mut self.values {
            match of {
                OfKind::Texts(texts) => write::<ByteArrayType>(&mut group, texts, present)?,
                OfKind::Numbers(numbers) => write::<Int64Type>(&mut group, numbers, present)?,
                OfKind::Flags(flags) => write::<BoolType>(&mut group, flags, present)?,
            }
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }
}

/// Writes the values of the next column, and leaves none.
fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &mut Vec<T::T>,
    present: &mut Vec<i16>,
) -> Result<(), Cause> {
    let column = group.next_column()?;
    let mut column = column.ok_or_else(|| Cause::General("a column is missing".to_owned()))?;
    column.typed::<T>().write_batch(values, Some(present), None)?;
    values.clear();
    present.clear();
    column.close()
}

fn field(column: &Column) -> Result<Type, Cause> {
    let physical = match column.kind {
        Kind::Text => Physical::BYTE_ARRAY,
        Kind::Number | Kind::Time => Physical::INT64,
        Kind::Flag => Physical::BOOLEAN,
    };
    let logical = match column.kind {
        Kind::Text => Some(LogicalType::String),
        Kind::Time => Some(LogicalType::timestamp(true, TimeUnit::MILLIS)),
        Kind::Number | Kind::Flag => None,
    };
    let field = Type::primitive_type_builder(column.name, physical);
    field
        .with_repetition(Repetition::OPTIONAL)
        .with_converted_type(ConvertedType::NONE)
        .with_logical_type(logical)
        .build()
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};

    use super::*;
    use crate::column;

    #[test]
    fn rows_come_back_in_their_order_over_several_groups() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.parquet");
        let columns = [
            column("key", Kind::Text),
            column("at", Kind::Time),
            column("count", Kind::Number),
            column("shadow", Kind::Flag),
        ];
        let mut file = ParquetFile::begin(File::create(&path).unwrap(), &columns).unwrap();
        let rows = ROWS as i64 + 10;
        for number in 0..rows {
            let key = (number % 3 != 0).then(|| format!("key {}", number % 7));
            file.row(vec![
                key.into(),
                (number * 1_000).into(),
                number.into(),
                (number % 2 == 0).into(),
            ])
            .unwrap();
        }
        file.end().unwrap();
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 2);
        let found: Vec<String> =
            reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(found.len() as i64, rows);
        assert_eq!(
            found[0],
            "{key: null, at: 1970-01-01 00:00:00.000 +00:00, count: 0, shadow: true}"
        );
        assert!(found[65_537].contains("count: 65537, shadow: false"), "{}", found[65_537]);
    }

    #[test]
    fn a_row_with_other_values_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.parquet");
        let mut file =
            ParquetFile::begin(File::create(&path).unwrap(), &[column("count", Kind::Number)])
                .unwrap();
        assert!(matches!(file.row(vec!["x".into()]), Err(ParquetError::Row(0))));
        assert!(matches!(file.row(Vec::new()), Err(ParquetError::Row(0))));
    }
}
