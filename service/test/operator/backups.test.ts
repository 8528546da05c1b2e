import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { MakeBackup } from "../../src/upkeep/backup/admin-contract.ts";
import { KEY_RING_ENTRY } from "../../src/upkeep/backup/manifest.ts";
import { checkArchive, openArchive } from "../../src/upkeep/backup/open-archive.ts";
import { openKeyRing } from "../../src/upkeep/backup/seal-key-ring.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecret } from "../leaks/secrets.ts";
import { operate } from "../operate.ts";
import { auditRows } from "./placed.ts";

const PASSPHRASE = "correct horse battery staple";
/** Bytes that do not fit into the buffers between a service and a client that does not read. */
const MUCH = 10_000_000;

let house: House;

beforeAll(async () => {
	house = await openHouse({ processes: true });
	keepSecret("the passphrase of a backup", PASSPHRASE);
	await house.stock({ ONE: 100 });
});
afterAll(() => house.close());

const backupsUnderWay = async (): Promise<number> =>
	(
		await house.db.query(
			"select from pg_stat_activity where application_name = 'holdfast backup' and datname = current_database()",
		)
	).rowCount ?? 0;

/** Begins a backup and reads nothing of it. */
function begin(): Promise<IncomingMessage> {
	const { socket: socketPath } = house;
	return new Promise((resolve, reject) => {
		const headers = { "content-type": "application/json", "content-length": 2 };
		const sent = request({ socketPath, method: MakeBackup.method, path: MakeBackup.path, headers });
		sent.on("error", reject).on("response", (response) => {
			if (response.statusCode === 200) resolve(response);
			else reject(new Error(`answered ${response.statusCode}`));
		});
		sent.end("{}");
	});
}

describe("POST /backups", () => {
	it("answers a whole archive, and leaves one row in the audit log", async () => {
		const before = await auditRows(house);
		const { status, headers, bytes } = await operate(house, MakeBackup, { body: {} });
		expect([status, headers["content-type"]]).toEqual([200, "application/x-tar"]);
		expect(headers["content-disposition"]).toMatch(/^attachment; filename="holdfast-[\dTZ.-]+\.tar"$/);
		const { facts, manifest } = await checkArchive(Readable.from([bytes]), () => undefined);
		expect(manifest.rows["lot"]).toBeGreaterThan(0);
		expect(await auditRows(house)).toBe(before + 1);
		const { rows } = await house.db.query("select operation, about, body from audit_log order by seq desc limit 1");
		expect(rows).toEqual([{ operation: "make_backup", about: `the database as of ${facts.made_at}`, body: {} }]);
	});

	it("puts the key ring in under a passphrase, which stands nowhere", async () => {
		const { bytes } = await operate(house, MakeBackup, { body: { passphrase: PASSPHRASE } });
		const archive = await openArchive(Readable.from([bytes]));
		let ring: string | null = null;
		for await (const entry of archive.entries()) {
			if ("content" in entry) for await (const _bytes of entry.content);
			else if (entry.name === KEY_RING_ENTRY) ring = await openKeyRing(entry.bytes.toString("utf8"), PASSPHRASE);
		}
		archive.finish();
		expect(ring).toContain(":");
		const { rows } = await house.db.query("select body from audit_log order by seq desc limit 1");
		expect(rows).toEqual([{ body: { passphrase: "***" } }]);
	});

	it("refuses a passphrase that can be guessed, and leaves no row", async () => {
		const before = await auditRows(house);
		const refused = await operate(house, MakeBackup, { body: { passphrase: "short" } });
		expect([refused.status, refused.json.error.code]).toEqual([400, "invalid_input"]);
		expect(await auditRows(house)).toBe(before);
	});

	it("names the tables that are not Holdfast's", async () => {
		await house.db.query('create table "of, others" (n int)');
		try {
			const { headers } = await operate(house, MakeBackup, { body: {} });
			expect(headers["x-not-carried"]).toBe("of%2C%20others");
		} finally {
			await house.db.query('drop table "of, others"');
		}
	});
});

describe("POST /backups of a database that takes long to send", () => {
	beforeAll(async () => {
		// larger than everything else in the schema, and hardly compressible
		await house.db.query(
			`insert into operator_run (run_id, operation, about, actor, request_id, status, state, done, held_until, ended_at)
			 select gen_random_uuid(), 'verify_ledger', 'much', 'operator:test', 'test', 'done',
			        jsonb_build_object('much', (select string_agg(md5(random()::text || n || m), '') from generate_series(1, 1000) m)),
			        0, now(), now()
			   from generate_series(1, $1::int / 32000) n`,
			[MUCH],
		);
	});

	it("keeps no snapshot for a client that is gone, sends three at a time, and refuses a fourth with a row", async () => {
		const unread = [await begin(), await begin(), await begin()];
		expect(await backupsUnderWay()).toBe(3);
		const before = await auditRows(house);
		const fourth = await operate(house, MakeBackup, { body: {} });
		expect([fourth.status, fourth.json.error.code]).toEqual([409, "not_possible_now"]);
		expect(await auditRows(house)).toBe(before + 1);
		for (const one of unread) one.destroy();
		await expect.poll(backupsUnderWay).toBe(0);
		expect((await operate(house, MakeBackup, { body: {} })).status).toBe(200);
	});

	it("ends without its end when the service is killed, so that nobody takes it for whole", async () => {
		const response = await begin();
		await must(must(house.nodes[0], "a node").child, "its process").kill();
		const parts: Buffer[] = [];
		const read = async () => {
			for await (const part of response) parts.push(part as Buffer);
		};
		await expect(read()).rejects.toThrow("aborted");
		await expect(checkArchive(Readable.from(parts), () => undefined)).rejects.toThrow("damaged");
	});
});
