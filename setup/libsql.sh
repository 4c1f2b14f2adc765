# shellcheck shell=bash
# libSQL for adapters/dbapi.py: its Python package. releases/libsql.tsv says which releases there are. Sourced by x.

fetch_libsql_release() {
  pip_release libsql "$1"
}
