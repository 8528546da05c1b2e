import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./ask.ts";

/** Clients that send one request after another until they are stopped. */
export interface Loop<A> {
	/** Every answer so far, in order of arrival. */
	readonly answers: readonly A[];
	/** Sends no more requests; resolves when those under way are answered. */
	stop(): Promise<readonly A[]>;
}

/** `once`: what each client repeats; `pauseMs`: the pause in between. */
export function startLoop<A = Answer>(clients: number, once: (client: number) => Promise<A>, pauseMs = 0): Loop<A> {
	const answers: A[] = [];
	let stopped = false;
	const client = async (number: number): Promise<void> => {
		while (!stopped) {
			answers.push(await once(number));
			if (pauseMs > 0) await sleep(pauseMs);
		}
	};
	const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
	return {
		answers,
		stop: async () => {
			stopped = true;
			await all;
			return answers;
		},
	};
}

/** The same for a limited time; resolves with the answers. */
export async function loopFor(
	ms: number,
	clients: number,
	once: (client: number) => Promise<Answer>,
	pauseMs = 0,
): Promise<readonly Answer[]> {
	const loop = startLoop(clients, once, pauseMs);
	await sleep(ms);
	return await loop.stop();
}

export const timesOf = (answers: readonly Answer[]): number[] => answers.map(({ ms }) => ms);
