// Table: aligned columns for people.
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// One line per row; the last column is not padded.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weir::cli
