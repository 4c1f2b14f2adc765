# Oracle's MySQL: the newest from Debian's packages, an old one from npm. releases/mysql.tsv says which is where.
test_steps+=("mysql 9.7.4")

fetch_mysql_release() {
  local version=$1 place
  place=$(awk -F '\t' -v v="$version" '$1 == v { print $2 }' "$here/releases/mysql.tsv")
  case $place in
    debian:*) debian_release mysql "$version" "${place#debian:}" usr/sbin/mysqld mysql-server-core mysql-client-core ;;
    npm:*)
      work=$(mktemp -d "$cache/mysql/build.XXXXXX")
      fetch_npm "${place#npm:}" "$work" || die "cannot get MySQL '$version': $(tail -n 3 "$work/npm.log")"
      chmod +x "$work/package/server/mysqld"
      # Somebody's data folder: ours are made afresh.
      rm -rf "$work"/package/server/{data,binlog}
      mv "$work/package/server" "$cache/mysql/$version"
      rm -rf "$work"
      work=
      ;;
    *) die "no package is known for MySQL '$version'; known releases are in releases/mysql.tsv" ;;
  esac
}
