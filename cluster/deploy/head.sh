#!/bin/sh
# Start the head of a cluster: head.sh [PORT] [further options of `ray start`]
# The dashboard, through which jobs are submitted, listens on the loopback interface: reach it with
#   ssh -N -L 8265:127.0.0.1:8265 HEAD
# It needs the extra `cluster`; without it add --include-dashboard=false.
set -eu
port=6379
case ${1:-} in
'' | -*) ;;
*[!0-9]*) echo "usage: head.sh [PORT] [options of ray start]; $1 is not a port" >&2 && exit 2 ;;
*) port=$1 && shift ;;
esac
umask 077
[ -f "$HOME/.ray/auth_token" ] || ray get-auth-token --generate > /dev/null
chmod 600 "$HOME/.ray/auth_token"
export RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0
# `ray job stop` sends SIGTERM: a run then saves, for which it has this many seconds before it is killed.
export RAY_JOB_STOP_WAIT_TIME_S=60
exec ray start --head --port="$port" --include-dashboard=true --dashboard-host=127.0.0.1 "$@"
