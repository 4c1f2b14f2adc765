# shellcheck shell=bash
# sql.js for adapters/node.mjs: its npm package. releases/sqljs.tsv says which releases there are. Sourced by x.

fetch_sqljs_release() {
  npm_release sqljs "$1"
}

test_steps+=("sqljs 1.15.2")
