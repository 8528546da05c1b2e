import type { Socket } from "node:net";
import { monotonicMs } from "../lib/clock.ts";
import { type Addresses, plain } from "./address.ts";

export interface ConnectionLimits {
	/** Open connections. */
	readonly most: number;
	/** Open connections of one address that is no trusted proxy. */
	readonly mostPerAddress: number;
}

/** Open connections of a process, unless its descriptors are fewer. An idle one takes some 5 KB. */
const MOST_CONNECTIONS = 10_000;
/** Descriptors kept for everything else: the database, the log, files. */
const OTHER_DESCRIPTORS = 200;
/** One address may have this share of all connections. */
const ADDRESS_SHARE = 1 / 4;
/** Milliseconds in which a new connection has time to show a key before it may be hung up to make room. */
const TIME_TO_SPEAK_MS = 1_000;

/** The limits of a process that may open so many descriptors; null: it is not known how many. */
export function connectionLimits(descriptors: number | null): ConnectionLimits {
	const room = descriptors === null ? MOST_CONNECTIONS : Math.max(1, descriptors - OTHER_DESCRIPTORS);
	const most = Math.min(MOST_CONNECTIONS, room);
	return { most, mostPerAddress: Math.ceil(most * ADDRESS_SHARE) };
}

/**
 * The open connections of the process, counted, by address too. Where there are too many, a new one takes the place of the oldest *stranger*:
 * a connection on which no key was let in yet, and which had its time to speak. If there is none, the new one is hung up.
 */
export interface Connections {
	/** Takes a connection in, or hangs it up. */
	admit(socket: Socket): void;
	/** A key was let in on this connection: it is no stranger any more. */
	vouch(socket: Socket): void;
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

/** The connections of one address. */
interface House {
	open: number;
	/** Since when; oldest first. */
	readonly strangers: Map<Socket, number>;
}

export function createConnections(
	addresses: Addresses,
	{ limits = connectionLimits(null), onHungUp = () => undefined, now = monotonicMs }: ConnectionOptions = {},
): Connections {
	const houses = new Map<string, House>();
	const strangers = new Map<Socket, House>();
	let open = 0;
	const vouch = (socket: Socket): void => {
		const house = strangers.get(socket);
		if (house === undefined) return;
		strangers.delete(socket);
		house.strangers.delete(socket);
	};
	const close = (socket: Socket, address: string, house: House): void => {
		vouch(socket);
		open--;
		house.open--;
		if (house.open === 0) houses.delete(address);
	};
	/** Hangs up the oldest stranger that had its time to speak; false: there is none. */
	const makeRoom = (oldest: Socket | undefined): boolean => {
		const house = oldest && strangers.get(oldest);
		if (!oldest || !house || now() - (house.strangers.get(oldest) ?? now()) < TIME_TO_SPEAK_MS) return false;
		onHungUp(plain(oldest.remoteAddress ?? ""));
		vouch(oldest); // it is as good as closed: the next one in need of room takes another
		oldest.destroy();
		return true;
	};
	return {
		get open() {
			return open;
		},
		vouch,
		admit(socket) {
			const address = plain(socket.remoteAddress ?? "");
			const trusted = addresses.trusted(address);
			const house = houses.get(address) ?? { open: 0, strangers: new Map<Socket, number>() };
			const crowded = !trusted && house.open >= limits.mostPerAddress && !makeRoom(first(house.strangers));
			if (crowded || (open >= limits.most && !makeRoom(first(strangers)))) {
				onHungUp(address);
				socket.destroy();
				return;
			}
			open++;
			house.open++;
			houses.set(address, house);
			if (!trusted) {
				house.strangers.set(socket, now());
				strangers.set(socket, house);
			}
			socket.once("close", () => close(socket, address, house));
		},
	};
}

const first = (sockets: ReadonlyMap<Socket, unknown>): Socket | undefined => sockets.keys().next().value;
