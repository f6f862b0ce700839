#include <string.h>

#define TIMED     1
#define EXEC_NAME exec_run_timed
#include "cpu/exec_body.h"
