/* What the agent's files share: the state of one run and the calls between them. SPDX: MIT */
#ifndef AGENT_H
#define AGENT_H
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64 /* raw files beyond 2 GB, on 32 bits too */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "raw_format.h"

/* init.c: where this is, and what process 1 of any lab kernel has to do. On a machine's own kernel nothing holds. */
extern struct place {
	bool own_kernel;   /* it is the run's alone: modules, kernel-wide sysctls, its seed, ftrace, the drop monitor, power off */
	bool virtual_time; /* time passes only where nothing is left to do, and stops at the gate */
	bool host_files;   /* programs see a root of their own, made of the machine's files */
	bool built_in;     /* its kernel has all modules that there are, and loads none */
} place;
void init_must(int result, const char *what); /* 0 or more; else there is no run */
int init_devices(const char *folder, bool console);
void init_power_off(void) __attribute__((noreturn));

/* guest.c, or what stands in its place in WebAssembly: process 1 comes to its run folder */
void init_guest(void);

/* raw.c: the output file */
int raw_open(const char *path);
void raw_put(uint16_t type, uint16_t ns, int64_t at_ns, const void *head, size_t head_size,
	     const void *body, size_t body_size);
void raw_write(void);         /* to the file, where it survives our end */
void raw_settle(int64_t now_ns); /* so, if that was last done a tenth of a second ago */
uint64_t raw_written(void);   /* bytes put so far */
int raw_flush(void);          /* to the file and to the disk; errno or 0 */

/* clock.c: the list of things to come, on absolute CLOCK_MONOTONIC */
typedef void (*timer_fn)(void *arg, int64_t at_ns);
void clock_at(int64_t monotonic_ns, timer_fn fn, void *arg);
void clock_cancel(void *arg); /* forget everything that would be called with arg */
void clock_forget(timer_fn fn);       /* forget everything that would call fn */
void clock_hold(void);    /* from within a timer: what is left of this instant waits, and all that comes later */
void clock_go_on(void);   /* at that instant */
void clock_release(void); /* when its time comes */
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

/* random.c */
uint64_t random_bits(uint64_t *state);
double random_share(uint64_t *state); /* above 0, at most 1 */
int64_t random_exponential(uint64_t *state, uint64_t mean);

