/* Memory of the agent's own, and of the rings that it shares with the kernel. The kernel took all that there was when it
 * started; what the module grows by from then on is here. SPDX: MIT */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WASM_PAGE = 1 << 16, AT_LEAST = 16, CLASSES = 32, SMALLEST = 5, PAGE = 4096 };

/* In front of each piece, which is 2^class long with it. */
struct head {
	size_t size;
	unsigned class;
	struct head *next; /* of the same class, while it is free */
	size_t unused;     /* what follows starts at a multiple of 16 */
};

static struct head *freed[CLASSES];
static uintptr_t free_from, free_to;

static void *grown_by(size_t size)
{
	if (free_to - free_from < size) {
		size_t pages = (size + WASM_PAGE - 1) / WASM_PAGE;
		size_t before = __builtin_wasm_memory_grow(0, pages > AT_LEAST ? pages : AT_LEAST);
		if (before == (size_t)-1)
			return NULL;
		if (before * WASM_PAGE != free_to)
			free_from = before * WASM_PAGE;
		free_to = __builtin_wasm_memory_size(0) * WASM_PAGE;
	}
	void *piece = (void *)free_from;
	free_from += size;
	return piece;
}

void *malloc(size_t size)
{
	unsigned class = SMALLEST;
	while (class < CLASSES && ((size_t)1 << class) - sizeof(struct head) < size)
		class++;
	struct head *h = class < CLASSES ? freed[class] : NULL;
	if (h)
		freed[class] = h->next;
	else if (class == CLASSES || !(h = grown_by((size_t)1 << class))) {
		errno = ENOMEM;
		return NULL;
	}
	*h = (struct head){.size = size, .class = class};
	return h + 1;
}

void free(void *piece)
{
	if (!piece)
		return;
	struct head *h = (struct head *)piece - 1;
	h->next = freed[h->class];
	freed[h->class] = h;
}

void *calloc(size_t count, size_t each)
{
	size_t size;
	if (__builtin_mul_overflow(count, each, &size)) {
		errno = ENOMEM;
		return NULL;
	}
	void *piece = malloc(size);
	return piece ? memset(piece, 0, size) : NULL;
}

void *realloc(void *piece, size_t size)
{
	if (!piece)
		return malloc(size);
	struct head *h = (struct head *)piece - 1;
	if (size <= ((size_t)1 << h->class) - sizeof *h) {
		h->size = size;
		return piece;
	}
	void *larger = malloc(size);
	if (!larger)
		return NULL;
	memcpy(larger, piece, h->size);
	free(piece);
	return larger;
}

/* Called for the stack of a program, which there is none of. */
void *aligned_alloc(size_t multiple, size_t size)
{
	return multiple <= sizeof(struct head) ? malloc(size) : NULL;
}

/* For the kernel's rings (net/packet/af_packet.c): whole pages, zeros, for good. */
void *lab_pages(size_t size);
void *lab_pages(size_t size)
{
	char *pages = grown_by(size + PAGE);
	return pages ? memset((void *)(((uintptr_t)pages + PAGE - 1) & -(uintptr_t)PAGE), 0, size) : NULL;
}
