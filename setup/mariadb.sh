# MariaDB from Debian's packages. releases/mariadb.tsv says which release is in which suite.
test_steps+=("mariadb 11.8.9")

fetch_mariadb_release() {
  local version=$1 place
  place=$(awk -F '\t' -v v="$version" '$1 == v { print $2 }' "$here/releases/mariadb.tsv")
  case $place in
    # The client package is for people who want to look at a finding with the server's own shell.
    debian:*)
      debian_release mariadb "$version" "${place#debian:}" usr/sbin/mariadbd mariadb-server-core mariadb-client-core
      ;;
    *) die "no package is known for MariaDB '$version'; known releases are in releases/mariadb.tsv" ;;
  esac
}
