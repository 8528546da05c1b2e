import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtPackage } from "./built-for-tests.ts";

const run = promisify(execFile);
const REPOSITORY = path.resolve(import.meta.dirname, "../..");
const BIN = path.join(REPOSITORY, "node_modules/.bin");

interface Manifest {
	readonly private?: boolean;
	readonly dependencies?: object;
	readonly exports: Readonly<Record<string, unknown>>;
}

/** What attw finds; for the two resolutions other than ESM's it reports that there is no CommonJS. */
interface Problem {
	readonly kind: string;
	readonly entrypoint?: string;
	readonly resolutionKind?: string;
}

/** A folder of a partner, with the built package in its node_modules. */
let partner = "";
let dist = "";
beforeAll(async () => {
	partner = await mkdtemp(path.join(tmpdir(), "holdfast-partner-"));
	dist = path.join(partner, "node_modules/@holdfast/partner");
	await cp(await builtPackage(), dist, { recursive: true });
	await writeFile(path.join(partner, "package.json"), '{ "type": "module" }');
	// a partner on Node has its types
	for (const name of ["@types/node", "undici-types"]) {
		const from = path.join(REPOSITORY, "node_modules", name);
		await mkdir(path.dirname(path.join(partner, "node_modules", name)), { recursive: true });
		await cp(from, path.join(partner, "node_modules", name), { recursive: true });
	}
});
afterAll(() => rm(partner, { recursive: true, force: true }));

const manifestOf = async (folder: string): Promise<Manifest> =>
	JSON.parse(await readFile(path.join(folder, "package.json"), "utf8")) as Manifest;
const entriesOf = async (): Promise<string[]> =>
	Object.keys((await manifestOf(dist)).exports).filter((entry) => !entry.endsWith(".json"));
const importsOf = async (): Promise<string> =>
	(await entriesOf())
		.map(
			(entry, at) =>
				`import * as entry${at} from "@holdfast/partner${entry.slice(1)}";\nconsole.log(Object.keys(entry${at}).length);\n`,
		)
		.join("");

describe("The file that partners install", () => {
	it("is made by one command, and works where there is nothing else", async () => {
		const made = await mkdtemp(path.join(tmpdir(), "holdfast-packed-"));
		const shop = path.join(made, "shop");
		try {
			await run("npm", ["run", "-s", "sdk:pack", "--", "--pack-destination", made], { cwd: REPOSITORY });
			const [file = ""] = await readdir(made);
			expect(file).toMatch(/^holdfast-partner-\d+\.\d+\.\d+\.tgz$/);
			await mkdir(shop);
			await writeFile(path.join(shop, "package.json"), '{ "private": true, "type": "module" }');
			const install = ["install", "--offline", "--no-audit", "--no-fund", path.join(made, file)];
			await run("npm", install, { cwd: shop });
			const program = await importsOf();
			await writeFile(path.join(shop, "program.ts"), program);
			await writeFile(path.join(shop, "program.mjs"), program);
			const { stdout } = await run(process.execPath, ["program.mjs"], { cwd: shop });
			const names = stdout.trim().split("\n").map(Number);
			expect(names).toHaveLength((await entriesOf()).length);
			expect(Math.min(...names)).toBeGreaterThan(0);
			const { stdout: help } = await run("npx", ["--offline", "holdfast-partner", "--help"], { cwd: shop });
			expect(help).toContain("mirror check");
			await cp(path.join(partner, "node_modules/@types"), path.join(shop, "node_modules/@types"), { recursive: true });
			await cp(path.join(partner, "node_modules/undici-types"), path.join(shop, "node_modules/undici-types"), {
				recursive: true,
			});
			const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"];
			const checked = await run(path.join(BIN, "tsc"), [...options, "program.ts"], { cwd: shop }).catch(
				(error: { readonly stdout: string }) => error,
			);
			expect(checked.stdout).toBe("");
		} finally {
			await rm(made, { recursive: true, force: true });
		}
	});

	it("is not made of the source: npm pack says what to run instead", async () => {
		const packed = run("npm", ["pack", "./sdk", "--pack-destination", tmpdir()], { cwd: REPOSITORY });
		await expect(packed).rejects.toThrow("Run npm run sdk:pack in the folder above");
	});
});

describe("The package as it is published", () => {
	it("has every entry of the repository's, no dependency, and may be published", async () => {
		const manifest = await manifestOf(dist);
		const { exports: entries } = await manifestOf(path.join(REPOSITORY, "sdk"));
		expect(Object.keys(manifest.exports)).toEqual(Object.keys(entries));
		expect(manifest).not.toHaveProperty("dependencies");
		expect(manifest).not.toHaveProperty("private");
	});

	it("has the shape that publint asks for", async () => {
		const { messages } = await publint({ pkgDir: dist, strict: true, pack: false });
		expect(messages).toEqual([]);
	});

	it("has types that every resolution of ESM finds", async () => {
		const { stdout } = await run(path.join(BIN, "attw"), ["--pack", dist, "--profile", "esm-only", "--format", "json"]);
		const { problems = {} } = JSON.parse(stdout) as {
			readonly problems?: Readonly<Record<string, readonly Problem[]>>;
		};
		const ofEsm = Object.values(problems)
			.flat()
			.filter(({ resolutionKind }) => resolutionKind !== "node10" && resolutionKind !== "node16-cjs");
		expect(ofEsm).toEqual([]);
	});

	it("its declarations compile in a strict project that a bundler builds, without types of Node", async () => {
		const compilerOptions = {
			module: "esnext",
			moduleResolution: "bundler",
			target: "es2023",
			lib: ["es2023", "dom"],
			strict: true,
			skipLibCheck: false,
			noEmit: true,
			types: [],
		};
		await writeFile(path.join(partner, "program.ts"), await importsOf());
		await writeFile(path.join(partner, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
		const { stdout } = await run(path.join(BIN, "tsc"), ["-p", partner]).catch(
			(error: { readonly stdout: string }) => error,
		);
		expect(stdout).toBe("");
	});
});
