import type { Command } from "commander";
import type { Environment } from "../../../service/src/glossary.ts";
import { isRefusal, type Refusal, refuse } from "../../../service/src/ground/lib/refusal.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { DELIVERY_STATUSES, type DeliveryStatus } from "../../../service/src/partners/webhooks/delivery.ts";
import type { ListedDelivery } from "../../../service/src/partners/webhooks/delivery-sql.ts";
import {
	type ChosenEventType,
	type Endpoint,
	endpointReply,
	ORDER_EVENT_TYPES,
} from "../../../service/src/partners/webhooks/endpoint.ts";
import type { ListedEndpoint } from "../../../service/src/partners/webhooks/endpoint-sql.ts";
import {
	DEFAULT_SECRET_OVERLAP_HOURS,
	MAX_SECRET_OVERLAP_HOURS,
} from "../../../service/src/partners/webhooks/limits.ts";
import { type Context, granted, withStore } from "../offline/context.ts";
import { addListen } from "../offline/webhooks-listen.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, instant, limitOption, uuid, wholeNumber } from "../terminal/options.ts";
import { print, snake, table } from "../terminal/output.ts";

/** Deliveries shown by default. */
const DEFAULT_LIMIT = 50;
const ENDPOINT_HINT = { not_found: `${quotedCommand("webhooks endpoints")} shows them all.` } as const;
const DELIVERY_HINT = { not_found: `${quotedCommand("webhooks deliveries")} shows them.` } as const;

export function addWebhooks(program: Command): void {
	const group = program.command("webhooks").description("the addresses that events are sent to, and the deliveries");
	addEndpoints(group);
	addDeliveries(group);
	addAdd(group);
	addSet(group);
	addRotateSecret(group);
	addRemove(group);
	addTest(group);
	addResend(group);
	addRecover(group);
	addListen(group);
}

/** The dependencies of changing endpoints. */
async function partsOf({ agreed, db, ring }: Context) {
	const { urlRulesOf } = await import("../../../service/src/assembly/webhooks.ts");
	return { db, ring: await ring(), urls: urlRulesOf(await agreed("HOLDFAST_WEBHOOK_ALLOW")) };
}

/** Rewrites a refusal about a member of a document so that it names the option that was typed. */
const byOption = <T>(answer: T | Refusal): T | Refusal =>
	isRefusal(answer) ? refuse(answer.refusal, answer.message.replace(/^\/url: /, "--url: ")) : answer;

function addEndpoints(group: Command): void {
	addCommand(group, "endpoints", "every endpoint; never a secret", "webhooks endpoints --json").action(
		async ({ json }: JsonOption) => {
			const { selectAllEndpoints } = await import("../../../service/src/partners/webhooks/endpoint-sql.ts");
			const { rows } = await withStore(({ db }) => selectAllEndpoints(db));
			print({ items: rows.map(toItem) }, json, () => (rows.length === 0 ? "No endpoints." : endpointTable(rows)));
		},
	);
}

const toItem = (endpoint: ListedEndpoint) => ({
	...endpointReply(endpoint),
	partner: endpoint.partner,
	environment: endpoint.environment,
	failing_since: endpoint.failingSince === null ? null : new Date(endpoint.failingSince).toISOString(),
	pending: endpoint.pending,
});

const endpointTable = (endpoints: readonly ListedEndpoint[]): string =>
	table(
		["PARTNER", "ENVIRONMENT", "STATUS", "FAILING SINCE", "WAITING", "TYPES", "URL", "ENDPOINT"],
		endpoints.map((one) => [
			one.partner,
			one.environment,
			one.inactiveReason === null ? "active" : `inactive: ${one.inactiveReason}`,
			one.failingSince === null ? null : new Date(one.failingSince).toISOString(),
			one.pending,
			one.eventTypes.join(", "),
			one.url,
			one.endpointId,
		]),
	);

