# Sources that tools/kafkagen writes into the build tree, below <build>/gen.
#
# The list of outputs is asked from the generator at configure time; the files are written at build time, and only
# those whose content changed, so that a touched schema recompiles what it changed. Sets WEIR_GENERATED_wire and
# WEIR_GENERATED_state (what the layers compile) and the target weir_generated (what they wait for).

find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
file(GLOB WEIR_KAFKAGEN CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tools/kafkagen/*.py")
add_custom_target(weir_generated)

function(weir_generate profile schemas)
  file(GLOB inputs CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${schemas}/*.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inputs} ${WEIR_KAFKAGEN})
  set(command "${Python3_EXECUTABLE}" -B "${CMAKE_SOURCE_DIR}/tools/kafkagen" --profile ${profile}
    --schemas "${CMAKE_SOURCE_DIR}/${schemas}" --out "${CMAKE_BINARY_DIR}/gen")
  execute_process(COMMAND ${command} --list OUTPUT_VARIABLE outputs RESULT_VARIABLE status
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "kafkagen refuses ${schemas}; see above.")
  endif()
  string(REPLACE "\n" ";" outputs "${outputs}")
  list(TRANSFORM outputs PREPEND "${CMAKE_BINARY_DIR}/gen/")
  set(stamp "${CMAKE_BINARY_DIR}/gen/${profile}.stamp")
  add_custom_command(OUTPUT "${stamp}" BYPRODUCTS ${outputs}
    COMMAND ${command} COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS ${inputs} ${WEIR_KAFKAGEN} COMMENT "Generating code from ${schemas}" VERBATIM)
  add_custom_target(weir_generated_${profile} DEPENDS "${stamp}")
  add_dependencies(weir_generated weir_generated_${profile})

  # The small sources are compiled as a few parts, which include them.
  list(FILTER outputs INCLUDE REGEX "/part_[0-9]+\\.cc$")
  set(WEIR_GENERATED_${profile} "${outputs}" PARENT_SCOPE)
endfunction()

weir_generate(wire schemas/kafka)
weir_generate(state schemas/weir)

# A schema that uses every feature of the language, for the tests of the generator's output.
weir_generate(example tools/kafkagen/testdata)
add_library(weir_serial_example STATIC EXCLUDE_FROM_ALL ${WEIR_GENERATED_example})
target_include_directories(weir_serial_example PUBLIC "${CMAKE_BINARY_DIR}/gen" "${CMAKE_SOURCE_DIR}/src")
target_link_libraries(weir_serial_example PUBLIC weir_serial)
add_dependencies(weir_serial_example weir_generated)
set(WEIR_TEST_EXTRA_serial weir_serial_example)

# Where the tests of src/wire find their golden bytes.
add_library(weir_wire_golden INTERFACE)
target_compile_definitions(weir_wire_golden INTERFACE "WEIR_WIRE_GOLDEN=\"${CMAKE_SOURCE_DIR}/tests/wire/golden\"")
set(WEIR_TEST_EXTRA_wire weir_wire_golden)

add_test(NAME kafkagen
  COMMAND "${Python3_EXECUTABLE}" -B -m unittest discover -s "${CMAKE_SOURCE_DIR}/tools/kafkagen" -p "test_*.py")
# These two need the kafka-clients jar, and say "skipped" without it.
add_test(NAME wire_schemas_against_jar
  COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_SOURCE_DIR}/tests/wire/compare_with_jar.py" --canary)
set_tests_properties(wire_schemas_against_jar PROPERTIES SKIP_RETURN_CODE 77)
if(NOT WEIR_FUZZ)
  add_test(NAME wire_bytes_against_jar
    COMMAND "${CMAKE_SOURCE_DIR}/tests/wire/full_golden.sh" compare "${CMAKE_BINARY_DIR}/weir_wire_test")
  set_tests_properties(wire_bytes_against_jar PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
