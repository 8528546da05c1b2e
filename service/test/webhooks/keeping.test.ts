import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKeyRingEntry, parseKeyRing } from "../../src/partners/keys/key-ring.ts";
import { forgetOldEvents } from "../../src/partners/webhooks/forget-old-events.ts";
import { openSecret, signingKeyOf } from "../../src/partners/webhooks/secret.ts";
import { signingSecrets } from "../../src/partners/webhooks/send-sql.ts";
import { signedHeaders } from "../../src/partners/webhooks/sign.ts";
import { mint } from "../doors.ts";
import { type House, openHouse } from "../house.ts";
import { start, until } from "../processes/child.ts";
import { holdfast, type Ran } from "../processes/holdfast.ts";
import { letTimePass, recordEvents } from "./events.ts";
import { deliveriesOf, openPostOffice } from "./post-office.ts";
import { ok, openReceiver, type Receiver, status } from "./receiver.ts";
import { isAccepted, signedBy } from "./signers.ts";

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

/** The password that the service shows the mail server and nobody else. */
const MAIL_PASSWORD = `mail-${randomUUID()}`;
const CREDENTIALS = Buffer.from(`\0ops\0${MAIL_PASSWORD}`).toString("base64");

/** A mail server that accepts everything from a client with the password. */
async function openMailServer(): Promise<{ server: Server; port: number; mails: string[] }> {
	const mails: string[] = [];
	const server = createServer((socket) => {
		let mail: string | null = null;
		socket.write("220 test\r\n");
		socket.on("error", () => undefined);
		socket.on("data", (chunk) => {
			for (const line of chunk.toString("utf8").split("\r\n")) {
				if (mail !== null) {
					if (line === ".") {
						mails.push(mail);
						mail = null;
						socket.write("250 taken\r\n");
					} else mail += `${line}\n`;
				} else if (/^EHLO/i.test(line)) socket.write("250-test\r\n250 AUTH PLAIN\r\n");
				else if (line === `AUTH PLAIN ${CREDENTIALS}`) socket.write("235 welcome\r\n");
				else if (/^(MAIL|RCPT)/i.test(line)) socket.write("250 ok\r\n");
				else if (/^DATA/i.test(line)) {
					mail = "";
					socket.write("354 go on\r\n");
				} else if (/^QUIT/i.test(line)) socket.end("221 bye\r\n");
			}
		});
	});
	await new Promise<void>((resolve) => {
		server.listen(0, "127.0.0.1", resolve);
	});
	return { server, port: (server.address() as AddressInfo).port, mails };
}

let house: House;
let receiver: Receiver;
let mail: Awaited<ReturnType<typeof openMailServer>>;
let env: Record<string, string>;
const ENTRY = newKeyRingEntry();

beforeAll(async () => {
	receiver = await openReceiver(ok);
	mail = await openMailServer();
	const settings = {
		HOLDFAST_SECRET_KEYS: ENTRY,
		HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8",
		HOLDFAST_SMTP_URL: `smtp://ops:${MAIL_PASSWORD}@127.0.0.1:${mail.port}`,
		HOLDFAST_MAIL_FROM: "holdfast@example.com",
		HOLDFAST_MAIL_TO: "ops@example.com",
		HOLDFAST_LOG_LEVEL: "debug",
	};
	house = await openHouse({ processes: true, env: settings });
	const { socket } = house;
	env = { ...settings, HOLDFAST_DATABASE_URL: house.url, HOLDFAST_ADMIN_SOCKET: socket };
});
afterAll(async () => {
	await house.close();
	await receiver.close();
	mail.server.close();
});

const run = (...args: string[]) => holdfast([...args, "--json"], env);
const partner = async (): Promise<string> => {
	const { token } = await mint(house.db, parseKeyRing(ENTRY), { scopes: ["atp.webhooks"] });
	const { rows } = await house.db.query<{ name: string }>(
		"select p.name from partner p join api_key k using (partner_id) where k.pk = $1",
		[token.split(":")[0]],
	);
	return rows[0]?.name ?? "";
};

