/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/image/image.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <aloe/component.h>

#include "core/base/file.h"

/* ---- making ------------------------------------------------------------------------ */

static uint64_t place_next(uint64_t *top, uint64_t bytes)
{
	const uint64_t at = (*top + 63) & ~63ull;

	*top = at + bytes;
	return at;
}

static uint64_t page_after(uint64_t top)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	return (top + size - 1) & ~(size - 1);
}

/* The tables of a program that is being made. */
struct layout {
	struct image_head *head;
	struct image_lane *lanes;
	struct image_segment *segments;
	struct image_instance *instances;
	struct image_buffer *buffers;
	struct image_param *params;
	const uint32_t *order;
	uint64_t top;
};

static void shared_place(struct layout *l)
{
	l->head->run = place_next(&l->top, sizeof(struct image_run));
	for (uint64_t i = 0; i < l->head->segments.count; i++)
		l->segments[i].state = place_next(&l->top, sizeof(struct image_segment_state));
	for (uint64_t i = 0; i < l->head->lanes.count; i++) {
		l->lanes[i].state = place_next(&l->top, sizeof(struct image_lane_state));
		l->lanes[i].last = IMAGE_NONE;
	}
	for (uint32_t i = 0; i < l->head->segments.count; i++)
		if (l->segments[i].lane < l->head->lanes.count)
			l->lanes[l->segments[i].lane].last = i;
}

static bool of_host(const struct layout *l, uint32_t instance, uint64_t host)
{
	const uint32_t segment =
	    instance < l->head->instances.count ? l->instances[instance].segment : IMAGE_NONE;

	return segment < l->head->segments.count && l->segments[segment].host == host;
}

static void segments_place(struct layout *l, uint64_t host)
{
	for (uint64_t s = 0; s < l->head->segments.count; s++) {
		struct image_segment *segment = &l->segments[s];

		if (segment->host != host)
			continue;
		segment->events =
		    place_next(&l->top, (uint64_t)segment->n_events * sizeof(struct image_event));
		for (uint32_t i = 0; i < segment->n_instances; i++)
			l->instances[l->order[segment->order + i]].time =
			    place_next(&l->top, sizeof(struct hist_head));
	}
}

static void instances_place(struct layout *l, uint64_t host)
{
	for (uint32_t i = 0; i < l->head->instances.count; i++) {
		struct image_instance *row = &l->instances[i];

		if (!of_host(l, i, host))
			continue;
		row->state = place_next(&l->top, sizeof(struct image_instance_state));
		row->latency =
		    row->sink != 0 ? place_next(&l->top, sizeof(struct image_latency)) : 0;
		for (uint32_t p = row->params; p < row->params + row->n_params; p++)
			if (l->params[p].kind == ALOE_KIND_REALS &&
			    (l->params[p].flags & ALOE_LIVE))
				l->params[p].array =
				    place_next(&l->top, image_array_bytes(&l->params[p]));
	}
}

/* What is read in the step that writes it is read by no other core: four of a segment have a line
 * of cache together. The heads of every other ring begin with a line of their own. */
static void messages_place(struct layout *l, uint64_t host)
{
	uint64_t line = 0, n = 0, last = IMAGE_NONE;

	for (uint64_t i = 0; i < l->head->buffers.count; i++) {
		struct image_buffer *b = &l->buffers[i];
		uint64_t segment;

		if (!of_host(l, b->instance, host) || b->depth > 1)
			continue;
		segment = l->instances[b->instance].segment;
		n = segment == last ? n : 0;
		if (n++ % (64 / sizeof(struct image_message)) == 0)
			line = place_next(&l->top, 64);
		last = segment;
		b->messages = line;
		line += sizeof(struct image_message);
	}
}

static void buffers_place(struct layout *l, uint64_t host)
{
	messages_place(l, host);
	for (uint64_t i = 0; i < l->head->buffers.count; i++) {
		struct image_buffer *b = &l->buffers[i];

		if (!of_host(l, b->instance, host))
			continue;
		b->canary = image_canary(aloe_item_bytes(b->type), b->max);
		b->stride = (b->canary + 2 * sizeof(uint64_t) + 63) & ~63ull;
		if (b->depth > 1)
			b->messages = place_next(&l->top, b->depth * sizeof(struct image_message));
		b->data = b->shares > 0 && b->shares <= i
		    ? l->buffers[b->shares - 1].data
		    : place_next(&l->top, 64 + b->depth * b->stride) + 64;
	}
}

