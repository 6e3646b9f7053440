#!/bin/sh
# Start the head of a cluster: head.sh [PORT] [further options of `ray start`]
set -eu
port=${1:-6379}
[ $# -gt 0 ] && shift
umask 077
[ -f "$HOME/.ray/auth_token" ] || ray get-auth-token --generate > /dev/null
chmod 600 "$HOME/.ray/auth_token"
export RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0
exec ray start --head --port="$port" --include-dashboard=false "$@"
