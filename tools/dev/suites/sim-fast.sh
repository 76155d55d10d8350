# fast 30: 30 seeds of the simulation, 10 each with groups and maintenance, each canary caught, and the same seed twice
[ -z "${WEIR_FILTER:-}" ] || suite_skip "it has no tests by name"
. tools/dev/unit.sh
sim_seeds "$WEIR_PRESET" 30
sim_seeds "$WEIR_PRESET" 10 --workload groups
sim_seeds "$WEIR_PRESET" 10 --workload maintenance
sim_seeds "$WEIR_PRESET" 4 --twice
"build/$WEIR_PRESET/weir_sim" --canaries
