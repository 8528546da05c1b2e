/** Partners: clients that each send one request after the other and repeat it where the contract allows. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../chance.ts";
import { type Exchange, outcomeOf } from "../history.ts";
import { type Credential, KEYS } from "../rooms/keys/workload.ts";
import type { Ask, Operation } from "../rooms/room.ts";
import type { Scene } from "./scene.ts";

/** Maximum number of attempts at one request, over about half a minute. */
const MOST_ATTEMPTS = 12;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 3_000;
/** Milliseconds before a client without anything to do tries again. */
const IDLE_MS = 20;
/** Share of repeatable requests that are sent to two nodes at the same time, as by a client that retries too soon. */
const SENT_TWICE = 0.03;

let groups = 0;

/** A client of a partner; runs until the scene is over. */
export async function livePartner(
	scene: Scene,
	credential: Credential,
	operations: readonly Operation[],
	chance: Chance,
): Promise<void> {
	while (!scene.over) {
		const done = await doOne(scene, credential, operations, chance);
		if (!done || scene.pace.thinkMs > 0) await sleep(done ? scene.pace.thinkMs : IDLE_MS);
	}
}

/** A client that uses the keys of guests. */
export async function liveGuest(scene: Scene, operations: readonly Operation[], chance: Chance): Promise<void> {
	while (!scene.over) {
		const tried = scene.knows.of(KEYS).tried(performance.now());
		if (tried.length === 0 || !(await doOne(scene, chance.pick(tried), operations, chance))) await sleep(IDLE_MS);
	}
}

async function doOne(
	scene: Scene,
	credential: Credential,
	operations: readonly Operation[],
	chance: Chance,
): Promise<boolean> {
	const { world, knows, actors } = scene;
	const operation = draw(operations, chance);
	const ask = operation.build({ world, knows, actors, chance, actor: credential.actor, now: performance.now() });
	if (ask === null) return false;
	await perform(scene, credential, operation.name, ask, chance);
	return true;
}

function draw<T extends { readonly weight: number }>(from: readonly T[], chance: Chance): T {
	let left = chance.fraction() * from.reduce((sum, { weight }) => sum + weight, 0);
	for (const one of from) {
		left -= one.weight;
		if (left < 0) return one;
	}
	return chance.pick(from);
}

async function perform(scene: Scene, credential: Credential, op: string, ask: Ask, chance: Chance): Promise<void> {
	const group = ++groups;
	const nodes = [...scene.clients.keys()];
	const attempt = (node: string): Promise<Exchange> => attemptOnce(scene, credential, op, ask, group, node);
	for (let attempts = 1; ; attempts++) {
		const node = chance.pick(nodes);
		const twin = ask.repeatable && chance.happens(SENT_TWICE) ? attempt(chance.pick(nodes)) : null;
		const answer = await attempt(node);
		const second = await twin;
		const best = second && outcomeOf(second) === "done" ? second : answer;
		const outcome = outcomeOf(best);
		const known = outcome === "done" || (outcome === "refused" && !isPassing(best, credential));
		if (known || !ask.repeatable || attempts === MOST_ATTEMPTS) return ask.learn?.(best, outcome);
		await sleep(chance.between(SHORTEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** attempts)));
	}
}

/** Whether it was refused only for now: the same request may succeed in a moment. */
function isPassing({ status, reply }: Exchange, { actor }: Credential): boolean {
	const code = (reply as { error?: { code?: string } } | null)?.error?.code;
	return code === "retry" || code === "hold_race" || (status === 429 && actor.cap === null);
}

async function attemptOnce(
	scene: Scene,
	credential: Credential,
	op: string,
	ask: Ask,
	group: number,
	node: string,
): Promise<Exchange> {
	const { actor, token, secret } = credential;
	const client = scene.clients.get(node);
	if (!client) throw new Error(`there is no node ${node}`);
	const { method, path, body = null, key } = ask;
	const keyed = key === undefined ? {} : { key };
	const answer = await client.send({ method, path, token, ...keyed, ...(body === null ? {} : { body }) });
	const exchange: Exchange = {
		kind: "exchange",
		op,
		actor: actor.name,
		secret,
		node,
		group,
		method,
		path,
		body,
		...keyed,
		...answer,
	};
	scene.recorder.write(exchange);
	return exchange;
}
