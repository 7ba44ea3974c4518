/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/view_keys.h"

#include <string.h>

#include "core/cli/term.h"

/* ---- what they do ---- */

static void page_turn(struct report_view *view, enum view_page page)
{
	view->help = false;
	if (page == view->page)
		return;
	view->page = page;
	view->scroll = 0;
	view->sort = VIEW_BADNESS;
	view->reverse = false;
}

static void page_next(struct report_view *view)
{
	page_turn(view, (enum view_page)((view->page + 1) % VIEW_PAGES));
}

static void page_instances(struct report_view *view)
{
	page_turn(view, VIEW_INSTANCES);
}

static void page_lanes(struct report_view *view)
{
	page_turn(view, VIEW_LANES);
}

static void page_copies(struct report_view *view)
{
	page_turn(view, VIEW_COPIES);
}

static void page_causes(struct report_view *view)
{
	page_turn(view, VIEW_CAUSES);
}

static void page_waveforms(struct report_view *view)
{
	page_turn(view, VIEW_WAVEFORMS);
}

/* Through the columns, and back to what is bad. */
static void sort_next(struct report_view *view)
{
	view->sort = view_column(view->page, view->sort + 1) ? view->sort + 1 : VIEW_BADNESS;
	view->scroll = 0;
}

static void sort_before(struct report_view *view)
{
	if (view->sort == VIEW_BADNESS)
		while (view_column(view->page, view->sort + 1))
			view->sort++;
	else
		view->sort--;
	view->scroll = 0;
}

static void sort_reverse(struct report_view *view)
{
	view->reverse = !view->reverse;
}

static void filter_edit(struct report_view *view)
{
	view->editing = true;
	view->help = false;
	view->scroll = 0;
}

static void scroll_up(struct report_view *view)
{
	view->scroll -= view->scroll > 0;
}

static void scroll_down(struct report_view *view)
{
	view->scroll++;
}

static void scroll_page_up(struct report_view *view)
{
	view->scroll -= view->scroll < view->shown ? view->scroll : view->shown;
}

static void scroll_page_down(struct report_view *view)
{
	view->scroll += view->shown;
}

static void scroll_top(struct report_view *view)
{
	view->scroll = 0;
}

static void scroll_end(struct report_view *view)
{
	view->scroll = SIZE_MAX / 2; /* the table keeps it in range */
}

static void help_turn(struct report_view *view)
{
	view->help = !view->help;
	view->scroll = 0;
}

static void all_back(struct report_view *view)
{
	view->filter[0] = 0;
	view->help = false;
}

static const struct {
	int keys[2];
	const char *shown; /* NULL: as the one before */
	const char *help;
	void (*act)(struct report_view *view); /* NULL: the end */
} keys[] = {
    {{'q'}, "q", "end; of `aloe run`: leave the table, and the run goes on", NULL},
    {{'i'}, "i", "the page `instances`", page_instances},
    {{'l'}, "l", "the page `lanes`", page_lanes},
    {{'c'}, "c", "the page `copies`", page_copies},
    {{'w'}, "w", "the page `causes`: why slots were late", page_causes},
    {{'a'}, "a", "the page `waveforms`", page_waveforms},
    {{'\t'}, "Tab", "the next page", page_next},
    {{'s', '>'}, "s", "sort by the next column; after the last, what is bad comes first again",
        sort_next},
    {{'S', '<'}, "S", "sort by the column before", sort_before},
    {{'r'}, "r", "reverse the order", sort_reverse},
    {{'/'}, "/", "show only rows that have a text; Enter ends the text", filter_edit},
    {{TERM_UP, 'k'}, "Up, k", "one row up", scroll_up},
    {{TERM_DOWN, 'j'}, "Down, j", "one row down", scroll_down},
    {{TERM_PAGE_UP, 'b'}, "PgUp, b", "as many rows up as are shown", scroll_page_up},
    {{TERM_PAGE_DOWN, ' '}, "PgDn, Space", "as many rows down as are shown", scroll_page_down},
    {{TERM_HOME, 'g'}, "Home, g", "to the first row", scroll_top},
    {{TERM_END, 'G'}, "End, G", "to the last row", scroll_end},
    {{'?', 'h'}, "?, h", "what the columns of the page mean", help_turn},
    {{TERM_ESCAPE}, "Esc", "all rows again, without a filter", all_back},
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static void filter_key(struct report_view *view, int key)
{
	const size_t len = strlen(view->filter);

	if (key == '\n' || key == '\r') {
		view->editing = false;
	} else if (key == TERM_ESCAPE) {
		view->editing = false;
		view->filter[0] = 0;
	} else if (key == TERM_ERASE && len > 0) {
		view->filter[len - 1] = 0;
	} else if (key >= ' ' && key <= '~' && len + 1 < sizeof(view->filter)) {
		view->filter[len] = (char)key;
		view->filter[len + 1] = 0;
	}
	view->scroll = 0;
}

bool view_key(struct report_view *view, int key)
{
	if (view->editing) {
		filter_key(view, key);
		return true;
	}
	for (size_t i = 0; i < KEYS; i++) {
		if (keys[i].keys[0] != key && keys[i].keys[1] != key)
			continue;
		if (!keys[i].act)
			return false;
		keys[i].act(view);
		return true;
	}
	return true;
}

/* ---- what is said of them ---- */

void view_keys_line(const struct report_view *view, const char *q, char *ret_text, size_t size)
{
	const char *column = view_column(view->page, view->sort);
	const int len = column
	    ? (int)(strstr(column, "  ") ? strstr(column, "  ") - column : (long)strlen(column))
	    : 0;

	if (view->editing)
		snprintf(
		    ret_text, size, "  rows with: %s_   Enter: keep, Esc: all rows", view->filter);
	else
		snprintf(ret_text, size,
		    "  %s by %.*s%s%s%s   q %s  ? help  i l c w a page  s r sort  / filter",
		    view_page_name(view->page), column ? len : 7, column ? column : "badness",
		    view->reverse ? ", reversed" : "", view->filter[0] ? ", with " : "",
		    view->filter, q);
}

void view_keys_words(FILE *out)
{
	fprintf(out, "Keys:\n");
	for (size_t i = 0; i < KEYS; i++)
		fprintf(out, "\n  %-13s %s", keys[i].shown, keys[i].help);
}
