/* SPDX-License-Identifier: BSD-3-Clause
 * pulse - root-raised-cosine pulses. */
#include "core/kernels/pulse.h"

#include <math.h>

static double sinc(double x)
{
	return fabs(x) < 1e-9 ? 1 : sin(M_PI * x) / (M_PI * x);
}

/* Numerator and denominator vanish together at t = 0 and at t = 1 / (4 rolloff): there the limits
 * stand. */
double pulse_rrc(double t, double rolloff)
{
	const double a = rolloff, edge = 4 * a * t;

	if (fabs(t) < 1e-9)
		return 1 - a + 4 * a / M_PI;
	if (fabs(fabs(edge) - 1) < 1e-7)
		return a / sqrt(2) *
		    ((1 + 2 / M_PI) * sin(M_PI / (4 * a)) + (1 - 2 / M_PI) * cos(M_PI / (4 * a)));
	return (sin(M_PI * t * (1 - a)) + edge * cos(M_PI * t * (1 + a))) /
	    (M_PI * t * (1 - edge * edge));
}

double pulse_rc(double t, double rolloff)
{
	const double edge = 2 * rolloff * t;

	if (fabs(fabs(edge) - 1) < 1e-7)
		return M_PI / 4 * sinc(1 / (2 * rolloff));
	return sinc(t) * cos(M_PI * rolloff * t) / (1 - edge * edge);
}
