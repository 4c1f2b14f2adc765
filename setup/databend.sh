# shellcheck shell=bash
# Databend for adapters/dbapi.py: its Python package. releases/databend.tsv says which releases there are. Sourced by x.

fetch_databend_release() {
  pip_release databend "$1"
}
