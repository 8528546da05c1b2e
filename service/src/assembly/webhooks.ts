import type { Config } from "../config.ts";
import { draw } from "../ground/lib/ids.ts";
import type { Log } from "../ground/lib/log.ts";
import { throttled } from "../ground/lib/throttled.ts";
import type { Traces } from "../ground/lib/traces.ts";
import type { Database } from "../ground/pg/connect.ts";
import type { Metrics } from "../partners/http/metrics.ts";
import type { KeyRing } from "../partners/keys/key-ring.ts";
import { allowedNetworks } from "../partners/webhooks/address-rules.ts";
import { createDispatcher, type Dispatcher } from "../partners/webhooks/dispatcher.ts";
import { createLookUp } from "../partners/webhooks/look-up.ts";
import { createMailer, type SendMail } from "../partners/webhooks/mail-notice.ts";
import { hostOf, NOTICE_LINES } from "../partners/webhooks/notice.ts";
import { CONTRACT_POLICY, type PostOutcome } from "../partners/webhooks/policy.ts";
import { createPoster, type PosterOptions } from "../partners/webhooks/post.ts";
import { postTraced } from "../partners/webhooks/post-traced.ts";
import { createUrlRules, type UrlRules } from "../partners/webhooks/refuse-url.ts";
import { openSecret } from "../partners/webhooks/secret.ts";
import type { Tally } from "../upkeep/series/tally.ts";

/** Database connections of one node for its webhook senders. */
export const WEBHOOK_CONNECTIONS = 5;

/** Everything that is needed to send events. */
export interface Webhooks {
	readonly dispatcher: Dispatcher;
	/** The addresses that may be posted to. */
	readonly urls: UrlRules;
	readonly note: Metrics["webhooks"]["note"];
	/** Sends the operator's mails; null: no mail server is configured. */
	readonly mail: SendMail | null;
	/** Starts no further post; resolves within seconds. */
	stop(): Promise<void>;
}

interface WebhookParts {
	readonly db: Database;
	readonly ring: KeyRing;
	readonly log: Log;
	readonly metrics: Metrics;
	/** Counts attempts for figures over time. */
	readonly tally: Tally;
	/** Null: nothing is traced. Absent: the same. */
	readonly traces?: Traces | null;
}

type HookConfig = Pick<Config, "webhookAllow" | "mail">;

export const urlRulesOf = ({ webhookAllow }: Pick<Config, "webhookAllow">): UrlRules =>
	createUrlRules({ allowed: allowedNetworks(webhookAllow), lookUp: createLookUp() });

/** `posting`: settings that tests override. */
export function openWebhooks(
	config: HookConfig,
	{ db, ring, log, metrics, tally, traces = null }: WebhookParts,
	posting: Omit<Partial<PosterOptions>, "allowed"> = {},
): Webhooks {
	const urls = urlRulesOf(config);
	const poster = createPoster({ ...urls, ...posting });
	const mail = createMailer(config.mail);
	const failed = throttled((error, count) => log.warn("webhook sender failed, retrying", { count }, error));
	const unsigned = throttled((endpoint, count) => {
		log.error("events cannot be signed: the key ring lacks the entry of a webhook's secret", {
			endpoint: String(endpoint),
			count,
		});
	});
	const dispatcher = createDispatcher({
		db,
		poster: traces === null ? poster : postTraced(poster, traces),
		draw,
		policy: CONTRACT_POLICY,
		mails: mail !== null,
		onFailure: failed,
		onUnsigned: unsigned,
		open: (secrets) => secrets.flatMap((sealed) => openSecret(ring, sealed) ?? []),
		count: (outcome, { endpointId, to, ms }) => {
			metrics.webhooks.count(answerOf(outcome), to, ms);
			tally.add("deliveries", to, endpointId);
		},
		tell: ({ endpointId, url, what }) => {
			metrics.webhooks.notice(what);
			log.warn(NOTICE_LINES[what], {
				endpoint: endpointId,
				address: hostOf(url),
			});
		},
	});
	metrics.gauge(
		"holdfast_webhook_sending_endpoints",
		"Endpoints that this node is sending to.",
		() => dispatcher.sending,
	);
	return {
		dispatcher,
		urls,
		mail,
		note: metrics.webhooks.note,
		async stop() {
			await dispatcher.stop();
			await poster.close();
		},
	};
}

/** The class of an outcome, as the metrics count it. */
const answerOf = (outcome: PostOutcome): string =>
	outcome.kind === "answered" ? `${Math.floor(outcome.status / 100)}xx` : "none";
