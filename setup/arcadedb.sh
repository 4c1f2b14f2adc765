# shellcheck shell=bash
# ArcadeDB: the server's jars with a Java of their own, as a wheel that embeds it carries them. Sourced by x.

# The newest one, and one with wrong answers that the tests know.
test_steps+=("arcadedb 26.10.2.post1" "arcadedb 26.2.1")

fetch_arcadedb_release() {
  local version=$1 package sum
  package=$(release_column arcadedb "$version" 2)
  sum=$(release_column arcadedb "$version" 3)
  work=$(mktemp -d "$cache/arcadedb/build.XXXXXX")
  unpack_wheel "${package#pypi:}" "$sum" "$work/package"
  compgen -G "$work/package/arcadedb_embedded/jars/arcadedb-bolt*.jar" >/dev/null || die "$package cannot speak Bolt"
  chmod -R a+rX "$work/package/arcadedb_embedded"
  chmod a+x "$work"/package/arcadedb_embedded/jre/bin/*
  find "$work/package/arcadedb_embedded/jre/lib" -name jspawnhelper -exec chmod a+x {} +
  # Moved last and within one file system: what exists is whole.
  mv "$work/package/arcadedb_embedded" "$cache/arcadedb/$version"
  rm -rf "$work"
  work=
}
