# shellcheck shell=bash
# mdBook, which makes a site of docs/: built from its crate, which takes minutes. No test needs it; with it, tests/book.rs
# builds the book as well. './x mdbook VERSION', then '~/.cache/qualm/mdbook/VERSION/bin/mdbook build docs'.
fetch_mdbook_release() {
  work=$(mktemp -d "$cache/mdbook/build.XXXXXX")
  cargo install --quiet --locked --no-default-features --root "$work/release" "mdbook@$1" ||
    die "cannot build mdBook '$1'"
  mv "$work/release" "$cache/mdbook/$1"
  rm -rf "$work"
  work=
}
