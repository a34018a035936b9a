#!/bin/bash
# tools/emulate_avx512.sh TEST[:GTEST_FILTER]...: runs tests of build/release, ops/linear say, with
# PADLESS_ISA=avx512 on an emulated processor that has AVX-512 (Bochs, a Skylake-X), for machines
# without it. Some hundred times slower than a processor: choose the tests. As root, on Debian 12.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -eq 0 ]; then
  echo "emulate: which tests? For example: tools/emulate_avx512.sh ops/linear 'ops/attention:*Long*'" >&2
  exit 2
fi

packages="bochs bochs-sdl bochsbios vgabios isolinux syslinux-common xorriso busybox-static cpio"
# shellcheck disable=SC2086  # a list of words
dpkg-query -W $packages >/dev/null 2>&1 ||
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -o Dpkg::Use-Pty=0 \
    --no-install-recommends $packages >/dev/null

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
guest=$work/guest disc=$work/disc
mkdir -p "$guest"/{bin,proc,dev,tmp,tests} "$disc/isolinux"

# A kernel of the distribution's; only fetched and unpacked, this machine goes on with its own.
kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: //p' | head -n 1)
(cd "$work" && apt-get download -qq "$kernel" >/dev/null 2>&1)
dpkg-deb -x "$work/$kernel"_*.deb "$work/kernel"
cp "$work"/kernel/boot/vmlinuz-* "$disc/vmlinuz"

# The guest: busybox, the tests with the libraries they are linked with, and their data.
cp /bin/busybox "$guest/bin/"
mkdir -p "$guest$PWD"
cp -r testdata "$guest$PWD/"
for test in "$@"; do
  name=${test%%:*} filter='*'
  if [ "$name" != "$test" ]; then filter=${test#*:}; fi
  program=build/release/tests/${name//\//_}_test
  if [ ! -x "$program" ]; then
    echo "emulate: there is no $program, expected the test $name (make test builds it)" >&2
    exit 2
  fi
  cp "$program" "$guest/tests/"
  echo "${program##*/} $filter" >>"$guest/tests/list"
  ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$guest${library%/*}"
    cp -L --no-clobber "$library" "$guest$library"
  done
done
cat >"$guest/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin PADLESS_ISA=avx512 GTEST_COLOR=no
mount -t proc proc /proc
mount -t tmpfs tmpfs /tmp
failed=0
while read -r program filter; do
  echo "== $program $filter"
  "/tests/$program" --gtest_brief=1 "--gtest_filter=$filter" || failed=$((failed + 1))
done </tests/list
if [ $failed -eq 0 ]; then echo "emulate: all passed"; else echo "emulate: $failed failed"; fi
sleep 2  # until the serial line has sent the last of it
poweroff -f
INIT
chmod +x "$guest/init"
(cd "$guest" && find . | cpio -o -H newc --quiet | gzip -1) >"$disc/initrd.gz"

# The compacted form of XSAVE's area has sizes in this Bochs that Linux takes for a fault, after
# which it would run without AVX: so without XSAVEC and XSAVES.
cat >"$disc/isolinux/isolinux.cfg" <<'LINUX'
default tests
label tests
 kernel /vmlinuz
 append initrd=/initrd.gz console=ttyS0,115200 quiet clearcpuid=xsaves,xsavec mitigations=off nosmp panic=-1
LINUX
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$disc/isolinux/"
xorriso -as mkisofs -quiet -o "$work/disc.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat \
  -no-emul-boot -boot-load-size 4 -boot-info-table "$disc" 2>/dev/null

cat >"$work/bochsrc" <<BOCHS
config_interface: textconfig
display_library: sdl2
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
cpu: model=corei7_skylake_x, ips=50000000
memory: guest=1024, host=1024
ata0-master: type=cdrom, path=$work/disc.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/printed
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
speaker: enabled=0
log: $work/log
clock: sync=none
BOCHS
echo continue >"$work/debugger"  # Debian's Bochs begins in its debugger
: >"$work/printed"
tail -n +1 -f "$work/printed" --pid=$$ &
# It has to have a display, and this one shows nothing. It calls every way to power off an error.
SDL_VIDEODRIVER=dummy bochs-bin -q -f "$work/bochsrc" -rc "$work/debugger" \
  >"$work/console" 2>&1 </dev/null || true
sleep 1
if ! grep -q '^emulate: ' "$work/printed"; then
  echo "emulate: the machine stopped before its tests did; the last of its log:" >&2
  tail -n 20 "$work/log" >&2
fi
grep -q '^emulate: all passed' "$work/printed"
