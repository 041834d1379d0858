// samples/standardize_rust/src/main.rs -- one program for machines with a GPU and without: standardizes columns, in
// Rust.
//! Makes a matrix with missing values on the device it is asked for, or on the CPU where that cannot work, brings every
//! column to mean 0 and standard deviation 1 with 0 for what was missing, and writes the result as .npy.
//!
//! usage: standardize_rust [DEVICE [OUTPUT.npy [ROWS COLUMNS]]], by default cuda standardized.npy 1000 100000
use gpuopt::{Array, DType, Device, RandomState};
use std::error::Error;

/// A matrix of 0, 1, 2 and NaN, as numpy.random.RandomState(1).choice([0, 1, 2, nan], (rows, columns)) gives it.
fn gen_data(xp: &Device, rows: i64, columns: i64) -> gpuopt::Result<Array> {
    let choices = xp.array(&[0.0, 1.0, 2.0, f64::NAN], &[4])?;
    RandomState::new(xp, 1)?.choice(&choices, &[rows, columns], true, None)
}

/// Brings each column of `a` to mean 0 and standard deviation 1, in place; missing values become 0.
fn unit_standardize(a: &mut Array) -> Result<(), Box<dyn Error>> {
    if a.dtype() != DType::FLOAT64 && a.dtype() != DType::FLOAT32 {
        return Err("a must be a float in order to standardize in place.".into());
    }
    let missing = a.isnan()?;
    let mut std = a.nanstd(0)?;
    let mean = a.nanmean(0)?;
    let constant = std.equal(0)?;
    std.mask_assign(&constant, f64::INFINITY)?; // avoid dividing by 0
    a.subtract_assign(&mean)?;
    a.divide_assign(&std)?;
    a.mask_assign(&missing, 0)?;
    Ok(())
}

/// Where the array lives, what it is, and its first three rows and columns.
fn print_corner(a: &Array) -> gpuopt::Result<()> {
    let [rows, columns] = [a.shape()[0], a.shape()[1]];
    println!("{} array of {rows} x {columns} on {}", a.dtype(), a.device().name());
    println!("{}", a.view((..3, ..3))?);
    Ok(())
}

fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let argument = |i: usize, default: &'static str| arguments.get(i).map_or(default, String::as_str);
    let (request, output) = (argument(0, "cuda"), argument(1, "standardized.npy"));
    let (rows, columns) = (argument(2, "1000").parse()?, argument(3, "100000").parse()?);
    let xp = Device::open(request)?;
    println!("asked for {request}, using {}", xp.name());
    let mut a = gen_data(&xp, rows, columns)?;
    print_corner(&a)?;
    unit_standardize(&mut a)?;
    print_corner(&a)?;
    a.save_npy(output)?;
    println!("wrote {output}");
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Err(error) = run(&arguments) {
        eprintln!("standardize_rust: {error}");
        std::process::exit(1);
    }
}
