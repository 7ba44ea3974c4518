/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "daemons/exec/misses.h"
#include "daemons/exec/trace.h"

enum { NAMES_MAX = 1024, DEPTH_MAX = 8 };

struct thread_name {
	int32_t tid;
	char name[EVIDENCE_NAME_BYTES];
};

struct kernel_look { /* at one CPU */
	struct tracing *tracing;
	struct trace_track threads, interrupts;
	uint64_t begin_ns; /* of what the records tell */
	uint64_t end_ns;
	int32_t runs; /* thread whose slice is open; 0: none */
	uint8_t open[DEPTH_MAX];
	size_t depth;
	struct thread_name *names;
	size_t n_names;
};

static const struct trace_track kernel = {.name = "kernel",
    .about = "who had the CPUs of the lanes, and what interrupted them",
    .rank = 2};

/* ---- threads ------------------------------------------------------------------------ */

static struct thread_name *name_of(struct kernel_look *look, int32_t pid, int32_t tid)
{
	struct thread_name *name;

	for (size_t i = 0; i < look->n_names; i++)
		if (look->names[i].tid == tid)
			return &look->names[i];
	name = &look->names[look->n_names < NAMES_MAX ? look->n_names++ : NAMES_MAX - 1];
	*name = (struct thread_name){.tid = tid};
	platform_thread_name(pid, tid, name->name, sizeof(name->name));
	if (name->name[0] == 0)
		platform_thread_name(pid, pid, name->name, sizeof(name->name));
	if (name->name[0] == 0)
		snprintf(name->name, sizeof(name->name), "thread %d", tid);
	return name;
}

static void thread_end(struct kernel_look *look, uint64_t ns)
{
	if (look->runs != 0)
		trace_end(&look->tracing->out, &look->threads, ns);
	look->runs = 0;
}

/* Thread 0 is the idle CPU, which is a gap. */
static void thread_begin(struct kernel_look *look, int32_t pid, int32_t tid, uint64_t ns)
{
	const struct trace_arg args[] = {
	    {.name = "tid", .number = (uint32_t)tid}, {.name = "pid", .number = (uint32_t)pid}};

	thread_end(look, ns);
	if (tid <= 0)
		return;
	trace_begin(&look->tracing->out,
	    &(struct trace_event){.track = &look->threads,
	        .ns = ns,
	        .name = name_of(look, pid, tid)->name,
	        .args = args,
	        .n_args = 2});
	look->runs = tid;
}

static void switch_put(struct kernel_look *look, const struct evidence_record *record, bool first)
{
	look->tracing->n_switches += record->kind == EVIDENCE_IN;
	if (record->kind == EVIDENCE_IN) {
		thread_begin(look, record->pid, record->tid, record->ns);
		return;
	}
	if (first) /* it has had the CPU since before */
		thread_begin(look, record->pid, record->tid, look->begin_ns);
	if (look->runs == record->tid)
		thread_end(look, record->ns);
}

/* ---- interrupts ------------------------------------------------------------------------ */

static bool is_span(uint8_t source)
{
	return source >= PERF_IRQ && source <= PERF_CALL_ONE_END;
}

/* An end is in the row behind its begin. */
static bool is_end(uint8_t source)
{
	return is_span(source) && (source - PERF_IRQ) % 2 == 1;
}

static void interrupt_begin(
    struct kernel_look *look, const struct trace_event *event, uint8_t source)
{
	if (look->depth == DEPTH_MAX)
		return;
	trace_begin(&look->tracing->out, event);
	look->open[look->depth++] = source;
	look->tracing->n_interrupts++;
}

/* What began above it and has no end, because the record is lost, ends with it. */
static void interrupt_end(struct kernel_look *look, uint64_t ns, uint8_t source)
{
	size_t at = look->depth;

	while (at > 0 && look->open[at - 1] != source)
		at--;
	if (at == 0) /* began before what is told */
		return;
	for (; look->depth >= at; look->depth--)
		trace_end(&look->tracing->out, &look->interrupts, ns);
}

