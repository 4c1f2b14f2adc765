# shellcheck shell=bash
# LadybugDB as a module of Python, for examples/kuzu_adapter.py; releases/ladybug.tsv says which wheels there are.
# Sourced by x.
test_steps+=("ladybug 0.22.0")

fetch_ladybug_release() {
  fetch_python_module ladybug "$1"
}
