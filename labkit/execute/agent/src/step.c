/* One record of a program carried out: during set-up at once, later at its instant. Flows, programs and
 * samples are not here: they are prepared before the epoch (run.c). SPDX: MIT */
#include "agent.h"

void step(const struct record *r, uint32_t i)
{
	const uint8_t *body = payload(r);
	size_t size = payload_size(r);
	const char *text = (const char *)body;

	switch (r->type) {
	case P_NETNS:
		if (netns_make(r->ns, text) < 0)
			run_fail(i, 0, errno, "cannot make the network namespace %s", text);
		break;
	case P_NETLINK:
		netlink_send(i, r->ns, (const void *)body, body + sizeof(struct netlink_op), size - sizeof(struct netlink_op));
		break;
	case P_SYSCTL:
		sysctl_write(i, r->ns, text, text + strlen(text) + 1);
		break;
	case P_SEED:
		seed_kernel(i, body, size);
		break;
	case P_MODULE:
		module_load(i, text);
		break;
	case P_OFFLOAD: {
		int wrong = offloads_off(r->ns, text);
		if (wrong)
			run_fail(i, 0, wrong, "cannot turn off the offloads of %s", text);
		break;
	}
	case P_HOSTS:
		hosts_set(body, size);
		break;
	case P_TRACE: {
		const char *event = text + sizeof(struct trace_op);
		trace_add(i, (const void *)body, event, event + strlen(event) + 1);
		break;
	}
	case P_CAPTURE:
		capture_add(i, r->ns, (const void *)body);
		break;
	case P_LISTEN:
		listen_on(i, r->ns, ((const struct capture_op *)(const void *)body)->interface);
		break;
	case P_DROPS:
		drops_watch(i, (const void *)body);
		break;
	case P_SEND:
		inject(i, r->ns, (const void *)body, body + sizeof(struct send_op), size - sizeof(struct send_op));
		break;
	default:
		break;
	}
}
