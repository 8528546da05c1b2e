/**
 * `node bench/src/coa.ts`: the feed of 100,000 certificates and their PDFs, beside the gate alone and plain static
 * files.
 */
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { openDatabase } from "../../service/src/ground/pg/connect.ts";
import { digestOf } from "../../service/src/inventory/certificates/digest.ts";
import { createFolderStore } from "../../service/src/inventory/certificates/folder-store.ts";
import { freePort, Generator, HOST, type Server, startBenchServer, startService } from "./children.ts";
import { INSERT_CERTIFICATES } from "./coa-sql.ts";
import { cursorAt } from "./cursor-at.ts";
import type { LoadJob } from "./load.ts";
import { memoryBytes } from "./processes.ts";
import { Cluster, type World } from "./world.ts";

const { values } = parseArgs({
	options: {
		certificates: { type: "string", default: "100000" },
		rounds: { type: "string", default: "3" },
		seconds: { type: "string", default: "5" },
	},
});
const CERTIFICATES = Number(values.certificates);
const ROUNDS = Number(values.rounds);
const MEASURE_MS = Number(values.seconds) * 1_000;
const WARM_UP_MS = 1_500;
/** Consecutive exports, because memory that grows with rows would grow with each. */
const EXPORTS = 4;
/** Connections for pages and PDFs. */
const PAGE_CONNECTIONS = 16;
const PDF_CONNECTIONS = 64;
const PDF_BYTES = 1024 * 1024;
const FEED = "/api/partner/v1/coa";
const EXPORT_PAGE = 500;
const MIB = 1024 * 1024;

interface Ground {
	readonly world: World;
	/** Port of the COA address. */
	readonly coa: number;
	readonly service: Server;
	readonly gate: Server;
	readonly files: { readonly port: number; readonly process: ChildProcess };
	readonly load: Generator<LoadJob>;
	readonly pdfPath: string;
	readonly middle: string;
}

const median = (numbers: readonly number[]): number =>
	numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

async function measure(ground: Ground, port: number, at: string, connections: number, tokens: readonly string[]) {
	const job: LoadJob = {
		host: HOST,
		port,
		tokens,
		connections,
		templates: [{ method: "GET", path: at }],
		skuCount: 1,
		warmUpMs: WARM_UP_MS,
		measureMs: MEASURE_MS,
		expectedStatus: 200,
	};
	const { answered, seconds, p50Ms, others } = await ground.load.run(job, () => []);
	if (Object.keys(others).length > 0) console.error(`  also answered: ${JSON.stringify(others)}`);
	return { rate: answered / seconds, p50Ms };
}

/** Exports every page of 500 as CSV, one after the other, while measuring the service's memory. */
async function exportAll({ coa, world, service }: Ground) {
	const began = performance.now();
	const before = memoryBytes([service.pid]);
	let [rows, cursor, most] = [0, "", before];
	for (;;) {
		const address = `http://${HOST}:${coa}${FEED}?status=all&format=csv&limit=${EXPORT_PAGE}${cursor === "" ? "" : `&cursor=${cursor}`}`;
		const reply = await fetch(address, { headers: { authorization: `Bearer ${world.tokens[0]}` } });
		const text = await reply.text();
		rows += text.split("\r\n").length - 2;
		cursor = reply.headers.get("x-next-cursor") ?? "";
		most = Math.max(most, memoryBytes([service.pid]));
		if (reply.headers.get("link") === null) break;
	}
	return { rows, seconds: (performance.now() - began) / 1_000, before: before / MIB, most: most / MIB };
}

