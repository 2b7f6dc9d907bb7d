/* SPDX-License-Identifier: ISC */
/*
 * A picture of a run: three panels above one time axis.  On top the deepest
 * queues with Kmin, Kmax and the XOFF threshold as lines, then what each flow
 * got, then how much of the time each port was paused.  Plain SVG, no script,
 * so any browser or document shows it.
 */
#include <stdlib.h>
#include <string.h>

#include "out.h"

#define WIDTH 960
#define LEFT 70
#define RIGHT 250
#define PANEL 190
#define GAP 50
#define TOP 50
#define LINES 8 /* curves a panel */
#define POINTS 480

/* Told apart also by those who do not see red and green. */
static const char *const colors[LINES] = { "#0072b2", "#e69f00", "#009e73",
	"#cc79a7", "#56b4e9", "#d55e00", "#8c6d31", "#555555" };

struct panel {
	const char *title;
	enum sim_column_kind kind;
	double unit; /* what a value is divided by */
	double most; /* of the axis, in values; 0: nothing to show */
	size_t column[LINES];
	unsigned n;
	int top;
};

/* ---- what is shown -------------------------------------------------- */

static double
value(const struct sim_series *t, size_t row, size_t column)
{
	return t->value[row * t->n_columns + column];
}

static double
greatest(const struct sim_series *t, size_t column)
{
	double most = 0;

	for (size_t i = 0; i < t->n_rows; i++)
		if (value(t, i, column) > most)
			most = value(t, i, column);
	return most;
}

/* Pauses of hosts and switches share a panel. */
static bool
is_of(const struct panel *p, const struct sim_column *c)
{
	return c->kind == p->kind || (p->kind == SIM_COLUMN_PAUSE &&
	    c->kind == SIM_COLUMN_HELD);
}

/* The curves that reach highest, in the order of the table. */
static void
panel_pick(struct panel *p, const struct sim_series *t)
{
	double least;

	for (size_t k = 0; k < t->n_columns; k++) {
		double most = greatest(t, k);
		unsigned lowest = 0;

		if (!is_of(p, &t->column[k]) || most == 0)
			continue;
		if (most > p->most)
			p->most = most;
		if (p->n < LINES) {
			p->column[p->n++] = k;
			continue;
		}
		for (unsigned i = 1; i < LINES; i++)
			if (greatest(t, p->column[i]) <
			    greatest(t, p->column[lowest]))
				lowest = i;
		least = greatest(t, p->column[lowest]);
		if (most <= least)
			continue;
		memmove(&p->column[lowest], &p->column[lowest + 1],
		    (LINES - lowest - 1) * sizeof *p->column);
		p->column[LINES - 1] = k;
	}
}

/* The next round number above. */
static double
round_up(double v)
{
	static const double steps[] = { 1, 1.5, 2, 3, 4, 5, 6, 8, 10 };
	double ten = 1;

	while (v > 10 * ten)
		ten *= 10;
	while (v < ten)
		ten /= 10;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (v <= steps[i] * ten)
			return steps[i] * ten;
	return 10 * ten;
}

/* ---- drawing -------------------------------------------------------- */

static double
y_of(const struct panel *p, double v)
{
	double share = p->most > 0 ? v / p->most : 0;

	return p->top + PANEL - PANEL * (share < 1 ? share : 1);
}

static double
x_of(const struct sim *s, dp_ps at)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * (double)at /
	    (double)sim_scenario(s)->duration;
}

static void
escaped(FILE *f, const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '<')
			fputs("&lt;", f);
		else if (*text == '>')
			fputs("&gt;", f);
		else if (*text == '&')
			fputs("&amp;", f);
		else
			fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
}

static void
text_at(FILE *f, double x, double y, const char *anchor, const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
	    anchor);
	escaped(f, text);
	fputs("</text>\n", f);
}

static void
axes_draw(FILE *f, const struct sim *s, const struct panel *p)
{
	char text[32];

	text_at(f, LEFT, p->top - 8, "start", p->title);
	for (int i = 0; i <= 4; i++) {
		double v = p->most * i / 4, y = y_of(p, v);
		double x = LEFT + (WIDTH - LEFT - RIGHT) * i / 4.;

		fprintf(f, "<path class=\"g\" d=\"M%d %.1fH%d\"/>\n", LEFT, y,
		    WIDTH - RIGHT);
		snprintf(text, sizeof text, "%.4g", v / p->unit);
		text_at(f, LEFT - 6, y + 4, "end", text);
		snprintf(text, sizeof text, "%.4g ms",
		    (double)sim_scenario(s)->duration * i / 4 / 1e9);
		text_at(f, x, p->top + PANEL + 16, "middle", text);
	}
}

