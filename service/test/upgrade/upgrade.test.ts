import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKeyRingEntry } from "../../src/partners/keys/key-ring.ts";
import { openDataPlace } from "../data-folder.ts";
import { type Node, openTestDatabase, startProcess, type TestDatabase } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { audit } from "../model/audit.ts";
import { killAll, until } from "../processes/child.ts";
import { holdfastAlone } from "../processes/holdfast.ts";
import { sizeOr } from "../sizes.ts";
import { type Balancer, openBalancer } from "./balancer.ts";
import { newTally, openPartner, type Partner } from "./partner.ts";
import {
	lastMigrationOf,
	putReleaseAfter,
	putTree,
	RELEASE_BEFORE,
	ROOT,
	refusesWhatItLacks,
	whyMissing,
} from "./release-before.ts";

/*
 * Two nodes of the release before are replaced by this one's, one after the other, and then back, while partners go on
 * selling; on any other day than that of a full run, only one comes back. The release before is the tree of its commit,
 * run with the packages that are installed here.
 */

const PARTNERS = sizeOr(64, 8);
/** Carts that each partner completes between two replacements. */
const CARTS = sizeOr(8, 2);
const UNITS = 1_000_000;
/** Seconds for which a node that is being replaced still serves, so that the balancer sees it leave. */
const STOP_DELAY_SECONDS = "1";

interface Upgrade {
	readonly title: string;
	/** Writes the two releases into folders of their own, unless they are there: the old one first. */
	put(folder: string): [old: string, young: string];
}

const missing = whyMissing(RELEASE_BEFORE);
const { version, commit } = RELEASE_BEFORE;
const FROM_BEFORE: Upgrade = {
	title: `from ${version} (${commit.slice(0, 8)}) to this release`,
	put(folder) {
		const before = join(folder, "before");
		putTree(commit, before);
		return [before, ROOT];
	},
};
const TO_AFTER: Upgrade = {
	title: "from this release to one that changes every busy table",
	put(folder) {
		const after = join(folder, "after");
		putReleaseAfter(after);
		return [ROOT, after];
	},
};
const UPGRADES = [...(missing === null ? [FROM_BEFORE] : []), ...sizeOr([TO_AFTER], [])];