async function report(ground: Ground): Promise<void> {
	const { world, coa, gate, files } = ground;
	const tokens = world.tokens.slice(0, 1);
	const first = `${FEED}?status=all`;
	const cells = {
		"gate alone": () => measure(ground, gate.port, first, PAGE_CONNECTIONS, tokens),
		"first page": () => measure(ground, coa, first, PAGE_CONNECTIONS, tokens),
		"middle page": () => measure(ground, coa, `${first}&cursor=${ground.middle}`, PAGE_CONNECTIONS, tokens),
		"static files": () => measure(ground, files.port, "/file.pdf", PDF_CONNECTIONS, tokens),
		"1 MiB PDF": () => measure(ground, coa, ground.pdfPath, PDF_CONNECTIONS, tokens),
	} as const;
	const rates: { [name in keyof typeof cells]: number[] } = {
		"gate alone": [],
		"first page": [],
		"middle page": [],
		"static files": [],
		"1 MiB PDF": [],
	};
	for (let round = 1; round <= ROUNDS; round++) {
		for (const [name, cell] of Object.entries(cells)) {
			const { rate, p50Ms } = await cell();
			rates[name as keyof typeof cells].push(rate);
			console.log(`round ${round}  ${name.padEnd(12)}  ${rate.toFixed(0).padStart(7)}/s  p50 ${p50Ms.toFixed(2)} ms`);
		}
	}
	const ratio = (a: keyof typeof cells, b: keyof typeof cells): number =>
		median(rates[a].map((rate, at) => rate / (rates[b][at] ?? Number.NaN)));
	const shown = (what: string, value: number, met: boolean): void =>
		console.log(`${what}: ${value.toFixed(2)} ${met ? "met" : "NOT MET"}`);
	const [head, middle, between] = [
		ratio("first page", "gate alone"),
		ratio("middle page", "gate alone"),
		ratio("first page", "middle page"),
	];
	shown("first page / gate alone (>= 0.4)", head, head >= 0.4);
	shown("middle page / gate alone (>= 0.4)", middle, middle >= 0.4);
	shown("first page / middle page (within 1.5)", between, between <= 1.5 && between >= 1 / 1.5);
	console.log(`1 MiB PDF / static files: ${ratio("1 MiB PDF", "static files").toFixed(2)}`);
	for (let time = 1; time <= EXPORTS; time++) {
		const { rows, seconds, before, most } = await exportAll(ground);
		console.log(
			`CSV export ${time}: ${rows} rows in ${seconds.toFixed(1)} s, memory ${before.toFixed(0)} MiB before, ${most.toFixed(0)} MiB at most`,
		);
	}
}

async function main(): Promise<void> {
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-bench-coa-"));
	await chmod(folder, 0o711);
	const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
	try {
		const cluster = await Cluster.open(path.join(folder, "data"));
		ends.unshift(() => cluster.close());
		const world = await cluster.create("coa_world", { skus: 10, pastHolds: 0, pastOrders: 0, holdsToPlace: 0 });
		const store = path.join(folder, "store");
		const pdf = Buffer.concat([Buffer.from("%PDF-1.7\n"), randomBytes(PDF_BYTES - 9)]);
		const digest = await createFolderStore(store).put(pdf);
		const files = path.join(folder, "static");
		await mkdir(files);
		await writeFile(path.join(files, "file.pdf"), pdf);
		const db = openDatabase(world.url, { max: 1, name: "bench" });
		for (const statement of INSERT_CERTIFICATES)
			await db.query(statement.text, statement.values(CERTIFICATES, digestOf(pdf), pdf.length));
		await db.query("vacuum (analyze)");
		const { rows } = await db.query<{ id: string }>("select certificate_id as id from certificate limit 1");
		await db.close();
		const coa = await freePort();
		const settings = {
			HOLDFAST_DATABASE_URL: world.url,
			HOLDFAST_SECRET_KEYS: world.secretKeys,
			HOLDFAST_COA_PORT: String(coa),
			HOLDFAST_COA_STORE: store,
		};
		const service = await startService(settings, path.join(folder, "service.log"));
		ends.unshift(() => service.stop());
		const ask = async (at: string) => {
			const reply = await fetch(`http://${HOST}:${coa}${at}`, {
				headers: { authorization: `Bearer ${world.tokens[0]}` },
			});
			return ((await reply.json()) as { data: { next_cursor: string } }).data;
		};
		const page = await ask(`${FEED}?status=all`);
		const middle = await cursorAt(world, CERTIFICATES >> 1, ["all", undefined, undefined]);
		const none = null as never;
		const replies = {
			reserve: none,
			check: none,
			inventory: none,
			products: none,
			summary: none,
			place: null,
			coa: page as never,
		};
		const gate = await startBenchServer(world, { kind: "nothing", replies }, path.join(folder, "gate.log"));
		ends.unshift(() => gate.stop());
		const child = fork(path.join(import.meta.dirname, "static-files.ts"), [files]);
		ends.unshift(() => child.disconnect());
		const { port } = await new Promise<{ port: number }>((resolve) =>
			child.once("message", (message) => resolve(message as { port: number })),
		);
		const load = new Generator<LoadJob>("load.ts");
		ends.unshift(() => load.stop());
		const pdfPath = `/coa/file/${rows[0]?.id}/${digest}`;
		await report({ world, coa, service, gate, files: { port, process: child }, load, pdfPath, middle });
	} finally {
		for (const end of ends) await end();
	}
}

await main();
