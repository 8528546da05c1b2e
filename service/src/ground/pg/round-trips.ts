import type pg from "pg";
import type { Query } from "./connect.ts";
import { streamOf } from "./driver-internals.ts";
import { type PreparedQuery, RoundTrip, type WatchStatement } from "./round-trip.ts";

/** Collects the statements of a connection while they are queued. */
interface Collector {
	begin(): void;
	end(): void;
	watch(watch: WatchStatement | null): void;
}
const collectors = new WeakMap<object, Collector>();

/** Sends the prepared statements of a connection as round trips: each alone, or together inside `inOneRoundTrip`. */
export function collectStatements(client: pg.ClientBase): void {
	const send = client.query.bind(client) as (...call: unknown[]) => unknown;
	let trip: RoundTrip | null = null;
	let depth = 0;
	let watched: WatchStatement | null = null;
	const go = (): void => {
		if (trip === null) return;
		const full = trip;
		trip = null;
		send(full);
	};
	collectors.set(client, {
		begin: () => void depth++,
		end: () => {
			if (--depth === 0) go();
		},
		watch: (watch) => {
			watched = watch;
		},
	});
	client.query = ((...call: unknown[]) => {
		const [query] = call;
		if (!isPrepared(query)) {
			go(); // earlier queued statements go first
			return send(...call);
		}
		trip ??= new RoundTrip(watched);
		const answer = trip.ask(query);
		if (depth === 0) go();
		return answer;
	}) as typeof client.query;
}

const isPrepared = (query: unknown): query is PreparedQuery =>
	typeof query === "object" && query !== null && "name" in query && "rowMode" in query;

/**
 * Sends all statements that `send` queues on a transaction in one write (one system call here, one wake-up at the
 * server), and consecutive prepared ones as one round trip. Statements are queued while `send` runs, so it must not
 * await. Outside a transaction, the statements of one round trip form one transaction.
 */
export function inOneRoundTrip<T>(tx: Query, send: () => T): T {
	const stream = streamOf(tx);
	const collector = collectors.get(tx);
	stream?.cork();
	collector?.begin();
	try {
		return send();
	} finally {
		collector?.end();
		stream?.uncork();
	}
}

/**
 * From now on, `watch` is called for every prepared statement of this connection that is answered; null: nothing is.
 */
export const watchStatements = (client: pg.ClientBase, watch: WatchStatement | null): void =>
	collectors.get(client)?.watch(watch);
