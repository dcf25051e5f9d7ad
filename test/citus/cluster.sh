#!/usr/bin/env bash
# Runs three PostgreSQL servers with Citus on this machine: a coordinator on port 9700 (FIRST_PORT), workers on
# the next two ports. The servers are for tests: they accept every connection without a password.
#
#   test/citus/cluster.sh start <directory>    creates missing servers, starts all, prints DATABASE_CITUS_TEST_URL
#   test/citus/cluster.sh stop <directory>
#
# PG_BIN: the directory of initdb and pg_ctl of a PostgreSQL with Citus. initdb refuses root: run it as another
# user.
set -euo pipefail

action=${1:?start or stop}
directory=${2:?a directory for the three clusters}
bin=${PG_BIN:-$(pg_config --bindir)}
first=${FIRST_PORT:-9700}

on() { "$bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 -h 127.0.0.1 -U postgres -p "$1" -d "$2" -c "$3"; }

start_server() {
  local port=$1 data="$directory/$1"
  if [ ! -d "$data" ]; then
    "$bin/initdb" -D "$data" -U postgres --auth=trust -E UTF8 --locale=C.UTF-8 > /dev/null
    cat >> "$data/postgresql.conf" << CONF
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_preload_libraries = 'citus'
wal_level = logical
max_connections = 300
max_prepared_transactions = 300
max_worker_processes = 64
max_locks_per_transaction = 512
citus.recover_2pc_interval = '5s'
CONF
  fi
  "$bin/pg_ctl" -D "$data" status > /dev/null || "$bin/pg_ctl" -D "$data" -l "$directory/$port.log" -w start > /dev/null
}

for port in $first $((first + 1)) $((first + 2)); do
  if [ "$action" = stop ]; then
    "$bin/pg_ctl" -D "$directory/$port" -m fast -w stop > /dev/null
    continue
  fi
  start_server "$port"
  if [ -z "$(on "$port" postgres "SELECT 1 FROM pg_database WHERE datname = 'citus'")" ]; then
    on "$port" postgres 'CREATE DATABASE citus'
    on "$port" citus 'CREATE EXTENSION citus'
  fi
done
[ "$action" = stop ] && exit

on $first citus "SELECT citus_set_coordinator_host('127.0.0.1', $first)" > /dev/null
for port in $((first + 1)) $((first + 2)); do
  on $first citus "SELECT citus_add_node('127.0.0.1', $port)" > /dev/null
done
echo "DATABASE_CITUS_TEST_URL=postgres://postgres@127.0.0.1:$first/citus"
