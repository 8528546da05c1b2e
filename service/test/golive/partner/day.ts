import { setTimeout as sleep } from "node:timers/promises";
import type { Checkout } from "./checkout.ts";
import type { Client } from "./client.ts";
import type { Shop } from "./shop.ts";
import type { Wrong } from "./wrong.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Milliseconds between two refreshes, and between two while the key is refused. */
const REFRESH_MS = 3 * MINUTE_MS;
const REFUSED_MS = MINUTE_MS;
/** Milliseconds between two questions whether a go-live of the key has begun. */
const ASK_RUN_MS = 15 * SECOND_MS;
/** Milliseconds until the messages of the run are over: the repeat comes half a minute after the others. */
const MESSAGES_MS = 75 * SECOND_MS;
/** Milliseconds from the beginning of one rehearsal to that of the next. */
const REHEARSE_MS = 7 * MINUTE_MS;
/** Milliseconds until the drill begins; before it, without a sale; and for the drill and what follows it. */
const DRILL_AT_MS = 26 * MINUTE_MS;
const QUIET_MS = 5 * MINUTE_MS;
const DRILL_MS = 18 * MINUTE_MS;
/** Milliseconds between two visitors in an unkind hour. */
const VISITOR_MS = 5 * SECOND_MS;
/** Milliseconds between two requests of a partner that polls too fast. */
const TOO_FAST_MS = 700;

export interface Day {
	readonly client: Client;
	readonly shop: Shop;
	readonly checkout: Checkout;
	readonly wrong: Wrong | null;
	/** Whether it also asks for an unkind hour. */
	readonly unkind: boolean;
}

/** Keeps the mirror fresh, for ever, and tells the run what the shop shows. */
export async function keepMirror({ client, shop }: Pick<Day, "client" | "shop">): Promise<never> {
	for (;;) {
		await sleep(client.refused() ? REFUSED_MS : REFRESH_MS);
		await shop.refresh();
		await client.send({ method: "POST", url: "/api/v1/sandbox/shown", body: shop.shown() });
	}
}

/** Waits for a go-live of the key, and then does everything that it asks for, and goes on selling. */
export async function goLive(day: Day): Promise<never> {
	const { client, shop, wrong, unkind } = day;
	while ((await client.send({ method: "GET", url: "/api/v1/sandbox/golive" })).status !== 200) await sleep(ASK_RUN_MS);
	const begun = performance.now();
	await client.ask(start("messages"));
	await sleep(MESSAGES_MS);
	if (wrong === "polls-too-fast") void pollTooFast(client);
	if (unkind) {
		await client.ask(start("unkind"));
		void sell(day, begun);
	}
	let isDrilled = false;
	for (let round = 1; ; round++) {
		const next = performance.now() + REHEARSE_MS;
		await rehearse(day, `cart-${round}`);
		await shop.refresh();
		await sleep(Math.max(0, next - performance.now()));
		if (isDrilled || performance.now() - begun < DRILL_AT_MS - QUIET_MS) continue;
		isDrilled = true;
		await sleep(begun + DRILL_AT_MS - performance.now());
		await client.ask(start("drill"));
		await sleep(DRILL_MS);
	}
}

const start = (what: string) => ({ method: "POST", url: "/api/v1/sandbox/golive/drill", body: { what } }) as const;

/** Each step of a checkout once. */
async function rehearse({ checkout }: Day, name: string): Promise<void> {
	const hold = async (ref: string, sku: string, minutes = 30): Promise<string> =>
		(await checkout.reserve(ref, sku, 1, { minutes })).token ?? "";
	// the reply was lost: the same again
	await hold(`${name}-lost`, "SBX-LOW");
	await checkout.release(await hold(`${name}-lost`, "SBX-LOW"));
	await hold(`${name}-left`, "SBX-LOW", 1);
	await checkout.reserveOrEnd(`${name}-out`, "SBX-OUT");
	await checkout.reserveOrEnd(`${name}-again`, "SBX-RETRY");
	await checkout.order(`${name}-cancelled`, await hold(`${name}-cancelled`, "SBX-PLENTY"));
	await checkout.cancel(`${name}-cancelled`);
	await checkout.consume(`${name}-undone`, await hold(`${name}-undone`, "SBX-PLENTY"));
	await checkout.reverse(`${name}-undone`);
	for (let sold = 0; sold < 2; sold++) {
		await checkout.consume(`${name}-sold-${sold}`, await hold(`${name}-sold-${sold}`, "SBX-PLENTY"));
	}
	await checkout.order(`${name}-sent`, await hold(`${name}-sent`, "SBX-PLENTY"));
	await checkout.follow(`${name}-sent`);
	await checkout.fill(`${name}-large`);
}

/** One visitor after the other takes something into the cart and leaves, but for the time around the drill. */
async function sell({ client, checkout }: Day, begun: number): Promise<never> {
	for (let visitor = 1; ; visitor++) {
		await sleep(VISITOR_MS);
		const since = performance.now() - begun;
		if (client.refused() || (since > DRILL_AT_MS - QUIET_MS && since < DRILL_AT_MS + DRILL_MS)) continue;
		const { token } = await checkout.reserve(`visitor-${visitor}`, "SBX-PLENTY", 1);
		if (token !== null) await checkout.release(token);
	}
}

async function pollTooFast(client: Client): Promise<never> {
	for (;;) {
		await sleep(TOO_FAST_MS);
		await client.send({ method: "GET", url: "/api/v1/inventory?sku=SBX-LOW" });
	}
}
