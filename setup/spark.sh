# shellcheck shell=bash
# Spark for adapters/dbapi.py: its Python package with the jars that are in it. There is no wheel, and the package need not be
# built. releases/spark.tsv says which releases there are; './x java VERSION' has a Java for it. Sourced by x.

fetch_spark_release() {
  local version=$1 package sum source
  need python3 "install Python and its pip to fetch Spark"
  package=$(release_column spark "$version" 2)
  sum=$(release_column spark "$version" 3)
  work=$(mktemp -d "$cache/spark/build.XXXXXX")
  mkdir "$work/fetched" "$work/source"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
    --dest "$work/fetched" "pyspark==${package#*@}" >"$work/pip.log" 2>&1 ||
    die "cannot get $package: $(tail -n 3 "$work/pip.log")"
  echo "$sum  $(echo "$work"/fetched/*.tar.gz)" | sha256sum --check --status ||
    die "the archive of $package is not the one that was pinned"
  tar xzf "$work"/fetched/*.tar.gz -C "$work/source" --strip-components 1
  source=$work/source
  mkdir "$work/release"
  mv "$source/pyspark" "$work/release/pyspark"
  mv "$source/deps/jars" "$work/release/pyspark/jars"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --only-binary :all: \
    --target "$work/release" "$(release_column spark "$version" 4)" >"$work/pip.log" 2>&1 ||
    die "cannot get what Spark needs: $(tail -n 3 "$work/pip.log")"
  # Moved last and within one file system: what exists is whole.
  mv "$work/release" "$cache/spark/$version"
  rm -rf "$work"
  work=
}
