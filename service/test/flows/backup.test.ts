import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedPostgres, openEmbedded } from "../../src/ground/embedded/embedded.ts";
import { newKeyRingEntry } from "../../src/partners/keys/key-ring.ts";
import { pdfOf } from "../contract/coa-world.ts";
import { openDataPlace } from "../data-folder.ts";
import { type House, openHouse, openTestDatabase, startProcess } from "../house.ts";
import { leaksInBackup } from "../leaks/find-in-backup.ts";
import { leaksInFolder } from "../leaks/find-in-files.ts";
import { finderOfKnown, keepSecret } from "../leaks/secrets.ts";
import { LAUNCHER, shellWith, until } from "../processes/child.ts";
import { holdfast } from "../processes/holdfast.ts";
import { ask } from "../processes/server-folder.ts";
import { sizeOr } from "../sizes.ts";

/*
 * An operator's backup, with commands in processes of their own: it is taken while partners reserve, restored into a
 * PostgreSQL 15 of the operator's own, from there into an embedded one, and served there to partners with their old
 * tokens.
 */

/** Partners that reserve while the backup is taken, each without a pause. */
const CLIENTS = sizeOr(64, 3);
/** Holds that exist before the backup begins. */
const BEFORE = sizeOr(20_000, 200);
/** PostgreSQL 15 as Debian installs it; if it is missing, the one that is installed with Holdfast. */
const DEBIAN_15 = "/usr/lib/postgresql/15/bin";
const PASSPHRASE = "correct horse battery";

let house: House;
let folder: string;
let own: EmbeddedPostgres;
let token: string;
let ring: string;
let env: Record<string, string>;

beforeAll(async () => {
	folder = await openDataPlace("backup");
	ring = newKeyRingEntry();
	keepSecret("the passphrase of a backup", PASSPHRASE);
	const settings = {
		HOLDFAST_SECRET_KEYS: ring,
		HOLDFAST_COA_STORE: join(folder, "papers"),
		HOLDFAST_COA_PORT: "0",
	};
	house = await openHouse({ env: settings });
	const { socket } = house;
	env = { ...settings, HOLDFAST_DATABASE_URL: house.url, HOLDFAST_ADMIN_SOCKET: socket };
	const world = join(folder, "world.json");
	await writeFile(
		world,
		JSON.stringify({
			formulas: [{ code: "F", name: "F", status: "active" }],
			products: [{ slug: "s", name: "S" }],
			skus: [{ sku: "S", product: "s", name: "S", kind: "single", components: [{ formula: "F", per_kit: 1 }] }],
			lots: [1, 2, 3].map((n) => ({ formula: "F", brand_code: null, batch_number: `B${n}`, units: 100_000_000 })),
			partners: [{ name: "Shop" }],
			keys: [
				{
					name: "web",
					partner: "Shop",
					environment: "live",
					brand_code: null,
					preset: "self_ship",
					shared_pool: true,
					requests_per_minute: 1_000_000,
				},
			],
		}),
	);
	const imported = await holdfast(["import", world, "--json"], env);
	token = imported.json.keys[0].token;
	await importCertificate();
	// it has a secret that is stored encrypted
	const endpoint = ["--partner", "Shop", "--environment", "live", "--url", "https://93.184.216.34/hook"];
	expect((await holdfast(["webhooks", "add", ...endpoint, "--json"], env)).code).toBe(0);
	own = await openEmbedded({
		dataDir: join(folder, "fifteen"),
		role: "tool",
		...(existsSync(DEBIAN_15) ? { pgBin: DEBIAN_15 } : {}),
	});
}, 120_000);
afterAll(async () => {
	await house.close();
	await own.close();
	const finder = finderOfKnown();
	const leaks = leaksInFolder(finder, folder, ["secret-keys", "passphrase"]);
	const archives = (await readdir(folder)).filter((name) => name.endsWith(".tar"));
	for (const name of archives) leaks.push(...(await leaksInBackup(finder, join(folder, name))));
	await rm(folder, { recursive: true, force: true });
	expect([archives.length, leaks]).toEqual([3, []]);
});

