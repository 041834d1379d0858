// bindings/rust/gpuopt/tests/devices.rs -- devices, streams, files and random numbers.
use gpuopt::{save_npz, Array, Code, DType, Device, Generator, Npz, OpenOptions, RandomState, Reason};
use std::path::PathBuf;

fn cpu() -> Device {
    Device::open("cpu").unwrap()
}
fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("gpuopt-{}-{name}", std::process::id()))
}
fn is_send<T: Send>() {}
fn is_sync<T: Sync>() {}

#[test]
fn what_the_abi_allows_may_cross_threads() {
    is_send::<Array>();
    is_sync::<Array>();
    is_send::<Device>();
    is_sync::<Device>();
    is_send::<gpuopt::Stream>();
    is_sync::<gpuopt::Stream>();
    is_send::<gpuopt::Event>();
    is_send::<RandomState>();
    is_send::<Generator>();
    is_send::<Npz>();
    is_send::<gpuopt::Error>();
    is_sync::<gpuopt::Error>();
}

#[test]
fn devices_open_by_name_or_say_why_not() {
    let xp = cpu();
    assert_eq!((xp.name(), xp.backend(), format!("{xp:?}")), ("cpu:0", "cpu", "Device(cpu:0)".into()));
    assert!(xp == xp.clone() && xp == xp.zeros(&[1], None).unwrap().device());
    let info = xp.info().unwrap();
    assert!(info.host_memory && info.processors > 0 && info.plugin.contains("gpuopt_cpu"), "{info:?}");
    let error = Device::open("no such backend").unwrap_err();
    assert_eq!((error.code(), error.reason(), error.backend_code()), (Code::INVALID_ARGUMENT, Reason::NONE, 0));
    assert_eq!(Device::open("cpu\0").unwrap_err().code(), Code::INVALID_ARGUMENT);
    assert!(error.to_string().ends_with("(GPUOPT_ERR_INVALID_ARGUMENT)"), "{error}");
    let report = OpenOptions::new().discovery_report(true).unwrap();
    assert!(report.starts_with('{') && report.contains("cpu"), "{report}");
    assert_eq!(gpuopt::version().0, 1);
}

#[test]
fn the_recorder_runs_when_something_looks() {
    let xp = cpu();
    let x = xp.ones(&[10000], None).unwrap();
    x.eval().unwrap();
    let before = xp.engine_stats().unwrap();
    let y = ((&x * 5).get().unwrap() + &x).get().unwrap();
    assert!(xp.engine_stats().unwrap().operations >= before.operations + 2);
    y.eval().unwrap();
    assert!(xp.engine_stats().unwrap().programs > before.programs);
    xp.synchronize().unwrap();
    xp.trim_memory().unwrap();
    xp.set_memory_limit(1 << 40).unwrap();
    assert_eq!(xp.memory_stats().unwrap().limit, 1 << 40);
    xp.set_memory_limit(0).unwrap();
}

#[test]
fn streams_order_work() {
    let xp = cpu();
    let (stream, start) = (xp.stream().unwrap(), xp.default_stream().unwrap().record().unwrap());
    let x = xp.ones(&[100], None).unwrap().on_stream(&stream).unwrap();
    let y = (x + 1).get().unwrap();
    let end = stream.record().unwrap();
    xp.default_stream().unwrap().wait(&end).unwrap();
    stream.clone().synchronize().unwrap();
    end.synchronize().unwrap();
    assert!(start.elapsed(&end).unwrap() >= 0.0);
    assert_eq!(y.sum(()).unwrap().item(&[]).unwrap().to_f64(), 200.0);
}

#[test]
fn files_are_numpys() {
    let (npy, npz) = (file("a.npy"), file("b.npz"));
    let x = cpu().arange(0, 6, 1, DType::INT32).unwrap().reshape(&[2, 3]).unwrap();
    x.t().unwrap().save_npy(&npy).unwrap();
    let bytes = std::fs::read(&npy).unwrap();
    assert_eq!(&bytes[..6], b"\x93NUMPY");
    assert!(String::from_utf8_lossy(&bytes[..128]).contains("'<i4'"));
    let back = cpu().load_npy(&npy).unwrap();
    assert_eq!((back.shape(), back.to_vec::<i32>().unwrap()), (&[3i64, 2][..], vec![0, 3, 1, 4, 2, 5]));
    std::fs::write(&npy, &bytes[..40]).unwrap();
    assert_eq!(cpu().load_npy(&npy).unwrap_err().code(), Code::FORMAT);
    std::fs::remove_file(&npy).unwrap();
    assert_eq!(cpu().load_npy(&npy).unwrap_err().code(), Code::IO);

    save_npz(&npz, &[("x", &x), ("sum", &x.sum(()).unwrap())], true).unwrap();
    let archive = Npz::open(&npz).unwrap();
    assert_eq!(archive.names(), ["x", "sum"]);
    assert_eq!(archive.read("sum", &cpu()).unwrap().item(&[]).unwrap().to_i64(), Some(15));
    assert!(archive.read("y", &cpu()).is_err());
    std::fs::remove_file(&npz).unwrap();
}

