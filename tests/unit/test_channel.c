/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_channel.c - the store's channels: a writer, a mirror and the keeper of a copy,
 * over sockets in one process. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/keep/channel.h"

enum { EXEC, STATS, KEEPER, CHANNELS };

struct house {
	struct log log;
	struct loop loop;
	struct store store;
	struct channel channels[CHANNELS];
	int ends[CHANNELS]; /* what others hold of them */
};

static int house_setup(void **state)
{
	static const enum channel_kind kinds[CHANNELS] = {
	    CHANNEL_WRITER, CHANNEL_MIRROR, CHANNEL_KEEPER};
	struct house *house = calloc(1, sizeof(*house));

	log_init(&house->log, "test");
	loop_init(&house->loop);
	for (int i = 0; i < CHANNELS; i++) {
		channel_init(
		    &house->channels[i], kinds[i], &house->log, &house->loop, &house->store);
		house->ends[i] = -1;
	}
	house->channels[STATS].prefix = "waveform/";
	house->channels[EXEC].mirrors[0] = &house->channels[STATS];
	house->channels[EXEC].mirrors[1] = &house->channels[KEEPER];
	house->channels[KEEPER].mirrors[0] = &house->channels[EXEC];
	*state = house;
	return 0;
}

static void leave(struct house *house, int who)
{
	if (house->ends[who] >= 0)
		close(house->ends[who]);
	house->ends[who] = -1;
}

static int house_teardown(void **state)
{
	struct house *house = *state;

	for (int i = 0; i < CHANNELS; i++) {
		leave(house, i);
		channel_close(&house->channels[i]);
	}
	store_fini(&house->store);
	loop_fini(&house->loop);
	free(house);
	return 0;
}

static void enter(struct house *house, int who)
{
	int pair[2];

	leave(house, who);
	assert_int_equal(keep_pair(pair), 0);
	house->ends[who] = pair[1];
	channel_take(&house->channels[who], pair[0]);
}

/* All that the house has to do by now. */
static void rounds(struct house *house)
{
	for (int i = 0; i < 4; i++)
		assert_int_equal(loop_step(&house->loop, 0), 0);
}

/* An entry with a descriptor of what it says. */
static void put(struct house *house, int who, const char *key, const char *text)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
	assert_int_equal(keep_put(house->ends[who], key, text, strlen(text), &fd, 1), 0);
	close(fd);
}

/* What has come to `who`: "key=text/content", "-key" for DROP, "." for END. */
static void hears(struct house *house, int who, const char *expected)
{
	char text[512] = "", content[32] = "";
	struct keep_entry entry;
	size_t len = 0;

	rounds(house);
	while (keep_recv(house->ends[who], &entry) == 0) {
		memset(content, 0, sizeof(content));
		if (entry.n_fds > 0)
			assert_true(pread(entry.fds[0], content, sizeof(content) - 1, 0) >= 0);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", len > 0 ? " " : "",
		    entry.kind == KEEP_END        ? "."
		        : entry.kind == KEEP_DROP ? "-"
		                                  : "");
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", entry.key);
		if (entry.kind == KEEP_PUT)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "=%.*s/%s",
			    (int)entry.len, (const char *)entry.blob, content);
		keep_entry_fini(&entry);
		assert_true(len < sizeof(text));
	}
	assert_string_equal(text, expected);
}

/* Without a keeper there is nothing to wait for. */
static void alone(void **state)
{
	struct house *house = *state;

	enter(house, EXEC);
	hears(house, EXEC, ".");
	enter(house, STATS);
	put(house, EXEC, "node", "N");
	put(house, EXEC, "waveform/a", "A");
	hears(house, STATS, "");
	keep_end(house->ends[EXEC]);
	hears(house, STATS, "waveform/a=A/A .");
	keep_drop(house->ends[EXEC], "waveform/a");
	hears(house, STATS, "-waveform/a");
}

/* Those who wrote and kept it were killed: what their keeper has comes first, and whoever attaches
 * before that waits. */
