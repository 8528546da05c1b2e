/**
 * Imports a folder of certificates and kills itself, as a power cut would, at the step that HOLDFAST_TEST_STEP names.
 * There is a step before each statement or file, after it was sent, and after it was answered. If the step is never
 * reached, it prints `done`.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { openDatabase } from "../../src/ground/pg/connect.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { digestOf } from "../../src/inventory/certificates/digest.ts";
import { openFileStore } from "../../src/inventory/certificates/file-store.ts";
import { importCertificates, storeNeeded } from "../../src/upkeep/certificate-import/import-certificates.ts";
import { readCertificates } from "../../src/upkeep/certificate-import/read-certificates.ts";

const [url = "", store = "", folder = "", dieAt = ""] = process.argv.slice(2);
let steps = 0;
let counting = false;
const step = (): void => {
	if (counting && ++steps === Number(dieAt)) process.kill(process.pid, "SIGKILL");
};

const client = pg.Client.prototype as unknown as { query: (...call: unknown[]) => unknown };
const { query } = client;
client.query = function (this: unknown, ...call: unknown[]): unknown {
	step();
	const sent = query.apply(this, call);
	setImmediate(step);
	if (sent instanceof Promise) void sent.finally(step).catch(() => undefined);
	return sent;
};

const db = openDatabase(url, { name: "import and die" });
const inner = openFileStore({ kind: "folder", path: store });
const files = {
	...inner,
	async put(bytes: Uint8Array) {
		step();
		const putting = inner.put(bytes);
		setImmediate(step);
		const digest = await putting;
		step();
		return digest;
	},
};
const options = { actor: "operator:test" };
const pdfs = new Map<string, Buffer>();
for (const name of await readdir(folder)) if (name.endsWith(".pdf")) pdfs.set(name, await readFile(join(folder, name)));
const table = readCertificates(
	{ name: "certificates.csv", content: await readFile(join(folder, "certificates.csv"), "utf8") },
	new Map([...pdfs].map(([name, bytes]) => [name, { digest: digestOf(bytes), size: bytes.length }])),
);
await db.query("select 1"); // connected
counting = true;
const stored = await storeNeeded({ db, files }, table, [...pdfs.values()], options);
if (isRefusal(stored)) throw new Error(stored.message);
const report = await transaction(db, (tx) => importCertificates(tx, table, stored, options));
if (isRefusal(report)) throw new Error(report.message);
console.log("done");
await db.close();
