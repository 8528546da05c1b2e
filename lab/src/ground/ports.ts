import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that Linux assigns to outgoing connections (32768 and up), so that a restarted server finds its port
 * free.
 */
const LEAST = 21_000;
const MOST = 31_999;
const TRIES = 200;

const taken = new Set<number>();

/** A free port of 127.0.0.1; this process never returns the same one twice. */
export async function freePort(): Promise<number> {
	for (let tried = 0; tried < TRIES; tried++) {
		const port = LEAST + Math.floor(Math.random() * (MOST - LEAST + 1));
		if (taken.has(port) || !(await isFree(port))) continue;
		taken.add(port);
		return port;
	}
	throw new Error(`no free port between ${LEAST} and ${MOST} in ${TRIES} tries`);
}

async function isFree(port: number): Promise<boolean> {
	const server = createServer();
	try {
		server.listen(port, "127.0.0.1");
		await once(server, "listening");
	} catch {
		return false;
	}
	server.close();
	await once(server, "close");
	return true;
}
