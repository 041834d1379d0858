// bindings/rust/gpuopt/src/text.rs -- tables of numbers in text files.
use crate::create::number;
use crate::error::{c_path, c_string, check, count};
use crate::{Array, DType, Device, Result, Scalar};
use gpuopt_sys as sys;
use std::ffi::CString;
use std::path::Path;

/// How [`Device::load_text`] reads a table.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadTextOptions<'a> {
    /// What is between two columns; empty: white space of any length.
    pub delimiter: &'a str,
    /// What begins a comment, which ends with the line; empty: there are none.
    pub comments: &'a str,
    /// The character around columns that contain others, doubled inside.
    pub quote: Option<char>,
    /// A text that stands for a missing value, as an empty column does.
    pub missing: &'a str,
    /// What stands for missing values; without it these are errors.
    pub filling: Option<Scalar>,
    /// The columns to read, negative ones from the end; without it all.
    pub usecols: Option<&'a [i64]>,
    /// How many lines are left out at the beginning.
    pub skiprows: i64,
    /// How many rows are read at most.
    pub max_rows: Option<i64>,
    /// 0, 1 or 2: how many dimensions the result has at least.
    pub ndmin: i32,
    /// Of the result; without it float64.
    pub dtype: Option<DType>,
}
impl Default for LoadTextOptions<'_> {
    fn default() -> Self {
        LoadTextOptions {
            delimiter: "",
            comments: "#",
            quote: None,
            missing: "",
            filling: None,
            usecols: None,
            skiprows: 0,
            max_rows: None,
            ndmin: 0,
            dtype: None,
        }
    }
}

// The options for C, and the texts that they point to.
struct RawLoadOptions {
    raw: sys::gpuopt_loadtxt_options,
    _texts: [CString; 4],
}

impl LoadTextOptions<'_> {
    fn to_raw(&self) -> Result<RawLoadOptions> {
        let quote = self.quote.map_or(String::new(), String::from);
        let texts = [
            c_string("the delimiter", self.delimiter)?,
            c_string("the text of comments", self.comments)?,
            c_string("the quote", &quote)?,
            c_string("the text of missing values", self.missing)?,
        ];
        let mut raw = sys::gpuopt_loadtxt_options::new();
        (raw.delimiter, raw.comments) = (texts[0].as_ptr(), texts[1].as_ptr());
        (raw.quote, raw.missing) = (texts[2].as_ptr(), texts[3].as_ptr());
        if let Some(columns) = self.usecols {
            (raw.usecols, raw.nusecols) = (columns.as_ptr(), count(columns));
        }
        if let Some(rows) = self.max_rows {
            (raw.max_rows, raw.has_max_rows) = (rows, 1);
        }
        if let Some(filling) = self.filling {
            (raw.filling, raw.has_filling) = (filling.to_raw(), 1);
        }
        (raw.skiprows, raw.ndmin, raw.dtype) = (self.skiprows, self.ndmin, number(self.dtype));
        Ok(RawLoadOptions { raw, _texts: texts })
    }
}

impl Device {
    /// Reads a table of numbers from a text file; what is malformed is [`crate::Code::FORMAT`], and the message says
    /// where.
    pub fn load_text(&self, path: impl AsRef<Path>, options: &LoadTextOptions) -> Result<Array> {
        let (path, options) = (c_path(path.as_ref())?, options.to_raw()?);
        // SAFETY: the handle is valid, and the path and the options for the call.
        Array::fresh(|r, e| unsafe { sys::gpuopt_loadtxt(self.raw(), path.as_ptr(), &options.raw, r, e) })
    }
    /// Reads a table of numbers from a text.
    ///
    /// ```
    /// # fn main() -> gpuopt::Result<()> {
    /// let options = gpuopt::LoadTextOptions { delimiter: ",", skiprows: 1, ..Default::default() };
    /// let x = gpuopt::Device::open("cpu")?.parse_text("a,b\n1,2\n3,4\n", &options)?;
    /// assert_eq!(x.to_vec::<f64>()?, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok(()) }
    /// ```
    pub fn parse_text(&self, text: impl AsRef<[u8]>, options: &LoadTextOptions) -> Result<Array> {
        let (text, options) = (text.as_ref(), options.to_raw()?);
        // SAFETY: the handle is valid, and the text and the options for the call.
        Array::fresh(|r, e| unsafe {
            sys::gpuopt_loadtxt_memory(self.raw(), text.as_ptr().cast(), text.len() as u64, &options.raw, r, e)
        })
    }
}

/// How [`Array::save_text`] writes a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveTextOptions<'a> {
    /// A printf format for all columns, or of a whole row; without it the shortest text of each number.
    pub fmt: Option<&'a str>,
    /// What is between columns.
    pub delimiter: &'a str,
    /// What is behind each row.
    pub newline: &'a str,
    /// Lines in front of the rows, each behind `comments`.
    pub header: &'a str,
    /// Lines behind the rows.
    pub footer: &'a str,
    /// What is in front of each line of header and footer.
    pub comments: &'a str,
}
impl Default for SaveTextOptions<'_> {
    fn default() -> Self {
        SaveTextOptions { fmt: None, delimiter: " ", newline: "\n", header: "", footer: "", comments: "# " }
    }
}

impl Array {
    /// Writes an array of one or two dimensions as text: a temporary file is renamed, so that no partial one is left.
    pub fn save_text(&self, path: impl AsRef<Path>, options: &SaveTextOptions) -> Result<()> {
        let (_reading, path) = (self.reading()?, c_path(path.as_ref())?);
        let fmt = options.fmt.map(|fmt| c_string("the format", fmt)).transpose()?;
        let texts = [options.delimiter, options.newline, options.header, options.footer, options.comments]
            .into_iter()
            .map(|text| c_string("a text", text))
            .collect::<Result<Vec<_>>>()?;
        let raw = sys::gpuopt_savetxt_options {
            fmt: fmt.as_ref().map_or(std::ptr::null(), |fmt| fmt.as_ptr()),
            delimiter: texts[0].as_ptr(),
            newline: texts[1].as_ptr(),
            header: texts[2].as_ptr(),
            footer: texts[3].as_ptr(),
            comments: texts[4].as_ptr(),
            ..sys::gpuopt_savetxt_options::new()
        };
        // SAFETY: the handle is held; the path and the texts live.
        check(|e| unsafe { sys::gpuopt_savetxt(self.raw(), path.as_ptr(), &raw, e) })
    }
}
