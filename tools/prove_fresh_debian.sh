#!/bin/bash
# tools/prove_fresh_debian.sh [MAKE_TARGET...] (default: test study): proves the front door on a fresh
# Debian 12. As root, it makes one by debootstrap in a folder of its own, from the mirrors that this
# machine's apt is set up with, copies the committed files into it and runs each target twice: once
# from nothing, once with nothing left to do. ARGS is handed to the targets.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=(test study); fi
suite=bookworm
mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME)' "Created-By: Packages" |
  awk -v suite=$suite '$2 == suite { print $1; exit }')
if [ -z "$mirror" ]; then
  echo "prove: found no $suite among apt's sources, expected one (apt-get update may be due)" >&2
  exit 1
fi

root=$(mktemp -d)
chmod 755 "$root"  # apt gives up its rights and still has to look inside
clean() {
  umount -q "$root/proc" || true
  rm -rf --one-file-system "$root"
}
trap clean EXIT

echo "== debootstrap $suite"
debootstrap --variant=minbase --include=make,ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
  { tail -n 20 "$root.log"; exit 1; }
rm -f "$root.log"
# How to reach the mirrors is this machine's matter; every other setting is the fresh system's own.
rm -f "$root/etc/apt/sources.list"
for sources in sources.list sources.list.d; do
  if [ -e /etc/apt/$sources ]; then cp -a /etc/apt/$sources "$root/etc/apt/"; fi
done
apt-config dump | grep -i '::proxy' >"$root/etc/apt/apt.conf.d/99proxy" || true
cp /etc/resolv.conf /etc/hosts "$root/etc/"
mount -t proc proc "$root/proc"
mkdir -p "$root/srv/padless"
git archive HEAD | tar -x -C "$root/srv/padless"

for target in "${targets[@]}"; do
  for turn in "from nothing" "again"; do
    begin=$SECONDS
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
      make -C /srv/padless "$target" ARGS="${ARGS:-}"
    echo "== make $target, $turn: $((SECONDS - begin)) s"
  done
done
