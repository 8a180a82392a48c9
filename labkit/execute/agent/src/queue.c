/* Exchanges that wait, in order: each is in one such queue at most. SPDX: MIT */
#include "connection.h"

void queue_append(struct queue *q, struct exchange *e)
{
	if (!q->first)
		q->last = &q->first;
	e->next = NULL;
	*q->last = e;
	q->last = &e->next;
}

struct exchange *queue_take(struct queue *q)
{
	struct exchange *e = q->first;

	q->first = e->next;
	return e;
}
