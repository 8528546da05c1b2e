import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";

/** Maximum bytes of the entry, minified and compressed. */
const MAX_BYTES = 2_000;

async function bundle(entry: string, format: "es" | "iife"): Promise<string> {
	const build = await rolldown({ input: join(import.meta.dirname, entry) });
	const { output } = await build.generate({ format, name: "kit", minify: true });
	await build.close();
	return output[0].code;
}

it("The entry has at most 2 kB, minified and compressed, and an adapter a quarter more", async () => {
	expect(gzipSync(await bundle("index.ts", "es")).length).toBeLessThanOrEqual(MAX_BYTES);
	for (const entry of ["express.ts", "fastify.ts", "hono.ts", "next.ts"]) {
		expect(gzipSync(await bundle(entry, "es")).length, entry).toBeLessThanOrEqual(MAX_BYTES * 1.25);
	}
});

it("The entry needs nothing but globals of the web", async () => {
	const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
	const body = '{"type":"webhook.test","timestamp":"2026-09-06T12:00:00.000Z","data":{}}';
	const now = new Date();
	const headers = {
		"Webhook-Id": "evt_1",
		"Webhook-Timestamp": String(Math.floor(now.getTime() / 1_000)),
		"Webhook-Signature": new Webhook(secret).sign("evt_1", now, body),
	};
	const context = createContext({ crypto, TextEncoder, TextDecoder, atob, btoa, given: { headers, body, secret } });
	runInContext(await bundle("index.ts", "iife"), context);
	const result = (await runInContext(
		`(async () => {
			const { verifyWebhook, WebhookError, once, memorySeen } = kit;
			const event = await verifyWebhook(given, given.secret);
			const handle = once(memorySeen());
			const ran = [await handle(event, () => {}), await handle(event, () => {})];
			const bytes = new TextEncoder().encode(given.body).buffer;
			await verifyWebhook({ headers: given.headers, body: bytes }, given.secret);
			const refused = await verifyWebhook({ headers: given.headers, body: "{}" }, given.secret).catch((error) => error);
			return JSON.stringify([event, ran, refused instanceof WebhookError, refused.code]);
		})()`,
		context,
	)) as string;
	expect(JSON.parse(result)).toEqual([
		{ id: "evt_1", type: "webhook.test", timestamp: "2026-09-06T12:00:00.000Z", data: {} },
		[true, false],
		true,
		"signature_mismatch",
	]);
});
