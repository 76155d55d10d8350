#include "objstore/s3/answers.h"

#include <charconv>

#include "http/xml.h"
#include "objstore/iso_time.h"

namespace weir::objstore::s3 {
namespace {

using http::XmlElement;

Result<XmlElement> document(std::string_view text, std::string_view root_name) {
  Result<XmlElement> root = http::parse_xml(text);
  if (!root) return with_context(root.error(), "the store's answer");
  if (root->name != root_name)
    return fail(ErrorCode::corrupt, "the store's answer is <" + root->name + ">, expected <" +
                                        std::string(root_name) + ">");
  return root;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// As some stores escape keys on their own account: %XX, and + for a space.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int high = text[i] == '%' && text.size() - i > 2 ? digit_value(text[i + 1]) : -1;
    int low = high >= 0 ? digit_value(text[i + 2]) : -1;
    if (low >= 0) {
      out.push_back(static_cast<char>(high << 4 | low));
      i += 2;
    } else {
      out.push_back(text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

std::optional<WallMillis> time_of(std::string_view text) {
  Result<WallMillis> time = parse_iso_time(text);
  return time ? std::optional(*time) : std::nullopt;
}

std::string key_of(const XmlElement& root, std::string_view text) {
  return root.child_text("EncodingType") == "url" ? unescaped(text) : std::string(text);
}

}  // namespace

std::string bare_etag(std::string_view etag) {
  if (etag.size() >= 2 && etag.starts_with('"') && etag.ends_with('"'))
    etag = etag.substr(1, etag.size() - 2);
  return std::string(etag);
}

Result<ListAnswer> parse_list(std::string_view text) {
  Result<XmlElement> root = document(text, "ListBucketResult");
  if (!root) return std::unexpected(root.error());
  ListAnswer answer;
  for (const XmlElement& item : root->children) {
    if (item.name != "Contents") continue;
    ListedObject& object = answer.objects.emplace_back();
    object.key = key_of(*root, item.child_text("Key"));
    std::string_view size = item.child_text("Size");
    auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), object.size);
    if (object.key.empty() || error != std::errc() || end != size.data() + size.size())
      return fail(ErrorCode::corrupt, "the store's listing has an object without name or size");
    object.etag = bare_etag(item.child_text("ETag"));
  }
  if (root->child_text("IsTruncated") != "true") return answer;
  answer.next = root->child_text("NextContinuationToken");
  if (answer.next.empty())
    return fail(ErrorCode::corrupt, "the store's listing ends early, without a way to go on");
  return answer;
}

std::string delete_request(const std::vector<std::string>& keys) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
      "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>";
  for (const std::string& key : keys)
    text += "<Object><Key>" + http::xml_escape(key) + "</Key></Object>";
  return text + "</Delete>";
}

Result<std::vector<DeleteFailure>> parse_delete(std::string_view text) {
  Result<XmlElement> root = document(text, "DeleteResult");
  if (!root) return std::unexpected(root.error());
  std::vector<DeleteFailure> failures;
  for (const XmlElement& item : root->children) {
    if (item.name != "Error") continue;
    failures.push_back({.key = key_of(*root, item.child_text("Key")),
                        .code = std::string(item.child_text("Code")),
                        .message = std::string(item.child_text("Message"))});
  }
  return failures;
}

Result<std::string> parse_upload_id(std::string_view text) {
  Result<XmlElement> root = document(text, "InitiateMultipartUploadResult");
  if (!root) return std::unexpected(root.error());
  std::string id(root->child_text("UploadId"));
  if (id.empty()) return fail(ErrorCode::corrupt, "the store gave an upload no id");
  return id;
}

std::string complete_request(const std::vector<UploadedPart>& parts) {
  std::string text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (const UploadedPart& part : parts) {
    text += "<Part><PartNumber>" + std::to_string(part.number) + "</PartNumber><ETag>\"" +
            http::xml_escape(part.etag) + "\"</ETag>";
    if (!part.checksum.empty())
      text += "<ChecksumCRC32C>" + http::xml_escape(part.checksum) + "</ChecksumCRC32C>";
    text += "</Part>";
  }
  return text + "</CompleteMultipartUpload>";
}

Result<CompleteAnswer> parse_complete(std::string_view text) {
  Result<XmlElement> root = http::parse_xml(text);
  if (!root) return with_context(root.error(), "the store's answer");
  CompleteAnswer answer;
  if (root->name == "Error") {
    answer.error_code = root->child_text("Code");
    answer.error_message = root->child_text("Message");
    if (answer.error_code.empty()) answer.error_code = "InternalError";
    return answer;
  }
  answer.etag = bare_etag(root->child_text("ETag"));
  if (root->name != "CompleteMultipartUploadResult" || answer.etag.empty())
    return fail(ErrorCode::corrupt, "the store's answer says neither success nor failure");
  return answer;
}

Result<UploadsAnswer> parse_uploads(std::string_view text) {
  Result<XmlElement> root = document(text, "ListMultipartUploadsResult");
  if (!root) return std::unexpected(root.error());
  UploadsAnswer answer;
  for (const XmlElement& item : root->children) {
    if (item.name != "Upload") continue;
    answer.uploads.push_back({.key = key_of(*root, item.child_text("Key")),
                              .id = std::string(item.child_text("UploadId")),
                              .begun = time_of(item.child_text("Initiated"))});
  }
  if (root->child_text("IsTruncated") == "true") {
    answer.next_key = key_of(*root, root->child_text("NextKeyMarker"));
    answer.next_id = root->child_text("NextUploadIdMarker");
  }
  return answer;
}

Result<aws::Credentials> parse_session(std::string_view text) {
  Result<XmlElement> root = document(text, "CreateSessionResult");
  if (!root) return std::unexpected(root.error());
  aws::Credentials session{
      .access_key_id = std::string(root->child_text("Credentials/AccessKeyId")),
      .secret_access_key = Secret(std::string(root->child_text("Credentials/SecretAccessKey"))),
      .session_token = Secret(std::string(root->child_text("Credentials/SessionToken"))),
      .expires_at = time_of(root->child_text("Credentials/Expiration"))};
  if (session.access_key_id.empty() || session.secret_access_key.empty() ||
      session.session_token.empty() || !session.expires_at)
    return fail(ErrorCode::corrupt, "the store's session lacks a key, a token or its end");
  return session;
}

}  // namespace weir::objstore::s3
