/**
 * Receivers of webhooks, some of which change their answer every few seconds, and a clock for retries: a schedule that
 * the contract spreads over days must happen within a run.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Scene } from "../../run/scene.ts";
import type { Neighbours } from "../room.ts";
import { endStrangeLeases, inactiveEndpoints, isAnyPending, turnTime } from "./look-up-sql.ts";
import { type Answer, GONE, type WebhookNote } from "./notes.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { WEBHOOKS } from "./workload.ts";

/** The answers of a receiver that changes its answer every TURN_MS, in their order. */
const IN_TURN: readonly Answer[] = [200, 500, 200, 429, 200, "hang", 200, "reset"];
/** Milliseconds for which such a receiver gives each answer. */
const TURN_MS = 3_000;
/** Posts that the receiver accepts before it answers 410. */
const BEFORE_GONE = 3;
const BROKEN = 500;
const OK = 200;

/** The answer of an endpoint's receiver; `posts`: how many came before. */
type Manner = (now: number, posts: number) => Answer;
const steady: Manner = () => OK;
const down: Manner = () => BROKEN;
const gone: Manner = (_now, posts) => (posts < BEFORE_GONE ? OK : GONE);
const inTurn =
	(from: number): Manner =>
	(now) =>
		IN_TURN[(Math.floor(now / TURN_MS) + from) % IN_TURN.length] ?? OK;

/** The endpoints, by the key that registers them. At the end all of them work except `gone`. */
const ENDPOINTS: readonly { readonly receiver: string; readonly key: string; readonly manner: Manner }[] = [
	{ receiver: "steady", key: "acme-web", manner: steady },
	{ receiver: "in turn 1", key: "acme-web", manner: inTurn(0) },
	{ receiver: "in turn 2", key: "bolt-web", manner: inTurn(3) },
	{ receiver: "down", key: "bolt-web", manner: down },
	{ receiver: "steady too", key: "open-web", manner: steady },
	{ receiver: "gone", key: "open-web", manner: gone },
	{ receiver: "in turn 3", key: "capped", manner: inTurn(5) },
];

/** Maximum milliseconds until the next attempt during the run. Longer than a 429 asks for. */
const LONGEST_DELAY_MS = 8_000;
const LOOK_EVERY_MS = 1_000;
/** Milliseconds for the pending deliveries once every receiver works: a sender that died is replaced after 30 s. */
const CALM_MS = 60_000;
const CALM_LOOK_MS = 250;

export async function openWebhooks(scene: Scene): Promise<Neighbours> {
	const { ground } = scene;
	const note = (what: WebhookNote): void =>
		scene.recorder.write({ kind: "record", room: "webhooks", at: performance.now(), note: what });
	const mood = { well: false };
	const receivers = await openReceivers(scene, note, mood);
	const ending = new AbortController();
	const looking = lookAgainAndAgain(scene, note, ending.signal);
	return {
		calm: async () => {
			ending.abort();
			await looking;
			mood.well = true;
			note({ what: "calm" });
			for (const receiver of receivers) receiver.cut();
			await endStrangeLeases(ground.admin());
			const latest = performance.now() + CALM_MS;
			while ((await isAnyPending(ground.admin())) && performance.now() < latest) {
				await turnTime(ground.admin(), 0);
				await sleep(CALM_LOOK_MS);
			}
		},
		close: async () => {
			ending.abort();
			await looking;
			await closeAll(receivers);
		},
	};
}

const closeAll = async (receivers: readonly Receiver[]): Promise<void> => {
	await Promise.all(receivers.map((receiver) => receiver.close()));
};

/** Opens the receivers and registers their endpoints. Once `mood.well` is set, all work except `gone`. */
async function openReceivers(
	scene: Scene,
	note: (what: WebhookNote) => void,
	mood: { readonly well: boolean },
): Promise<Receiver[]> {
	const receivers: Receiver[] = [];
	try {
		for (const { receiver: name, key, manner } of ENDPOINTS) {
			let posts = 0;
			const answer = (): Answer => (mood.well && manner !== gone ? OK : manner(performance.now(), posts++));
			const receiver = await openReceiver(scene.ground.receivers, answer, note);
			receivers.push(receiver);
			const { endpointId, secret, partner } = await register(scene, key, receiver.url);
			receiver.know(endpointId, secret);
			scene.knows.of(WEBHOOKS).endpoints.push({ endpointId, partner });
			note({ what: "registered", endpointId, partner, receiver: name });
		}
		return receivers;
	} catch (error) {
		await closeAll(receivers);
		throw error;
	}
}

/** Brings attempts forward and records endpoints that became inactive, until the end. */
async function lookAgainAndAgain(
	{ ground }: Scene,
	note: (what: WebhookNote) => void,
	over: AbortSignal,
): Promise<void> {
	const inactive = new Set<string>();
	const look = async (): Promise<void> => {
		await turnTime(ground.admin(), LONGEST_DELAY_MS);
		for (const endpointId of await inactiveEndpoints(ground.admin())) {
			if (!inactive.has(endpointId)) note({ what: "inactive", endpointId });
			inactive.add(endpointId);
		}
	};
	while (!over.aborted) {
		await look().catch(() => undefined); // a fault stopped the server; the next round repeats it
		await sleep(LOOK_EVERY_MS, undefined, { signal: over }).catch(() => undefined);
	}
}

async function register({ clients, partners }: Scene, key: string, url: string) {
	const credential = partners.find(({ actor }) => actor.name === key);
	const [client] = clients.values();
	if (!credential || !client) throw new Error(`there is no key ${key}`);
	const { token, actor } = credential;
	const answer = await client.send({ method: "POST", path: "/api/v1/webhook-endpoints", token, body: { url } });
	const { data } = (answer.reply ?? {}) as { data?: { endpoint_id: string; secret: string } };
	if (answer.status !== 201 || !data)
		throw new Error(`no endpoint for ${key}: ${answer.status ?? answer.trouble} ${JSON.stringify(answer.reply)}`);
	return { endpointId: data.endpoint_id, secret: data.secret, partner: actor.partner };
}