// by %s, because a title is cut off otherwise
describe.each(UPGRADES.map((one) => [one.title, one] as const))("An upgrade %s, and back", (_title, { put }) => {
	let folder: string;
	let old: string;
	let young: string;
	let database: TestDatabase;
	let balancer: Balancer;
	let env: Record<string, string>;
	const tally = newTally();
	let nodes: Node[];
	let partners: Partner[];
	let started = 0;

	const launcherOf = (tree: string): string => join(tree, "cli/bin/holdfast.js");
	const socket = (n: number): string => join(tmpdir(), `holdfast-upgrade-${process.pid}-${n}.sock`);
	const startOf = (tree: string): Promise<Node> =>
		startProcess({ ...env, HOLDFAST_ADMIN_SOCKET: socket(++started) }, launcherOf(tree));

	beforeAll(async () => {
		folder = await openDataPlace("upgrade");
		[old, young] = put(folder);
		database = await openTestDatabase("template1"); // empty: the old release makes its schema
		balancer = openBalancer();
		env = {
			HOLDFAST_DATABASE_URL: database.url,
			HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
			HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true",
			HOLDFAST_PORT: "0",
			HOLDFAST_COA_PORT: "0",
			HOLDFAST_COA_STORE: join(folder, "coa"),
			HOLDFAST_STOP_DELAY_SECONDS: STOP_DELAY_SECONDS,
		};
		nodes = [await startOf(old), await startOf(old)];
		for (const node of nodes) balancer.add(node);
		const tokens = await stockAndMint();
		partners = tokens.map((token, n) => openPartner(`p${n}`, token, balancer, tally));
	});
	afterAll(async () => {
		await Promise.allSettled(partners?.map((partner) => partner.stop()) ?? []);
		await balancer?.close();
		await killAll();
		await database?.close();
		await rm(folder, { recursive: true, force: true });
	});

	/** Imports a world with a key for each partner, by the old release. */
	async function stockAndMint(): Promise<string[]> {
		const file = join(folder, "world.json");
		const names = Array.from({ length: PARTNERS }, (_, n) => `Partner ${n}`);
		const world = {
			formulas: [{ code: "F-TEA", name: "Tea", status: "active" }],
			skus: [{ sku: "TEA", name: "Tea", kind: "single", components: [{ formula: "F-TEA", per_kit: 1 }] }],
			lots: [{ formula: "F-TEA", brand_code: null, batch_number: "B1", units: UNITS }],
			partners: names.map((name) => ({ name })),
			keys: names.map((partner) => ({
				name: "shop",
				partner,
				environment: "live",
				brand_code: null,
				shared_pool: true,
				scopes: ["atp.reserve", "atp.release", "atp.consume", "atp.orders"],
				requests_per_minute: 100_000,
			})),
		};
		await writeFile(file, JSON.stringify(world));
		const ran = await holdfastAlone(
			["import", file, "--json"],
			{ ...env, HOLDFAST_ADMIN_SOCKET: socket(1) },
			launcherOf(old),
		);
		expect(ran.err).toBe("");
		keepSecretsOf(ran.out);
		return (ran.json.keys as { token: string }[]).map(({ token }) => token);
	}

	/** Lets every partner complete some carts more. */
	async function sellOn(): Promise<void> {
		const goal = partners.map(({ done }) => done + CARTS);
		await until("every partner to sell on", () => partners.every(({ done }, n) => done >= (goal[n] ?? 0)));
		expect(tally.failed).toEqual([]);
	}

	/** Replaces the node at this place by one of another release, as deploying does: stop, then start. */
	async function replace(place: number, tree: string): Promise<void> {
		const leaving = nodes[place] as Node;
		await leaving.stop();
		balancer.remove(leaving);
		const node = await startOf(tree);
		nodes[place] = node;
		balancer.add(node);
		await until("it to be given requests", async () => (await fetch(`${node.api}/readyz`)).ok);
		await sellOn();
	}

	it("each node is replaced by a young one, while the other one serves", async () => {
		await sellOn();
		await replace(0, young); // migrates, while an old node serves
		await replace(1, young);
	});

	it("old nodes come back, on the schema of the young ones", async () => {
		if (refusesWhatItLacks(old)) await hideWhatItLacks();
		await replace(0, old);
		if (sizeOr(true, false)) await replace(1, old); // without it, the two releases stay side by side
	});

	it("no request failed, and everything that was acknowledged is there", async () => {
		await Promise.all(partners.map((partner) => partner.stop()));
		expect(tally.failed).toEqual([]);
		const { requests, again, slowestMs } = tally;
		const lost = await Promise.all(partners.map((partner) => partner.lookUp()));
		const kept = partners.flatMap((partner) => partner.kept);
		console.log(
			`${PARTNERS} partners: ${requests} requests, 0 failed, slowest ${Math.round(slowestMs)} ms, sent again ${JSON.stringify(Object.fromEntries(again))}; ${kept.length} acknowledged holds looked up, ${lost.flat().length} lost`,
		);
		expect(lost.flat()).toEqual([]);
		expect(new Set(kept.map(({ status }) => status))).toEqual(new Set(["consumed", "placed", "released", "active"]));
		expect(kept.length).toBeGreaterThanOrEqual(PARTNERS * CARTS * sizeOr(5, 4));
		expect(await audit(database.db)).toEqual([]);
	});

	/** Builds from before decision 0103 start only on migrations that they know: the others are hidden from them. */
	async function hideWhatItLacks(): Promise<void> {
		const { rowCount } = await database.db.query("delete from schema_migration where name > $1", [
			lastMigrationOf(old),
		]);
		expect(rowCount).toBeGreaterThan(0);
	}
});

describe("A clone that lacks the release before", () => {
	it("says so in a sentence, and the test is skipped", ({ skip }) => {
		expect(whyMissing({ version: "0.1.0", commit: "0".repeat(40) })).toBe(
			"This clone lacks the commit 000000000000 of 0.1.0, as a shallow one does: fetch it to run this test.",
		);
		skip(missing !== null, missing ?? "");
	});
});
