import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import { SCOPES } from "../../../service/src/glossary.ts";
import { must } from "../../../service/src/ground/lib/assert.ts";
import { type House, openHouse } from "../../../service/test/house.ts";
import { sizeOr } from "../../../service/test/sizes.ts";
import { createFakeHoldfast } from "./index.ts";
import { liveOnBoth } from "./same-as-service/same-history.ts";
import { fakeSide, furnishSamples, serviceSide } from "./same-as-service/sides.ts";
import { steps } from "./same-as-service/steps.ts";
import { makeTown, type Town, type TownKey } from "./same-as-service/town.ts";

/**
 * Histories that share a service: those of live keys, each in its own town, and those of sandbox keys, each of its own
 * partner.
 */
const HISTORIES = sizeOr(8_500, 10);
const SANDBOX_HISTORIES = sizeOr(1_400, 5);
/** Histories that each have their own service. */
const LONE_HISTORIES = sizeOr(100, 1);
/** Milliseconds for one test at its full size, on a machine that is busy with others. */
const LONGEST_MS = 7_200_000;
/** Towns that are imported into the service at a time. */
const TOWNS_AHEAD = Math.min(50, HISTORIES);

/** A closed port of this machine may be an endpoint: nothing is posted anywhere. Each history has its own address. */
const ENV = { HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8", HOLDFAST_TRUSTED_PROXIES: "127.0.0.1/32" };

let house: House;
let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-fake-"));
	house = await openHouse({ env: { ...ENV, HOLDFAST_COA_STORE: folder } });
});
afterAll(async () => {
	await house.close();
	await rm(folder, { recursive: true });
});

const key: fc.Arbitrary<TownKey> = fc.record({
	bound: fc.constantFrom(true, true, true, false),
	sharedPool: fc.boolean(),
	maxHeldUnits: fc.constantFrom(null, null, 12),
});

describe("The fake answers as the service does", () => {
	// first: minting a sandbox key reads the whole catalogue, to which each history of a live key adds
	it(
		"every generated history of a sandbox key",
		async () => {
			const node = house.deps;
			await house.mint({ environment: "sandbox", brandCode: "SANDBOX", sharedPool: false }); // makes the test SKUs
			await furnishSamples(node);
			const property = fc.asyncProperty(steps({ environment: "sandbox", alone: true }), async (history) => {
				await liveOnBoth(history, await sidesOf(house, null), difference(house, null));
			});
			await check(SANDBOX_HISTORIES, property);
		},
		LONGEST_MS,
	);

	it(
		"every generated history of a live key",
		async () => {
			const property = fc.asyncProperty(key, steps({ environment: "live", alone: false }), async (asked, history) => {
				const town = await nextTown(asked);
				await liveOnBoth(history, await sidesOf(house, town), difference(house, town));
			});
			await check(HISTORIES, property);
		},
		LONGEST_MS,
	);

	it(
		"every generated history of a live key that reads the whole catalogue",
		async () => {
			const property = fc.asyncProperty(key, steps({ environment: "live", alone: true }), async (asked, history) => {
				const town = makeTown("T", asked);
				await inOwnHouse(async (own) => {
					await own.importWorld(town.file);
					await liveOnBoth(history, await sidesOf(own, town), difference(own, town));
				});
			});
			await check(LONE_HISTORIES, property);
		},
		LONGEST_MS,
	);
});

async function inOwnHouse(work: (own: House) => Promise<void>): Promise<void> {
	const own = await openHouse({ env: ENV });
	try {
		await work(own);
	} finally {
		await own.close();
	}
}

async function check<T>(numRuns: number, property: fc.IAsyncProperty<T>): Promise<void> {
	const result = await fc.check(property, { numRuns });
	if (!result.failed) return;
	const cause = result.errorInstance instanceof Error ? result.errorInstance.message : "interrupted";
	const history = JSON.stringify(result.counterexample, null, "\t");
	throw new Error(`seed ${result.seed}, path ${result.counterexamplePath}\n${history}\n${cause}`);
}

let towns = 0;
const ahead: string[] = [];

/** A town that the service has. Towns differ only in their keys, so many are imported at once. */
async function nextTown(asked: TownKey): Promise<Town> {
	if (ahead.length === 0) {
		const names = Array.from({ length: TOWNS_AHEAD }, () => `T${++towns}`);
		const files = names.map((name) => makeTown(name, asked).file as Record<string, unknown[]>);
		const kinds = ["brands", "formulas", "skus", "lots", "demand"] as const;
		await house.importWorld(Object.fromEntries(kinds.map((kind) => [kind, files.flatMap((file) => file[kind] ?? [])])));
		ahead.push(...names);
	}
	return makeTown(must(ahead.shift(), "a town"), asked);
}

/** Both sides with a new key: of a town, or of the sandbox. */
async function sidesOf(of: House, town: Town | null) {
	const node = must(of.nodes[0], "a node");
	const deps = must(node.deps, "a service in this process");
	const brandCode = town === null ? "SANDBOX" : town.key.bound ? town.brand : null;
	const { token, keyId } = await of.mint({
		environment: town === null ? "sandbox" : "live",
		brandCode,
		sharedPool: town?.key.sharedPool ?? false,
		scopes: [...SCOPES],
		requestsPerMinute: 1_000_000,
		maxHeldUnits: town?.key.maxHeldUnits ?? null,
	});
	const fake = createFakeHoldfast({ world: town?.fake ?? { key: { requestsPerMinute: null } } });
	const { rows } = await of.db.query<{ id: number }>("select pool_id as id from pool where brand_code = $1", [
		brandCode,
	]);
	const shared = town !== null && (town.key.sharedPool || !town.key.bound) ? [0] : [];
	const pools = [...rows.map(({ id }) => id), ...shared];
	const { api, coa } = node;
	return [fakeSide(fake), serviceSide({ deps, api, coa, token, keyId, pools, isSandbox: town === null })] as const;
}

/** What differs between the sides, and the names of a history. */
function difference({ nodes }: House, town: Town | null) {
	const { prefix = "", brand = "SANDBOX" } = town ?? {};
	const { api, coa } = must(nodes[0], "a node");
	return {
		names: { prefix, brand },
		texts: [
			...(prefix === "" ? [] : [[prefix, ""] as const]),
			...["https://api.holdfast.test", api].map((url) => [url, "API"] as const),
			...["https://coa.holdfast.test", coa].map((url) => [url, "COA"] as const),
		],
	};
}
