# shellcheck shell=bash
# ClickHouse servers from Debian packages, unpacked with every library they need, libc included, into a folder of their
# own: nothing is installed and no privilege is needed. Sourced by x.

test_steps+=("clickhouse 18.16.1")

# clickhouse_apt FOLDER ARGUMENT...: apt-get with lists, cache and status of its own, so that it counts nothing as
# installed; sources.list in the folder says where packages come from. apt checks signatures and sums.
clickhouse_apt() {
  local folder=$1
  shift
  apt-get -qq -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=- -o Dir::Etc::Preferences=- \
    -o Dir::Etc::PreferencesParts=- -o Dir::State="$folder/state" -o Dir::State::Status="$folder/status" \
    -o Dir::Cache="$folder/cache" -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 \
    -o APT::Install-Recommends=0 "$@"
}

fetch_clickhouse_release() {
  local version=$1 row suite package packed archive deb
  [ "$(uname -sm)" = "Linux x86_64" ] || die "packages of clickhouse are known for Linux on x86-64 only"
  need apt-get "the only packages known of old ClickHouse servers are Debian's"
  need dpkg-deb "the only packages known of old ClickHouse servers are Debian's"
  row=$(awk -F '\t' -v v="$version" '$1 == v' "$here/releases/clickhouse.tsv")
  [ -n "$row" ] || die "no package is known for clickhouse '$version'; known releases are in releases/clickhouse.tsv"
  suite=$(cut -f 2 <<<"$row")
  package=$(cut -f 3 <<<"$row")
  packed=$(cut -f 4 <<<"$row")
  # The archive that this machine uses already; its security suite is a place of its own.
  archive=$(apt-get indextargets --format '$(REPO_URI) $(SUITE)' 'Created-By: Packages' 'Origin: Debian' \
    'Component: main' | grep -v -e security -e ports | head -n 1 | cut -d ' ' -f 1)
  [ -n "$archive" ] || die "apt knows no Debian archive on this machine; run 'apt-get update' on a Debian system"
  work=$(mktemp -d "$cache/clickhouse/build.XXXXXX")
  mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
  : >"$work/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $suite main" >"$work/sources.list"
  {
    clickhouse_apt "$work" update
    clickhouse_apt "$work" --yes --download-only install "$package=$packed"
  } >"$work/apt.log" 2>&1 || die "cannot get clickhouse $version: $(tail -n 3 "$work/apt.log")"
  for deb in "$work"/cache/archives/*.deb; do
    dpkg-deb -x "$deb" "$work/root" || die "cannot unpack '$deb'"
  done
  # Started by the loader that came with it, so that its libraries are its own.
  cat >"$work/root/clickhouse-server" <<'SH'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
lib=$here/usr/lib/x86_64-linux-gnu
exec "$here/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2" --library-path "$lib:$here/lib/x86_64-linux-gnu" \
  "$here/usr/sbin/clickhouse-server" "$@"
SH
  chmod +x "$work/root/clickhouse-server"
  # Moved last and within one file system: what exists is whole.
  mv "$work/root" "$cache/clickhouse/$version"
  rm -rf "$work"
  work=
}
