import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GetFormula, PutFormula } from "../../src/inventory/catalog/admin-contract.ts";
import { GetKey, MintKey, RevokeKey, SuspendKey } from "../../src/partners/keys/key-admin-contract.ts";
import { GetPartner, MakePartner, RenamePartner } from "../../src/partners/keys/partner-admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { operate } from "../operate.ts";
import { auditRows } from "./placed.ts";

let house: House;
beforeAll(async () => {
	house = await openHouse();
});
afterAll(() => house.close());

async function mint(name: string): Promise<string> {
	const body = { name, partner: "Acme", environment: "sandbox", preset: "fulfilment" };
	const { json } = await operate(house, MintKey, { body });
	keepSecretsOf(JSON.stringify(json));
	return json.data.pk;
}

describe("An edit under If-Match", () => {
	it("is done while the thing is as it was read, and refused once it has changed", async () => {
		const made = await operate(house, MakePartner, { body: { name: "North" } });
		const params = { partner_id: made.json.data.partner_id };
		const read = await operate(house, GetPartner, { params });
		const headers = { "if-match": String(read.headers.etag) };
		const renamed = await operate(house, RenamePartner, { params, body: { name: "South" }, headers });
		expect([renamed.status, renamed.json.data.name]).toEqual([200, "South"]);
		const before = await auditRows(house);
		const late = await operate(house, RenamePartner, { params, body: { name: "East" }, headers });
		expect([late.status, late.json.error.code]).toEqual([412, "changed_meanwhile"]);
		expect((await operate(house, GetPartner, { params })).json.data.name).toBe("South");
		expect(await auditRows(house)).toBe(before + 1);
	});

	it("is carried out by one of ten that read the same", async () => {
		const params = { pk: await mint("contended") };
		const { headers } = await operate(house, GetKey, { params });
		const edits = Array.from({ length: 10 }, async () =>
			operate(house, SuspendKey, { params, body: {}, headers: { "if-match": String(headers.etag) } }),
		);
		const statuses = (await Promise.all(edits)).map(({ status }) => status).toSorted((a, b) => a - b);
		expect(statuses).toEqual([200, ...Array(9).fill(412)]);
	});

	it("is compared when an import that changes the same thing has ended", async () => {
		const params = { code: "F-EDIT" };
		await operate(house, PutFormula, { params, body: { name: "Old", status: "active" } });
		const { headers } = await operate(house, GetFormula, { params });
		const stranger = await house.db.take();
		await stranger.query("begin");
		await stranger.query("select from catalog_epoch for update");
		await stranger.query("update formula set name = 'Imported' where code = 'F-EDIT'");
		const edit = operate(house, PutFormula, {
			params,
			body: { name: "Edited", status: "active" },
			headers: { "if-match": String(headers.etag) },
		});
		await expect
			.poll(async () => (await house.db.query("select from pg_stat_activity where wait_event_type = 'Lock'")).rowCount)
			.toBeGreaterThan(0);
		await stranger.query("commit");
		stranger.release();
		expect((await edit).status).toBe(412);
		expect((await operate(house, GetFormula, { params })).json.data.name).toBe("Imported");
	});

	it("that finds every connection in use is refused, may be sent again, and is then done once", async () => {
		const params = { pk: await mint("crowded") };
		const stranger = await house.db.take();
		await stranger.query("begin");
		await stranger.query("select from key_epoch for update");
		const crowd = Array.from({ length: 10 }, async () => operate(house, SuspendKey, { params, body: {} }));
		const refused = (await Promise.all(crowd)).map(({ status, json }) => `${status} ${json.error?.code}`);
		expect(new Set(refused)).toEqual(new Set(["409 retry"]));
		await stranger.query("rollback");
		stranger.release();
		const before = await auditRows(house);
		expect((await operate(house, SuspendKey, { params, body: {} })).json.data.state).toBe("suspended");
		expect(await auditRows(house)).toBe(before + 1);
	});

	it("of a thing that does not exist is answered 404", async () => {
		const params = { pk: "nobody" };
		expect((await operate(house, SuspendKey, { params, body: {}, headers: { "if-match": "*" } })).status).toBe(404);
	});
});

describe("A dry run", () => {
	it("answers as the real thing would, and leaves neither effect nor audit row nor kept reply", async () => {
		const params = { pk: await mint("dry") };
		const before = await auditRows(house);
		const headers = { "idempotency-key": "same" };
		const dry = await operate(house, RevokeKey, { params, body: { dry_run: true }, headers });
		expect([dry.status, dry.json.data.state, dry.json.data.dry_run]).toEqual([200, "revoked", true]);
		expect((await operate(house, GetKey, { params })).json.data.state).toBe("live");
		expect(await auditRows(house)).toBe(before);
		const real = await operate(house, RevokeKey, { params, body: {}, headers });
		expect([real.json.data.state, real.json.data.dry_run]).toEqual(["revoked", undefined]);
	});

	it("is refused as the real thing would be, without an audit row", async () => {
		const params = { pk: await mint("ended") };
		await operate(house, RevokeKey, { params, body: {} });
		const before = await auditRows(house);
		const missing = await operate(house, RevokeKey, { params: { pk: "nobody" }, body: { dry_run: true } });
		expect(missing.status).toBe(404);
		expect(await auditRows(house)).toBe(before);
	});
});
