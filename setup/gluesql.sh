# shellcheck shell=bash
# GlueSQL: adapters/rust with the crate linked in. releases/gluesql.tsv says which releases there are. Sourced by x.

fetch_gluesql_release() {
  release_column gluesql "$1" 2 >/dev/null
  need cargo "install Rust"
  work=$(mktemp -d "$cache/gluesql/build.XXXXXX")
  cargo build --quiet --release --locked --manifest-path "$here/adapters/rust/Cargo.toml" --features gluesql \
    --target-dir "$work/target" || die "cannot build GlueSQL $1"
  mkdir "$work/release"
  mv "$work/target/release/gluesql" "$work/release/gluesql"
  mv "$work/release" "$cache/gluesql/$1"
  rm -rf "$work"
  work=
}
