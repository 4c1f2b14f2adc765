# shellcheck shell=bash
# PGlite for adapters/node.mjs: its npm package. releases/pglite.tsv says which releases there are. Sourced by x.

fetch_pglite_release() {
  npm_release pglite "$1"
}
