import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { withSession } from "../ground/one-session.ts";
import type { Ground } from "../ground/types.ts";
import { type Answer, ask, saying } from "./ask.ts";
import { tally } from "./figures.ts";
import { holdfast, importTown, tokenOf } from "./town.ts";
import { main, type Trial } from "./trial.ts";

const UNITS = 1_000_000;
/** Bytes of the body that are sent before the key is revoked. */
const FIRST_BYTES = 10;
/** Milliseconds after which a revoked key is refused everywhere (settlements, section 3). */
const REFUSED_WITHIN_MS = 1_000;
/** Milliseconds between two requests that queue behind the lock. */
const QUEUE_EVERY_MS = 100;
/** Milliseconds that the slow request waits for its answer after its body is complete. */
const ANSWER_MS = 15_000;
const LOCK_LOT = "select fg_id from lot join formula using (formula_id) where formula.code = $1 for update of lot";
const HELD = "select external_ref from hold where external_ref = any($1::text[])";

async function heldUnder(ground: Ground, refs: readonly string[]): Promise<string[]> {
	const { rows } = await ground.admin().query<{ external_ref: string }>(HELD, [refs]);
	return rows.map(({ external_ref: ref }) => ref);
}

async function revoke(ground: Ground, token: string): Promise<void> {
	const { code, stderr } = await holdfast(ground, "keys", "revoke", token.split(":")[0] ?? "");
	if (code !== 0) throw new Error(`keys revoke ended with ${code}: ${stderr}`);
}

/** Sends the head and first bytes of a reserve; the returned function sends the rest and returns the status. */
function beginSlowly(port: number, token: string, ref: string): () => Promise<string> {
	const body = JSON.stringify({ items: [{ sku: "A", qty: 1 }], external_ref: ref });
	const head = `POST /api/v1/reserve HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
	const socket = connect(port, "127.0.0.1");
	let received = "";
	const heard = Promise.withResolvers<void>();
	socket.on("data", (chunk: Buffer) => {
		received += chunk.toString("latin1");
		heard.resolve();
	});
	socket.on("error", () => heard.resolve());
	socket.on("close", () => heard.resolve());
	socket.write(head + body.slice(0, FIRST_BYTES));
	return async () => {
		if (socket.writable) socket.write(body.slice(FIRST_BYTES));
		await Promise.race([heard.promise, sleep(ANSWER_MS)]);
		socket.destroy();
		return /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? "no answer";
	};
}

/**
 * Reserves queue behind a locked lot while the key is revoked; the lock is released when the key must be refused
 * everywhere.
 */
async function queuedBehindLock(ground: Ground, base: string, token: string): Promise<Map<string, Answer>> {
	const asked = new Map<string, Promise<Answer>>();
	await withSession(ground.works.url, async (session) => {
		await session.query("begin");
		await session.query(LOCK_LOT, ["A"]);
		let revoked = false;
		const revoking = revoke(ground, token)
			.then(() => sleep(REFUSED_WITHIN_MS))
			.then(() => {
				revoked = true;
			});
		for (let n = 0; !revoked; n++) {
			const ref = `queued-${n}`;
			asked.set(ref, ask(base, token, "POST", "/api/v1/reserve", { items: [{ sku: "A", qty: 1 }], external_ref: ref }));
			await sleep(QUEUE_EVERY_MS);
		}
		await revoking;
		await session.query("rollback");
	});
	return new Map(await Promise.all([...asked].map(async ([ref, answer]) => [ref, await answer] as const)));
}

export const revoked: Trial = {
	name: "revoked",
	says: "a key is revoked while the body of its request is still coming, and while its requests queue behind a lock",
	numbers: { seconds: 25 },
	run: async ({ numbers, open }) => {
		const ground = await open({ nodes: 1 });
		const [node] = ground.works.nodes;
		if (node === undefined) throw new Error("a ground without nodes");
		const tokens = await importTown(ground, [{ sku: "A", lots: 1, units: UNITS }], ["slow", "queued"]);
		const slow = tokenOf(tokens, "slow");
		const finish = beginSlowly(node.plan.port, slow, "slow-body");
		await revoke(ground, slow);
		await sleep((numbers.seconds ?? 0) * 1_000);
		const slowStatus = await finish();
		const queued = await queuedBehindLock(ground, node.direct, tokenOf(tokens, "queued"));
		const granted = [...queued].filter(([, { status }]) => status === 201).map(([ref]) => ref);
		const refused = [...queued.values()].filter(({ status }) => status === 401);
		const held = await heldUnder(ground, ["slow-body", ...queued.keys()]);
		return {
			rows: [
				["the slow body was answered", slowStatus],
				["requests queued behind the lock", tally([...queued.values()].map(saying))],
				["held in the database", held.length],
			],
			promises: [
				{ what: "the slow body: 401", kept: slowStatus === "401" },
				{ what: "nothing is held for the slow body", kept: !held.includes("slow-body") },
				// all of them waited behind the lock until the key had to be refused everywhere
				{ what: "no queued request was granted", kept: granted.length === 0 },
				{ what: "requests queued when the key was revoked: 401", kept: refused.length > 0 },
				{ what: "nothing is held for queued requests", kept: held.every((ref) => ref === "slow-body") },
			],
		};
	},
};

if (import.meta.main) await main(revoked);
