import path from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { compileInMemory, OPTIONS, textOf } from "../../../sdk/src/types/compile.ts";
import { SURFACES } from "../../src/assembly/surfaces.ts";
import { createApiDates } from "../../src/partners/http/api-date.ts";
import { operationSamples, typeScriptOf } from "../../src/partners/http/docs/operation-samples.ts";
import { type DocumentedOperation, readDocument } from "../../src/partners/http/docs/reference-document.ts";
import { openApi } from "../../src/partners/http/openapi/document.ts";
import { readGuides, samplesOf } from "../samples.ts";
import { ROOT } from "../tidy/source.ts";

/* Every sample in TypeScript compiles under `strict`: those of the guides, and those of the reference. */

/** Operations that the SDK has no method for: deprecated, answered with a file, or for buyers' browsers. */
const WITHOUT_METHOD = ["confirm", "coaFile", "coaLookup"];
/** The folder that the samples are compiled in, where the SDK is found. */
const FOLDER = path.join(ROOT, "sdk/src");

const documented: DocumentedOperation[] = SURFACES.filter(({ document }) => !/operator/i.test(document.title)).flatMap(
	({ document, operations }) => readDocument(openApi(document, operations, createApiDates().current)).operations,
);
const guides = readGuides().flatMap((page) => samplesOf(page).filter(({ language }) => language === "ts"));
const nameOf = (text: string): string | undefined => /^\/\/ ([\w.-]+\.ts)\b/.exec(text)?.[1];

const OWN = `
export declare function charge(payment: { idempotencyKey: string; items: object[] }): Promise<"paid" | "declined" | "unknown">;
export declare function refund(payment: { idempotencyKey: string }): Promise<void>;
`;

describe("Every sample in TypeScript compiles", () => {
	const errors = new Map<string, string[]>();

	beforeAll(() => {
		const programs = new Map([[path.join(FOLDER, "payments.ts"), OWN]]);
		const at = new Map<string, string>();
		const add = (place: string, text: string, name: string): void => {
			const file = path.join(FOLDER, name);
			programs.set(file, text);
			at.set(file, place);
		};
		for (const [number, sample] of guides.entries())
			add(sample.at, sample.text, nameOf(sample.text) ?? `sample-${number}.ts`);
		for (const one of documented) {
			const text = typeScriptOf(one, "");
			if (text !== null) add(one.operationId, text, `operation-${one.operationId}.ts`);
		}
		const options = { ...OPTIONS, moduleDetection: ts.ModuleDetectionKind.Force };
		for (const [file, found] of compileInMemory(programs, options)) errors.set(at.get(file) ?? file, found.map(textOf));
	});

	it.each(guides.map(({ at }) => at))("%s", (at) => {
		expect(errors.get(at)).toEqual([]);
	});

	it.each(documented.filter(({ operationId }) => !WITHOUT_METHOD.includes(operationId)))(
		"the reference of $operationId",
		({ operationId }) => {
			expect(errors.get(operationId)).toEqual([]);
		},
	);

	it("each operation is shown in three languages, unless the SDK has no method for it", () => {
		for (const one of documented) {
			const languages = operationSamples(one, "").map(({ language }) => language);
			const all = WITHOUT_METHOD.includes(one.operationId) ? ["sh", "python"] : ["sh", "ts", "python"];
			expect([one.operationId, languages]).toEqual([one.operationId, all]);
		}
	});
});
