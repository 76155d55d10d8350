#include "objstore/file/tree_walk.h"

#include <algorithm>
#include <optional>

#include "objstore/limits.h"
#include "objstore/object_name.h"

namespace weir::objstore {
namespace {

using Item = rt::FileSystem::Item;

/// A directory that is being walked. `path` and `name` are relative to the root and end with '/'
/// unless empty: the one as on disk, the other as in object names.
struct Level {
  std::string path;
  std::string name;
  std::vector<Item> items;
  std::size_t next = 0;
};

class Walk {
 public:
  Walk(rt::FileSystem& files, const std::string& root, const std::string& prefix,
       const std::string& continuation)
      : files_(files), root_(root), prefix_(prefix), after_(continuation) {}

  Result<ObjectStore::Page> page(std::size_t objects_max) {
    WEIR_TRY(enter_start());
    ObjectStore::Page page;
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.next == level.items.size()) {
        levels_.pop_back();
        continue;
      }
      if (page.objects.size() == objects_max) {
        page.next = last_path_;
        return page;
      }
      const Item& item = level.items[level.next++];
      WEIR_TRY(visit(level, item, page));
    }
    return page;
  }

 private:
  /// Begins in the deepest directory that the prefix names.
  Result<void> enter_start() {
    std::size_t slash = prefix_.rfind('/');
    if (slash == std::string::npos) return enter("", "");
    std::string name = prefix_.substr(0, slash + 1);
    std::string path;
    for (std::size_t at = 0; at < name.size();) {
      std::size_t end = name.find('/', at);
      if (end == at) return {};  // an empty part: no object has it
      path += file_of_name_part(std::string_view(name).substr(at, end - at)) + "/";
      at = end + 1;
    }
    return enter(std::move(path), std::move(name));
  }

  Result<void> enter(std::string path, std::string name) {
    if (levels_.size() > kNamePartsMax) return {};
    Result<std::vector<Item>> items = files_.list(root_ + "/" + path);
    if (!items && items.error().is(ErrorCode::not_found)) return {};
    if (!items) return std::unexpected(std::move(items).error());
    std::ranges::sort(*items, {}, &Item::name);
    Level level{std::move(path), std::move(name), std::move(*items)};
    if (after_.starts_with(level.path)) {
      // Everything before the part in which the continuation passes through here is done.
      std::string_view rest = std::string_view(after_).substr(level.path.size());
      std::string_view part = rest.substr(0, rest.find('/'));
      while (level.next < level.items.size() && level.items[level.next].name < part) ++level.next;
    }
    levels_.push_back(std::move(level));
    return {};
  }

  Result<void> visit(const Level& level, const Item& item, ObjectStore::Page& page) {
    std::optional<std::string> part = name_part_of_file(item.name);
    if (!part) return {};
    std::string path = level.path + item.name;
    std::string name = level.name + *part;
    if (item.is_directory) {
      name += "/";
      if (!name.starts_with(prefix_) && !prefix_.starts_with(name)) return {};
      return enter(path + "/", std::move(name));
    }
    if (path == after_ || !name.starts_with(prefix_)) return {};
    page.objects.push_back({std::move(name), item.size, {}});
    last_path_ = std::move(path);
    return {};
  }

  rt::FileSystem& files_;
  const std::string& root_;
  const std::string& prefix_;
  const std::string& after_;
  std::vector<Level> levels_;
  std::string last_path_;
};

}  // namespace

Result<ObjectStore::Page> walk_tree(rt::FileSystem& files, const std::string& root,
                                    const std::string& prefix, const std::string& continuation,
                                    std::size_t objects_max) {
  return Walk(files, root, prefix, continuation).page(objects_max);
}

}  // namespace weir::objstore