static void from_the_keeper(void **state)
{
	struct house *house = *state;

	enter(house, KEEPER);
	enter(house, EXEC);
	enter(house, STATS);
	put(house, KEEPER, "node", "N");
	put(house, KEEPER, "waveform/a", "A");
	hears(house, EXEC, "");
	keep_end(house->ends[KEEPER]);
	hears(house, EXEC, "node=N/N waveform/a=A/A .");
	hears(house, STATS, "");
	put(house, EXEC, "node", "N");
	put(house, EXEC, "waveform/a", "A2");
	keep_end(house->ends[EXEC]);
	hears(house, STATS, "waveform/a=A2/A2 .");
	hears(house, KEEPER, "node=N/N waveform/a=A2/A2");
}

/* A writer that has lived on knows better than the copy: also of what it has dropped meanwhile. */
static void the_writer_knows_better(void **state)
{
	struct house *house = *state;

	enter(house, KEEPER);
	enter(house, EXEC);
	put(house, EXEC, "waveform/a", "new");
	rounds(house);
	put(house, KEEPER, "waveform/a", "old");
	put(house, KEEPER, "waveform/gone", "G");
	put(house, KEEPER, "node", "N");
	keep_end(house->ends[KEEPER]);
	hears(house, EXEC, "waveform/a=new/new waveform/gone=G/G node=N/N .");
	put(house, EXEC, "node", "N");
	put(house, EXEC, "waveform/a", "new");
	keep_end(house->ends[EXEC]);
	enter(house, STATS);
	hears(house, KEEPER, "waveform/a=new/new node=N/N waveform/a=new/new -waveform/gone");
	hears(house, STATS, "waveform/a=new/new .");
	assert_int_equal(house->store.count, 2);
}

/* Half of what the keeper has is better than nothing for ever. */
static void the_keeper_ends(void **state)
{
	struct house *house = *state;

	enter(house, KEEPER);
	enter(house, EXEC);
	put(house, KEEPER, "node", "N");
	leave(house, KEEPER);
	hears(house, EXEC, "node=N/N .");
	put(house, EXEC, "waveform/a", "A"); /* nobody to be told */
	rounds(house);
	assert_int_equal(house->store.count, 2);
}