/* Several points as one: of a queue the greatest, else the mean. */
static double
points_value(const struct sim_series *t, const struct panel *p, size_t row,
    size_t step, size_t column)
{
	double most = 0, sum = 0;
	size_t n = 0;

	for (; n < step && row + n < t->n_rows; n++) {
		double v = value(t, row + n, column);

		sum += v;
		if (v > most)
			most = v;
	}
	return p->kind == SIM_COLUMN_MOST ? most : sum / (double)n;
}

/* At most POINTS of a curve. */
static void
curve_draw(FILE *f, const struct sim *s, const struct panel *p, unsigned i)
{
	const struct sim_series *t = sim_series(s);
	size_t step = (t->n_rows + POINTS - 1) / POINTS;

	fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" points=\"",
	    colors[i]);
	for (size_t row = 0; row + step <= t->n_rows; row += step)
		fprintf(f, "%.1f,%.1f ", x_of(s, t->at[row]), y_of(p,
		    points_value(t, p, row, step, p->column[i])));
	fputs("\"/>\n", f);
	fprintf(f, "<path stroke=\"%s\" stroke-width=\"3\" d=\"M%d %dh16\"/>"
	    "\n", colors[i], WIDTH - RIGHT + 12, p->top + 8 + 18 * (int)i);
	text_at(f, WIDTH - RIGHT + 34, p->top + 12 + 18 * (int)i, "start",
	    t->column[p->column[i]].name);
}

static void
threshold_draw(FILE *f, const struct panel *p, const char *name, double v)
{
	double y = y_of(p, v);

	if (v <= 0 || v > p->most)
		return;
	fprintf(f, "<path class=\"t\" d=\"M%d %.1fH%d\"/>\n", LEFT, y,
	    WIDTH - RIGHT);
	text_at(f, WIDTH - RIGHT - 4, y - 3, "end", name);
}

/* Those of the deepest queue's switch. */
static void
thresholds_draw(FILE *f, const struct sim *s, const struct panel *p)
{
	const struct sim_series *t = sim_series(s);
	struct sim_queue_result r;
	size_t best = p->column[0];

	for (unsigned i = 1; i < p->n; i++)
		if (greatest(t, p->column[i]) > greatest(t, best))
			best = p->column[i];
	sim_queue_result(s, t->column[best].of, &r);
	threshold_draw(f, p, "Kmin", (double)r.kmin);
	threshold_draw(f, p, "Kmax", (double)r.kmax);
	if (r.lossless)
		threshold_draw(f, p, "XOFF (of an ingress)",
		    (double)r.xoff_threshold);
}

/* Room for the thresholds where the queue comes near them. */
static void
panel_scale(const struct sim *s, struct panel *p)
{
	struct sim_queue_result r;

	if (p->kind == SIM_COLUMN_PAUSE)
		p->most = 1;
	else if (p->kind == SIM_COLUMN_MOST)
		for (size_t i = 0; i < sim_n_queues(s); i++) {
			sim_queue_result(s, i, &r);
			if (r.max > 0 && (double)r.kmax > p->most &&
			    (double)r.kmax < 4 * p->most)
				p->most = (double)r.kmax * 1.05;
		}
	p->most = round_up(p->most / p->unit) * p->unit;
}

static void
panel_draw(FILE *f, const struct sim *s, struct panel *p)
{
	panel_pick(p, sim_series(s));
	if (p->n == 0) {
		text_at(f, LEFT, p->top - 8, "start", p->title);
		text_at(f, LEFT, p->top + 14, "start", "none");
		return;
	}
	panel_scale(s, p);
	axes_draw(f, s, p);
	for (unsigned i = 0; i < p->n; i++)
		curve_draw(f, s, p, i);
	if (p->kind == SIM_COLUMN_MOST)
		thresholds_draw(f, s, p);
}

bool
sim_svg(const struct sim *s, FILE *f)
{
	struct panel panels[] = {
		{ .title = "Queue depth, KB", .kind = SIM_COLUMN_MOST,
		    .unit = 1e3 },
		{ .title = "Received, Gb/s", .kind = SIM_COLUMN_RATE,
		    .unit = 1 },
		{ .title = "Paused share of the time, %",
		    .kind = SIM_COLUMN_PAUSE, .unit = .01 },
	};
	int n = sizeof panels / sizeof *panels;
	int height = TOP + n * (PANEL + GAP);

	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\""
	    " height=\"%d\" viewBox=\"0 0 %d %d\">\n<style>text{font:12px"
	    " sans-serif;fill:#222}.g{stroke:#ddd}.t{stroke:#222;"
	    "stroke-dasharray:6 4}polyline{stroke-width:1.2}</style>\n"
	    "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
	    WIDTH, height, WIDTH, height, WIDTH, height);
	text_at(f, LEFT, 22, "start", sim_scenario(s)->title);
	for (int i = 0; i < n; i++) {
		panels[i].top = TOP + i * (PANEL + GAP) + 10;
		panel_draw(f, s, &panels[i]);
	}
	fputs("</svg>\n", f);
	return ferror(f) == 0;
}
