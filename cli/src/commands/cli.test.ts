import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wait } from "../../../service/src/ground/lib/clock.ts";
import { newKeyRingEntry } from "../../../service/src/partners/keys/key-ring.ts";
import { PRESETS } from "../../../service/src/partners/keys/scopes.ts";
import { type House, openHouse } from "../../../service/test/house.ts";
import { holdfast, holdfastAlone } from "../../../service/test/processes/holdfast.ts";

const WORLD = {
	brands: [{ code: "ACME", name: "Acme" }],
	formulas: [{ code: "F", name: "F", status: "active" }],
	skus: [{ sku: "ONE", name: "One", kind: "single", components: [{ formula: "F", per_kit: 1 }] }],
	lots: [{ formula: "F", brand_code: "ACME", batch_number: "B1", units: 100 }],
	partners: [{ name: "Shop" }],
	keys: [
		{ name: "web", partner: "Shop", environment: "live", brand_code: "ACME", preset: "self_ship", shared_pool: true },
	],
};

describe("The holdfast command, beside a service", () => {
	let house: House;
	let folder: string;
	let env: Record<string, string>;
	const run = (...args: string[]) => holdfast(args, env);
	const runAlone = (...args: string[]) => holdfastAlone(args, env);

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "holdfast-cli-"));
		const settings = { HOLDFAST_SECRET_KEYS: newKeyRingEntry(), HOLDFAST_DATA_DIR: join(folder, "data") };
		house = await openHouse({ env: settings });
		env = {
			...settings,
			HOLDFAST_DATABASE_URL: house.url,
			HOLDFAST_ADMIN_SOCKET: house.socket,
		};
		await writeFile(join(folder, "world.json"), JSON.stringify(WORLD));
	});
	afterAll(async () => {
		await house.close();
		await rm(folder, { recursive: true });
	});

	it("imports a world, prints the one document, and a second time no token", async () => {
		const path = join(folder, "world.json");
		expect((await run("import", path, "--dry-run", "--json")).json).toMatchObject({
			dry_run: true,
			created: { lots: 1 },
		});
		const first = await runAlone("import", path, "--json");
		expect(first.code).toBe(0);
		expect(first.json).toMatchObject({ dry_run: false, created: { skus: 1, keys: 1 }, keys: [{ name: "web" }] });
		expect(first.json.keys[0].token).toMatch(/^pk_hf_live_/);
		const second = await run("import", path, "--json");
		expect(second.json).toMatchObject({
			created: { skus: 0 },
			unchanged: { skus: 1, keys: 1 },
			keys: [{ token: null }],
		});
		expect((await run("import", path)).out).toMatch(/skus +0 +0 +1/);
	});

	it("waits for a lot that somebody has locked, as a command that is not done must, and then changes it once", async () => {
		const stranger = await house.db.take();
		await stranger.query("begin");
		const { rows } = await stranger.query<{ fg_id: string }>("select fg_id from lot for update");
		const corrected = runAlone("stock", "correct", rows[0]?.fg_id ?? "", "--units=-1", "--reason", "recount", "--json");
		await expect
			.poll(
				async () => (await house.db.query("select from pg_stat_activity where wait_event_type = 'Lock'")).rowCount,
				{ timeout: 30_000 }, // a process must start first
			)
			.toBeGreaterThan(0);
		await wait(1_000); // by now the command has left the main lane
		await stranger.query("commit");
		stranger.release();
		expect(await corrected).toMatchObject({ code: 0, json: { moved: 1 } });
		expect(
			(await run("stock", "correct", rows[0]?.fg_id ?? "", "--units", "1", "--reason", "found", "--json")).code,
		).toBe(0);
	});

	it("names what is wrong in an import by pointer, by file and line, and exits 1", async () => {
		await writeFile(join(folder, "bad.json"), JSON.stringify({ skus: [{ sku: "X" }] }));
		await writeFile(join(folder, "lots.csv"), "formula,brand_code,batch_number,units\nF,ACME,B1,99\nNOPE,,B2,1\n");
		const json = await run("import", join(folder, "bad.json"));
		expect(json).toMatchObject({ code: 1, out: "" });
		expect(json.err).toContain("bad.json /skus/0/kind: is missing");
		const csv = await run("import", join(folder, "lots.csv"));
		expect(csv.code).toBe(1);
		expect(csv.err).toMatch(/lots\.csv line 2, units: imports have brought this lot 100 units/);
		expect(csv.err).toMatch(/lots\.csv line 3, formula: there is no formula "NOPE"/);
	});

	it("mints, lists, rotates, suspends, resumes and revokes keys", async () => {
		const words = "keys mint --name app --partner Other --environment sandbox --preset self_ship --json";
		const minted = await run(...words.split(" "));
		expect(minted).toMatchObject({ code: 0, err: "" });
		const { pk, token } = minted.json;
		expect(token.startsWith(`${pk}:sk_hf_sandbox_`)).toBe(true);
		const listed = (await run("keys", "list", "--json")).json.items.find((key: { pk: string }) => key.pk === pk);
		expect(listed).toMatchObject({ partner: "Other", brand_code: "SANDBOX", state: "live", requests_per_minute: 60 });
		expect(JSON.stringify(listed)).not.toContain(token.split(":")[1]);
		const rotated = await run("keys", "rotate", "app", "--overlap-hours", "0", "--json");
		expect(rotated.json).toMatchObject({ pk, token: expect.not.stringMatching(token) });
		expect((await run("keys", "suspend", pk, "--json")).json).toMatchObject({ pk, state: "suspended" });
		expect((await run("keys", "resume", "app")).out).toContain("is resumed");
		expect((await run("keys", "revoke", "app", "--json")).json).toMatchObject({ pk, revoke_at: expect.any(String) });
		expect((await run("keys", "list")).out).toMatch(/Other +app +pk_hf_sandbox_\w+ +revoked/);
		const live = await run(
			"keys",
			"mint",
			"--name",
			"prod",
			"--partner",
			"Other",
			"--environment",
			"live",
			"--scopes",
			"atp.check,atp.inventory",
			"--shared-pool",
			"--json",
		);
		expect(live).toMatchObject({ code: 0 });
	});

	it("adds scopes to those of a preset", async () => {
		const words = ["keys", "mint", "--name", "more", "--partner", "Other", "--environment", "live", "--shared-pool"];
		const added = ["--add-scope", "atp.introspect", "--add-scope", "atp.reserve_cache,atp.introspect"];
		const { pk } = (await run(...words, "--preset", "fulfilment", ...added, "--json")).json;
		const { scopes } = (await run("keys", "list", "--json")).json.items.find((key: { pk: string }) => key.pk === pk);
		expect(scopes.toSorted()).toEqual([...PRESETS.fulfilment, "atp.introspect", "atp.reserve_cache"].toSorted());
		expect((await run(...words, "--scopes", "atp.check", ...added)).err).toContain("--add-scope goes with --preset");
	});

	it("refuses keys that cannot be", async () => {
		const mint = (...args: string[]) => run("keys", "mint", "--name", "n", "--partner", "P", ...args);
		expect(await mint("--environment", "live", "--brand", "SANDBOX", "--preset", "read_only")).toMatchObject({
			code: 1,
			err: expect.stringContaining("SANDBOX"),
		});
		expect(await mint("--environment", "sandbox", "--brand", "ACME", "--preset", "read_only")).toMatchObject({
			code: 1,
		});
		expect(await mint("--environment", "live", "--brand", "NOPE", "--preset", "read_only")).toMatchObject({
			code: 1,
			err: expect.stringContaining('no brand "NOPE"'),
		});
		expect(await mint("--environment", "live")).toMatchObject({
			code: 2,
			err: expect.stringContaining("--preset or --scopes"),
		});
		expect(await mint("--environment", "live", "--preset", "all")).toMatchObject({ code: 2 });
		expect((await run("keys", "rotate", "nobody")).err).toBe(
			'No key has the name or public half "nobody". `npm run -s holdfast -- keys list` shows them all.\n',
		);
	});

	it("receives, corrects, quarantines, restores and destroys, and the ledger proves it", async () => {
		const [lot] = (await run("stock", "show", "--formula", "F", "--json")).json.items;
		const more = await run(
			"stock",
			"receive",
			"--formula",
			"F",
			"--brand",
			"ACME",
			"--batch",
			"B1",
			"--units",
			"20",
			"--json",
		);
		expect(more.json).toEqual({ fg_id: lot.fg_id, received: 120, quarantined: false });
		const fresh = await run(
			"stock",
			"receive",
			"--formula",
			"F",
			"--batch",
			"B9",
			"--expires",
			"2090-01-31",
			"--units",
			"7",
			"--json",
		);
		expect(fresh.json.fg_id).not.toBe(lot.fg_id);
		for (const [kind, ...amount] of [
			["correct", "--units", "-3"],
			["quarantine", "--units", "30"],
			["restore", "--units", "10"],
			["destroy", "--units", "25"],
		]) {
			const ran = await run("stock", String(kind), lot.fg_id, ...amount, "--reason", "test", "--json");
			expect(ran).toMatchObject({ code: 0, err: "" });
		}
		const after = (await run("stock", "show", lot.fg_id, "--json")).json;
		expect(after).toMatchObject({ received: 120, corrected: -3, available: 92, quarantined: 0, destroyed: 25 });
		expect(await run("stock", "destroy", lot.fg_id, "--units", "1000", "--reason", "x")).toMatchObject({ code: 1 });
		expect(await run("stock", "destroy", lot.fg_id, "--reason", "x")).toMatchObject({ code: 2 });
		expect(await run("stock", "show", "not-a-batch")).toMatchObject({ code: 1 });
		const located = await run("stock", "locate", lot.fg_id, "--location", "A-12-3", "--json");
		expect(located.json).toEqual({ fg_id: lot.fg_id, location: "A-12-3" });
		expect((await run("stock", "show", lot.fg_id)).out).toMatch(/^location +A-12-3$/m);
		expect((await run("stock", "locate", lot.fg_id)).out).toContain("has no location");
		expect(await run("verify", "--json")).toMatchObject({ code: 0, json: { ok: true, differences_count: 0 } });
	});

	it("adds, imports and clears demand, which explain tells", async () => {
		expect(
			(await run("demand", "add", "--formula", "F", "--brand", "ACME", "--units", "12", "--reference", "PO-1")).code,
		).toBe(0);
		await writeFile(join(folder, "orders.csv"), "formula,brand_code,units,reference\nF,ACME,30,PO-2\n");
		expect((await run("demand", "import", join(folder, "orders.csv"), "--json")).json).toEqual({
			created: 1,
			changed: 0,
			unchanged: 0,
		});
		const told = await run("explain", "ONE", "--key", "web", "--json");
		expect(told.json.counts).toMatchObject({ available_qty: 99, promised_qty: 42, atp_qty: 57 });
		expect((await run("explain", "ONE", "--key", "web")).out).toMatch(/promised 12: PO-1[^]*atp_qty 57\n$/);
		expect((await run("demand", "clear", "--reference", "PO-1", "--json")).json).toEqual({ cleared: 1 });
		expect(await run("explain", "NOPE")).toMatchObject({ code: 1, err: 'There is no SKU "NOPE": import it first.\n' });
		expect(await run("explain", "ONE", "--at", "yesterday")).toMatchObject({ code: 2 });
	});

	it("shows the history of a lot and of a formula, and says when it is cut", async () => {
		const [lot] = (await run("stock", "show", "--formula", "F", "--brand", "ACME", "--json")).json.items;
		const whole = await run("stock", "history", lot.fg_id, "--json");
		expect(whole.json.next_cursor).toBeNull();
		expect(whole.json.items.at(-1)).toMatchObject({ from: "received", to: "available", cause: "import", about: "B1" });
		expect(whole.json.items[0]).toMatchObject({
			from: "available",
			to: "destroyed",
			cause: "destroy",
			reason: "test",
			about: null,
			actor: `operator:${userInfo().username}`,
		});
		const cut = await run("stock", "history", "--formula", "F", "--brand", "ACME", "--limit", "2");
		expect(cut.out).toMatch(/^… and earlier ones: raise --limit.\nTIME \(\S+\) +BRAND +BATCH +MOVE +UNITS +WHY/);
		expect(cut.out.trimEnd().split("\n")).toHaveLength(4);
		expect((await run("stock", "history", "--formula", "NOPE")).err).toContain('There is no formula "NOPE"');
		expect(await run("stock", "history")).toMatchObject({ code: 2, out: "" });
	});

	it("says its version", async () => {
		expect(await runAlone("--version")).toMatchObject({
			code: 0,
			out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
			err: "",
		});
	});

	it("with --json tells a failure as a document on standard output, and as a sentence on standard error", async () => {
		const told = async (...args: string[]) => {
			const { code, out, err } = await runAlone(...args, "--json");
			expect(err).not.toBe("");
			return [code, JSON.parse(out)];
		};
		const error = (code: string, message: string) => ({ error: { code, message: expect.stringContaining(message) } });
		expect(await told("explain", "NOPE")).toEqual([1, error("not_found", 'There is no SKU "NOPE": import it first.')]);
		expect(await told("explain")).toEqual([2, error("usage", "missing required argument 'sku'")]);
		expect(await told("stock", "shew")).toEqual([2, error("usage", "unknown command 'shew'")]);
		const [code, { error: refused }] = await told("import", join(folder, "bad.json"));
		expect(code).toBe(1);
		expect(refused).toMatchObject({ code: "invalid_input", message: expect.stringContaining("Nothing was changed") });
		expect(refused.problems[0]).toMatchObject({
			at: expect.stringContaining("bad.json /skus/0"),
			message: expect.any(String),
		});
		const away = {
			...env,
			HOLDFAST_DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none",
			HOLDFAST_ADMIN_SOCKET: join(folder, "nobody.sock"),
		};
		expect((await holdfast(["keys", "list", "--json"], away)).json).toEqual(error("refused", "cannot be used"));
		// without `--json`, only the sentence
		expect(await run("explain", "NOPE")).toMatchObject({ code: 1, out: "" });
		expect(await run("explain", "--", "--json")).toMatchObject({ code: 1, out: "" });
	});

	it("refuses to rotate, suspend and resume a key that was revoked", async () => {
		for (const verb of ["rotate", "suspend", "resume"]) {
			const refused = await run("keys", verb, "app", "--json");
			expect(refused).toMatchObject({ code: 1, json: { error: { code: "not_possible_now" } } });
			expect(refused.err).toMatch(/^Key pk_hf_sandbox_\w+ is revoked, which cannot be undone/);
		}
	});

	it("restocks the sandbox and lists holds", async () => {
		expect((await run("sandbox", "restock", "--json")).json).toMatchObject({ done: true });
		expect((await run("holds", "list", "--json")).json).toEqual({ items: [], next_cursor: null });
		const filters = [
			"--external-ref",
			"cart",
			"--sku",
			"ONE",
			"--lot",
			"019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d",
			"--key",
			"web",
		];
		expect((await run("holds", "list", "--status", "impaired", ...filters, "--json")).json.items).toEqual([]);
		expect(await run("holds", "list", "--status", "broken")).toMatchObject({ code: 2 });
		expect(await run("holds", "show", "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d")).toMatchObject({ code: 1 });
	});

	it("verify exits 1 and names what was changed behind the service's back", async () => {
		await house.db.query(
			"update lot set available = available - 1, destroyed = destroyed + 1 where batch_number = 'B9'",
		);
		const ran = await run("verify");
		expect(ran.code).toBe(1);
		expect(ran.out).toMatch(/lot-balance: .* 2 differences:\n {2}lot \S+, available: expected 7, found 6/);
		await house.db.query(
			"update lot set available = available + 1, destroyed = destroyed - 1 where batch_number = 'B9'",
		);
		expect((await run("verify")).code).toBe(0);
	});

	it("shows the configuration without its secrets, and stops at a variable nobody reads", async () => {
		const shown = await run("config", "--json");
		expect(shown.json.HOLDFAST_SECRET_KEYS).toMatch(/^\w+:\*\*\*$/);
		expect(shown.out).not.toContain(String(env["HOLDFAST_SECRET_KEYS"]?.split(":")[1]));
		const misspelt = await holdfast(["config"], { ...env, HOLDFAST_PROT: "1" });
		expect(misspelt).toMatchObject({ code: 1, err: expect.stringContaining("HOLDFAST_PORT") });
		expect((await run("secrets", "generate")).out).toMatch(/^HOLDFAST_SECRET_KEYS=\w+:[\w+/]+=\n$/);
	});

	it("the doctor says what is wrong and what to do", async () => {
		const ill = await holdfast(["doctor", "--json"], { ...env, HOLDFAST_PORT: "0", HOLDFAST_COA_PORT: "0" });
		expect(ill.code).toBe(1); // the server of the test run is fast, not durable
		const durability = ill.json.findings.filter(({ what }: { what: string }) => what === "durability");
		expect(durability).toHaveLength(3);
		expect(durability[0]).toMatchObject({ ok: false, advice: expect.any(String) });
		const accepted = { ...env, HOLDFAST_PORT: "0", HOLDFAST_COA_PORT: "0", HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true" };
		expect(await holdfast(["doctor"], accepted)).toMatchObject({ code: 0 });
		const failing = JSON.stringify({ data: {}, attempts: 3, failed: 3, why: "the platform answered 401" });
		await house.db.query("select from graphile_worker.add_job('push_order', $1::json, job_key => 'k')", [failing]);
		expect(await holdfast(["doctor"], accepted)).toMatchObject({
			code: 1,
			out: expect.stringContaining(
				"BAD  jobs: push_order: 1 wait, 1 of them failed in the last attempt: the platform answered 401",
			),
		});
		await house.db.query("select from graphile_worker.remove_job('k')");
		const away = await holdfast(["doctor"], {
			...accepted,
			HOLDFAST_DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none",
		});
		expect(away).toMatchObject({
			code: 1,
			out: expect.stringMatching(/^BAD {2}database: postgresql:.*\n +Check that the server is running/m),
		});
	});

	it("shows the help of a command, and says which one is unknown", async () => {
		const help = await run("keys", "mint", "--help");
		expect(help).toMatchObject({ code: 0, out: expect.stringContaining("Example:\n  $ npm ") });
		expect(await run("keys", "mnit")).toMatchObject({ code: 2, err: expect.stringContaining("unknown command") });
	});
});
