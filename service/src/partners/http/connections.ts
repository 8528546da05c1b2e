import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import { monotonicMs } from "../../ground/lib/clock.ts";
import { type Addresses, countedAs, plain } from "./address.ts";

export interface ConnectionLimits {
	/** Maximum number of open connections, without the places reserved for probes. */
	readonly most: number;
	/** Maximum number of open connections of one address that is not a trusted proxy. */
	readonly mostPerAddress: number;
	/** Maximum number of open unauthenticated connections of one address that is not a trusted proxy. */
	readonly mostStrangersPerAddress: number;
	/** Maximum number of open connections of one caller. */
	readonly mostPerCaller: number;
	/** Maximum number of open connections of all callers; the rest is for connections that have not shown a key yet. */
	readonly mostOfCallers: number;
	/** Number of further connections, on which only probes are answered. */
	readonly probes: number;
}

/** Maximum number of open connections of a process, unless it has fewer descriptors. An idle one takes about 5 KB. */
const MOST_CONNECTIONS = 10_000;
const PROBE_PLACES = 64;
/** Descriptors reserved for everything else: the database, the log, files, probes. */
const OTHER_DESCRIPTORS = 200 + PROBE_PLACES;
/** Share of all connections for one address. */
const ADDRESS_SHARE = 1 / 4;
/** Share, and minimum number, of connections of one address on which no key has been accepted yet. */
const STRANGERS_SHARE = 1 / 16;
const LEAST_STRANGERS = 128;
/** Share of all connections for one caller, from any number of addresses. */
const CALLER_SHARE = 1 / 8;
/** Share of all connections that callers cannot occupy, so that a new connection can show its key. */
const NEWCOMERS_SHARE = 1 / 8;
/** Milliseconds that a new connection has to show a key before it may be closed to make room. */
const TIME_TO_SPEAK_MS = 1_000;
/** Number of consecutive requests refused on one connection, for lack of a key or for its rate, until it is closed. */
const MOST_REFUSALS = 60;
/** Number of requests that a connection may send after one with a key, until it must show a key again. */
const TRUST = 50;
/**
 * Number of addresses behind trusted proxies that are remembered for their keys; the least recently used is dropped.
 */
const MOST_REMEMBERED = 10_000;

/** The limits of a process that may open `descriptors` files and sockets; null: the number is unknown. */
export function connectionLimits(descriptors: number | null): ConnectionLimits {
	const room = descriptors === null ? MOST_CONNECTIONS : Math.max(1, descriptors - OTHER_DESCRIPTORS);
	return sharesOf(Math.min(MOST_CONNECTIONS, room));
}

/** The default shares of `most` connections. */
export function sharesOf(most: number): ConnectionLimits {
	const mostPerAddress = Math.ceil(most * ADDRESS_SHARE);
	return {
		most,
		mostPerAddress,
		mostStrangersPerAddress: Math.min(mostPerAddress, Math.max(LEAST_STRANGERS, Math.ceil(most * STRANGERS_SHARE))),
		mostPerCaller: Math.ceil(most * CALLER_SHARE),
		mostOfCallers: Math.ceil(most * (1 - NEWCOMERS_SHARE)),
		probes: PROBE_PLACES,
	};
}

/** The requests served on a connection. `nothing`: it is being closed. */
export type Hears = "everything" | "probes" | "nothing";

/**
 * The open connections of the process, counted in total, by address and by caller. If there are too many, a new one
 * replaces the oldest *stranger*: an unauthenticated connection that had time to show a key. If there is none, the new
 * one gets one of the places for probes. A caller above its share loses its least recently used connection.
 */
export interface Connections {
	/** Admits a connection or closes it. */
	admit(socket: Socket): void;
	/** A key was accepted for a request: the connection is now this caller's. `at`: monotonic milliseconds. */
	vouch(request: IncomingMessage, caller: string, at: number): void;
	/** A request passed its caller's rate limit. */
	served(socket: Socket): void;
	/** A request was refused for lack of a key or for its rate. True: too many in a row, close the connection. */
	refused(socket: Socket): boolean;
	/** Ignores further requests on this connection: its last reply is being sent. */
	end(socket: Socket): void;
	hears(socket: Socket): Hears;
	/**
	 * Whether a key was accepted recently on this connection or, behind a proxy, for this address. Call once per
	 * request.
	 */
	isKnown(request: IncomingMessage): boolean;
	readonly open: number;
}

