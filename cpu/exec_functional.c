#include <string.h>

#define TIMED     0
#define EXEC_NAME exec_run_functional
#include "cpu/exec_body.h"
