// tests/unit/shared_mailbox_test.cpp -- which of the messages that arrive are those that are waited for.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugins/shared/comm/mailbox.h"

namespace {

using gpuopt::plugin::Arrival;
using gpuopt::plugin::Failure;
using gpuopt::plugin::Mailbox;

// A message arrives as a whole.
void arrive(Mailbox &box, int32_t peer, uint32_t tag, const std::string &text) {
  Arrival &arrival = box.begin(peer, tag, text.size());
  text.copy(arrival.to, text.size());
  box.complete(peer, arrival);
}

gpuopt_comm_message to(std::string &text, int32_t peer, uint32_t tag) { return {peer, tag, text.data(), text.size()}; }

TEST(Mailbox, AMessageGoesStraightToItsReceive) {
  Mailbox box(2);
  std::string text(3, '-');
  const gpuopt_comm_message receive = to(text, 1, 7);
  box.wait_for(&receive, 1);
  EXPECT_EQ(box.open(), 1);
  EXPECT_TRUE(box.waits_for(1) && !box.waits_for(0));
  EXPECT_EQ(box.open_peers(), std::vector<int32_t>{1});
  Arrival &arrival = box.begin(1, 7, 3);
  EXPECT_EQ(arrival.to, text.data());
  EXPECT_EQ(box.open(), 1) << "it is not complete";
  box.complete(1, arrival);
  EXPECT_EQ(box.open(), 0);
  EXPECT_TRUE(box.open_peers().empty());
}

TEST(Mailbox, OthersAreKeptInTheirOrder) {
  Mailbox box(3);
  box.wait_for(nullptr, 0);
  arrive(box, 1, 5, "one");
  arrive(box, 2, 5, "two");
  arrive(box, 1, 6, "sixth");
  arrive(box, 1, 5, "1st");
  std::string first(3, '-'), second(3, '-'), other(5, '-');
  const gpuopt_comm_message receives[] = {to(other, 1, 6), to(first, 1, 5), to(second, 1, 5)};
  box.wait_for(receives, 3);
  EXPECT_EQ(box.open(), 0);
  EXPECT_EQ(first + second + other, "one1stsixth");
}

TEST(Mailbox, AMessageThatIsUnderWayIsBoundToTheNextReceive) {
  Mailbox box(1);
  box.wait_for(nullptr, 0);
  Arrival &begun = box.begin(0, 1, 2);
  std::string text(2, '-'), later(2, '-');
  const gpuopt_comm_message receives[] = {to(text, 0, 1), to(later, 0, 1)};
  box.wait_for(receives, 2);
  EXPECT_EQ(box.open(), 2);
  begun.to[0] = 'a';
  begun.to[1] = 'b';
  box.complete(0, begun);
  EXPECT_EQ(text, "ab");
  arrive(box, 0, 1, "cd");
  EXPECT_EQ(later, "cd");
  EXPECT_EQ(box.open(), 0);
}

TEST(Mailbox, EmptyMessagesAreMessages) {
  Mailbox box(1);
  const gpuopt_comm_message receive{0, 1, nullptr, 0};
  box.wait_for(nullptr, 0);
  arrive(box, 0, 1, "");
  box.wait_for(&receive, 1);
  EXPECT_EQ(box.open(), 0);
  box.wait_for(&receive, 1);
  EXPECT_EQ(box.open(), 1);
}

TEST(Mailbox, AnotherSizeIsAnError) {
  Mailbox box(2);
  std::string text(3, '-');
  const gpuopt_comm_message receive = to(text, 1, 7);
  box.wait_for(&receive, 1);
  EXPECT_THROW(box.begin(1, 7, 4), Failure);
  Mailbox kept(2);
  kept.wait_for(nullptr, 0);
  arrive(kept, 1, 7, "four");
  EXPECT_THROW(kept.wait_for(&receive, 1), Failure);
}

}  // namespace
