// samples/analyses_rust/src/bin/kmeans.rs -- k-means: puts the rows of a CSV file into groups of rows that lie close
// together, in Rust.
//! The program of samples/kmeans/kmeans.cpp, which explains the method; it prints and writes the same.
//!
//! usage: kmeans TABLE.csv GROUPS [LABELS.csv]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU.
use gpuopt::{
    concat, ops, Array, Axes, Device, LoadTextOptions, RandomState, Result, SaveTextOptions,
};

/// The squares of the distances of each row from each centre, (rows, centres), without a temporary of three dimensions.
fn distances(x: &Array, centres: &Array) -> Result<Array> {
    let lengths = x.square()?.sum(Axes::of([1]).keepdims())?;
    let others = centres.square()?.sum(1)?;
    (lengths - 2.0 * x.matmul(&centres.t()?)? + others)
        .map(|d| d.maximum(0.0))
        .get()
}

/// Rows that are likely to lie far from each other: each is drawn with a probability proportional to the square of its
/// distance from the nearest one before.
fn first_centres(x: &Array, groups: i64) -> Result<Array> {
    let (xp, rows) = (x.device(), x.shape()[0]);
    let mut random = RandomState::new(&xp, 1)?;
    let numbers = xp.arange(0, rows, 1, None)?;
    let mut chosen = random.choice(&numbers, &[1], true, None)?;
    while (chosen.size() as i64) < groups {
        let nearest = distances(x, &x.take(&chosen, 0)?)?.min(1)?;
        let chance = (&nearest / &nearest.sum(Axes::all())?).get()?;
        chosen = concat(
            &[
                &chosen,
                &random.choice(&numbers, &[1], true, Some(&chance))?,
            ],
            0,
        )?;
    }
    x.take(&chosen, 0)
}

struct Groups {
    labels: Array,
    centres: Array,
    steps: usize,
}

fn group(x: &Array, count: i64) -> Result<Groups> {
    let mut centres = first_centres(x, count)?;
    let mut last: Option<Array> = None;
    let numbers = x.device().arange(0, count, 1, None)?.expand_dims(1)?;
    for steps in 0.. {
        let labels = distances(x, &centres)?.argmin(1)?;
        if let Some(last) = &last {
            if labels.equal(last)?.all(Axes::all())?.item(&[])?.to_bool() {
                return Ok(Groups {
                    labels,
                    centres,
                    steps,
                });
            }
        }
        // A row of `members` for each group, with ones where its rows are: a product sums them up.
        let members = numbers.equal(&labels)?.astype(x.dtype())?;
        let sizes = members.sum(Axes::of([1]).keepdims())?;
        let means = (&members.matmul(x)? / &sizes.maximum(1.0)?).get()?;
        centres = ops::where_(&sizes.greater(0.0)?, &means, &centres)?;
        last = Some(labels);
    }
    unreachable!("the numbers of steps do not end")
}

fn run(path: &str, count: i64, output: Option<&String>) -> Result<()> {
    let xp = Device::from_environment()?;
    let table = xp.load_text(
        path,
        &LoadTextOptions {
            delimiter: ",",
            ndmin: 2,
            ..LoadTextOptions::default()
        },
    )?;
    let (mean, spread) = (table.mean(0)?, table.std(0)?);
    let found = group(&((&table - &mean) / &spread).get()?, count)?;
    let centres = (&found.centres * &spread + &mean).get()?;
    let sizes = found.labels.bincount(count)?.to_vec::<i64>()?;
    println!(
        "{} rows in {count} groups; steps: {}",
        table.shape()[0],
        found.steps
    );
    for (g, size) in (0..).zip(sizes) {
        let rounded = ((&centres.view(g)? * 10.0).map(|c| c.round()) / 10.0).get()?;
        println!("{size} rows around {rounded}");
    }
    if let Some(output) = output {
        found
            .labels
            .save_text(output, &SaveTextOptions::default())?;
        println!("the group of each row is in {output}");
    }
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let groups = arguments
        .get(2)
        .and_then(|count| count.parse().ok())
        .filter(|&count: &i64| count >= 1);
    let groups = groups.unwrap_or_else(|| {
        eprintln!("usage: kmeans TABLE.csv GROUPS [LABELS.csv]");
        std::process::exit(2);
    });
    if let Err(error) = run(&arguments[1], groups, arguments.get(3)) {
        eprintln!("kmeans: {error}");
        std::process::exit(1);
    }
}
