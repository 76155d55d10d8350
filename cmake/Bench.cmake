# weir_machine_limit: what the machine can do at best, measured by `./dev bench` beside the brokers.
# weir_benches: all micro-benchmarks (*_bench.cc beside the code).

add_executable(weir_machine_limit EXCLUDE_FROM_ALL "${CMAKE_SOURCE_DIR}/tools/bench/machine_limit_main.cc")
target_link_libraries(weir_machine_limit PRIVATE weir_codec)

file(GLOB_RECURSE WEIR_BENCH_SOURCES CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/*_bench.cc")
add_custom_target(weir_benches)
foreach(file IN LISTS WEIR_BENCH_SOURCES)
  get_filename_component(name ${file} NAME_WE)
  add_dependencies(weir_benches ${name})
endforeach()
