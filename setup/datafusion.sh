# shellcheck shell=bash
# DataFusion for adapters/dbapi.py: its Python package. releases/datafusion.tsv says which releases there are. Sourced by x.

fetch_datafusion_release() {
  pip_release datafusion "$1"
}
