import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../src/glossary.ts";
import { GetKey } from "../../src/partners/keys/key-admin-contract.ts";
import { RenamePartner } from "../../src/partners/keys/partner-admin-contract.ts";
import { GetGoLive, GetGoLiveReport, ListGoLives } from "../../src/upkeep/golive/admin-contract.ts";
import { digestOf } from "../../src/upkeep/golive/report.ts";
import {
	DrillGoLive,
	FinishGoLive,
	ReviewGoLive,
	StartGoLive,
	StopGoLive,
	WaiveGoLive,
} from "../../src/upkeep/golive/run-write-contract.ts";
import { RestockOperatorSandbox } from "../../src/upkeep/sandbox/admin-contract.ts";
import { openPretendedShop, type PretendedShop } from "../golive/pretended-shop.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type Asked, type Operated, operate } from "../operate.ts";
import { until } from "../processes/child.ts";

let house: House;
let shop: PretendedShop;

beforeAll(async () => {
	shop = await openPretendedShop();
	house = await openHouse({ nodes: 2, env: { HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" } });
	await house.importWorld({ brands: [{ code: "ACME", name: "Acme" }] });
	expect((await operate(house, RestockOperatorSandbox, {})).status).toBe(200);
});
afterAll(async () => {
	await house.close();
	await shop.close();
});

const sandboxKey = () =>
	house.mint({ environment: "sandbox", brandCode: "SANDBOX", sharedPool: false, scopes: SCOPES });
const start = async (body: object) => await operate(house, StartGoLive, { body });
/** A running run of a new sandbox key. */
async function running(status_url?: string) {
	const { token, pk } = await sandboxKey();
	const { status, json } = await start({ key: pk, ...(status_url === undefined ? {} : { status_url }) });
	expect(status).toBe(201);
	return { token, pk, id: String(json.data.golive_id), number: Number(json.data.number) };
}
const on = async (operation: Parameters<typeof operate>[1], id: string, asked: Asked = {}) =>
	await operate(house, operation, { params: { id }, ...asked });
const shown = async (id: string) => (await on(GetGoLive, id)).json.data;
const check = async (token: string, node: number) =>
	(await house.call(token, "/api/v1/check", { node, body: { items: [{ sku: "SBX-LOW", qty: 1 }] } })).status;
const verdict = ({ status, json }: { status: number; json: { error?: { code: string } } | null }): string =>
	json?.error === undefined ? String(status) : `${status} ${json.error.code}`;

describe("A go-live", () => {
	it("is started for a sandbox key, once at a time, and found by its id and number", async () => {
		const { pk, id, number } = await running();
		expect(verdict(await start({ key: pk }))).toBe("409 not_possible_now");
		expect(await shown(id)).toMatchObject({ golive_id: id, number, state: "running", key: pk, passed: false });
		expect((await shown(String(number))).golive_id).toBe(id);
		const { json } = await operate(house, ListGoLives, { query: `?key=${pk}` });
		expect(json.data.items.map((one: { number: number }) => one.number)).toEqual([number]);
	});

	it("is refused for a live key, an address inside the network, and an address that is none", async () => {
		const live = await house.mint();
		expect(verdict(await start({ key: live.pk }))).toBe("400 invalid_input");
		const { pk } = await sandboxKey();
		for (const status_url of [
			"http://192.168.0.1/",
			"https://10.0.0.1/status.json",
			"ftp://shop.example.com/",
			"shop",
		]) {
			expect(verdict(await start({ key: pk, status_url }))).toBe("400 invalid_input");
		}
		expect(verdict(await on(GetGoLive, "999999"))).toBe("404 not_found");
	});

	it("is listed page by page, the newest first", async () => {
		for (let n = 0; n < 3; n++) await running();
		const whole = (await operate(house, ListGoLives, { query: "?limit=500" })).json.data.items;
		const seen: number[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const page: { items: { number: number }[]; next_cursor: string | null } = (
				await operate(house, ListGoLives, { query: `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}` })
			).json.data;
			seen.push(...page.items.map(({ number }) => number));
			cursor = page.next_cursor;
		}
		expect(seen).toEqual(whole.map(({ number }: { number: number }) => number));
		expect(seen).toEqual(seen.toSorted((a, b) => b - a));
	});
});

describe("The run looks at the status address", () => {
	it("beside the counts of that instant, one node at a time", async () => {
		shop.shows = [{ sku: "SBX-LOW", shown_qty: 3 }, { sku: "SBX-OUT", hidden: true }, { sku: "nothing-of-ours" }];
		const before = shop.looks();
		const { id } = await running(shop.statusUrl);
		const run = await until("the first look", async () => {
			const now = await shown(id);
			return now.last_look === null ? undefined : now;
		});
		expect(run.last_look).toMatchObject({
			source: "address",
			problem: null,
			items: [
				{ sku: "SBX-LOW", shown_qty: 3, hidden: false, atp_qty: 3 },
				{ sku: "SBX-OUT", shown_qty: null, hidden: true, atp_qty: 0 },
				{ sku: "nothing-of-ours", shown_qty: null, atp_qty: null },
			],
		});
		await until("the next look to be planned", async () => {
			const { next_look_at, last_look } = await shown(id);
			return Date.parse(next_look_at) > Date.parse(last_look.at);
		});
		expect((await shown(id)).skus).toEqual(["SBX-LOW", "SBX-OUT", "nothing-of-ours"]);
		// a certificate that was published for the run is looked for at once
		await until("one look, and one after the certificate", async () => {
			const published = "select from golive_retirement where golive_id = $1 and published_at is not null";
			return shop.looks() === before + 1 + ((await house.db.query(published, [id])).rowCount ?? 0);
		});
	});

	it("and follows no redirect", async () => {
		const { id } = await running(shop.statusUrl.replace("status", "elsewhere"));
		const run = await until("the first look", async () => {
			const now = await shown(id);
			return now.last_look === null ? undefined : now;
		});
		expect(run.last_look).toMatchObject({ problem: expect.stringContaining("302"), items: [] });
	});
});

describe("A drill", () => {
	it("refuses the key on every node within a second, and no other key", async () => {
		const { token, id } = await running();
		const other = await sandboxKey();
		expect([await check(token, 0), await check(token, 1)]).toEqual([200, 200]);
		const { json } = await on(DrillGoLive, id, { body: {} });
		const left = Date.parse(json.data.drill_until) - Date.now();
		expect(left).toBeGreaterThan(590_000);
		expect(left).toBeLessThanOrEqual(601_000);
		const deadline = performance.now() + 1_000;
		let statuses: number[];
		do statuses = await Promise.all([check(token, 0), check(token, 1)]);
		while (statuses.includes(200) && performance.now() < deadline);
		expect(statuses).toEqual([401, 401]);
		expect([await check(other.token, 0), await check(other.token, 1)]).toEqual([200, 200]);
	});

	it("leaves the key only the word on what its site shows", async () => {
		const { token, id } = await running();
		await on(DrillGoLive, id, { body: { what: "drill" } });
		await until("the drill to be known", async () => (await check(token, 1)) === 401);
		const post = () =>
			house.call(token, "/api/v1/sandbox/shown", { node: 1, body: { items: [{ sku: "SBX-LOW", shown_qty: null }] } });
		expect((await post()).json.data).toMatchObject({ kept: true });
		expect((await house.call(token, "/api/v1/sandbox/golive", { node: 1 })).status).toBe(401);
		expect((await shown(id)).last_look).toMatchObject({
			source: "posted",
			items: [{ sku: "SBX-LOW", shown_qty: null }],
		});
	});

	it("ends by the clock of the database, and when it is stopped", async () => {
		const { token, id } = await running();
		await on(DrillGoLive, id, { body: {} });
		await until("the drill to be known", async () => (await check(token, 1)) === 401);
		// as if ten minutes had passed; the caches learn of it as of every change of a key
		await house.db.query(
			`update api_key set drill_until = now(), version = take_numbers('key_epoch', 1)
			  where key_id = (select key_id from golive_run where golive_id = $1)`,
			[id],
		);
		await until("the end of the drill", async () => (await check(token, 1)) === 200);
		await house.db.query("update golive_drill set until_at = now() where golive_id = $1", [id]);
		await on(DrillGoLive, id, { body: {} });
		await until("another drill", async () => (await check(token, 0)) === 401);
		const stopped = await on(StopGoLive, id, { body: { what: "drill" } });
		expect(stopped.json.data).toMatchObject({ state: "running", drill_until: null });
		await until("its end", async () => (await check(token, 0)) === 200);
	});

	it("is begun once, however often it is asked for", async () => {
		const { id } = await running();
		const first = (await on(DrillGoLive, id, { body: {} })).json.data.drill_until;
		expect((await on(DrillGoLive, id, { body: {} })).json.data.drill_until).toBe(first);
	});
});

describe("A run is judged", () => {
	const judged = async (id: string, check: string) =>
		(await shown(id)).checks.find((one: { check: string }) => one.check === check);

	it("by what its key sent to any node, and not by what other keys sent", async () => {
		const [{ token, id }, other] = [await running(), await sandboxKey()];
		const reserve = (key: string, node: number) =>
			house.call(key, "/api/v1/reserve", {
				node,
				body: { items: [{ sku: "SBX-RETRY", qty: 1 }], external_ref: "cart-9" },
			});
		expect((await reserve(token, 0)).json.error.code).toBe("retry");
		await reserve(other.token, 0);
		const again = await reserve(token, 1);
		const report = await until("both requests to be judged", async () => {
			const { json } = await on(GetGoLiveReport, id);
			return json.data.numbers.requests === 2 && json.data;
		});
		expect(report).toMatchObject({ final: false, left_out: [], production_key: null });
		expect((await judged(id, "rate")).says).toContain("2 requests");
		const { says, evidence } = await judged(id, "errors");
		expect(`${says} ${evidence}`).toContain(again.headers.get("x-request-id"));
	});

	it("by requests of a drill too, although they were refused", async () => {
		const { token, id } = await running();
		await on(DrillGoLive, id, { body: {} });
		await until("the drill to be known", async () => (await check(token, 0)) === 401);
		const drill = await until("the refusal to be judged", async () => {
			const now = await judged(id, "drill");
			return now.evidence.length > 0 && now;
		});
		expect(drill.evidence[0]).toMatch(/^req_/);
	});
});

describe("A check that only a person can judge", () => {
	it("is judged by one, with name and words; any other check is not", async () => {
		const { id } = await running();
		const review = (check: string) => on(ReviewGoLive, id, { body: { check, passed: true, words: "I looked." } });
		expect(verdict(await review("rate"))).toBe("409 not_possible_now");
		expect((await review("mirror_equal")).status).toBe(200);
		const { checks } = await shown(id);
		expect(checks.find((one: { check: string }) => one.check === "mirror_equal")).toMatchObject({
			verdict: "passed",
			review: { passed: true, words: "I looked.", by: expect.stringMatching(/^operator:/) },
		});
	});
});

/** Waives everything that a run lacks. */
async function waiveAll(id: string): Promise<void> {
	for (const check of (await shown(id)).missing) {
		expect((await on(WaiveGoLive, id, { body: { check, reason: "for this test" } })).status).toBe(200);
	}
}
const finish = (id: string, name: string) =>
	on(FinishGoLive, id, { body: { name, brand_code: "ACME", preset: "fulfilment" } });

describe("Finishing", () => {
	it("is refused while a required check is neither passed nor waived, and leaves nothing behind", async () => {
		const { id } = await running();
		const keys = async () => (await house.db.query("select count(*)::int as n from api_key")).rows[0]?.n;
		const before = await keys();
		expect(verdict(await finish(id, "early"))).toBe("409 golive_not_passed");
		expect(await keys()).toBe(before);
		expect(await shown(id)).toMatchObject({ state: "running", production_key: null });
	});

	it("mints the production key once, ends the sandbox key in 30 days, and files the report", async () => {
		const { pk, id, number } = await running();
		await waiveAll(id);
		const done = await finish(id, "web");
		keepSecretsOf(JSON.stringify(done.json));
		expect(done.status).toBe(201);
		const { token, key, report, sandbox_key_revoked_at } = done.json.data;
		expect((await house.call(token, "/api/v1/check", { body: { items: [{ sku: "X", qty: 1 }] } })).status).toBe(200);
		expect(key).toMatchObject({ environment: "live", brand_code: "ACME", golive_report: number });
		const days = (Date.parse(sandbox_key_revoked_at) - Date.now()) / 86_400_000;
		expect(days).toBeGreaterThan(29.9);
		expect(days).toBeLessThan(30.1);
		expect((await operate(house, GetKey, { params: { pk } })).json.data.revoke_at).toBe(sandbox_key_revoked_at);
		expect(report).toMatchObject({ final: true, number, production_key: key.pk, passed: true });
		expect(report.line).toMatch(/, \d+ waived$/);
		expect(verdict(await finish(id, "web-2"))).toBe("409 not_possible_now");
		expect(JSON.stringify((await shown(id)).production_key)).toContain(key.pk);
	});

	it("gives a report that never changes, with a digest that anybody can compute", async () => {
		const { token, id } = await running();
		await waiveAll(id);
		const done = await finish(id, "later");
		keepSecretsOf(JSON.stringify(done.json));
		await house.call(token, "/api/v1/check", { body: { items: [{ sku: "SBX-LOW", qty: 1 }] } });
		const { digest, ...report } = (await on(GetGoLiveReport, id)).json.data;
		expect({ digest, ...report }).toEqual(done.json.data.report);
		expect(digestOf(report)).toBe(digest);
		await expect(house.db.query("update golive_run set digest = 'x' where golive_id = $1", [id])).rejects.toThrow(
			/never changes/,
		);
		await expect(house.db.query("delete from golive_run where golive_id = $1", [id])).rejects.toThrow(/never changes/);
		const page = await on(GetGoLiveReport, id, { headers: { accept: "text/html" } });
		expect(page.headers["content-type"]).toMatch(/^text\/html/);
		expect(page.bytes.toString()).toContain("Waived by operator:");
		const paper = await on(GetGoLiveReport, id, { headers: { accept: "application/pdf" } });
		expect(paper.bytes.subarray(0, 5).toString()).toBe("%PDF-");
	});

	it("shows its partner the verdicts of the report, whatever comes afterwards", async () => {
		const { token, id } = await running();
		await waiveAll(id);
		const done = await finish(id, "shown");
		keepSecretsOf(JSON.stringify(done.json));
		const { report } = done.json.data;
		const made = await house.call(token, "/api/v1/webhook-endpoints", { body: { url: shop.statusUrl } });
		keepSecretsOf(JSON.stringify(made.json));
		expect(made.status).toBe(201);
		const { passed, line, missing, checks } = (await house.call(token, "/api/v1/sandbox/golive")).json.data;
		expect({ passed, line, missing }).toEqual({ passed: true, line: report.line, missing: [] });
		expect(checks.map(({ check: name }: { check: string }) => name)).toEqual(
			report.checks.map(({ check: name }: { check: string }) => name),
		);
		expect(checks[0].waiver).toEqual({ at: report.checks[0].waiver.at, reason: report.checks[0].waiver.reason });
	});

	it("mints the key of the run's partner, also if that is renamed at the same moment", async () => {
		const { pk, id } = await running();
		await waiveAll(id);
		const { partner } = (await operate(house, GetKey, { params: { pk } })).json.data;
		// whoever finishes the run has read it, and waits for the log of requests, while another operator renames
		const lock = await house.db.take();
		let done: Promise<Operated>;
		let renamed: Operated;
		try {
			await lock.query("begin; lock table request_log in access exclusive mode");
			done = finish(id, "renamed");
			await until("the finish to wait", async () => {
				const { rowCount } = await house.db.query(
					"select from pg_locks where not granted and relation = 'request_log'::regclass",
				);
				return rowCount === 1;
			});
			renamed = await operate(house, RenamePartner, {
				params: { partner_id: partner },
				body: { name: "Renamed Shop" },
			});
		} finally {
			await lock.query("rollback");
			lock.release();
		}
		expect(renamed.status).toBe(200);
		const { status, json } = await done;
		keepSecretsOf(JSON.stringify(json));
		expect([status, json.data.key.partner, json.data.report.partner]).toEqual([201, "Renamed Shop", "Renamed Shop"]);
		expect(json.data.sandbox_key_revoked_at).not.toBe(null);
		const { rowCount } = await house.db.query("select from partner where name = $1", [partner]);
		expect(rowCount).toBe(0);
	});

	it("of a stopped run is not possible", async () => {
		const { id } = await running();
		const stopped = await on(StopGoLive, id, { body: { what: "run", reason: "it starts over" } });
		expect(stopped.json.data).toMatchObject({ state: "stopped", end_reason: "it starts over" });
		expect((await on(StopGoLive, id, { body: { what: "run" } })).status).toBe(200);
		expect(verdict(await finish(id, "never"))).toBe("409 not_possible_now");
	});
});

it("every write on a run leaves one row in the audit log, and what is so already leaves none", async () => {
	const { id, number } = await running();
	await on(DrillGoLive, id, { body: {} });
	await on(DrillGoLive, id, { body: {} });
	await on(WaiveGoLive, id, { body: { check: "rate", reason: "for this test" } });
	await on(StopGoLive, id, { body: { what: "run" } });
	await on(StopGoLive, id, { body: { what: "run" } });
	const { rows } = await house.db.query<{ operation: string }>(
		"select operation from audit_log where about = $1 and operation like '%_golive' order by seq",
		[String(number)],
	);
	expect(rows.map(({ operation }) => operation)).toEqual([
		"start_golive",
		"drill_golive",
		"waive_golive",
		"stop_golive",
	]);
});