export interface ConnectionOptions {
	readonly limits?: ConnectionLimits;
	/** Called for each connection that is closed because there are too many. */
	readonly onHungUp?: (address: string) => void;
	/** Monotonic milliseconds. */
	readonly now?: () => number;
}

interface Guest {
	readonly house: House;
	readonly since: number;
	readonly trusted: boolean;
	/** Null: unauthenticated, or a proxy. */
	caller: Caller | null;
	usedAt: number;
	refusals: number;
	/** Requests that are admitted before their keys are checked. */
	trust: number;
	ending: boolean;
}

interface House {
	readonly name: string;
	open: number;
	/** Oldest first. */
	readonly strangers: Set<Socket>;
}

interface Caller {
	readonly name: string;
	readonly sockets: Set<Socket>;
}

export function createConnections(addresses: Addresses, options: ConnectionOptions = {}): Connections {
	return new OpenConnections(addresses, options);
}

class OpenConnections implements Connections {
	readonly #addresses: Addresses;
	readonly #limits: ConnectionLimits;
	readonly #onHungUp: (address: string) => void;
	readonly #now: () => number;
	readonly #probes: ReturnType<typeof createProbePlaces>;
	readonly #guests = new Map<Socket, Guest>();
	readonly #houses = new Map<string, House>();
	readonly #callers = new Map<string, Caller>();
	readonly #strangers = new Set<Socket>();
	/** Remaining trust in addresses behind trusted proxies. */
	readonly #behindProxies = new LRUCache<string, number>({ max: MOST_REMEMBERED });
	#ofCallers = 0;

	constructor(addresses: Addresses, options: ConnectionOptions) {
		const { limits = connectionLimits(null), onHungUp = () => undefined, now = monotonicMs } = options;
		this.#addresses = addresses;
		this.#limits = limits;
		this.#onHungUp = onHungUp;
		this.#now = now;
		this.#probes = createProbePlaces(limits.probes);
	}

	get open(): number {
		return this.#guests.size + this.#probes.open;
	}

	admit(socket: Socket): void {
		const { most, mostPerAddress, mostStrangersPerAddress } = this.#limits;
		const address = plain(socket.remoteAddress ?? "");
		const trusted = this.#addresses.trusted(address);
		const name = countedAs(address);
		const house = this.#houses.get(name) ?? { name, open: 0, strangers: new Set<Socket>() };
		const full = house.open >= mostPerAddress || house.strangers.size >= mostStrangersPerAddress;
		const crowded = !trusted && full && !this.#makeRoom(first(house.strangers));
		if (crowded || (this.#guests.size >= most && !this.#makeRoom(first(this.#strangers)))) {
			this.#onHungUp(address);
			this.#probes.admit(socket, name);
			return;
		}
		const now = this.#now();
		const guest: Guest = {
			house,
			since: now,
			trusted,
			caller: null,
			usedAt: now,
			refusals: 0,
			trust: 0,
			ending: false,
		};
		this.#guests.set(socket, guest);
		house.open++;
		this.#houses.set(name, house);
		if (!trusted) {
			house.strangers.add(socket);
			this.#strangers.add(socket);
		}
		socket.once("close", () => this.#leave(socket));
	}

	vouch(request: IncomingMessage, caller: string, at: number): void {
		const { socket } = request;
		const guest = this.#guests.get(socket);
		if (guest === undefined) return;
		if (guest.trusted) return void this.#behindProxies.set(this.#addresses.of(request), TRUST);
		guest.trust = TRUST;
		guest.usedAt = at;
		if (guest.caller?.name !== caller) this.#give(socket, guest, caller);
	}

	served(socket: Socket): void {
		const guest = this.#guests.get(socket);
		if (guest !== undefined) guest.refusals = 0;
	}

	refused(socket: Socket): boolean {
		const guest = this.#guests.get(socket);
		if (guest === undefined || guest.trusted) return false;
		guest.trust = 0; // later requests on it wait for their turn
		return ++guest.refusals >= MOST_REFUSALS;
	}

	end(socket: Socket): void {
		const guest = this.#guests.get(socket);
		if (guest !== undefined) guest.ending = true;
	}

	hears(socket: Socket): Hears {
		const guest = this.#guests.get(socket);
		if (guest !== undefined) return guest.ending || socket.destroyed ? "nothing" : "everything";
		return this.#probes.has(socket) ? "probes" : "nothing";
	}

	isKnown(request: IncomingMessage): boolean {
		const guest = this.#guests.get(request.socket);
		if (guest === undefined) return false;
		if (!guest.trusted) return guest.trust-- > 0;
		const address = this.#addresses.of(request);
		const trust = this.#behindProxies.get(address) ?? 0;
		if (trust > 0) this.#behindProxies.set(address, trust - 1);
		return trust > 0;
	}

	/** Assigns a connection to a caller, and closes the least recently used one if a share is exceeded. */
	#give(socket: Socket, guest: Guest, name: string): void {
		this.#take(socket, guest);
		const caller = this.#callers.get(name) ?? { name, sockets: new Set<Socket>() };
		this.#callers.set(name, caller);
		caller.sockets.add(socket);
		guest.caller = caller;
		this.#ofCallers++;
		if (caller.sockets.size > this.#limits.mostPerCaller) this.#hangUpOldest(caller, socket);
		else if (this.#ofCallers > this.#limits.mostOfCallers) this.#hangUpOldest(largest(this.#callers.values()), socket);
	}

	/** Removes a connection from the unauthenticated ones, or from its caller. */
	#take(socket: Socket, guest: Guest): void {
		this.#strangers.delete(socket);
		guest.house.strangers.delete(socket);
		const { caller } = guest;
		if (caller === null) return;
		guest.caller = null;
		this.#ofCallers--;
		caller.sockets.delete(socket);
		if (caller.sockets.size === 0) this.#callers.delete(caller.name);
	}

	#leave(socket: Socket): void {
		const guest = this.#guests.get(socket);
		if (guest === undefined) return;
		this.#guests.delete(socket);
		this.#take(socket, guest);
		const { house } = guest;
		house.open--;
		if (house.open === 0) this.#houses.delete(house.name);
	}

	/** `but`: the connection that needs the room, which stays open. */
	#hangUpOldest(caller: Caller | undefined, but: Socket): void {
		let oldest: Socket | undefined;
		let usedAt = Number.POSITIVE_INFINITY;
		for (const socket of caller?.sockets ?? []) {
			const guest = this.#guests.get(socket);
			if (socket === but || guest === undefined || guest.usedAt >= usedAt) continue;
			oldest = socket;
			usedAt = guest.usedAt;
		}
		if (oldest !== undefined) this.#hangUp(oldest);
	}

