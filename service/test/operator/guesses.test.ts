import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { GetMe } from "../../src/partners/people/me-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { cookieOf, PASSWORD, personAt, signInAt } from "../person.ts";
import { sizeOr } from "../sizes.ts";

/* Somebody who tries to get in, from as many addresses as they like. */

const GUESSES = sizeOr(10_000, 300);
const TIMINGS = sizeOr(10_000, 60);
/** Number of concurrent sign-ins of the attacker. */
const AT_ONCE = 20;
/** Number of accounts whose names the attacker knows: enough that no name is throttled. */
const KNOWN = 200;
/** Maximum distance between the distributions of times of known and of unknown names. */
const ALIKE = 1.95;

let house: House;

beforeAll(async () => {
	house = await openHouse({ env: { HOLDFAST_TRUSTED_PROXIES: "127.0.0.0/8" } });
});
afterAll(() => house.close());

const addressOf = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
const signInFrom = (n: number, body: object) => signInAt(house.api, body, { "X-Forwarded-For": addressOf(n) });

/** Runs `count` tasks, AT_ONCE of them at a time. */
async function inParallel(count: number, task: (n: number) => Promise<void>): Promise<void> {
	let next = 0;
	const worker = async (): Promise<void> => {
		for (let n = next++; n < count; n = next++) await task(n);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

describe("Somebody who guesses", () => {
	it(`a password ${GUESSES} times, each time from another address, does not get in, and shuts nobody out who is in`, async () => {
		const as = await personAt(house.api, house, "anna", "operator");
		const statuses = new Map<number, number>();
		await inParallel(GUESSES, async (n) => {
			const { status } = await signInFrom(n, { name: "anna", password: `a guess, number ${n}` });
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
			if (n % 100 === 0) expect((await operate(as, GetMe)).status).toBe(200);
		});
		expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([401, 429]);
		const { rows } = await house.db.query<{ checked: number; minutes: number }>(
			`select count(*)::int as checked, ceil(extract(epoch from max(at) - min(at)) / 60)::int + 1 as minutes
				   from audit_log where operation = 'sign_in' and status = 401`,
		);
		const { checked, minutes } = must(rows[0], "the audit log");
		expect(checked).toBeLessThanOrEqual(10 * minutes); // a password that is not checked cannot be guessed
	}, 3_600_000);

	it("another person's name is not throttled by it", async () => {
		await personAt(house.api, house, "bert", "viewer");
		const signedIn = await signInFrom(1, { name: "bert", password: PASSWORD });
		cookieOf(signedIn);
		expect(signedIn.status).toBe(200);
	});

	it("cannot bring a cookie of their own into somebody's session", async () => {
		const planted = "A".repeat(43);
		await personAt(house.api, house, "carl", "viewer");
		const signedIn = await signInAt(
			house.api,
			{ name: "carl", password: PASSWORD },
			{ Cookie: `holdfast=${planted}`, "Sec-Fetch-Site": "same-origin" },
		);
		expect(signedIn.status).toBe(200);
		expect(cookieOf(signedIn)).not.toContain(planted);
		expect((await operate({ api: house.api, cookie: `holdfast=${planted}` }, GetMe)).status).toBe(401);
	});
});

describe("Known and unknown names", () => {
	it(`take the same time to be refused, in ${TIMINGS} sign-ins`, async () => {
		await house.db.query(
			`insert into operator_person (person_id, name, role, state, password, created_by)
				 select gen_random_uuid(), 'known-' || n, 'viewer', 'active', (select password from operator_person where name = 'bert'), 'test'
				   from generate_series(0, $1::int - 1) n`,
			[KNOWN],
		);
		const times = { known: [] as number[], unknown: [] as number[] };
		let throttled = 0;
		await inParallel(TIMINGS, async (n) => {
			const kind = n % 2 === 0 ? "known" : "unknown";
			const began = performance.now();
			const { status } = await signInFrom(1_000_000 + n, { name: `${kind}-${(n >> 1) % KNOWN}`, password: "wrong" });
			if (status === 429) throttled++;
			else times[kind].push(performance.now() - began);
		});
		expect(throttled).toBeLessThan(TIMINGS / 2);
		expect(distance(times.known, times.unknown)).toBeLessThan(ALIKE);
	}, 3_600_000);
});

/**
 * The two-sample Kolmogorov–Smirnov statistic, scaled so that 1.95 is exceeded once in a thousand times by two samples
 * of one distribution.
 */
function distance(a: readonly number[], b: readonly number[]): number {
	const [x, y] = [a.toSorted((p, q) => p - q), b.toSorted((p, q) => p - q)];
	let most = 0;
	let j = 0;
	for (const [i, value] of x.entries()) {
		while (j < y.length && (y[j] ?? 0) <= value) j++;
		most = Math.max(most, Math.abs((i + 1) / x.length - j / y.length));
	}
	return most * Math.sqrt((x.length * y.length) / (x.length + y.length));
}
