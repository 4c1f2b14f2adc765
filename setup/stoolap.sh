# shellcheck shell=bash
# Stoolap for adapters/node.mjs: its npm package. releases/stoolap.tsv says which releases there are. Sourced by x.

fetch_stoolap_release() {
  npm_release stoolap "$1"
}
