// The routes of a SimGrid platform as SimGrid itself finds them.
//
//     routes PLATFORM.xml
//
// Prints a line for each pair of hosts: source, destination, latency in seconds, and for each link on the way its
// name, its bandwidth in bytes per second, and whether it is a FATPIPE; separated by tabs. Where there is no way the
// line ends with "none".

#include <cstdio>
#include <exception>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

static void print_way(const sg4::Host* src, const sg4::Host* dst)
{
  std::printf("%s\t%s", src->get_cname(), dst->get_cname());
  try {
    std::vector<sg4::Link*> links;
    double latency = 0;
    src->route_to(dst, links, &latency);
    std::printf("\t%.17g", latency);
    for (const auto* link : links)
      std::printf("\t%s\t%.17g\t%d", link->get_cname(), link->get_bandwidth(),
                  link->get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE);
    std::printf("\n");
  } catch (const std::exception&) {
    std::printf("\tnone\n");
  }
}

int main(int argc, char** argv)
{
  sg4::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  // Only a sealed zone knows the ways that it finds itself.
  engine.get_netzone_root()->seal();
  auto hosts = engine.get_all_hosts();
  for (const auto* src : hosts)
    for (const auto* dst : hosts)
      if (src != dst)
        print_way(src, dst);
  return 0;
}
