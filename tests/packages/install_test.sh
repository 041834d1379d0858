#!/usr/bin/env bash
# tests/packages/install_test.sh -- ./dev install-test: the .debs of build/packages in a fresh Debian, as a user meets
# them.
#
# A minimal Debian 12 (debootstrap; kept as an archive below build/) is unpacked into a directory, and in_root.sh runs
# there. The RPMs are then installed by rpm (check_rpms.sh).
# Needs root, for chroot. Without root or debootstrap it ends with status 77, which is not a pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
home=$PWD/build/install-root root=$PWD/build/install-root/root base=$PWD/build/install-root/bookworm.tar

cannot() { echo "install-test: NOT RUN: $*" >&2; exit 77; }
[ "$(id -u)" = 0 ] || cannot "it needs root, to install packages into a root of their own"
[ -f "$base" ] || command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
compgen -G 'build/packages/libgpuopt1_*.deb' >/dev/null || {
  echo "install-test: no packages: ./dev package" >&2
  exit 1
}

unmount() {
  for place in proc var/cache/apt/archives; do
    if mountpoint -q "$root/$place"; then umount "$root/$place"; fi
  done
}
clean() {
  unmount
  rm -rf --one-file-system "$root"
}
trap clean EXIT

clean
mkdir -p "$root" "$home/archives/partial"
if [ ! -f "$base" ]; then
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' 'Component: main' |
    head -1)
  echo "install-test: making a minimal Debian 12"
  debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$home/debootstrap.log" || {
    tail -5 "$home/debootstrap.log"
    exit 1
  }
  tar --one-file-system -C "$root" -cf "$base.new" . && mv "$base.new" "$base"
else
  tar -C "$root" -xpf "$base"
fi

# The network as this machine reaches it; downloads are kept for the next time.
apt-config dump | grep -E '^Acquire::(Check|http|https|Retries)' >"$root/etc/apt/apt.conf.d/00machine" || true
echo 'APT::Keep-Downloaded-Packages "true";' >>"$root/etc/apt/apt.conf.d/00machine"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
mount -t proc proc "$root/proc"
mount --bind "$home/archives" "$root/var/cache/apt/archives"
mkdir -p "$root/test/packages"
cp build/packages/*.deb "$root/test/packages/"
cp tests/packages/in_root.sh samples/check_output.cmake "$root/test/"
cp -r packaging/debian/tests "$root/test/autopkgtest"
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C HOME=/root DEBIAN_FRONTEND=noninteractive \
  chroot "$root" /bin/bash /test/in_root.sh
echo && echo "== the RPMs"
tests/packages/check_rpms.sh build/packages
