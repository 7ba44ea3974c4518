/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A chain of JACK2 clients on the dummy driver, every client a process: what the hand-over from one
 * to the next takes.
 *
 *      handover  clients = 8  frames = 64  rate = 48000  cycles = 2000 fifo = 1 runs server and
 *                                                        clients in real time
 *
 * Each client copies its input to its output and notes the clock where its callback begins and
 * ends. Of the periods that every client has seen: hand-over is from the end of one callback to the
 * beginning of the next one's, chain from the first beginning to the last end.
 */
#include <atomic>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jack/jack.h>

#include "tests/bench/peers/peer.h"

enum { CLIENTS_MAX = 16, CYCLES_MAX = 100000, START_MS = 10000 };

struct stamp {
	uint64_t begin_ns, end_ns;
	jack_nframes_t frame;
};

struct shared {
	std::atomic<unsigned> ready; /* clients that take part */
	std::atomic<int> stop;
	unsigned clients, frames, cycles;
	char server[64];
	struct stamp at[CLIENTS_MAX][CYCLES_MAX];
	std::atomic<unsigned> seen[CLIENTS_MAX];
};

struct client {
	struct shared *shared;
	unsigned number;
	jack_client_t *jack;
	jack_port_t *in, *out;
};

/* ---- a client ------------------------------------------------------------------------ */

static int process(jack_nframes_t frames, void *context)
{
	const uint64_t begin = peer_now_ns();
	struct client *client = static_cast<struct client *>(context);
	struct shared *shared = client->shared;
	const unsigned n =
	    atomic_load_explicit(&shared->seen[client->number], std::memory_order_relaxed);

	memcpy(jack_port_get_buffer(client->out, frames), jack_port_get_buffer(client->in, frames),
	    frames * sizeof(float));
	if (n < CYCLES_MAX && !atomic_load_explicit(&shared->stop, std::memory_order_relaxed)) {
		struct stamp *stamp = &shared->at[client->number][n];

		stamp->frame = jack_last_frame_time(client->jack);
		stamp->begin_ns = begin;
		stamp->end_ns = peer_now_ns();
		atomic_store_explicit(
		    &shared->seen[client->number], n + 1, std::memory_order_release);
	}
	return 0;
}

