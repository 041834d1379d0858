// plugins/ring/join.cpp -- see join.h.
#include "plugins/ring/join.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "plugins/shared/comm/hmac.h"
#include "plugins/shared/host/setting_values.h"

namespace gpuopt::ring {
namespace {

constexpr uint32_t kMagic = 0x6772696e, kVersion = 2;
constexpr size_t kShortestSecret = 16;
constexpr double kPatience = 10;  // seconds that one connection may take to prove itself
constexpr double kUsual = 2;  // seconds after which a rank that listens asks for the names of those that are missing

using Nonce = std::array<char, 32>;

// The first thing that the side which connects sends.
struct Hello {
  uint32_t magic = kMagic, version = kVersion;
  int32_t from = 0, to = 0, size = 0;
  Nonce nonce{};
};
struct Answer {
  Nonce nonce{};
  plugin::Sha256::Digest proof{};
};

[[noreturn]] void refuse_setting(Setting setting, const std::string &why) {
  throw plugin::Failure{GPUOPT_ERR_INVALID_ARGUMENT, GPUOPT_REASON_NONE, 0, name_of(setting) + (": " + why)};
}

Nonce random_nonce() {
  Nonce nonce;
  for (size_t got = 0; got < nonce.size();) {
    const ssize_t some = getrandom(nonce.data() + got, nonce.size() - got, 0);
    if (some > 0)
      got += static_cast<size_t>(some);
    else if (errno != EINTR)
      fail_comm("the system gives no random numbers", errno);
  }
  return nonce;
}

plugin::Sha256::Digest proof_of(const std::string &secret, const char *role, const Hello &hello, const Nonce &nonce) {
  std::string message = role;
  for (const uint32_t number : {hello.version, static_cast<uint32_t>(hello.from), static_cast<uint32_t>(hello.to),
                                static_cast<uint32_t>(hello.size)})
    for (int shift = 0; shift < 32; shift += 8) message += static_cast<char>(number >> shift & 0xff);
  message.append(hello.nonce.data(), hello.nonce.size()).append(nonce.data(), nonce.size());
  return plugin::hmac_sha256(secret, message);
}

std::string named(const Place &place, int32_t rank) {
  return "rank " + std::to_string(rank) + " (" + place.hosts[static_cast<size_t>(rank)].text + ")";
}

// Ranks whose addresses are paths are processes of one machine. The one that connects makes memory for both, if it can;
// the other one says whether it has it, too.
bool offer_memory(Connection &peer, int32_t ranks, Clock::time_point deadline) {
  peer.memory = SharedMemory::create(SharedMemory::capacity_for(ranks));
  char taken = 0;
  if (!send_descriptor(peer.socket, peer.memory ? peer.memory->descriptor() : -1, deadline) ||
      !receive_all(peer.socket, &taken, 1, deadline))
    return false;
  if (!taken) peer.memory.reset();
  if (peer.memory) peer.memory->forget_descriptor();
  return true;
}

bool take_memory(Connection &peer, int32_t ranks, Clock::time_point deadline) {
  Socket descriptor;
  if (!receive_descriptor(peer.socket, &descriptor, deadline)) return false;
  peer.memory = SharedMemory::open(std::move(descriptor), SharedMemory::capacity_for(ranks));
  const char taken = peer.memory ? 1 : 0;
  return send_all(peer.socket, &taken, 1, deadline);
}

// The side that connects.
Connection connect_to(const Place &place, int32_t rank, Clock::time_point deadline) {
  Connection peer;
  Socket &socket = peer.socket;
  try {
    socket = connect_until(place.hosts[static_cast<size_t>(rank)], deadline);
  } catch (const plugin::Failure &failure) {
    if (failure.code != GPUOPT_ERR_COMM) throw;
    fail_comm("rank " + std::to_string(rank) + " cannot be reached: " + failure.message, failure.backend_code);
  }
  Hello hello;
  hello.from = place.rank;
  hello.to = rank;
  hello.size = place.size();
  hello.nonce = random_nonce();
  Answer answer;
  if (!send_all(socket, &hello, sizeof hello, deadline) || !receive_all(socket, &answer, sizeof answer, deadline))
    fail_comm(named(place, rank) + " has not answered, or refused the connection");
  if (!plugin::same_digest(answer.proof, proof_of(place.secret, "listens", hello, answer.nonce)))
    fail_comm(named(place, rank) + " does not know this job's secret: GPUOPT_RING_SECRET is another there");
  const auto proof = proof_of(place.secret, "connects", hello, answer.nonce);
  char welcome = 0;
  if (!send_all(socket, &proof, sizeof proof, deadline) || !receive_all(socket, &welcome, 1, deadline))
    fail_comm(named(place, rank) + " has refused the connection");
  if (place.hosts[static_cast<size_t>(rank)].is_unix() && !offer_memory(peer, place.size(), deadline))
    fail_comm(named(place, rank) + " has ended, or lost its connection");
  return peer;
}

// The side that listens. Returns which rank has connected, or -1 and why it is none.
int32_t identify(const Place &place, Connection &peer, Clock::time_point deadline, std::string *why) {
  const Socket &socket = peer.socket;
  Hello hello;
  if (!receive_all(socket, &hello, sizeof hello, deadline) || hello.magic != kMagic || hello.version != kVersion)
    return *why = "a connection was closed that spoke another protocol, or not at all", -1;
  const std::string who = "a process that says it is rank " + std::to_string(hello.from);
  if (hello.size != place.size() || hello.to != place.rank || hello.from <= place.rank || hello.from >= place.size())
    return *why = who + " was refused: its list of hosts is another (" + std::to_string(hello.size) + " ranks)", -1;
  Answer answer;
  answer.nonce = random_nonce();
  answer.proof = proof_of(place.secret, "listens", hello, answer.nonce);
  plugin::Sha256::Digest proof;
  if (!send_all(socket, &answer, sizeof answer, deadline) || !receive_all(socket, &proof, sizeof proof, deadline) ||
      !plugin::same_digest(proof, proof_of(place.secret, "connects", hello, answer.nonce)))
    return *why = who + " was refused: it does not know this job's secret", -1;
  const char welcome = 1;
  const bool shares = place.hosts[static_cast<size_t>(place.rank)].is_unix();
  if (!send_all(socket, &welcome, 1, deadline) || (shares && !take_memory(peer, place.size(), deadline)))
    return *why = who + " has gone again", -1;
  return hello.from;
}

std::string missing_ranks(const Place &place, const std::vector<Connection> &peers) {
  std::string text;
  for (int32_t r = place.rank + 1; r < place.size(); ++r)
    if (!peers[static_cast<size_t>(r)].socket) text += (text.empty() ? "" : ", ") + named(place, r);
  return text;
}

// Those that connect need no name to do so, but one that cannot listen, as its name is mistyped, never comes that far.
void warn_of_unknown_names(const Place &place, const std::vector<Connection> &peers) {
  std::vector<std::string> said;
  const Clock::time_point end = deadline_in(kPatience);  // nobody is heard meanwhile
  for (int32_t r = place.rank + 1; r < place.size(); ++r) {
    const Address &address = place.hosts[static_cast<size_t>(r)];
    if (peers[static_cast<size_t>(r)].socket || std::ranges::find(said, address.host) != said.end()) continue;
    if (Clock::now() >= end) return;
    said.push_back(address.host);
    warn_if_unknown(address);
  }
}

void accept_all(const Place &place, const Socket &listening, Clock::time_point deadline,
                std::vector<Connection> &peers) {
  std::string refusal;
  const Clock::time_point usual = std::min(deadline, deadline_in(kUsual));
  bool asked = false;
  for (int32_t missing = place.size() - 1 - place.rank; missing > 0;) {
    Connection peer;
    peer.socket = accept_until(listening, asked ? deadline : usual);
    if (!peer.socket && !asked) {
      asked = true;
      warn_of_unknown_names(place, peers);
      continue;
    }
    if (!peer.socket)
      fail_comm("not all ranks have joined in time: " + missing_ranks(place, peers) +
                (refusal.empty() ? "" : "; " + refusal));
    std::string why;
    const int32_t rank = identify(place, peer, std::min(deadline, deadline_in(kPatience)), &why);
    if (rank < 0) {
      plugin::log(GPUOPT_LOG_WARN, "ring.refused", why.c_str());
      refusal = why;
    } else if (!peers[static_cast<size_t>(rank)].socket) {
      peers[static_cast<size_t>(rank)] = std::move(peer);
      --missing;
    }
  }
}

// The file of a listening socket, which is removed when everybody has connected, or nobody will any more.
class SocketFile {
 public:
  explicit SocketFile(const Address &address) : path_(address.path) {}
  SocketFile(const SocketFile &) = delete;
  SocketFile &operator=(const SocketFile &) = delete;
  ~SocketFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }

