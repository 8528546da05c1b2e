import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type Environment, SANDBOX_BRAND, SCOPES, type Scope } from "../../src/glossary.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { until } from "../processes/child.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { signedBy } from "./signers.ts";

export const COA_URL = "https://coa.example.com";
export const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

/** An endpoint with a receiver of its own. */
export interface Post {
	readonly id: string;
	/** A key of its partner and environment. */
	readonly token: string;
	readonly receiver: Receiver;
	/** What has arrived there, each verified by the independent library. */
	arrived(): Told[];
}
export interface Told {
	readonly id: string;
	readonly type: string;
	readonly timestamp: string;
	readonly environment: string;
	readonly data: { readonly [name: string]: unknown };
}

/** What has arrived but for the tests that were requested. */
export const untested = (post: Post): Told[] => post.arrived().filter(({ type }) => type !== "webhook.test");

/** A service that posts to receivers of this machine, and what its operator and its partners do. */
export interface Stage {
	readonly house: House;
	/** A key with every scope unless the request says otherwise; its token. */
	mint(partner: string, environment: Environment, scopes?: readonly Scope[]): Promise<string>;
	/** An endpoint that chose these types; without them, one that chose none. */
	endpoint(token: string, event_types?: readonly string[]): Promise<Post>;
	/** Sends every endpoint a test, and waits until it and everything recorded before has arrived. */
	settle(posts: readonly Post[]): Promise<void>;
	/** The reply of the operator's API, which must be a success. */
	operate(operation: Operation, params: { readonly [name: string]: string }, body?: object): Promise<unknown>;
	/** Closes the receivers of a test. */
	clear(): Promise<void>;
	/** Ends the service, whose database must be in order. */
	close(): Promise<void>;
}

/** `env`: settings of the service besides its own. */
export async function openStage(env: Record<string, string> = {}): Promise<Stage> {
	const store = await mkdtemp(join(tmpdir(), "holdfast-coa-store-"));
	const house = await openHouse({
		env: { HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8", HOLDFAST_COA_STORE: store, HOLDFAST_COA_URL: COA_URL, ...env },
	});
	const { socket } = house;
	const receivers: Receiver[] = [];
	return {
		house,
		async mint(partner, environment, scopes = SCOPES) {
			const isSandbox = environment === "sandbox";
			const bound = isSandbox ? { environment, brandCode: SANDBOX_BRAND, sharedPool: false } : {};
			return (await house.mint({ partner, scopes, ...bound })).token;
		},
		async endpoint(token, event_types) {
			const receiver = await openReceiver();
			receivers.push(receiver);
			const body = { url: receiver.url, ...(event_types === undefined ? {} : { event_types }) };
			const { endpoint_id: id, secret } = (await house.call(token, "/api/v1/webhook-endpoints", { body })).json.data;
			signedBy(id, receiver.url, [secret]);
			const arrived = (): Told[] =>
				receiver.arrived.map((post) => ({
					...(receiver.verify(secret, post) as Told),
					id: post.headers["webhook-id"] ?? "",
				}));
			return { id, token, receiver, arrived };
		},
		async settle(posts) {
			for (const { id, token, arrived } of posts) {
				const { json } = await house.call(token, `/api/v1/webhook-endpoints/${id}/test`, { method: "POST" });
				const waiting = "select from webhook_delivery where endpoint_id = $1 and status = 'pending'";
				await until("the test", () => arrived().some((one) => one.id === json.data.event_id));
				await until("all that waits", async () => (await house.db.query(waiting, [id])).rows.length === 0);
			}
		},
		async operate(operation, params, body = {}) {
			const { status, json } = await operate({ socket }, operation, { params, body });
			expect(status, JSON.stringify(json)).toBe(200);
			return json.data;
		},
		async clear() {
			for (const receiver of receivers.splice(0)) await receiver.close();
		},
		async close() {
			expect(await verify(house.db)).toMatchObject({ ok: true, differences: [] });
			await house.close();
			await rm(store, { recursive: true, force: true });
		},
	};
}
