/* What MPI says of the sizes at which its protocols change, by its tools interface: values that are in effect, wherever
 * they were set. Those of UCX are no variables of MPI and are taken from the environment. */
#define _GNU_SOURCE
#include "weft_mpi.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 256

static int is_limit(const char *name)
{
    if (strstr(name, "rndv") || strstr(name, "_self_"))
        return 0;
    return strstr(name, "eager_limit") || strstr(name, "max_send_size") || strstr(name, "CH4_OFI_EAGER_MAX_MSG_SIZE");
}

/* A single integer of a type, or -1 where the variable is none. */
static int64_t value_of_variable(int index, MPI_Datatype type)
{
    union { int whole; int64_t large; } value = {0};
    MPI_T_cvar_handle handle;
    int count, bytes = 0;
    int64_t found = -1;
    if (type == MPI_DATATYPE_NULL || MPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes > (int)sizeof value)
        return -1;
    if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return -1;
    if (count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS)
        found = bytes == sizeof value.whole ? value.whole : value.large;
    MPI_T_cvar_handle_free(&handle);
    return found;
}

static void say_limit(int index)
{
    char name[NAME_BYTES];
    int name_bytes = sizeof name, none = 0, verbosity, binding, scope;
    MPI_Datatype type;
    if (MPI_T_cvar_get_info(index, name, &name_bytes, &verbosity, &type, NULL, NULL, &none, &binding, &scope))
        return;
    if (binding != MPI_T_BIND_NO_OBJECT || !is_limit(name))
        return;
    const int64_t value = value_of_variable(index, type);
    if (value > 0)
        printf("limit %s %lld\n", name, (long long)value);
}

/* Bytes as UCX reads them: 8192, 8k, 8KB; 0 of none, and of what is no number, such as auto. */
static int64_t memory_units(const char *text)
{
    static const char units[] = "kmg";
    char *end;
    int64_t bytes = text ? strtoll(text, &end, 10) : 0;
    const char *unit = bytes > 0 && *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
    return unit ? bytes << 10 * (unit - units + 1) : bytes;
}

void say_limits(void)
{
    int provided, variables = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return;
    MPI_T_cvar_get_num(&variables);
    for (int index = 0; index < variables; index++)
        say_limit(index);
    MPI_T_finalize();
    const int64_t ucx = memory_units(getenv("UCX_RNDV_THRESH"));
    if (ucx > 0)
        printf("limit UCX_RNDV_THRESH %lld\n", (long long)ucx);
}
