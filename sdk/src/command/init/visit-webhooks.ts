import { HoldfastError } from "../../client/errors.ts";
import type { Holdfast } from "../../client/holdfast.ts";
import type { WebhookEndpointWithSecret } from "../../client/types.ts";
import { thereAre } from "../terminal.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import type { Tour } from "./tour.ts";
import { all } from "./visit-counts.ts";

const WITH_ENDPOINT = [
	"webhookEndpoints.get",
	"webhookEndpoints.update",
	"webhookEndpoints.rotateSecret",
	"webhookEndpoints.test",
	"webhookEndpoints.deliveries",
	"webhookEndpoints.resend",
	"webhookEndpoints.recover",
	"webhookEndpoints.delete",
] as const;
const NEEDS_ADDRESS =
	'Not tried: an endpoint needs a public https address, such as that of a tunnel to "holdfast-partner webhooks listen".';
const MS_PER_HOUR = 3_600_000;

/** Endpoints of webhooks. One is registered during the tour if the service can reach this machine. */
export async function visitWebhooks(tour: Tour, holdfast: Holdfast, isHere: boolean): Promise<void> {
	const endpoints = await tour.visit(
		"webhookEndpoints.list",
		"Lists the addresses that your events are sent to.",
		() => all(holdfast.webhookEndpoints.list()),
		(items) => thereAre(items.length, "endpoint"),
	);
	if (endpoints === undefined || !isHere) {
		const why = endpoints === undefined ? "Not tried: your key may not have endpoints." : NEEDS_ADDRESS;
		return tour.skip(why, "webhookEndpoints.create", ...WITH_ENDPOINT);
	}
	const receiver = await openReceiver();
	try {
		const endpoint = await holdfast.webhookEndpoints.create({
			url: receiver.url,
			description: "holdfast-partner init",
		});
		await visitEndpoint(tour, holdfast, receiver, endpoint);
	} catch (error) {
		// an address that is not public, or one endpoint too many
		if (!(error instanceof HoldfastError) || error.status < 400 || error.status >= 500 || error.status === 401)
			throw error;
		tour.skip(`${NEEDS_ADDRESS} ${error.message}`, "webhookEndpoints.create", ...WITH_ENDPOINT);
	} finally {
		await receiver.close();
	}
}

/** Everything that can be done with an endpoint, which is deleted in the end. */
async function visitEndpoint(
	tour: Tour,
	holdfast: Holdfast,
	receiver: Receiver,
	endpoint: WebhookEndpointWithSecret,
): Promise<void> {
	const { endpointId: id } = endpoint;
	receiver.secrets.push(endpoint.secret);
	let isDeleted = false;
	try {
		await tour.visit(
			"webhookEndpoints.create",
			"Registers an address; its secret is shown this once.",
			() => Promise.resolve(endpoint),
			({ url }) => `${url} was registered.`,
		);
		await visitSettings(tour, holdfast, receiver, id);
		await visitDeliveries(tour, holdfast, receiver, id);
		const deleted = await tour.visit(
			"webhookEndpoints.delete",
			"Deletes an endpoint and its secrets.",
			() => holdfast.webhookEndpoints.delete(id),
			() => "It is gone.",
		);
		isDeleted = deleted !== undefined;
	} finally {
		if (!isDeleted) await tour.undo("webhookEndpoints.delete", () => holdfast.webhookEndpoints.delete(id));
	}
}

async function visitSettings(
	tour: Tour,
	{ webhookEndpoints }: Holdfast,
	receiver: Receiver,
	id: string,
): Promise<void> {
	await tour.visit(
		"webhookEndpoints.get",
		"Reads an endpoint.",
		() => webhookEndpoints.get(id),
		({ status }) => `It was ${status}.`,
	);
	await tour.visit(
		"webhookEndpoints.update",
		"Changes its address, its event types or its status.",
		() => webhookEndpoints.update(id, { eventTypes: ["order.shipped"] }),
		({ eventTypes }) => `Its event types are now ${eventTypes.join(", ")}.`,
	);
	const rotated = await tour.visit(
		"webhookEndpoints.rotateSecret",
		"Gives it a new secret; the older one signs too for a day.",
		() => webhookEndpoints.rotateSecret(id),
		() => "Both sign now.",
	);
	if (rotated !== undefined) receiver.secrets.push(rotated.secret);
}

async function visitDeliveries(
	tour: Tour,
	{ webhookEndpoints }: Holdfast,
	receiver: Receiver,
	id: string,
): Promise<void> {
	await tour.visit(
		"webhookEndpoints.test",
		"Sends it a test event.",
		async () => {
			await webhookEndpoints.test(id);
			return await receiver.next();
		},
		(verdict) => `It ${verdict}.`,
	);
	const deliveries = await tour.visit(
		"webhookEndpoints.deliveries",
		"Lists what was sent to it, with every attempt.",
		() => all(webhookEndpoints.deliveries(id)),
		(items) => thereAre(items.length, "delivery", "deliveries"),
	);
	const sent = deliveries?.[0]?.deliveryId;
	if (sent === undefined) tour.skip("Not tried: it needs a delivery.", "webhookEndpoints.resend");
	else {
		await tour.visit(
			"webhookEndpoints.resend",
			"Sends a delivery again, under the id of its event.",
			() => webhookEndpoints.resend(id, sent),
			() => "It is sent again.",
		);
	}
	await tour.visit(
		"webhookEndpoints.recover",
		"Sends again what was not delivered since a given time, for example after an outage of your site.",
		() => webhookEndpoints.recover(id, { since: new Date(Date.now() - MS_PER_HOUR) }),
		({ events }) => thereAre(events, "undelivered event"),
	);
}
