import { Readable } from "node:stream";
import { sleep } from "../../ground/lib/clock.ts";
import type { Log } from "../../ground/lib/log.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { throttled } from "../../ground/lib/throttled.ts";
import type { Query } from "../../ground/pg/connect.ts";
import {
	eventsOf,
	type Found,
	idOf,
	merged,
	type Position,
	positionOf,
	samePlace,
	TOPICS,
	UNNUMBERED_TOPICS,
} from "./change.ts";
import { selectTrafficChange } from "./changes-sql.ts";
import { type Follower, followChanges, readChangesAfter } from "./follow-changes.ts";
import {
	CHECK_EVERY_MS,
	CHECK_WITHIN_MS,
	LOOK_EVERY_MS,
	MOST_LISTENERS,
	MOST_OF_OPERATOR,
	MOST_UNREAD_BYTES,
	QUIET_LOOKS,
	RECONNECT_AFTER_MS,
} from "./limits.ts";

/** A caller that listens, and the check whether it is still admitted. */
export interface Listening {
	/** Counts against MOST_OF_OPERATOR. */
	readonly operator: string;
	/** Whether the caller is still admitted, with the same role. */
	readonly confirm: () => Promise<boolean>;
	/** The id of the last event that the caller got; null: it begins now. */
	readonly lastEventId: string | null;
}

/** The streams of changes of this process. */
export interface Live {
	/** Server-sent events. The stream ends when the caller is no longer admitted, or does not read, or at `close`. */
	listen(who: Listening): Readable | Refusal<"rate_limited">;
	/** Open streams. */
	readonly listeners: number;
	/** Ends all streams and refuses new ones. */
	close(): void;
}

interface Listener {
	readonly who: Listening;
	readonly stream: Readable;
	/** The id from which it continues; null: it has missed no changes, or they have been read. */
	lastEventId: string | null;
	/** The last position that was sent to it; null: none yet. */
	told: Position | null;
	/** Number of reads since something was sent. */
	quiet: number;
}

/** One follower for all listeners, which reads only while someone listens. */
export const createLiveStreams = ({ db, log, onChange }: LiveOptions): Live => new LiveStreams(db, log, onChange);

export interface LiveOptions {
	readonly db: Query;
	readonly log: Log;
	/** Called before listeners are notified of a change, which they then read. */
	readonly onChange?: () => void;
}

class LiveStreams implements Live {
	readonly #db: Query;
	readonly #listeners = new Set<Listener>();
	readonly #onChange: () => void;
	readonly #failed: (error: unknown) => void;
	readonly #stopping = new AbortController();
	#follower: Follower | null = null;
	/** The time of the last row of the log of requests, in epoch milliseconds; null: it was not read yet. */
	#lastRequest: number | null = null;
	#follows = false;
	#checks = false;

	constructor(db: Query, log: Log, onChange: () => void = () => undefined) {
		this.#db = db;
		this.#onChange = onChange;
		this.#failed = throttled((error, count) => log.warn("changes could not be read for listeners", { count }, error));
	}

	get listeners(): number {
		return this.#listeners.size;
	}