/** A certificate of batch B1, with its PDF. */
async function importCertificate(): Promise<void> {
	const certificates = join(folder, "certificates");
	await mkdir(certificates);
	await writeFile(join(certificates, "b1.pdf"), await pdfOf("s", "B1"));
	const head = "product_slug,product_name,batch_number,vial_size,tested_on,lab_name,purity_pct,status,file";
	await writeFile(join(certificates, "certificates.csv"), `${head}\r\ns,S,B1,,,,99,current,b1.pdf\r\n`);
	expect((await holdfast(["coa", "import", certificates, "--json"], env)).json).toMatchObject({ created: 1 });
}

/** Reserves until it is stopped; returns the acknowledged tokens, in order. */
async function reserve(prefix: string, isOver: (done: number) => boolean): Promise<string[]> {
	const acknowledged: string[] = [];
	while (!isOver(acknowledged.length)) {
		const { status, json } = await house.call(token, "/api/v1/reserve", {
			body: { items: [{ sku: "S", qty: 1 }], external_ref: `${prefix}-${acknowledged.length}` },
		});
		if (status === 201) acknowledged.push(json.data.reservation_token);
		else expect([status, json.error.code]).toEqual([409, "retry"]);
	}
	return acknowledged;
}

/** The PDF of the first certificate in the feed of a node. */
async function certificateAt(coa: string): Promise<Buffer> {
	const feed = await fetch(`${coa}/api/partner/v1/coa`, { headers: { authorization: `Bearer ${token}` } });
	const { data } = (await feed.json()) as { data: { items: { certificate_url: string }[] } };
	const pdf = await fetch(data.items[0]?.certificate_url ?? "");
	return Buffer.from(await pdf.arrayBuffer());
}

const clients = (prefix: string, isOver: (done: number) => boolean) =>
	Promise.all(Array.from({ length: CLIENTS }, (_, n) => reserve(`${prefix}-${n}`, isOver))).then((all) => all.flat());

/** The holds among these that a database lacks. */
async function missing(url: string, tokens: readonly string[]): Promise<string[]> {
	const found = await ask<{ id: string }>(url, "select reservation_token as id from hold");
	const there = new Set(found.map(({ id }) => id));
	return tokens.filter((one) => !there.has(one));
}

