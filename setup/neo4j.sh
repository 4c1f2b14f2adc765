# shellcheck shell=bash
# Neo4j Community: the server's jars as a wheel of another project carries them, and a Java that runs them, from a wheel
# too. releases/neo4j.tsv says which. Sourced by x.

test_steps+=("neo4j 4.4.0")

# Jars of the project that packs them, and second copies of what Neo4j logs by.
neo4j_foreign='^(compiler|frontend|interactive|gremlin|groovy|tinkergraph|log4j-slf4j|slf4j-log4j|logback|groot|grape|hadoop)'

fetch_neo4j_release() {
  local version=$1 package sum java java_sum jar
  package=$(release_column neo4j "$version" 2)
  sum=$(release_column neo4j "$version" 3)
  java=$(release_column neo4j "$version" 4)
  java_sum=$(release_column neo4j "$version" 5)
  work=$(mktemp -d "$cache/neo4j/build.XXXXXX")
  mkdir -p "$work/release/jars"
  unpack_wheel "${package#pypi:}" "$sum" "$work/server"
  unpack_wheel "${java#pypi:}" "$java_sum" "$work/java"
  for jar in "$work"/server/graphscope.runtime/lib/*.jar; do
    [[ $(basename "$jar") =~ $neo4j_foreign ]] || mv "$jar" "$work/release/jars/"
  done
  compgen -G "$work/release/jars/neo4j-kernel-$version.jar" >/dev/null || die "$package holds no Neo4j $version"
  mv "$(dirname "$(dirname "$(find "$work/java" -path '*/bin/java' | head -n 1)")")" "$work/release/java"
  chmod -R a+rX "$work/release"
  chmod a+x "$work/release/java/bin/java"
  # The launcher starts this one for its memory settings.
  find "$work/release/java/lib" -name jspawnhelper -exec chmod a+x {} +
  # Moved last and within one file system: what exists is whole.
  mv "$work/release" "$cache/neo4j/$version"
  rm -rf "$work"
  work=
}
