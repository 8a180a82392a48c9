/* Kernel addresses in trace pages become zero: they say nothing about a run and differ from one to the
 * next where the machine randomises them. What follows a page's last event is cleared too. SPDX: MIT */
#include "agent.h"
#include <stdio.h>

enum { EVENTS = 64, FIELDS = 8, PAGE_HEAD = 16, PADDING = 29, EXTEND = 30, STAMP = 31 };

static struct {
	unsigned id, fields;
	unsigned short offset[FIELDS];
} event[EVENTS];
static unsigned count;

/* Learns from an event's format text which of its fields are pointers. */
void mask_learn(const char *format)
{
	const char *line = strstr(format, "ID: ");

	if (!line || count == EVENTS)
		return;
	event[count].id = (unsigned)atoi(line + 4);
	for (line = format; (line = strstr(line, "\tfield:")); line++) {
		const char *name_end = strchr(line, ';'), *star = strchr(line, '*');
		unsigned offset, size;
		if (!name_end || !star || star > name_end)
			continue;
		if (sscanf(name_end, ";\toffset:%u;\tsize:%u;", &offset, &size) == 2 && size == 8 && event[count].fields < FIELDS)
			event[count].offset[event[count].fields++] = (unsigned short)offset;
	}
	count++;
}

static void mask_event(uint8_t *data, size_t size)
{
	uint16_t id;

	memcpy(&id, data, 2);
	for (unsigned i = 0; i < count; i++)
		for (unsigned f = 0; event[i].id == id && f < event[i].fields; f++)
			if (event[i].offset[f] + 8u <= size)
				memset(data + event[i].offset[f], 0, 8);
}

/* One page: time stamp (8 bytes), commit (8 bytes), then events (Documentation/trace/ring-buffer-map). */
void mask_page(uint8_t *page, size_t size)
{
	uint64_t commit;
	size_t at = PAGE_HEAD;

	if (size < PAGE_HEAD)
		return;
	memcpy(&commit, page + 8, 8);
	size_t end = PAGE_HEAD + (size_t)(commit & 0xfffff);
	if (end > size)
		end = size;
	while (at + 4 <= end) {
		uint32_t head, words;
		memcpy(&head, page + at, 4);
		uint32_t type = head & 31;
		if (type == EXTEND || type == STAMP) {
			at += 8;
			continue;
		}
		if (type == 0 || type == PADDING) {
			if (at + 8 > end)
				break;
			memcpy(&words, page + at + 4, 4);
			if (type == 0 && words >= 4 && at + 4 + words <= end)
				mask_event(page + at + 8, words - 4);
			if (type == PADDING && head >> 5 == 0)
				break;
			at += 4 + words;
			continue;
		}
		if (at + 4 + 4 * type > end)
			break;
		mask_event(page + at + 4, 4 * type);
		at += 4 + 4 * type;
	}
	bool missed = (commit >> 30 & 1) && end + 8 <= size; /* a count of lost events follows the data */
	size_t keep = end + (missed ? 8 : 0);
	memset(page + keep, 0, size - keep);
}
