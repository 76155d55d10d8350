# weir_sim: the simulation of a whole cluster (tests/sim), and the tests of its parts.

file(GLOB WEIR_SIM_SOURCES CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/sim/*.cc")
set(WEIR_SIM_TESTS ${WEIR_SIM_SOURCES})
list(FILTER WEIR_SIM_TESTS INCLUDE REGEX "_test\\.cc$")
list(FILTER WEIR_SIM_SOURCES EXCLUDE REGEX "_(test|main)\\.cc$")

add_library(weir_sim_parts STATIC EXCLUDE_FROM_ALL ${WEIR_SIM_SOURCES})
weir_use_precompiled(weir_sim_parts weir_pch)
target_include_directories(weir_sim_parts PUBLIC "${CMAKE_SOURCE_DIR}")
target_link_libraries(weir_sim_parts PUBLIC weir_broker_handlers weir_client weir_engine weir_objstore_file weir_commitlog weir_rt_sim Threads::Threads)

add_executable(weir_sim EXCLUDE_FROM_ALL "${CMAKE_SOURCE_DIR}/tests/sim/sim_main.cc")
weir_use_precompiled(weir_sim weir_pch)
target_link_libraries(weir_sim PRIVATE weir_sim_parts)

if(WEIR_SIM_TESTS AND NOT WEIR_FUZZ)
  add_executable(weir_sim_test ${WEIR_SIM_TESTS})
  add_dependencies(weir_tests weir_sim_test)
  weir_use_precompiled(weir_sim_test weir_test_pch)
  target_link_libraries(weir_sim_test PRIVATE weir_sim_parts gtest gmock gtest_main)
  add_test(NAME weir_sim COMMAND weir_sim_test)
  set_tests_properties(weir_sim PROPERTIES TIMEOUT 300)
endif()
