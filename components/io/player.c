/* SPDX-License-Identifier: BSD-3-Clause
 * player - the messages of a recording (PATH.messages and PATH.sigmf-data, as `recorder` writes
 * them), each at its index and with its state. An index that the recording leaves out is ABSENT.
 * The end of the recording ends the run, or with `endless` nothing does. `aloe replay` puts players
 * in the place of sources. */
#include <aloe/component.h>

#include <stdlib.h>

#include "components/io/io.h"
#include "core/recording/table.h"

enum { TEXT_MAX = 1 << 30 };

struct player {
	char path[IO_PATH_MAX];
	int32_t type;
	uint32_t length;
	uint32_t buffer_ms;
	bool endless;
	uint64_t messages;
	uint64_t absent;

	struct message_table table;
	size_t row;
	uint64_t next; /* index of the next message */
	bool is_bits;  /* items are 0 or 1 */
	FILE *data;
};

static const struct aloe_port ports[] = {
    ALOE_OUT_AS("out", ALOE_ANY, "type", "recorded messages"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_PATH(struct player, path, NULL, ALOE_REQUIRED,
        "files to read, without their endings .messages and .sigmf-data"),
    ALOE_PARAM_ENUM(struct player, type, io_types, "byte", 0, "type of the recorded items"),
    ALOE_PARAM_INT(struct player, length, 0, 1, TABLE_ITEMS_MAX, "items", ALOE_REQUIRED,
        "most items in a message"),
    ALOE_PARAM_BOOL(struct player, endless, false, 0,
        "after the last message of the recording all messages are ABSENT, and the run goes on"),
    IO_PARAM_BUFFER_MS(struct player),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct player, messages, "", "VALID messages sent"),
    ALOE_VAR_U64(struct player, absent, "", "ABSENT messages of the recording"),
};

static int player_shape(void *self, struct aloe_setup *setup)
{
	setup->out[0].max = ((const struct player *)self)->length;
	return 0;
}

/* The whole text; the caller frees it. */
static char *text_read(struct player *player, size_t *ret_len, struct aloe_setup *setup)
{
	char path[IO_PATH_MAX + 16], *text = NULL;
	struct io_file file = {0};
	uint64_t size = 0;
	ssize_t len = -1;

	snprintf(path, sizeof(path), "%s.messages", player->path);
	if (io_check_readable(path, setup, &size) < 0 || io_open(&file, path, O_RDONLY, setup) < 0)
		return NULL;
	if (size > TEXT_MAX)
		aloe_fail(setup, "%s is longer than %d bytes", path, TEXT_MAX);
	else if (!(text = malloc(size + 1)))
		aloe_fail(setup, "no memory for %s", path);
	else
		len = io_read(&file, path, text, size, setup);
	io_close(&file, path, setup);
	*ret_len = len < 0 ? 0 : (size_t)len;
	if (len < 0) {
		free(text);
		return NULL;
	}
	return text;
}

static int table_take(struct player *player, struct aloe_setup *setup)
{
	char why[TABLE_WHY] = "no memory";
	unsigned line = 0;
	size_t len;
	char *text = text_read(player, &len, setup);
	int rc;

	if (!text)
		return -1;
	rc = table_parse(text, len, &player->table, &line, why);
	free(text);
	if (rc < 0)
		return aloe_fail(setup, "%.120s.messages:%u: %.100s", player->path, line, why);
	if (strcmp(player->table.type, io_types[player->type]) != 0 ||
	    player->table.max > player->length)
		return aloe_fail(setup,
		    "%.150s.messages has messages of up to %u %s items; type or length differ",
		    player->path, player->table.max, player->table.type);
	return 0;
}

static int player_init(void *self, struct aloe_setup *setup)
{
	struct player *player = self;
	char path[IO_PATH_MAX + 16];

	if (table_take(player, setup) < 0)
		return -1;
	player->is_bits = strcmp(player->table.type, "bit") == 0;
	snprintf(path, sizeof(path), "%s.sigmf-data", player->path);
	player->data = fopen(path, "rbe");
	return player->data ? 0 : aloe_fail(setup, "%s: %s", path, strerror(errno));
}

static int items_read(struct player *player, const struct table_row *row,
    struct aloe_record *record, struct aloe_setup *setup)
{
	if (row->len != 0 &&
	    fread(record->data, player->table.item_bytes, row->len, player->data) != row->len)
		return aloe_fail(setup, "%.150s.sigmf-data ends before the items of index %llu",
		    player->path, (unsigned long long)player->next);
	for (uint32_t i = 0; player->is_bits && i < row->len; i++)
		if (((const uint8_t *)record->data)[i] > 1)
			return aloe_fail(setup,
			    "%.150s.sigmf-data has an item that is no bit (item %u of index %llu)",
			    player->path, i, (unsigned long long)player->next);
	return 0;
}

static int player_fill(void *self, struct aloe_record *record, struct aloe_setup *setup)
{
	struct player *player = self;
	const struct table_row *row = &player->table.rows[player->row];

	if (player->row == player->table.n_rows && !player->endless)
		return ALOE_FILL_END;
	record->state = ALOE_ABSENT;
	if (player->row == player->table.n_rows)
		return 0;
	if (player->next++ < row->index)
		return 0;
	record->state = row->state;
	record->len = row->len;
	if (player->next == row->index + row->count)
		player->row++;
	return items_read(player, row, record, setup);
}

static int player_work(void *self, struct aloe_slot *slot)
{
	struct player *player = self;
	const struct aloe_record *record = slot->record;

	if (!record)
		return 0;
	player->messages += record->state == ALOE_VALID;
	player->absent += record->state == ALOE_ABSENT;
	slot->out[0].state = record->state;
	slot->out[0].len = record->len;
	if (record->len)
		memcpy(slot->out[0].data, record->data,
		    (size_t)record->len * player->table.item_bytes);
	return 0;
}

static int player_close(void *self, struct aloe_setup *setup)
{
	struct player *player = self;

	(void)setup;
	table_fini(&player->table);
	if (player->data)
		fclose(player->data);
	player->data = NULL;
	return 0;
}

ALOE_COMPONENT(player) = {
    .summary = "messages of a recording",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct player),
    .shape = player_shape,
    .init = player_init,
    .work = player_work,
    .close = player_close,
    .fill = player_fill,
    .mix = "copy 1",
};
