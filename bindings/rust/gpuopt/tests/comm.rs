// bindings/rust/gpuopt/tests/comm.rs -- a group of one, and calls that fail.
use gpuopt::{comm_report, Code, Comm, CommOptions, Device, RankReduction};

#[test]
fn a_group_of_one_copies() -> gpuopt::Result<()> {
    let comm = Comm::new("self")?;
    assert_eq!((comm.rank(), comm.size(), comm.name()), (0, 1, "self"));
    assert_eq!(format!("{comm:?}"), "Comm(rank 0 of 1, self)");
    let x = Device::open("cpu")?.array(&[1.5, 2.5], &[2])?;
    let results = [
        Some(comm.all_reduce(&x, RankReduction::Sum)?),
        comm.reduce(&x, RankReduction::Max, 0)?,
        Some(comm.reduce_scatter(&x, RankReduction::Prod)?),
        Some(comm.broadcast(&x, 0)?),
        Some(comm.all_gather(&x)?),
        comm.gather(&x, 0)?,
        Some(comm.scatter(&x, 0)?),
        Some(comm.all_to_all(&x)?),
        comm.send_recv(Some((&x, 0)), Some(0), 1)?,
    ];
    for result in results {
        assert_eq!(result.expect("there is a result").to_vec::<f64>()?, [1.5, 2.5]);
    }
    assert_eq!((comm.traffic()?.rounds, comm.traffic()?.bytes_sent), (0, 0));
    comm.send(&x, 0, 7)?;
    assert_eq!(comm.recv(0, 7)?.to_vec::<f64>()?, [1.5, 2.5]);
    assert!(comm.send_recv(None, None, 0)?.is_none());
    assert_eq!(comm.split(Some(3), 0)?.map(|part| part.size()), Some(1));
    assert!(comm.clone().split(None, 0)?.is_none());
    comm.barrier()
}

#[test]
fn errors_have_codes() -> gpuopt::Result<()> {
    let options = CommOptions::default();
    let comm = Comm::with_options("self", &options)?;
    assert_eq!(comm.recv(0, 1).unwrap_err().code(), Code::COMM);
    assert_eq!(comm.broadcast(None, 0).unwrap_err().code(), Code::INVALID_ARGUMENT);
    assert_eq!(Comm::new("Ring").unwrap_err().code(), Code::INVALID_ARGUMENT);
    assert_eq!(Comm::new("nowhere").unwrap_err().code(), Code::UNAVAILABLE);
    assert!(comm_report()?.contains("ring: "));
    Ok(())
}

#[test]
fn threads_are_ranks() -> gpuopt::Result<()> {
    let devices = vec![Device::open("cpu")?; 3];
    let sums = Comm::run_devices(&devices, &CommOptions::default(), |comm| {
        assert_eq!((comm.size(), comm.name()), (3, "threads"));
        let x = devices[comm.rank()].array(&[comm.rank() as f64, 0.5], &[2])?;
        comm.all_reduce(&x, RankReduction::Sum)?.to_vec::<f64>()
    })?;
    assert_eq!(sums, vec![vec![3.0, 1.5]; 3]);
    Ok(())
}

#[test]
fn shards_along_another_axis() -> gpuopt::Result<()> {
    let comm = Comm::new("self")?;
    let x = Device::open("cpu")?.array(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[2, 3])?;
    let columns = gpuopt::Shard::from_parts_along(&comm, &x, -1)?;
    assert_eq!((columns.axis(), columns.rows(), columns.along(0)?.axis()), (1, 3, 0));
    assert_eq!(columns.reduce(gpuopt::Reduction::Sum, 1)?.to_vec::<f64>()?, [3.0, 12.0]);
    assert_eq!(columns.along(0)?.all_gather()?.to_vec::<f64>()?, x.to_vec::<f64>()?);
    Ok(())
}

#[test]
fn a_thread_that_fails_is_an_error_of_the_others() -> gpuopt::Result<()> {
    let devices = vec![Device::open("cpu")?; 2];
    let options = CommOptions::default();
    let failed = Comm::run_devices(&devices, &options, |comm| {
        if comm.rank() == 1 {
            return Err(gpuopt::Error::new(Code::IO, "no such sample"));
        }
        let error = comm.barrier().unwrap_err();
        assert!(error.message().contains("rank 1 has given up: no such sample"), "{error}");
        Err::<(), _>(error)
    });
    assert_eq!(failed.unwrap_err().code(), Code::IO);
    let panicked = std::panic::catch_unwind(|| {
        Comm::run_devices(&devices, &options, |comm| if comm.rank() == 0 { panic!("at once") } else { comm.barrier() })
    });
    assert!(panicked.is_err());
    assert_eq!(Comm::of_devices(&[], &options).unwrap_err().code(), Code::INVALID_ARGUMENT);
    Ok(())
}
