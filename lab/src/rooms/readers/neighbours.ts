/**
 * Readers of every list, each in every manner that the list offers. They keep mirrors during the run, which are
 * compared at the end.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../../chance.ts";
import { Client } from "../../client.ts";
import type { Exchange } from "../../history.ts";
import type { Scene } from "../../run/scene.ts";
import type { Neighbours } from "../room.ts";
import { WEBHOOKS } from "../webhooks/workload.ts";
import { deliveriesOf, LISTS, type List, MANNERS, type Manner } from "./lists.ts";
import type { ReaderNote } from "./notes.ts";
import { Reader, readWhole, type Send } from "./reader.ts";

/** Milliseconds between two readings of one reader. */
const READ_EVERY_MS = 400;
const LEAST_PAGE = 5;
const MOST_PAGE = 100;
/** Maximum number of attempts at a final reading, when no fault is left. */
const MOST_TRIES = 20;

export async function openReaders(scene: Scene): Promise<Neighbours> {
	const { recorder, ground, knows, partners } = scene;
	const note = (what: ReaderNote): void =>
		recorder.write({ kind: "record", room: "readers", at: performance.now(), note: what });
	const chance = scene.chance.fork("readers");
	const own = new Map(ground.nodes.map(({ name, coa }) => [name, new Client(coa)]));
	const partner = partners.find(({ actor }) => actor.name === DELIVERIES_OF)?.actor.partner;
	const endpoint = knows.of(WEBHOOKS).endpoints.find((known) => known.partner === partner);
	const lists = [...LISTS, ...(endpoint ? [deliveriesOf(DELIVERIES_OF, endpoint.endpointId)] : [])];
	const sending = (list: List): Send => sendOf(scene, list, list.atCoa ? own : scene.clients, chance);
	const tokenOf = (list: List): string => partners.find(({ actor }) => actor.name === list.key)?.token ?? "";
	const readers = lists.flatMap((list) =>
		mannersOf(list).map((manner) => ({ reader: new Reader(list, manner, tokenOf(list)), send: sending(list) })),
	);
	const ending = new AbortController();
	const reading = readers.map(async ({ reader, send }) => {
		while (!ending.signal.aborted) {
			await reader.readOn(send, note, chance.between(LEAST_PAGE, MOST_PAGE));
			await sleep(READ_EVERY_MS, undefined, { signal: ending.signal }).catch(() => undefined);
		}
	});
	const end = async (): Promise<void> => {
		ending.abort();
		await Promise.all(reading);
	};
	return {
		calm: async () => {
			await end();
			for (const list of lists) {
				const rows = await untilDone(() => readWhole(list, tokenOf(list), sending(list)));
				if (rows) note({ what: "whole", list: list.name, rows });
			}
			await Promise.all(
				readers.map(({ reader, send }) =>
					untilDone(async () => ((await reader.readOn(send, note, MOST_PAGE)) ? true : null)),
				),
			);
		},
		close: async () => {
			await end();
			for (const client of own.values()) client.close();
		},
	};
}

/** The key whose endpoint's deliveries are followed. */
const DELIVERIES_OF = "acme-web";

const mannersOf = ({ since }: List): readonly Manner[] => (since === null ? ["cursor"] : MANNERS);

async function untilDone<T>(attempt: () => Promise<T | null>): Promise<T | null> {
	for (let tries = 0; tries < MOST_TRIES; tries++) {
		const done = await attempt();
		if (done !== null) return done;
		await sleep(READ_EVERY_MS);
	}
	return null;
}

let readings = 0;

/** Failed requests are recorded in the history like all others. */
const sendOf =
	(scene: Scene, list: List, clients: ReadonlyMap<string, Client>, chance: Chance): Send =>
	async (request) => {
		const node = chance.pick([...clients.keys()]);
		const answer = await (clients.get(node) as Client).send(request);
		if (answer.status === null || answer.status >= 500) {
			const exchange: Exchange = {
				kind: "exchange",
				op: `reading ${list.name}`,
				actor: list.key,
				secret: 0,
				node,
				group: --readings,
				method: "GET",
				path: request.path,
				body: null,
				...answer,
			};
			scene.recorder.write(exchange);
		}
		return answer;
	};