	listen(who: Listening): Readable | Refusal<"rate_limited"> {
		if (this.#stopping.signal.aborted) return refuse("rate_limited", "This node is stopping: connect again.");
		const own = [...this.#listeners].filter((one) => one.who.operator === who.operator).length;
		if (own >= MOST_OF_OPERATOR || this.#listeners.size >= MOST_LISTENERS)
			return refuse("rate_limited", "Too many streams are open: end one of them, and connect again.");
		const stream = new Readable({ read: () => undefined, highWaterMark: MOST_UNREAD_BYTES });
		const listener: Listener = { who, stream, lastEventId: who.lastEventId, told: null, quiet: 0 };
		this.#listeners.add(listener);
		stream.once("close", () => this.#listeners.delete(listener));
		stream.push(`retry: ${RECONNECT_AFTER_MS}\n\n`);
		if (this.#follower !== null && listener.lastEventId === null) send(listener, NOTHING, this.#follower.position);
		if (!this.#follows) void this.#follow();
		if (!this.#checks) void this.#check();
		return stream;
	}

	close(): void {
		this.#stopping.abort();
		for (const listener of this.#listeners) this.#end(listener);
	}

	#end(listener: Listener): void {
		this.#listeners.delete(listener);
		listener.stream.push(null);
	}

	/** Looks for changes until nobody is listening. */
	async #follow(): Promise<void> {
		this.#follows = true;
		while (this.#listeners.size > 0) {
			await this.#look().catch(this.#failed);
			await sleep(LOOK_EVERY_MS, this.#stopping.signal);
		}
		this.#follower = null;
		this.#lastRequest = null;
		this.#follows = false;
	}

	async #look(): Promise<void> {
		const follower = this.#follower ?? (await followChanges(this.#db));
		this.#follower = follower;
		const found = merged([await follower.look(), await this.#lookAtTraffic()]);
		// read afterwards, so that the next call of `look` finds all later changes
		const missed = new Map<string, Found>();
		for (const { lastEventId } of this.#listeners) {
			if (lastEventId !== null && !missed.has(lastEventId))
				missed.set(lastEventId, await this.#readMissed(lastEventId));
		}
		if (found.changes.length + found.reload.length + missed.size > 0) this.#onChange();
		for (const listener of this.#listeners) {
			const { lastEventId } = listener;
			const before = lastEventId === null ? NOTHING : missed.get(lastEventId);
			if (before === undefined) continue; // connected during these reads; the next call of `look` sends its changes
			listener.lastEventId = null;
			send(listener, merged([before, found]), follower.position);
			if (listener.stream.readableLength > MOST_UNREAD_BYTES) this.#end(listener);
		}
	}

	/** The log of requests, if there are new rows since the last look; the first look only notes where it ends. */
	async #lookAtTraffic(): Promise<Found> {
		const { rows } = await selectTrafficChange(this.#db);
		const before = this.#lastRequest;
		this.#lastRequest = rows[0]?.version ?? 0;
		return { changes: before === null ? [] : rows.filter(({ version }) => version > before), reload: [] };
	}

	async #readMissed(lastEventId: string): Promise<Found> {
		const after = positionOf(lastEventId);
		const unnumbered: Found = { changes: [], reload: UNNUMBERED_TOPICS };
		return after === null ? EVERYTHING : merged([await readChangesAfter(this.#db, after), unnumbered]);
	}

	/** Ends the streams of callers that are no longer admitted. */
	async #check(): Promise<void> {
		this.#checks = true;
		while (this.#listeners.size > 0) {
			await Promise.all(
				[...this.#listeners].map(async (listener) => {
					if (!(await isAdmitted(listener.who))) this.#end(listener);
				}),
			);
			await sleep(CHECK_EVERY_MS, this.#stopping.signal);
		}
		this.#checks = false;
	}
}

const NOTHING: Found = { changes: [], reload: [] };
const EVERYTHING: Found = { changes: [], reload: TOPICS };

/** Also false if the check takes too long: the caller then connects again and is checked again. */
const isAdmitted = ({ confirm }: Listening): Promise<boolean> =>
	Promise.race([confirm().catch(() => false), sleep(CHECK_WITHIN_MS).then(() => false)]);

/** Sends changes, and the id from which a caller that has received them continues. */
function send(listener: Listener, found: Found, position: Position): void {
	const isNew = listener.told === null || !samePlace(listener.told, position);
	const text = eventsOf(found) + (isNew ? `id: ${idOf(position)}\n\n` : "");
	listener.told = position;
	listener.quiet = text === "" ? listener.quiet + 1 : 0;
	if (text !== "") listener.stream.push(text);
	else if (listener.quiet % QUIET_LOOKS === 0) listener.stream.push(": still here\n\n");
}