static void event_put(struct kernel_look *look, const struct evidence_record *record)
{
	const struct trace_arg args[] = {{.name = "tid", .number = (uint32_t)record->tid}};
	const struct trace_event event = {.track = &look->interrupts,
	    .ns = record->ns,
	    .name = record->source < PERF_SOURCES
	        ? platform_perf_name((enum perf_source)record->source)
	        : "?",
	    .args = args,
	    .n_args = 1};

	if (is_end(record->source))
		interrupt_end(look, record->ns, (uint8_t)(record->source - 1));
	else if (is_span(record->source))
		interrupt_begin(look, &event, record->source);
	else if (record->source != PERF_WORK_END)
		trace_instant(&look->tracing->out, &event);
}

/* ---- a CPU ------------------------------------------------------------------------ */

static void records_put(struct kernel_look *look, const struct witness_records *records)
{
	bool first = true;

	for (size_t i = 0; i < records->n; i++) {
		const struct evidence_record *record = &records->records[i];

		if (record->ns < look->begin_ns || record->ns > look->end_ns)
			continue;
		if (record->kind == EVIDENCE_IN || record->kind == EVIDENCE_OUT) {
			switch_put(look, record, first);
			first = false;
		} else if (record->kind == EVIDENCE_EVENT) {
			event_put(look, record);
		} else if (record->kind == EVIDENCE_NAME) {
			snprintf(name_of(look, record->pid, record->tid)->name,
			    sizeof(record->name), "%.15s", record->name);
		}
	}
	thread_end(look, look->end_ns);
	for (; look->depth > 0; look->depth--)
		trace_end(&look->tracing->out, &look->interrupts, look->end_ns);
}

static void notes_put(
    const struct kernel_look *look, const struct witness_records *records, int cpu)
{
	FILE *notes = look->tracing->notes;

	if (!records->whole)
		fprintf(notes,
		    "the kernel's records of CPU %d reach back %.6f s only, because their ring "
		    "holds no more\n",
		    cpu, (double)(look->end_ns - look->begin_ns) / 1e9);
	if (records->losses.lost > 0)
		fprintf(notes, "records of CPU %d that the kernel has dropped: %llu\n", cpu,
		    (unsigned long long)records->losses.lost);
	if (records->losses.corrupt > 0)
		fprintf(notes,
		    "records of CPU %d that were overwritten while they were read, or make no "
		    "sense, and are left out: %llu\n",
		    cpu, (unsigned long long)records->losses.corrupt);
}

static void tracks_put(struct kernel_look *look, int cpu, char names[2][32])
{
	snprintf(names[0], sizeof(names[0]), "CPU %d threads", cpu);
	snprintf(names[1], sizeof(names[1]), "CPU %d interrupts", cpu);
	look->threads = (struct trace_track){
	    .name = names[0], .group = &kernel, .rank = 2 * look->tracing->n_cpus};
	look->interrupts = (struct trace_track){
	    .name = names[1], .group = &kernel, .rank = 2 * look->tracing->n_cpus + 1};
	if (look->tracing->n_cpus++ == 0)
		trace_track(&look->tracing->out, &kernel);
	trace_track(&look->tracing->out, &look->threads);
	trace_track(&look->tracing->out, &look->interrupts);
}

/* Records reach back to from_ns, or as far as there are any. */
static uint64_t begin_of(const struct tracing *tracing, const struct witness_records *records)
{
	uint64_t begin = records->n > 0 ? records->records[0].ns : tracing->to_ns;

	if (records->whole || begin < tracing->from_ns)
		begin = tracing->from_ns;
	return begin < tracing->to_ns ? begin : tracing->to_ns;
}

void kernel_put(struct tracing *tracing, uint32_t lane)
{
	struct exec *exec = tracing->wave->exec;
	struct kernel_look look = {.tracing = tracing, .end_ns = tracing->to_ns};
	const struct perf_ring *ring = &exec->lanes[lane].perf;
	const int cpu = exec->node->lane[lane].cpu;
	struct witness_records records;
	char names[2][32];

	if (!witness_records(exec, lane, tracing->from_ns, &records)) {
		fprintf(tracing->notes, "the kernel's records of CPU %d are not here: %s\n", cpu,
		    platform_perf_reason(PERF_SWITCHES, ring->status[PERF_SWITCHES]));
		return;
	}
	look.names = calloc(NAMES_MAX, sizeof(*look.names));
	tracing->out.failed |= look.names == NULL;
	if (look.names == NULL)
		return;
	look.begin_ns = begin_of(tracing, &records);
	tracks_put(&look, cpu, names);
	records_put(&look, &records);
	notes_put(&look, &records, cpu);
	free(look.names);
}
