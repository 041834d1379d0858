// samples/analyses_rust/src/bin/gwas.rs -- which of many genetic variants influence a trait: a genome-wide association
// study with a linear mixed model, in Rust.
//! The program of samples/gwas/gwas.cpp, which explains the method; it prints the same.
//!
//! usage: gwas [PEOPLE SNPS]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU.
use gpuopt::{ops, Array, Axes, DType, Device, RandomState, Result};

/// Counts of variants, of which one in fifty is missing (NaN), and traits that three of the SNPs influence.
struct Study {
    snps: Array,
    observed: Array,
    causal: [i64; 3],
}

/// Columns of mean 0 and standard deviation 1; missing values become 0.
fn standardized(x: &Array) -> Result<Array> {
    let deviation = x.nanstd(0)?;
    let divisor = ops::where_(&deviation.equal(0.0)?, 1.0, &deviation)?;
    let scaled = ((x - &x.nanmean(0)?) / &divisor).get()?;
    ops::where_(&x.isnan()?, 0.0, &scaled)
}

/// People of four villages; in each a variant has a frequency of its own. All variants have a small influence, too.
fn make_study(people: i64, count: i64, xp: &Device) -> Result<Study> {
    const VILLAGES: i64 = 4;
    let mut random = RandomState::new(xp, 11)?;
    let frequency = random.uniform(0.1, 0.5, &[1, count])?;
    let local = (frequency + random.normal(0.0, 0.08, &[VILLAGES, count])?)
        .get()?
        .clip(0.02, 0.98)?;
    let village = (xp.arange(0, people, 1, None)? % VILLAGES).get()?;
    let chance = local.take(&village, 0)?;
    let one = random.random_sample(&[people, count])?.less(&chance)?;
    let other = random.random_sample(&[people, count])?.less(&chance)?;
    let mut snps = (one.astype(DType::FLOAT64)? + other.astype(DType::FLOAT64)?).get()?;

    let causal = [count / 7, count / 2, count - count / 5];
    let small = (random.normal(0.0, 1.0, &[count])? / (count as f64).sqrt()).get()?;
    let mut observed = random.normal(0.0, 1.0, &[people])?;
    observed += &standardized(&snps)?.matmul(&small)?;
    for snp in causal {
        observed += &(&snps.view((.., snp))? * 0.7).get()?;
    }
    observed.eval()?;
    let missing = random.random_sample(&[people, count])?.less(0.02)?;
    snps.mask_assign(&missing, f64::NAN)?;
    Ok(Study {
        snps,
        observed,
        causal,
    })
}

/// Twice the negative logarithm of the likelihood of traits y, without mean, whose variances are proportional to v.
fn unlikelihood(y: &Array, v: &Array) -> Result<f64> {
    let scale = (&y.square()? / v).mean(()).item()?.to_f64();
    Ok(y.size() as f64 * scale.ln() + v.log()?.sum(Axes::all())?.item(&[])?.to_f64())
}

fn best_delta(y: &Array, w: &Array) -> Result<f64> {
    let (mut best, mut least) = (1.0, f64::INFINITY);
    for k in -20..=20 {
        let delta = (f64::from(k) / 4.0).exp();
        let value = unlikelihood(y, &(w + delta).get()?)?;
        if value < least {
            (best, least) = (delta, value);
        }
    }
    Ok(best)
}

/// The p-value of each column of x: how likely an influence at least that strong would be seen if there were none.
fn p_values(x: &Array, y: &Array, v: &Array) -> Result<Array> {
    let weighted = (x / &v.expand_dims(1)?).get()?;
    let xx = (&weighted * x).sum(0).get()?;
    let xy = y.matmul(&weighted)?;
    let slope = (&xy / &xx).get()?;
    let rest = ((&y.square()? / v).sum(()) - &slope * &xy).get()?;
    let error = (&rest / (y.size() - 1) as f64 / &xx).sqrt().get()?;
    ((&slope / &error).abs() / 2f64.sqrt())
        .map(|z| z.erfc())
        .get()
}

fn run(people: i64, count: i64) -> Result<()> {
    let study = make_study(people, count, &Device::from_environment()?)?;
    let (x, observed) = (standardized(&study.snps)?, &study.observed);
    let y = (observed - &observed.mean(())?).get()?;

    let kinship = (x.matmul(&x.t()?)? / count as f64).get()?;
    let (w, u) = kinship.eigh(false)?;
    let turned = u.t()?;
    let rotated = turned.matmul(&y)?;
    let delta = best_delta(&rotated, &w)?;
    let p = p_values(&turned.matmul(&x)?, &rotated, &(&w + delta).get()?)?;

    println!("{people} people, {count} SNPs; delta {}", general(delta, 4));
    println!(
        "SNPs with influence: {}",
        study.causal.map(|snp| snp.to_string()).join(" ")
    );
    println!("least p-values:");
    for snp in p.argsort(-1, false)?.view(..5)?.to_vec::<i64>()? {
        println!("  SNP {snp:5}  p {}", general(p.item(&[snp])?.to_f64(), 3));
    }
    let found = p.less(0.05 / count as f64)?.sum(())?.to_vec::<i64>()?[0];
    println!("SNPs below 0.05 / {count}: {found}");
    Ok(())
}

/// A number with so many significant digits, as C prints it by "%.*g".
fn general(value: f64, digits: usize) -> String {
    let text = format!("{value:.*e}", digits - 1);
    let (digits_of, power) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = power.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if (-4..digits as i32).contains(&exponent) {
        return trimmed(&format!(
            "{value:.*}",
            (digits as i32 - 1 - exponent) as usize
        ));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits_of), exponent.abs())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default| {
        arguments
            .get(i)
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    if let Err(error) = run(number(0, 400), number(1, 2000)) {
        eprintln!("gwas: {error}");
        std::process::exit(1);
    }
}
