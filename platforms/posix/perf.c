/* SPDX-License-Identifier: BSD-3-Clause
 *
 * perf.c - core/platform/perf.h on Linux: perf_event_open(2). All sources of a CPU write into one
 * ring, that of the switches. The ring is mapped for reading only and written backwards, so that
 * the kernel overwrites the oldest records and never stops. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/platform/perf.h"
#include "core/platform/platform.h"

/* name: in a sentence. event: of a tracepoint, its folder in tracefs; NULL: a software event.
 * field: what of the tracepoint is read; NULL: that it came. */
static const struct perf_event {
	const char *name, *event;
	uint64_t config;
	const char *field;
} sources[PERF_SOURCES] = {
    [PERF_SWITCHES] = {"context switches", NULL, PERF_COUNT_SW_DUMMY},
    [PERF_FAULTS] = {"page faults", NULL, PERF_COUNT_SW_PAGE_FAULTS},
    [PERF_MIGRATIONS] = {"moves of threads between CPUs", NULL, PERF_COUNT_SW_CPU_MIGRATIONS},
    [PERF_IRQ] = {"interrupts of devices", "irq/irq_handler_entry", 0},
    [PERF_IRQ_END] = {"interrupts of devices", "irq/irq_handler_exit", 0},
    [PERF_SOFTIRQ] = {"soft interrupts", "irq/softirq_entry", 0},
    [PERF_SOFTIRQ_END] = {"soft interrupts", "irq/softirq_exit", 0},
    [PERF_TIMER] = {"timer interrupts", "irq_vectors/local_timer_entry", 0},
    [PERF_TIMER_END] = {"timer interrupts", "irq_vectors/local_timer_exit", 0},
    [PERF_RESCHEDULE] = {"interrupts of other CPUs", "irq_vectors/reschedule_entry", 0},
    [PERF_RESCHEDULE_END] = {"interrupts of other CPUs", "irq_vectors/reschedule_exit", 0},
    [PERF_CALL] = {"calls of other CPUs", "irq_vectors/call_function_entry", 0},
    [PERF_CALL_END] = {"calls of other CPUs", "irq_vectors/call_function_exit", 0},
    [PERF_CALL_ONE] = {"calls of other CPUs", "irq_vectors/call_function_single_entry", 0},
    [PERF_CALL_ONE_END] = {"calls of other CPUs", "irq_vectors/call_function_single_exit", 0},
    [PERF_WAKE] = {"wake-ups of lanes", "sched/sched_wakeup", 0},
    [PERF_FREQUENCY] = {"changes of a CPU's clock", "power/cpu_frequency", 0},
    [PERF_WORK] = {"work queues", "workqueue/workqueue_execute_start", 0, "function"},
    [PERF_WORK_END] = {"work queues", "workqueue/workqueue_execute_end", 0},
    [PERF_NMI] = {"non-maskable interrupts", "nmi/nmi_handler", 0, "delta_ns"},
};

