# shellcheck shell=bash
# Z3 as a shared object and as a program, from the wheels in releases/z3.tsv. Sourced by x.

# The newest one; one whose wrong results for a join, and one whose wrong results for constants the tests show; one
# that cannot read the form of bddbddb any more.
test_steps+=("z3 5.4.0" "z3 4.8.7" "z3 4.11.2" "z3 4.13.3")

fetch_z3_release() {
  local version=$1 row package sum
  [ "$(uname -sm)" = "Linux x86_64" ] || die "wheels of Z3 are known for Linux on x86-64 only"
  row=$(awk -F '\t' -v v="$version" '$1 == v' "$here/releases/z3.tsv")
  [ -n "$row" ] || die "no package is known for Z3 '$version'; known releases are in releases/z3.tsv"
  package=$(cut -f 2 <<<"$row")
  sum=$(cut -f 3 <<<"$row")
  work=$(mktemp -d "$cache/z3/build.XXXXXX")
  mkdir "$work/release"
  fetch_plain_wheel "${package#pypi:}" "$work" || die "cannot get $package: $(tail -n 3 "$work/pip.log")"
  echo "$sum  $(echo "$work"/*.whl)" | sha256sum --check --status ||
    die "the package of Z3 $version is not the one that was pinned"
  python3 -m zipfile -e "$work"/*.whl "$work/package"
  mv "$(find "$work/package" -name 'libz3.so' | head -n 1)" "$work/release/libz3.so"
  mv "$(find "$work/package" -path '*/bin/z3' | head -n 1)" "$work/release/z3"
  chmod +x "$work/release/z3"
  # Moved last and within one file system: what exists is whole.
  mv "$work/release" "$cache/z3/$version"
  rm -rf "$work"
  work=
}

# fetch_plain_wheel NAME@VERSION FOLDER: a wheel for any Python 3, whatever Python is installed here.
fetch_plain_wheel() {
  local platform platforms=()
  need python3 "install Python and its pip to fetch ${1%@*}"
  for platform in manylinux1 manylinux2010 manylinux2014 manylinux_2_17 manylinux_2_27 manylinux_2_28; do
    platforms+=(--platform "${platform}_x86_64")
  done
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: "${platforms[@]}" \
    --dest "$2" "${1%@*}==${1#*@}" >"$2/pip.log" 2>&1
}
