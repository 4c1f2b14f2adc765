# shellcheck shell=bash
# clingo as a shared object with its C interface, from the wheels in releases/clingo.tsv. Sourced by x.

test_steps+=("clingo 5.8.2")

fetch_clingo_release() {
  local version=$1 row package sum
  [ "$(uname -sm)" = "Linux x86_64" ] || die "wheels of clingo are known for Linux on x86-64 only"
  row=$(awk -F '\t' -v v="$version" '$1 == v' "$here/releases/clingo.tsv")
  [ -n "$row" ] || die "no package is known for clingo '$version'; known releases are in releases/clingo.tsv"
  package=$(cut -f 2 <<<"$row")
  sum=$(cut -f 3 <<<"$row")
  work=$(mktemp -d "$cache/clingo/build.XXXXXX")
  mkdir "$work/release"
  fetch_wheel "${package#pypi:}" "$work" || die "cannot get $package: $(tail -n 3 "$work/pip.log")"
  echo "$sum  $(echo "$work"/*.whl)" | sha256sum --check --status ||
    die "the package of clingo $version is not the one that was pinned"
  clingo_without_python "$work" || die "the wheel of clingo $version could not be made a library"
  # Moved last and within one file system: what exists is whole.
  mv "$work/release" "$cache/clingo/$version"
  rm -rf "$work"
  work=
}

# clingo_without_python FOLDER: the extension module of the wheel exports clingo's C functions, but the loader
# wants Python's symbols for it. None of them is used by those functions, so a library that only has the names is linked
# in front of it, as for DuckDB. The module keeps its name, by which it wants to be found.
clingo_without_python() {
  local module name
  module=$(find "$1/package" -name '_clingo*.so' | head -n 1)
  [ -n "$module" ] || return 1
  name=$(basename "$module")
  mv "$module" "$1/release/$name"
  nm -D --undefined-only "$1/release/$name" | awk '$NF ~ /^_?Py/ { sub(/@.*/, "", $NF); print $NF }' | sort -u |
    sed 's/.*/char &[4096] __attribute__((aligned(16)));/' >"$1/names.c"
  (cd "$1/release" && cc -w -shared -fPIC ../names.c -o libclingo.so -Wl,--no-as-needed "$name" -Wl,-rpath,"\$ORIGIN")
}
