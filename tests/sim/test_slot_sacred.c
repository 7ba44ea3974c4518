/* SPDX-License-Identifier: BSD-3-Clause
 * The slot is sacred: neither `work` nor the engine around it allocates, locks, formats text or
 * makes a system call other than the clock and the hand-over. Held against real waveforms, with
 * files at their ends: what the C library would be asked is counted in this process (also when
 * components ask), what the kernel would be asked is trapped by a filter on the lanes' threads.
 * Each of the two is shown to see a component that does what it must not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "core/base/clock.h"
#include "tests/common/counting.h"
#include "tests/common/wave.h"

#if defined(__SANITIZE_THREAD__)
#define OWN_CALLS 1 /* the sanitizer asks the kernel in every thread */
#else
#define OWN_CALLS 0
#endif

enum { STEPS = 200, HOSTS_MAX = 32, SLOTS = 100, SECONDS_MAX = 60 };

/* ---- components that do what they must not ---- */

static int work_allocates(void *self, struct aloe_slot *slot)
{
	void *volatile memory = malloc(100 + slot->index);

	(void)self;
	free(memory);
	return 0;
}

static int work_locks(void *self, struct aloe_slot *slot)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	(void)self, (void)slot;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return 0;
}

static int work_formats(void *self, struct aloe_slot *slot)
{
	char text[32];
	volatile int len;

	(void)self;
	len = snprintf(text, sizeof(text), "%llu", (unsigned long long)slot->index);
	(void)len;
	return 0;
}

static int work_prints(void *self, struct aloe_slot *slot)
{
	(void)self;
	if (slot->index == 10)
		fputs("in the slot\n", stderr);
	return 0;
}

static int work_yields(void *self, struct aloe_slot *slot)
{
	(void)self;
	if (slot->index == 10)
		sched_yield();
	return 0;
}

/* ---- waveforms ------------------------------------------------------------------------ */

/* Its taps are set while it runs. */
static const char live_text[] =
    "name = \"live\"; slot_ns = 1000000;instances: { source: { component = \"random_source\"; "
    "length = 256; }; mod: { component = \"bpsk_mod\"; output = \"cf32\"; }; fir: { component = "
    "\"fir\"; taps = [1.0, 0.5]; }; sink: { component = \"null_sink\"; }; };links = ( \"source -> "
    "mod -> fir -> sink\" );";

static const struct subject {
	const char *file, *isolation, *set; /* file NULL: live_text */
	uint64_t slot_ns;
} subjects[] = {
    {"waveforms/bpsk.conf", "waveform", NULL, 1000000},
    {"waveforms/bpsk.conf", "component", NULL, 1000000},
    {"waveforms/bpsk-rf.conf", "waveform", NULL, 1000000},
    {"waveforms/passthrough.conf", "waveform", "sink.path=%s/sacred.bin", 1000000},
    {"waveforms/passthrough.conf", "component", "sink.path=%s/sacred.bin", 1000000},
    {"waveforms/utran384.conf", "waveform", "sink.path=%s/sacred.wav", 4000000},
    {"waveforms/utran384.conf", "component", "sink.path=%s/sacred.wav", 4000000},
    {"waveforms/utran384-rf.conf", "waveform", "sink.path=%s/sacred.wav", 10000000},
    {"waveforms/utran384-fading.conf", "waveform", "sink.path=%s/sacred.wav", 10000000},
    {"tests/sim/channel.conf", "waveform", NULL, 1000000},
    {NULL, "waveform", NULL, 1000000},
    {NULL, "component", NULL, 1000000},
    {"waveforms/utran12k2.conf", "waveform", NULL, 1000000},
    {"waveforms/utran384-uplink.conf", "waveform", NULL, 4000000},
};
enum { SUBJECTS = sizeof(subjects) / sizeof(subjects[0]) };

static const char *name_of(const struct subject *subject)
{
	return subject->file != NULL ? subject->file : "live arrays";
}

static const char *scratch(void)
{
	const char *dir = getenv("TMPDIR");

	return dir != NULL ? dir : "/tmp";
}

static int subject_open(const struct subject *subject, const char *clock,
    const struct wave_work *work, struct wave *ret_wave)
{
	char set[4096];
	const char *const sets[] = {set};
	char *text = subject->file != NULL ? wave_file(subject->file) : strdup(live_text);
	int status;

	if (text == NULL)
		return -1;
	if (subject->set != NULL)
		snprintf(set, sizeof(set), subject->set, scratch());
	status = wave_open(ret_wave, text,
	    &(struct wave_options){.clock = clock,
	        .isolation = subject->isolation,
	        .sets = sets,
	        .n_sets = subject->set != NULL,
	        .slot_ns = subject->slot_ns,
	        .works = work,
	        .n_works = work != NULL});
	free(text);
	return status;
}