#[test]
fn random_numbers_are_numpys() {
    // numpy.random.RandomState(1): random_sample(3), then normal(size=2), then randint(0, 10, 4), as NumPy prints them.
    let mut rng = RandomState::new(&cpu(), 1).unwrap();
    let first = [4.17022004702574e-01, 7.203244934421581e-01, 1.1437481734488664e-04];
    assert_eq!(rng.random_sample(&[3]).unwrap().to_vec::<f64>().unwrap(), first);
    rng.seed(1).unwrap();
    let normal = rng.normal(0.0, 1.0, &[2]).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(normal, [1.6243453636632417, -0.6117564136500754]);
    rng.seed(1).unwrap();
    assert_eq!(rng.randint(0, 10, &[4], None).unwrap().to_vec::<i64>().unwrap(), [5, 8, 9, 5]);
    rng.seed(1).unwrap();
    let choices = cpu().array(&[0.0, 1.0, 2.0, f64::NAN], &[4]).unwrap();
    let chosen = rng.choice(&choices, &[3], true, None).unwrap().to_vec::<f64>().unwrap();
    assert_eq!((chosen[0], chosen[1].is_nan(), chosen[2]), (1.0, true, 0.0));
    let inside = rng.uniform(2.0, 3.0, &[50]).unwrap().to_vec::<f64>().unwrap();
    assert!(inside.iter().all(|x| (2.0..3.0).contains(x)));

    let sorted = |x: &Array| {
        let mut x = x.to_vec::<i64>().unwrap();
        x.sort_unstable();
        x
    };
    let all: Vec<i64> = (0..20).collect();
    assert_eq!(sorted(&rng.permutation(20).unwrap()), all);
    let mut deck = cpu().array(&all, &[20]).unwrap();
    assert_eq!(sorted(&rng.permuted(&deck).unwrap()), all);
    rng.shuffle(&mut deck).unwrap();
    assert_ne!(deck.to_vec::<i64>().unwrap(), all);
    assert_eq!(sorted(&deck), all);
    let sample = |x: &mut RandomState| x.random_sample(&[2]).unwrap().to_vec::<f64>().unwrap();
    let (mut a, mut b) =
        (RandomState::from_seeds(&cpu(), &[1, 2]).unwrap(), RandomState::from_seeds(&cpu(), &[1, 2]).unwrap());
    assert_eq!(sample(&mut a), sample(&mut b));
    assert_ne!(sample(&mut a), sample(&mut RandomState::from_seeds(&cpu(), &[1, 3]).unwrap()));
}

#[test]
fn the_generator_gives_the_same_again() {
    let (mut a, mut b) = (Generator::new(&cpu(), 7).unwrap(), Generator::new(&cpu(), 7).unwrap());
    let x = a.uniform(-1.0, 1.0, &[1000], DType::FLOAT32).unwrap().to_vec::<f32>().unwrap();
    assert_eq!(x, b.uniform(-1.0, 1.0, &[1000], DType::FLOAT32).unwrap().to_vec::<f32>().unwrap());
    assert!(x.iter().all(|x| (-1.0..1.0).contains(x)) && x.iter().any(|&x| x < -0.5) && x.iter().any(|&x| x > 0.5));
    let mean = a.normal(10.0, 1.0, &[10_000], None).unwrap().mean(()).unwrap().item(&[]).unwrap().to_f64();
    assert!((mean - 10.0).abs() < 0.05, "{mean}: five standard errors");
    let waits = a.exponential(2.0, &[10_000], None).unwrap();
    assert!(waits.min(()).unwrap().item(&[]).unwrap().to_f64() >= 0.0);
    assert!((waits.mean(()).unwrap().item(&[]).unwrap().to_f64() - 2.0).abs() < 0.1, "five standard errors");
    let dice = a.integers(1, 6, true, &[1000], None).unwrap();
    assert_eq!(
        (dice.min(()).unwrap().item(&[]).unwrap().to_i64(), dice.max(()).unwrap().item(&[]).unwrap().to_i64()),
        (Some(1), Some(6))
    );
    let p = cpu().array(&[0.0, 1.0, 0.0], &[3]).unwrap();
    let chosen = a.choice(&cpu().array(&[5, 6, 7], &[3]).unwrap(), &[10], true, Some(&p)).unwrap();
    assert_eq!(chosen.to_vec::<i32>().unwrap(), [6; 10]);
    let mut order = a.permutation(10).unwrap().to_vec::<i64>().unwrap();
    order.sort_unstable();
    assert_eq!(order, (0..10).collect::<Vec<_>>());
    assert_eq!(a.permuted(&cpu().ones(&[4], None).unwrap()).unwrap().to_vec::<f64>().unwrap(), [1.0; 4]);
}
