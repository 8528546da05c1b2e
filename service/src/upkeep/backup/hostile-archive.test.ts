import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createZstdCompress, zstdCompressSync } from "node:zlib";
import { extract, pack } from "tar-stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { killAll, start } from "../../../test/processes/child.ts";
import { sizeOr } from "../../../test/sizes.ts";
import { fileKeeperOf } from "../../assembly/files.ts";
import { OperatorError } from "../../ground/lib/operator-error.ts";
import { digestOf } from "../../inventory/certificates/digest.ts";
import { createFolderStore } from "../../inventory/certificates/folder-store.ts";
import type { BackupFacts } from "./manifest.ts";
import { openArchive } from "./open-archive.ts";
import { restoreBackup } from "./restore-backup.ts";
import { writeBackup } from "./write-backup.ts";

/*
 * Archives made to do harm. Their digests and their manifest are valid, as an attacker can make them: they are refused
 * for their contents.
 */

const PROGRAM = join(import.meta.dirname, "../../../test/processes/restore-archive.ts");
const MIB = 1024 * 1024;
/** Maximum memory for a hostile archive, as a multiple of that for a harmless archive that is refused too. */
const MAX_TIMES_MEMORY = 4;
/** Mebibytes of brackets, and of zeros that a few kilobytes decompress to. */
const BRACKETS_MIB = sizeOr(255, 32);
const ZEROS_MIB = sizeOr(2_048, 512);

type Entries = [name: string, bytes: Buffer][];

let folder: string;
let harmless: Entries;
let database: TestDatabase;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-hostile-"));
	database = await openTestDatabase();
	const sink = new PassThrough();
	const files = fileKeeperOf(createFolderStore(join(folder, "none")));
	const settings = { version: "0.0.0-test", files, keyRing: null };
	const [, bytes] = await Promise.all([writeBackup(database.url, sink, settings), buffer(sink)]);
	harmless = [];
	const tar = extract();
	Readable.from([bytes]).pipe(tar as unknown as NodeJS.WritableStream);
	for await (const entry of tar) harmless.push([entry.header.name, await buffer(entry as unknown as Readable)]);
});
afterAll(async () => {
	await killAll();
	await database.close();
	await rm(folder, { recursive: true });
});

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const factsOf = (entries: Entries): BackupFacts => JSON.parse(String(entries[0]?.[1])) as BackupFacts;
const withFacts = (change: (facts: BackupFacts) => object): Entries => [
	["backup.json", Buffer.from(JSON.stringify(change(factsOf(harmless))))],
	...harmless.slice(1),
];
const withEntry = (is: RegExp, bytes: Buffer): Entries =>
	harmless.map(([name, was]) => [name, is.test(name) ? bytes : was]);

/**
 * An archive of these entries, with a manifest that names all of them; `rows`: numbers of rows that the manifest claims
 * in addition to the real ones.
 */
function sealed(entries: Entries, rows: Record<string, number> = {}): Entries {
	const found = entries.filter(([name]) => !name.startsWith("manifest."));
	const was = JSON.parse(String(harmless.find(([name]) => name === "manifest.json")?.[1])) as { rows: object };
	const listed = found.map(([name, bytes]) => ({ name, size: bytes.length, sha256: sha256(bytes) }));
	const manifest = Buffer.from(JSON.stringify({ ...was, rows: { ...was.rows, ...rows }, entries: listed }));
	return [...found, ["manifest.json", manifest], ["manifest.sha256", Buffer.from(`${sha256(manifest)}\n`)]];
}

async function written(entries: Entries): Promise<string> {
	const path = join(
		folder,
		`${sha256(Buffer.concat(entries.map(([name, bytes]) => Buffer.from(name + bytes.length))))}.tar`,
	);
	const tar = pack();
	const bytes = buffer(tar as unknown as Readable);
	for (const [name, content] of entries) tar.entry({ name, size: content.length }, content);
	tar.finalize();
	await writeFile(path, await bytes);
	return path;
}

/**
 * Restores an archive in this process, into an empty database and a folder for files. Returns why it was refused, and
 * the files in the folder.
 */
async function refused(entries: Entries): Promise<{ message: string; files: string[] }> {
	const place = await mkdtemp(join(folder, "files-"));
	const empty = await openTestDatabase();
	try {
		const error = await openArchive(createReadStream(await written(entries)))
			.then((archive) =>
				restoreBackup(empty.url, archive, {
					files: fileKeeperOf(createFolderStore(place)),
					withoutWebhooks: false,
					takeKeyRing: () => Promise.reject(new Error("the key ring was taken before everything was accepted")),
					onBytes: () => undefined,
				}),
			)
			.then(
				() => new OperatorError("restored"),
				(caught: unknown) => caught,
			);
		expect(error).toBeInstanceOf(OperatorError); // for any other error the operator would see a stack trace
		const { rows } = await empty.db.query(
			"select from formula union all select from sku union all select from api_key",
		);
		expect(rows).toEqual([]);
		const names = await readdir(place, { recursive: true, withFileTypes: true });
		return { message: (error as Error).message, files: names.filter((one) => one.isFile()).map(({ name }) => name) };
	} finally {
		await empty.close();
	}
}

/** Restores an archive in a separate process. Returns why it was refused, and its peak memory, in KiB. */
async function refusedElsewhere(entries: Entries): Promise<{ error: string | null; peakKib: number }> {
	const empty = await openTestDatabase();
	try {
		const child = start(process.execPath, [PROGRAM, empty.url, await written(entries)]);
		await child.exited;
		return JSON.parse(child.lines.at(-1) ?? "null") as { error: string | null; peakKib: number };
	} finally {
		await empty.close();
	}
}