/* state.c: errors, time since the epoch, what the run waits for */
uint32_t state_program(bool ends_idle, bool ends_with_packet); /* another one begins; its number */
void state_start(int64_t monotonic_ns);
int64_t state_start_ns(void);
void state_epoch(int64_t monotonic_ns, int64_t real_ns);
bool state_has_epoch(void);
int64_t state_since_epoch(int64_t monotonic_ns);
int64_t state_since_real(int64_t realtime_ns);
struct msghdr;
int64_t state_message_time(struct msghdr *m); /* the kernel's arrival stamp, since the epoch; -1 */
void state_fail(uint32_t record, uint32_t message, int error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
bool state_failed(void);
void state_finish(uint32_t reason, int64_t at_ns);
bool state_ended(void);
uint32_t state_reason(void);
int64_t state_end_ns(void);         /* the instant at which the run ended, CLOCK_MONOTONIC */
uint32_t state_begun(void);         /* a flow or program that the end of this lab program waits for ... */
void state_done(uint32_t program);  /* ... has ended */
void state_packet(void);            /* a listener has taken a frame */

/* limits.c: how many bytes may be written. Where less than `wanted` may, the program ends */
bool limits_met(void); /* that of the raw file */
size_t limits_room(uint32_t what, uint16_t ns, uint32_t id, uint64_t *used, size_t wanted);

/* program.c: the checked lab program in memory */
struct program {
	uint8_t *bytes;
	size_t size;
	uint32_t records, flags;
	const struct record **record; /* [records] */
};
typedef const char *(*record_check)(const struct record *r, unsigned netns); /* so many are made before r: NULL, or what is wrong */
const char *program_load(struct program *p, const char *path, record_check check); /* NULL, or what is wrong */
void program_free(struct program *p);
static inline const uint8_t *payload(const struct record *r) { return (const uint8_t *)(r + 1); }
static inline size_t payload_size(const struct record *r) { return r->size - sizeof *r; }
#define LONGEST_NS ((uint64_t)1 << 56) /* two years: sums of a few stay in 63 bits */

/* Of every kind of record a file has what stands for it in the table of steps.c: its check, and what is done
 * with record i (see struct step there). The other calls of that file follow. */

/* limits.c */
void limits_set(const struct record *r, uint32_t i);

/* netns.c */
void netns_make(const struct record *r, uint32_t i);
void netns_offloads_off(const struct record *r, uint32_t i);
int netns_enter(unsigned index);
unsigned netns_count(void);
int netns_socket(unsigned index, int domain, int type, int protocol);

/* netlink.c */
struct nlmsghdr;
const char *netlink_check(const struct record *r, unsigned netns);
void netlink_send(const struct record *r, uint32_t i);
bool netlink_tiles(const uint8_t *messages, size_t size);
struct devices {
	const uint8_t *index; /* u32 each, ascending */
	uint32_t count;       /* 0: all */
};
void netlink_dump(uint32_t record, unsigned ns, const struct dump_out *head, int64_t at_ns, const void *request,
		  size_t size, struct devices only);
typedef void (*netlink_each)(unsigned ns, const struct nlmsghdr *m);
bool netlink_ask(uint32_t record, unsigned ns, const void *request, size_t size, netlink_each each);
void netlink_close(void);

/* chain.c */
const char *chain_check(const struct record *r, unsigned netns);
void chain_set(const struct record *r, uint32_t i);

/* devices.c */
void devices_await(const struct program *p);

/* kernel.c */
void sysctl_write(const struct record *r, uint32_t i);
void parameter_write(const struct record *r, uint32_t i);
void seed_kernel(const struct record *r, uint32_t i);
void module_load(const struct record *r, uint32_t i);

/* flow.c: over tcp.c and udp.c; tcp_flow.c is what uses of a TCP connection share, request.c another such use,
 * server.c what some connect to */
const char *flow_check(const struct record *r, unsigned netns);
void flow_prepare(const struct record *r, uint32_t i, int64_t at_ns);
void flow_end_all(void);
void tcp_prepare(uint32_t record, unsigned src_ns, const struct flow_op *op, int64_t start_ns);
void tcp_flow_sample_all(int64_t at_ns);
void tcp_flow_sample_cc(int64_t at_ns);
void tcp_flow_end_all(void);
struct sockaddr_in;
bool tcp_flow_serve(unsigned ns, const struct sockaddr_in *from, int fd);
void udp_prepare(uint32_t record, unsigned src_ns, const struct flow_op *op, int64_t start_ns);
void udp_end_all(void);
const char *request_check(const struct record *r, unsigned netns);
void request_prepare(const struct record *r, uint32_t i, int64_t at_ns);
void server_prepare(const struct record *r, uint32_t i, int64_t at_ns);
void server_end_all(void);

/* reading.c: sets at how many bytes a receiver wakes, which it returns. lowat: as it is now; reads: how many there
 * were; left: bytes still to come, 0: nobody knows; most: never more than this */
int reading_lowat(int fd, int lowat, uint32_t reads, uint64_t left, uint32_t most);

/* endpoint.c: one end of a TCP connection that is one of many, bound; port 0: who connects. -1 with errno */
int endpoint_tcp(unsigned ns, uint32_t addr, uint16_t port, const struct flow_op *op);
int endpoint_error(int fd); /* what has happened to it: an errno, never 0 */

/* pool.c over connection.c: what exchanges.c and stream.c use */
void pool_end_all(void);
const char *exchanges_check(const struct record *r, unsigned netns);
void exchanges_prepare(const struct record *r, uint32_t i, int64_t at_ns);
const char *stream_check(const struct record *r, unsigned netns);
void stream_prepare(const struct record *r, uint32_t i, int64_t at_ns);

/* background.c, train.c: what is measured of each transfer, of each packet */
const char *background_check(const struct record *r, unsigned netns);
void background_prepare(const struct record *r, uint32_t i, int64_t at_ns);
void background_end_all(void);
const char *train_check(const struct record *r, unsigned netns);
void train_prepare(const struct record *r, uint32_t i, int64_t at_ns);
void train_end_all(void);

/* tun.c: devices; tunnel.c, tunnel_udp.c: what passes packets on from one to another */
void tun_make(const struct record *r, uint32_t i);
int tun_open(unsigned ns, uint32_t index); /* another descriptor of it; -1 with errno */
void tun_unplug(unsigned ns, uint32_t index);
const char *tunnel_check(const struct record *r, unsigned netns);
void tunnel_prepare(const struct record *r, uint32_t i, int64_t at_ns);
void tunnel_udp_prepare(const struct record *r, uint32_t i, int64_t at_ns);
void tunnel_end_all(void); /* of UDP; those of TCP are flows */

/* view.c: what programs see of the machine */
void view_set_hosts(const struct record *r, uint32_t i);
const char *view_hosts(void);
const char *view_check_file(const struct record *r, unsigned netns);
void view_add_file(const struct record *r, uint32_t i);
int view_build(void); /* on first use; -1 with errno */

/* walls.c: what is around them, where they see a root of their own */
pid_t walls_fork(unsigned ns);
const char *walls_enter(unsigned ns, bool privileged); /* NULL, or what failed */

/* exec.c: programs in namespaces */
void exec_prepare(const struct record *r, uint32_t i, int64_t at_ns);
void exec_kill(uint32_t program);
bool exec_running(int64_t at_ns, pid_t group); /* one that began at that instant; of that group, 0: any */

/* probe.c */
const char *sample_check(const struct record *r, unsigned netns);
void sample_every(const struct record *r, uint32_t i, int64_t at_ns);
void samples_end(void);
const char *counters_check(const struct record *r, unsigned netns);
void counters_take(const struct record *r, uint32_t i, uint32_t phase, int64_t at_ns);

/* capture.c, inject.c, drops.c: packets */
const char *capture_check(const struct record *r, unsigned netns);
void capture_add(const struct record *r, uint32_t i);
void capture_finish(int64_t at_ns);
void inject_listen(const struct record *r, uint32_t i);
void inject_send(const struct record *r, uint32_t i);
void drops_watch(const struct record *r, uint32_t i);
void drops_finish(int64_t at_ns);

/* trace.c */
void trace_add(const struct record *r, uint32_t i);
void trace_start(void);
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

/* steps.c: what is done with a record, whatever its kind */
const char *step_check(const struct record *r, unsigned netns);
void step_take(const struct record *r, uint32_t i);
bool step_prepare(const struct record *r, uint32_t i, int64_t at_ns); /* false: its instant is when it is taken */
bool step_is_traffic(const struct record *r);
void step_measure(const struct record *r, uint32_t i, uint32_t phase, int64_t at_ns);

/* processes.c */
bool processes_at_work(bool (*mine)(pid_t group)); /* one of those groups runs, or the kernel has it wait */

/* order.c: of one instant the commands before the traffic */
void order_schedule(const struct program *p, bool (*traffic)(const struct record *r), void (*schedule)(uint32_t i));
void order_look(void); /* whether traffic still has to wait */
void order_end(void);

/* run.c: one program, from set-up to end; errno of writing the raw file or 0 */
int run_program(struct program *p);
#endif