describe("A backup taken under load", () => {
	const file = (name: string): string => join(folder, name);

	it("is restored into a PostgreSQL of one's own of another version, and from there into an embedded one", async () => {
		const before = await clients("before", (done) => done >= BEFORE / CLIENTS);
		let isOver = false;
		const during = clients("during", () => isOver);
		const backup = await holdfast(["backup", file("first.tar"), "--json"], env);
		isOver = true;
		const meanwhile = await during;
		expect([backup.code, backup.err]).toEqual([0, expect.any(String)]);
		expect(backup.json).toMatchObject({
			key_ring: "left out",
			not_carried: [],
			files: 1,
			bytes: (await stat(file("first.tar"))).size,
		});
		expect(meanwhile.length).toBeGreaterThan(0);
		expect(backup.json.holds).toBeGreaterThanOrEqual(before.length);

		const there = {
			...env,
			HOLDFAST_DATABASE_URL: own.url,
			HOLDFAST_COA_STORE: file("papers-15"),
			HOLDFAST_ADMIN_SOCKET: file("nobody.sock"),
		};
		const restored = await holdfast(["restore", file("first.tar"), "--json"], there);
		expect([restored.code, restored.json]).toMatchObject([
			0,
			{ holds: backup.json.holds, files: 1, missing_key_ring: [], verify: { ok: true, differences_count: 0 } },
		]);
		expect(await missing(own.url, before)).toEqual([]);
		// holds acknowledged during the backup may be present or not; every present hold was requested
		const unknown = await missing(
			house.url,
			(await ask<{ id: string }>(own.url, HOLDS)).map(({ id }) => id),
		);
		expect(unknown).toEqual([]);

		const again = await holdfast(["restore", file("first.tar"), "--json"], there);
		expect([again.code, again.json.error.message]).toMatchObject([1, expect.stringContaining("not empty")]);

		await writeFile(file("passphrase"), `${PASSPHRASE}\n`);
		const sealed = ["--with-key-ring", "--passphrase-file", file("passphrase")];
		const second = await holdfast(["backup", file("second.tar"), ...sealed, "--json"], there);
		expect([second.code, second.json.key_ring]).toEqual([0, "encrypted"]);
		const bytes = await readFile(file("second.tar"));
		expect(bytes.includes(ring.slice(9))).toBe(false);

		await writeFile(file("wrong"), "another passphrase\n");
		const here = { HOLDFAST_DATA_DIR: file("data") };
		const refused = await holdfast(["restore", file("second.tar"), "--passphrase-file", file("wrong"), "--json"], here);
		expect([refused.code, refused.json.error.message]).toMatchObject([
			1,
			expect.stringContaining("the passphrase is wrong"),
		]);
		const moved = await holdfast(
			["restore", file("second.tar"), "--without-webhooks", "--passphrase-file", file("passphrase"), "--json"],
			here,
		);
		expect([moved.code, moved.json]).toMatchObject([
			0,
			{ holds: backup.json.holds, key_ring: file("data/secret-keys"), missing_key_ring: [], verify: { ok: true } },
		]);

		// the partners' tokens work there, and a repeat is answered with the earlier hold
		const node = await startProcess({ ...here, HOLDFAST_PORT: "0", HOLDFAST_COA_PORT: "0" });
		try {
			const reply = await fetch(`${node.api}/api/v1/reserve`, {
				method: "POST",
				headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
				body: JSON.stringify({ items: [{ sku: "S", qty: 1 }], external_ref: "before-0-0" }),
			});
			expect([reply.status, await reply.json()]).toMatchObject([201, { data: { idempotent: true } }]);
			expect(await certificateAt(node.coa)).toEqual(await readFile(file("certificates/b1.pdf")));
		} finally {
			await node.stop();
		}
	}, 300_000);

	it("goes through a pipe, from one database into the next", async () => {
		const target = await openTestDatabase();
		try {
			const command = `"${process.execPath}" "${LAUNCHER}"`;
			const script = `${command} backup - | HOLDFAST_DATABASE_URL='${target.url}' ${command} restore - --json`;
			const { stdout, stderr } = await promisify(execFile)("sh", ["-c", script], {
				env: shellWith({ ...env, HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true" }),
			});
			expect(JSON.parse(stdout)).toMatchObject({ verify: { ok: true } });
			expect(stderr).toContain("The key ring is not included");
		} finally {
			await target.close();
		}
	}, 60_000);

	it("is said to be restored when only its verification fails", async () => {
		const target = await openTestDatabase();
		const there = { ...env, HOLDFAST_DATABASE_URL: target.url, HOLDFAST_ADMIN_SOCKET: file("nobody.sock") };
		const wrong = { ...there, HOLDFAST_COA_STORE: file("papers-wrong"), HOLDFAST_SECRET_KEYS: "no key ring" };
		const { code, json } = await holdfast(["restore", file("first.tar"), "--json"], wrong);
		expect([code, json.error.message]).toEqual([
			1,
			expect.stringMatching(/^Everything was restored as of .*Do not restore it again: run/),
		]);
		expect((await ask(target.url, HOLDS)).length).toBeGreaterThan(0);
		await target.close();
	});

	it("is not restored at all when that is interrupted, which is said as JSON too", async () => {
		const target = await openTestDatabase();
		const there = { ...env, HOLDFAST_DATABASE_URL: target.url, HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true" };
		const child = spawn(process.execPath, [LAUNCHER, "restore", "-", "--json"], { env: { ...process.env, ...there } });
		try {
			const printed = text(child.stdout);
			const ended = once(child, "exit");
			child.stdin.on("error", () => undefined); // it ends before it has read everything
			const bytes = await readFile(file("first.tar"));
			child.stdin.write(bytes.subarray(0, bytes.length >> 1));
			await until("the load", async () => (await ask(target.url, LOADING)).length > 0);
			child.kill("SIGINT");
			expect([await ended, JSON.parse(await printed)]).toMatchObject([
				[130, null],
				{ error: { code: "interrupted", message: "Interrupted: nothing was restored, the database is empty." } },
			]);
			expect(await ask(target.url, HOLDS)).toEqual([]);
		} finally {
			child.kill("SIGKILL");
			await target.close();
		}
	}, 60_000);

	it("is encrypted whole under a passphrase, with the key ring; without it, cut or changed it is refused", async () => {
		const target = await openTestDatabase();
		try {
			await writeFile(file("passphrase"), `${PASSPHRASE}\n`);
			await writeFile(file("wrong"), "another passphrase\n");
			const made = ["--encrypt", "--with-key-ring", "--passphrase-file", file("passphrase"), "--json"];
			const backup = await holdfast(["backup", file("sealed.backup"), ...made], env);
			const bytes = await readFile(file("sealed.backup"));
			expect([backup.code, backup.json.key_ring, backup.json.bytes]).toEqual([0, "encrypted", bytes.length]);
			expect(bytes.includes("backup.json")).toBe(false);
			const there = { ...env, HOLDFAST_DATABASE_URL: target.url, HOLDFAST_ADMIN_SOCKET: file("nobody.sock") };
			const restore = (name: string, passphrase = "passphrase") =>
				holdfast(["restore", file(name), "--passphrase-file", file(passphrase), "--json"], there);
			await writeFile(file("cut.backup"), bytes.subarray(0, -1));
			const changed = Buffer.from(bytes);
			changed.writeUInt8(changed.readUInt8(changed.length >> 1) ^ 1, changed.length >> 1);
			await writeFile(file("changed.backup"), changed);
			for (const [name, passphrase, why] of [
				["sealed.backup", "wrong", "the passphrase is wrong"],
				["cut.backup", "passphrase", "its end is missing"],
				["changed.backup", "passphrase", "is damaged"],
			] as const) {
				const refused = await restore(name, passphrase);
				expect([refused.code, refused.json.error.message]).toEqual([1, expect.stringContaining(why)]);
			}
			const restored = await restore("sealed.backup");
			expect([restored.code, restored.json]).toMatchObject([0, { holds: backup.json.holds, verify: { ok: true } }]);
		} finally {
			await target.close();
		}
	}, 120_000);

	it("is never written over another file by mistake, nor half written", async () => {
		await writeFile(file("kept.tar"), "an older backup");
		const taken = await holdfast(["backup", file("kept.tar"), "--json"], env);
		expect([taken.code, taken.json.error.message]).toMatchObject([1, expect.stringContaining("--replace")]);
		const replaced = await holdfast(["backup", file("kept.tar"), "--replace", "--json"], env);
		expect(replaced.code).toBe(0);
		const nowhere = await holdfast(["backup", file("no/such/folder.tar"), "--json"], env);
		expect([nowhere.code, nowhere.json.error.message]).toMatchObject([1, expect.stringContaining("cannot be written")]);
		expect((await readdir(folder)).filter((name) => name.includes("partial"))).toEqual([]);
	}, 60_000);
});

const HOLDS = "select reservation_token as id from hold";
const LOADING =
	"select pid from pg_stat_activity where datname = current_database() and application_name = 'holdfast restore'";