static void subject_close(const struct subject *subject, struct wave *wave)
{
	char path[4096];

	wave_close(wave);
	if (subject->set != NULL) {
		snprintf(path, sizeof(path), strchr(subject->set, '=') + 1, scratch());
		unlink(path);
	}
}

/* ---- (a) asked of the C library ---- */

static void step_all(struct wave *wave, uint64_t slot)
{
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		uint64_t now = clock_ns();

		segment_slot(&wave->segments[s], slot, now, &now);
	}
}

/* Another array every 20 slots for whoever takes one, as the host's control thread does it. */
static void set_arrays(struct wave *wave, uint64_t slot)
{
	float taps[300] = {1, (float)slot};
	char why[256];

	for (uint32_t i = 0; i < wave->view.head->instances.count; i++) {
		const struct image_instance *row = &wave->view.instances[i];
		struct node_control *control = &wave->node->control[0];
		struct live *live = wave->instances[i].live;

		if (live == NULL)
			continue;
		live_sweep(live, atomic_load(&image_segment_state(&wave->view, row->segment)->done),
		    &wave->view, &wave->view.params[row->params]);
		if (slot % 20 != 0)
			continue;
		assert_int_equal(
		    live_offer(live, 0, slot + 1, taps, (uint32_t)slot + 10, why, sizeof(why)), 0);
		control->change[control->changes % NODE_CHANGES] =
		    (struct node_change){slot + 5, slot + 1, i, 0, 0};
		atomic_fetch_add(&control->changes, 1);
	}
}

/* How many steps ran with the counters on. */
static uint64_t run_counted(const struct subject *subject, const struct wave_work *work)
{
	struct wave wave;
	uint64_t done;

	memset(&asked, 0, sizeof(asked));
	if (subject_open(subject, "step", work, &wave) != 0) {
		fail();
		return 0;
	}
	for (uint64_t slot = 0; slot < STEPS; slot++) {
		set_arrays(&wave, slot);
		asked.in_slot = true;
		step_all(&wave, slot);
		asked.in_slot = false;
		assert_true(wave_io(&wave) >= 0);
	}
	done = atomic_load(&wave.segments[0].state->done);
	assert_int_equal(atomic_load(&image_run(&wave.view)->fault), 0);
	/* once loaded, then every 20 slots */
	for (uint32_t i = 0; i < wave.view.head->instances.count; i++)
		if (wave.instances[i].live != NULL)
			assert_int_equal(
			    wave.instances[i].live->in_force[0]->reals.version, 1 + STEPS / 20);
	subject_close(subject, &wave);
	return done;
}

static void test_nothing_is_asked(void **state)
{
	(void)state;
	for (size_t i = 0; i < SUBJECTS; i++) {
		assert_int_equal(run_counted(&subjects[i], NULL), STEPS);
		if (asked.allocations != 0 || asked.locks != 0 || asked.texts != 0)
			fail_msg("%s, isolation %s: %u allocations, %u locks, %u texts in %d slots",
			    name_of(&subjects[i]), subjects[i].isolation, asked.allocations,
			    asked.locks, asked.texts, STEPS);
	}
}

static void test_asking_is_seen(void **state)
{
	static const struct wave_work allocates = {"bpsk_mod", work_allocates};
	static const struct wave_work locks = {"bpsk_mod", work_locks};
	static const struct wave_work formats = {"bpsk_mod", work_formats};

	(void)state;
	run_counted(&subjects[0], &allocates);
	assert_int_equal(asked.allocations, COUNTING ? 2 * STEPS : 0);
	run_counted(&subjects[0], &locks);
	assert_int_equal(asked.locks, COUNTING ? STEPS : 0);
	run_counted(&subjects[0], &formats);
	assert_int_equal(asked.texts, COUNTING ? STEPS : 0);
}

/* ---- (b) asked of the kernel ---- */

struct watched { /* shared with the child */
	_Atomic uint32_t calls, first;
	_Atomic uint64_t done;
	_Atomic uint32_t unfiltered; /* errno: this machine has no filters */
};

struct lane_of_host {
	struct lane_thread lane; /* first: aligned */
	pthread_t id;
};

static struct watched *watched_of_process(struct watched *set)
{
	static struct watched *watched; /* a signal handler has nothing else to go by */

	if (set != NULL)
		watched = set;
	return watched;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	struct watched *watched = watched_of_process(NULL);

	(void)signal, (void)context;
	if (atomic_fetch_add(&watched->calls, 1) == 0)
		atomic_store(&watched->first, (uint32_t)info->si_syscall);
}

#define ALLOW(number)                                                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                         \
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* From here on the calling thread has the clock, the hand-over, and the return from the trap's
 * handler. */
