#include "http/xml.h"

#include <gtest/gtest.h>

#include "http/limits.h"

namespace weir::http {
namespace {

XmlElement parsed(std::string_view text) {
  auto root = parse_xml(text);
  EXPECT_TRUE(root) << describe(root.error());
  return root.value_or(XmlElement{});
}

TEST(Xml, ReadsElementsAndTextsWithoutNamespacesAndAttributes) {
  XmlElement root = parsed(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<ListResult xmlns=\"http://s3\" xmlns:x=\"y\">\n <Contents a=\"b\"><x:Key>one</x:Key>"
      "<Owner><ID>me</ID></Owner></Contents>\n <Contents><Key>two</Key></Contents></ListResult>");
  EXPECT_EQ(root.name, "ListResult");
  ASSERT_EQ(root.children.size(), 2u);
  EXPECT_EQ(root.children[0].child_text("Key"), "one");
  EXPECT_EQ(root.children[1].child_text("Key"), "two");
  EXPECT_EQ(root.child_text("Contents/Owner/ID"), "me");
  EXPECT_EQ(root.child_text("Contents/Nothing/ID"), "");
  EXPECT_EQ(root.child("Nothing"), nullptr);
}

TEST(Xml, ResolvesEntitiesAndSections) {
  XmlElement root =
      parsed("<R><K>a&amp;b&lt;c&gt;&quot;&apos;&#x2F;&#233;</K><D><![CDATA[<&>]]></D></R>");
  EXPECT_EQ(root.child_text("K"), "a&b<c>\"'/\xc3\xa9");
  EXPECT_EQ(root.child_text("D"), "<&>");
}

TEST(Xml, KeepsTheSpacesOfAName) {
  EXPECT_EQ(parsed("<R><K> a b </K><S> </S></R>").child_text("K"), " a b ");
  EXPECT_EQ(parsed("<R><K> a b </K><S> </S></R>").child_text("S"), " ");
}

TEST(Xml, EscapedTextComesBack) {
  std::string text = "a&b<c>\"'\r\n\xc3\xa9";
  EXPECT_EQ(parsed("<R>" + xml_escape(text) + "</R>").text, text);
}

TEST(Xml, RefusesWhatIsNotXml) {
  for (const char* text : {"", "hello", "<a>", "<a></b>", "{\"a\":1}", "<a", "<!DOCTYPE x"}) {
    auto root = parse_xml(text);
    ASSERT_FALSE(root) << text;
    EXPECT_EQ(root.error().code, ErrorCode::corrupt) << text;
  }
}

TEST(Xml, AnEntityOfADocumentTypeIsNotExpanded) {
  auto root = parse_xml("<!DOCTYPE r [<!ENTITY e \"boom\">]><r>&e;</r>");
  EXPECT_TRUE(!root || root->text == "&e;");
}

TEST(Xml, LimitsDepthAndNumber) {
  std::string deep;
  for (std::size_t i = 0; i <= kXmlDepthMax; ++i) deep += "<a>";
  for (std::size_t i = 0; i <= kXmlDepthMax; ++i) deep += "</a>";
  auto root = parse_xml(deep);
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().code, ErrorCode::too_large);
  std::string wide = "<a>";
  for (std::size_t i = 0; i < kXmlElementsMax; ++i) wide += "<b/>";
  root = parse_xml(wide + "</a>");
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().code, ErrorCode::too_large);
  root = parse_xml(std::string(kXmlBytesMax + 1, ' '));
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().code, ErrorCode::too_large);
}

}  // namespace
}  // namespace weir::http
