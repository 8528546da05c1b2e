import type { Registry } from "prom-client";
import type { SendingFigures } from "../../ground/lib/sending-figures.ts";
import { metricsOn } from "./figure-metrics.ts";

/** Upper bounds of the buckets of a post's duration, in seconds. */
const BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** The figures of webhooks: attempts of this node, and how sending stands on all nodes together. */
export interface WebhookMetrics {
	/** `answer`: `2xx` to `5xx`, or `none`; `delivery`: what became of the delivery; milliseconds. */
	count(answer: string, delivery: string, ms: number): void;
	/** The operator was told something of an endpoint. */
	notice(kind: string): void;
	note(figures: SendingFigures): void;
}

export function createWebhookMetrics(registry: Registry): WebhookMetrics {
	const { counter, gauge, histogram } = metricsOn(registry);
	const answered = "Attempts at deliveries, by answer and by what became of the delivery.";
	const attempts = counter("holdfast_webhook_attempts_total", answered, ["answer", "delivery"]);
	attempts.inc({ answer: "2xx", delivery: "delivered" }, 0); // a rate needs a beginning
	const seconds = histogram("holdfast_webhook_attempt_seconds", "Duration of attempts at deliveries.", BUCKETS);
	const kinds = "Notices about webhook endpoints: warning, gone, failing.";
	const notices = counter("holdfast_webhook_notices_total", kinds, ["notice"]);
	for (const notice of ["warning", "gone", "failing"]) notices.inc({ notice }, 0);
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
