# shellcheck shell=bash
# pg-mem for adapters/node.mjs: its npm package. releases/pgmem.tsv says which releases there are. Sourced by x.

fetch_pgmem_release() {
  npm_release pgmem "$1"
}
