/**
 * Imports a folder of certificates and ends itself, as a power cut would end it, at the step that HOLDFAST_TEST_STEP
 * names. A step is the moment before a statement or a file, the moment after it was sent, and the moment after it was
 * answered. Without such a step it says `done`.
 */
import pg from "pg";
import { openDatabase } from "../../src/ground/pg/connect.ts";
import { openFileStore } from "../../src/inventory/certificates/file-store.ts";
import { importCertificates } from "../../src/upkeep/import/import-certificates.ts";

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
const progress = { stage: () => undefined, advance: () => undefined, end: () => undefined };
await db.query("select 1"); // connected
counting = true;
await importCertificates({ db, files, progress }, folder, { actor: "operator:test" });
console.log("done");
await db.close();
