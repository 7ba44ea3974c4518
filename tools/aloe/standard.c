/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"

enum {
	BLOCK = 65536,
	WHOLE = 4096, /* what a pipe takes without waiting, if it takes anything: PIPE_BUF */
	LOOK_MS = 50
};

/* ---- who takes them ----------------------------------------------------------------------- */

static bool instance_takes(const struct wf_instance *instance, const char *component)
{
	if (strcmp(instance->type->name, component) != 0)
		return false;
	for (size_t k = 0; k < instance->type->n_params; k++)
		if (instance->type->params[k].kind == ALOE_KIND_PATH && instance->values[k].text &&
		    strcmp(instance->values[k].text, "-") == 0)
			return true;
	return false;
}

static int end_find(const struct waveform *waveform, const char *component, const char *what,
    struct standard_end *ret)
{
	*ret = (struct standard_end){.fd = -1, .hold = -1};
	for (size_t i = 0; i < waveform->n_instances; i++) {
		const struct wf_instance *instance = &waveform->instances[i];

		if (!instance_takes(instance, component))
			continue;
		if (ret->instance) {
			fprintf(stderr,
			    "aloe: %s:%d: %s and %s both have path -, and standard %s is only "
			    "one; give a file or a FIFO to the others\n",
			    waveform->file, instance->line, ret->instance->name, instance->name,
			    what);
			return CLI_USAGE;
		}
		ret->instance = instance;
	}
	return CLI_OK;
}

int standard_find(const struct source *source, struct standard *ret)
{
	int status = end_find(source->waveform, "file_source", "input", &ret->in);
	const int out = end_find(source->waveform, "file_sink", "output", &ret->out);

	status = status ? status : out;
	sem_init(&ret->loaded, 0, 0);
	ret->said = false;
	atomic_store(&ret->ending, 0);
	atomic_store(&ret->failed, 0);
	atomic_store(&ret->cut, 0);
	return status;
}

bool standard_writes(const struct source *source)
{
	struct standard found;

	return standard_find(source, &found) == CLI_OK && found.out.instance;
}

int standard_refuse(const struct source *source)
{
	struct standard found;
	const int status = standard_find(source, &found);
	const bool in = found.in.instance != NULL;
	const struct wf_instance *instance = in ? found.in.instance : found.out.instance;

	if (status || !instance)
		return status;
	fprintf(stderr,
	    "aloe: %s:%d: path - of %s is standard %s of `aloe run`, and a waveform that is loaded "
	    "into a node has none; give a file or a FIFO (mkfifo)\n",
	    source->waveform->file, instance->line, instance->name, in ? "input" : "output");
	return CLI_USAGE;
}

/* ---- the threads -------------------------------------------------------------------------- */

