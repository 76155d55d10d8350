// One page of a listing of a directory tree, resumable without state on our side.
#pragma once

#include <string>

#include "objstore/object_store.h"
#include "rt/files.h"

namespace weir::objstore {

/// Objects below `root` whose names begin with `prefix`, in the order of their paths, part by part,
/// after the path `continuation`. Hidden files and what is no object's path are skipped; a
/// directory that vanishes meanwhile is empty.
Result<ObjectStore::Page> walk_tree(rt::FileSystem& files, const std::string& root,
                                    const std::string& prefix, const std::string& continuation,
                                    std::size_t objects_max);

}  // namespace weir::objstore