static bool client_open(struct client *client)
{
	char name[32], from[64], to[64];

	snprintf(name, sizeof(name), "c%u", client->number);
	client->jack = jack_client_open(name, (jack_options_t)(JackNoStartServer | JackServerName),
	    NULL, client->shared->server);
	if (!client->jack || jack_set_process_callback(client->jack, process, client) != 0)
		return false;
	client->in =
	    jack_port_register(client->jack, "in", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
	client->out =
	    jack_port_register(client->jack, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
	if (!client->in || !client->out || jack_activate(client->jack) != 0)
		return false;
	snprintf(from, sizeof(from), "c%u:out", client->number - 1);
	snprintf(to, sizeof(to), "c%u:in", client->number);
	return client->number == 0 || jack_connect(client->jack, from, to) == 0;
}

[[noreturn]] static void client_run(struct shared *shared, unsigned number)
{
	struct client client = {shared, number, NULL, NULL, NULL};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!client_open(&client)) {
		fprintf(stderr, "jack: client %u cannot take part\n", number);
		_exit(1);
	}
	atomic_fetch_add(&shared->ready, 1);
	while (!atomic_load(&shared->stop))
		usleep(10000);
	jack_client_close(client.jack);
	_exit(0);
}

/* ---- server ------------------------------------------------------------------------ */

/* JACK has room for eight servers in /dev/shm, and one that was killed keeps its place and leaves
 * its files: ours gets a /dev/shm of its own, which ends with it. Without the right to that it is
 * among the others'. */
static void shm_apart()
{
	if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		mount("aloe-bench", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
}

static pid_t server_start(const struct shared *shared, unsigned rate, bool fifo)
{
	char frames_text[16], rate_text[16];
	const pid_t pid = fork();

	if (pid != 0)
		return pid;
	snprintf(frames_text, sizeof(frames_text), "%u", shared->frames);
	snprintf(rate_text, sizeof(rate_text), "%u", rate);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execlp("jackd", "jackd", "-n", shared->server, fifo ? "-R" : "-r", "-S", "-d", "dummy",
	    "-r", rate_text, "-p", frames_text, (char *)NULL);
	fprintf(stderr, "jack: jackd cannot be started: %s\n", strerror(errno));
	_exit(1);
}

/* Until every client takes part, or one has failed. */
static bool await(struct shared *shared, unsigned ready)
{
	for (int ms = 0; ms < START_MS; ms += 10) {
		if (atomic_load(&shared->ready) >= ready)
			return true;
		if (waitpid(-1, NULL, WNOHANG) > 0)
			return false;
		usleep(10000);
	}
	return false;
}

/* jackd answers when a client can be opened. */
static bool server_answers(const struct shared *shared)
{
	for (int ms = 0; ms < START_MS; ms += 100) {
		const pid_t pid = fork();
		int status = 1;

		if (pid == 0) {
			const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
			jack_client_t *jack;
			dup2(null, STDERR_FILENO);
			jack = jack_client_open("probe",
			    (jack_options_t)(JackNoStartServer | JackServerName), NULL,
			    shared->server);
			if (jack)
				jack_client_close(jack);
			_exit(jack ? 0 : 1);
		}
		if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
			return true;
		usleep(100000);
	}
	return false;
}

/* ---- result ------------------------------------------------------------------------ */

/* The stamp of a client in the period that began at `frame`; its list is in order. */
static const struct stamp *stamp_find(
    const struct shared *shared, unsigned client, unsigned *at, jack_nframes_t frame)
{
	const unsigned n = atomic_load(&shared->seen[client]);

	while (*at < n && (int32_t)(shared->at[client][*at].frame - frame) < 0)
		++*at;
	return *at < n && shared->at[client][*at].frame == frame ? &shared->at[client][*at] : NULL;
}

static bool period(
    const struct shared *shared, unsigned *at, jack_nframes_t frame, const struct stamp **ret)
{
	for (unsigned c = 0; c < shared->clients; c++) {
		ret[c] = stamp_find(shared, c, &at[c], frame);
		if (!ret[c] || (c > 0 && ret[c]->begin_ns < ret[c - 1]->end_ns))
			return false;
	}
	return true;
}

static int result(const struct shared *shared)
{
	std::vector<double> handover, chain;
	const unsigned last = shared->clients - 1, n = atomic_load(&shared->seen[last]);
	unsigned at[CLIENTS_MAX] = {};

	for (unsigned i = n / 10; i < n; i++) { /* the first find everything cold */
		const struct stamp *stamps[CLIENTS_MAX];

		if (!period(shared, at, shared->at[last][i].frame, stamps))
			continue;
		for (unsigned c = 1; c < shared->clients; c++)
			handover.push_back(
			    static_cast<double>(stamps[c]->begin_ns - stamps[c - 1]->end_ns) *
			    1e-3);
		chain.push_back(
		    static_cast<double>(stamps[last]->end_ns - stamps[0]->begin_ns) * 1e-3);
	}
	printf("{\"schema\": 1, \"clients\": %u, \"frames\": %u, \"arrived\": %zu, ",
	    shared->clients, shared->frames, chain.size());
	if (!chain.empty()) {
		peer_spread(stdout, "handover_us", handover.data(), handover.size());
		printf(", ");
		peer_spread(stdout, "chain_us", chain.data(), chain.size());
	}
	puts("}");
	return chain.empty() ? 1 : 0;
}

static bool clients_start(struct shared *shared)
{
	for (unsigned c = 0; c < shared->clients; c++) {
		const pid_t pid = fork();

		if (pid == 0)
			client_run(shared, c);
		if (pid < 0 || !await(shared, c + 1))
			return false;
	}
	return true;
}

static void collect(struct shared *shared)
{
	const unsigned last = shared->clients - 1;
	unsigned before = 0, now;

	do { /* as long as it goes on */
		before = atomic_load(&shared->seen[last]);
		usleep(200000);
		now = atomic_load(&shared->seen[last]);
	} while (now < shared->cycles && now > before);
	atomic_store(&shared->stop, 1);
}

int main(int argc, char **argv)
{
	void *memory = mmap(
	    NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct shared *shared = static_cast<struct shared *>(memory);
	pid_t server;
	int status;

	if (argc < 2 || strcmp(argv[1], "handover") != 0 || memory == MAP_FAILED) {
		fprintf(stderr, "usage: %s handover [KEY=NUMBER ...]\n", argv[0]);
		return 2;
	}
	peer_begin(argc, argv);
	shm_apart();
	shared->clients =
	    (unsigned)fmin(fmax(peer_number(argc, argv, "clients", 8), 2), CLIENTS_MAX);
	shared->frames = (unsigned)peer_number(argc, argv, "frames", 64);
	shared->cycles = (unsigned)fmin(peer_number(argc, argv, "cycles", 2000), CYCLES_MAX);
	snprintf(shared->server, sizeof(shared->server), "aloe-bench-%d", (int)getpid());
	server = server_start(shared, (unsigned)peer_number(argc, argv, "rate", 48000),
	    peer_number(argc, argv, "fifo", 0) > 0);
	if (server > 0 && server_answers(shared) && clients_start(shared))
		collect(shared);
	atomic_store(&shared->stop, 1);
	status = result(shared);
	if (server > 0)
		kill(server, SIGTERM);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	return status;
}