static int filter_thread(void)
{
	static struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    ALLOW(SYS_clock_nanosleep),
	    ALLOW(SYS_clock_gettime),
	    ALLOW(SYS_futex),
	    /* before an edge or after a late slot: core/slot/miss.h */
	    ALLOW(SYS_getrusage),
	    ALLOW(SYS_gettid),
	    /* before it sleeps, every 50 ms: the watchdog is put off (core/slot/lane.h) */
	    ALLOW(SYS_timerfd_settime),
#ifdef SYS_clock_nanosleep_time64
	    ALLOW(SYS_clock_nanosleep_time64),
	    ALLOW(SYS_clock_gettime64),
	    ALLOW(SYS_futex_time64),
	    ALLOW(SYS_timerfd_settime64),
#endif
	    ALLOW(SYS_restart_syscall),
	    ALLOW(SYS_rt_sigreturn),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return -errno;
	return 0;
}

static void *lane_main(void *self)
{
	struct lane_of_host *host = self;
	_Atomic uint32_t never = 0;
	int status;

	host->lane.timer = timerfd_create(CLOCK_MONOTONIC, 0);
	status = filter_thread();
	if (status != 0)
		atomic_store(&watched_of_process(NULL)->unfiltered, (uint32_t)-status);
	lane_run(&host->lane);
	while (atomic_load(&never) == 0) /* a thread that ends makes calls of its own */
		futex_wait(&never, 0, 1000000000);
	return NULL;
}

/* The child: a thread for each host of the lane, the ordinary work for files beside them, until
 * SLOTS steps are done. */
static void child_run(
    const struct subject *subject, const struct wave_work *work, struct watched *watched)
{
	static struct lane_of_host hosts[HOSTS_MAX];
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	const struct image_segment_state *last;
	const uint64_t begin = clock_ns();
	struct wave wave;

	watched_of_process(watched);
	sigaction(SIGSYS, &action, NULL);
	if (subject_open(subject, "timer", work, &wave) != 0 || wave.view.head->n_hosts > HOSTS_MAX)
		_exit(1);
	wave.node->timebase[0].start_ns = clock_ns() + 1000000;
	for (uint32_t h = 0; h < wave.view.head->n_hosts; h++) {
		wave_lane(&wave, 0, h, &hosts[h].lane);
		if (pthread_create(&hosts[h].id, NULL, lane_main, &hosts[h]) != 0)
			_exit(1);
	}
	last = wave.segments[wave.view.head->segments.count - 1].state;
	while (atomic_load(&last->done) < SLOTS &&
	    clock_ns() - begin < SECONDS_MAX * 1000000000ull && atomic_load(&watched->calls) == 0) {
		wave_io(&wave);
		clock_sleep_until(clock_ns() + 500000);
	}
	atomic_store(&watched->done, atomic_load(&last->done));
	_exit(0);
}

static struct watched *run_watched(const struct subject *subject, const struct wave_work *work)
{
	struct watched *watched =
	    mmap(NULL, sizeof(*watched), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char path[4096];
	int status;
	pid_t pid;

	assert_true(watched != MAP_FAILED);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		child_run(subject, work, watched);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	if (subject->set != NULL) {
		snprintf(path, sizeof(path), strchr(subject->set, '=') + 1, scratch());
		unlink(path);
	}
	if (atomic_load(&watched->unfiltered) != 0) {
		print_message("no filter of system calls here: %s\n",
		    strerror((int)atomic_load(&watched->unfiltered)));
		skip();
	}
	return watched;
}

static void test_kernel_is_not_asked(void **state)
{
	(void)state;
	for (size_t i = 0; i < SUBJECTS; i++) {
		struct watched *watched = run_watched(&subjects[i], NULL);

		if (atomic_load(&watched->calls) != 0)
			fail_msg("%s, isolation %s: system call %u in the lane's thread",
			    name_of(&subjects[i]), subjects[i].isolation,
			    (unsigned)atomic_load(&watched->first));
		assert_in_range(atomic_load(&watched->done), SLOTS, UINT32_MAX);
		munmap(watched, sizeof(*watched));
	}
}

static void call_is_seen(int (*work)(void *self, struct aloe_slot *slot), uint32_t number)
{
	const struct wave_work bad = {"bpsk_mod", work};
	struct watched *watched = run_watched(&subjects[0], &bad);

	assert_in_range(atomic_load(&watched->calls), 1, UINT32_MAX);
	assert_int_equal(atomic_load(&watched->first), number);
	munmap(watched, sizeof(*watched));
}

static void test_asking_the_kernel_is_seen(void **state)
{
	(void)state;
	call_is_seen(work_prints, SYS_write);
	call_is_seen(work_yields, SYS_sched_yield);
}

int main(void)
{
	const struct CMUnitTest counted[] = {
	    cmocka_unit_test(test_nothing_is_asked),
	    cmocka_unit_test(test_asking_is_seen),
	};
	const struct CMUnitTest trapped[] = {
	    cmocka_unit_test(test_kernel_is_not_asked),
	    cmocka_unit_test(test_asking_the_kernel_is_seen),
	};
	int failed = cmocka_run_group_tests(counted, NULL, NULL);

	if (!OWN_CALLS)
		failed += cmocka_run_group_tests(trapped, NULL, NULL);
	return failed;
}
