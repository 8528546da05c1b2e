import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SCOPES } from "../../../../service/src/glossary.ts";
import { StartGoLive } from "../../../../service/src/upkeep/golive/run-write-contract.ts";
import { RestockOperatorSandbox } from "../../../../service/src/upkeep/sandbox/admin-contract.ts";
import { openSandboxWorld } from "../../../../service/test/contract/sandbox-world.ts";
import type { World } from "../../../../service/test/contract/world.ts";
import { operate } from "../../../../service/test/operate.ts";
import { OPERATIONS } from "../../client/operations.ts";
import { partner } from "../run-for-tests.ts";

let world: World;
let folder: string;
let url: string;
const ALL = OPERATIONS.map(({ name }) => name).toSorted();
const LIVE = "pk_hf_live_0cvOFdipS33qGUqNK1bDKIf:sk_hf_live_qakgjcSdZclxbE5H9CZX2JEwr1GzApWnpiI8EiXcNIE3ppF27";

beforeAll(async () => {
	world = await openSandboxWorld({ HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" });
	await operate({ socket: world.deps.config.adminSocket }, RestockOperatorSandbox, {});
	url = `http://127.0.0.1:${world.port}`;
});
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-init-"));
	return () => rm(folder, { recursive: true });
});
afterAll(() => world.stop());

const init = (token: string, ...options: string[]) =>
	partner(["init", "--url", url, ...options], { env: { HOLDFAST_TOKEN: token }, cwd: folder });
const envFile = () => readFile(join(folder, ".env"), "utf8");
const outcomes = (json: { operations: { operation: string; outcome: string }[] }, outcome: string): string[] =>
	json.operations.filter((one) => one.outcome === outcome).map(({ operation }) => operation);

