# long 60: 1,000 seeds of the simulation with engines, 200 with whole brokers, 1,000 with members of groups, 2,000 with maintenance
. tools/dev/unit.sh
sim_seeds "$WEIR_PRESET" 1000
sim_seeds "$WEIR_PRESET" 200 --workload broker
sim_seeds "$WEIR_PRESET" 1000 --workload groups
sim_seeds "$WEIR_PRESET" 2000 --workload maintenance
