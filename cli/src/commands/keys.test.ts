import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, openHouse } from "../../../service/test/house.ts";
import { holdfast } from "../../../service/test/processes/holdfast.ts";

let house: House;
let env: Record<string, string>;
const run = (...args: string[]) => holdfast(args, env);

beforeAll(async () => {
	house = await openHouse();
	env = { HOLDFAST_ADMIN_SOCKET: house.socket };
});
afterAll(() => house.close());

describe("holdfast keys", () => {
	it("says of a rotation which older secrets end when, and lists those that still work", async () => {
		const name = ["--name", "rolling", "--partner", "Rolling", "--environment", "sandbox", "--preset", "read_only"];
		await run("keys", "mint", ...name);
		const slowly = await run("keys", "rotate", "rolling", "--overlap-hours", "48", "--json");
		const [until] = slowly.json.old_secrets.map((one: { ends_at: string }) => one.ends_at);
		const quicker = await run("keys", "rotate", "rolling", "--overlap-hours", "24", "--json");
		expect(quicker.json.old_secrets).toHaveLength(2);
		expect(quicker.json.old_secrets.every((one: { ends_at: string }) => one.ends_at < until)).toBe(true);
		const shown = (await run("keys", "list")).out.split("\n").find((line) => line.startsWith("Rolling "));
		const listed = (await run("keys", "list", "--json")).json.items.find(
			(key: { name: string }) => key.name === "rolling",
		);
		const ends = listed.secrets.map((one: { expires_at: string | null }) => one.expires_at);
		expect(ends).toEqual([quicker.json.old_secret_ends_at, quicker.json.old_secret_ends_at, null]);
		expect(shown).toMatch(/ \d{4}-\d\d-\d\d \S+, \d{4}-\d\d-\d\d \S+$/);
		const atOnce = await run("keys", "rotate", "rolling", "--overlap-hours", "0");
		expect(atOnce.out.match(/The secret that was created at \S+Z ended, for good, at \S+Z\./g)).toHaveLength(3);
		expect((await run("keys", "list")).out.split("\n").find((line) => line.startsWith("Rolling "))).not.toMatch(
			/\d{4}-\d\d-/,
		);
	}, 180_000);

	it("names keys by partner and name, doubts a new partner whose name is nearly another's, and renames one", async () => {
		const mint = (partner: string, ...more: string[]) => {
			const key = ["--name", "web", "--partner", partner, "--environment", "sandbox", "--preset", "read_only"];
			return run("keys", "mint", ...key, ...more, "--json");
		};
		for (const partner of ["North Web Shop", "Shop A", "Shop B"]) expect((await mint(partner)).code).toBe(0);
		const near = await mint("Nort Web Shop");
		expect([near.code, near.json.error.message]).toEqual([
			1,
			'There is no partner "Nort Web Shop": did you mean "North Web Shop"? To create the partner anyway, set --new-partner.',
		]);
		expect((await mint("Nort Web Shop", "--new-partner")).code).toBe(0);
		expect((await run("keys", "suspend", "web", "--json")).json.error.message).toMatch(
			/^\d keys are named "web"\. Name one by its public half, or as "partner\/name": /,
		);
		expect((await run("keys", "suspend", "Shop A/web")).out).toMatch(/^pk_\S+ is suspended\.$/m);
		expect((await run("keys", "suspend", "Shop A/wep", "--json")).json.error.code).toBe("not_found");
		expect((await run("keys", "resume", "rollin", "--json")).json.error.message).toContain('Did you mean "rolling"?');
		const taken = await run("partners", "rename", "Nort Web Shop", "North Web Shop", "--json");
		expect([taken.code, taken.json.error.message]).toEqual([1, expect.stringContaining("already")]);
		expect((await run("partners", "rename", "Nort Web Shop", "South Web Shop")).out).toBe(
			"Nort Web Shop is called South Web Shop now.\n",
		);
		const { items } = (await run("partners", "list", "--json")).json;
		expect(items.map((one: { name: string; keys: number }) => [one.name, one.keys])).toEqual(
			expect.arrayContaining([
				["North Web Shop", 1],
				["Shop A", 1],
				["South Web Shop", 1],
			]),
		);
		expect((await run("keys", "revoke", "South Web Shop/web")).code).toBe(0);
		expect((await run("partners", "list")).out).toMatch(/^South Web Shop +0 +1 +0 +\d{4}-/m);
	}, 180_000);
});
