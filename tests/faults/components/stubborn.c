/* SPDX-License-Identifier: BSD-3-Clause
 * stubborn - items passed on unchanged, by a component that keeps its host from answering. For
 * tests; never installed. */
#include <aloe/component.h>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct stubborn {
	int32_t how;
	struct aloe_reals values;
	uint32_t item_bytes;
};

enum { NOTHING, INIT_HANGS, INIT_EXITS, INIT_CLOSES, PREPARE_HANGS, PREPARE_CLOSES, CLOSE_HANGS };

static const char *const hows[] = {"nothing", "init_hangs", "init_exits", "init_closes",
    "prepare_hangs", "prepare_closes", "close_hangs", NULL};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_ANY, "items of any type"),
    ALOE_OUT("out", ALOE_ANY, "the same items"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_ENUM(struct stubborn, how, hows, "nothing", 0, "what it does"),
    ALOE_PARAM_REALS(struct stubborn, values, 16, -1000, 1000, "", ALOE_LIVE | ALOE_REQUIRED,
        "to be set, and prepared: not well if the first is negative"),
};

static void hang(void)
{
	for (;;)
		pause();
}

/* Whoever looks at sockets that are not there any more ends; this thread is the one that would. */
static void close_and_hang(void)
{
	struct stat st;

	for (int fd = 3; fd < 1024; fd++) {
		if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
			close(fd);
	}
	hang();
}

static int stubborn_shape(void *self, struct aloe_setup *setup)
{
	(void)self;
	setup->out[0].max = setup->in[0].max;
	return 0;
}

static int stubborn_init(void *self, struct aloe_setup *setup)
{
	struct stubborn *stubborn = self;

	stubborn->item_bytes = aloe_item_bytes(setup->in[0].type);
	if (stubborn->how == INIT_HANGS)
		hang();
	if (stubborn->how == INIT_EXITS)
		/* this thread alone: a process without its first thread is a zombie that lives */
		syscall(SYS_exit, 0);
	if (stubborn->how == INIT_CLOSES)
		close_and_hang();
	return 0;
}

static int stubborn_prepare(const void *self, const struct aloe_param *param,
    struct aloe_reals *next, struct aloe_setup *setup)
{
	(void)param;
	(void)setup;
	if (((const struct stubborn *)self)->how == PREPARE_HANGS && next->data[0] < 0)
		hang();
	if (((const struct stubborn *)self)->how == PREPARE_CLOSES && next->data[0] < 0)
		close_and_hang();
	return 0;
}

static int stubborn_work(void *self, struct aloe_slot *slot)
{
	const struct stubborn *stubborn = self;
	const uint32_t n = aloe_pass(slot, 0, 0);

	if (n)
		memcpy(slot->out[0].data, slot->in[0].data, (size_t)n * stubborn->item_bytes);
	return 0;
}

static int stubborn_close(void *self, struct aloe_setup *setup)
{
	(void)setup;
	if (((const struct stubborn *)self)->how == CLOSE_HANGS)
		hang();
	return 0;
}

ALOE_COMPONENT(stubborn) = {
    .summary = "passes items on, and keeps its host from answering",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .state_size = sizeof(struct stubborn),
    .shape = stubborn_shape,
    .init = stubborn_init,
    .prepare = stubborn_prepare,
    .work = stubborn_work,
    .close = stubborn_close,
};
