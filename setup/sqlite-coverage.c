/* Linked into SQLite by './x sqlite VERSION --coverage': notes which edges between basic blocks were taken. The driver
   finds the three symbols that are exported here, reads the list, clears it, and works without them in any other build.
   The compiler (-fsanitize-coverage=trace-pc) calls the function at the end at the start of every block. */
#include <stdint.h>

#define EDGES (1u << 18)
#define EXPORTED __attribute__((visibility("default")))

/* Which edges are in the list, the list, and its length. */
EXPORTED unsigned char qualm_edge_taken[EDGES];
EXPORTED uint32_t qualm_edge_list[EDGES];
EXPORTED uint32_t qualm_edge_count;

static uint32_t before;

__attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc(void) {
  /* Relative to this function, so that a block has the same number wherever the library is loaded. */
  uint64_t place = (uint64_t)((char *)__builtin_return_address(0) - (char *)__sanitizer_cov_trace_pc);
  uint32_t here = (uint32_t)((place * 0x9E3779B97F4A7C15ull) >> 46);
  uint32_t edge = here ^ before;
  before = here >> 1;
  if (qualm_edge_taken[edge]) return;
  qualm_edge_taken[edge] = 1;
  qualm_edge_list[qualm_edge_count++] = edge;
}
