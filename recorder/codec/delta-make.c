/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a difference. What is chosen here, such as the steps of columns, decides how small it is, not
 * whether it is right.
 */
#include "config.h"

#include <errno.h>

#include "base/saturate.h"
#include "recorder/codec/delta-private.h"

enum {
	STEP_ROWS_MIN = 8, /* with fewer rows a step saves nothing */
	GUESSES = 8,       /* times that are tried for the prediction of byte seconds ... */
	GUESS_ROWS = 64,   /* ... in so many rows */
	GUESS_NEAR = 4,    /* units of a double by which a good prediction may be off */
};

/* A section of the image beside that of the model. */
struct pair {
	const struct model_section *s;
	const unsigned char *data;
	size_t count;
	const uint32_t *source; /* of each row of the image: its number in the model */
};

static void each_buffer(struct delta *d, void (*call)(struct buffer *b))
{
	for (unsigned int i = 0; i < DELTA_STREAMS; i++)
		call(&d->stream[i]);
	call(&d->texts);
	call(&d->source);
	call(&d->at);
	call(&d->gaps);
}

void delta_done(struct delta *d)
{
	each_buffer(d, buffer_done);
}

void delta_rest(struct delta *d)
{
	each_buffer(d, buffer_rest);
}

static const uint64_t *image_row(const struct pair *p, size_t i)
{
	return (const void *)(p->data + i * p->s->words * sizeof(uint64_t));
}

/* Returns the row of the model that row I of the image continues; NULL: it is new. */
static const uint64_t *source_row(const struct pair *p, size_t i)
{
	return p->source[i] == DELTA_NO_NUMBER ? NULL : model_row(p->s, p->source[i]);
}

static int pair_match(struct delta *d, const struct model_section *s,
	const struct layout_rows *rows, struct pair *ret)
{
	int r = delta_match_rows(d, s, rows);

	*ret = (struct pair){
		.s = s,
		.data = rows->data,
		.count = rows->count,
		.source = (const void *)d->source.data,
	};
	return r;
}

/* The amount that most rows of a column have moved by (Boyer and Moore, 1981), and its votes. */
struct vote {
	uint64_t step, lead;
	size_t for_step, for_zero;
};

/* Calls for each quantity that a row of P has in the image and in the model. */
#define EACH_MOVE(p, i, word, moved, code)                                                         \
	for (size_t i = 0; i < (p)->count; i++) {                                                  \
		const uint64_t *now_ = image_row(p, i), *old_ = source_row(p, i);                  \
		size_t first_ = (p)->s->kind.present_word;                                         \
		uint64_t both_ = old_ ? now_[first_] & old_[first_] : 0;                           \
		for (; both_; both_ &= both_ - 1) {                                                \
			size_t word = first_ + 1 + (size_t)__builtin_ctzll(both_);                 \
			if (word >= (p)->s->words)                                                 \
				break;                                                             \
			uint64_t moved = now_[word] - (p)->s->step[word] - old_[word];             \
			code                                                                       \
		}                                                                                  \
	}

static void vote_steps(const struct pair *p, struct vote *vote)
{
	EACH_MOVE(p, i, word, moved, {
		struct vote *v = &vote[word];

		if (!v->lead)
			v->step = moved;
		v->lead += moved == v->step ? 1 : UINT64_MAX;
	})
	EACH_MOVE(p, i, word, moved, {
		vote[word].for_step += moved == vote[word].step;
		vote[word].for_zero += !moved;
	})
}

/* Writes the steps of P, and adds them to STEP, those of the model. */
static void make_steps(struct delta *d, const struct pair *p, uint64_t *step)
{
	struct vote vote[LAYOUT_WORDS_MAX] = {{0}};
	uint64_t steps = 0;

	memcpy(step, p->s->step, p->s->words * sizeof(*step));
	if (p->s->kind.has_present && p->count >= STEP_ROWS_MIN)
		vote_steps(p, vote);
	for (size_t i = 0; i < p->s->words; i++) {
		if (vote[i].for_step <= vote[i].for_zero || !delta_may_step(p->s, i))
			vote[i].step = 0;
		steps += vote[i].step != 0;
	}
	stream_add(&d->stream[DELTA_SHAPE], steps);
	for (size_t i = 0; i < p->s->words; i++) {
		if (!vote[i].step)
			continue;
		stream_add(&d->stream[DELTA_SHAPE], i);
		stream_add_difference(&d->stream[DELTA_VALUES], vote[i].step, 0);
		step[i] += vote[i].step;
	}
}

