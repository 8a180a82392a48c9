/* Reads a lab program and finds its records, each of which must please `check`, before anything is done.
 * SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static char fault[128];

static const char *index_records(struct program *p, record_check check, unsigned known_netns)
{
	size_t at = sizeof(struct header);

	for (uint32_t i = 0; i < p->records; i++) {
		const struct record *r = (const void *)(p->bytes + at);
		const char *wrong = NULL;

		if (p->size - at < sizeof *r || r->size < sizeof *r || r->size > p->size - at)
			wrong = "runs past the end";
		else
			wrong = check(r, known_netns);
		if (!wrong && (r->type == P_END) != (i + 1 == p->records))
			wrong = "END must be the last record and only that";
		if (wrong) {
			snprintf(fault, sizeof fault, "damaged lab program: record %u at byte %zu: %s", i, at, wrong);
			return fault;
		}
		if (r->type == P_NETNS)
			known_netns++;
		p->record[i] = r;
		size_t step = ((size_t)r->size + 7) & ~(size_t)7;
		at = step > p->size - at ? p->size : at + step;
	}
	return NULL;
}

const char *program_load(struct program *p, const char *path, record_check check)
{
	struct stat st;
	struct header h;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*p = (struct program){0};
	if (fd < 0 || fstat(fd, &st) < 0) {
		snprintf(fault, sizeof fault, "cannot read the lab program: %s", strerror(errno));
		return fault;
	}
	p->size = (size_t)st.st_size;
	p->bytes = malloc(p->size + 8);
	size_t got = 0;
	while (p->bytes && got < p->size) {
		ssize_t n = read(fd, p->bytes + got, p->size - got);
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	close(fd);
	if (!p->bytes || got < p->size || p->size < sizeof h)
		return "damaged lab program: shorter than its header";
	memcpy(&h, p->bytes, sizeof h);
	if (h.magic != LAB_MAGIC)
		return "not a lab program: wrong magic number";
	if (h.version != LAB_VERSION) {
		snprintf(fault, sizeof fault, "lab program of version %u, this agent reads version %u", h.version, LAB_VERSION);
		return fault;
	}
	if (h.records == 0 || h.records > p->size / sizeof(struct record))
		return "damaged lab program: impossible number of records";
	p->records = h.records;
	p->flags = h.flags;
	p->record = calloc(h.records, sizeof *p->record);
	if (!p->record)
		return "no memory for the lab program";
	return index_records(p, check, netns_count());
}

void program_free(struct program *p)
{
	free(p->record);
	free(p->bytes);
	*p = (struct program){0};
}
