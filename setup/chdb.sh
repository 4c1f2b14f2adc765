# shellcheck shell=bash
# ClickHouse as a library with its C interface, from the packages in releases/chdb.tsv. Sourced by x.

test_steps+=("chdb 26.5.3")

fetch_chdb_release() {
  local version=$1 row package sum
  [ "$(uname -sm)" = "Linux x86_64" ] || die "packages of chdb are known for Linux on x86-64 only"
  need npm "install Node.js to fetch chdb"
  row=$(awk -F '\t' -v v="$version" '$1 == v' "$here/releases/chdb.tsv")
  [ -n "$row" ] || die "no package is known for chdb '$version'; known releases are in releases/chdb.tsv"
  package=$(cut -f 2 <<<"$row")
  sum=$(cut -f 3 <<<"$row")
  work=$(mktemp -d "$cache/chdb/build.XXXXXX")
  fetch_npm "${package#npm:}" "$work" || die "cannot get chdb $version from $package: $(tail -n 3 "$work/npm.log")"
  for file in "$work"/*.tgz; do
    echo "$sum  $file" | sha512sum --check --status || die "the package of chdb $version is not the one that was pinned"
  done
  [ -s "$work/package/libchdb.so" ] || die "the package of chdb $version holds no libchdb.so"
  # Moved last and within one file system: what exists is whole.
  mv "$work/package" "$cache/chdb/$version"
  rm -rf "$work"
  work=
}
