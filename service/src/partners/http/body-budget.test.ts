import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { until } from "../../../test/processes/child.ts";
import { BodyBudget, UNCOUNTED_BYTES } from "./body-budget.ts";

const KB = 1024;
/** Room for three bodies of 100 KB of one key, and for five in total: the bytes above 16 KB of each count. */
const LIMITS = { perKey: 260 * KB, inAll: 430 * KB };
const SIZE = 100 * KB;

let database: TestDatabase;
let doors: Doors;
let bodies: BodyBudget;
let mine: string;
let theirs: string;
const callers = new Set<Caller>();

beforeAll(async () => {
	database = await openTestDatabase();
});
beforeEach(async () => {
	bodies = new BodyBudget(LIMITS);
	doors = await openDoors(database.db, { bodies });
	[mine, theirs] = [(await doors.mint()).token, (await doors.mint()).token];
});
afterEach(async () => {
	for (const caller of callers) caller.hangUp();
	callers.clear();
	await doors.close();
});
afterAll(() => database.close());

/** A connection that sends requests a piece at a time. */
class Caller {
	readonly #socket: Socket;
	#received = "";
	#begun = 0;
	#wake: () => void = () => undefined;

	constructor() {
		this.#socket = connect(doors.port, "127.0.0.1");
		this.#socket.on("error", () => undefined);
		this.#socket.on("data", (chunk) => {
			this.#received += chunk.toString("latin1");
			this.#wake();
		});
		callers.add(this);
	}

	/** Sends a request's headers and the first bytes of its body, and waits until the server has read them. */
	async begin(token: string, length: number | "chunked" = SIZE, first = "{"): Promise<void> {
		const before = bodies.inFlight;
		const framing = length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
		this.write(
			`POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n${first}`,
		);
		const isFirst = this.#begun++ === 0; // bytes sent after another request are read after it
		if (length === "chunked" || length <= UNCOUNTED_BYTES || !isFirst) {
			await fetch(`${doors.origin}/api/versions`);
			return;
		}
		await until("a body to be counted or refused", () => bodies.inFlight > before || this.#received !== "");
	}

	write(bytes: string): void {
		this.#socket.write(bytes);
	}

	/** Status and code of the next reply. */
	async answer(): Promise<string> {
		for (;;) {
			const [reply, status, length, body] =
				/^HTTP\/1.1 (\d+)[^]*?content-length: (\d+)[^]*?\r\n\r\n([^]*)$/i.exec(this.#received) ?? [];
			if (reply !== undefined && body !== undefined && body.length >= Number(length)) {
				this.#received = body.slice(Number(length));
				const told = JSON.parse(body.slice(0, Number(length))) as { error?: { code: string } };
				return `${status} ${told.error?.code ?? ""}`.trim();
			}
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
	}

	hangUp(): void {
		this.#socket.destroy();
		callers.delete(this);
	}
}

const REST = `"items":[{"sku":"A","qty":1}]}`;
/** The rest of a body of `length` bytes that begins with a brace. */
const rest = (length = SIZE): string => " ".repeat(length - 1 - REST.length) + REST;

async function begun(count: number, token: string): Promise<Caller[]> {
	const list = Array.from({ length: count }, () => new Caller());
	for (const caller of list) await caller.begin(token);
	return list;
}

describe("Large bodies in flight are bounded in bytes", () => {
	it("of one key: one too many is 429 at once, though the others are slow; another key's pass; and what was begun is finished", async () => {
		const slow = await begun(3, mine);
		const more = new Caller();
		await more.begin(mine);
		expect(await more.answer()).toBe("429 rate_limited");
		const other = new Caller();
		await other.begin(theirs);
		other.write(rest());
		expect(await other.answer()).toBe("201");
		for (const caller of slow) caller.write(rest());
		for (const caller of slow) expect(await caller.answer()).toBe("201");
		await begun(3, mine); // the room is free again
		const again = new Caller();
		await again.begin(mine);
		expect(await again.answer()).toBe("429 rate_limited");
	});

	it("of all keys together", async () => {
		await begun(3, mine);
		await begun(2, theirs);
		const more = new Caller();
		await more.begin(theirs);
		expect(await more.answer()).toBe("429 rate_limited");
	});

	it("those that do not say their length are counted as they come", async () => {
		await begun(3, mine);
		const chunked = new Caller();
		await chunked.begin(mine, "chunked", `1\r\n{\r\n`);
		chunked.write(`${(40 * KB).toString(16)}\r\n${" ".repeat(40 * KB)}\r\n`);
		expect(await chunked.answer()).toBe("429 rate_limited");
	});

	it("a caller that hangs up gives its room back, whatever it sent behind each other", async () => {
		const [first, ...others] = await begun(2, mine);
		first?.write(rest());
		await first?.begin(mine); // a second one on the same connection
		expect(await first?.answer()).toBe("201");
		for (const caller of [first, ...others]) caller?.hangUp();
		await until("the room to be given back", () => bodies.inFlight === 0);
		const list = await begun(3, mine);
		for (const caller of list) caller.write(rest());
		for (const caller of list) expect(await caller.answer()).toBe("201");
	});

	it("small ones are not counted", async () => {
		await begun(3, mine);
		const small = Array.from({ length: 50 }, () => new Caller());
		for (const caller of small) await caller.begin(mine, 16 * KB);
		for (const caller of small) {
			caller.write(rest(16 * KB));
			expect(await caller.answer()).toBe("201");
		}
	});
});
