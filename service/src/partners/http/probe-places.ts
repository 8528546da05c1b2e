import type { Socket } from "node:net";

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
