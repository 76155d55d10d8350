# weir_make_log: writes the long commit logs that tests/scale starts brokers on.

add_executable(weir_make_log EXCLUDE_FROM_ALL "${CMAKE_SOURCE_DIR}/tests/scale/make_log_main.cc")
weir_use_precompiled(weir_make_log weir_pch)
target_link_libraries(weir_make_log PRIVATE weir_engine weir_objstore_file weir_commitlog weir_rt_asio)
