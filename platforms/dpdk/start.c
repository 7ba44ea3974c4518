/* SPDX-License-Identifier: BSD-3-Clause
 *
 * DPDK's environment, once in a process. */
#include "platforms/dpdk/dpdk.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	WORDS = 32,
	TEXT = 1024,
	MB = 1 << 20,
	EAL_MB = 16,
	EACH_MB = 64,
	PACKET_OVERHEAD = 512,
	HUGE_MB = 2
};

struct eal_words {
	char text[TEXT];
	size_t used;
	char *words[WORDS];
	int n;
};

/* What does not fit is left out, and the environment then says what it misses. */
static void word_add(struct eal_words *words, const char *word)
{
	const size_t size = strlen(word) + 1;

	if (words->n == WORDS - 1 || size > sizeof(words->text) - words->used)
		return;
	words->words[words->n++] = memcpy(words->text + words->used, word, size);
	words->used += size;
}

static void add_all(struct eal_words *words, const char *text)
{
	char copy[TEXT], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", text ? text : "");
	while ((word = strsep(&rest, " ")) != NULL)
		if (*word)
			word_add(words, word);
}

static unsigned free_huge_pages(void)
{
	FILE *file = fopen("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "re");
	unsigned n = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%u", &n) != 1)
		n = 0;
	fclose(file);
	return n;
}

/* Every card, or none of those that there are is touched. */
static void add_ports(struct eal_words *words, const char *const *ports)
{
	bool any = false;

	for (; *ports != NULL; ports++) {
		if (strncmp(*ports, "net_", 4) == 0)
			continue;
		word_add(words, "-a");
		word_add(words, *ports);
		any = true;
	}
	if (!any)
		word_add(words, "--no-pci");
}

static void words_fill(
    struct eal_words *words, const struct transport_options *options, char *ret_note)
{
	const uint64_t bytes =
	    (uint64_t)options->packets * (options->packet_bytes + PACKET_OVERHEAD);
	const unsigned each = (unsigned)(2 * bytes / MB) + EAL_MB;
	const char *const alone[] = {options->port, NULL},
	                  *const *ports = options->ports ? options->ports : alone;
	unsigned mb = 0;
	char text[64];
	bool huge;

	for (const char *const *port = ports; *port != NULL; port++)
		mb += each > EACH_MB ? each : EACH_MB;
	huge = free_huge_pages() * HUGE_MB >= mb;
	word_add(words, "aloe");
	add_all(words, options->eal);
	snprintf(text, sizeof(text), "--lcores=0@%d",
	    sched_getcpu()); /* where we are: it binds us to one for a moment */
	word_add(words, text);
	if (huge) {
		add_all(words, "--in-memory --single-file-segments");
	} else {
		snprintf(text, sizeof(text), "--no-huge -m %u", mb);
		add_all(words, text);
		snprintf(ret_note, TRANSPORT_WHY,
		    "there are no huge pages, so %u MB of ordinary memory are used, which cannot "
		    "be shared without a copy",
		    mb);
	}
	add_ports(words, ports);
	add_all(words, "--no-shconf --no-telemetry --log-level=4 --file-prefix=aloe");
}

/* The folder that it makes for itself, PLACE/dpdk/aloe, has nothing in it. */
static void remove_folder(const char *path)
{
	char above[PATH_MAX], *slash;

	snprintf(above, sizeof(above), "%s", path);
	(void)rmdir(above);
	slash = strrchr(above, '/');
	if (slash != NULL) {
		*slash = 0;
		(void)rmdir(above); /* unless there is another's */
	}
}

/* Rings that processes share (memif's are tens of MB) would else be faulted in packet by packet,
 * each 1 .. 10 us late, in their whole first round. Where not all of this process may be locked,
 * nothing is. */
static void lock_pages(void)
{
	if (mlockall(MCL_CURRENT) == 0)
		(void)mlockall(MCL_CURRENT | MCL_FUTURE);
}

int dpdk_start(const struct transport_options *options, char *ret_note, char *ret_why)
{
	struct eal_words words = {.used = 0};
	cpu_set_t cpus;
	int rc;

	if (rte_lcore_count() > 0) { /* it runs already */
		ret_note[0] = 0;
		return rte_lcore_id() != LCORE_ID_ANY || rte_thread_register() == 0 ? 0
		                                                                    : -rte_errno;
	}
	pthread_getaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	words_fill(&words, options, ret_note);
	rc = rte_eal_init(words.n, words.words);
	if (rc < 0)
		rc = -rte_errno;
	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus); /* it has bound us to one */
	if (rc < 0) {
		snprintf(ret_why, TRANSPORT_WHY, "DPDK's environment does not start: %s",
		    rte_strerror(-rc));
		return rc;
	}
	remove_folder(rte_eal_get_runtime_dir());
	if (!options->unlocked)
		lock_pages();
	return 0;
}
