/* A job for bench/measure/ports.py: each rank exchanges a small and a large message with each other.

   MPICH 4.0 over UCX 1.13 may not end: in MPI_Finalize a rank waits until each other has acknowledged its last
   connection, which those do not that wait for the launcher already. None does where all have left the last barrier
   before the first begins to finalize. */
#include <mpi.h>
#include <unistd.h>

static const int sizes[] = {1, 1 << 20};
static char out[1 << 20], in[1 << 20];

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int shift = 1; shift < size; shift++)
    for (int which = 0; which < 2; which++)
      MPI_Sendrecv(out, sizes[which], MPI_CHAR, (rank + shift) % size, 0, in, sizes[which], MPI_CHAR,
                   (rank + size - shift) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(200000);
  MPI_Finalize();
  return 0;
}
