// The patterns of crates/netsim/examples/transfers.rs in SimGrid, driven the fast way: one actor starts detached
// communications between hosts that have no actors of their own, and waits for all of a phase.
//
//     peer PATTERN HOSTS ENDS-FILE(or -) PLATFORM.xml [--cfg=...]
//
// Prints transfers and seconds of simulating; writes all ends, from the start of their phase, as doubles.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

struct Transfer {
  size_t src, dst;
  double bytes;
};

// SplitMix64.
static uint64_t mixed(uint64_t number)
{
  number *= 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

// From 0.5 to 1.5 MB, another for each transfer.
static double random_bytes(size_t index)
{
  double part = static_cast<double>(mixed(index + 1) >> 11) / static_cast<double>(UINT64_C(1) << 53);
  return std::floor(0.5e6 + 1e6 * part);
}

static std::vector<size_t> permutation(size_t hosts)
{
  std::vector<size_t> order(hosts);
  for (size_t i = 0; i < hosts; i++)
    order[i] = i;
  for (size_t last = hosts - 1; last >= 1; last--)
    std::swap(order[last], order[mixed(last) % (last + 1)]);
  return order;
}

static size_t phases(const std::string& pattern, size_t hosts)
{
  return pattern == "aapc" || pattern == "aapc-random" ? hosts - 1 : 1;
}

static std::vector<Transfer> phase(const std::string& pattern, size_t hosts, size_t number)
{
  std::vector<Transfer> found;
  bool is_random = pattern.find("random") != std::string::npos;
  if (pattern == "alltoall") {
    for (size_t src = 0; src < hosts; src++)
      for (size_t far = 1; far < hosts; far++)
        found.push_back({src, (src + far) % hosts, random_bytes(found.size())});
  } else if (pattern.rfind("permutation", 0) == 0) {
    auto order = permutation(hosts);
    for (size_t src = 0; src < hosts; src++)
      if (order[src] != src)
        found.push_back({src, order[src], is_random ? random_bytes(src) : 1e6});
  } else if (pattern == "halo") {
    size_t side = std::lround(std::cbrt(hosts));
    for (size_t src = 0; src < hosts; src++)
      for (size_t stride : {size_t(1), side, side * side}) {
        size_t digit = src / stride % side;
        for (size_t next : {(digit + 1) % side, (digit + side - 1) % side})
          found.push_back({src, src - digit * stride + next * stride, 1e6});
      }
  } else {
    size_t distance = pattern == "ring" ? 1 : number + 1;
    for (size_t src = 0; src < hosts; src++)
      found.push_back({src, (src + distance) % hosts, is_random ? random_bytes(number * hosts + src) : 1e6});
  }
  return found;
}

int main(int argc, char** argv)
{
  sg4::Engine engine(&argc, argv);
  std::string pattern = argv[1], file = argv[3];
  size_t hosts = std::stoul(argv[2]), transfers = 0;
  engine.load_platform(argv[4]);
  std::vector<sg4::Host*> places(hosts);
  for (size_t i = 0; i < hosts; i++)
    places[i] = engine.host_by_name("node-" + std::to_string(i));
  std::vector<double> ends;
  sg4::Actor::create("all", places[0], [&] {
    for (size_t number = 0; number < phases(pattern, hosts); number++) {
      double start = sg4::Engine::get_clock();
      std::vector<sg4::CommPtr> comms;
      for (const auto& one : phase(pattern, hosts, number))
        comms.push_back(sg4::Comm::sendto_async(places[one.src], places[one.dst], static_cast<uint64_t>(one.bytes)));
      for (auto& comm : comms) {
        comm->wait();
        if (file != "-")
          ends.push_back(comm->get_finish_time() - start);
      }
      transfers += comms.size();
    }
  });
  auto began = std::chrono::steady_clock::now();
  engine.run();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%zu %.6f\n", transfers, took.count());
  if (file != "-") {
    FILE* out = std::fopen(file.c_str(), "wb");
    if (out == nullptr || std::fwrite(ends.data(), sizeof(double), ends.size(), out) != ends.size())
      return 1;
    std::fclose(out);
  }
  return 0;
}
