// How a consumed record looks: tab-separated for people and pipes, JSON for programs.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "cli/stream_commands.h"
#include "crypto/base64.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

/// Length of the UTF-8 sequence that begins `text` (RFC 3629); 0 if it is none.
std::size_t utf8_length(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f))
    return 0;
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// `name`: a string or null; bytes that are no text go to `name`_base64.
void add(json::object& object, std::string_view name, const std::optional<Bytes>& bytes) {
  std::string_view text = bytes ? as_text(*bytes) : std::string_view();
  if (!bytes)
    object[name] = nullptr;
  else if (is_utf8(text))
    object[name] = json::string(text.data(), text.size());
  else
    object[std::string(name) + "_base64"] = crypto::base64_encode(*bytes);
}

std::string json_line(const client::TopicPartition& at, const record::RecordView& record) {
  json::object object{{"topic", at.topic},
                      {"partition", at.partition.value},
                      {"offset", record.offset.value},
                      {"timestamp", record.timestamp.value}};
  add(object, "key", record.key);
  add(object, "value", record.value);
  json::array headers;
  record::HeadersView walk = record.headers;
  while (std::optional<record::HeaderView> header = walk.next()) {
    json::object item;
    add(item, "key", as_bytes(header->key));
    add(item, "value", header->value);
    headers.push_back(std::move(item));
  }
  object["headers"] = std::move(headers);
  return json::serialize(object) + "\n";
}

std::string headers_text(const record::RecordView& record) {
  std::string text;
  record::HeadersView walk = record.headers;
  while (std::optional<record::HeaderView> header = walk.next()) {
    if (!text.empty()) text.push_back(',');
    text.append(header->key).append("=");
    if (header->value) text.append(as_text(*header->value));
  }
  return text;
}

}  // namespace

std::string RecordPrinter::line(const client::TopicPartition& at,
                                const record::RecordView& record) const {
  if (json) return json_line(at, record);
  std::string text;
  for (Field field : fields) {
    switch (field) {
      case Field::key:
        if (record.key) text.append(as_text(*record.key));
        break;
      case Field::offset: text.append(std::to_string(record.offset.value)); break;
      case Field::timestamp: text.append(std::to_string(record.timestamp.value)); break;
      case Field::headers: text.append(headers_text(record)); break;
      case Field::partition: text.append(std::to_string(at.partition.value)); break;
    }
    text.push_back('\t');
  }
  if (record.value) text.append(as_text(*record.value));
  return text.append("\n");
}

}  // namespace weir::cli
