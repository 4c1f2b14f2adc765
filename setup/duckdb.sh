# shellcheck shell=bash
# DuckDB as a shared object with its C interface, from the packages in releases/duckdb.tsv. Sourced by x.

# The newest one, and one that has a bug the tests show.
test_steps+=("duckdb 2.0.0" "duckdb 0.10.0")

fetch_duckdb_release() {
  local version=$1 row package sum file
  [ "$(uname -sm)" = "Linux x86_64" ] || die "packages of DuckDB are known for Linux on x86-64 only"
  row=$(awk -F '\t' -v v="$version" '$1 == v' "$here/releases/duckdb.tsv")
  [ -n "$row" ] || die "no package is known for DuckDB '$version'; known releases are in releases/duckdb.tsv"
  package=$(cut -f 2 <<<"$row")
  sum=$(cut -f 3 <<<"$row")
  work=$(mktemp -d "$cache/duckdb/build.XXXXXX")
  mkdir "$work/release"
  case $package in
    npm:*)
      need npm "install Node.js to fetch DuckDB $version"
      fetch_npm "${package#npm:}" "$work" || die "cannot get $package: $(tail -n 3 "$work/npm.log")"
      ;;
    pypi:*) fetch_wheel "${package#pypi:}" "$work" || die "cannot get $package: $(tail -n 3 "$work/pip.log")" ;;
  esac
  for file in "$work"/*.tgz "$work"/*.whl; do
    [ ! -e "$file" ] || echo "$sum  $file" | sha256sum --check --status ||
      die "the package of DuckDB $version is not the one that was pinned"
  done
  case $package in
    # One of them is called libduckdb.so.1.4.
    npm:*) mv "$work"/package/libduckdb.so* "$work/release/libduckdb.so" ;;
    pypi:*) without_python "$work" "$version" || die "the wheel of DuckDB $version could not be made a library" ;;
  esac
  # Moved last and within one file system: what exists is whole.
  mv "$work/release" "$cache/duckdb/$version"
  rm -rf "$work"
  work=
}

# fetch_wheel NAME@VERSION@ABI FOLDER: unpacks the wheel into FOLDER/package, whatever Python is installed here.
fetch_wheel() {
  local name version abi platform platforms=()
  IFS=@ read -r name version abi <<<"$1"
  need python3 "install Python and its pip to fetch DuckDB $version"
  for platform in manylinux1 manylinux2010 manylinux2014 manylinux_2_17 manylinux_2_28; do
    platforms+=(--platform "${platform}_x86_64")
  done
  local digits=${abi#cp}
  digits=${digits%m}
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --implementation cp \
    --python-version "${digits:0:1}.${digits:1}" --abi "$abi" "${platforms[@]}" --dest "$2" "$name==$version" \
    >"$2/pip.log" 2>&1 || return 1
  python3 -m zipfile -e "$2"/*.whl "$2/package"
}

# without_python FOLDER VERSION: the extension module of the wheel in FOLDER/package exports DuckDB's C functions, but the
# loader wants Python's symbols for it. None of them is used by those functions, so a library that only has the names
# is linked in front of it. The module's name has the version: the loader takes files of one name for one library.
without_python() {
  local module name="libduckdb-$2-python.so"
  module=$(find "$1/package" -name '*duckdb*.so' | head -n 1)
  [ -n "$module" ] || return 1
  mv "$module" "$1/release/$name"
  nm -D --undefined-only "$1/release/$name" | awk '$NF ~ /^_?Py/ { sub(/@.*/, "", $NF); print $NF }' | sort -u |
    sed 's/.*/char &[4096] __attribute__((aligned(16)));/' >"$1/names.c"
  (cd "$1/release" && cc -w -shared -fPIC ../names.c -o libduckdb.so -Wl,--no-as-needed "$name" -Wl,-rpath,"\$ORIGIN")
}