static unsigned fds_open(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* A keeper that sleeps for long holds nothing up, and costs no more than one change of each
 * entry. */
static void the_keeper_sleeps(void **state)
{
	enum { CHANGES = 3000 };
	struct house *house = *state;
	struct keep_entry entry;
	char text[16], last[16] = "";
	unsigned before;

	enter(house, KEEPER);
	keep_end(house->ends[KEEPER]);
	enter(house, EXEC);
	rounds(house);
	before = fds_open();
	for (int i = 0; i < CHANGES; i++) {
		snprintf(text, sizeof(text), "%d", i);
		put(house, EXEC, "waveform/a", text);
		rounds(house);
	}
	assert_true(fds_open() <= before + 2);
	for (int i = 0; i < CHANGES && strcmp(last, text) != 0; i++) {
		rounds(house);
		while (keep_recv(house->ends[KEEPER], &entry) == 0) {
			snprintf(
			    last, sizeof(last), "%.*s", (int)entry.len, (const char *)entry.blob);
			keep_entry_fini(&entry);
		}
		usleep(1000);
	}
	assert_string_equal(last, text);
}

/* The end of it all: nothing that is kept keeps anything alive. */
static void all_forgotten(void **state)
{
	struct house *house = *state;

	enter(house, KEEPER);
	keep_end(house->ends[KEEPER]);
	enter(house, EXEC);
	put(house, EXEC, "node", "N");
	put(house, EXEC, "waveform/a", "A");
	hears(house, KEEPER, "node=N/N waveform/a=A/A");
	channel_forget(&house->channels[EXEC]);
	hears(house, KEEPER, "-node -waveform/a");
	assert_int_equal(house->store.count, 0);
}

/* Asked for a sign of life: the counter comes once, and is looked at, so that nobody wakes up. */
static void asked_for_a_sign(void **state)
{
	struct house *house = *state;
	struct channel *channel = &house->channels[EXEC];
	struct keep_entry entry, again;

	enter(house, EXEC);
	channel_settle(channel);
	while (keep_recv(house->ends[EXEC], &entry) == 0)
		keep_entry_fini(&entry);
	assert_false(channel_heard(channel));
	channel_ping(channel, false);
	assert_int_equal(keep_recv(house->ends[EXEC], &entry), 0);
	assert_int_equal(entry.kind, KEEP_PING);
	assert_int_equal(entry.n_fds, 1);
	assert_false(channel_heard(channel));
	assert_int_equal(eventfd_write(entry.fds[0], 1), 0);
	assert_true(channel_heard(channel));
	assert_false(channel_heard(channel)); /* since it was called last */
	channel_ping(channel, false);         /* it is known */
	assert_int_equal(keep_recv(house->ends[EXEC], &again), -EAGAIN);
	assert_int_equal(eventfd_write(entry.fds[0], 1), 0);
	leave(house, EXEC);
	channel_close(channel);
	assert_false(channel_heard(channel)); /* the sign is of a daemon that has gone */
	channel_ping(channel, true);          /* closed: nobody */
	assert_false(channel_heard(channel));
	keep_entry_fini(&entry);
}

static void house_quiet(struct house *house)
{
	struct keep_entry entry;

	enter(house, EXEC);
	channel_settle(&house->channels[EXEC]);
	while (keep_recv(house->ends[EXEC], &entry) == 0)
		keep_entry_fini(&entry);
}

/* The first descriptor was lost on the way: the next one is of the same counter. */
static void asked_again(void **state)
{
	struct house *house = *state;
	struct channel *channel = &house->channels[EXEC];
	struct keep_entry first, second;

	house_quiet(house);
	channel_ping(channel, false);
	channel_ping(channel, true);
	assert_int_equal(keep_recv(house->ends[EXEC], &first), 0);
	assert_int_equal(keep_recv(house->ends[EXEC], &second), 0);
	assert_int_equal(second.kind, KEEP_PING);
	keep_entry_fini(&first);
	assert_int_equal(eventfd_write(second.fds[0], 1), 0);
	assert_true(channel_heard(channel));
	keep_entry_fini(&second);
}

/* The description of the counter is shared: whatever the daemon makes of it, nobody sleeps here. */
static void the_counter_waits(void **state)
{
	struct house *house = *state;
	struct channel *channel = &house->channels[EXEC];
	struct keep_entry entry;

	house_quiet(house);
	channel_ping(channel, false);
	assert_int_equal(keep_recv(house->ends[EXEC], &entry), 0);
	assert_int_equal(fcntl(entry.fds[0], F_SETFL, 0), 0);
	assert_false(channel_heard(channel));
	assert_int_equal(eventfd_write(entry.fds[0], 3), 0);
	assert_true(channel_heard(channel));
	assert_false(channel_heard(channel));
	keep_entry_fini(&entry);
}

/* Without a descriptor for the counter the daemon is not blamed, and is asked when there is one. */
static void no_descriptor(void **state)
{
	struct house *house = *state;
	struct channel *channel = &house->channels[EXEC];
	struct rlimit all, few;
	struct keep_entry entry;

	house_quiet(house);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
	few = (struct rlimit){0, all.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	channel_ping(channel, false);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
	assert_true(channel_heard(channel));
	assert_int_equal(keep_recv(house->ends[EXEC], &entry), -EAGAIN);
	channel_ping(channel, false);
	assert_false(channel_heard(channel));
	assert_int_equal(keep_recv(house->ends[EXEC], &entry), 0);
	assert_int_equal(entry.kind, KEEP_PING);
	keep_entry_fini(&entry);
}

#define IN_HOUSE(function) cmocka_unit_test_setup_teardown(function, house_setup, house_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    IN_HOUSE(alone),
	    IN_HOUSE(from_the_keeper),
	    IN_HOUSE(the_writer_knows_better),
	    IN_HOUSE(the_keeper_ends),
	    IN_HOUSE(the_keeper_sleeps),
	    IN_HOUSE(all_forgotten),
	    IN_HOUSE(asked_for_a_sign),
	    IN_HOUSE(asked_again),
	    IN_HOUSE(the_counter_waits),
	    IN_HOUSE(no_descriptor),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests_name("channel", tests, NULL, NULL);
}
