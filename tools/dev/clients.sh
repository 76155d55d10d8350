# What the suites that use real Kafka clients need besides packages-test.txt: some hundred megabytes of Java, Maven
# and Node. They are brought only where nothing may be skipped; elsewhere a test that lacks them skips and says so.

clients_packages() {
  local command package missing=
  [ "${WEIR_REQUIRE_ALL:-}" = 1 ] || return 0
  # By command and not by package: a machine may have its Java or Node from elsewhere.
  while read -r command package; do
    command -v "$command" >/dev/null || missing+=$package$'\n'
  done <<'EOF'
javac openjdk-17-jdk-headless
mvn maven
node nodejs
npm npm
EOF
  python3 -c 'import ensurepip' 2>/dev/null || missing+=$'python3-venv\n'
  [ -n "$missing" ] || return 0
  printf '%s' "$missing" >build/clients-missing.txt
  deps ../../build/clients-missing
}
