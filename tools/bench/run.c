/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/report/report.h"

enum { TAKEN_S = 60 };

/* ---- words ------------------------------------------------------------------------ */

void words_add(struct words *words, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (words->n + 1 < WORDS_MAX && vasprintf(&text, format, args) >= 0)
		words->items[words->n++] = text;
	else
		words->lost = true;
	va_end(args);
}

void words_fini(struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->items[i]);
	*words = (struct words){0};
}

/* ---- start ------------------------------------------------------------------------ */

/* In the child: ends with its parent, hears no keyboard (the parent passes on what it hears),
 * writes into files. */
static _Noreturn void run_become(const struct bench_run *run, int leash, char *const argv[],
    const struct words *words, enum simd_level level)
{
	const struct sched_param param = {.sched_priority = RUN_FIFO};
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setenv("ALOE_SIMD", simd_name(level), 1);
	if (words->fifo && sched_setscheduler(0, SCHED_FIFO, &param) != 0)
		_exit(126);
	/* the state directory is there as long as anybody may write into it */
	fcntl(leash, F_SETFD, 0);
	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(run->out, STDOUT_FILENO) >= 0 &&
	    dup2(run->err, STDERR_FILENO) >= 0)
		execv(argv[0], argv);
	_exit(127);
}

static int run_spawn(const struct bench *bench, char *const argv[], const struct words *words,
    enum simd_level level, struct bench_run *run)
{
	run->out = memfd_create("report", MFD_CLOEXEC);
	run->err = memfd_create("errors", MFD_CLOEXEC);
	run->pid = run->out < 0 || run->err < 0 ? -1 : fork();
	if (run->pid < 0)
		return -errno;
	if (run->pid == 0)
		run_become(run, bench->leash, argv, words, level);
	run->pidfd = pidfd_open(run->pid, 0);
	return run->pidfd < 0 ? -errno : 0;
}

static void run_forget(struct bench_run *run)
{
	for (int i = 0; i < 3; i++) {
		const int fd = (const int[]){run->out, run->err, run->pidfd}[i];
		if (fd >= 0)
			close(fd);
	}
	*run = (struct bench_run){0};
}

int run_start(
    struct bench *bench, struct words *words, enum simd_level level, struct bench_run *ret)
{
	struct bench_run run = {.pidfd = -1, .out = -1, .err = -1};
	char program[4096], *argv[WORDS_MAX + 8];
	const char *const own[] = {
	    program, "run", "--json", "--quiet", "--force", "--state", bench->dir};
	size_t n = 0;
	int rc = words->lost ? -E2BIG : child_path("aloe", program, sizeof(program));

	for (; words->program ? n < 1 : n < sizeof(own) / sizeof(own[0]); n++)
		argv[n] = (char *)(words->program ? words->program : own[n]);
	for (size_t i = 0; i < words->n; i++)
		argv[n++] = words->items[i];
	argv[n] = NULL;
	fflush(NULL);
	rc = rc < 0 ? rc : run_spawn(bench, argv, words, level, &run);
	words_fini(words);
	if (rc == 0) {
		*ret = run;
		return 0;
	}
	if (run.pid > 0) { /* started, but not to be waited for */
		kill(run.pid, SIGKILL);
		waitpid(run.pid, NULL, 0);
	}
	cli_fail(bench->args, "the run could not be started: %s", strerror(-rc));
	run_forget(&run);
	return rc;
}

/* ---- wait ------------------------------------------------------------------------ */

static bool is_interrupted(struct bench *bench)
{
	struct signalfd_siginfo info;
	const unsigned before = bench->interrupts;

	while (read(bench->signal_fd, &info, sizeof(info)) == sizeof(info))
		bench->interrupts++;
	return bench->interrupts != before;
}

int run_wait(struct bench *bench, const struct bench_run *runs, size_t n, int timeout_ms)
{
	struct pollfd *fds = calloc(n + 1, sizeof(*fds));
	int rc = -EAGAIN;

	if (!fds)
		return -ENOMEM;
	fds[n] = (struct pollfd){.fd = bench->signal_fd, .events = POLLIN};
	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){.fd = runs[i].pid ? runs[i].pidfd : -1, .events = POLLIN};
	if (poll(fds, n + 1, timeout_ms) > 0) {
		for (size_t i = 0; i < n && rc == -EAGAIN; i++)
			if (fds[i].revents)
				rc = (int)i;
		if (fds[n].revents && is_interrupted(bench)) {
			for (size_t i = 0; i < n; i++)
				if (runs[i].pid)
					kill(runs[i].pid, SIGINT);
			rc = -EINTR;
		}
	}
	free(fds);
	return rc;
}

/* ---- take ------------------------------------------------------------------------ */