describe("An archive that somebody made to do harm", () => {
	const PDF = Buffer.from("%PDF-1.7 a paper");
	const withPaper = (entries: Entries): Entries => [...entries, [`files/${digestOf(PDF)}`, PDF]];
	const zeros = async (): Promise<Buffer> => {
		const zstd = createZstdCompress();
		Readable.from(
			(function* () {
				for (let n = 0; n < ZEROS_MIB; n++) yield Buffer.alloc(MIB);
			})(),
		).pipe(zstd);
		return await buffer(zstd);
	};

	it("takes no more memory than a few times what a harmless one takes, whatever it says or decompresses to", async () => {
		const peer = await refusedElsewhere(harmless.slice(0, -1));
		expect(peer.error).toContain("its end is missing");
		const bomb = await zeros();
		const brackets = Buffer.alloc(BRACKETS_MIB * MIB, "[");
		const hostile: [what: string, entries: Entries, message: string][] = [
			["facts of brackets", [["backup.json", brackets]], "backup.json is larger than any that holdfast writes"],
			[
				"a manifest of brackets",
				withEntry(/^manifest\.json/, brackets.subarray(0, 32 * MIB)),
				"manifest.json is malformed",
			],
			["a bomb", sealed(withEntry(/-formula\//, bomb)), "decompresses to more than holdfast writes"],
			["a bomb of jobs", sealed(withEntry(/^jobs\//, bomb)), "decompresses to more than holdfast writes"],
		];
		for (const [what, entries, message] of hostile) {
			const { error, peakKib } = await refusedElsewhere(entries);
			expect([what, error]).toEqual([what, expect.stringContaining(message)]);
			expect([what, peakKib / peer.peakKib < MAX_TIMES_MEMORY ? "modest" : peakKib / peer.peakKib]).toEqual([
				what,
				"modest",
			]);
		}
	}, 120_000);

	const cases: [what: string, entries: () => Entries, message: string][] = [
		[
			"a sequence that is not Holdfast's",
			() =>
				sealed(
					withFacts((facts) => ({
						...facts,
						sequences: [...facts.sequences, { name: "pg_secret", last: 5, used: true }],
					})),
				),
			"none of its migrations creates the sequence pg_secret",
		],
		[
			"a number that no sequence can have",
			() =>
				sealed(withFacts((facts) => ({ ...facts, sequences: facts.sequences.map((one) => ({ ...one, last: 0 })) }))),
			"the database does not accept its rows",
		],
		[
			"a table that no migration makes",
			() =>
				sealed(
					withFacts((facts) => ({ ...facts, tables: [...facts.tables, { name: "pg_authid", columns: ["rolname"] }] })),
				),
			"none of its migrations creates pg_authid.rolname",
		],
		[
			"a table that no backup has",
			() =>
				sealed(
					withFacts((facts) => ({
						...facts,
						tables: [...facts.tables, { name: "schema_migration", columns: ["name"] }],
					})),
				),
			"schema_migration",
		],
		["no table at all", () => sealed(withFacts((facts) => ({ ...facts, tables: [] }))), "is malformed"],
		[
			"rows that are none",
			() => sealed(withEntry(/-formula\//, zstdCompressSync(Buffer.from("no\trow\n"))), { formula: 1 }),
			"formula/000001.copy.zst",
		],
		[
			"rows that break a rule of the database",
			() =>
				sealed(withEntry(/-sku_component\//, zstdCompressSync(Buffer.from(`NONE\t0\t${crypto.randomUUID()}\t1\n`))), {
					sku_component: 1,
				}),
			"the database does not accept tables/",
		],
		[
			"a name that a terminal would obey",
			() => sealed([...harmless, ["\u001b[2Jtables/x", PDF]]),
			"it has an entry ?[2Jtables/x",
		],
		[
			"a key ring, and then an end that is missing",
			() => [...harmless.slice(0, -2), ["key-ring.json", Buffer.from("{}")]],
			"its end is missing",
		],
	];
	it.for(cases)("is refused by a sentence, and leaves nothing: %s", async ([, entries, message]) => {
		const { message: found, files } = await refused(entries());
		expect(found).toContain(message);
		expect(files).toEqual([]);
	});

	it("leaves none of its files when it is refused after they were read", async () => {
		const paper = sealed(withPaper(harmless.filter(([name]) => !name.startsWith("manifest."))));
		const { message, files } = await refused(paper.slice(0, -1));
		expect([message, files]).toEqual([expect.stringContaining("its end is missing"), []]);
		const foreign = sealed(withPaper(harmless), { formula: 7 });
		expect((await refused(foreign)).files).toEqual([]);
	});

	it("takes away no file that was there before", async () => {
		const place = await mkdtemp(join(folder, "kept-"));
		const store = createFolderStore(place);
		await store.put(PDF);
		const keeper = fileKeeperOf(store);
		const empty = await openTestDatabase();
		const archive = await openArchive(createReadStream(await written(sealed(withPaper(harmless)).slice(0, -1))));
		const options = { withoutWebhooks: false, takeKeyRing: () => Promise.resolve(), onBytes: () => undefined };
		await expect(restoreBackup(empty.url, archive, { files: keeper, ...options })).rejects.toThrow(
			"its end is missing",
		);
		await empty.close();
		expect(await store.open(digestOf(PDF), PDF.length).then((found) => found?.destroy() !== undefined)).toBe(true);
	});
});
