#include "broker/serve.h"

#include "base/ensure.h"
#include "wire/api_table.h"
#include "wire/response_header.h"

namespace weir::broker {

serial::Writer::Placeholder begin_response(serial::Writer& writer, const RequestContext& context) {
  serial::Writer::Placeholder frame = writer.begin_frame();
  const wire::ApiInfo* api = wire::find_api(context.api_key);
  ENSURE(api != nullptr);
  encode(wire::ResponseHeader{.correlation_id = context.correlation_id}, writer,
         api->response_header_version(context.version));
  return frame;
}

Reply end_response(serial::Writer& writer, serial::Writer::Placeholder frame,
                   const RequestContext&) {
  if (writer.ok()) writer.end_frame(frame);
  Result<BytesChain> bytes = writer.finish();
  // A value that the version cannot carry (an over-long name in an old state, say) is our fault,
  // but no reason to stop serving others.
  if (!bytes) return Reply::close("answer cannot be encoded: " + bytes.error().message);
  return Reply::of(std::move(*bytes));
}

}  // namespace weir::broker
