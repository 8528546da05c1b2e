import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../src/ground/lib/ids.ts";
import { newKeyRingEntry } from "../../src/partners/keys/key-ring.ts";
import { makeDataFolder, openDataPlace } from "../data-folder.ts";
import { openTestDatabase } from "../house.ts";
import { type Child, isAlive, killAll, LAUNCHER, shellWith, start, until } from "../processes/child.ts";

const ROOT = join(import.meta.dirname, "../../..");
const ADDRESSES = /API at (\S+), the COA feed at ([^\s,]+?)(?:, metrics at (\S+))?\.$/;

let base: string;
beforeEach(async () => {
	base = await openDataPlace("process");
});
afterEach(async () => {
	await killAll();
	const server = await postgresOf("data").catch(() => 0);
	if (server > 1 && isAlive(server)) process.kill(server, "SIGKILL");
	await rm(base, { recursive: true, force: true });
});

const environment = (variables: Record<string, string>): NodeJS.ProcessEnv =>
	shellWith({ HOLDFAST_DATA_DIR: join(base, "data"), HOLDFAST_PORT: "0", HOLDFAST_COA_PORT: "0", ...variables });

const serve = (variables: Record<string, string> = {}): Child =>
	start(process.execPath, [LAUNCHER, "start"], { env: environment(variables) });

/** In a process group of its own, as a terminal starts it. */
const npmStart = (): Child => start("npm", ["start"], { cwd: ROOT, env: environment({}), detached: true });

/** The address of the API, once the service reports that it serves. */
async function apiOf(child: Child): Promise<string> {
	return until("the service to serve", () => {
		if (child.process.exitCode !== null) throw new Error(`it ended: ${child.errors.join("\n")}`);
		return child.errors.map((line) => ADDRESSES.exec(line)?.[1]).find(Boolean);
	});
}

