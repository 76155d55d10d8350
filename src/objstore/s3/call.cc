#include "objstore/s3/call.h"

#include "base/ensure.h"

namespace weir::objstore::s3 {
namespace {

struct Facts {
  std::string_view name;
  std::string_view permission;
  bool changes;
};

Facts facts_of(Call call) {
  switch (call) {
    case Call::put:
    case Call::put_if_absent:
    case Call::put_if_match: return {"PutObject", "s3:PutObject", true};
    case Call::get:
    case Call::get_range: return {"GetObject", "s3:GetObject", false};
    case Call::head: return {"HeadObject", "s3:GetObject", false};
    case Call::list: return {"ListObjectsV2", "s3:ListBucket", false};
    case Call::remove: return {"DeleteObjects", "s3:DeleteObject", true};
    // What these leave behind is no object yet.
    case Call::create_upload: return {"CreateMultipartUpload", "s3:PutObject", false};
    case Call::upload_part: return {"UploadPart", "s3:PutObject", false};
    case Call::complete_upload: return {"CompleteMultipartUpload", "s3:PutObject", true};
    case Call::abort_upload: return {"AbortMultipartUpload", "s3:AbortMultipartUpload", false};
    case Call::list_uploads:
      return {"ListMultipartUploads", "s3:ListBucketMultipartUploads", false};
    case Call::create_session: return {"CreateSession", "s3express:CreateSession", false};
  }
  ENSURE(false);
  return {};
}

}  // namespace

std::string_view to_string(Call call) { return facts_of(call).name; }
std::string_view permission_of(Call call) { return facts_of(call).permission; }
bool changes_objects(Call call) { return facts_of(call).changes; }

}  // namespace weir::objstore::s3