static const char *const trace_folders[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* Where nobody has mounted tracefs, a mount that only this process has will do. */
static int trace_detached(void)
{
	const int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int fd = -1;

	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	fd = fd < 0 ? -errno : fd;
	close(fs);
	return fd;
}

/* The folder of tracefs, or -errno. */
static int trace_open(void)
{
	for (size_t i = 0; i < sizeof(trace_folders) / sizeof(trace_folders[0]); i++) {
		const int fd = open(trace_folders[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0 && faccessat(fd, "events", X_OK, 0) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return trace_detached();
}

/* A file of a tracepoint as text: 0 or -errno. */
static int trace_text(int folder, const char *event, const char *name, char *ret, size_t size)
{
	char path[160];
	ssize_t len;
	int fd;

	if (folder < 0)
		return folder;
	snprintf(path, sizeof(path), "events/%s/%s", event, name);
	fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read(fd, ret, size - 1);
	close(fd);
	if (len <= 0)
		return -EIO;
	ret[len] = 0;
	return 0;
}

/* The number of a tracepoint, or -errno. */
static int64_t trace_number(int folder, const char *event)
{
	char text[24];
	const int status = trace_text(folder, event, "id", text, sizeof(text));

	return status < 0 ? status : strtoll(text, NULL, 10);
}

/* Where a field of 8 bytes lies in the raw bytes of a record: its line of the format is
 * "field:TYPE NAME;	offset:N;	size:N;	signed:N;". -ENODATA: there is none. */
static int trace_field(int folder, const char *event, const char *field)
{
	char text[4096], name[64];
	const int status = trace_text(folder, event, "format", text, sizeof(text));
	unsigned offset, size;
	const char *at;

	if (status < 0)
		return status;
	snprintf(name, sizeof(name), " %s;", field);
	at = strstr(text, name);
	if (at == NULL || sscanf(at + strlen(name), " offset:%u; size:%u;", &offset, &size) != 2 ||
	    size != 8 || offset == 0 || offset > UINT16_MAX)
		return -ENODATA;
	return (int)offset;
}

/* What is asked of the kernel for a source: 0 or -errno. */
static int event_describe(
    const struct perf_event *source, int folder, struct perf_event_attr *attr, uint16_t *ret_field)
{
	const int64_t number = source->event != NULL ? trace_number(folder, source->event) : 0;
	const int field =
	    source->field != NULL ? trace_field(folder, source->event, source->field) : 0;

	if (number < 0 || field < 0)
		return number < 0 ? (int)number : field;
	if (source->event != NULL) {
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = (uint64_t)number;
	}
	if (field > 0)
		attr->sample_type |= PERF_SAMPLE_RAW;
	*ret_field = (uint16_t)field;
	return 0;
}

static int event_open(
    const struct perf_event *source, int cpu, int group_output, int folder, uint16_t *ret_field)
{
	struct perf_event_attr attr = {
	    .size = sizeof(attr),
	    .type = PERF_TYPE_SOFTWARE,
	    .config = source->config,
	    .sample_period = 1,
	    .sample_type =
	        PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	    .sample_id_all = 1,
	    .use_clockid = 1,
	    .clockid = CLOCK_MONOTONIC,
	    .write_backward = 1,
	    .context_switch = group_output < 0,
	    .comm = group_output < 0,
	};
	int fd = event_describe(source, folder, &attr, ret_field);

	if (fd < 0)
		return fd;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (group_output >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, group_output) != 0) {
		const int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

/* The kernel's own number of a FIFO priority is 99 less it. */
static int wake_filter(int fd, int cpu)
{
	char text[64];

	snprintf(
	    text, sizeof(text), "prio == %d && target_cpu == %d", 99 - PLATFORM_PRIORITY_LANE, cpu);
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text);
}

static void source_open(struct perf_ring *ring, enum perf_source source, int folder)
{
	const int output = source == PERF_SWITCHES ? -1 : ring->fd[PERF_SWITCHES],
	          fd =
	              event_open(&sources[source], ring->cpu, output, folder, &ring->field[source]);

	ring->status[source] = fd < 0 ? fd : 0;
	if (fd < 0)
		return;
	if ((source != PERF_WAKE || wake_filter(fd, ring->cpu) == 0) &&
	    ioctl(fd, PERF_EVENT_IOC_ID, &ring->id[source]) == 0) {
		ring->fd[source] = fd;
		return;
	}
	ring->status[source] = -errno;
	close(fd);
}

int platform_perf_open(int cpu, struct perf_ring *ret)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int status, folder;

	*ret = (struct perf_ring)PERF_RING_NONE;
	ret->cpu = cpu;
	source_open(ret, PERF_SWITCHES, -1);
	status = ret->status[PERF_SWITCHES];
	if (status == 0) {
		ret->map = mmap(
		    NULL, page + PERF_RING_BYTES, PROT_READ, MAP_SHARED, ret->fd[PERF_SWITCHES], 0);
		status = ret->map == MAP_FAILED ? -errno : 0;
	}
	if (status != 0) {
		ret->map = NULL;
		platform_perf_close(ret);
		for (int s = 0; s < PERF_SOURCES; s++)
			ret->status[s] = status;
		return status;
	}
	folder = trace_open();
	for (int s = PERF_SWITCHES + 1; s < PERF_SOURCES; s++)
		source_open(ret, (enum perf_source)s, folder);
	if (folder >= 0)
		close(folder);
	return 0;
}

void platform_perf_close(struct perf_ring *ring)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (int s = PERF_SOURCES - 1; s >= 0; s--) {
		if (ring->fd[s] >= 0)
			close(ring->fd[s]);
		ring->fd[s] = -1;
	}
	if (ring->map != NULL)
		munmap(ring->map, page + PERF_RING_BYTES);
	ring->map = NULL;
}

/* Of a ring that is written backwards, data_head becomes smaller. */
static uint64_t head_read(const struct perf_ring *ring)
{
	const struct perf_event_mmap_page *page = ring->map;

	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

uint64_t platform_perf_copy(
    const struct perf_ring *ring, void *to, size_t bytes, uint64_t *ret_after)
{
	const uint8_t *data = (const uint8_t *)ring->map + (size_t)sysconf(_SC_PAGESIZE);
	const uint64_t before = head_read(ring);
	const size_t at = before & (PERF_RING_BYTES - 1), room = PERF_RING_BYTES - at,
	             first = bytes < room ? bytes : room;

	memcpy((uint8_t *)to + at, data + at, first);
	memcpy(to, data, bytes - first);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	*ret_after = head_read(ring);
	return before;
}

const char *platform_perf_name(enum perf_source source)
{
	return sources[source].name;
}

const char *platform_perf_reason(enum perf_source source, int status)
{
	switch (-status) {
	case EACCES:
	case EPERM:
		return sources[source].event != NULL
		    ? "tracefs cannot be read, or there is no CAP_PERFMON"
		    : "there is no CAP_PERFMON, and kernel.perf_event_paranoid is above 0";
	case ENOENT:
		return sources[source].event != NULL ? "this kernel has no such tracepoint"
		                                     : "this kernel does not count them";
	case ENODEV:
		return "this kernel has no tracefs";
	case ENOMEM:
		return "no more memory may be locked for it (kernel.perf_event_mlock_kb)";
	case EMFILE:
		return "no more files may be opened (ulimit -n)";
	case ECANCELED:
		return "it was turned off (ALOE_EVIDENCE=off)";
	case ENODATA:
		return "this kernel's tracepoint has other fields";
	case ENOSYS:
		return "this kernel has no perf_event_open";
	default:
		return strerror(-status);
	}
}

const char *platform_perf_counters(int cpu)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
	    .type = PERF_TYPE_HARDWARE,
	    .config = PERF_COUNT_HW_INSTRUCTIONS,
	    .disabled = 1};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	const int error = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	switch (error) {
	case 0:
		return "this machine has them, but nothing reads them";
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return "this machine has none, or its hypervisor keeps them to itself";
	default:
		return platform_perf_reason(PERF_SWITCHES, -error);
	}
}

/* Without the right to it all addresses are 0. */
bool platform_kernel_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512];
	bool readable = false;

	for (int n = 0; file != NULL && n < 8 && fgets(line, sizeof(line), file) != NULL; n++)
		readable |= strtoull(line, NULL, 16) != 0;
	if (file != NULL)
		fclose(file);
	return readable;
}