function addDeliveries(group: Command): void {
	addCommand(
		group,
		"deliveries",
		"deliveries with their attempts, the newest first",
		"webhooks deliveries --status pending",
	)
		.option("--endpoint <id>", "only those of this endpoint", uuid)
		.option("--status <status>", `only these: ${DELIVERY_STATUSES.join(", ")}`, choice(...DELIVERY_STATUSES))
		.option(...limitOption(DEFAULT_LIMIT, "maximum rows", 10_000))
		.action(async (options: JsonOption & { endpoint?: string; status?: DeliveryStatus; limit?: number }) => {
			const { selectNewestDeliveries } = await import("../../../service/src/partners/webhooks/delivery-sql.ts");
			const { endpoint = null, status = null, limit = DEFAULT_LIMIT, json } = options;
			const { rows } = await withStore(({ db }) => selectNewestDeliveries(db, endpoint, status, limit));
			print({ items: snake(rows) }, json, () => (rows.length === 0 ? "No deliveries." : deliveryTable(rows)));
		});
}

const deliveryTable = (deliveries: readonly ListedDelivery[]): string =>
	table(
		["RECORDED", "TYPE", "STATUS", "ATTEMPTS", "LAST ANSWER", "NEXT ATTEMPT", "DELIVERY"],
		deliveries.map(({ createdAt, type, status, attempts, nextAttemptAt, deliveryId }) => {
			const last = attempts.at(-1);
			const answer = last === undefined ? null : (last.error ?? `${last.status}: ${last.response_excerpt ?? ""}`);
			return [createdAt.toISOString(), type, status, attempts.length, answer, nextAttemptAt?.toISOString(), deliveryId];
		}),
	);

interface AddOptions extends JsonOption {
	readonly partner: string;
	readonly environment: Environment;
	readonly url: string;
	readonly types?: readonly ChosenEventType[];
	readonly description?: string;
}

const types = (text: string): ChosenEventType[] => text.split(",").map(choice(...ORDER_EVENT_TYPES));

function addAdd(group: Command): void {
	addCommand(
		group,
		"add",
		"register an endpoint for a partner; the secret is shown once",
		"webhooks add --partner Acme --environment live --url https://shop.example.com/holdfast",
	)
		.requiredOption("--partner <name>", "the partner's name")
		.requiredOption("--environment <live|sandbox>", "live or sandbox", choice("live", "sandbox"))
		.requiredOption("--url <url>", "where events are sent; https")
		.option("--types <type,…>", `types of events (${ORDER_EVENT_TYPES.join(",")})`, types)
		.option("--description <text>", "a description, for your own lists")
		.action(async ({ partner, environment, url, types: eventTypes, description, json }: AddOptions) => {
			const { createEndpoint } = await import("../../../service/src/partners/webhooks/create-endpoint.ts");
			const { selectPartner } = await import("../../../service/src/partners/webhooks/endpoint-sql.ts");
			const made = await withStore(async (context) => {
				const partnerId = await selectPartner(context.db, partner);
				const owner = { partnerId: partnerId ?? "00000000-0000-0000-0000-000000000000", environment };
				const answer = await createEndpoint(await partsOf(context), owner, { url, eventTypes, description });
				return granted(byOption(answer), { not_found: `${quotedCommand("keys list")} names the partners.` });
			});
			printSecret(made.endpoint, made.secret, json);
		});
}

const printSecret = (endpoint: Endpoint, secret: string, json: true | undefined): void =>
	print({ ...endpointReply(endpoint), secret }, json, () =>
		[
			`Endpoint ${endpoint.endpointId} is sent ${endpoint.eventTypes.join(", ")} at ${endpoint.url}.`,
			"The secret is shown only this once: hand it to the partner.",
			"",
			`  ${secret}`,
		].join("\n"),
	);

interface SetOptions extends JsonOption {
	readonly url?: string;
	readonly types?: readonly ChosenEventType[];
	readonly description?: string;
	readonly status?: "active" | "inactive";
}

