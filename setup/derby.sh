# shellcheck shell=bash
# Derby for adapters/Jdbc.java: its jar, as Debian packs it. releases/derby.tsv says which release is in which suite. Sourced by x.

fetch_derby_release() {
  jar_release derby "$1" libderby-java 'derby.jar'
}
