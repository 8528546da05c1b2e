import { setTimeout as sleep } from "node:timers/promises";
import type { Node } from "../house.ts";

/** Milliseconds between two checks of a node, and that one check may take. */
const CHECK_EVERY_MS = 100;
const CHECK_WITHIN_MS = 2_000;

/** A node behind the balancer. */
interface Place {
	readonly node: Node;
	ready: boolean;
}

/** Sends requests to the nodes that are ready, in turn, as a balancer does that checks `/readyz`. */
export interface Balancer {
	/** Takes a node in: it is given requests once it is ready. */
	add(node: Node): void;
	/** Forgets a node that has stopped. */
	remove(node: Node): void;
	/** The address for the next request; null: no node is ready. */
	next(): string | null;
	close(): Promise<void>;
}

export function openBalancer(): Balancer {
	const places: Place[] = [];
	let turn = 0;
	let open = true;
	const look = async (place: Place): Promise<void> => {
		const signal = AbortSignal.timeout(CHECK_WITHIN_MS);
		place.ready = await fetch(`${place.node.api}/readyz`, { signal }).then(
			({ ok }) => ok,
			() => false,
		);
	};
	const checking = (async () => {
		while (open) {
			await Promise.all(places.map(look));
			await sleep(CHECK_EVERY_MS);
		}
	})();
	return {
		add: (node) => void places.push({ node, ready: false }),
		remove(node) {
			places.splice(
				places.findIndex((place) => place.node === node),
				1,
			);
		},
		next() {
			const ready = places.filter((place) => place.ready);
			return ready[turn++ % ready.length]?.node.api ?? null;
		},
		async close() {
			open = false;
			await checking;
		},
	};
}
