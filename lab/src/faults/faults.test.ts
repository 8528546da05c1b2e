import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createChance } from "../chance.ts";
import { openGround } from "../ground/open-ground.ts";
import type { FaultContext, Ground } from "../ground/types.ts";
import { FAULTS } from "./faults.ts";

const SERVICE_FOLDER = path.resolve(import.meta.dirname, "../../../service");
/** Kinds that take only a moment, and that an everyday run of the lab (run.test.ts) does not have. */
const SHORT = ["postgres-kill", "backend-cancel"];

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-faults-test-"));
let ground: Ground;
beforeAll(async () => {
	ground = await openGround({ standby: false, nodes: 1, serviceFolder: SERVICE_FOLDER, folder, say: () => undefined });
});
afterAll(async () => {
	await ground?.stop();
	rmSync(folder, { recursive: true, force: true });
});

const context = (name: string): FaultContext => ({
	ground,
	chance: createChance(1).fork(name),
	targets: { skus: [], keyIds: [] },
	stopped: new AbortController().signal,
});

test("every kind of fault has a name of its own", () => {
	expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});

test("a ground without disk, clock and standby says which kinds it cannot offer, and why", () => {
	const missing = FAULTS.filter((fault) => fault.unavailable?.(ground)).map(({ name }) => name);
	expect(missing.toSorted()).toEqual(["clock-step", "disk-full", "promotion"]);
});

test.each(SHORT)("%s ends with the ground whole, and says what it did", async (name) => {
	const fault = FAULTS.find((one) => one.name === name);
	const record = await fault?.inject(context(name));
	expect(record?.fault).toBe(name);
	expect(record?.what).not.toBe("");
	expect(record?.ended).toBeGreaterThan(record?.began ?? Number.POSITIVE_INFINITY);
	const [node] = ground.nodes;
	expect((await fetch(`${node?.direct}/readyz`)).status).toBe(200);
	expect((await ground.admin().query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("a fault that aims at rows finds none in an empty stock, and does not count", async () => {
	for (const name of ["lot-locked", "hold-locked"]) {
		const record = await FAULTS.find((one) => one.name === name)?.inject(context(name));
		expect(record?.fault).toBe("missed");
	}
});
