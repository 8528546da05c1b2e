import { execFile } from "node:child_process";
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKeyRingEntry } from "../../src/partners/keys/key-ring.ts";
import { openTestDatabase } from "../house.ts";
import { type Child, start, until } from "../processes/child.ts";
import { openServerPlace } from "../server-place.ts";
import { sizeOr } from "../sizes.ts";
import { readText } from "../tidy/source.ts";
import { COPIED, copyTo } from "./copied.ts";

/*
 * The promises of docs/operator/install.md: exact versions, and an installation without tools that can make a first
 * hold.
 */

const { workspaces } = JSON.parse(readText("package.json")) as { workspaces: string[] };
const PACKAGES = ["package.json", ...workspaces.map((one) => `${one}/package.json`)];
const run = promisify(execFile);

describe("What is installed to run it", () => {
	it.each(PACKAGES)("%s names exact versions", (file) => {
		const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readText(file)) as Record<
			string,
			Record<string, string>
		>;
		for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies }))
			expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/)]);
	});
});

const IN_FULL = sizeOr(1, 0) === 1;
/** Megabytes; a much larger package is noticed. */
const MOST_MB = { dev: 460, optional: 180 };

describe.skipIf(!IN_FULL)("An installation without tools", () => {
	let folder: string;
	let child: Child | null = null;

	beforeAll(async () => {
		folder = await openServerPlace("lean");
		await copyTo(folder, [...PACKAGES, "package-lock.json", ".npmrc", ...COPIED]);
	});
	afterAll(() => rm(folder, { recursive: true, force: true }));

	const install = async (...omit: string[]): Promise<number> => {
		await run("npm", ["ci", ...omit.map((what) => `--omit=${what}`)], { cwd: folder, env: withoutOurs() });
		return await megabytes(path.join(folder, "node_modules"));
	};

	/** The address of the API of a service that serves. */
	const served = async (command: string, args: string[], env: Record<string, string>): Promise<string> => {
		const own = start(command, args, {
			cwd: folder,
			env: { ...withoutOurs(), HOLDFAST_PORT: "0", HOLDFAST_COA_PORT: "0", ...env },
		});
		child = own;
		const [, api = ""] = await until("it to serve", () => {
			if (own.process.exitCode !== null) throw new Error(own.errors.join("\n"));
			return /API at (\S+?),/.exec(own.errors.find((line) => line.startsWith("Holdfast serves ")) ?? "");
		});
		return api;
	};

	it("makes a first hold by the curl that it prints, and shows its guides", async () => {
		expect(await install("dev")).toBeLessThan(MOST_MB.dev);
		const api = await served("npm", ["start"], { HOLDFAST_DATA_DIR: path.join(folder, "data") });
		const curl = await until("the curl", () => child?.errors.find((line) => line.includes("curl -sS ")));
		for (const idempotent of [false, true]) {
			const { stdout } = await run("bash", ["-c", curl]);
			expect(JSON.parse(stdout)).toMatchObject({ data: { idempotent } });
		}
		expect((await fetch(`${api}/docs/guides/holds`)).status).toBe(200);
		await child?.stop();
	});

	it("runs on a Node and a PostgreSQL of the operator's own", async () => {
		const database = await openTestDatabase();
		expect(await install("dev", "optional")).toBeLessThan(MOST_MB.optional);
		const api = await served(process.execPath, ["cli/bin/holdfast.js", "start"], {
			HOLDFAST_DATABASE_URL: database.url,
			HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
			HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true",
		});
		await until("it to be ready", async () => (await fetch(`${api}/readyz`)).status === 200);
		expect((await fetch(`${api}/docs`)).status).toBe(200);
		await child?.stop();
		await database.close();
	});
});

/** The environment of an operator's shell: without the tests' settings and without the Node on which the tests run. */
function withoutOurs(): Record<string, string> {
	const kept = Object.entries(process.env).filter(([name]) => !/^(HOLDFAST_|npm_|NODE_)/.test(name));
	const paths = (process.env.PATH ?? "").split(":").filter((one) => !one.includes("node_modules"));
	return { ...(Object.fromEntries(kept) as Record<string, string>), PATH: paths.join(":") };
}

async function megabytes(folder: string): Promise<number> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const sizes = await Promise.all(
		entries.filter((one) => one.isFile()).map(async (one) => (await stat(path.join(one.parentPath, one.name))).size),
	);
	return sizes.reduce((sum, size) => sum + size, 0) / 1_000_000;
}
