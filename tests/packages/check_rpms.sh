#!/usr/bin/env bash
# tests/packages/check_rpms.sh -- the RPMs: installed by rpm into a root of their own, and compared with the .debs.
#
# usage: check_rpms.sh DIRECTORY_OF_PACKAGES. There is no Fedora here, so a package that provides what rpm finds in the
# C and C++ libraries, zlib and zstd, a shell and pkg-config stands for one: whatever else our packages need, they must
# bring themselves. Needs root, as rpm --root does.
set -euo pipefail
packages=$(readlink -f "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
fail() { echo "FAILED: $*"; exit 1; }
in_root() { rpm --root "$root" "$@"; }

# The other system.
libraries=(libc.so.6 libm.so.6 libstdc++.so.6 libgcc_s.so.1 libz.so.1 libzstd.so.1 ld-linux-x86-64.so.2)
{
  printf 'Name: system\nVersion: 1\nRelease: 1\nSummary: stands for a distribution\nLicense: none\n'
  printf 'Provides: %s\n' /bin/sh /usr/bin/pkg-config 'rtld(GNU_HASH)'
  ldconfig -p | awk '{print $1, $NF}' | while read -r name file; do
    case " ${libraries[*]} " in *" $name "*) /usr/lib/rpm/elfdeps --provides "$file" ;; esac
  done | sort -u | sed 's/^/Provides: /'
  printf '%%description\nStands for a distribution.\n%%files\n'
} >"$scratch/system.spec"
rpmbuild -bb --quiet --define "_topdir $scratch" --define "_rpmdir $scratch" "$scratch/system.spec"
mkdir -p "$root"
in_root --initdb
in_root -i --force-debian "$scratch"/*/system-*.rpm # which is what Debian's rpm calls installing anything on Debian

listed_in_a_line() { sed 's/ *$//' | sort -u | paste -sd, | sed 's/,/, /g'; }

# Each needs what it is for, and nothing is missing once all are there. Scripts would need the other system's shell.
install() { (cd "$packages" && in_root -i --force-debian --noscripts "$@") >"$scratch/said" 2>&1; }
refused() { # package, what it must ask for
  if install "$1"*.rpm; then fail "$1 is installed without $2"; fi
  grep -F 'is needed by' "$scratch/said" | grep -F "$2" >"$scratch/asked" || {
    cat "$scratch/said"
    fail "$1 does not ask for $2"
  }
}
refused gpuopt-plugin-cuda- libgpuopt1
refused gpuopt-plugin-jit- 'libgpuopt1 = '
refused gpuopt-tools- 'libgpuopt.so.1()(64bit)'
refused gpuopt-devel- 'libgpuopt1 = '
install ./*.rpm || { cat "$scratch/said"; fail "rpm -i"; }
in_root -Va --nodeps 'libgpuopt*' 'gpuopt*' || fail "what is installed is not what was packed"
for package in $(in_root -qa 'libgpuopt*' 'gpuopt*'); do
  if in_root -q --requires "$package" | grep -E 'lib(cuda|nvrtc|cublas|cusolver|cufft)'; then
    fail "$package cannot be installed without NVIDIA's libraries"
  fi
  needs=$(in_root -q --requires "$package" | grep -vE '^(rpmlib|rtld)|\((GLIBC|GLIBCXX|CXXABI|GCC)_' | listed_in_a_line)
  echo "$package needs $needs"
  echo "    recommends and suggests $(in_root -q --recommends --suggests "$package" | listed_in_a_line)"
done

# The same files as in the .debs; what each kind of system has of its own, or elsewhere, is left out.
listed() {
  sed -E -e 's|^\./||; s|^/||; s|usr/lib/x86_64-linux-gnu|usr/lib64|; s|zsh/vendor-completions|zsh/site-functions|' \
    -e '/\/$/d; s|(/man1/.*)\.gz$|\1|' | sort
}
for pair in libgpuopt1:libgpuopt1 libgpuopt-dev:gpuopt-devel gpuopt-tools:gpuopt-tools \
  gpuopt-plugin-cuda:gpuopt-plugin-cuda gpuopt-plugin-jit:gpuopt-plugin-jit; do
  deb=${pair%:*} rpm=${pair#*:}
  dpkg-deb --fsys-tarfile "$packages/$deb"_*.deb | tar -t | listed |
    grep -vE "^usr/share/(doc/$deb/(copyright|changelog.Debian.gz)|lintian/)" >"$scratch/deb"
  in_root -q --queryformat '[%{filemodes:perms} %{filenames}\n]' "$rpm" | sed -n 's/^[^d][^ ]* //p' | listed |
    grep -vE '^usr/share/doc/(gpuopt/LICENSE|gpuopt-plugin-jit/copyright)$' >"$scratch/rpm"
  diff "$scratch/deb" "$scratch/rpm" || fail "$rpm and $deb do not hold the same"
  echo "$rpm: the $(wc -l <"$scratch/rpm") files of $deb"
done

GPUOPT_LOG=warn "$root/usr/bin/gpuopt" info >"$scratch/info"
grep -E 'plugin: |device cpu:0' "$scratch/info" | sed "s|$root||"
grep -q "plugin: $root/usr/lib64/gpuopt/1/libgpuopt_cpu.so," "$scratch/info" ||
  fail "the CPU backend is not the installed one"
echo "rpms: installed, the same as the .debs"
