/* What the agent's files share: the state of one run and the calls between them. SPDX: MIT */
#ifndef AGENT_H
#define AGENT_H
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "format.h"

/* program.c: the checked lab program in memory */
struct program {
	uint8_t *bytes;
	size_t size;
	uint32_t records, flags;
	const struct record **record; /* [records] */
};
const char *program_load(struct program *p, const char *path); /* NULL, or what is wrong */
void program_free(struct program *p);
static inline const uint8_t *payload(const struct record *r) { return (const uint8_t *)(r + 1); }
static inline size_t payload_size(const struct record *r) { return r->size - sizeof *r; }

/* raw.c: the output file */
int raw_open(const char *path);
void raw_put(uint16_t type, uint16_t ns, int64_t at_ns, const void *head, size_t head_size,
	     const void *body, size_t body_size);
int raw_flush(void); /* to the file and to the disk; errno or 0 */

/* run.c: one program, from set-up to end */
int run_program(struct program *p);
void run_fail(uint32_t record, uint32_t message, int error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
bool run_failed(void);
void step(const struct record *r, uint32_t i); /* step.c */
uint32_t run_started(void);          /* a flow or program that the end of this lab program waits for ... */
void run_ended(uint32_t program);    /* ... has ended */
void run_packet(void);               /* a listener has taken a frame */
int64_t run_since_epoch(int64_t monotonic_ns);
int64_t run_since_real(int64_t realtime_ns);
int64_t run_end(void);               /* the instant at which the run ended, CLOCK_MONOTONIC */
struct msghdr;
int64_t message_time(struct msghdr *m); /* the kernel's arrival stamp, since the epoch; -1 */

/* clock.c: the list of things to come, on absolute CLOCK_MONOTONIC */
typedef void (*timer_fn)(void *arg, int64_t at_ns);
void clock_at(int64_t monotonic_ns, timer_fn fn, void *arg);
void clock_cancel(void *arg); /* forget everything that would be called with arg */
void clock_forget(timer_fn fn);       /* forget everything that would call fn */
int64_t clock_now(void);      /* moves virtual time by a tick: only once per flow, not per packet */
int64_t clock_current(void);  /* the instant of the timer being served: free */

/* loop.c: one epoll for everything */
struct watch {
	int fd;
	void (*ready)(struct watch *w, uint32_t events);
};
int watch_add(struct watch *w, uint32_t events);
int watch_change(struct watch *w, uint32_t events);
void watch_close(struct watch *w); /* and forget its events of this round */
void loop_run(bool (*done)(void));

/* netns.c */
int netns_make(unsigned index, const char *name);
int netns_enter(unsigned index);
unsigned netns_count(void);
int netns_socket(unsigned index, int domain, int type, int protocol);
int offloads_off(unsigned index, const char *interface);

/* netlink.c */
void netlink_send(uint32_t record, unsigned ns, const struct netlink_op *op, const void *messages, size_t size);
struct devices {
	const uint8_t *index; /* u32 each, ascending */
	uint32_t count;       /* 0: all */
};
void netlink_dump(uint32_t record, unsigned ns, const struct dump_out *head, int64_t at_ns, const void *request,
		  size_t size, struct devices only);
void netlink_close(void);

/* kernel.c: sysctls, seed, modules */
void sysctl_write(uint32_t record, unsigned ns, const char *path, const char *value);
void seed_kernel(uint32_t record, const void *bytes, size_t size);
void module_load(uint32_t record, const char *path);

/* tcp.c, udp.c: flows; server.c: what some of them connect to */
struct sockaddr_in;
bool tcp_serve(unsigned ns, const struct sockaddr_in *from, int fd);
void server_prepare(uint32_t record, unsigned ns, const struct server_op *op, int64_t accept_ns);
void server_end_all(void);
void tcp_prepare(uint32_t record, unsigned src_ns, const struct flow_op *op, int64_t start_ns);
void tcp_sample_all(int64_t at_ns);
void tcp_end_all(void);
void udp_prepare(uint32_t record, unsigned src_ns, const struct flow_op *op, int64_t start_ns);
void udp_end_all(void);

/* exec.c: programs in namespaces */
void exec_at(uint32_t record, unsigned ns, const struct exec_op *op, const char *command, int64_t start_ns);
void exec_kill(uint32_t program);
void hosts_set(const void *text, size_t size);

/* probe.c */
void sample_every(uint32_t record, unsigned ns, const struct sample_op *op, const void *request,
		  size_t size, int64_t epoch_ns);
void counters_take(uint32_t record, uint32_t phase, int64_t at_ns, const void *requests, size_t size);
void samples_end(void);

/* capture.c, inject.c, drops.c: packets */
void capture_add(uint32_t record, unsigned ns, const struct capture_op *op);
void capture_finish(int64_t at_ns);
void listen_on(uint32_t record, unsigned ns, uint32_t interface);
void inject(uint32_t record, unsigned ns, const struct send_op *op, const void *frame, size_t size);
void drops_watch(uint32_t record, const struct drops_op *op);
void drops_finish(int64_t at_ns);

/* trace.c */
void trace_add(uint32_t record, const struct trace_op *op, const char *event, const char *filter);
void trace_start(void);
void trace_drain(void *arg, int64_t at_ns);
uint64_t trace_finish(void);

/* perf.c: the same on a machine's own kernel */
typedef void (*perf_keep_text)(uint32_t record, const char *file);
bool perf_add(uint32_t record, const char *event, const char *filter, perf_keep_text keep);
void perf_start(void);
uint64_t perf_finish(void);

/* mask.c: no kernel addresses in the raw file */
void mask_learn(const char *format);
void mask_event(uint8_t *data, size_t size);
size_t mask_page(uint8_t *page, size_t size); /* how much of it to keep */

/* isolate.c: only when the agent is not process 1 of a lab kernel */
int isolate(void);

/* init.c: only when the agent is process 1 of a lab kernel */
extern bool is_init;
void init_guest(void);
const char *init_host_root(void); /* where the host's files are, mounted on first use; NULL on failure */
void init_power_off(void) __attribute__((noreturn));
#endif