/** Registers an endpoint by the command line. */
async function add(name: string, url: string): Promise<Ran> {
	const added = await run("webhooks", "add", "--partner", name, "--environment", "live", "--url", url);
	if (added.code === 0) signedBy(added.json.endpoint_id, url, [added.json.secret]);
	return added;
}

describe("The command webhooks", () => {
	it("registers, shows, changes, tests, sends again, rotates and removes, as the API does; a running service sends", async () => {
		const name = await partner();
		const added = await add(name, receiver.url);
		expect(added.json).toMatchObject({
			url: receiver.url,
			status: "active",
			secret: expect.stringMatching(/^whsec_/) as string,
		});
		const { endpoint_id: id, secret } = added.json as { endpoint_id: string; secret: string };
		const { json: tested } = await run("webhooks", "test", id);
		await until("the test", () => receiver.arrived.find(({ headers }) => headers["webhook-id"] === tested.event_id));
		const listed = await until("the delivery", async () => {
			const { items } = (await run("webhooks", "deliveries", "--endpoint", id, "--status", "delivered")).json as {
				items: { delivery_id: string; attempts: unknown[] }[];
			};
			return items[0];
		});
		expect(listed.attempts).toMatchObject([{ status: 200 }]);
		const before = receiver.arrived.length;
		expect((await run("webhooks", "resend", listed.delivery_id)).json).toEqual({ endpoint_id: id });
		await until("it again", () => receiver.arrived.length > before);
		expect((await run("webhooks", "set", id, "--status", "inactive")).json).toMatchObject({
			inactive_reason: "operator",
		});
		expect((await run("webhooks", "test", id)).code).toBe(1);
		expect((await run("webhooks", "set", id, "--status", "active", "--types", "order.held")).json).toMatchObject({
			event_types: ["order.held"],
		});
		const { rows } = await house.db.query<{ id: string }>(
			"select partner_id as id from webhook_endpoint where endpoint_id = $1",
			[id],
		);
		await recordEvents(house.db, { partnerId: rows[0]?.id ?? "", environment: "live" }, 2);
		await until("both", () => receiver.arrived.length >= before + 3);
		expect((await run("webhooks", "recover", id, "--since", "2026-01-01T00:00:00Z")).json).toEqual({ events: 0 });
		expect((await run("webhooks", "rotate-secret", id, "--overlap-hours", "1")).json.secret).not.toBe(secret);
		expect((await run("webhooks", "endpoints")).json.items).toMatchObject([
			{ endpoint_id: id, partner: name, pending: 0 },
		]);
		expect((await run("webhooks", "remove", id)).json).toEqual({ ok: true });
		expect((await run("webhooks", "endpoints")).json.items).toEqual([]);
		expect((await run("webhooks", "set", id, "--status", "active")).code).toBe(1);
		expect((await run("webhooks", "set", "nonsense")).code).toBe(2);
		const nobody = await add("Nobody", receiver.url);
		expect([nobody.code, nobody.json.error.code]).toEqual([1, "not_found"]);
		const inside = await add(name, "http://10.0.0.1/");
		expect([inside.code, inside.json.error.message]).toEqual([1, expect.stringMatching(/^--url: /)]);
	}, 180_000);

	it("listen verifies what comes, and says what is wrong", async () => {
		const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
		const launcher = join(import.meta.dirname, "../../../cli/bin/holdfast.js");
		const child = start(process.execPath, [
			launcher,
			"webhooks",
			"listen",
			"--secret",
			secret,
			"--port",
			"0",
			"--count",
			"2",
		]);
		const [, port] = await until("it to listen", () => /127\.0\.0\.1:(\d+)/.exec(child.errors.join("\n")));
		const body = '{"type":"webhook.test"}';
		const content = { eventId: "evt_1", timestamp: Math.floor(Date.now() / 1_000), body };
		const headers = signedHeaders(content, [signingKeyOf(secret)]);
		const post = async (sent: string): Promise<number> => {
			const { status: code } = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: sent, headers });
			expect(code === 200).toBe(isAccepted(secret, { body: sent, headers }));
			return code;
		};
		expect([await post(body), await post(`${body} `)]).toEqual([200, 401]);
		expect(await child.exited).toBe(0);
		expect(child.lines.join("\n")).toMatch(/^verified {2}evt_1[\s\S]*NOT VERIFIED: no signature matches {2}evt_1/);
	});
});

