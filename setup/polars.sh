# shellcheck shell=bash
# Polars for adapters/dbapi.py: its Python package. releases/polars.tsv says which releases there are. Sourced by x.

fetch_polars_release() {
  pip_release polars "$1"
}
