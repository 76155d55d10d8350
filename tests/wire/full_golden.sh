#!/usr/bin/env bash
# Compares our encoding with the reference client's for every message, version and variant.
#
#   full_golden.sh compare TEST_PROGRAM   runs weir_wire_test over the full set (needs the jar and a JDK; else exit 77)
#   full_golden.sh refresh                writes the committed sample, tests/wire/golden/messages.txt
#
# The jars are looked for in the local Maven repository. To get them:
#   mvn dependency:get -Dartifact=org.apache.kafka:kafka-clients:4.4.0
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
repository=${MAVEN_REPOSITORY:-$HOME/.m2/repository}
clients=${WEIR_KAFKA_CLIENTS_JAR:-$repository/org/apache/kafka/kafka-clients/4.4.0/kafka-clients-4.4.0.jar}
slf4j=${WEIR_SLF4J_JAR:-$repository/org/slf4j/slf4j-api/1.7.36/slf4j-api-1.7.36.jar}

skip() { echo "skipped: $1"; exit 77; }
[[ -f $clients ]] || skip "no $clients"
[[ -f $slf4j ]] || skip "no $slf4j"
command -v javac >/dev/null || skip "no javac"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
keys=$(cd "$here/../../schemas/kafka" && printf '%s\n' [0-9]*_*.json | sed 's/_.*//; s/^0*\([0-9]\)/\1/' | paste -sd,)
javac -Xlint:all -Werror -cp "$clients:$slf4j" -d "$work" "$here/java/GoldenWriter.java"
java -cp "$work:$clients:$slf4j" GoldenWriter "$keys" >"$work/full.txt" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }

case ${1:-} in
  compare) WEIR_WIRE_GOLDEN_FILE="$work/full.txt" "$2" --gtest_filter='Golden.*' ;;
  # The sample leaves out the variant that says null wherever it may: the fast tests stay small.
  refresh) grep -v '^message [^ ]* [0-9]* null ' "$work/full.txt" >"$here/golden/messages.txt" ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
