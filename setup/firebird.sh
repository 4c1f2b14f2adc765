# shellcheck shell=bash
# Firebird for adapters/dbapi.py: the engine as a Python package, its driver, and a library of Debian that the engine wants and
# the package has not. releases/firebird.tsv says which releases there are. Sourced by x.

fetch_firebird_release() {
  local release=$cache/firebird/$1 apt
  pip_release firebird "$1"
  work=$(mktemp -d "$cache/firebird/build.XXXXXX")
  apt=$work/apt
  # What is not whole must not stay.
  if ! debian_apt "$apt" bookworm || ! (cd "$work" && APT_CONFIG=$apt/apt.conf apt-get --quiet download libtommath1 >"$work/apt.log" 2>&1) ||
    ! dpkg-deb -x "$work"/libtommath1*.deb "$work/root" ||
    ! cp "$(find "$work/root" -name 'libtommath.so.1.*' | head -n 1)" "$release/firebird/embedded/runtime/libtommath.so.1"; then
    rm -rf "$release"
    die "cannot get libtommath1 from Debian's suite 'bookworm': $(tail -n 3 "$work"/*.log 2>/dev/null)"
  fi
  rm -rf "$work"
  work=
}
