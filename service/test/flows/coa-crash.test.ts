import { execFile, spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digestOf } from "../../src/inventory/certificates/digest.ts";
import { openFileStore } from "../../src/inventory/certificates/file-store.ts";
import {
	differencesOfStoredFiles,
	restoreStoredFile,
	storedFilesOf,
} from "../../src/inventory/certificates/stored-files.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { pdfOf } from "../contract/coa-world.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { sizeOr } from "../sizes.ts";

const run = promisify(execFile);
const PROCESSES = path.resolve(import.meta.dirname, "../processes");
/** The import is killed at every n-th of its steps. */
const EVERY = sizeOr(1, 59);
/** Number of power cuts. */
const CUTS = sizeOr(25, 1);
/** Bytes of the file system that loses its power. */
const DISK_BYTES = 256 * 1024 * 1024;

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(path.join(tmpdir(), "holdfast-coa-crash-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const HEAD = "product_slug,product_name,batch_number,vial_size,tested_on,lab_name,purity_pct,status,file";

describe("An import that is ended at any step", () => {
	let database: TestDatabase;
	beforeAll(async () => void (database = await openTestDatabase()));
	afterAll(() => database.close());

	it("has done all or nothing, every certificate has its whole PDF, and the same again does the rest", async () => {
		const { db, url } = database;
		await db.query("insert into product values ('serum', 'Serum')");
		const store = path.join(folder, "store");
		const files = openFileStore({ kind: "folder", path: store });
		const inbox = path.join(folder, "in");
		await mkdir(inbox);
		let deaths = 0;
		let finished = 0;
		for (let step = 1; finished === 0; step += EVERY) {
			const [a, b] = [`A-${step}`, `B-${step}`];
			for (const name of [a, b]) await writeFile(path.join(inbox, `${name}.pdf`), await pdfOf("serum", name));
			await writeFile(
				path.join(inbox, "certificates.csv"),
				`${HEAD}\r\nserum,,${a},,,,,current,${a}.pdf\r\nserum,,${b},,,,,current,${b}.pdf\r\n`,
			);
			const child = (dieAt: number) =>
				run(process.execPath, [path.join(PROCESSES, "import-and-die.ts"), url, store, inbox, String(dieAt)]).catch(
					({ stdout }: { stdout: string }) => ({ stdout }),
				);
			const { stdout } = await child(step);
			if (stdout.includes("done")) finished++;
			else deaths++;
			const made = async () =>
				(
					await db.query<{ batch: string }>(
						"select batch_number as batch from certificate where batch_number = any($1) and status = 'current' order by 1",
						[[a, b]],
					)
				).rows.map(({ batch }) => batch);
			const after = await made();
			expect([step, after.length === 0 || after.length === 2]).toEqual([step, true]);
			if (stdout.includes("done")) expect(after).toEqual([a, b]);
			expect([step, await differencesOfStoredFiles(db, files)]).toEqual([step, []]);
			expect((await child(0)).stdout).toContain("done");
			expect([step, await made()]).toEqual([step, [a, b]]);
		}
		expect(deaths).toBeGreaterThan(0);
		expect(await differencesOfStoredFiles(db, files)).toEqual([]);
		expect((await verify(db)).differences).toEqual([]);

		// the files that a backup contains and restores elsewhere
		const other = openFileStore({ kind: "folder", path: path.join(folder, "restored") });
		for (const file of await storedFilesOf(db, files)) {
			const chunks: Buffer[] = [];
			for await (const chunk of (await file.open()) as AsyncIterable<Buffer>) chunks.push(chunk);
			await restoreStoredFile(other, file.digest, Buffer.concat(chunks));
			await expect(restoreStoredFile(other, file.digest, Buffer.from("x"))).rejects.toThrow(/digest/);
		}
		expect(await differencesOfStoredFiles(db, other)).toEqual([]);
	}, 1_800_000);
});

/** Mounts an image, or returns the reason why it cannot. */
async function mount(image: string, at: string, options: string): Promise<string | null> {
	await mkdir(at, { recursive: true });
	return run("mount", ["-o", `loop,${options}`, image, at]).then(
		() => null,
		(error: { stderr?: string; message: string }) => error.stderr?.trim() || error.message,
	);
}

async function newImage(image: string): Promise<string | null> {
	const file = await open(image, "w");
	await file.truncate(DISK_BYTES);
	await file.close();
	return run("mkfs.ext4", ["-q", "-F", image]).then(
		() => null,
		(error: Error) => error.message,
	);
}

const canMount = await (async () => {
	const probe = await mkdtemp(path.join(tmpdir(), "holdfast-mount-"));
	const [image, at] = [path.join(probe, "probe.img"), path.join(probe, "probe")];
	const problem = (await newImage(image)) ?? (await mount(image, at, "rw"));
	if (problem === null) await run("umount", [at]);
	await rm(probe, { recursive: true, force: true });
	return problem === null;
})();

describe.skipIf(!canMount)("A power cut", () => {
	it(`loses no file that was acknowledged, and leaves none that is not whole (${CUTS} cuts)`, async () => {
		let acknowledged = 0;
		for (let cut = 0; cut < CUTS; cut++) {
			const [image, disk] = [path.join(folder, `disk-${cut}.img`), path.join(folder, `disk-${cut}`)];
			expect(await newImage(image)).toBeNull();
			// the file system does not write by itself at intervals: everything that exists after the cut was synced
			expect(await mount(image, disk, "commit=600")).toBeNull();
			const writer = spawn(process.execPath, [
				path.join(PROCESSES, "put-files.ts"),
				path.join(disk, "coa"),
				String(cut),
			]);
			let out = "";
			writer.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
			const wanted = 20 + 17 * cut;
			while (out.split("\n").length < wanted) await new Promise((resolve) => setTimeout(resolve, 5));
			writer.kill("SIGSTOP");
			await new Promise((resolve) => setTimeout(resolve, 50));
			const told = out.split("\n").slice(0, -1);
			const copy = path.join(folder, `cut-${cut}.img`);
			await copyFile(image, copy); // the disk at this moment, without the data that the kernel still has only in memory
			writer.kill("SIGKILL");
			await new Promise((resolve) => writer.once("close", resolve));
			await run("umount", [disk]);
			const after = path.join(folder, `cut-${cut}`);
			expect(await mount(copy, after, "rw")).toBeNull();
			const found = new Map<string, Buffer>();
			for (const shard of await readdir(path.join(after, "coa"))) {
				for (const name of await readdir(path.join(after, "coa", shard))) {
					if (!name.startsWith(".")) found.set(name, await readFile(path.join(after, "coa", shard, name)));
				}
			}
			await run("umount", [after]);
			for (const [name, bytes] of found) expect([name, `${digestOf(bytes)}.pdf`]).toEqual([name, name]);
			for (const line of told) {
				const [digest = "", size] = line.split(" ");
				expect([digest, found.get(`${digest}.pdf`)?.length]).toEqual([digest, Number(size)]);
			}
			acknowledged += told.length;
			await rm(image);
			await rm(copy);
		}
		expect(acknowledged).toBeGreaterThanOrEqual(CUTS * 19);
	}, 1_800_000);
});
