/* mask FORMAT SIZE <PAGES >KEPT: masks pages of SIZE bytes each, every one in memory of its own, so that a byte
 * before or behind it is noticed. KEPT has for each its size (4 bytes) and what is to keep of it. */
#include "agent.h"
#include <stdio.h>

static char format[1 << 16];

int main(int argc, char **argv)
{
	size_t size = argc == 3 ? (size_t)atoi(argv[2]) : 0;
	FILE *file = size ? fopen(argv[1], "r") : NULL;

	if (!file)
		return 2;
	while (fgets(format, sizeof format, file)) { /* formats, each in a line of its own, \1 for its newlines */
		for (char *p = format; *p; p++)
			if (*p == '\1')
				*p = '\n';
		mask_learn(format);
	}
	fclose(file);
	for (;;) {
		uint8_t *page = malloc(size);
		if (!page || fread(page, 1, size, stdin) != size) {
			free(page);
			return 0;
		}
		uint32_t kept = (uint32_t)mask_page(page, size);
		fwrite(&kept, sizeof kept, 1, stdout);
		fwrite(page, 1, kept, stdout);
		free(page);
	}
}
