# shellcheck shell=bash
# H2 for adapters/Jdbc.java: its jar, as Debian packs it. releases/h2.tsv says which release is in which suite. Sourced by x.
test_steps+=("h2 2.1.214")
fetch_h2_release() {
  jar_release h2 "$1" libh2-java 'h2-*.jar'
}
