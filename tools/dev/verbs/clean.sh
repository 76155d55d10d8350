# clean: remove everything that was built
rm -rf build
