import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Site } from "../ground/types.ts";
import type { Actor } from "../history.ts";
import { holdfast, printedBy } from "../holdfast.ts";
import { Knowledge } from "../knowledge.ts";
import type { Recorder } from "../recorder.ts";
import { furnishCertificates } from "../rooms/certificates/furnish.ts";
import type { Credential } from "../rooms/keys/workload.ts";
import { LOTS } from "../rooms/stock/chores.ts";
import { importOf, KEY_SCOPES, REQUESTS_PER_MINUTE, WORLD, type World, type WorldKey } from "../world.ts";

interface Place {
	readonly ground: Site;
	readonly recorder: Recorder;
	readonly folder: string;
	readonly seed: number;
	readonly commit: string;
}

interface Imported {
	readonly formulas: readonly { readonly code: string; readonly formula_id: string }[];
	readonly lots: readonly { readonly formula: string; readonly brand_code: string | null; readonly fg_id: string }[];
	readonly keys: readonly { readonly name: string; readonly key_id: string; readonly token: string }[];
}

export interface Furnished {
	readonly world: World;
	readonly partners: readonly Credential[];
	readonly knows: Knowledge;
}

/** Imports brands, formulas, lots, SKUs and keys, and writes the beginning of the history. */
export async function furnish({ ground, recorder, folder, seed, commit }: Place): Promise<Furnished> {
	const file = path.join(folder, "world.json");
	await writeFile(file, JSON.stringify(importOf(WORLD)));
	const imported = (await command(ground, ["import", file, "--json"])) as Imported;
	const ids = new Map(imported.formulas.map(({ code, formula_id: id }) => [code, id]));
	const formulas = WORLD.formulas.map((formula) => ({ ...formula, formulaId: ids.get(formula.code) ?? "" }));
	const world: World = { ...WORLD, formulas };
	recorder.write({ kind: "opening", seed, commit, world });
	const partners: Credential[] = [];
	for (const key of world.keys) {
		const { key_id: keyId, token } = imported.keys.find(({ name }) => name === key.name) ?? (await mint(ground, key));
		const { name, partner, brand, shared, cap } = key;
		const actor: Actor = { name, partner, keyId, brand, shared, cap };
		recorder.write({ kind: "key", at: performance.now(), ...actor });
		partners.push({ actor, token, secret: 0, doubtedFrom: Number.POSITIVE_INFINITY });
	}
	const knows = knowLots(world, imported);
	await furnishCertificates(folder, (args) => command(ground, args), knows);
	return { world, partners, knows };
}

/** Mints a key by a command. */
async function mint(
	ground: Site,
	{ name, partner, brand, shared, cap }: WorldKey,
): Promise<{ key_id: string; token: string }> {
	const printed = await command(ground, [
		"keys",
		"mint",
		"--name",
		name,
		"--partner",
		partner,
		"--environment",
		"live",
		"--json",
		"--scopes",
		KEY_SCOPES.join(","),
		"--requests-per-minute",
		String(REQUESTS_PER_MINUTE),
		...(brand === null ? [] : ["--brand", brand]),
		...(shared ? ["--shared-pool"] : []),
		...(cap === null ? [] : ["--max-held-units", String(cap)]),
	]);
	return printed as { key_id: string; token: string };
}

async function command(ground: Site, args: readonly string[]): Promise<unknown> {
	const ran = await holdfast(ground.launcher, ground.operatorEnv(), args);
	if (ran.code !== 0)
		throw new Error(`holdfast ${args.slice(0, 2).join(" ")} ended with ${ran.code}: ${ran.stderr || ran.stdout}`);
	return printedBy(ran);
}

/** The lots that operators may take out of sale or correct. */
function knowLots({ recalled, supplied }: World, { lots }: Imported): Knowledge {
	const knows = new Knowledge();
	for (const { formula, brand_code: brand, fg_id: fgId } of lots) {
		if (recalled.includes(formula)) knows.of(LOTS).good.push({ fgId, formula, brand });
		if (supplied.includes(formula)) knows.of(LOTS).supplied.push({ fgId, formula, brand });
	}
	return knows;
}
