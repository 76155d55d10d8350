# fmt: lay out all C++ files with clang-format
deps
find src include tests tools -name '*.h' -o -name '*.cc' 2>/dev/null | xargs -r clang-format-19 -i
