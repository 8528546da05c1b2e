import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { verify } from "../ledger/verify.ts";
import { openArchive } from "./open-archive.ts";
import { renewRecovered } from "./renew-recovered.ts";
import { restoreBackup } from "./restore-backup.ts";
import { type FileKeeper, writeBackup } from "./write-backup.ts";

const NO_FILES: FileKeeper = {
	list: () => Promise.resolve([]),
	open: () => Promise.reject(new Error("there is no file")),
	put: () => Promise.resolve(true),
	remove: () => Promise.resolve(),
};

async function backedUp(url: string): Promise<Buffer> {
	const sink = new PassThrough();
	const settings = { version: "0.0.0-test", files: NO_FILES, keyRing: null };
	const [, bytes] = await Promise.all([writeBackup(url, sink, settings), buffer(sink)]);
	return bytes;
}

async function restored(bytes: Buffer, { withoutWebhooks = false } = {}): Promise<TestDatabase> {
	const database = await openTestDatabase();
	await restoreBackup(database.url, await openArchive(Readable.from([bytes])), {
		files: NO_FILES,
		withoutWebhooks,
		takeKeyRing: () => Promise.resolve(),
		onBytes: () => undefined,
	});
	return database;
}

/** An endpoint with a pending delivery, and one that is gone. */
const ENDPOINTS = `
	with made as (
	  insert into webhook_endpoint (endpoint_id, partner_id, environment, url, event_types, status, inactive_reason, api_date, version)
	  select gen_random_uuid(), partner_id, 'live', 'https://shop.example.com/' || status, '{order.held}', status,
	         case status when 'inactive' then 'gone' end, '2026-09-06', take_numbers('webhook_endpoint_epoch', 1)
	    from (select partner_id from partner limit 1) p, unnest(array['active', 'inactive']) status
	  returning endpoint_id, status)
	insert into webhook_delivery (endpoint_id, seq, event_id, status, next_attempt_at, settled_at, attempts)
	select endpoint_id, 1, 'evt_1', case status when 'active' then 'pending' else 'delivered' end,
	       case status when 'active' then now() end, case status when 'inactive' then now() end,
	       (case status when 'inactive' then '[{"status": 200}]' else '[]' end)::jsonb from made`;

/** The endpoints of a database, the active one first, each with its delivery. */
async function webhooksOf({ db }: TestDatabase) {
	const { rows } = await db.query<{ status: string; reason: string | null; version: number; delivery: string }>(
		`select e.status, e.inactive_reason as reason, e.version, d.status as delivery
		   from webhook_endpoint e join webhook_delivery d using (endpoint_id) order by e.url`,
	);
	return rows;
}

describe("A restored database", () => {
	it("sends nothing to anybody where it is asked to stop all webhooks, and tells their list of it", async () => {
		const source = await openTestDatabase();
		await source.db.query("insert into partner (partner_id, name) values (gen_random_uuid(), 'Shop')");
		await source.db.query(ENDPOINTS);
		const bytes = await backedUp(source.url);
		const [same, silent] = [await restored(bytes), await restored(bytes, { withoutWebhooks: true })];
		try {
			const [before, after] = [await webhooksOf(same), await webhooksOf(silent)];
			expect(before.map(({ status, reason, delivery }) => [status, reason, delivery])).toEqual([
				["active", null, "pending"],
				["inactive", "gone", "delivered"],
			]);
			expect(after.map(({ status, reason, delivery }) => [status, reason, delivery])).toEqual([
				["inactive", "operator", "dropped"],
				["inactive", "gone", "delivered"],
			]);
			expect(after.map(({ version }) => version)).toEqual(before.map(({ version }) => version)); // all of them are new
			expect(await renewRecovered(same.db, { withoutWebhooks: true })).toBe(1);
			expect((await webhooksOf(same)).map(({ delivery }) => delivery)).toEqual(["dropped", "delivered"]);
			expect(await verify(silent.db)).toMatchObject({ ok: true });
		} finally {
			for (const database of [source, same, silent]) await database.close();
		}
	});
});