static int symbol_order(const void *a, const void *b)
{
	const struct platform_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* A line is "ADDRESS TYPE NAME"; of a module "[MODULE]" follows. */
static bool symbol_parse(const char *line, struct platform_symbol *ret)
{
	char type;

	ret->address = strtoull(line, NULL, 16);
	return ret->address != 0 && sscanf(line, "%*s %c %39s", &type, ret->name) == 2 &&
	    strchr("tTwW", type) != NULL;
}

size_t platform_kernel_table(struct platform_symbol **ret)
{
	FILE *file = platform_kernel_symbols() ? fopen("/proc/kallsyms", "re") : NULL;
	struct platform_symbol *table = NULL, *more;
	size_t n = 0, room = 0;
	char line[512];

	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		if (n == room) {
			room = room > 0 ? 2 * room : 1 << 14;
			more = realloc(table, room * sizeof(*table));
			if (more == NULL)
				break;
			table = more;
		}
		n += symbol_parse(line, &table[n]);
	}
	if (file != NULL)
		fclose(file);
	if (n > 0)
		qsort(table, n, sizeof(*table), symbol_order);
	*ret = table;
	return n;
}

void platform_thread_name(pid_t pid, pid_t tid, char *ret, size_t size)
{
	char path[64];
	ssize_t len;
	int fd;

	ret[0] = 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	len = read(fd, ret, size - 1);
	close(fd);
	ret[len > 0 ? len - 1 : 0] = 0; /* without the end of the line */
}