function addSet(group: Command): void {
	addCommand(
		group,
		"set <endpoint>",
		"change an endpoint",
		"webhooks set 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d --status active",
	)
		.option("--url <url>", "where events are sent; https")
		.option("--types <type,…>", "types of events", types)
		.option("--description <text>", "a description, for your own lists")
		.option("--status <active|inactive>", "inactive: no events are sent to it", choice("active", "inactive"))
		.action(async (id: string, { url, types: eventTypes, description, status, json }: SetOptions) => {
			const { changeEndpoint } = await import("../../../service/src/partners/webhooks/change-endpoint.ts");
			const changed = await withStore(async (context) =>
				granted(
					byOption(
						await changeEndpoint(
							await partsOf(context),
							null,
							uuid(id),
							{ url, eventTypes, description, status },
							"operator",
						),
					),
					ENDPOINT_HINT,
				),
			);
			const reply = endpointReply(changed);
			print(reply, json, () => `Endpoint ${reply.endpoint_id} is ${reply.status}, at ${reply.url}.`);
		});
}

function addRotateSecret(group: Command): void {
	addCommand(
		group,
		"rotate-secret <endpoint>",
		"give an endpoint a new secret; older ones sign too for a while",
		"webhooks rotate-secret 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d --overlap-hours 48",
	)
		.option(
			"--overlap-hours <n>",
			`hours for which older ones sign too (${DEFAULT_SECRET_OVERLAP_HOURS})`,
			wholeNumber(0, MAX_SECRET_OVERLAP_HOURS),
		)
		.action(async (id: string, { overlapHours, json }: JsonOption & { overlapHours?: number }) => {
			const { rotateSecret } = await import("../../../service/src/partners/webhooks/rotate-secret.ts");
			const rotated = await withStore(async (context) =>
				granted(await rotateSecret(await partsOf(context), null, uuid(id), overlapHours), ENDPOINT_HINT),
			);
			printSecret(rotated.endpoint, rotated.secret, json);
		});
}

function addRemove(group: Command): void {
	addCommand(
		group,
		"remove <endpoint>",
		"delete an endpoint and its secrets",
		"webhooks remove 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d",
	).action(async (id: string, { json }: JsonOption) => {
		const { deleteEndpoint } = await import("../../../service/src/partners/webhooks/delete-endpoint.ts");
		const deleted = await withStore(async ({ db }) => granted(await deleteEndpoint(db, null, uuid(id)), ENDPOINT_HINT));
		print(deleted, json, () => "Deleted.");
	});
}

function addTest(group: Command): void {
	addCommand(
		group,
		"test <endpoint>",
		"send a test event; a running service sends it",
		"webhooks test 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d",
	).action(async (id: string, { json }: JsonOption) => {
		const { sendTest } = await import("../../../service/src/partners/webhooks/send-test.ts");
		const sent = await withStore(async ({ db }) => granted(await sendTest(db, null, uuid(id)), ENDPOINT_HINT));
		print(snake(sent), json, () => `${sent.eventId} will be sent.`);
	});
}

function addResend(group: Command): void {
	addCommand(
		group,
		"resend <delivery>",
		"send one delivery again, whatever its status",
		"webhooks resend 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d",
	).action(async (id: string, { json }: JsonOption) => {
		const { resend } = await import("../../../service/src/partners/webhooks/recover.ts");
		const sent = await withStore(async ({ db }) => granted(await resend(db, uuid(id)), DELIVERY_HINT));
		print(snake(sent), json, () => "It will be sent again.");
	});
}

function addRecover(group: Command): void {
	addCommand(
		group,
		"recover <endpoint>",
		"send again the events since a time that were not delivered",
		"webhooks recover 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d --since 2026-11-20T00:00:00Z",
	)
		.requiredOption("--since <time>", "the time", instant)
		.action(async (id: string, { since, json }: JsonOption & { since: Date }) => {
			const { recover } = await import("../../../service/src/partners/webhooks/recover.ts");
			const { events } = await withStore(async ({ db }) =>
				granted(await recover(db, null, uuid(id), since), ENDPOINT_HINT),
			);
			print({ events }, json, () => `${events} events will be sent again.`);
		});
}
