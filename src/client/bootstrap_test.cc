#include "client/bootstrap.h"

#include <gtest/gtest.h>

namespace weir::client {
namespace {

TEST(ParseEndpoint, KnowsNamesAddressesAndAll) {
  EXPECT_EQ(parse_endpoint("localhost:9092").value(), (rt::Endpoint{"localhost", 9092}));
  EXPECT_EQ(parse_endpoint("[::1]:0").value(), (rt::Endpoint{"::1", 0}));
  EXPECT_EQ(parse_endpoint("*:9092").value(), (rt::Endpoint{"*", 9092}));
  EXPECT_EQ(parse_endpoint(":9092").value(), (rt::Endpoint{"", 9092}));
}

TEST(ParseEndpoint, SaysWhatIsWrong) {
  struct Case {
    const char* text;
    const char* part;
  };
  for (Case c :
       {Case{"localhost", "no port"}, Case{"::1:9092", "brackets"}, Case{"[::1:9092", "bracket"},
        Case{"h:70000", "65535"}, Case{"h:", "65535"}, Case{"h:1x", "65535"},
        Case{"http://h:1", "several colons"}, Case{"a b:1", "host name"}}) {
    Result<rt::Endpoint> endpoint = parse_endpoint(c.text);
    ASSERT_FALSE(endpoint) << c.text;
    EXPECT_NE(endpoint.error().message.find(c.part), std::string::npos) << endpoint.error().message;
    EXPECT_NE(endpoint.error().message.find("localhost:9092"), std::string::npos);
  }
}

TEST(ParseBootstrap, TakesAListOfReachableAddresses) {
  EXPECT_EQ(parse_bootstrap("a:1,b:2").value().size(), 2u);
  for (const char* text : {"", "a:1,,b:2", "*:1", "a:0", ":9092"})
    EXPECT_FALSE(parse_bootstrap(text)) << text;
}

}  // namespace
}  // namespace weir::client
