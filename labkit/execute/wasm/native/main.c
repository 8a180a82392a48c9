/* The lab kernel as a program of this machine:
 *
 *   lab MIB FROM TO
 *
 * with so much memory, in the run folder that it is started in; FROM and TO are the descriptors of the gate
 * (run_folder.c). `lab attempts` lists attempts to leave its memory, `lab attempt WHAT` makes one of them. SPDX: MIT */
#include "lab.h"
#include "system.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MIB = 4095, ATTEMPT_MIB = 128 }; /* of 32 bits; the last is no place for anything */

w2c_kernel kernel;

/* A whole number from `least` to `most`, or the end. */
static int number(const char *text, long least, long most)
{
	char *end_of_number;
	long value = strtol(text, &end_of_number, 10);

	if (end_of_number == text || *end_of_number || value < least || value > most) {
		fprintf(stderr, "lab: %s: a number from %ld to %ld\n", text, least, most);
		exit(2);
	}
	return (int)value;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "attempts")) {
		attempts_list();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "attempt")) {
		system_start(end_fault);
		if (!memory_start(ATTEMPT_MIB))
			give_up("memory");
		if (!attempts_make(argv[2]))
			fprintf(stderr, "lab: no such attempt: %s\n", argv[2]);
		return 2;
	}
	if (argc != 4) {
		fprintf(stderr, "usage: lab MIB FROM TO\n");
		return 2;
	}
	system_start(end_fault);
	run_folder_open(number(argv[2], 0, INT_MAX), number(argv[3], 0, INT_MAX));
	if (!memory_start((unsigned)number(argv[1], 1, MOST_MIB)))
		give_up("addresses for its memory");
	walls_close();
	wasm2c_kernel_instantiate(&kernel, NULL, NULL);
	tasks_start();
}
