/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/doctor/doctor.h - what `aloe doctor` knows of a machine, and of each thing that can be
 * set on it.
 *
 *   machine  --judge, for each knob-->  finding: good | fixable | not available here
 *                                          '-- changes --record.h--> written down, made, put back
 *
 * A knob is one entry in a const table: a file with the value that it should have, or a function
 * that judges. Judging reads and changes nothing. All files are read below `root`, so that a test
 * can make up a machine; what only system calls tell is in `rights`.
 */
#ifndef TOOLS_ALOE_DOCTOR_DOCTOR_H
#define TOOLS_ALOE_DOCTOR_DOCTOR_H

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/json/json.h"
#include "core/platform/perf.h"

enum { MACHINE_VALUE = 4096, FINDING_TEXT = 256, MACHINE_NICS = 16 };

struct machine_rights {
	bool root;
	int fifo;                   /* 0, or the -errno with which real-time priority is refused */
	bool lock_all;              /* memory may be locked without limit */
	uint64_t memlock_kb;        /* the limit, else */
	unsigned slack_ns;          /* of a thread's timed sleeps */
	unsigned tick_ns;           /* the kernel's tick, 1/HZ; 0: not known */
	unsigned timer_ns;          /* the steps in which timed sleeps end */
	uint64_t rtprio;            /* the highest real-time priority without CAP_SYS_NICE */
	int evidence[PERF_SOURCES]; /* 0, or the -errno with which the kernel records none */
};

struct machine_nic {
	char name[16];
	int rx_us; /* for how long it holds an interrupt back; -errno: it does not say */
};

struct machine {
	const char *root; /* before every path: "", or a folder that stands for / */
	cpu_set_t lanes;  /* the CPUs that lanes are to have */
	cpu_set_t rest;   /* the others: of what is online */
	struct machine_rights rights;
	struct machine_nic nics[MACHINE_NICS]; /* with a device: no loopback, no bridge */
	unsigned n_nics;
};

/* machine_open finds the CPUs and asks for the rights; `lanes` NULL: all CPUs that this process may
 * use. 0, -errno; -ENODEV where one of them is not online, *ret_cpu naming it. */
int machine_open(struct machine *machine, const char *root, const cpu_set_t *lanes, int *ret_cpu);

/* machine_path writes `path` below the root; a '*' in it becomes `cpu`. 0 or -ENAMETOOLONG. */
int machine_path(
    const struct machine *machine, const char *path, int cpu, char *ret_path, size_t size);
/* machine_read gives the first line of a file, without white space at its end; of a choice as the
 * kernel shows it ("always [madvise] never"), the word that is chosen. 0 or -errno. */
int machine_read(const struct machine *machine, const char *path, char ret_value[MACHINE_VALUE]);
/* machine_text reads a file whole, at most 1 MB; the caller frees it. NULL if it cannot be read. */
char *machine_text(const struct machine *machine, const char *path);
/* machine_write writes a value and a line feed to a file that is there. 0 or -errno. */
int machine_write(const struct machine *machine, const char *path, const char *value);
/* machine_program tells whether a process, `pid` in digits, is a program: threads of the kernel
 * have no command line. machine_ours: whether it is of ALOE, by its name. */
bool machine_program(const struct machine *machine, const char *pid);
bool machine_ours(const struct machine *machine, const char *pid);
/* machine_option finds NAME=VALUE on the kernel's command line. */
bool machine_option(const struct machine *machine, const char *name, char ret_value[MACHINE_VALUE]);

enum verdict { GOOD, FIXABLE, UNAVAILABLE, VERDICTS };

/* What is to be changed, as it is written down: an array of objects {kind, path, from, to}. Kinds:
 *   value       the file `path` is to hold `to` instead of `from`
 *   controller  of a cgroup's subtree_control: `to` is "+NAME", `from` "-NAME"
 *   directory   `path` is to be made; put back: removed
 *   tasks       the processes in the file `from` (cgroup.procs) are to be moved to the file
 *               `path`
 *   others      the same, but programs only, and none of ALOE
 *   ours        the processes of ALOE that are in a control group whose path has `from` in it ("":
 *               all of them) are to be moved to the file `path`; stays so */
struct finding {
	enum verdict verdict;
	char now[FINDING_TEXT], want[FINDING_TEXT];
	char how[FINDING_TEXT]; /* what to do by hand, or what ALOE does about it itself */
	json_t *changes;
};

struct knob {
	const char *name, *why;
	void (*judge)(
	    const struct machine *machine, const struct knob *knob, struct finding *finding);
	const char *path, *want; /* of the judges knob_value and knob_lanes */
	const char *missing;     /* what it means that the file is not there */
	/* takes from lanes what others then have to have: not where all CPUs are lanes' */
	bool needs_rest;
};

extern const struct knob knobs[]; /* knobs.c */
extern const size_t n_knobs;

/* knob_find judges one; finding_fini when done with it. */
void knob_find(const struct machine *machine, const struct knob *knob, struct finding *ret);
void finding_fini(struct finding *finding);

__attribute__((format(printf, 2, 3))) void finding_now(
    struct finding *finding, const char *format, ...);
/* finding_is says all but `now`. */
void finding_is(struct finding *finding, enum verdict verdict, const char *want, const char *how);
void finding_change(
    struct finding *finding, const char *kind, const char *path, const char *from, const char *to);

/* Judges: one file, or one for each lane's CPU ('*' in the path), should hold `want`. Others:
 * knobs_cpu.c, shield.c. */
void knob_value(const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_lanes(const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_frequency(
    const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_fair_server(
    const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_siblings(const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_interrupts(
    const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_mask(const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_isolated(const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_isolcpus(const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_rcu(const struct machine *machine, const struct knob *knob, struct finding *finding);
/* knobs_recipe.c */
void knob_timers(const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_rt_groups(
    const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_controller(
    const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_coalescing(
    const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_rtprio(const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_evidence(const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_threads(const struct machine *machine, const struct knob *knob, struct finding *finding);
void knob_shield(const struct machine *machine, const struct knob *knob, struct finding *finding);

#endif
