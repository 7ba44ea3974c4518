/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory.c - how much memory there is for an image: what the machine has, what the control groups
 * of this process leave it, and what its own limit on addresses does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemons/exec/prepare.h"

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* One number from a file; UINT64_MAX without one ("max"). */
static uint64_t number_in(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned long long number = UINT64_MAX;

	if (file == NULL)
		return UINT64_MAX;
	if (fscanf(file, "%llu", &number) != 1)
		number = UINT64_MAX;
	fclose(file);
	return number;
}

static uint64_t machine_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kb = UINT64_MAX / 1024;
	char line[128];

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "MemAvailable: %llu kB", &kb) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return kb * 1024;
}

static uint64_t left(const char *dir, const char *limit, const char *used)
{
	char path[512];
	uint64_t most, now;

	snprintf(path, sizeof(path), "/sys/fs/cgroup%.400s/%s", dir, limit);
	most = number_in(path);
	snprintf(path, sizeof(path), "/sys/fs/cgroup%.400s/%s", dir, used);
	now = number_in(path);
	if (most == UINT64_MAX || now == UINT64_MAX)
		return UINT64_MAX;
	return now < most ? most - now : 0;
}

/* This process's group and all above it; version 2 of the interface, then version 1 as containers
 * see it. */
static uint64_t group_bytes(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	uint64_t bytes = left("", "memory.max", "memory.current");
	char line[512], *slash;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, "0::", 3) != 0)
			continue;
		line[strcspn(line, "\n")] = 0;
		while ((slash = strrchr(line, '/')) != NULL) {
			bytes = least(bytes, left(line + 3, "memory.max", "memory.current"));
			*slash = 0;
		}
	}
	if (file != NULL)
		fclose(file);
	return least(bytes, left("/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"));
}

static uint64_t address_bytes(void)
{
	struct rlimit limit;
	unsigned long long pages = 0;
	FILE *file;

	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	file = fopen("/proc/self/statm", "re");
	if (file != NULL && fscanf(file, "%llu", &pages) != 1)
		pages = 0;
	if (file != NULL)
		fclose(file);
	pages *= (unsigned long long)sysconf(_SC_PAGESIZE);
	return pages < limit.rlim_cur ? limit.rlim_cur - pages : 0;
}

uint64_t memory_available(void)
{
	return least(machine_bytes(), least(group_bytes(), address_bytes()));
}
