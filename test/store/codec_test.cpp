// SPDX-License-Identifier: Apache-2.0
#include "store/codec.h"

#include "test/store/support.h"

namespace sluice::store {
namespace {

TEST(Codec, NumbersOfEverySizeComeBack) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, ~std::uint64_t{0}}) {
    Encoder e;
    e.number(value);
    const std::string bytes = e.take();
    Decoder d(bytes);
    EXPECT_EQ(d.number(), value);
    EXPECT_TRUE(d.ok());
  }
  for (const std::int64_t value : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
    Encoder e;
    e.integer(value);
    const std::string bytes = e.take();
    Decoder d(bytes);
    EXPECT_EQ(d.integer(), value);
  }
}

TEST(Codec, HexIsHalvedAndEverythingElseIsKept) {
  for (const std::string& value : {std::string(), std::string(40, 'f'), std::string("abc"), std::string("AB"),
                                   std::string("not hex"), std::string("\0\xff", 2)}) {
    Encoder e;
    e.hex(value);
    const std::string bytes = e.take();
    Decoder d(bytes);
    EXPECT_EQ(d.hex(), value);
    EXPECT_TRUE(d.ok());
  }
  Encoder e;
  e.hex(std::string(40, 'f'));
  EXPECT_EQ(e.take().size(), 21u);
}

TEST(Codec, EveryTruncationOfStoredFactsIsAnErrorNotACrash) {
  const std::string bytes = encode_facts(commit_of('1', 7));
  ASSERT_OK(decode_facts(oid_of('1'), bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_facts(oid_of('1'), std::string_view(bytes).substr(0, size)).ok()) << size;
  EXPECT_FALSE(decode_facts(oid_of('1'), bytes + "x").ok());
}

TEST(Codec, EveryChangedByteOfStoredFactsIsReadWithoutACrash) {
  const std::string good = encode_facts(commit_of('1', 7));
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0xff);
    (void)decode_facts(oid_of('1'), bytes).ok();  // either answer is right; memory is what is tested
  }
}

TEST(Codec, ALayoutOfAnotherVersionIsNamed) {
  const auto facts = decode_facts(oid_of('1'), "\x63");
  ASSERT_FALSE(facts.ok());
  EXPECT_NE(facts.error().message.find("layout 99"), std::string::npos) << facts.error().message;
}

}  // namespace
}  // namespace sluice::store