void image_layout(void *program)
{
	struct image_head *h = program;
	uint8_t *bytes = program;
	struct image_host *hosts = (void *)(bytes + h->hosts.offset);
	struct layout l = {
	    .head = h,
	    .lanes = (void *)(bytes + h->lanes.offset),
	    .segments = (void *)(bytes + h->segments.offset),
	    .instances = (void *)(bytes + h->instances.offset),
	    .buffers = (void *)(bytes + h->buffers.offset),
	    .params = (void *)(bytes + h->params.offset),
	    .order = (const void *)(bytes + h->order.offset),
	};

	shared_place(&l);
	for (uint64_t i = 0; i < h->hosts.count; i++) {
		l.top = hosts[i].offset = page_after(l.top);
		place_next(&l.top, IMAGE_WALL);
		segments_place(&l, i);
		instances_place(&l, i);
		hosts[i].links = place_next(&l.top, IMAGE_WALL) + IMAGE_WALL;
		buffers_place(&l, i);
		hosts[i].bytes = page_after(l.top) - hosts[i].offset;
	}
	h->total_bytes = page_after(l.top);
}

/* The mode: whoever has been given a descriptor for reading only does not open the file anew for
 * writing. */
static int memfd_new(const char *name, size_t size)
{
	const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int error;

	if (fd < 0)
		return -errno;
	if (fchmod(fd, S_IRUSR) == 0 && ftruncate(fd, (off_t)size) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

static int memfd_allocate(const char *name, size_t size)
{
	const int fd = memfd_new(name, size);
	int error;

	if (fd < 0)
		return fd;
	error = posix_fallocate(fd, 0, (off_t)size);
	if (error == 0)
		return fd;
	close(fd);
	return -error;
}

static int memfd_seal(int fd, int seals)
{
	int error;

	if (fcntl(fd, F_ADD_SEALS, seals | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

int image_memfd(const char *name, size_t size)
{
	const int fd = memfd_allocate(name, size);

	return fd < 0 ? fd : memfd_seal(fd, 0);
}

int image_memfd_sealed(const char *name, const void *bytes, size_t size)
{
	const int fd = memfd_allocate(name, size);

	if (fd < 0)
		return fd;
	if (pwrite(fd, bytes, size, 0) == (ssize_t)size)
		return memfd_seal(fd, F_SEAL_WRITE);
	close(fd);
	return -EIO;
}

void *image_map(int fd, size_t bytes, bool writable)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct stat stat;
	void *base;
	int flags = MAP_SHARED;

	if (fstat(fd, &stat) != 0 || (uint64_t)stat.st_size < bytes)
		return NULL;
	/* Older kernels refuse a shared mapping of what is sealed, even for reading; nobody can
	 * change it, so it is the same. */
	if (!writable && seals >= 0 && (seals & F_SEAL_WRITE) != 0)
		flags = MAP_PRIVATE | MAP_POPULATE;
	base = mmap(NULL, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, flags, fd, 0);
	return base == MAP_FAILED ? NULL : base;
}

static void wall_write(const struct image_view *view, uint64_t end)
{
	const uint64_t canary = IMAGE_CANARY;

	for (size_t i = 0; i < IMAGE_WALL; i += sizeof(canary))
		memcpy(view->base + end - IMAGE_WALL + i, &canary, sizeof(canary));
}

/* ---- what a node has of an image ---- */

static bool host_here(const struct image_view *view, uint32_t host)
{
	return view->node == IMAGE_NONE || view->hosts[host].node == view->node;
}

/* Written or read on the node. `read`: by buffer, that it is. */
static bool buffer_here(const struct image_view *view, const bool *read, uint32_t b)
{
	return read[b] ||
	    host_here(
	        view, view->segments[view->instances[view->buffers[b].instance].segment].host);
}

static bool *buffers_read(const struct image_view *view)
{
	bool *read = calloc(view->head->buffers.count + 1, sizeof(*read));

	for (uint32_t i = 0; read != NULL && i < view->head->instances.count; i++)
		for (uint32_t p = 0; p < view->instances[i].n_inputs; p++) {
			const uint32_t b = view->inputs[view->instances[i].inputs + p].buffer;

			if (b != IMAGE_NONE && image_runs(view, view->instances[i].segment))
				read[b] = true;
		}
	return read;
}

/* Adds up, and allocates unless fd is -1, what begins at `offset`: whole pages. 0 or -errno. */
static int piece_allocate(int fd, uint64_t offset, uint64_t bytes, uint64_t *sum)
{
	const uint64_t begin = offset & ~(uint64_t)(IMAGE_PAGE - 1),
	               end = (offset + bytes + IMAGE_PAGE - 1) & ~(uint64_t)(IMAGE_PAGE - 1);

	*sum += end - begin;
	return fd < 0 ? 0 : -posix_fallocate(fd, (off_t)begin, (off_t)(end - begin));
}

/* The steps of all segments, whole hosts of this node, the walls of others', and of their rings
 * those that are read here. Rings of one instance may share a page: the sum is an upper bound. */
static int pieces_allocate(const struct image_view *view, int fd, uint64_t *ret_bytes)
{
	bool *read = buffers_read(view);
	int status = read == NULL ? -ENOMEM
	    : view->head->hosts.count == 0
	    ? piece_allocate(fd, 0, view->head->total_bytes, ret_bytes)
	    : piece_allocate(fd, 0, view->hosts[0].offset, ret_bytes);

	for (uint32_t h = 0; status == 0 && h < view->head->hosts.count; h++) {
		const struct image_host *host = &view->hosts[h];
		const bool here = host_here(view, h);

		status =
		    piece_allocate(fd, host->offset, here ? host->bytes : IMAGE_WALL, ret_bytes);
		if (status == 0 && !here)
			status =
			    piece_allocate(fd, host->links - IMAGE_WALL, IMAGE_WALL, ret_bytes);
	}
	for (uint32_t b = 0; status == 0 && b < view->head->buffers.count; b++) {
		const struct image_buffer *row = &view->buffers[b];

		if (!read[b] ||
		    host_here(view, view->segments[view->instances[row->instance].segment].host))
			continue;
		status = piece_allocate(
		    fd, row->messages, row->depth * sizeof(struct image_message), ret_bytes);
		if (status == 0)
			status = piece_allocate(
			    fd, row->data - 64, 64 + row->depth * row->stride, ret_bytes);
	}
	free(read);
	return status;
}

uint64_t image_bytes_node(const void *program, uint32_t node)
{
	struct image_view view;
	uint64_t bytes = 0;

	image_bind(program, &view);
	view.node = node;
	if (node == IMAGE_NONE || pieces_allocate(&view, -1, &bytes) != 0)
		bytes = view.head->total_bytes;
	return bytes;
}

static int memfd_of_node(const void *program, uint32_t node)
{
	struct image_view view;
	uint64_t bytes = 0;
	int fd, status;

	image_bind(program, &view);
	view.node = node;
	if (node == IMAGE_NONE)
		return image_memfd("aloe-waveform", view.head->total_bytes);
	fd = memfd_new("aloe-waveform", view.head->total_bytes);
	status = fd < 0 ? fd : pieces_allocate(&view, fd, &bytes);
	if (status >= 0)
		return memfd_seal(fd, 0);
	if (fd >= 0)
		close(fd);
	return status;
}

static void canaries_write(const struct image_view *view, const bool *read)
{
	const uint64_t canary = IMAGE_CANARY;

	for (uint32_t h = 0; h < view->head->hosts.count; h++) {
		wall_write(view, view->hosts[h].offset + IMAGE_WALL);
		wall_write(view, view->hosts[h].links);
	}
	for (uint32_t b = 0; b < view->head->buffers.count; b++)
		for (uint32_t m = 0; buffer_here(view, read, b) && m < view->buffers[b].depth;
		     m++) {
			uint8_t *items = image_data(view, b) + m * view->buffers[b].stride;

			memcpy(items - sizeof(canary), &canary, sizeof(canary));
			memcpy(items + view->buffers[b].canary, &canary, sizeof(canary));
		}
}

static void state_init(const struct image_view *view)
{
	const uint64_t slots = view->head->slots;

	atomic_store(&image_run(view)->last,
	    image_last(view->holds, view->head->holds.count,
	        slots == IMAGE_FOREVER ? IMAGE_FOREVER : slots - 1));
	for (uint32_t i = 0; i < view->head->instances.count; i++)
		if (view->instances[i].latency != 0 && image_runs(view, view->instances[i].segment))
			atomic_store(&image_latency(view, i)->slots_min, UINT64_MAX);
}

static int image_begin(const struct image_files *files, uint32_t node)
{
	struct image_view view;
	const int status = image_open(files, true, &view);
	bool *read;

	if (status != 0)
		return status;
	view.node = node;
	read = buffers_read(&view);
	if (read != NULL) {
		canaries_write(&view, read);
		state_init(&view);
	}
	image_close(&view);
	free(read);
	return read != NULL ? 0 : -ENOMEM;
}

int image_create(const void *program, size_t len, struct image_files *ret)
{
	return image_create_node(program, len, IMAGE_NONE, ret);
}

int image_create_node(const void *program, size_t len, uint32_t node, struct image_files *ret)
{
	const struct image_head *h = program;
	struct image_files files = {-1, -1};
	const char *why;
	int status;

	*ret = files;
	if (image_check(program, len, &why) != 0)
		return -EBADMSG;
	status = files.program = image_memfd_sealed("aloe-program", program, h->static_bytes);
	if (status >= 0)
		status = files.image = memfd_of_node(program, node);
	if (status >= 0)
		status = image_begin(&files, node);
	if (status < 0)
		image_files_close(&files);
	*ret = files;
	return status < 0 ? status : 0;
}

void image_files_close(struct image_files *files)
{
	if (files->program >= 0)
		close(files->program);
	if (files->image >= 0)
		close(files->image);
	*files = (struct image_files){-1, -1};
}

/* ---- opening ------------------------------------------------------------------------ */

void image_bind(const void *program, struct image_view *ret)
{
	const struct image_head *h = program;
	const uint8_t *bytes = program;

	*ret = (struct image_view){
	    .program = program,
	    .node = IMAGE_NONE,
	    .head = h,
	    .nodes = (const void *)(bytes + h->nodes.offset),
	    .lanes = (const void *)(bytes + h->lanes.offset),
	    .hosts = (const void *)(bytes + h->hosts.offset),
	    .segments = (const void *)(bytes + h->segments.offset),
	    .order = (const void *)(bytes + h->order.offset),
	    .gates = (const void *)(bytes + h->gates.offset),
	    .instances = (const void *)(bytes + h->instances.offset),
	    .inputs = (const void *)(bytes + h->inputs.offset),
	    .outputs = (const void *)(bytes + h->outputs.offset),
	    .buffers = (const void *)(bytes + h->buffers.offset),
	    .params = (const void *)(bytes + h->params.offset),
	    .vars = (const void *)(bytes + h->vars.offset),
	    .radios = (const void *)(bytes + h->radios.offset),
	    .holds = (const void *)(bytes + h->holds.offset),
	};
}

/* Maps a file with all of `wanted` among its seals: its size, or -errno. */
static int64_t map_sealed(int fd, int wanted, bool writable, const void **ret)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct stat stat;

	if (seals < 0 || (seals & wanted) != wanted || fstat(fd, &stat) != 0 || stat.st_size <= 0)
		return -EBADMSG;
	*ret = image_map(fd, (size_t)stat.st_size, writable);
	return *ret != NULL ? stat.st_size : -ENOMEM;
}

/* What cannot be written any more is judged once, where it is. */
static int program_open(int fd, struct image_view *ret)
{
	const void *program;
	const int64_t bytes = map_sealed(fd, F_SEAL_WRITE | F_SEAL_SHRINK, false, &program);
	const char *why;

	if (bytes < 0)
		return (int)bytes;
	if (image_check(program, (size_t)bytes, &why) != 0) {
		munmap((void *)program, (size_t)bytes);
		return -EBADMSG;
	}
	image_bind(program, ret);
	ret->program_bytes = (size_t)bytes;
	return 0;
}

int image_open(const struct image_files *files, bool writable, struct image_view *ret)
{
	struct image_view view;
	const void *base;
	int64_t bytes;
	int status = program_open(files->program, &view);

	if (status != 0)
		return status;
	/* Sealed: it must not end while it is mapped. */
	bytes = map_sealed(files->image, F_SEAL_SHRINK, writable, &base);
	if (bytes >= 0) {
		view.base = (void *)base;
		view.bytes = (size_t)bytes;
		bytes = view.bytes < view.head->total_bytes ? -EBADMSG : bytes;
	}
	if (bytes < 0) {
		image_close(&view);
		return (int)bytes;
	}
	*ret = view;
	return 0;
}

static int view_unprotect(const struct image_view *view, int fd, uint64_t offset, uint64_t bytes)
{
	assert(offset % IMAGE_PAGE == 0);
	assert(offset + bytes <= view->bytes);
	if (bytes != 0 &&
	    mmap(view->base + offset, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
	        (off_t)offset) == MAP_FAILED)
		return -errno;
	return 0;
}

/* The whole by a descriptor for reading, so that the process could not even ask for more; its own
 * parts over that. */
int image_open_host(const struct image_files *files, uint32_t host, struct image_view *ret)
{
	const int only = file_read_only(files->image);
	const struct image_host *own;
	struct image_view view;
	int status;

	if (only < 0)
		return only;
	status = image_open(&(struct image_files){files->program, only}, false, &view);
	close(only);
	if (status != 0)
		return status;
	own = host < view.head->hosts.count ? &view.hosts[host] : NULL;
	status =
	    own != NULL ? view_unprotect(&view, files->image, 0, view.hosts[0].offset) : -EBADMSG;
	if (status == 0)
		status = view_unprotect(&view, files->image, own->offset, own->bytes);
	if (status != 0) {
		image_close(&view);
		return status;
	}
	*ret = view;
	return 0;
}

void image_close(struct image_view *view)
{
	if (view->base != NULL)
		munmap(view->base, view->bytes);
	if (view->program_bytes != 0)
		munmap((void *)view->program, view->program_bytes);
	*view = (struct image_view){0};
}

const char *image_text(const struct image_view *view, uint64_t offset)
{
	const struct image_table *text = &view->head->text;

	return offset < text->count ? (const char *)view->program + text->offset + offset : "";
}

struct image_run *image_run(const struct image_view *view)
{
	assert(view->base != NULL);
	assert(view->head != NULL);
	return (void *)(view->base + view->head->run);
}

struct image_segment_state *image_segment_state(const struct image_view *view, uint32_t segment)
{
	assert(segment < view->head->segments.count);
	assert(view->base != NULL);
	return (void *)(view->base + view->segments[segment].state);
}

struct image_instance_state *image_instance_state(const struct image_view *view, uint32_t instance)
{
	assert(instance < view->head->instances.count);
	assert(view->base != NULL);
	return (void *)(view->base + view->instances[instance].state);
}

struct hist_head *image_time(const struct image_view *view, uint32_t instance)
{
	assert(instance < view->head->instances.count);
	assert(view->base != NULL);
	return (void *)(view->base + view->instances[instance].time);
}

void image_time_merge(const struct image_view *view, uint32_t instance, struct hist *into)
{
	hist_head_merge(
	    into, image_time(view, instance), &image_instance_state(view, instance)->time_cells);
}

uint64_t image_time_quantile(const struct image_view *view, uint32_t instance, double q)
{
	struct hist time = {0};

	assert(q >= 0);
	assert(q <= 1);
	image_time_merge(view, instance, &time);
	return hist_quantile(&time, q);
}

struct image_latency *image_latency(const struct image_view *view, uint32_t instance)
{
	const uint64_t at = view->instances[instance].latency;

	assert(instance < view->head->instances.count);
	assert(view->base != NULL);
	return at != 0 ? (void *)(view->base + at) : NULL;
}

struct image_lane_state *image_lane_state(const struct image_view *view, uint32_t lane)
{
	assert(lane < view->head->lanes.count);
	assert(view->base != NULL);
	return (void *)(view->base + view->lanes[lane].state);
}

struct image_message *image_messages(const struct image_view *view, uint32_t buffer)
{
	assert(buffer < view->head->buffers.count);
	assert(view->base != NULL);
	return (void *)(view->base + view->buffers[buffer].messages);
}

uint8_t *image_data(const struct image_view *view, uint32_t buffer)
{
	assert(buffer < view->head->buffers.count);
	assert(view->base != NULL);
	return view->base + view->buffers[buffer].data;
}

struct image_event *image_events(const struct image_view *view, uint32_t segment)
{
	assert(segment < view->head->segments.count);
	assert(view->base != NULL);
	return (void *)(view->base + view->segments[segment].events);
}

const float *image_reals(const struct image_view *view, const struct image_param *param)
{
	assert(view->program != NULL);
	assert(param->n_reals == 0 ||
	    param->reals + 4ull * param->n_reals <= view->head->static_bytes);
	return (const void *)((const uint8_t *)view->program + param->reals);
}

bool image_taken_index(
    const struct image_view *view, uint32_t segment, uint64_t sequence, uint64_t *ret_index)
{
	const struct image_taken *taken =
	    &image_segment_state(view, segment)->taken[sequence % NODE_CHANGES];

	assert(sequence != 0);
	if (atomic_load_explicit(&taken->sequence, memory_order_acquire) < sequence)
		return false;
	*ret_index = atomic_load_explicit(&taken->index, memory_order_relaxed);
	return true;
}

uint32_t image_node_of(const struct image_view *view, uint32_t segment)
{
	assert(segment < view->head->segments.count);
	return view->lanes[view->segments[segment].lane].node;
}

bool image_runs(const struct image_view *view, uint32_t segment)
{
	return view->node == IMAGE_NONE || image_node_of(view, segment) == view->node;
}

static bool node_has(const struct image_view *view, uint32_t node, bool sources)
{
	for (uint64_t i = 0; i < view->head->instances.count; i++)
		if (image_node_of(view, view->instances[i].segment) == node &&
		    (!sources || view->instances[i].source))
			return true;
	return false;
}

uint32_t image_nodes(const struct image_view *view, uint32_t ret_nodes[IMAGE_NODES_MAX])
{
	uint32_t n = 0;

	for (int turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < view->head->nodes.count && i < IMAGE_NODES_MAX; i++)
			if (node_has(view, i, false) && node_has(view, i, true) == (turn == 0))
				ret_nodes[n++] = i;
	return n;
}

uint32_t image_find_node(const struct image_view *view, const char *name)
{
	assert(name != NULL);
	for (uint32_t n = 0; n < view->head->nodes.count; n++)
		if (strcmp(image_text(view, view->nodes[n].name), name) == 0)
			return n;
	return IMAGE_NONE;
}

uint32_t image_find_instance(const struct image_view *view, const char *name, size_t len)
{
	assert(name != NULL);
	for (uint32_t i = 0; i < view->head->instances.count; i++) {
		const char *have = image_text(view, view->instances[i].name);

		if (view->instances[i].place == 0 && strlen(have) == len &&
		    memcmp(have, name, len) == 0)
			return i;
	}
	return IMAGE_NONE;
}

uint32_t image_beside(
    const struct image_view *view, uint32_t instance, const uint32_t **ret_numbers)
{
	const struct image_instance *row = &view->instances[instance];
	const struct image_segment *segment = &view->segments[row->segment];
	const uint32_t *order = &view->order[segment->order];
	uint32_t first = 0, n = 1;

	assert(instance < view->head->instances.count);
	while (first < segment->n_instances && order[first] != instance)
		first++;
	assert(first < segment->n_instances);
	first -= row->side > 0 ? row->side - 1 : 0;
	*ret_numbers = &order[first];
	while (row->side > 0 && first + n < segment->n_instances &&
	    view->instances[order[first + n]].side == n + 1)
		n++;
	return n;
}
