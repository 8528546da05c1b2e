import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKeyRingEntry } from "../../../service/src/partners/keys/key-ring.ts";
import { type House, openHouse, startProcess } from "../../../service/test/house.ts";
import { holdfast } from "../../../service/test/processes/holdfast.ts";

let house: House;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-alike-"));
	const settings = {
		HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
		HOLDFAST_COA_URL: "https://coa.example.com",
		HOLDFAST_COA_STORE: join(folder, "coa"),
		HOLDFAST_TIME_ZONE: "Europe/Berlin",
		HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true",
	};
	house = await openHouse({ env: settings });
	env = { ...settings, HOLDFAST_DATABASE_URL: house.url, HOLDFAST_PORT: "0", HOLDFAST_COA_PORT: "0" };
	await writeFile(join(folder, "world.json"), JSON.stringify({ brands: [{ code: "ACME", name: "Acme" }] }));
}, 180_000);
afterAll(async () => {
	await house.close();
	await rm(folder, { recursive: true });
});

const without = (...names: string[]) =>
	Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
const settingsFound = async (shell: Record<string, string>) =>
	(await holdfast(["doctor", "--json"], shell)).json.findings.filter(
		({ what }: { what: string }) => what === "common settings",
	);

describe("A command beside a service", () => {
	it("does as the service does, whatever its shell sets", async () => {
		const world = join(folder, "world.json");
		const elsewhere = { ...env, HOLDFAST_TIME_ZONE: "Europe/Paris", HOLDFAST_COA_STORE: join(folder, "typo") };
		const imported = await holdfast(["import", world, "--json"], elsewhere);
		expect([imported.code, imported.json.created.brands]).toEqual([0, 1]);
		expect((await house.db.query("select from pool where brand_code = 'ACME'")).rowCount).toBe(1);
	}, 180_000);

	it("does as the service does where its shell sets nothing", async () => {
		const bare = without("HOLDFAST_TIME_ZONE", "HOLDFAST_COA_URL");
		expect((await holdfast(["import", join(folder, "world.json"), "--dry-run"], bare)).code).toBe(0);
		expect(await settingsFound(bare)).toMatchObject([{ ok: true }]);
	}, 180_000);

	it("goes on where nothing depends on what differs, and where nothing differs", async () => {
		const bare = { ...without("HOLDFAST_COA_STORE"), HOLDFAST_TIME_ZONE: "Europe/Paris" };
		expect((await holdfast(["keys", "list"], bare)).code).toBe(0);
		expect((await holdfast(["catalog", "list"], bare)).code).toBe(0);
		// counted by the service's settings, whatever this shell sets
		const counted = await holdfast(["explain", "SBX-PLENTY", "--json"], { ...env, HOLDFAST_COA_REQUIRED: "true" });
		expect([counted.code, counted.json.counts.available_qty]).toEqual([0, expect.any(Number)]);
		expect(JSON.stringify(counted.json.notes)).not.toContain("certificate is required");
		expect((await holdfast(["import", join(folder, "world.json")], env)).code).toBe(0);
		const elsewhere = { ...env, HOLDFAST_COA_STORE: join(folder, "typo") };
		expect((await holdfast(["verify"], elsewhere)).code).toBe(0);
		expect((await holdfast(["backup", join(folder, "b.tar")], elsewhere)).code).toBe(0);
	}, 180_000);

	it("is told by doctor what differs; a second node of other settings is named by its log and by doctor", async () => {
		expect(await settingsFound(env)).toMatchObject([{ ok: true }]);
		expect(await settingsFound({ ...env, HOLDFAST_COA_URL: "https://typo.example.com" })).toMatchObject([
			{ ok: false, found: expect.stringContaining("HOLDFAST_COA_URL: the service runs with https://coa.example.com") },
		]);
		const second = await startProcess({ ...env, HOLDFAST_COA_REQUIRED: "true" });
		try {
			const warning = "another node on this database runs with HOLDFAST_COA_REQUIRED false, and this one with true";
			expect(second.child?.lines.join("\n")).toContain(warning);
			expect(await settingsFound({ ...env, HOLDFAST_COA_REQUIRED: "true" })).toMatchObject([
				{ ok: true },
				{ ok: false, found: expect.stringContaining("two nodes differ in HOLDFAST_COA_REQUIRED") },
			]);
		} finally {
			await second.stop();
		}
	}, 180_000);

	it("doctor says that a port is taken by a service of this database, or of another", async () => {
		const port = new URL(house.api).port;
		const found = async (shell: Record<string, string>) =>
			(await holdfast(["doctor", "--json"], { ...shell, HOLDFAST_PORT: port })).json.findings.find(
				({ what }: { what: string }) => what === "HOLDFAST_PORT",
			);
		expect(await found(env)).toMatchObject({ ok: true, found: expect.stringMatching(/: Holdfast is serving there$/) });
		const other = { ...without("HOLDFAST_DATABASE_URL"), HOLDFAST_DATA_DIR: join(folder, "other") };
		expect(await found(other)).toMatchObject({
			ok: false,
			found: expect.stringContaining("a Holdfast on another database is serving there"),
			advice: "Set HOLDFAST_PORT.",
		});
	}, 180_000);

	it("follows the service when that is started with other settings", async () => {
		const changed = { ...env, HOLDFAST_COA_URL: "https://lots.example.com" };
		const asked = async (shell: Record<string, string>) =>
			(await settingsFound(shell))
				.map(({ found }: { found: string }) => found)
				.filter((found: string) => found.includes("the service runs with"));
		expect(await asked(changed)).toEqual([expect.stringContaining("runs with https://coa.example.com")]);
		expect((await holdfast(["ship", "queue"], changed)).code).toBe(0); // in its own process, with the service's settings
		const next = await startProcess(changed);
		try {
			expect(await asked(changed)).toEqual([]);
			expect(await asked(env)).toEqual([expect.stringContaining("runs with https://lots.example.com")]);
		} finally {
			await next.stop();
		}
		// a stopped service changes nothing: its settings count until the next start has others
		expect(await asked(changed)).toEqual([]);
	}, 180_000);
});