/** The command that the first start prints, and the token in it. */
async function welcomeOf(child: Child): Promise<{ curl: string; token: string }> {
	const curl = await until("the first key", () => {
		if (child.process.exitCode !== null) throw new Error(`it ended: ${child.errors.join("\n")}`);
		return child.errors.find((line) => line.trim().startsWith("curl "));
	});
	const token = /Bearer ([^']+)'/.exec(curl)?.[1] ?? "";
	return { curl: curl.trim(), token };
}

async function reserve(api: string, token: string, externalRef: string): Promise<Response> {
	const response = await fetch(`${api}/api/v1/reserve`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify({ items: [{ sku: "SBX-PLENTY", qty: 1 }], external_ref: externalRef }),
	});
	await response.text();
	return response;
}

/** Whether a hold exists already. */
const isReplayed = async (api: string, token: string, externalRef: string): Promise<boolean> =>
	(await reserve(api, token, externalRef)).headers.get("idempotent-replayed") === "true";

/** Two partners reserve until they are stopped. `acknowledged`: the references of the holds that were answered. */
function startPartners(api: string, token: string): { acknowledged: string[]; stop(): Promise<unknown> } {
	const acknowledged: string[] = [];
	let isOver = false;
	const partner = async (name: string): Promise<void> => {
		for (let n = 0; !isOver; n++) {
			const reference = `${name}-${n}`;
			if ((await reserve(api, token, reference).catch(() => null))?.status === 201) acknowledged.push(reference);
			await sleep(40); // the first key may send 600 requests a minute
		}
	};
	const working = [newId(), newId()].map(partner);
	return {
		acknowledged,
		stop: () => {
			isOver = true;
			return Promise.all(working);
		},
	};
}

const postgresOf = async (data: string): Promise<number> =>
	Number((await readFile(join(base, data, "postgres/postmaster.pid"), "utf8")).split("\n")[0]);

/** A reserve whose body is not complete yet. */
function halfReserve(api: string, token: string): { socket: Socket; finish(): Promise<string> } {
	const { hostname, port } = new URL(api);
	const body = JSON.stringify({ items: [{ sku: "SBX-PLENTY", qty: 1 }] });
	const socket = connect(Number(port), hostname);
	socket.on("error", () => undefined);
	socket.write(
		`POST /api/v1/reserve HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
	);
	let answer = "";
	socket.on("data", (chunk) => {
		answer += chunk.toString();
	});
	const closed = new Promise<string>((resolve) => {
		socket.once("close", () => resolve(answer));
	});
	return {
		socket,
		finish: () => {
			socket.write(body.slice(9));
			return closed;
		},
	};
}

describe("npm start", { timeout: 180_000 }, () => {
	test("on an empty data folder prints a sandbox key once, with a curl that works, and passes both signals on", async () => {
		const first = npmStart();
		const api = await apiOf(first);
		const { curl, token } = await welcomeOf(first);
		expect(curl).toContain(api);
		const pasted = start("sh", ["-c", `${curl} -w '\\n%{http_code}\\n'`]);
		await pasted.exited;
		expect(pasted.lines.at(-1)).toBe("201");
		expect(pasted.lines.join()).toContain("reservation_token");

		// on SIGTERM, the service drains, and its PostgreSQL stops with it
		const postgres = await postgresOf("data");
		await first.stop();
		await until("the service to say so", () => first.errors.includes("Stopped."));
		await expect(fetch(`${api}/livez`)).rejects.toThrow("fetch failed");
		expect(isAlive(postgres)).toBe(false);

		const second = npmStart();
		await apiOf(second);
		// a Ctrl-C, which the terminal sends to npm and to the service, is one signal
		const next = await postgresOf("data");
		process.kill(-second.pid, "SIGINT");
		await second.exited;
		await until("the service to say so", () => second.errors.includes("Stopped."));
		expect(isAlive(next)).toBe(false);
		expect(second.errors.join()).not.toContain("sk_hf_");
		expect([...first.lines, ...second.lines].join()).not.toContain(token.split(":")[1]); // never in the log
	});
});

describe("SIGTERM", { timeout: 180_000 }, () => {
	beforeEach(() => makeDataFolder(join(base, "data")));

	test("lets a request under way end; a second one ends the service at once, and the next start takes its PostgreSQL over", async () => {
		const service = serve();
		const api = await apiOf(service);
		const { token } = await welcomeOf(service);
		const postgres = await postgresOf("data");
		const half = halfReserve(api, token);
		await sleep(300);
		service.process.kill("SIGTERM");
		await sleep(1_200); // signals closer together are one
		service.process.kill("SIGTERM");
		expect(await service.exited).toBe(1);
		half.socket.destroy();
		expect(isAlive(postgres)).toBe(true);
		const next = serve();
		const nextApi = await apiOf(next);
		expect(next.errors.join("\n")).toContain(`process ${postgres}`);
		await stopWhileReserving(next, nextApi, token);
		expect(isAlive(postgres)).toBe(false);
	});

	/** A single one lets a request under way end and answers it; the exit code is 0. */
	async function stopWhileReserving(service: Child, api: string, token: string): Promise<void> {
		const half = halfReserve(api, token);
		await sleep(300); // it is under way
		service.process.kill("SIGTERM");
		await until("the signal to be seen", () => service.errors.some((line) => line.startsWith("SIGTERM")));
		await expect(until("new connections to be refused", () => fetch(`${api}/livez`).then(() => null))).rejects.toThrow(
			"fetch failed",
		);
		const answer = await half.finish();
		expect(answer).toMatch(/^HTTP\/1.1 201 /);
		expect(await service.exited).toBe(0);
	}
});

describe("SIGKILL while partners reserve", { timeout: 240_000 }, () => {
	beforeEach(() => makeDataFolder(join(base, "data")));

	test("of the service, of both and of PostgreSQL loses no acknowledged hold, and the service serves again", async () => {
		let child = serve();
		let api = await apiOf(child);
		const { token } = await welcomeOf(child);
		for (const [service, postgres] of [
			[true, false],
			[true, true],
			[false, true],
		]) {
			const partners = startPartners(api, token);
			await until("some holds", () => partners.acknowledged.length > 20);
			const server = await postgresOf("data");
			if (service) child.process.kill("SIGKILL");
			if (postgres) process.kill(server, "SIGKILL");
			if (service) {
				await child.exited;
				await partners.stop();
				child = serve();
				api = await apiOf(child);
			} else {
				const before = partners.acknowledged.length;
				await until("holds after the kill", () => partners.acknowledged.length > before + 10);
				await partners.stop();
				expect(await postgresOf("data")).not.toBe(server);
			}
			for (const reference of partners.acknowledged)
				expect([reference, await isReplayed(api, token, reference)]).toEqual([reference, true]);
		}
		expect(await child.stop()).toBe(0);
	});
});

describe("a start that cannot work says why in one line and ends with 1", { timeout: 120_000 }, () => {
	const refused = async (variables: Record<string, string>): Promise<string[]> => {
		const child = serve(variables);
		expect(await child.exited).toBe(1);
		return child.errors;
	};

	test("bad values, each with its line", async () => {
		const lines = await refused({ HOLDFAST_PORT: "http", HOLDFAST_TIME_ZONE: "Mars" });
		expect(lines.map((line) => line.split(":")[0])).toEqual(["HOLDFAST_PORT", "HOLDFAST_TIME_ZONE"]);
	});

	test("a port that is taken", async () => {
		await makeDataFolder(join(base, "data"));
		const other = createServer().listen(0, "127.0.0.1");
		await until("the other program to listen", () => other.listening);
		const { port } = other.address() as AddressInfo;
		const lines = await refused({ HOLDFAST_PORT: String(port) });
		other.close();
		expect(lines.at(-1)).toBe(
			`HOLDFAST_PORT: cannot listen on 127.0.0.1 port ${port}: another program is using this port.`,
		);
		expect(isAlive(await postgresOf("data").catch(() => 0))).toBe(false);
	});

	test("a database that is not there, without its password; one without a key ring; and one that is not durable", async () => {
		const away = refused({
			HOLDFAST_DATABASE_URL: "postgresql://holdfast:hush@127.0.0.1:1/holdfast",
			HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
		}); // is tried for some seconds
		away.catch(() => undefined); // awaited below
		const database = await openTestDatabase();
		const own = { HOLDFAST_DATABASE_URL: database.url };
		expect((await refused({ ...own, HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true" })).at(-1)).toContain(
			"`npm run -s holdfast -- secrets generate`",
		);
		const lines = await refused({ ...own, HOLDFAST_SECRET_KEYS: newKeyRingEntry() });
		expect(lines.join("\n")).toMatch(/fsync = off[\s\S]*HOLDFAST_ACCEPT_UNSAFE_DATABASE=true/);
		await database.close();
		const [line, ...more] = await away;
		expect([line, more]).toEqual([expect.stringContaining("HOLDFAST_DATABASE_URL"), []]);
		expect(line).not.toContain("hush");
	});
});