describe("The operator is told", () => {
	it("before and when an endpoint is deactivated: in the log, by a metric and by mail; and no secret is among it", async () => {
		const name = await partner();
		const { json } = await add(name, `${receiver.url}?token=canary-in-the-url`);
		const { endpoint_id: id, secret } = json as { endpoint_id: string; secret: string };
		receiver.answer = status(500);
		await run("webhooks", "test", id);
		await until("a failure", async () => (await deliveriesOf(house.db, id))[0]?.attempts.length === 1);
		await letTimePass(house.db, 25 * 3_600_000);
		await until("the warning", () => mail.mails.some((one) => one.includes(" fails")));
		receiver.answer = status(410);
		await run("webhooks", "test", id);
		await until("the end", () => mail.mails.some((one) => one.includes("answered 410")));
		receiver.answer = ok;
		const [node] = house.nodes;
		const log = node?.child?.lines.join("\n") ?? "";
		expect(log).toContain("a webhook endpoint has failed for a day");
		expect(log).toContain("a webhook endpoint answered 410 and was deactivated");
		const metrics = await (await fetch(`${node?.metrics}/metrics`)).text();
		expect(metrics).toContain('holdfast_webhook_notices_total{notice="gone"} 1');
		expect(metrics).toContain('holdfast_webhook_notices_total{notice="warning"} 1');
		expect(metrics).toMatch(/holdfast_webhook_attempts_total\{answer="4xx",delivery="pending"\} 1/);
		const bytes = Buffer.from(secret.slice(6), "base64");
		for (const text of [log, metrics, ...mail.mails]) {
			for (const canary of [secret, secret.slice(6), bytes.toString("hex"), "canary-in-the-url"])
				expect(text).not.toContain(canary);
		}
	}, 180_000);
});

describe("secrets rekey", () => {
	it("moves every secret of webhooks to the current entry, says which keys use an old one, and what nobody can read", async () => {
		const name = await partner();
		const { json } = await add(name, receiver.url);
		const { endpoint_id: id, secret } = json as { endpoint_id: string; secret: string };
		const fresh = newKeyRingEntry();
		const [newId = "", oldId = ""] = [fresh, ENTRY].map((entry) => entry.split(":")[0] ?? "");
		const rekey = (ring: string) => holdfast(["secrets", "rekey", "--json"], { ...env, HOLDFAST_SECRET_KEYS: ring });
		// a ring under which no stored secret was created is refused at once
		expect((await rekey(fresh)).json.error.message).toContain(`the entry ${oldId}, which is not in the key ring`);
		const done = (await rekey(`${fresh},${ENTRY}`)).json as {
			rekeyed: number;
			unreadable: number;
			uses: { ring_id: string; webhook_secrets: number; key_secrets: number; keys: string[]; in_ring: boolean }[];
		};
		expect(done.rekeyed).toBeGreaterThan(0);
		expect(done.unreadable).toBe(0);
		expect(done.uses.find(({ ring_id }) => ring_id === newId)).toMatchObject({
			webhook_secrets: done.rekeyed,
			key_secrets: 0,
		});
		const old = done.uses.find(({ ring_id }) => ring_id === oldId);
		expect(old).toMatchObject({ webhook_secrets: 0, in_ring: true });
		expect(old?.keys.length).toBe(old?.key_secrets);
		const [sealed] = await signingSecrets(house.db, id);
		expect(sealed && openSecret(parseKeyRing(fresh), sealed)).toBe(secret);
		expect((await rekey(`${fresh},${ENTRY}`)).json.rekeyed).toBe(0);
		// the node has only the old ring: it counts no attempt, and logs the problem
		await run("webhooks", "test", id);
		await until("the log", () => house.nodes[0]?.child?.lines.some((line) => line.includes("events cannot be signed")));
		expect((await deliveriesOf(house.db, id))[0]).toMatchObject({ status: "pending", attempts: [] });
		await rekey(`${ENTRY},${fresh}`);
	}, 180_000);
});

