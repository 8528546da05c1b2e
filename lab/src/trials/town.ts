import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Ground } from "../ground/types.ts";

/** Bytes that a command may print: the ids of a long import. */
const MAX_OUTPUT = 256 * 1024 * 1024;
const REQUESTS_PER_MINUTE = 1_000_000;
const PARTNER = "Trial";

/** SKUs, each with a formula of its own in the shared stock. */
export interface Shelf {
	readonly sku: string;
	readonly lots: number;
	/** Units of each lot. */
	readonly units: number;
}

export interface Ran {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs a `holdfast` command as an operator of this ground; resolves whatever its exit code. */
export function holdfast(ground: Ground, ...args: readonly string[]): Promise<Ran> {
	return new Promise((resolve, reject) => {
		const options = { env: ground.operatorEnv(), maxBuffer: MAX_OUTPUT };
		execFile(process.execPath, [ground.launcher, ...args], options, (error, stdout, stderr) => {
			if (error !== null && typeof error.code !== "number") reject(error);
			else resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
		});
	});
}

/** Imports shelves and keys. Returns the tokens of the new keys by name, without keys that existed before. */
export async function importTown(
	ground: Ground,
	shelves: readonly Shelf[],
	keys: readonly string[],
): Promise<Map<string, string>> {
	const file = path.join(tmpdir(), `holdfast-trial-${process.pid}.json`);
	writeFileSync(file, JSON.stringify(toImport(shelves, keys)));
	const { code, stdout, stderr } = await holdfast(ground, "import", file, "--json").finally(() => rmSync(file));
	if (code !== 0) throw new Error(`import ended with ${code}: ${stderr}`);
	const printed = JSON.parse(stdout) as { keys: { name: string; token: string | null }[] };
	return new Map(printed.keys.flatMap(({ name, token }) => (token === null ? [] : [[name, token] as const])));
}

/** The token of a key that must exist. */
export function tokenOf(tokens: ReadonlyMap<string, string>, name: string): string {
	const token = tokens.get(name);
	if (token === undefined) throw new Error(`the import created no key ${name}`);
	return token;
}

const toImport = (shelves: readonly Shelf[], keys: readonly string[]): unknown => ({
	formulas: shelves.map(({ sku }) => ({ code: sku, name: sku, status: "active" })),
	skus: shelves.map(({ sku }) => ({ sku, name: sku, kind: "single", components: [{ formula: sku, per_kit: 1 }] })),
	lots: shelves.flatMap(({ sku, lots, units }) =>
		Array.from({ length: lots }, (_, n) => ({ formula: sku, brand_code: null, batch_number: `${sku}-${n}`, units })),
	),
	partners: [{ name: PARTNER }],
	keys: keys.map((name) => ({
		name,
		partner: PARTNER,
		environment: "live",
		brand_code: null,
		scopes: ["atp.check", "atp.reserve", "atp.release", "atp.consume", "atp.inventory", "atp.products", "atp.orders"],
		shared_pool: true,
		requests_per_minute: REQUESTS_PER_MINUTE,
	})),
});
