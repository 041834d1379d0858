// bindings/rust/gpuopt-sys/build.rs -- asks pkg-config where libgpuopt is.
use std::process::Command;

/// What `pkg-config` prints for these arguments; a failure ends the build with its words.
fn pkg_config(arguments: &[&str]) -> String {
    let program = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let output = Command::new(&program).args(arguments).output().unwrap_or_else(|e| panic!("{program} could not be run: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "gpuopt was not found by {program}: {said}\n\
         Install libgpuopt-dev, or put the directory of gpuopt.pc into PKG_CONFIG_PATH."
    );
    String::from_utf8(output.stdout).expect("pkg-config prints UTF-8")
}

fn main() {
    for variable in ["PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    // The declarations are those of 1.0; later versions of the same major only add.
    for flag in pkg_config(&["--libs", "gpuopt >= 1.0.0", "gpuopt < 2"]).split_whitespace() {
        if let Some(directory) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={directory}");
        } else if let Some(library) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={library}");
        }
    }
    // For build scripts and tests of crates that use this one: DEP_GPUOPT_INCLUDE.
    let include = pkg_config(&["--variable=includedir", "gpuopt"]);
    println!("cargo:include={}", include.trim());
    println!("cargo:rustc-env=GPUOPT_INCLUDE={}", include.trim());
}
