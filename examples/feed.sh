#!/bin/sh
# Writes files of two simulated switching centres to a folder, some every few seconds, until it is stopped.
# Usage: examples/feed.sh TOLLGATE FOLDER
set -eu
tollgate=$1 folder=$2
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
trap 'exit 0' INT TERM
number=1000
while :; do
	number=$((number + 1))
	"$tollgate" simulate cdr "$made" --seed $number --count 3000 --files 2 --flipped 0.001 > /dev/null 2>&1
	for centre in new-york boston; do
		for file in "$made/$centre"/*.ber; do
			mv "$file" "$folder/$centre/.$number.part"
			mv "$folder/$centre/.$number.part" "$folder/$centre/$centre-$number.ber"
		done
	done
	sleep 3
done
