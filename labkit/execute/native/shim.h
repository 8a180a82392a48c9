/* What the shim's files share. SPDX: MIT */
#ifndef SHIM_H
#define SHIM_H
#include <stdint.h>
#include <sys/stat.h>

/* shim.c: the name in the run folder of a path of hostfs's, or NULL */
const char *in_run_folder(const char *path);

/* shown.c: what statx() has found at a path, if that is one of the user's files */
void shown_as_everywhere(const char *path, struct statx *found);
#endif
