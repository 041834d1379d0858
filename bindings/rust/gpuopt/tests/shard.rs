// bindings/rust/gpuopt/tests/shard.rs -- sharded arrays of a group of one. Those of several ranks are in tests/comm.
use gpuopt::{Code, Comm, Device, Distribution, Generator, Reduction, Shard};

#[test]
fn shards_of_one() -> gpuopt::Result<()> {
    let (comm, device) = (Comm::new("self")?, Device::open("cpu")?);
    let x = device.array(&[3.0, 1.0, 2.0, -4.0], &[2, 2])?;
    let shard = Shard::from_parts(&comm, &x)?;
    for same in [&Shard::from_array(&comm, &x, 0)?, &Shard::from_whole(&comm, &x)?, &shard.recut(None)?, &shard.clone()]
    {
        assert_eq!(same.all_gather()?.to_vec::<f64>()?, [3.0, 1.0, 2.0, -4.0]);
    }
    assert_eq!((shard.rows(), shard.bounds()?, shard.comm()?.size()), (2, [0, 2].as_slice(), 1));
    assert_eq!(format!("{shard:?}"), "Shard(2 rows, cut at [0, 2])");
    assert_eq!(shard.reduce(Reduction::Sum, 0)?.to_vec::<f64>()?, [5.0, -3.0]);
    assert_eq!(shard.reduce(Reduction::Mean, 0).unwrap_err().code(), Code::UNSUPPORTED);
    assert_eq!(shard.crossprod(&shard)?.to_vec::<f64>()?, [13.0, -5.0, -5.0, 17.0]);
    assert_eq!(shard.matmul(&x)?.gather(0)?.map(|y| y.shape().to_vec()), Some(vec![2, 2]));
    assert_eq!(shard.halo(1, 0, true)?.to_vec::<f64>()?, [2.0, -4.0, 3.0, 1.0, 2.0, -4.0]);
    assert_eq!(shard.recut([0, 1].as_slice()).unwrap_err().code(), Code::INVALID_ARGUMENT);
    assert_eq!(shard.recut([0, 1, 2].as_slice()).unwrap_err().code(), Code::INVALID_ARGUMENT);
    let (values, places) = shard.with(&device.array(&[5.0, 4.0], &[2])?)?.sort()?;
    assert_eq!(values.part()?.to_vec::<f64>()?, [4.0, 5.0]);
    assert_eq!(places.part()?.to_vec::<i64>()?, [1, 0]);
    Ok(())
}

#[test]
fn random_parts_and_files() -> gpuopt::Result<()> {
    let (comm, device) = (Comm::new("self")?, Device::open("cpu")?);
    let drawn = Shard::draw(&comm, &mut Generator::new(&device, 3)?, &Distribution::normal(0.0, 1.0), &[4, 2])?;
    let whole = Generator::new(&device, 3)?.draw(&Distribution::normal(0.0, 1.0), [4, 2].as_slice(), None)?;
    assert_eq!(drawn.part()?.to_vec::<f64>()?, whole.to_vec::<f64>()?);
    let path = std::env::temp_dir().join(format!("gpuopt-shard-{}.npy", std::process::id()));
    drawn.save_npy(&path)?;
    assert_eq!(Shard::load_npy(&comm, &device, &path)?.part()?.to_vec::<f64>()?, whole.to_vec::<f64>()?);
    std::fs::remove_file(&path).expect("the file is there");
    assert_eq!(Shard::load_npy(&comm, None, &path).unwrap_err().code(), Code::IO);
    Ok(())
}
