/* The user's files that commands see (files=, "shown0" and so on in the run folder), as they are on every machine:
 * root's, made at time 0, in the order of their names. Who copied them, when, and to what kind of disk, is nothing
 * that the guest can see. Their modes are the copy's own. SPDX: MIT */
#define _GNU_SOURCE
#include "shim.h"
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, SECTOR = 512 };

/* The name in the run folder of a file that is shown, or in one that is; else NULL. */
static const char *shown(const char *path)
{
	const char *name = in_run_folder(path);

	return name && !strncmp(name, "shown", 5) && name[5] >= '0' && name[5] <= '9' ? name : NULL;
}

/* Files are told apart by their numbers: one for each name (FNV-1a). */
static uint64_t number(const char *folder, size_t length, const char *name)
{
	uint64_t found = 0xcbf29ce484222325;
	const uint64_t prime = 0x100000001b3;

	for (size_t i = 0; i < length; i++)
		found = (found ^ (unsigned char)folder[i]) * prime;
	if (name)
		found = (found ^ '/') * prime;
	for (; name && *name; name++)
		found = (found ^ (unsigned char)*name) * prime;
	return found >> 1;
}

void shown_as_everywhere(const char *path, struct statx *found)
{
	const char *name = shown(path);
	const struct statx_timestamp then = {0};

	if (!name)
		return;
	found->stx_ino = number(name, strlen(name), NULL);
	found->stx_dev_major = found->stx_dev_minor = 0;
	found->stx_uid = found->stx_gid = 0;
	found->stx_nlink = 1;
	found->stx_atime = found->stx_mtime = found->stx_ctime = found->stx_btime = then;
	found->stx_blksize = BLOCK;
	if ((found->stx_mode & S_IFMT) == S_IFDIR)
		found->stx_size = BLOCK;
	found->stx_blocks = (found->stx_size + BLOCK - 1) / BLOCK * (BLOCK / SECTOR);
}

/* A folder's entries by name, in place of what opendir() gives. */
struct listing {
	struct listing *next;
	struct dirent64 **entries;
	int count, at;
};
static struct listing *listings;

static int by_name(const struct dirent64 **a, const struct dirent64 **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static struct listing *of(DIR *folder)
{
	struct listing *l = listings;

	while (l && (DIR *)l != folder)
		l = l->next;
	return l;
}

static DIR *listed(const char *path, const char *name)
{
	struct listing *l = calloc(1, sizeof *l);
	size_t length = strlen(name), above = length;

	if (!l || (l->count = scandir64(path, &l->entries, NULL, by_name)) < 0) {
		free(l);
		return NULL;
	}
	while (above && name[above - 1] != '/')
		above--;
	for (int i = 0; i < l->count; i++) {
		struct dirent64 *entry = l->entries[i];
		entry->d_off = i + 1;
		if (!strcmp(entry->d_name, "."))
			entry->d_ino = number(name, length, NULL);
		else if (!strcmp(entry->d_name, ".."))
			entry->d_ino = number(name, above ? above - 1 : 0, NULL);
		else
			entry->d_ino = number(name, length, entry->d_name);
	}
	l->next = listings;
	listings = l;
	return (DIR *)l;
}

DIR *opendir(const char *path)
{
	DIR *(*next)(const char *) = (DIR *(*)(const char *))dlsym(RTLD_NEXT, "opendir");
	const char *name = shown(path);

	return name ? listed(path, name) : next(path);
}

struct dirent64 *readdir64(DIR *folder)
{
	struct dirent64 *(*next)(DIR *) = (struct dirent64 * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir64");
	struct listing *l = of(folder);

	if (!l)
		return next(folder);
	return l->at < l->count ? l->entries[l->at++] : NULL;
}

void seekdir(DIR *folder, long at)
{
	void (*next)(DIR *, long) = (void (*)(DIR *, long))dlsym(RTLD_NEXT, "seekdir");
	struct listing *l = of(folder);

	if (!l)
		next(folder, at);
	else
		l->at = at < 0 || at > l->count ? l->count : (int)at;
}

int closedir(DIR *folder)
{
	int (*next)(DIR *) = (int (*)(DIR *))dlsym(RTLD_NEXT, "closedir");
	struct listing *l = of(folder), **before = &listings;

	if (!l)
		return next(folder);
	while (*before != l)
		before = &(*before)->next;
	*before = l->next;
	for (int i = 0; i < l->count; i++)
		free(l->entries[i]);
	free(l->entries);
	free(l);
	return 0;
}