describe("What is kept", () => {
	it("events are forgotten after their time but for the fact; what waits is not touched", async () => {
		const office = openPostOffice(house.db, house.url, 1_000);
		const { endpoint, partnerId } = await office.endpoint("http://127.0.0.1:9/");
		const live = { partnerId, environment: "live" } as const;
		const [done = "", waits = "", young = ""] = [
			...(await recordEvents(house.db, live, 1)),
			...(await recordEvents(house.db, live, 1)),
			...(await recordEvents(house.db, live, 1)),
		];
		await house.db.query(
			"update webhook_endpoint set sender = gen_random_uuid(), sending_until = now() + interval '50 seconds' where endpoint_id = $1",
			[endpoint.endpointId],
		);
		await house.db.query(
			"update webhook_delivery set status = 'delivered', next_attempt_at = null, settled_at = now() where event_id = any($1)",
			[[done, young]],
		);
		await house.db.query(
			"update webhook_delivery set status = 'pending', next_attempt_at = now(), settled_at = null where event_id = $1",
			[waits],
		);
		await house.db.query(
			"update event set created_at = now() - $2 * interval '1 millisecond' where event_id = any($1)",
			[[done, waits], 31 * DAY_MS],
		);
		await forgetOldEvents(house.db, 30, never);
		const { rows } = await house.db.query<{ id: string; pruned: boolean; body: string }>(
			"select event_id as id, pruned_at is not null as pruned, body from event where event_id = any($1)",
			[[done, waits, young]],
		);
		const of = (id: string) => rows.find((row) => row.id === id);
		expect([of(done)?.pruned, of(waits)?.pruned, of(young)?.pruned]).toEqual([true, false, false]);
		expect(of(done)?.body).not.toContain("cart");
		expect(JSON.parse(of(waits)?.body ?? "")).toMatchObject({ type: "order.held" });
		expect((await deliveriesOf(house.db, endpoint.endpointId)).map(({ eventId }) => eventId)).toEqual([waits, young]);
		expect(await forgetOldEvents(house.db, 30, never)).toBe(0);
	});

	it("old events behind a thousand that wait are forgotten, and more than one statement takes", async () => {
		const { endpoint, partnerId } = await openPostOffice(house.db, house.url, 1_000).endpoint("http://127.0.0.1:9/");
		await house.db.query(
			`with old as (
			   insert into event (event_id, seq, partner_id, environment, type, created_at, body)
			   select 'evt_old' || n, 1000000 + n, $1, 'live', 'webhook.test', now() - interval '31 days', '{}'
			   from generate_series(1, 2500) n returning seq, event_id)
			 insert into webhook_delivery (endpoint_id, seq, event_id, next_attempt_at)
			 select $2, seq, event_id, now() + interval '1 hour' from old where seq <= 1001200`,
			[partnerId, endpoint.endpointId],
		);
		expect(await forgetOldEvents(house.db, 30, never)).toBe(1_300);
		const { rows } = await house.db.query("select count(*)::int as waiting from event where event_id like 'evt_old%'");
		expect(rows).toEqual([{ waiting: 1_200 }]);
	});
});
