// samples/analyses_rust/src/bin/heat.rs -- the heat equation on a plate whose rows are shared out among the processes
// of a job, in Rust.
//! The program of samples/heat/heat.cpp, which explains it; it prints the same, for any number of ranks.
//!
//! usage: heat [ROWS [STEPS]]         one process
//!        gpuopt-run -n 4 heat        four of this machine; mpirun -n 4 heat: as many as MPI has
use gpuopt::{
    concat, Array, Axes, Comm, CommOptions, DType, Device, PadMode, RankReduction, Result,
};

/// A warm spot, seen by its rows from `first` on.
fn spot(xp: &Device, rows: i64, columns: i64, first: i64, count: i64) -> Result<Array> {
    let numbers = |count: i64| xp.arange(0, count, 1, DType::FLOAT64);
    let i = (numbers(count)? + first as f64).get()?.expand_dims(1)?;
    let (down, across) = (
        (i - rows as f64 / 3.0).get()?,
        (numbers(columns)? - columns as f64 / 2.0).get()?,
    );
    let squares = (&down * &down + &across * &across).get()?;
    let power = (squares.negative()? / 50.0).get()?;
    (power.exp()? * 100.0).get()
}

/// This rank's rows between those of its neighbours; at the ends of the plate there are zeros.
fn with_neighbours(comm: &Comm, u: &Array) -> Result<Array> {
    let above = comm.rank().checked_sub(1);
    let below = Some(comm.rank() + 1).filter(|&below| below < comm.size());
    let (first, last) = (u.view(..1)?, u.view(-1..)?);
    let nothing = first.zeros_like(None)?;
    let from_above = comm.send_recv(below.map(|below| (&last, below)), above, 1)?;
    let from_below = comm.send_recv(above.map(|above| (&first, above)), below, 2)?;
    let rows = [
        from_above.as_ref().unwrap_or(&nothing),
        u,
        from_below.as_ref().unwrap_or(&nothing),
    ];
    concat(&rows, 0)?.pad(&[(0, 0), (1, 1)], PadMode::Constant(0.0.into()))
}

fn step(comm: &Comm, u: &Array) -> Result<Array> {
    let x = with_neighbours(comm, u)?;
    let (m, n) = (u.shape()[0], u.shape()[1]);
    let at = |i: i64, j: i64| x.view((i..m + i, j..n + j));
    let around = (at(0, 1)? + at(2, 1)? + at(1, 0)? + at(1, 2)?).get()?;
    (u + 0.2 * (around - 4.0 * u)).get()
}

/// Seventeen digits, without zeros at the end, as C's %.17g.
fn digits(x: f64) -> String {
    let scientific = format!("{:.16e}", x);
    let exponent: i32 = scientific
        .rsplit('e')
        .next()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0);
    let text = format!("{:.*}", (16 - exponent).max(0) as usize, x);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

fn run(rows: i64, steps: usize) -> Result<()> {
    let xp = Device::from_environment()?; // each rank may have another
    let mut options = CommOptions::default();
    options.device = Some(xp.clone());
    let comm = Comm::with_options(None, &options)?; // the job that a launcher has started, or this process alone
    let (n, r) = (comm.size() as i64, comm.rank() as i64);
    let (first, count) = (
        r * (rows / n) + r.min(rows % n),
        rows / n + i64::from(r < rows % n),
    );
    let mut u = spot(&xp, rows, 64, first, count)?;
    for i in 1..=steps {
        let next = step(&comm, &u)?;
        let change = (&next - &u)
            .map(|change| change.abs())
            .get()?
            .max(Axes::all())?;
        // What changed most, on any rank: the same number on all of them.
        let largest = comm
            .all_reduce(&change, RankReduction::Max)?
            .item(&[])?
            .to_f64();
        u = next;
        if comm.rank() == 0 && i % (steps / 4).max(1) == 0 {
            println!("step {i}: the largest change is {}", digits(largest));
        }
    }
    if let Some(plate) = comm.gather(&u, 0)? {
        let (heat, most) = (plate.sum(Axes::all())?, plate.max(Axes::all())?);
        let numbers = [heat.item(&[])?.to_f64(), most.item(&[])?.to_f64()].map(digits);
        println!("heat on the plate: {}, at most {}", numbers[0], numbers[1]);
    }
    Ok(())
}

fn main() {
    let number = |place: usize| {
        std::env::args()
            .nth(place)
            .and_then(|text| text.parse().ok())
    };
    if let Err(error) = run(number(1).unwrap_or(96), number(2).unwrap_or(40) as usize) {
        eprintln!("heat: {error}");
        std::process::exit(1);
    }
}
