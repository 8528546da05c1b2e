import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../../../service/src/ground/lib/assert.ts";
import { GetGoLive } from "../../../../service/src/upkeep/golive/admin-contract.ts";
import { StartGoLive, StopGoLive, WaiveGoLive } from "../../../../service/src/upkeep/golive/run-write-contract.ts";
import { openSandboxWorld } from "../../../../service/test/contract/sandbox-world.ts";
import type { World } from "../../../../service/test/contract/world.ts";
import { operate } from "../../../../service/test/operate.ts";
import { killAll, until } from "../../../../service/test/processes/child.ts";
import { partner, startPartner } from "../run-for-tests.ts";

let world: World;
let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-golive-"));
	world = await openSandboxWorld();
});
afterEach(killAll);
afterAll(async () => {
	await world.stop();
	await rm(folder, { recursive: true });
});

const socket = () => ({ socket: world.deps.config.adminSocket });

/** A sandbox key with a running run, and its settings. */
async function running() {
	const { token, pk } = await world.key({ brand: "SANDBOX" });
	const { json } = await operate(socket(), StartGoLive, { body: { key: pk } });
	const id = must<string>(json.data.golive_id, "the run");
	return {
		id,
		pk,
		surroundings: { env: { HOLDFAST_URL: `http://127.0.0.1:${world.port}`, HOLDFAST_TOKEN: token }, cwd: folder },
	};
}

const operatorsRun = async (id: string) => (await operate(socket(), GetGoLive, { params: { id } })).json.data;

async function waiveAll(id: string): Promise<void> {
	for (const check of (await operatorsRun(id)).missing as string[]) {
		await operate(socket(), WaiveGoLive, { params: { id }, body: { check, reason: "Not for this shop." } });
	}
}

describe("golive", () => {
	it("has the operator's verdicts, check by check, and what to do about each", async () => {
		const { id, surroundings } = await running();
		const { code, json } = await partner(["golive", "--json"], surroundings);
		expect(code).toBe(1);
		const { number, checks } = await operatorsRun(id);
		expect(json).toMatchObject({ number, state: "running", passed: false });
		const verdicts = (all: { check: string; verdict: string }[]) => all.map(({ check, verdict }) => [check, verdict]);
		expect(verdicts(json.checks)).toEqual(verdicts(checks));
	});

	it("says the same to a person, with the commands that help", async () => {
		const { pk, surroundings } = await running();
		const { code, out } = await partner(["golive"], surroundings);
		expect(code).toBe(1);
		expect(out).toMatch(new RegExp(`^Go-live \\d+ of ${pk}: running, passed 0 of`));
		expect(out).toMatch(/^waiting {2}drill: .*\n +To do: .*\n +To do: "holdfast-partner golive --drill" starts it\.$/m);
		expect(out).toMatch(/^Not passed yet: rate, mirror_fresh, /m);
	});

	it("writes a report: Markdown for people, JSON for programs", async () => {
		const { pk, surroundings } = await running();
		await partner(["golive", "--report", "run.md"], surroundings);
		const text = await readFile(join(folder, "run.md"), "utf8");
		expect(text).toContain(`with the key \`${pk}\``);
		expect(text).toContain("## Rate of requests: waiting\n\nCheck `rate`. Passed when: ");
		const { json } = await partner(["golive", "--report", "run.json", "--json"], surroundings);
		expect(JSON.parse(await readFile(join(folder, "run.json"), "utf8"))).toEqual(json);
		expect(await partner(["golive", "--report", "no/such/folder.md"], surroundings)).toMatchObject({ code: 2 });
	});

	it("exits 0 when every check is passed or waived", async () => {
		const { id, surroundings } = await running();
		await waiveAll(id);
		const { code, out } = await partner(["golive"], surroundings);
		expect(code).toBe(0);
		expect(out).toMatch(/^waived {3}rate: .*\n +Waived: Not for this shop\.$/m);
		expect(out).toContain("ask the operator to finish the run");
	});

	it("watches until the run is passed, and prints what changed", async () => {
		const { id, surroundings } = await running();
		const watching = startPartner(["golive", "--watch", "--every", "1"], surroundings);
		await until("the run", () => watching.lines.some((line) => line.startsWith("Not passed yet")));
		await waiveAll(id);
		expect(await watching.exited).toBe(0);
		expect(watching.lines).toContainEqual(expect.stringMatching(/Z rate: waiting -> waived\. /));
	});

	it("starts a drill, waits through it, and ends when it is told to", async () => {
		const { id, surroundings } = await running();
		const drilling = startPartner(["golive", "--drill", "--watch", "--every", "1", "--json"], surroundings);
		await until("the refusal", () => drilling.errors.some((line) => line.includes("a drill is under way")));
		expect(JSON.parse(drilling.lines.slice(0, drilling.lines.indexOf("}") + 1).join("\n"))).toMatchObject({
			drill_until: expect.any(String),
		});
		expect(await partner(["golive", "--json"], surroundings)).toMatchObject({
			code: 3,
			json: { error: { code: "unauthorized" } },
		});
		await operate(socket(), StopGoLive, { params: { id }, body: { what: "drill" } });
		await until("the run", () => drilling.errors.some((line) => line.includes("answers again")));
		expect(await drilling.stop()).toBe(1);
	});

	it("without a run, or with a live key, says who starts one", async () => {
		const env = { HOLDFAST_URL: `http://127.0.0.1:${world.port}` };
		const [none, live] = [await world.key({ brand: "SANDBOX" }), await world.key()];
		const without = await partner(["golive"], { env: { ...env, HOLDFAST_TOKEN: none.token } });
		expect(without).toMatchObject({ code: 1, out: "", err: expect.stringContaining("ask the operator to start one") });
		expect(await partner(["golive", "--drill"], { env: { ...env, HOLDFAST_TOKEN: none.token } })).toMatchObject({
			code: 1,
		});
		expect(await partner(["golive"], { env: { ...env, HOLDFAST_TOKEN: live.token } })).toMatchObject({ code: 3 });
	});

	it.each([
		[["--drill", "--messages"], "one thing at a time"],
		[["--drill", "--report", "x.md"], "--report writes"],
		[["--watch", "--report", "x.md"], "--report writes"],
		[["--watch", "--every", "0"], "--every must be"],
	])("refuses %j", async (options, words) => {
		const { surroundings } = await running();
		const { code, out, err } = await partner(["golive", ...options], surroundings);
		expect([code, out, err]).toEqual([2, "", expect.stringContaining(words)]);
	});
});
