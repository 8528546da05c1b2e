import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MintToken } from "../../src/partners/operators/contract.ts";
import { GetHealth } from "../../src/upkeep/health/health-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { holdfast } from "../processes/holdfast.ts";

interface Found {
	readonly what: string;
	readonly ok: boolean;
	readonly found: string;
	readonly advice: string | null;
}

let house: House;

beforeAll(async () => {
	house = await openHouse();
});
afterAll(() => house.close());

const read = async (): Promise<{ readonly ok: boolean; readonly findings: readonly Found[] }> => {
	const { status, json } = await operate(house, GetHealth);
	expect(status).toBe(200);
	return json.data;
};
const found = async (what: string): Promise<readonly Found[]> =>
	(await read()).findings.filter((finding) => finding.what === what);

describe("The health of a service", () => {
	it("is good where nothing is wrong, and says what was looked at", async () => {
		const { ok, findings } = await read();
		expect(findings.filter((finding) => !finding.ok)).toEqual([]);
		expect(ok).toBe(true);
		expect(findings.map(({ what }) => what)).toEqual(
			expect.arrayContaining([
				"Node",
				"database",
				"clocks",
				"durability",
				"migrations",
				"jobs",
				"common settings",
				"key ring",
			]),
		);
	});

	it("is bad while a job fails, while nodes differ, and while the key ring lacks an entry: each is named with a cure", async () => {
		await house.mint();
		await house.db.query("update key_secret set pepper_id = 'gone'");
		await house.db.query(
			`insert into running_node (node_id, started_at, seen_at, settings)
			 select gen_random_uuid(), now() - interval '1 day', now(), settings || '{"HOLDFAST_TIME_ZONE":"Asia/Tokyo"}' from running_node`,
		);
		expect(await found("key ring")).toMatchObject([
			{ ok: false, found: expect.stringContaining("it lacks gone") as string },
		]);
		const [differ] = await found("common settings");
		expect(differ).toMatchObject({
			ok: false,
			advice: expect.stringContaining("Give both nodes the same value") as string,
		});
		expect(differ?.found).toContain("Asia/Tokyo");
		expect((await read()).ok).toBe(false);
	});

	it("is what doctor prints with a token, from any machine", async () => {
		const started = await operate(house, MintToken, { body: { name: "doctor", role: "viewer" } });
		const { token } = started.json.data;
		const ran = await holdfast(["doctor", "--json"], { HOLDFAST_URL: house.api, HOLDFAST_OPERATOR_TOKEN: token });
		expect(ran.json.findings.map(({ what }: Found) => what)).toEqual((await read()).findings.map(({ what }) => what));
		expect([ran.code, ran.json.ok]).toEqual([1, false]);
	});
});