	/** Closes an unauthenticated connection that had time to show a key; false if it had not, or there is none. */
	#makeRoom(oldest: Socket | undefined): boolean {
		const guest = oldest && this.#guests.get(oldest);
		if (!oldest || !guest || this.#now() - guest.since < TIME_TO_SPEAK_MS) return false;
		this.#hangUp(oldest);
		return true;
	}

	#hangUp(socket: Socket): void {
		this.#onHungUp(plain(socket.remoteAddress ?? ""));
		this.#leave(socket); // counts as closed already, so that the next connection that needs room takes another's
		socket.destroy();
	}
}

const first = (sockets: ReadonlySet<Socket>): Socket | undefined => sockets.values().next().value;

function largest(callers: Iterable<Caller>): Caller | undefined {
	let most: Caller | undefined;
	for (const caller of callers) if (caller.sockets.size > (most?.sockets.size ?? 0)) most = caller;
	return most;
}

/**
 * Places for connections beyond a limit, on which only probes are answered, so that using up all others cannot make a
 * healthy node look dead. If all are taken, the oldest of the address with the most of them is closed.
 */
export interface ProbePlaces {
	admit(socket: Socket, address: string): void;
	has(socket: Socket): boolean;
	readonly open: number;
}

export function createProbePlaces(most: number): ProbePlaces {
	const taken = new Map<Socket, string>();
	/** The oldest of the address that has the most. */
	const superfluous = (): Socket | undefined => {
		const counts = new Map<string, number>();
		for (const address of taken.values()) counts.set(address, (counts.get(address) ?? 0) + 1);
		const largest = Math.max(...counts.values());
		for (const [socket, address] of taken) if (counts.get(address) === largest) return socket;
		return undefined;
	};
	return {
		admit(socket, address) {
			taken.set(socket, address);
			socket.once("close", () => taken.delete(socket));
			if (taken.size <= most) return;
			const oldest = superfluous();
			if (oldest === undefined) return;
			taken.delete(oldest);
			oldest.destroy();
		},
		has: (socket) => taken.has(socket),
		get open() {
			return taken.size;
		},
	};
}
