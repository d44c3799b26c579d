// One-way times between all hosts of a SimGrid platform as SimGrid itself finds them, each message alone.
//
//     times PLATFORM.xml BYTES [--cfg=...]
//
// Prints a line for each pair of hosts between which there is a way: source, destination, and seconds; separated by
// tabs.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

static bool has_way(const sg4::Host* src, const sg4::Host* dst)
{
  try {
    std::vector<sg4::Link*> links;
    double latency = 0;
    src->route_to(dst, links, &latency);
    return not links.empty();
  } catch (const std::exception&) {
    return false;
  }
}

int main(int argc, char** argv)
{
  sg4::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  auto bytes = static_cast<uint64_t>(std::stoull(argv[2]));
  auto hosts = engine.get_all_hosts();
  sg4::Actor::create("all", hosts[0], [&] {
    for (auto* src : hosts)
      for (auto* dst : hosts)
        if (src != dst && has_way(src, dst)) {
          double start = sg4::Engine::get_clock();
          sg4::Comm::sendto(src, dst, bytes);
          std::printf("%s\t%s\t%.17g\n", src->get_cname(), dst->get_cname(), sg4::Engine::get_clock() - start);
        }
  });
  engine.run();
  return 0;
}
