# package: leave a stripped program with licence and README as build/package/weir-VERSION-linux-ARCH.tar.gz
deps
build "$WEIR_PRESET" weir
version=$(sed -n 's/^project(weir VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=weir-$version-linux-$(uname -m)
rm -rf "build/package/$name"
mkdir -p "build/package/$name"
llvm-strip-19 -o "build/package/$name/weir" "$WEIR_BIN"
chmod 755 "build/package/$name/weir"
cp LICENSE README.md "build/package/$name/"
# Same input, same bytes: fixed order, owner and time.
tar -C build/package --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -czf "build/package/$name.tar.gz" "$name"
echo "build/package/$name.tar.gz"
