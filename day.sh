#!/bin/sh
# Plays a day of prepaid calls: opens a thousand accounts, makes calls over HTTP, refills, sells a bundle, reverses a
# charge, and shows where each unit of money is. It exits with 1 if an answer or a balance is wrong.
# Usage: examples/prepaid/day.sh TOLLGATE FOLDER [ATTEMPTS]
set -eu
tollgate=$1 folder=$2 attempts=${3:-20000}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
cp -r "$here/charging.toml" "$here/tariff" "$here/subscribers.csv" "$folder"
export TOLLGATE_CHARGING="$folder/charging.toml"

echo "A thousand subscribers:"
"$tollgate" subscriber import "$folder/subscribers.csv"

"$tollgate" charge run & charging=$!
trap 'kill $charging 2> /dev/null || :; wait $charging 2> /dev/null || :' EXIT
sleep 1
kill -0 $charging || exit 1

echo
echo "Their calls, as a network charges them over HTTP:"
"$tollgate" simulate calls --url http://127.0.0.1:8090 --attempts "$attempts" --second 0.01

echo
echo "One of them refills, buys a bundle of data, and gets a charge back:"
number=46701000007
"$tollgate" account refill $number 100.00 --reference payment-4711
"$tollgate" account buy $number data-1gb --reference order-4711
entry=$("$tollgate" account history $number --json | sed -n 's/.*"entry":\([0-9]*\).*"system":"revenue".*/\1/p' | head -n 1)
[ -z "$entry" ] || "$tollgate" account reverse $number "$entry" --because "the line was dead"
"$tollgate" account show $number

echo
echo "The account of every unit of money:"
"$tollgate" charge show
