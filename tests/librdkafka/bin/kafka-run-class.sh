#!/bin/sh
# Runs a Java class with Kafka's jars, as the script of this name in a Kafka distribution does.
exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx256m -cp "${CLASSPATH:-}:${KAFKA_PATH:?}/libs/*" "$@"
