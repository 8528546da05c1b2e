import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import { monotonicMs } from "../../ground/lib/clock.ts";
import { type Addresses, countedAs, plain } from "./address.ts";

export interface ConnectionLimits {
	/** Open connections, without the places that are kept for probes. */
	readonly most: number;
	/** Open connections of one address that is no trusted proxy. */
	readonly mostPerAddress: number;
	/** Open strangers of one address that is no trusted proxy. */
	readonly mostStrangersPerAddress: number;
	/** Open connections of one caller. */
	readonly mostPerCaller: number;
	/** Open connections of all callers together: the rest is for those who have not shown a key yet. */
	readonly mostOfCallers: number;
	/** Further connections, on which nothing but the probes is answered. */
	readonly probes: number;
}

/** Open connections of a process, unless its descriptors are fewer. An idle one takes some 5 KB. */
const MOST_CONNECTIONS = 10_000;
/** Places for probes. */
const PROBE_PLACES = 64;
/** Descriptors kept for everything else: the database, the log, files, probes. */
const OTHER_DESCRIPTORS = 200 + PROBE_PLACES;
/** One address may have this share of all connections. */
const ADDRESS_SHARE = 1 / 4;
/** One address may have this share of them, and no fewer than so many, on which no key was let in yet. */
const STRANGERS_SHARE = 1 / 16;
const LEAST_STRANGERS = 128;
/** One caller may have this share of them, from however many addresses. */
const CALLER_SHARE = 1 / 8;
/** Of all connections this share is free of callers, so that a new connection finds a place to show its key. */
const NEWCOMERS_SHARE = 1 / 8;
/** Milliseconds in which a new connection has time to show a key before it may be hung up to make room. */
const TIME_TO_SPEAK_MS = 1_000;
/** Requests in a row that are refused on one connection, for want of a key or of its rate, until it is closed. */
const MOST_REFUSALS = 60;
/** Requests on a connection after one with a key until another one with a key must follow. */
const TRUST = 50;
/**
 * Addresses behind trusted proxies that are remembered for their keys; the one that was used longest ago is forgotten.
 */
const MOST_REMEMBERED = 10_000;

/** The limits of a process that may open so many descriptors; null: it is not known how many. */
export function connectionLimits(descriptors: number | null): ConnectionLimits {
	const room = descriptors === null ? MOST_CONNECTIONS : Math.max(1, descriptors - OTHER_DESCRIPTORS);
	return sharesOf(Math.min(MOST_CONNECTIONS, room));
}

/** The usual shares of so many connections. */
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

/** What may be asked on a connection. `nothing`: it is being closed. */
export type Hears = "everything" | "probes" | "nothing";

/**
 * The open connections of the process, counted in all, by address and by caller. Where there are too many, a new one
 * takes the place of the oldest *stranger*: a connection on which no key was let in yet, and which had its time to
 * speak. If there is none, it gets one of the places for probes. A caller that has more than its share loses the
 * connection that it used longest ago.
 */
export interface Connections {
	/** Takes a connection in, or hangs it up. */
	admit(socket: Socket): void;
	/**
	 * A key was let in on this connection for a request: it is this caller's, and no stranger's any more. `at`:
	 * monotonic milliseconds.
	 */
	vouch(request: IncomingMessage, caller: string, at: number): void;
	/** The rate of its caller allowed a request. */
	served(socket: Socket): void;
	/**
	 * A request was refused for want of a key or of its rate. True: so many in a row were that the connection must be
	 * closed.
	 */
	refused(socket: Socket): boolean;
	/** Nothing is heard on this connection any more: its last reply is on its way. */
	end(socket: Socket): void;
	hears(socket: Socket): Hears;
	/**
	 * Was a key let in on the connection of this request a short while ago, or, behind a trusted proxy, for its
	 * address? To be asked once a request.
	 */
	isKnown(request: IncomingMessage): boolean;
	/** Open ones. */
	readonly open: number;
}

export interface ConnectionOptions {
	readonly limits?: ConnectionLimits;
	/** Told of each connection that is hung up because there are too many. */
	readonly onHungUp?: (address: string) => void;
	/** Monotonic milliseconds. */
	readonly now?: () => number;
}

/** One open connection. */
interface Guest {
	readonly house: House;
	readonly since: number;
	readonly trusted: boolean;
	/** Null: a stranger, or a proxy. */
	caller: Caller | null;
	usedAt: number;
	refusals: number;
	/** Requests that are let in without a look at their keys. */
	trust: number;
	ending: boolean;
}

/** The connections of one address. */
interface House {
	readonly name: string;
	open: number;
	/** Oldest first. */
	readonly strangers: Set<Socket>;
}

/** The connections of one caller. */
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
	/** Trust in addresses behind trusted proxies. */
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
		guest.trust = 0; // what follows on it waits for its turn
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

	/**
	 * Makes a connection a caller's. One beyond its share, or beyond that of all callers, costs the one that was used
	 * longest ago.
	 */
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

	/** Takes a connection from the strangers, or from its caller. */
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

	/** `but`: the connection that needs the room. */
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

	/** Hangs up the oldest stranger if it had its time to speak; false: it had not, or there is none. */
	#makeRoom(oldest: Socket | undefined): boolean {
		const guest = oldest && this.#guests.get(oldest);
		if (!oldest || !guest || this.#now() - guest.since < TIME_TO_SPEAK_MS) return false;
		this.#hangUp(oldest);
		return true;
	}

	#hangUp(socket: Socket): void {
		this.#onHungUp(plain(socket.remoteAddress ?? ""));
		this.#leave(socket); // it is as good as closed: the next one in need of room takes another
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
 * Places for connections that are beyond a limit, on which nothing but the probes is answered: whoever uses up the
 * others cannot make a healthy node look dead. Where they are all taken, the oldest of the address with the most of
 * them goes.
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
