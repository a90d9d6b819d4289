#!/bin/sh
# Writes files of two simulated switching centres to a folder every few seconds, until it is stopped. While the folder
# is missing, its files are lost; later files go there when it is back.
# Usage: examples/feed.sh TOLLGATE FOLDER [SECONDS]
set -eu
tollgate=$1 folder=$2 seconds=${3:-3}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
trap 'exit 0' INT TERM
number=1000
while :; do
	number=$((number + 1))
	"$tollgate" simulate cdr "$made" --seed $number --count 3000 --files 2 --flipped 0.001 > /dev/null 2>&1
	for centre in new-york boston; do
		# Remove files that were incomplete when the folder disappeared.
		rm -f "$folder/$centre"/.*.part
		part=$folder/$centre/.$number.part
		{ mv "$made/$centre"/*.ber "$part" && mv "$part" "$folder/$centre/$centre-$number.ber"; } 2> /dev/null || :
	done
	sleep "$seconds"
done
