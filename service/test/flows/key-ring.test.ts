import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKeyRingEntry } from "../../src/partners/keys/key-ring.ts";
import { makeDataFolder, openDataPlace } from "../data-folder.ts";
import { holdfast } from "../processes/holdfast.ts";

/*
 * The key ring of a database with keys: lost, replaced by another one, and put back, with the commands and starts of an
 * operator.
 */

let folder: string;
let ring: string;
let env: Record<string, string>;
let id: string;

beforeAll(async () => {
	folder = await openDataPlace("ring");
	const data = join(folder, "data");
	env = { HOLDFAST_DATA_DIR: data, HOLDFAST_PORT: "0", HOLDFAST_COA_PORT: "0" };
	ring = join(data, "secret-keys");
	await makeDataFolder(data);
	const minted = await mint("first");
	expect(minted.code).toBe(0);
	id = (await readFile(ring, "utf8")).split(":")[0] ?? "";
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const THIRD = ["--name", "third", "--partner", "P", "--environment", "sandbox", "--preset", "read_only"];

const mint = (name: string) =>
	holdfast(
		["keys", "mint", "--name", name, "--partner", "P", "--environment", "sandbox", "--preset", "read_only", "--json"],
		env,
	);

/** The finding of doctor about the ring. */
async function diagnosis(): Promise<{ ok: boolean; found: string; advice: string | null }> {
	const { json } = await holdfast(["doctor", "--json"], env);
	return json.findings.find(({ what }: { what: string }) => what === "key ring");
}

describe("A key ring that is not the one of the keys", () => {
	it("stops the start and every command that would use it, by the name of what is missing, and none is made in its place", async () => {
		await rename(ring, `${ring}.kept`);
		const missing = expect.stringContaining(`1 key has secrets under the entry ${id}`);
		const start = await holdfast(["start"], env);
		expect([start.code, start.err]).toEqual([1, missing]);
		expect((await mint("second")).json.error.message).toEqual(missing);
		expect(await diagnosis()).toMatchObject({ ok: false, found: missing });
		await expect(stat(ring)).rejects.toThrow("ENOENT");

		await writeFile(ring, `${newKeyRingEntry()}\n`, { mode: 0o600 });
		const foreign = await holdfast(["start"], env);
		expect([foreign.code, foreign.err]).toEqual([1, missing]);
		expect(await diagnosis()).toMatchObject({ ok: false, found: missing });

		await rename(`${ring}.kept`, ring);
		expect(await diagnosis()).toMatchObject({ ok: true });
	}, 120_000);

	it("is accepted when the operator says so, and a ring that knows some of the keys is good for those", async () => {
		const old = (await readFile(ring, "utf8")).trim();
		const fresh = newKeyRingEntry();
		await writeFile(ring, `${fresh}\n`);
		const accepted = { ...env, HOLDFAST_ACCEPT_LOST_KEYS: "1" };
		const rotated = await holdfast(["keys", "rotate", "first", "--overlap-hours", "0", "--json"], accepted);
		expect([rotated.code, rotated.err]).toEqual([0, expect.stringContaining("these keys are refused")]);
		expect((await mint("second")).code).toBe(0);
		expect(await diagnosis()).toMatchObject({ ok: true }); // all secrets of the old entry have been rotated out
		await writeFile(ring, `${fresh},${old}\n`);
		expect(await diagnosis()).toMatchObject({ ok: true });
		await writeFile(ring, `${old}\n`);
		const other = await holdfast(["keys", "mint", ...THIRD], { ...env, HOLDFAST_ACCEPT_LOST_KEYS: "1" });
		expect(other.code).toBe(0);
		const lacking = `lacks ${fresh.split(":")[0]} (2 of the keys)`;
		expect(await diagnosis()).toMatchObject({ ok: false, found: expect.stringContaining(lacking) });
	}, 120_000);
});
