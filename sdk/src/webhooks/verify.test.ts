import { readFileSync } from "node:fs";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { MAX_BODY_BYTES } from "./body.ts";
import { WebhookError } from "./error.ts";
import { signaturesOf } from "./sign.ts";
import { type VerifyOptions, verifyWebhook, type WebhookRequest } from "./verify.ts";

interface Case {
	readonly name: string;
	readonly valid: boolean;
	readonly now: number;
	readonly secrets: readonly string[];
	readonly id: string;
	readonly timestamp: string;
	readonly signature: string;
	readonly body: string;
}

const { cases } = JSON.parse(
	readFileSync(new URL("../../../fixtures/webhook-signatures.json", import.meta.url), "utf8"),
) as { cases: Case[] };

const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString("base64")}`;
const [SECRET, OTHER] = [secretOf(1), secretOf(2)];
const NOW = 1_788_696_000;
const at = (seconds: number): VerifyOptions => ({ clock: { now: () => seconds * 1_000 } });
const BODY = '{"type":"webhook.test","timestamp":"2026-09-06T12:00:00.000Z","data":{"endpoint_id":"€ 1"}}';

type Headers3 = Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>;

/** Headers by the independent library. */
const signed = (body: string, secrets = [SECRET], id = "evt_1", seconds = NOW): Headers3 => ({
	"webhook-id": id,
	"webhook-timestamp": String(seconds),
	"webhook-signature": secrets.map((one) => new Webhook(one).sign(id, new Date(seconds * 1_000), body)).join(" "),
});

/** The code of the refusal; null: the delivery was accepted. */
async function refusalOf(
	request: unknown,
	secret: unknown = SECRET,
	options: VerifyOptions = at(NOW),
): Promise<string | null> {
	try {
		await verifyWebhook(request as WebhookRequest, secret as string, options);
		return null;
	} catch (error) {
		if (error instanceof WebhookError) return error.code;
		throw error;
	}
}

describe("A signature", () => {
	it.each(cases.map((one) => [one.name, one] as const))("%s: is judged as the fixture says", async (_name, one) => {
		const headers = {
			"webhook-id": one.id,
			"webhook-timestamp": one.timestamp,
			"webhook-signature": one.signature,
		};
		const refusal = await refusalOf({ headers, body: one.body }, one.secrets, at(one.now));
		expect(refusal === null).toBe(one.valid);
	});

	it("that the independent library made is accepted, whatever the body, the id and the order of signatures", async () => {
		const bodies = fc.json().map((data) => `{"type":"order.shipped","data":${data}}`);
		const ids = fc.string({ minLength: 1, unit: "grapheme-ascii" }).filter((id) => id.trim() === id && id !== "");
		const signers = fc.shuffledSubarray([1, 2, 3, 4, 5].map(secretOf), { minLength: 1 });
		await fc.assert(
			fc.asyncProperty(bodies, ids, signers, fc.nat(), async (body, id, secrets, pick) => {
				const known = [secretOf(9), secrets[pick % secrets.length]];
				const event = await verifyWebhook({ headers: signed(body, secrets, id), body }, known as string[], at(NOW));
				expect(event.id).toBe(id);
			}),
		);
	});

	it("that is made here is accepted by the independent library", async () => {
		await fc.assert(
			fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (text) => {
				const body = JSON.stringify({ type: text });
				const seconds = String(Math.floor(Date.now() / 1_000));
				const [signature = ""] = await signaturesOf("evt_1", seconds, Buffer.from(body), SECRET);
				const headers = { "webhook-id": "evt_1", "webhook-timestamp": seconds, "webhook-signature": signature };
				expect(new Webhook(SECRET).verify(body, headers)).toEqual({ type: text });
			}),
		);
	});

	it("is refused when any bit of the body is flipped", async () => {
		const headers = signed(BODY);
		await fc.assert(
			fc.asyncProperty(fc.nat(Buffer.byteLength(BODY) - 1), fc.nat(7), async (index, bit) => {
				const body = Buffer.from(BODY);
				body[index] = (body[index] ?? 0) ^ (1 << bit);
				expect(await refusalOf({ headers, body })).toBe("signature_mismatch");
			}),
		);
	});

	it("is refused when any bit of a header is flipped", async () => {
		const headers = signed(BODY);
		const flips = (Object.keys(headers) as (keyof Headers3)[]).flatMap((name) =>
			[...headers[name]].flatMap((_, index) => [0, 1, 2, 3, 4, 5, 6].map((bit) => ({ name, index, bit }))),
		);
		for (const { name, index, bit } of flips) {
			const text = headers[name];
			const flipped = String.fromCharCode(text.charCodeAt(index) ^ (1 << bit));
			const changed = { ...headers, [name]: text.slice(0, index) + flipped + text.slice(index + 1) };
			expect(await refusalOf({ headers: changed, body: BODY })).not.toBeNull();
		}
		expect(flips.length).toBeGreaterThan(300);
	});

	it("is refused when it is cut or prolonged", async () => {
		const headers = signed(BODY);
		const signature = headers["webhook-signature"];
		for (const changed of [`${signature}=`, `x${signature}`, signature.slice(0, -1), signature.slice(1), "v1,", ","]) {
			const given = { ...headers, "webhook-signature": changed };
			expect(await refusalOf({ headers: given, body: BODY })).toBe("signature_mismatch");
		}
	});

	it("is refused when the body is cut or prolonged anywhere", async () => {
		const headers = signed(BODY);
		await fc.assert(
			fc.asyncProperty(fc.nat(BODY.length - 1), fc.string({ minLength: 1 }), async (index, more) => {
				expect(await refusalOf({ headers, body: BODY.slice(0, index) })).toBe("signature_mismatch");
				expect(await refusalOf({ headers, body: `${BODY}${more}` })).toBe("signature_mismatch");
			}),
		);
	});
});

describe("The time of a delivery", () => {
	it.each([
		[-301, "timestamp_out_of_tolerance"],
		[-300, null],
		[0, null],
		[300, null],
		[301, "timestamp_out_of_tolerance"],
	])("%i seconds old: %s", async (age, refusal) => {
		expect(await refusalOf({ headers: signed(BODY), body: BODY }, SECRET, at(NOW + age))).toBe(refusal);
	});

	it("may differ by toleranceMs, and a tolerance that is no number accepts nothing", async () => {
		const delivery = { headers: signed(BODY), body: BODY };
		const within = (toleranceMs: number) => refusalOf(delivery, SECRET, { ...at(NOW + 10), toleranceMs });
		expect(await within(10_000)).toBeNull();
		expect(await within(9_999)).toBe("timestamp_out_of_tolerance");
		expect(await within(Number.NaN)).not.toBeNull();
	});

	it.each(["", "now", "1e9", "-1", "1788696000.5", " 1788696000"])("must be whole seconds: %j", async (timestamp) => {
		const headers = { ...signed(BODY), "webhook-timestamp": timestamp };
		expect(await refusalOf({ headers, body: BODY })).toBe(timestamp === "" ? "header_missing" : "timestamp_invalid");
	});

	it("is compared with the system's clock when no other is given", async () => {
		const headers = signed(BODY, [SECRET], "evt_1", Math.floor(Date.now() / 1_000));
		expect(await refusalOf({ headers, body: BODY }, SECRET, {})).toBeNull();
	});
});

describe("The headers", () => {
	it.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("%s is needed", async (name) => {
		const headers = { ...signed(BODY), [name]: undefined };
		const failing = verifyWebhook({ headers, body: BODY }, SECRET, at(NOW));
		await expect(failing).rejects.toThrow(`The header ${name} is missing.`);
	});

	it("may have names in any case, be arrays, or be the Headers of the web", async () => {
		const given = signed(BODY, [OTHER, SECRET]);
		const upper = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toUpperCase(), value]));
		const arrays = { ...given, "webhook-signature": given["webhook-signature"].split(" ") };
		for (const headers of [given, upper, arrays, new Headers(given)]) {
			expect(await refusalOf({ headers, body: BODY })).toBeNull();
		}
	});
});

describe("The body", () => {
	const headers = signed(BODY);
	const bytes = new TextEncoder().encode(BODY);
	async function* chunks() {
		for (const byte of bytes) yield Uint8Array.of(byte);
	}
	const request = (body: string | Uint8Array<ArrayBuffer> | null = BODY): Request =>
		new Request("https://shop.example.com/", { method: "POST", headers, body });

	it("may be text, bytes, a part of a buffer, an ArrayBuffer, a stream, or that of a Request", async () => {
		const part = Buffer.concat([Buffer.from("before"), bytes, Buffer.from("after")]).subarray(6, 6 + bytes.length);
		for (const body of [BODY, bytes, part, bytes.buffer, chunks(), request().body]) {
			expect(await refusalOf({ headers, body })).toBeNull();
		}
		expect(await refusalOf(request())).toBeNull();
	});

	it.each([
		["an object", { type: "webhook.test" }],
		["an empty object", {}],
		["an array", []],
		["undefined", undefined],
		["a number", 7],
	])("%s is refused, and the message says what to do", async (_name, body) => {
		const failing = verifyWebhook({ headers, body } as unknown as WebhookRequest, SECRET, at(NOW));
		await expect(failing).rejects.toThrow(
			/express\.raw\(.*before express\.json\(\).*parseAs.*c\.req\.arrayBuffer\(\).*request\.text\(\)/,
		);
		expect(await refusalOf({ headers, body })).toBe("body_not_raw");
	});

	it("of a Request that was read before is refused with the same message", async () => {
		const read = request();
		await read.json();
		expect(await refusalOf(read)).toBe("body_not_raw");
	});

	it("that is absent is no valid one", async () => {
		expect(await refusalOf(request(null))).toBe("signature_mismatch");
	});

	it("may have 1 MiB and no byte more", async () => {
		const largest = `{"type":"order.shipped","data":{"ref":"${"x".repeat(MAX_BODY_BYTES - 42)}"}}`;
		expect(largest.length).toBe(MAX_BODY_BYTES);
		const headers = signed(largest);
		for (const body of [largest, Buffer.from(largest), new Response(largest).body]) {
			expect(await refusalOf({ headers, body })).toBeNull();
		}
		const more = `${largest} `;
		for (const body of [more, Buffer.from(more), Uint8Array.from(Buffer.from(more)).buffer]) {
			expect(await refusalOf({ headers: signed(more), body })).toBe("body_too_large");
		}
		const announced = { ...signed(BODY), "content-length": String(MAX_BODY_BYTES + 1) };
		expect(await refusalOf({ headers: announced, body: BODY })).toBe("body_too_large");
	});

	it("that has no end is read no further than it may", async () => {
		let sent = 0;
		let isCancelled = false;
		const endless = new ReadableStream<Uint8Array>({
			pull: (controller) => {
				sent += 65_536;
				controller.enqueue(new Uint8Array(65_536));
			},
			cancel: () => {
				isCancelled = true;
			},
		});
		expect(await refusalOf({ headers, body: endless })).toBe("body_too_large");
		expect(isCancelled).toBe(true);
		expect(sent).toBeLessThan(2 * MAX_BODY_BYTES);
	});

	it.each(["", "null", "7", "[", '"type"', "{}", "[1]", '{"type":7}'])("%j, signed, is no event", async (body) => {
		expect(await refusalOf({ headers: signed(body), body })).toBe("body_invalid");
	});
});

describe("The secret", () => {
	const delivery = { headers: signed(BODY), body: BODY };

	it("may be several, in an array or in one text with blanks", async () => {
		const accepted = [SECRET, [OTHER, SECRET], `${OTHER} ${SECRET}`, `${SECRET}\n`, [`${OTHER} `, SECRET]];
		for (const secret of accepted) expect(await refusalOf(delivery, secret)).toBeNull();
		expect(await refusalOf(delivery, [OTHER, secretOf(3)])).toBe("signature_mismatch");
	});

	it.each([
		["an unset variable", undefined],
		["null", null],
		["empty", ""],
		["a blank", " "],
		["no secrets", []],
		["an unset variable in an array", [undefined]],
		["the token of a key", "pk_hf_live_x:sk_hf_live_y"],
		["only the prefix", "whsec_"],
		["not base64", "whsec_a"],
		["letters that base64 does not have", "whsec_ä==="],
		["without its prefix", SECRET.slice(6)],
		["with something before it", `x${SECRET}`],
		["one of two", [SECRET, "x"]],
	])("%s: is refused, and not repeated in the message", async (_name, secret) => {
		await expect(verifyWebhook(delivery, secret as string, at(NOW))).rejects.toMatchObject({
			code: "secret_invalid",
			message: "The secret must be the whsec_… that was shown for the endpoint. Is its environment variable set?",
		});
	});
});
