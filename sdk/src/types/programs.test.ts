import path from "node:path";
import type ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { compileInMemory, textOf } from "./compile.ts";
import { COUNTS } from "./counts.ts";
import { ERRORS } from "./errors.ts";
import { type Pair, PRELUDE } from "./pair.ts";
import { REQUESTS } from "./requests.ts";
import { SALES } from "./sales.ts";

const PAIRS: readonly Pair[] = [...COUNTS, ...ERRORS, ...SALES, ...REQUESTS];
const LEAST = 40;

const fileOf = (name: string): string => path.join(import.meta.dirname, `${name}.program.ts`);

describe("What a partner gets wrong does not compile", () => {
	let found: Map<string, readonly ts.Diagnostic[]>;
	beforeAll(() => {
		const programs = PAIRS.flatMap(({ wrong, right }, at) => [
			[fileOf(`wrong-${at}`), PRELUDE + wrong] as const,
			[fileOf(`right-${at}`), PRELUDE + right] as const,
		]);
		found = compileInMemory(new Map(programs));
	});

	it("in forty programs or more", () => {
		expect(PAIRS.length).toBeGreaterThanOrEqual(LEAST);
		expect(new Set(PAIRS.map(({ wrong }) => wrong)).size).toBe(PAIRS.length);
	});

	it.for(PAIRS.map((pair, at) => [pair.mistake, at, pair.error] as const))("%s", ([, at, error]) => {
		expect((found.get(fileOf(`right-${at}`)) ?? []).map(textOf)).toEqual([]);
		const errors = found.get(fileOf(`wrong-${at}`)) ?? [];
		expect(
			errors.map(({ code }) => code),
			errors.map(textOf).join("\n"),
		).toEqual([error]);
		expect(errors[0]?.start).toBeGreaterThanOrEqual(PRELUDE.length);
	});
});
