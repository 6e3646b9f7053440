#!/bin/sh
# Begin a run or go on with it, whichever it is: run-or-resume.sh FOLDER NAME PUZZLE [options of `islands run`]
# For jobs that a scheduler starts again: the same command is right every time. The exit code is that of `islands`.
set -eu
usage='usage: run-or-resume.sh FOLDER NAME PUZZLE [options of islands run]'
folder=${1:?$usage}
name=${2:?$usage}
puzzle=${3:?$usage}
shift 3
case $folder in
*://*) # a URL: its options stay at the end
  run=${folder%%\?*}/$name${folder#"${folder%%\?*}"}
  there() { islands show "$run" --summary > /dev/null 2>&1; }
  ;;
*)
  run=$folder/$name
  there() { [ -e "$run/job.json" ]; }
  ;;
esac
if there; then
  exec islands resume "$run" --address "${ISLANDS_ADDRESS:-auto}"
fi
exec islands run "$puzzle" --out "$folder" --name "$name" --address "${ISLANDS_ADDRESS:-auto}" "$@"