/* A pipe whose reader has ended gives EPIPE, as a daemon would see it. */
static void sigpipe_block(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static bool all_write(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		const ssize_t done = write(fd, bytes, len);

		if (done < 0 && errno != EINTR)
			return false;
		bytes += done > 0 ? done : 0;
		len -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

/* The FIFO ends only when the instance has opened it; nobody would know of its end otherwise. */
static void *in_main(void *self)
{
	struct standard *standard = self;
	char bytes[BLOCK];
	ssize_t got;

	sigpipe_block();
	do {
		got = read(STDIN_FILENO, bytes, sizeof(bytes));
		if (got < 0 && errno == EAGAIN)
			poll(&(struct pollfd){.fd = STDIN_FILENO, .events = POLLIN}, 1, -1);
		else if (got < 0 && errno != EINTR) {
			fprintf(stderr, "aloe: standard input cannot be read, and ends here: %s\n",
			    strerror(errno));
			atomic_store(&standard->cut, 1);
		}
	} while ((got > 0 && all_write(standard->in.fd, bytes, (size_t)got)) ||
	    (got < 0 && (errno == EINTR || errno == EAGAIN)));
	while (sem_wait(&standard->loaded) < 0)
		;
	close(standard->in.fd);
	standard->in.fd = -1;
	return NULL;
}

struct waiting {
	char *bytes;
	size_t at, len, room;
	bool ended;
};

/* More from the FIFO: 1; 0 at its end; -ENOMEM. */
static int fifo_read(int fd, struct waiting *waiting)
{
	ssize_t got;

	if (waiting->len + BLOCK > waiting->room) {
		char *more = realloc(waiting->bytes, waiting->room + BLOCK);

		if (!more)
			return -ENOMEM;
		waiting->bytes = more;
		waiting->room += BLOCK;
	}
	got = read(fd, waiting->bytes + waiting->len, BLOCK);
	waiting->len += got > 0 ? (size_t)got : 0;
	return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

static void output_write(struct standard *standard, struct waiting *waiting)
{
	const size_t left = waiting->len - waiting->at;
	const ssize_t done =
	    write(STDOUT_FILENO, waiting->bytes + waiting->at, left < WHOLE ? left : WHOLE);

	if (done < 0 && errno != EINTR && errno != EAGAIN)
		atomic_store(&standard->failed, errno);
	waiting->at += done > 0 ? (size_t)done : 0;
}

static void bytes_free(void *self)
{
	free(((struct waiting *)self)->bytes);
}

/* out_step moves bytes once; false when all are moved. */
static bool out_step(struct standard *standard, struct waiting *waiting)
{
	const bool failed = atomic_load(&standard->failed) != 0;
	struct pollfd fds[2] = {{.fd = -1, .events = POLLIN}, {.fd = failed ? -1 : STDOUT_FILENO}};
	int more;

	if (failed || waiting->at == waiting->len)
		waiting->at = waiting->len = 0;
	if (waiting->ended && waiting->len == 0)
		return false;
	if (!waiting->ended && (waiting->len == 0 || atomic_load(&standard->ending)))
		fds[0].fd = standard->out.fd;
	fds[1].events = waiting->len > 0 ? POLLOUT : 0;
	if (poll(fds, 2, LOOK_MS) <= 0)
		return true;
	if (fds[0].revents) {
		more = fifo_read(standard->out.fd, waiting);
		waiting->ended = more <= 0;
		if (more < 0)
			atomic_store(&standard->failed, -more);
	}
	if (fds[1].revents & POLLOUT)
		output_write(standard, waiting);
	else if (fds[1].revents & (POLLERR | POLLNVAL))
		atomic_store(&standard->failed, fds[1].revents & POLLERR ? EPIPE : EBADF);
	return true;
}

/* What nobody takes any more is read all the same: the waveform is to stop in good order. */
static void *out_main(void *self)
{
	struct waiting waiting = {0};

	sigpipe_block();
	pthread_cleanup_push(bytes_free, &waiting);
	while (out_step(self, &waiting))
		;
	pthread_cleanup_pop(1);
	return NULL;
}

/* ---- begin and end ------------------------------------------------------------------------ */

/* Both ends are opened, the reading one first, so that neither waits for the other. */
static int fifo_make(
    struct standard_end *end, const char *dir, const char *name, int *ret_reader, int *ret_writer)
{
	int rc = path_print(end->path, sizeof(end->path), "%s/%s", dir, name);

	if (rc == 0 && mkfifo(end->path, 0600) < 0)
		rc = -errno;
	if (rc < 0)
		return rc;
	*ret_reader = open(end->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	*ret_writer = *ret_reader < 0 ? -1 : open(end->path, O_WRONLY | O_CLOEXEC);
	return *ret_writer < 0 ? -errno : 0;
}

static int end_open(
    struct standard *standard, struct standard_end *end, struct source *source, const char *dir)
{
	const bool in = end == &standard->in;
	int rc;

	if (!end->instance)
		return 0;
	rc = in ? fifo_make(end, dir, "stdin", &end->hold, &end->fd)
	        : fifo_make(end, dir, "stdout", &end->fd, &end->hold);
	if (rc == 0)
		rc = source_set(source, "%s.path=%s", end->instance->name, end->path);
	if (rc == 0)
		rc = -pthread_create(&end->thread, NULL, in ? in_main : out_main, standard);
	end->running = rc == 0;
	return rc;
}

int standard_open(struct standard *standard, struct source *source, const char *dir)
{
	int rc;

	rc = end_open(standard, &standard->in, source, dir);
	if (rc == 0)
		rc = end_open(standard, &standard->out, source, dir);
	if (rc < 0)
		fprintf(stderr,
		    "aloe: standard input and output cannot be given to the waveform: %s\n",
		    strerror(-rc));
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

static void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void standard_loaded(struct standard *standard)
{
	if (standard->in.path[0])
		unlink(standard->in.path);
	if (standard->out.path[0])
		unlink(standard->out.path);
	fd_close(&standard->in.hold);
	sem_post(&standard->loaded);
}

/* The FIFO's path means nothing to the user, and is gone. */
void standard_name(const struct standard *standard, json_t *report)
{
	json_t *instance;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, instance)
	{
		const char *name = json_string_value(json_object_get(instance, "name"));

		if (standard->out.instance && name &&
		    strcmp(name, standard->out.instance->name) == 0)
			json_object_set_new(json_object_get(instance, "paths"), "path",
			    json_string("standard output"));
	}
}

bool standard_failed(struct standard *standard)
{
	const int error = atomic_load(&standard->failed);

	if (error == 0 || standard->said)
		return false;
	standard->said = true;
	if (error == EPIPE)
		fprintf(stderr, "aloe: who reads standard output has closed it; the run ends\n");
	else
		fprintf(stderr, "aloe: standard output cannot be written, and the run ends: %s\n",
		    strerror(error));
	return true;
}

/* Who reads may stand still: a signal ends the wait. */
static bool end_wait(struct standard_end *end, int signal_fd)
{
	bool cut = false;

	while (pthread_tryjoin_np(end->thread, NULL) == EBUSY) {
		struct pollfd ask = {.fd = signal_fd, .events = POLLIN};
		struct signalfd_siginfo info;

		if (poll(&ask, 1, LOOK_MS / 10) > 0 && read(signal_fd, &info, sizeof(info)) > 0 &&
		    info.ssi_signo != SIGWINCH) {
			pthread_cancel(end->thread);
			cut = true;
		}
	}
	return cut;
}

/* Whether a signal came before it had everything. */
static bool end_close(struct standard_end *end, int signal_fd, bool now)
{
	bool cut = false;

	if (end->running && now)
		pthread_cancel(end->thread);
	if (end->running)
		cut = end_wait(end, signal_fd);
	end->running = false;
	fd_close(&end->fd);
	fd_close(&end->hold);
	return cut;
}

void standard_ending(struct standard *standard)
{
	atomic_store(&standard->ending, 1);
}

void standard_close(struct standard *standard, int signal_fd, bool now)
{
	(void)end_close(&standard->in, signal_fd, true);
	fd_close(&standard->out.hold);
	if (!end_close(&standard->out, signal_fd, now))
		return;
	fprintf(stderr, "aloe: a signal came before standard output had everything\n");
	atomic_store(&standard->cut, 1);
}

bool standard_lost(struct standard *standard)
{
	const int error = atomic_load(&standard->failed);

	standard_failed(standard);
	return (error != 0 && error != EPIPE) || atomic_load(&standard->cut) != 0;
}