/* Writes the differences of a row of WORDS words to the streams. */
static void make_words(struct delta *d, const uint64_t *now, const uint64_t *old, size_t words)
{
	for (size_t first = 0; first < words; first += DELTA_MASK_BITS) {
		uint64_t mask = 0;

		for (size_t i = first; i < words && i < first + DELTA_MASK_BITS; i++) {
			if (now[i] == old[i])
				continue;
			mask |= UINT64_C(1) << (i - first);
			stream_add_difference(&d->stream[DELTA_VALUES], now[i], old[i]);
		}
		buffer_add(&d->stream[DELTA_MASKS], &mask, sizeof(mask));
	}
}

/* Sets TO to row I of the image, as a model with the steps STEP has it. */
static int normalize_row(
	const struct delta *d, const struct pair *p, size_t i, const uint64_t *step, uint64_t *to)
{
	memcpy(to, image_row(p, i), p->s->words * sizeof(*to));
	for (size_t word = 0; word < p->s->words; word++)
		if (step[word] && model_has(p->s, to, word))
			to[word] -= step[word];
	for (unsigned int k = 0; k < p->s->kind.refs; k++) {
		char *field = (char *)to + p->s->kind.ref[k] * sizeof(uint32_t);
		uint32_t number;

		memcpy(&number, field, sizeof(number));
		number = delta_text_number(d, number);
		if (number == DELTA_NO_NUMBER)
			return DELTA_UNUSUAL;
		memcpy(field, &number, sizeof(number));
	}
	return 0;
}

/* Sets in OLD, a row of the model, the byte seconds that are predicted for NOW. */
static void predict_row(
	const struct model_section *s, const uint64_t *now, uint64_t *old, uint64_t elapsed_ns)
{
	uint64_t present = old[s->kind.present_word] & now[s->kind.present_word];

	if (delta_is_predicted(s, present))
		old[DELTA_BYTE_SECONDS] = byteseconds_predict(
			old[DELTA_BYTE_SECONDS], delta_pss(s, old), delta_pss(s, now), elapsed_ns);
}

static int delta_make_rows(
	struct delta *d, const struct pair *p, const uint64_t *step, uint64_t elapsed_ns)
{
	uint64_t now[LAYOUT_WORDS_MAX], old[LAYOUT_WORDS_MAX];
	size_t size = p->s->words * sizeof(uint64_t), unchanged = 0;
	struct buffer *shape = &d->stream[DELTA_SHAPE];
	uint64_t changed = 0;

	buffer_clear(&d->gaps);
	for (size_t i = 0; i < p->count; i++, unchanged++) {
		const uint64_t *source = source_row(p, i);

		if (normalize_row(d, p, i, step, now) != 0)
			return DELTA_UNUSUAL;
		if (source)
			memcpy(old, source, size);
		else
			memset(old, 0, size);
		predict_row(p->s, now, old, elapsed_ns);
		if (!memcmp(now, old, size))
			continue;
		stream_add(&d->gaps, unchanged);
		make_words(d, now, old, p->s->words);
		changed++;
		unchanged = (size_t)-1;
	}
	stream_add(shape, changed);
	buffer_add(shape, d->gaps.data, d->gaps.len);
	return d->gaps.error;
}

/* Rows of owners in which byte seconds are predicted, for a guess of the time between them. */
struct sample {
	struct {
		uint64_t from, to, a, b;
	} row[GUESS_ROWS];
	size_t count;
};

