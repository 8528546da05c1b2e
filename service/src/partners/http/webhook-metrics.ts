import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { SendingFigures } from "../../ground/lib/sending-figures.ts";

/** Upper bounds of a post's duration, in seconds. */
const BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** Metrics of webhooks: attempts of this node, and the state of delivery on all nodes together. */
export interface WebhookMetrics {
	/** `answer`: `2xx` to `5xx`, or `none`; `delivery`: the resulting state of the delivery; `ms`: milliseconds. */
	count(answer: string, delivery: string, ms: number): void;
	/** The operator was notified about an endpoint. */
	notice(kind: string): void;
	note(figures: SendingFigures): void;
}

export function createWebhookMetrics(registry: Registry): WebhookMetrics {
	const registers = [registry];
	const attempts = new Counter({
		name: "holdfast_webhook_attempts_total",
		help: "Attempts at deliveries, by answer and by what became of the delivery.",
		labelNames: ["answer", "delivery"],
		registers,
	});
	attempts.inc({ answer: "2xx", delivery: "delivered" }, 0); // a rate needs an initial value
	const seconds = new Histogram({
		name: "holdfast_webhook_attempt_seconds",
		help: "Duration of attempts at deliveries.",
		buckets: BUCKETS,
		registers,
	});
	const notices = new Counter({
		name: "holdfast_webhook_notices_total",
		help: "Notices about webhook endpoints: warning, gone, failing.",
		labelNames: ["notice"],
		registers,
	});
	for (const notice of ["warning", "gone", "failing"]) notices.inc({ notice }, 0);
	const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers });
	const gauges = {
		pending: gauge("holdfast_webhook_pending_deliveries", "Events that wait for an endpoint."),
		due: gauge("holdfast_webhook_due_deliveries", "Those of them whose time has come."),
		oldestSeconds: gauge("holdfast_webhook_oldest_undelivered_seconds", "Age of the oldest event that waits."),
		lateSeconds: gauge("holdfast_webhook_late_seconds", "How late the most overdue attempt is."),
		deactivated: gauge(
			"holdfast_webhook_deactivated_endpoints",
			"Endpoints that were deactivated for what they answered.",
		),
		failing: gauge("holdfast_webhook_failing_endpoints", "Active endpoints whose last attempt failed."),
	};
	return {
		count(answer, delivery, ms) {
			attempts.inc({ answer, delivery });
			seconds.observe(ms / 1_000);
		},
		notice: (notice) => notices.inc({ notice }),
		note(figures) {
			for (const [name, one] of Object.entries(gauges)) one.set(Math.max(0, figures[name as keyof typeof gauges]));
		},
	};
}
