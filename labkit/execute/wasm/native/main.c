/* The lab kernel as a program of this machine:
 *
 *   lab MIB
 *
 * with so much memory, in the run folder that it is started in (run_folder.c). SPDX: MIT */
#include "lab.h"
#include "system.h"
#include <stdio.h>
#include <stdlib.h>

w2c_kernel kernel;

int main(int argc, char **argv)
{
	char *end_of_number = "";
	unsigned long mib = argc == 2 ? strtoul(argv[1], &end_of_number, 10) : 0;

	if (mib == 0 || mib > 4096 || *end_of_number) {
		fprintf(stderr, "usage: lab MIB\n");
		return 2;
	}
	system_start(end_fault);
	if (!memory_start((unsigned)mib))
		give_up("memory");
	run_folder_open();
	wasm2c_kernel_instantiate(&kernel, NULL, NULL);
	tasks_start();
}
