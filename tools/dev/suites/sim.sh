# long 60: 1,000 seeds of the simulation
. tools/dev/unit.sh
sim_seeds "$WEIR_PRESET" 1000
