import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { newWebhookSecret, signingKeyOf } from "../../src/partners/webhooks/secret.ts";
import { signedHeaders } from "../../src/partners/webhooks/sign.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { signedBy } from "./signers.ts";

/*
 * The receiver of these tests verifies every post that arrives, whatever the test checks; these tests show that it can
 * reject posts.
 */

const [old, fresh] = [newWebhookSecret(), newWebhookSecret()];
const BODY = '{"type":"order.held"}';
let receiver: Receiver;

afterEach(() => receiver.close().catch(() => undefined));

async function posted(secrets: readonly string[], at = receiver.url, sent = BODY): Promise<void> {
	const timestamp = Math.floor(Date.now() / 1_000);
	const headers = signedHeaders({ eventId: "evt_1", timestamp, body: BODY }, secrets.map(signingKeyOf));
	await fetch(at, { method: "POST", body: sent, headers });
}

describe("A receiver", () => {
	it("closes in peace when each post was signed with each secret of its endpoint", async () => {
		receiver = await openReceiver();
		signedBy(randomUUID(), receiver.url, [old]);
		await posted([old]);
		await posted([fresh, old]);
		signedBy(randomUUID(), `${receiver.url}/rotated`, [old, fresh]);
		await posted([fresh, old], `${receiver.url}/rotated`);
		expect(receiver.posts).toBe(3);
		await receiver.close();
	});

	it.each([
		["another secret signed", [old], () => posted([fresh])],
		["one secret of a rotation did not sign", [old, fresh], () => posted([fresh])],
		["the body was altered", [old], () => posted([old], receiver.url, `${BODY} `)],
		["it came to another address", [old], () => posted([old], `${receiver.url}/elsewhere`)],
		["nobody signed", [old], () => posted([])],
	])("fails its test when %s, though all else was good", async (_what, secrets, wrong) => {
		receiver = await openReceiver();
		signedBy(randomUUID(), receiver.url, secrets);
		await posted(secrets);
		await wrong();
		await posted(secrets);
		await expect(receiver.close()).rejects.toThrow("1 of 3 posts were not verified");
	});
});