static void take_sample(const struct pair *p, struct sample *s)
{
	for (size_t i = 0; i < p->count && s->count < GUESS_ROWS; i++) {
		const uint64_t *now = image_row(p, i), *old = source_row(p, i);
		size_t present = p->s->kind.present_word;

		if (!old || !delta_is_predicted(p->s, now[present] & old[present]))
			continue;
		s->row[s->count].from = old[DELTA_BYTE_SECONDS];
		s->row[s->count].to = now[DELTA_BYTE_SECONDS];
		s->row[s->count].a = delta_pss(p->s, old);
		s->row[s->count].b = delta_pss(p->s, now);
		s->count++;
	}
}

/* Returns in how many rows of S the time ELAPSED_NS predicts well. */
static size_t good_rows(const struct sample *s, uint64_t elapsed_ns)
{
	size_t good = 0;

	for (size_t i = 0; i < s->count; i++) {
		uint64_t bits = byteseconds_predict(
			s->row[i].from, s->row[i].a, s->row[i].b, elapsed_ns);

		good += saturate_distance(bits, s->row[i].to) <= GUESS_NEAR;
	}
	return good;
}

/*
 * Guesses the time for the rows of P: LAST_NS, that of the section before, if it suits half of them,
 * else the best one that rows tell. Rows with an unchanged PSS tell it best: if snapshots were left
 * out, the PSS of the others may have been anything in between.
 */
static uint64_t guess_elapsed(const struct pair *p, uint64_t last_ns)
{
	struct sample s = {.count = 0};
	uint64_t best_ns = last_ns;
	size_t best, guesses = 0;

	take_sample(p, &s);
	best = good_rows(&s, last_ns);
	for (unsigned int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < s.count && guesses < GUESSES && 2 * best < s.count; i++) {
			uint64_t guess_ns = byteseconds_guess(
				s.row[i].from, s.row[i].to, s.row[i].a, s.row[i].b);
			size_t good;

			if (!guess_ns || (s.row[i].a == s.row[i].b) == (turn == 1))
				continue;
			guesses++;
			good = good_rows(&s, guess_ns);
			if (good > best) {
				best = good;
				best_ns = guess_ns;
			}
		}
	return best_ns;
}

static int make_section(struct delta *d, const struct model_section *s,
	const struct layout_rows *rows, uint64_t *elapsed_ns)
{
	uint64_t step[LAYOUT_WORDS_MAX];
	struct pair p;
	int r = pair_match(d, s, rows, &p);

	if (r < 0)
		return r;
	make_steps(d, &p, step);
	if (s->kind.is_scope) {
		uint64_t guess_ns = guess_elapsed(&p, *elapsed_ns);

		stream_add_difference(&d->stream[DELTA_VALUES], guess_ns, *elapsed_ns);
		*elapsed_ns = guess_ns;
	}
	return delta_make_rows(d, &p, step, *elapsed_ns);
}

static int join_streams(struct delta *d, struct buffer *to)
{
	for (unsigned int i = 0; i < DELTA_STREAMS; i++) {
		if (d->stream[i].error)
			return d->stream[i].error;
		stream_add(to, d->stream[i].len);
	}
	for (unsigned int i = 0; i < DELTA_STREAMS; i++)
		buffer_add(to, d->stream[i].data, d->stream[i].len);
	return to->error;
}

int delta_make(struct delta *d, const struct model *m, const void *image,
	const struct layout_rows rows[static IMAGE_SECTIONS_MAX], struct buffer *to)
{
	uint64_t elapsed_ns = 0;
	int r;

	for (unsigned int i = 0; i < DELTA_STREAMS; i++)
		buffer_clear(&d->stream[i]);
	make_words(d, image, m->header, m->layout.header_size / sizeof(uint64_t));
	r = delta_match_texts(d, &m->texts, (const char *)rows[0].data, rows[0].count);
	for (uint32_t i = 1; r == 0 && i < m->layout.sections; i++)
		r = make_section(d, &m->section[i], &rows[i], &elapsed_ns);
	return r == 0 ? join_streams(d, to) : r;
}
