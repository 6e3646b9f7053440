#!/bin/sh
# Add this machine to a cluster: worker.sh HEAD:PORT [further options of `ray start`]
set -eu
head=${1:?usage: worker.sh HEAD:PORT}
shift
[ -f "$HOME/.ray/auth_token" ] || { echo "copy the head's ~/.ray/auth_token here first (chmod 600)" >&2; exit 2; }
chmod 600 "$HOME/.ray/auth_token"
export RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0
exec ray start --address="$head" "$@"
