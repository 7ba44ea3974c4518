/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Spectra: a part of the band, and the mean of several. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/scope/scope.h"

void scope_span(struct scope_figure *figure, unsigned halvings, bool low)
{
	const bool heat = figure->kind == SCOPE_HEAT;
	const size_t n = heat ? figure->columns : figure->n, rows = heat ? figure->rows : 1,
	             part = halvings < 32 ? n >> halvings : 0,
	             kept = part > 2 ? part
	    : n < 2                  ? n
	                             : 2,
	             first = low ? 0 : (n - kept) / 2;
	const double step = n > 1 ? (figure->x_high - figure->x_low) / (double)(n - 1) : 0;

	for (size_t r = 0; r < rows; r++)
		memmove(figure->y + r * kept, figure->y + r * n + first, kept * sizeof(double));
	if (heat) {
		figure->columns = kept;
		figure->x_low += step * (double)first;
		figure->x_high = figure->x_low + step * (double)(kept > 0 ? kept - 1 : 0);
	} else {
		memmove(figure->x, figure->x + first, kept * sizeof(double));
		figure->n = kept;
	}
}

/* Whether the figures are of the same lines. */
static bool same_lines(const struct scope_figure *figure, const struct scope_averaged *averaged)
{
	return averaged->count > 0 && figure->n == averaged->n && figure->n > 0 &&
	    figure->x[0] == averaged->x_low && figure->x[figure->n - 1] == averaged->x_high;
}

static bool powers_finite(const struct scope_figure *figure)
{
	for (size_t i = 0; i < figure->n; i++)
		if (!isfinite(pow(10, figure->y[i] / 10)))
			return false;
	return true;
}

int scope_average(struct scope_figure *figure, unsigned over, struct scope_averaged *averaged)
{
	/* a sample that is no number spoils one spectrum, not all after it */
	const bool finite = powers_finite(figure);
	bool adds;

	if (figure->n == 0 || (!finite && !same_lines(figure, averaged)))
		return 0;
	if (!same_lines(figure, averaged)) {
		scope_average_fini(averaged);
		averaged->power = calloc(figure->n, sizeof(*averaged->power));
		if (!averaged->power)
			return -ENOMEM;
		averaged->n = figure->n;
		averaged->x_low = figure->x[0];
		averaged->x_high = figure->x[figure->n - 1];
	}
	adds = finite && (over > 0 || averaged->count == 0);
	if (adds)
		averaged->count = averaged->count < over ? averaged->count + 1
		    : over > 0                           ? over
		                                         : 1;
	for (size_t i = 0; i < figure->n; i++) {
		if (adds)
			averaged->power[i] +=
			    (pow(10, figure->y[i] / 10) - averaged->power[i]) / averaged->count;
		figure->y[i] = 10 * log10(fmax(averaged->power[i], 1e-30));
	}
	return 0;
}

void scope_average_fini(struct scope_averaged *averaged)
{
	free(averaged->power);
	*averaged = (struct scope_averaged){.n = 0};
}