 private:
  std::string path_;
};

}  // namespace

Place read_place() {
  Place place;
  const std::string hosts = plugin::setting_text(Setting::GPUOPT_RING_HOSTS);
  if (hosts.empty()) return place;
  place.hosts = parse_addresses(hosts);
  const std::string rank = plugin::setting_text(Setting::GPUOPT_RING_RANK);
  const auto [end, error] = std::from_chars(rank.data(), rank.data() + rank.size(), place.rank);
  if (rank.empty() || error != std::errc() || end != rank.data() + rank.size() || place.rank < 0 ||
      place.rank >= place.size())
    refuse_setting(Setting::GPUOPT_RING_RANK,
                   "\"" + rank + "\" is no rank of " + std::to_string(place.size()) + " (GPUOPT_RING_HOSTS)");
  place.secret = plugin::setting_text(Setting::GPUOPT_RING_SECRET);
  if (place.size() > 1 && place.secret.size() < kShortestSecret)
    refuse_setting(Setting::GPUOPT_RING_SECRET, "a job needs a secret of at least 16 characters");
  return place;
}

std::vector<Connection> join(const Place &place, double timeout) {
  std::vector<Connection> peers(static_cast<size_t>(place.size()));
  if (place.size() == 1) return peers;
  const Clock::time_point deadline = deadline_in(timeout);
  const Address &own = place.hosts[static_cast<size_t>(place.rank)];
  const bool listens = place.rank + 1 < place.size();
  const Socket listening = listens ? listen_at(own, deadline) : Socket();
  const SocketFile file(listens ? own : Address{});
  for (int32_t r = 0; r < place.rank; ++r) peers[static_cast<size_t>(r)] = connect_to(place, r, deadline);
  accept_all(place, listening, deadline, peers);
  return peers;
}

}  // namespace gpuopt::ring
