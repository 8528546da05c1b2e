import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type House, openHouse } from "../house.ts";
import { type Child, killAll, until } from "../processes/child.ts";

/** Seconds that the stop is announced; long enough for many requests of each partner. */
const DELAY_SECONDS = 2;
/** Timers may fire a little early. */
const TIMER_SLACK_MS = 20;
const PARTNERS = 4;

let house: House | undefined;
afterEach(async () => {
	await killAll();
	await house?.close();
	house = undefined;
});

/** A house whose one node is a real process, with plenty of a SKU. */
async function openNode(env: Record<string, string>): Promise<{ here: House; child: Child; token: string }> {
	const here = await openHouse({ processes: true, env });
	house = here;
	await here.stock({ PLENTY: 1_000_000 });
	const child = here.nodes[0]?.child;
	if (!child) throw new Error("the node has a process");
	return { here, child, token: (await here.mint()).token };
}

const reserveBody = (external_ref: string): object => ({ items: [{ sku: "PLENTY", qty: 1 }], external_ref });

interface Traffic {
	/** References that were answered 201. */
	readonly granted: string[];
	/** The times, in milliseconds, of requests without a connection or an answer, and the answers other than 201. */
	readonly failedAt: number[];
	readonly others: number[];
	/** Resolves when the service accepts no more requests. */
	readonly over: Promise<unknown>;
}

/** Partners that reserve, each on its keep-alive connection, until the service no longer answers. */
function reserveUntilRefused(api: string, token: string): Traffic {
	const granted: string[] = [];
	const failedAt: number[] = [];
	const others: number[] = [];
	const partner = async (name: string): Promise<void> => {
		for (let n = 0; ; n++) {
			const external_ref = `${name}-${n}`;
			try {
				const response = await fetch(`${api}/api/v1/reserve`, {
					method: "POST",
					headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
					body: JSON.stringify(reserveBody(external_ref)),
				});
				await response.text();
				if (response.status === 201) granted.push(external_ref);
				else others.push(response.status);
			} catch {
				failedAt.push(performance.now());
				return;
			}
			await sleep(5);
		}
	};
	const over = Promise.all(Array.from({ length: PARTNERS }, (_, at) => partner(`partner-${at}`)));
	return { granted, failedAt, others, over };
}

test("a stop is announced: /readyz answers 503 at once, requests are served for the delay, then none is taken and none is torn", async () => {
	const { here, child, token } = await openNode({ HOLDFAST_STOP_DELAY_SECONDS: String(DELAY_SECONDS) });
	const traffic = reserveUntilRefused(here.api, token);
	await until("requests under way", () => traffic.granted.length > 20);
	expect((await fetch(`${here.api}/readyz`)).status).toBe(200);

	const signalledAt = performance.now();
	child.process.kill("SIGTERM");
	await until("the signal to be seen", () => child.errors.some((line) => line.startsWith("SIGTERM")));
	const grantedBefore = traffic.granted.length;
	expect((await fetch(`${here.api}/readyz`)).status).toBe(503);
	expect((await fetch(`${here.nodes[0]?.coa}/readyz`)).status).toBe(503);
	expect((await fetch(`${here.api}/livez`)).status).toBe(200);

	expect(await child.exited).toBe(0);
	await traffic.over;
	expect(traffic.others).toEqual([]);
	expect(traffic.granted.length).toBeGreaterThan(grantedBefore + 20);
	expect(Math.min(...traffic.failedAt)).toBeGreaterThan(signalledAt + DELAY_SECONDS * 1_000 - TIMER_SLACK_MS);
	await expect(fetch(`${here.api}/livez`)).rejects.toThrow("fetch failed");
	const { rows } = await here.db.query<{ external_ref: string }>("select external_ref from hold");
	expect(rows.map((row) => row.external_ref).toSorted()).toEqual(traffic.granted.toSorted());
});

test("a second signal ends an announced stop at once", async () => {
	const { here, child } = await openNode({ HOLDFAST_STOP_DELAY_SECONDS: "3600" });
	child.process.kill("SIGTERM");
	await until("the announcement", async () => (await fetch(`${here.api}/readyz`)).status === 503);
	await sleep(1_200); // signals closer together are one
	child.process.kill("SIGTERM");
	expect(await child.exited).toBe(1);
});
