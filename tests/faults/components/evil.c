/* SPDX-License-Identifier: BSD-3-Clause
 * evil - items passed on unchanged, and at a stated index an attack on the node from within `work`:
 * on the memory that hosts share, on the lane's CPU, on its own process. For tests; never
 * installed. */
#include <aloe/component.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/image/node.h"

enum { THREADS = 4, CHILDREN = 16 };

struct evil {
	int32_t how;
	uint64_t at, seed;
	uint32_t item_bytes;
};

enum {
	NOTHING,
	BATON,
	SINCE,
	LANE,
	GO,
	WAVEFORM,
	BEFORE,
	BEHIND,
	THREADS_BUSY,
	RAISE,
	RAISE_THREAD,
	RAISE_CHILD,
	HANG,
	SLEEP,
	STOP,
	DIE,
	LEAVE,
	SOCKETS,
	FORK,
	/* words of the lane image that no hand-over of its own writes over */
	STANDS_ENTRY,
	STANDS_SLOT,
	STANDS_SINCE
};

static const char *const hows[] = {"nothing", "baton", "since", "lane", "go", "waveform", "before",
    "behind", "threads", "raise", "raise_thread", "raise_child", "hang", "sleep", "stop", "die",
    "leave", "sockets", "fork", "stands_entry", "stands_slot", "stands_since", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items of any type"),
    ALOE_OUT("out", ALOE_ANY, "the same items"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct evil, how, hows, "nothing", 0, "the attack"),
    ALOE_PARAM_INT(struct evil, at, 100, 0, 9007199254740992.0, "", 0, "index at which it begins"),
    ALOE_PARAM_INT(struct evil, seed, 1, 1, 9007199254740992.0, "", 0, "of its random bytes"),
};

static uint64_t random_next(struct evil *evil)
{
	evil->seed ^= evil->seed << 13;
	evil->seed ^= evil->seed >> 7;
	evil->seed ^= evil->seed << 17;
	return evil->seed;
}

/* The writable mappings of a memfd of that name: calls `harm` for each. */
static void mappings(
    struct evil *evil, const char *name, void (*harm)(struct evil *evil, uint8_t *at, size_t bytes))
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[512], rights[8];
	unsigned long from, to;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strstr(line, name) != NULL &&
		    sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 && rights[1] == 'w')
			harm(evil, (uint8_t *)from, to - from);
	if (file != NULL)
		fclose(file);
}

static void fill(struct evil *evil, uint8_t *at, size_t bytes)
{
	for (size_t i = 0; i + 8 <= bytes; i += 8) {
		const uint64_t word = random_next(evil);

		memcpy(at + i, &word, 8);
	}
}

static void harm_baton(struct evil *evil, uint8_t *at, size_t bytes)
{
	struct lane_image *image = (void *)at;

	(void)bytes;
	atomic_store(&image->baton, random_next(evil));
}

static void harm_since(struct evil *evil, uint8_t *at, size_t bytes)
{
	struct lane_image *image = (void *)at;

	(void)bytes;
	atomic_store(&image->since, random_next(evil));
}

static void harm_go(struct evil *evil, uint8_t *at, size_t bytes)
{
	struct lane_image *image = (void *)at;

	(void)bytes;
	for (int seat = 0; seat < NODE_ENTRIES_MAX; seat++) {
		atomic_store(&image->go[seat], (uint32_t)random_next(evil));
		atomic_store(&image->tid[seat], random_next(evil) % 100000);
	}
}

/* ---- after the hand-over ---- */

struct late { /* what its thread needs */
	struct lane_image *image;
	int32_t how;
};

enum { FAR_SLOTS = 1000000, FAR_ENTRY = 1000, KEEPS = 1000, KEEP_NS = 50000 };

/* In the place of one whose slot is still to begin. An entry of the table that nobody ever had is
 * said to be at work. */
