# shellcheck shell=bash
# ClickHouse for adapters/dbapi.py: the newest chDB, whose library has no C interface for the built-in driver.
# releases/chdbpy.tsv says which releases there are. Sourced by x.

fetch_chdbpy_release() {
  pip_release chdbpy "$1"
}
