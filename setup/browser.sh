# shellcheck shell=bash
# A headless Chromium from Debian's packages, and what drives and examines it from npm, for tests/report_page.rs. The
# version is that of playwright-core in tests/browser/package.json; of Chromium, the one that this machine's suite has.

test_steps+=("browser 1.65.0")

fetch_browser_release() {
  local version=$1 suite
  need npm "install Node.js and its npm to fetch playwright-core"
  # Chromium starts itself again by its own path, so it runs with this machine's C library: the suite must be the same.
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
  work=$(mktemp -d "$cache/browser/build.XXXXXX")
  mkdir "$work/release"
  cp "$here/tests/browser/package.json" "$work/release/"
  (cd "$work/release" && npm install --silent --no-package-lock --ignore-scripts >npm.log 2>&1) ||
    die "cannot get the packages of tests/browser/package.json: $(tail -n 3 "$work/release/npm.log")"
  [ "$(node -p "require('$work/release/node_modules/playwright-core/package.json').version")" = "$version" ] ||
    die "tests/browser/package.json does not ask for playwright-core '$version'"
  debian_apt "$work/apt" "$suite" && debian_unpack "$work/apt" "$work/release/root" chromium fonts-dejavu-core ||
    die "cannot get chromium from Debian's suite '$suite': $(tail -n 3 "$work/apt/apt.log")"
  # The machine's own C library is used, see above.
  rm -f "$work"/release/root/usr/lib/*/{ld-linux*,libc.so*,libm.so*,libpthread.so*,libdl.so*,librt.so*,libresolv.so*}
  (cd "$work/release/root" && find usr/lib -name '*.so*' -printf '%h\n' | sort -u) >"$work/release/libraries"
  cat >"$work/release/chromium" <<'RUN'
#!/bin/sh
root=$(cd "$(dirname "$0")" && pwd)/root
LD_LIBRARY_PATH=$(sed "s|^|$root/|" "$root/../libraries" | paste -s -d :)
export LD_LIBRARY_PATH FONTCONFIG_SYSROOT="$root" XDG_DATA_DIRS="$root/usr/share"
exec "$root/usr/lib/chromium/chromium" "$@"
RUN
  chmod +x "$work/release/chromium"
  "$work/release/chromium" --version >/dev/null || die "the chromium of Debian's suite '$suite' does not start here"
  # Moved last and within one file system: what exists is whole.
  mv "$work/release" "$cache/browser/$version"
  rm -rf "$work"
  work=
}
