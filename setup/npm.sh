# shellcheck shell=bash
# Packages of npm for adapters/node.mjs. Sourced by x.

# npm_release ENGINE VERSION: the packages of a release, in "$cache/ENGINE/VERSION/node_modules", which --path of the adapter
# takes. releases/ENGINE.tsv names them all with their versions; scripts of packages are run only where `build` stands in its
# third column, because a driver has to be compiled.
npm_release() {
  local engine=$1 version=$2 packages scripts=--ignore-scripts
  need npm "install Node and npm to fetch $engine $version"
  packages=$(release_column "$engine" "$version" 2)
  [ "$(release_column "$engine" "$version" 3)" != build ] || scripts=
  work=$(mktemp -d "$cache/$engine/build.XXXXXX")
  mkdir "$work/release"
  # shellcheck disable=SC2086
  (cd "$work/release" && npm install --no-audit --no-fund --no-save --silent $scripts ${packages//,/ }) >"$work/npm.log" 2>&1 ||
    die "cannot get $packages: $(tail -n 3 "$work/npm.log")"
  # Moved last and within one file system: what exists is whole.
  mv "$work/release" "$cache/$engine/$version"
  rm -rf "$work"
  work=
}
