import { readFile } from "node:fs/promises";
import path from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { compileInMemory, OPTIONS, textOf } from "./types/compile.ts";

/** What the samples import of a partner's own. */
const PARTNERS_OWN = `
export declare function charge(payment: { idempotencyKey: string; items: object[] }): Promise<"paid" | "declined" | "unknown">;
export declare function refund(payment: { idempotencyKey: string }): Promise<void>;
`;

it("Every program in the README compiles as printed", async () => {
	const readme = await readFile(path.join(import.meta.dirname, "../README.md"), "utf8");
	const programs = [...readme.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)].map(
		([, name = "", text = ""]) => [name, text] as const,
	);
	expect(programs.length).toBe(readme.match(/^```ts$/gm)?.length);
	const files = [["payments.ts", PARTNERS_OWN] as const, ...programs].map(
		([name, text]) => [path.join(import.meta.dirname, name), text] as const,
	);
	const found = compileInMemory(new Map(files), {
		...OPTIONS,
		types: ["node"],
		moduleDetection: ts.ModuleDetectionKind.Force,
	});
	expect([...found.values()].flat().map((error) => textOf(error))).toEqual([]);
});
