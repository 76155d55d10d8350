# Two precompiled headers for all layers: the standard headers that most files use, and the same with GoogleTest.
#
# Parsing them costs about a second of each file's two, so a cold build halves. No header of ours is in them, hence an
# edit never rebuilds them. WEIR_PCH=OFF (the asan preset) compiles every file from its own includes, which finds the
# includes that a precompiled header hides.

option(WEIR_PCH "use precompiled headers" ON)

set(WEIR_PCH_STD <algorithm> <array> <atomic> <bit> <chrono> <compare> <concepts> <coroutine> <cstddef> <cstdint>
  <cstring> <deque> <expected> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <string>
  <string_view> <type_traits> <unordered_map> <utility> <variant> <vector>)

function(weir_add_precompiled_headers)
  if(NOT WEIR_PCH)
    return()
  endif()
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/pch/empty.cc" CONTENT "")
  add_library(weir_pch OBJECT "${CMAKE_BINARY_DIR}/pch/empty.cc")
  target_precompile_headers(weir_pch PRIVATE ${WEIR_PCH_STD})
  add_library(weir_test_pch OBJECT EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/pch/empty.cc")
  target_precompile_headers(weir_test_pch PRIVATE ${WEIR_PCH_STD} <gmock/gmock.h> <gtest/gtest.h>)
  foreach(target weir_pch weir_test_pch)
    # Without a time stamp inside, equal headers give an equal file, and ccache can find what was compiled with it.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endforeach()
endfunction()

# weir_use_precompiled(TARGET OWNER): OWNER is weir_pch or weir_test_pch.
function(weir_use_precompiled target owner)
  if(WEIR_PCH)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