describe("init", () => {
	it("runs every operation of a key that may do everything, and leaves nothing held, ordered or registered", async () => {
		const { token, pk } = await world.key({ brand: "SANDBOX" });
		const { code, json } = await init(token, "--json");
		expect(json.operations.filter(({ outcome }: { outcome: string }) => outcome === "failed")).toEqual([]);
		expect(code).toBe(0);
		expect(json.operations.map(({ operation }: { operation: string }) => operation).toSorted()).toEqual(ALL);
		expect(outcomes(json, "skipped")).toEqual(["sandbox.drill"]);
		expect(json).toMatchObject({ key: pk, url, env_file: ".env" });
		const told = json.operations.find(({ operation }: { operation: string }) => operation === "webhookEndpoints.test");
		expect(told.says).toContain("arrived here as webhook.test, and its signature was verified");
		const { rows } = await world.db.query(
			"select (select count(*) from hold where status = 'active') as held, (select count(*) from orders where status <> 'cancelled') as ordered, (select count(*) from webhook_endpoint where deleted_at is null) as registered",
		);
		expect(rows).toEqual([{ held: 0, ordered: 0, registered: 0 }]);
	});

	it("writes .env: found addresses and the key, for its owner alone, beside what was there", async () => {
		const { token, pk } = await world.key({ brand: "SANDBOX" });
		await writeFile(
			join(folder, ".env"),
			`# mine\nHOLDFAST_TOKEN=${LIVE}\nPORT=3000\nHOLDFAST_COA_URL=http://old.example\n`,
		);
		await chmod(join(folder, ".env"), 0o644);
		const { code, out } = await init(token);
		expect(code).toBe(0);
		const text = await envFile();
		expect(text).toContain(
			`# mine\n# HOLDFAST_TOKEN=${LIVE}\nHOLDFAST_TOKEN=${token}\nPORT=3000\n# HOLDFAST_COA_URL=http://old.example\n`,
		);
		expect({ ...parseEnv(text) }).toMatchObject({
			HOLDFAST_URL: url,
			HOLDFAST_COA_URL: expect.stringMatching(/^http:\/\/127/),
			PORT: "3000",
		});
		expect((await stat(join(folder, ".env"))).mode & 0o777).toBe(0o600);
		expect(out).toContain(`Wrote .env with the key ${pk}; only you can read it. Keep it out of git`);
		expect(out).toMatch(
			/^done {4}reserve \(POST \/api\/v1\/reserve\)\n {8}Holds units before the customer is charged.* One SBX-PLENTY was yours/m,
		);
		expect(out).toMatch(/nothing is left held/);
		expect(await partner(["requests", "tail", "--once"], { cwd: folder })).toMatchObject({
			code: 0,
			out: expect.stringContaining("POST /api/v1/reserve"),
		});
	});

	it("says so where git would take the file, and where it ignores it", async () => {
		const { token } = await world.key({ brand: "SANDBOX", scopes: ["atp.check"] });
		execFileSync("git", ["init", "-q"], { cwd: folder });
		expect((await init(token)).out).toContain("add the line .env to .gitignore");
		await writeFile(join(folder, ".gitignore"), ".env\n");
		expect((await init(token)).out).toContain("Git ignores it.");
	});

	it("keeps a link to a file a link", async () => {
		const { token } = await world.key({ brand: "SANDBOX", scopes: ["atp.check"] });
		await writeFile(join(folder, "real"), "A=1\n");
		await symlink("real", join(folder, ".env"));
		await init(token);
		expect(await readFile(join(folder, "real"), "utf8")).toBe(`A=1\nHOLDFAST_URL=${url}\nHOLDFAST_TOKEN=${token}\n`);
	});

	it("registers no endpoint where the service may not send to this machine, and says what one needs", async () => {
		const closed = await openSandboxWorld();
		try {
			const { token } = await closed.key({ brand: "SANDBOX", scopes: ["atp.webhooks"] });
			const options = ["init", "--url", `http://127.0.0.1:${closed.port}`, "--json"];
			const { code, json } = await partner(options, { env: { HOLDFAST_TOKEN: token }, cwd: folder });
			expect(code).toBe(0);
			expect(outcomes(json, "done")).toContain("webhookEndpoints.list");
			expect(json.operations).toContainEqual(
				expect.objectContaining({
					operation: "webhookEndpoints.create",
					outcome: "skipped",
					says: expect.stringContaining("needs a public https address"),
				}),
			);
		} finally {
			await closed.stop();
		}
	});

	it("tells a key that may only read what it may not do", async () => {
		const { token } = await world.key({ brand: "SANDBOX", scopes: ["atp.products", "atp.inventory", "atp.check"] });
		const { code, json } = await init(token, "--json");
		expect(code).toBe(0);
		expect(json.operations.map(({ operation }: { operation: string }) => operation).toSorted()).toEqual(ALL);
		expect(outcomes(json, "done")).toEqual(
			expect.arrayContaining(["products.list", "check", "inventory.get", "coa.list", "sandbox.requests"]),
		);
		expect(outcomes(json, "forbidden")).toEqual(
			expect.arrayContaining(["reserve", "inventory.summary", "webhookEndpoints.list", "keys.introspect"]),
		);
		expect(outcomes(json, "failed")).toEqual([]);
	});

	it("counts the operations for which a key lacks the scope, also those that it could not try, and names the scopes", async () => {
		const { token } = await world.key({
			brand: "SANDBOX",
			scopes: SCOPES.filter((one) => !/consume|summary/.test(one)),
		});
		expect((await init(token)).out).toContain("\nFor 3 operations the key lacks the scope: atp.consume, atp.summary. ");
		expect((await init(token, "--json")).json.missing).toEqual({
			scopes: ["atp.consume", "atp.summary"],
			operations: ["consume", "reverse", "inventory.summary"],
		});
		const { token: reader } = await world.key({ brand: "SANDBOX", scopes: ["atp.check", "atp.products"] });
		const { json } = await init(reader, "--json");
		expect(json.missing.scopes).toHaveLength(SCOPES.length - 2);
		expect(json.missing.operations).toEqual(expect.arrayContaining(["reserve", "release", "orders.cancel"]));
		const { token: all } = await world.key({ brand: "SANDBOX" });
		expect((await init(all)).out).not.toContain("lacks the scope");
	});

	it("only reads while a go-live run watches the key", async () => {
		const { token, pk } = await world.key({ brand: "SANDBOX" });
		await operate({ socket: world.deps.config.adminSocket }, StartGoLive, { body: { key: pk } });
		const { code, json } = await init(token, "--json");
		expect(code).toBe(0);
		expect(json.operations.map(({ operation }: { operation: string }) => operation).toSorted()).toEqual(ALL);
		expect(outcomes(json, "skipped")).toEqual(
			expect.arrayContaining(["reserve", "orders.place", "webhookEndpoints.create", "sandbox.shown"]),
		);
		expect(outcomes(json, "done")).toEqual(expect.arrayContaining(["products.list", "sandbox.golive"]));
	});

	it("writes nothing for a key that is refused, a live one, or none", async () => {
		const { token } = await world.key({ brand: "SANDBOX" });
		const { token: live } = await world.key();
		const other = await world.key({ brand: "SANDBOX" });
		const mixed = `${token.split(":")[0]}:${other.token.split(":")[1]}`;
		expect(await init(mixed)).toMatchObject({ code: 3, err: expect.stringContaining("The key is refused") });
		expect(await init(mixed, "--coa-url", "127.0.0.1:4001")).toMatchObject({ code: 3 });
		expect(await init(live)).toMatchObject({ code: 2, err: expect.stringContaining("takes a sandbox key") });
		expect(await partner(["init"], { cwd: folder })).toMatchObject({
			code: 2,
			err: expect.stringContaining("There is no terminal to ask on: give --url and --token"),
		});
		await expect(envFile()).rejects.toThrow("ENOENT");
	});
});