static char *content_read(int fd, size_t *ret_len)
{
	const off_t len = lseek(fd, 0, SEEK_END);
	char *text = len < 0 ? NULL : malloc((size_t)len + 1);
	ssize_t n = text ? pread(fd, text, (size_t)len, 0) : 0;

	if (text)
		text[n > 0 ? n : 0] = 0;
	*ret_len = n > 0 ? (size_t)n : 0;
	return text;
}

static json_t *report_of(const struct bench_run *run)
{
	json_t *report = NULL;
	struct diag diag;
	size_t len;
	char *text = content_read(run->out, &len);

	diag_init(&diag);
	if (text && len)
		report = report_read("report", text, len, &diag);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	free(text);
	return report;
}

static void errors_print(char *errors, int status)
{
	fprintf(stderr, "%saloe run has ended with status %d\n", errors, status);
	free(errors);
}

static int end_await(const struct bench_run *run)
{
	int status = 0;

	while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_text(struct bench_run *run, char **ret_output, char **ret_errors)
{
	const int code = end_await(run);
	size_t len;

	*ret_output = content_read(run->out, &len);
	*ret_errors = content_read(run->err, &len);
	run_forget(run);
	return code;
}

int run_take(struct bench_run *run, json_t **ret_report, char **ret_errors)
{
	const int code = end_await(run);
	size_t len;
	char *errors = NULL;

	*ret_report = report_of(run);
	if (code != CLI_OK && code != BENCH_INTERRUPTED)
		errors = content_read(run->err, &len);
	if (ret_errors)
		*ret_errors = errors;
	else if (errors)
		errors_print(errors, code);
	run_forget(run);
	return code;
}

void run_kill(struct bench_run *run)
{
	json_t *report = NULL;

	if (!run->pid)
		return;
	kill(run->pid, SIGINT);
	kill(run->pid, SIGTERM); /* a second end, by another signal: at once */
	run_take(run, &report, NULL);
	json_decref(report);
}

/* What was looked at is over when that has seen enough; its end by our own order is no
 * interruption. */
static int wait_end(
    struct bench *bench, struct bench_run *run, const char *what, const struct watcher *watcher)
{
	bool seen = !watcher;
	int rc;

	while ((rc = run_wait(bench, run, 1, 100)) != 0) {
		if (rc == -EAGAIN)
			progress_show(&bench->progress, "%s", what);
		else if (rc != -EINTR)
			break;
		if (rc == -EAGAIN && !seen && watcher->look(watcher->self, run->pid)) {
			kill(run->pid, SIGINT);
			seen = true;
		}
	}
	progress_clear(&bench->progress);
	return seen ? 0 : -ENODATA;
}

static int run_alone(struct bench *bench, const struct words *words, enum simd_level level,
    const char *what, const struct watcher *watcher, json_t **ret_report, char **ret_errors)
{
	struct bench_run run = {0};
	struct words copy = {.program = words->program, .fifo = words->fifo};
	const uint64_t began = clock_ns();
	int status, seen;

	for (size_t i = 0; i < words->n; i++)
		words_add(&copy, "%s", words->items[i]);
	copy.lost = copy.lost || words->lost;
	if (run_start(bench, &copy, level, &run) < 0)
		return CLI_FAILED;
	seen = wait_end(bench, &run, what, watcher);
	bench->run_s = (double)(clock_ns() - began) * 1e-9;
	status = run_take(&run, ret_report, ret_errors);
	return watcher && seen == 0 && status == BENCH_INTERRUPTED && !bench->interrupts ? CLI_OK
	                                                                                 : status;
}

int run_watched(struct bench *bench, struct words *words, enum simd_level level, const char *what,
    const struct watcher *watcher, json_t **ret_report, char **ret_errors)
{
	char *errors = NULL;
	int status;

	for (int waited_s = 0;; waited_s++) {
		*ret_report = NULL;
		status = run_alone(bench, words, level, what, watcher, ret_report, &errors);
		if (!errors || !strstr(errors, "taken by the lane of another") ||
		    waited_s == TAKEN_S)
			break;
		free(errors);
		errors = NULL;
		progress_show(
		    &bench->progress, "%s: waiting for a CPU that another ALOE node uses", what);
		if (run_wait(bench, NULL, 0, 1000) == -EINTR) {
			status = BENCH_INTERRUPTED;
			break;
		}
	}
	words_fini(words);
	if (status == CLI_OK && bench->interrupts) /* at its very end; another one is not wanted */
		status = BENCH_INTERRUPTED;
	if (ret_errors)
		*ret_errors = errors;
	else if (errors)
		errors_print(errors, status);
	return status;
}

int run_only(struct bench *bench, struct words *words, enum simd_level level, const char *what,
    json_t **ret_report, char **ret_errors)
{
	return run_watched(bench, words, level, what, NULL, ret_report, ret_errors);
}

json_t *report_instance(const json_t *report, const char *name)
{
	return report_find(json_object_get(report, "instances"), "name", name);
}

json_t *report_component(const json_t *report, const char *type)
{
	return report_find(json_object_get(report, "instances"), "component", type);
}
