// bindings/rust/gpuopt-sys/build.rs -- asks pkg-config where libgpuopt is.
//
// With DOCS_RS in the environment, which docs.rs sets, the library is not looked for: documentation needs no linking,
// and the machine that makes it need not have the library. Programs cannot be linked in such a build.
use std::process::Command;

/// What `pkg-config` prints for these arguments; a failure ends the build with its words.
fn pkg_config(arguments: &[&str]) -> String {
    let program = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let output =
        Command::new(&program).args(arguments).output().unwrap_or_else(|e| panic!("{program} could not be run: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "gpuopt was not found by {program}: {said}\n\
         Install libgpuopt-dev, or put the directory of gpuopt.pc into PKG_CONFIG_PATH."
    );
    String::from_utf8(output.stdout).expect("pkg-config prints UTF-8")
}

/// A directory the package names. pkg-config writes a space in a path as a shell does.
fn directory(variable: &str) -> String {
    pkg_config(&[&format!("--variable={variable}"), "gpuopt"]).trim().replace("\\ ", " ")
}

fn main() {
    for variable in ["PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR", "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("DOCS_RS").is_some() {
        return;
    }
    // The declarations are those of 1.0; later versions of the same major only add.
    pkg_config(&["--print-errors", "--exists", "gpuopt >= 1.0.0", "gpuopt < 2"]);
    println!("cargo:rustc-link-search=native={}", directory("libdir"));
    println!("cargo:rustc-link-lib=gpuopt");
    // Build scripts and tests of crates that use this one read it as DEP_GPUOPT_INCLUDE.
    let include = directory("includedir");
    println!("cargo:include={}", include);
    println!("cargo:rustc-env=GPUOPT_INCLUDE={}", include);
}
