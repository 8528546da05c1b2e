import { expect } from "vitest";
import {
	ChangeWebhookEndpoint,
	CreateWebhookEndpoint,
	DeleteWebhookEndpoint,
	GetWebhookEndpoint,
	ListWebhookDeliveries,
	ListWebhookEndpoints,
	RecoverWebhookEvents,
	ResendWebhookDelivery,
	RotateWebhookSecret,
	TestWebhookEndpoint,
} from "../../src/partners/webhooks/contract.ts";
import { deliveredTo } from "../webhooks/events.ts";
import { told } from "./told.ts";
import { neverIssued, type World } from "./world.ts";

/** A public address to which nothing is posted: no event is recorded for this endpoint. */
const SOMEWHERE = "https://93.184.216.34/hooks";
/** The requests about an endpoint that is named in the path. */
const NAMING = [
	[GetWebhookEndpoint, undefined],
	[ChangeWebhookEndpoint, { description: "mine now" }],
	[DeleteWebhookEndpoint, undefined],
	[RotateWebhookSecret, {}],
	[TestWebhookEndpoint, undefined],
	[ListWebhookDeliveries, undefined],
	[RecoverWebhookEvents, { since: "2026-01-01T00:00:00Z" }],
] as const;

type Cases = (stranger: string, key: string) => Promise<void>;

/**
 * How another partner requests the owner's endpoint. Endpoints belong to a partner and an environment, so the partner's
 * other keys may see them.
 */
export function webhookCases(means: () => { readonly world: World; readonly owner: string }): Record<string, Cases> {
	let made: Promise<string> | null = null;
	const ownersEndpoint = (): Promise<string> => {
		const { world, owner } = means();
		made ??= world.call(CreateWebhookEndpoint, owner, { url: SOMEWHERE }).then(({ data }) => data.endpoint_id);
		return made;
	};
	const maySee = (stranger: string): boolean => stranger.startsWith("same partner") && !stranger.includes("sandbox");
	const naming = NAMING.map(([operation, given]): [string, Cases] => [
		operation.id,
		async (stranger, key) => {
			if (maySee(stranger)) return;
			const ask = async (endpoint_id: string) =>
				told(await means().world.send(operation, key, given, { params: { endpoint_id } }));
			const nobodys = await ask(neverIssued());
			expect(nobodys.status).toBe(404);
			expect(await ask(await ownersEndpoint())).toEqual(nobodys);
		},
	]);
	let delivered: Promise<string> | null = null;
	const ownersDelivery = async (): Promise<string> => {
		const id = await ownersEndpoint();
		delivered ??= deliveredTo(means().world.db, id);
		return await delivered;
	};
	return {
		...Object.fromEntries(naming),
		// neither the owner's endpoint, nor the owner's delivery as one of the stranger's own endpoint
		[ResendWebhookDelivery.id]: async (stranger, key) => {
			const { world } = means();
			const ask = async (endpoint_id: string, delivery_id: string) =>
				told(await world.send(ResendWebhookDelivery, key, undefined, { params: { endpoint_id, delivery_id } }));
			const theirs = await ownersDelivery();
			const own = (await world.call(CreateWebhookEndpoint, key, { url: SOMEWHERE })).data.endpoint_id;
			const nobodys = await ask(own, neverIssued());
			expect(nobodys.status).toBe(404);
			expect(await ask(own, theirs)).toEqual(nobodys);
			if (maySee(stranger)) return;
			expect(await ask(await ownersEndpoint(), theirs)).toEqual(await ask(neverIssued(), neverIssued()));
		},
		// registers an endpoint of its own, even if the owner has one at the same address
		[CreateWebhookEndpoint.id]: async (_stranger, key) => {
			await ownersEndpoint();
			const { status } = await means().world.send(CreateWebhookEndpoint, key, { url: SOMEWHERE });
			expect(status).toBe(201);
		},
		[ListWebhookEndpoints.id]: async (stranger, key) => {
			if (maySee(stranger)) return;
			const id = await ownersEndpoint();
			const { text } = await means().world.send(ListWebhookEndpoints, key, undefined);
			expect(text).not.toContain(id);
		},
	};
}
