import type { Command } from "commander";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { DEFAULT_EVENT_TYPES } from "../../../service/src/partners/webhooks/endpoint.ts";
import { DEFAULT_SECRET_OVERLAP_HOURS } from "../../../service/src/partners/webhooks/limits.ts";
import { callOperator, type DataOfCall, type ItemOf, listItems } from "../client/operator-client.ts";
import { addListen } from "../offline/webhooks-listen.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, instant, limitOption, uuid, within } from "../terminal/options.ts";
import { listed, print, tableOf } from "../terminal/output.ts";

const { environment: ENVIRONMENTS, event_types: EVENT_TYPES } = FIELDS.make_endpoint;
const { status: ENDPOINT_STATUSES } = FIELDS.list_endpoints;
const { status: DELIVERY_STATUSES } = FIELDS.list_deliveries;
type EventType = (typeof EVENT_TYPES)[number];
const DEFAULT_TYPES = DEFAULT_EVENT_TYPES.join(",");

/** Deliveries shown by default. */
const DEFAULT_LIMIT = 50;
const ENDPOINT_HINT = { not_found: `${quotedCommand("webhooks endpoints")} shows them all.` } as const;
const DELIVERY_HINT = { not_found: `${quotedCommand("webhooks deliveries")} shows them.` } as const;
const PARTNER_HINT = { not_found: `${quotedCommand("keys list")} names the partners.` } as const;

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

interface EndpointsOptions extends JsonOption {
	readonly partner?: string;
	readonly environment?: (typeof ENVIRONMENTS)[number];
	readonly status?: (typeof ENDPOINT_STATUSES)[number];
}

function addEndpoints(group: Command): void {
	addCommand(group, "endpoints", "every endpoint, the newest first; never a secret", "webhooks endpoints --json")
		.option("--partner <name>", "only those of this partner")
		.option("--environment <live|sandbox>", "only those of this environment", choice(...ENVIRONMENTS))
		.option("--status <active|inactive>", "only those of this status", choice(...ENDPOINT_STATUSES))
		.action(async ({ json, ...query }: EndpointsOptions) => {
			const list = await listItems("list_endpoints", query);
			print(list, json, () => (list.items.length === 0 ? "No endpoints." : endpointTable(list.items)));
		});
}

const endpointTable = (endpoints: readonly ItemOf<"list_endpoints">[]): string =>
	tableOf(endpoints, {
		PARTNER: "partner",
		ENVIRONMENT: "environment",
		STATUS: ({ inactive_reason: why }) => (why === null ? "active" : `inactive: ${why}`),
		"FAILING SINCE": "failing_since",
		WAITING: "pending",
		TYPES: (one) => one.event_types.join(", "),
		URL: "url",
		ENDPOINT: "endpoint_id",
	});

interface DeliveriesOptions extends JsonOption {
	readonly endpoint?: string;
	readonly status?: (typeof DELIVERY_STATUSES)[number];
	readonly limit?: number;
}

function addDeliveries(group: Command): void {
	addCommand(
		group,
		"deliveries",
		"deliveries with their attempts, the newest first",
		"webhooks deliveries --status pending",
	)
		.option("--endpoint <id>", "only those of this endpoint", uuid)
		.option("--status <status>", `only these: ${DELIVERY_STATUSES.join(", ")}`, choice(...DELIVERY_STATUSES))
		.option(...limitOption(DEFAULT_LIMIT, "maximum number of rows", 10_000))
		.action(async ({ endpoint, status, limit = DEFAULT_LIMIT, json }: DeliveriesOptions) => {
			const list = await listItems("list_deliveries", { endpoint_id: endpoint, status }, limit);
			print(list, json, () => listed(list, "No deliveries.", "--endpoint or --status", deliveryTable));
		});
}

const deliveryTable = (deliveries: readonly ItemOf<"list_deliveries">[]): string =>
	tableOf(deliveries, {
		RECORDED: "created_at",
		TYPE: "type",
		STATUS: "status",
		ATTEMPTS: ({ attempts }) => attempts.length,
		"LAST ANSWER": ({ attempts }) => {
			const last = attempts.at(-1);
			return last === undefined ? null : (last.error ?? `${last.status}: ${last.response_excerpt ?? ""}`);
		},
		"NEXT ATTEMPT": "next_attempt_at",
		DELIVERY: "delivery_id",
	});

interface AddOptions extends JsonOption {
	readonly partner: string;
	readonly environment: (typeof ENVIRONMENTS)[number];
	readonly url: string;
	readonly types?: EventType[];
	readonly description?: string;
}

const types = (text: string): EventType[] => text.split(",").map(choice(...EVENT_TYPES));