static uint64_t late_baton(const struct late *late, uint64_t fresh)
{
	if (late->how == STANDS_ENTRY)
		return baton_make(baton_slot(fresh), BATON_FRESH, FAR_ENTRY);
	if (late->how == STANDS_SLOT)
		return baton_make(baton_slot(fresh) + FAR_SLOTS, BATON_FRESH, baton_entry(fresh));
	return baton_make(baton_slot(fresh) - 1, 0, NODE_ENTRIES_MAX - 1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Between two slots nobody is at work who would hand on what was there before. */
static void *stand(void *self)
{
	struct late *late = self;
	_Atomic uint64_t *baton = &late->image->baton, *since = &late->image->since;
	cpu_set_t all;
	uint64_t had;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
	do {
		nanosleep(&(struct timespec){.tv_nsec = KEEP_NS}, NULL);
		had = atomic_load(baton);
	} while (!(had & BATON_FRESH) ||
	    !atomic_compare_exchange_strong(baton, &had, late_baton(late, had)));
	for (int i = 0; late->how == STANDS_SINCE && i < KEEPS; i++) {
		atomic_store(since, since_make(now_ns(), SINCE_AT_WORK, NODE_ENTRIES_MAX - 1));
		nanosleep(&(struct timespec){.tv_nsec = KEEP_NS}, NULL);
	}
	free(late);
	return NULL;
}

static void harm_late(struct evil *evil, uint8_t *at, size_t bytes)
{
	struct lane_image *image = (void *)at;
	struct late *late = malloc(sizeof(*late));
	pthread_t thread;

	(void)bytes;
	if (late == NULL)
		return;
	*late = (struct late){image, evil->how};
	if (pthread_create(&thread, NULL, stand, late) == 0)
		pthread_detach(thread);
}

/* ---- on the CPU, on the process ---- */

static void *busy(void *self)
{
	for (volatile unsigned i = 0;; i = i + 1)
		;
	return self;
}

static void raise_priority(void)
{
	const struct sched_param param = {.sched_priority = 99};

	sched_setscheduler(0, SCHED_FIFO, &param);
}

static void *busy_above_all(void *self)
{
	raise_priority();
	return busy(self);
}

static void threads_start(int n, void *(*main)(void *self))
{
	pthread_t thread;

	for (int i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, main, NULL) == 0)
			pthread_detach(thread);
}

static void children_start(int n, bool raised)
{
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			if (raised)
				execlp("chrt", "chrt", "-f", "99", "sh", "-c",
				    "while :; do :; done", (char *)NULL);
			for (;;)
				pause();
		}
}

static void sockets_close(void)
{
	struct stat about;

	for (int fd = 3; fd < 1024; fd++)
		if (fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode))
			close(fd);
}

static void attack_memory(struct evil *evil, struct aloe_slot *slot)
{
	uint8_t *out = slot->out[0].data;

	switch (evil->how) {
	case BATON:
		mappings(evil, "memfd:aloe-lane", harm_baton);
		break;
	case SINCE:
		mappings(evil, "memfd:aloe-lane", harm_since);
		break;
	case LANE:
		mappings(evil, "memfd:aloe-lane", fill);
		break;
	case GO:
		mappings(evil, "memfd:aloe-lane", harm_go);
		break;
	case STANDS_ENTRY:
	case STANDS_SLOT:
	case STANDS_SINCE:
		mappings(evil, "memfd:aloe-lane", harm_late);
		break;
	case WAVEFORM:
		mappings(evil, "memfd:aloe-waveform", fill);
		break;
	case BEFORE:
		memset(out - 64, 0x55, 64);
		break;
	case BEHIND:
		memset(out + (size_t)slot->out[0].max * evil->item_bytes, 0x55, 64);
		break;
	default:
		break;
	}
}

static void attack_cpu(const struct evil *evil)
{
	const struct timespec long_time = {.tv_sec = 3600};

	switch (evil->how) {
	case THREADS_BUSY:
		threads_start(THREADS, busy);
		break;
	case RAISE:
		raise_priority();
		busy(NULL);
		break;
	case RAISE_THREAD:
		threads_start(1, busy_above_all);
		break;
	case RAISE_CHILD:
		children_start(1, true);
		break;
	case HANG:
		busy(NULL);
		break;
	case SLEEP:
		for (;;)
			nanosleep(&long_time, NULL);
	default:
		break;
	}
}

static void attack_process(const struct evil *evil)
{
	switch (evil->how) {
	case STOP:
		kill(getpid(), SIGSTOP);
		break;
	case DIE:
		kill(getpid(), SIGKILL);
		break;
	case LEAVE:
		_exit(0);
	case SOCKETS:
		sockets_close();
		break;
	case FORK:
		children_start(CHILDREN, false);
		break;
	default:
		break;
	}
}

static int evil_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->in[0].max;
	return 0;
}

static int evil_init(void *self, struct aloe_setup *setup)
{
	((struct evil *)self)->item_bytes = aloe_item_bytes(setup->in[0].type);
	return 0;
}

static int evil_work(void *self, struct aloe_slot *slot)
{
	struct evil *evil = self;
	const uint32_t n = aloe_pass(slot, 0, 0);

	if (n)
		memcpy(slot->out[0].data, slot->in[0].data, (size_t)n * evil->item_bytes);
	if (slot->index != evil->at)
		return 0;
	attack_memory(evil, slot);
	attack_cpu(evil);
	attack_process(evil);
	return 0;
}

ALOE_COMPONENT(evil) = {
    .summary = "passes items on, and attacks the node at one index",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct evil),
    .shape = evil_shape,
    .init = evil_init,
    .work = evil_work,
};
