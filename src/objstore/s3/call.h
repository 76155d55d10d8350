// The requests of the S3 protocol that the driver makes.
#pragma once

#include <string_view>

namespace weir::objstore::s3 {

enum class Call : unsigned char {
  put,
  put_if_absent,
  put_if_match,
  get,
  get_range,
  head,
  list,
  remove,
  create_upload,
  upload_part,
  complete_upload,
  abort_upload,
  list_uploads,
  create_session,
};

/// Amazon's name: "PutObject".
std::string_view to_string(Call call);
/// What a policy must allow for it: "s3:PutObject".
std::string_view permission_of(Call call);
/// Whether a request may change an object, so that a lost answer leaves its outcome unknown.
bool changes_objects(Call call);

}  // namespace weir::objstore::s3
