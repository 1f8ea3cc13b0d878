# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Debian's Prometheus and Alertmanager, downloaded and not installed, and queries to Prometheus.
# Source this file after lib.sh.
command -v curl >/dev/null || skip 'curl is not installed'
command -v jq >/dev/null || skip 'jq is not installed'

export GOGC=400 # less garbage collection: a sixth of promtool's CPU time

TOOLS=$MEMTALLY_SOURCE/tests/tools
RULES=$MEMTALLY_SOURCE/contrib/prometheus

# fetch_part PACKAGE: sets PART to the folder of the unpacked package.
fetch_part() {
	PART=$("$TOOLS/get-part" "$1") && return 0
	[ $? -eq 77 ] || fail "$1 could not be fetched"
	skip "Debian's $1 cannot be fetched here"
}

need_prometheus() {
	fetch_part prometheus
	PROMETHEUS=$PART/usr/bin/prometheus
	PROMTOOL=$PART/usr/bin/promtool
}

need_alertmanager() {
	fetch_part prometheus-alertmanager
	ALERTMANAGER=$PART/usr/bin/prometheus-alertmanager
	AMTOOL=$PART/usr/bin/amtool
	ALERTMANAGER_SHARE=$PART/usr/share
}

# start_prometheus NAME CONFIGURATION [OPTION...]: starts Prometheus on port PROMETHEUS_PORT[NAME].
declare -A PROMETHEUS_PORT=()
start_prometheus() {
	local name=$1 configuration=$2
	shift 2
	PROMETHEUS_PORT[$name]=$(free_port)
	start "$name" "$PROMETHEUS" --config.file="$configuration" --storage.tsdb.path="$DIR/$name.data" \
		--web.listen-address="127.0.0.1:${PROMETHEUS_PORT[$name]}" "$@"
	wait_for 60 curl -sf "http://127.0.0.1:${PROMETHEUS_PORT[$name]}/-/ready" || fail "$name does not get ready"
}

# start_alertmanager NAME CONFIGURATION PORT. Debian's Alertmanager reads its template below
# /usr/share. So it gets a mount namespace with the unpacked template there.
start_alertmanager() {
	# shellcheck disable=SC2016
	start "$1" unshare --mount sh -c 'mount --bind "$1" /usr/share && shift && exec "$@"' sh "$ALERTMANAGER_SHARE" \
		"$ALERTMANAGER" --config.file="$2" --storage.path="$DIR/$1.data" --web.listen-address="127.0.0.1:$3" \
		--cluster.listen-address=
	wait_for 60 curl -sf "http://127.0.0.1:$3/-/ready" || fail "$1 does not get ready"
}

# ask NAME QUERY: prints a line with value and labels for each series that Prometheus NAME returns.
ask() {
	curl -sfG "http://127.0.0.1:${PROMETHEUS_PORT[$1]}/api/v1/query" --data-urlencode "query=$2" |
		jq -r '.data.result[] | .value[1] + " " + (.metric | tojson)'
}

# value NAME QUERY: prints the value of a query that returns one series; nothing while there is
# none.
value() { ask "$1" "$2" | awk 'NR == 1 { one = $1 } END { if (NR == 1) print one }'; }

# is NAME QUERY VALUE: whether the query has this value
is() { [ "$(value "$1" "$2")" = "$3" ]; }
