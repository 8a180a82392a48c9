/* Kernel addresses in trace pages differ from run to run where the machine randomises them. Those of packets
 * (skbaddr) become numbers in the order in which they are first seen: what is one packet stays one. All others
 * become zero. What follows a page's last event is not kept. SPDX: MIT */
#include "agent.h"
#include <stdio.h>

enum { EVENTS = 64, FIELDS = 8, PADDING = 29, EXTEND = 30, STAMP = 31 };

static unsigned word = 8; /* bytes of the kernel's pointers, and of the number of those in use in a page's head */
static unsigned head = 16; /* bytes of a page before its events */

static struct {
	unsigned id, fields;
	unsigned short offset[FIELDS];
	bool packet[FIELDS];
} event[EVENTS];
static unsigned count;

/* Address -> number, by open addressing; a power of two places, at most half of them taken. */
static struct seen {
	uint64_t address, number;
} *seen;
static size_t room, taken;

static struct seen *place_of(uint64_t address)
{
	size_t at = (size_t)(address * 0x9e3779b97f4a7c15u >> 20) & (room - 1);
	while (seen[at].address && seen[at].address != address)
		at = (at + 1) & (room - 1);
	return &seen[at];
}

static void grow(void)
{
	struct seen *old = seen;
	size_t before = room;

	room = room ? 2 * room : 4096;
	seen = calloc(room, sizeof *seen);
	if (!seen)
		abort();
	for (size_t i = 0; i < before; i++)
		if (old[i].address)
			*place_of(old[i].address) = old[i];
	free(old);
}

static uint64_t number_of(uint64_t address)
{
	if (!address)
		return 0;
	if (2 * taken >= room)
		grow();
	struct seen *p = place_of(address);
	if (!p->address)
		*p = (struct seen){address, ++taken};
	return p->number;
}

/* Learns from an event's format text which of its fields are pointers, and from that of a page's head how long. */
void mask_learn(const char *format)
{
	const char *line = strstr(format, "ID: "), *commit = strstr(format, "commit;"), *data = strstr(format, "data;");
	unsigned bytes, at;

	if (!line && commit && sscanf(commit, "commit;\toffset:8;\tsize:%u;", &bytes) == 1 && (bytes == 4 || bytes == 8))
		word = bytes;
	if (!line && data && sscanf(data, "data;\toffset:%u;", &at) == 1 && at >= 8 + word && at <= 32)
		head = at;
	if (!line || count == EVENTS)
		return;
	event[count].id = (unsigned)atoi(line + 4);
	for (line = format; (line = strstr(line, "\tfield:")); line++) {
		const char *name_end = strchr(line, ';'), *star = strchr(line, '*');
		unsigned offset, size;
		if (!name_end || !star || star > name_end)
			continue;
		if (sscanf(name_end, ";\toffset:%u;\tsize:%u;", &offset, &size) == 2 && size == word && event[count].fields < FIELDS) {
			event[count].packet[event[count].fields] = strncmp(name_end - 7, "skbaddr", 7) == 0;
			event[count].offset[event[count].fields++] = (unsigned short)offset;
		}
	}
	count++;
}

void mask_event(uint8_t *data, size_t size)
{
	uint16_t id;

	memcpy(&id, data, 2);
	for (unsigned i = 0; i < count; i++)
		for (unsigned f = 0; event[i].id == id && f < event[i].fields; f++)
			if (event[i].offset[f] + word <= size) {
				uint64_t address = 0, shown = 0;
				memcpy(&address, data + event[i].offset[f], word);
				if (event[i].packet[f])
					shown = number_of(address);
				memcpy(data + event[i].offset[f], &shown, word);
			}
}

/* Returns how much of the page there is to keep. One page: time stamp (8 bytes), commit (a word), then
 * events, where the page's format says (Documentation/trace/ring-buffer-map). */
size_t mask_page(uint8_t *page, size_t size)
{
	uint64_t commit = 0;
	size_t at = head;

	if (size < head)
		return size;
	memcpy(&commit, page + 8, word);
	size_t end = head + (size_t)(commit & 0xfffff);
	if (end > size)
		end = size;
	while (at + 4 <= end) {
		uint32_t start, words;
		memcpy(&start, page + at, 4);
		uint32_t type = start & 31;
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
			if (type == PADDING && start >> 5 == 0)
				break;
			at += 4 + words;
			continue;
		}
		if (at + 4 + 4 * type > end)
			break;
		mask_event(page + at + 4, 4 * type);
		at += 4 + 4 * type;
	}
	bool missed = (commit >> 30 & 1) && end + word <= size; /* a count of lost events follows the data */
	return end + (missed ? word : 0);
}