function addAdd(group: Command): void {
	addCommand(
		group,
		"add",
		"register an endpoint for a partner; the secret is shown once",
		"webhooks add --partner Acme --environment live --url https://shop.example.com/holdfast",
	)
		.requiredOption("--partner <name>", "the partner's name")
		.requiredOption("--environment <live|sandbox>", "live or sandbox", choice(...ENVIRONMENTS))
		.requiredOption("--url <url>", "where events are sent; https")
		.option("--types <type,…>", `types of events, of ${EVENT_TYPES.join(",")} (${DEFAULT_TYPES})`, types)
		.option("--description <text>", "a description, for your own lists")
		.action(async ({ partner, environment, url, types: event_types, description, json }: AddOptions) => {
			const body = { partner, environment, url, event_types, description };
			printSecret(await callOperator("make_endpoint", { body }, PARTNER_HINT), json);
		});
}

const printSecret = (endpoint: DataOfCall<"make_endpoint">, json: true | undefined): void =>
	print(endpoint, json, () =>
		[
			`Endpoint ${endpoint.endpoint_id} gets the events ${endpoint.event_types.join(", ")} at ${endpoint.url}.`,
			"The secret is shown only this once: hand it to the partner.",
			"",
			`  ${endpoint.secret}`,
		].join("\n"),
	);

interface SetOptions extends JsonOption {
	readonly url?: string;
	readonly types?: EventType[];
	readonly description?: string;
	readonly status?: (typeof ENDPOINT_STATUSES)[number];
	readonly reason?: string;
}

const REASON = ["--reason <text>", "the reason, for the audit log"] as const;

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
		.option("--status <active|inactive>", "inactive: no events are sent to it", choice(...ENDPOINT_STATUSES))
		.option(...REASON)
		.action(async (id: string, { types: event_types, json, ...fields }: SetOptions) => {
			const asked = { params: { id: uuid(id) }, body: { ...fields, event_types } };
			const changed = await callOperator("change_endpoint", asked, ENDPOINT_HINT);
			print(changed, json, () => `Endpoint ${changed.endpoint_id} is ${changed.status}, at ${changed.url}.`);
		});
}

function addRotateSecret(group: Command): void {
	const hours = FIELDS.rotate_endpoint_secret.overlap_hours;
	addCommand(
		group,
		"rotate-secret <endpoint>",
		"give an endpoint a new secret; older ones also sign for a while",
		"webhooks rotate-secret 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d --overlap-hours 48",
	)
		.option(
			"--overlap-hours <n>",
			`hours for which older ones also sign (${DEFAULT_SECRET_OVERLAP_HOURS})`,
			within(hours),
		)
		.option(...REASON)
		.action(async (id: string, { overlapHours: overlap_hours, reason, json }: RotateOptions) => {
			const asked = { params: { id: uuid(id) }, body: { overlap_hours, reason } };
			printSecret(await callOperator("rotate_endpoint_secret", asked, ENDPOINT_HINT), json);
		});
}

interface RotateOptions extends JsonOption {
	readonly overlapHours?: number;
	readonly reason?: string;
}

function addRemove(group: Command): void {
	addCommand(
		group,
		"remove <endpoint>",
		"delete an endpoint and its secrets",
		"webhooks remove 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d",
	).action(async (id: string, { json }: JsonOption) => {
		const deleted = await callOperator("delete_endpoint", { params: { id: uuid(id) } }, ENDPOINT_HINT);
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
		const sent = await callOperator("test_endpoint", { params: { id: uuid(id) } }, ENDPOINT_HINT);
		print(sent, json, () => `${sent.event_id} will be sent.`);
	});
}

function addResend(group: Command): void {
	addCommand(
		group,
		"resend <delivery>",
		"send one delivery again, whatever its status",
		"webhooks resend 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d",
	).action(async (id: string, { json }: JsonOption) => {
		const sent = await callOperator("resend_delivery", { params: { id: uuid(id) } }, DELIVERY_HINT);
		print(sent, json, () => "It will be sent again.");
	});
}

function addRecover(group: Command): void {
	addCommand(
		group,
		"recover <endpoint>",
		"send the undelivered events since a given time again",
		"webhooks recover 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d --since 2026-11-20T00:00:00Z",
	)
		.requiredOption("--since <time>", "the time", instant)
		.action(async (id: string, { since, json }: JsonOption & { since: Date }) => {
			const asked = { params: { id: uuid(id) }, body: { since: since.toISOString() } };
			const recovered = await callOperator("recover_endpoint", asked, ENDPOINT_HINT);
			print(recovered, json, () => `${recovered.events} events will be sent again.`);
		});
}
