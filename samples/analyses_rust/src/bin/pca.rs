// samples/analyses_rust/src/bin/pca.rs -- principal components of measurements of birds, and a picture of them, in
// Rust.
//! The program of samples/pca/pca.cpp, which explains the method; it prints and draws the same.
//!
//! usage: pca [PICTURE.svg]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU.
use gpuopt::{concat, ops, Array, Axes, Device, RandomState};
use std::error::Error;
use std::fmt::Write;

const EACH: i64 = 50;
const SPECIES: i64 = 3;
const MEASUREMENTS: i64 = 4;
const NAMES: [&str; 3] = ["sparrow", "blackbird", "magpie"];
const COLOURS: [&str; 3] = ["#b5651d", "#222222", "#1f6fb5"];

/// Wing, tail, bill and weight of birds, a row for each: the species' means, and what a large bird has more of all.
fn measure(xp: &Device) -> gpuopt::Result<Array> {
    let mut random = RandomState::new(xp, 7)?;
    let means = [
        77.0, 57.0, 10.0, 28.0, 130.0, 105.0, 19.0, 100.0, 190.0, 240.0, 34.0, 210.0,
    ];
    let means = xp.array(&means, &[SPECIES, MEASUREMENTS])?;
    let spread = xp.array(&[3.0, 4.0, 0.8, 6.0], &[MEASUREMENTS])?;
    let mut species = Vec::new();
    for s in 0..SPECIES {
        let size = random.normal(0.0, 1.0, &[EACH, 1])?;
        let rest = random.normal(0.0, 1.0, &[EACH, MEASUREMENTS])?;
        species.push((&means.view(s)? + &spread * (&size + 0.6 * &rest)).get()?);
    }
    concat(&species.iter().collect::<Vec<_>>(), 0)
}

/// Columns of mean 0 and standard deviation 1.
fn standardized(x: &Array) -> gpuopt::Result<Array> {
    ((x - &x.mean(0)?) / &x.std(0)?).get()
}

/// The numbers to so many decimals.
fn rounded(x: &Array, scale: f64) -> gpuopt::Result<Array> {
    ((x * scale).map(|y| y.round()) / scale).get()
}

/// A drawing of 560 by 400 points: one circle for each bird.
fn drawing(places: &[f64]) -> Result<String, std::fmt::Error> {
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-280 -200 560 400\" font-family=\"sans-serif\">\n\
         <rect x=\"-280\" y=\"-200\" width=\"560\" height=\"400\" fill=\"white\"/>\n\
         <path d=\"M-260 0H260M0 -180V180\" stroke=\"#bbb\"/>\n",
    );
    for (i, place) in places.chunks_exact(2).enumerate() {
        let (x, y, colour) = (
            90.0 * place[0],
            -90.0 * place[1],
            COLOURS[i / EACH as usize],
        );
        writeln!(
            svg,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\" fill=\"{colour}\" fill-opacity=\"0.7\"/>"
        )?;
    }
    for (s, (name, colour)) in NAMES.iter().zip(COLOURS).enumerate() {
        writeln!(
            svg,
            "<text x=\"-265\" y=\"{}\" fill=\"{colour}\">{name}</text>",
            20 * s as i64 - 175
        )?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

fn run(path: &str) -> Result<(), Box<dyn Error>> {
    let xp = Device::from_environment()?;
    let (u, s, vh) = standardized(&measure(&xp)?)?.svd(false)?;
    let squares = s.square()?;
    let explained = (&squares / &squares.sum(Axes::all())?).get()?;
    println!("explained variance: {}", rounded(&explained, 1000.0)?);

    // A direction and its opposite are the same component: let the first measurement count positively.
    let sign = ops::where_(&vh.view((.., 0))?.less(0)?, -1.0, 1.0)?;
    println!(
        "first component:    {}",
        rounded(&(&vh.view(0)? * &sign.view(0)?).get()?, 1000.0)?
    );
    let places = (&u * (&s * &sign)).get()?.view((.., ..2))?;
    for (k, name) in (0..).zip(NAMES) {
        let centre = places.view(k * EACH..(k + 1) * EACH)?.mean(0)?;
        println!("{name}: {}", rounded(&centre, 100.0)?);
    }
    std::fs::write(path, drawing(&places.to_vec()?)?)?;
    println!("the picture is in {path}");
    Ok(())
}

fn main() {
    let path = std::env::args().nth(1).unwrap_or_else(|| "pca.svg".into());
    if let Err(error) = run(&path) {
        eprintln!("pca: {error}");
        std::process::exit(1);
    }
}
