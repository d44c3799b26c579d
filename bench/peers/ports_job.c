/* A job for bench/ports.py: each rank exchanges a small and a large message with each other. */
#include <mpi.h>

#define BYTES (1 << 20)
static char out[BYTES], in[BYTES];

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int shift = 1; shift < size; shift++)
    for (int bytes = 1; bytes <= BYTES; bytes *= BYTES)
      MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + shift) % size, 0, in, bytes, MPI_CHAR,
                   (rank + size - shift) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
