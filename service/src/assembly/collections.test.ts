import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { must } from "../ground/lib/assert.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
// oxlint-disable-next-line typescript/no-explicit-any -- documents of others' formats
const read = (file: string): any => JSON.parse(readFileSync(path.join(ROOT, file), "utf8"));

interface Parameter {
	readonly name: string;
	readonly in: "path" | "query" | "header";
	readonly required?: boolean;
	readonly schema: object;
}
interface Operation {
	readonly path: string;
	readonly method: string;
	readonly tag: string;
	readonly needsKey: boolean;
	readonly parameters: readonly Parameter[];
	readonly body: object | null;
	/** What the schemas refer to. */
	readonly components: { readonly parameters?: object };
}

const OPERATIONS: readonly Operation[] = ["partner", "coa"].flatMap((surface) => {
	const { paths, components } = read(`openapi/${surface}/2026-09-06.json`);
	return Object.entries<object>(paths).flatMap(([at, methods]) =>
		// oxlint-disable-next-line typescript/no-explicit-any -- a part of such a document
		Object.entries<any>(methods).map(([method, { tags, security, parameters = [], requestBody }]) => ({
			path: at,
			method: method.toUpperCase(),
			tag: tags[0],
			needsKey: security === undefined,
			parameters: parameters.map((one: Parameter & { $ref?: string }) =>
				one.$ref === undefined ? one : components.parameters[one.$ref.replace("#/components/parameters/", "")],
			),
			body: requestBody?.content["application/json"].schema ?? null,
			components,
		})),
	);
});

/** A request of a collection: what is sent once its variables are filled in. */
interface Sent {
	readonly folder: string;
	readonly name: string;
	readonly method: string;
	readonly address: string;
	/** With `:name` in the places of parameters. */
	readonly path: string;
	readonly inPath: readonly Pair[];
	readonly query: readonly Pair[];
	readonly headers: readonly Pair[];
	readonly body: string | null;
	readonly hasKey: boolean;
}
type Pair = readonly [name: string, value: string];

function postmanRequests(): Sent[] {
	const { item, auth } = read("fixtures/collections/postman.json");
	expect(auth.bearer[0].value).toBe("{{token}}");
	// oxlint-disable-next-line typescript/no-explicit-any -- Postman's format
	return item.flatMap((folder: any) =>
		// oxlint-disable-next-line typescript/no-explicit-any -- Postman's format
		folder.item.map(({ name, request: { method, header, url, body, auth: own } }: any) => {
			// oxlint-disable-next-line typescript/no-explicit-any -- Postman's format
			const pairs = (of: any[]): Pair[] => of.filter((one) => one.disabled !== true).map((one) => [one.key, one.value]);
			const search = new URLSearchParams(
				pairs(url.query).map(([key, value]): [string, string] => [key, value]),
			).toString();
			const at = `/${url.path.join("/")}`;
			expect(decodeURIComponent(url.raw)).toBe(
				decodeURIComponent(url.host[0] + at + (search === "" ? "" : `?${search}`)),
			);
			return {
				folder: folder.name,
				name,
				method,
				address: url.host[0],
				path: at,
				inPath: pairs(url.variable),
				query: pairs(url.query),
				headers: pairs(header).filter(([key]) => key !== "Content-Type"),
				body: body?.raw ?? null,
				hasKey: own === undefined,
			};
		}),
	);
}

function brunoRequests(): Sent[] {
	const { items, root } = read("fixtures/collections/bruno.json");
	expect(root.request.auth).toEqual({ mode: "bearer", bearer: { token: "{{token}}" } });
	// oxlint-disable-next-line typescript/no-explicit-any -- Bruno's format
	return items.flatMap((folder: any) =>
		// oxlint-disable-next-line typescript/no-explicit-any -- Bruno's format
		folder.items.map(({ name, request: { method, url, params, headers, auth, body } }: any) => {
			// oxlint-disable-next-line typescript/no-explicit-any -- Bruno's format
			const pairs = (of: any[]): Pair[] => of.filter((one) => one.enabled).map((one) => [one.name, one.value]);
			const [, address, at, search = ""] = /^(\{\{\w+\}\})([^?]*)\??(.*)$/.exec(url) ?? [];
			const query = pairs(params.filter((one: { type: string }) => one.type === "query"));
			expect([...new URLSearchParams(search)]).toEqual(query);
			return {
				folder: folder.name,
				name,
				method,
				address,
				path: at,
				inPath: pairs(params.filter((one: { type: string }) => one.type === "path")),
				query,
				headers: pairs(headers),
				body: body.json ?? null,
				hasKey: auth.mode === "inherit",
			};
		}),
	);
}

const ajv = new Ajv2020({ strict: false, coerceTypes: "array" });
addFormats.default(ajv);

/** What the document does not accept of a request. */
function problemsOf(sent: Sent, { parameters, body, components, needsKey }: Operation): string[] {
	const accepts = (schema: object, value: unknown): boolean =>
		ajv.validate("$ref" in schema ? { ...schema, components } : schema, value);
	const given = { path: sent.inPath, query: sent.query, header: sent.headers };
	const places = ["path", "query", "header"] as const;
	const unknown = places.flatMap((place) =>
		given[place].filter(([name]) => !parameters.some((one) => one.in === place && one.name === name)),
	);
	const wrong = parameters.filter(({ name, in: place, required, schema }) => {
		const values = given[place].filter(([key]) => key === name).map(([, value]) => value);
		return values.length === 0
			? required === true
			: !values.every((value) => accepts({ properties: { value: schema } }, { value }));
	});
	const isBodyWrong = body === null ? sent.body !== null : !accepts(body, JSON.parse(sent.body ?? "null"));
	return [
		...unknown.map(([name]) => `${name} is unknown`),
		...wrong.map(({ name }) => `${name} is wrong`),
		...(isBodyWrong ? [`the body is wrong: ${ajv.errorsText()}`] : []),
		...(needsKey === sent.hasKey ? [] : ["the key"]),
	];
}

const shapeOf = (at: string): string => at.replaceAll(/\{(\w+)\}/g, ":$1");

describe.each([
	["Postman", postmanRequests],
	["Bruno", brunoRequests],
] as const)("The collection for %s", (_name, requests) => {
	it("has every operation of the documents once, in the folder of its tag, under a name of its own", () => {
		const all = requests();
		expect(all.map((one) => `${one.folder}: ${one.method} ${one.path}`).toSorted()).toEqual(
			OPERATIONS.map((one) => `${one.tag}: ${one.method} ${shapeOf(one.path)}`).toSorted(),
		);
		expect(new Set(all.map(({ folder, name }) => `${folder}/${name}`)).size).toBe(all.length);
	});

	it("has requests that the documents accept, once their variables are filled in", () => {
		for (const sent of requests()) {
			const name = `${sent.method} ${sent.path}`;
			const operation = OPERATIONS.find((one) => `${one.method} ${shapeOf(one.path)}` === name);
			expect([name, problemsOf(sent, must(operation, name))]).toEqual([name, []]);
			expect(sent.address).toBe(/^\/(?:api\/partner|coa)\//.test(sent.path) ? "{{coaUrl}}" : "{{baseUrl}}");
		}
	});

	it("asks for what is wrong, if something is: the test above can tell", () => {
		const [sent, operation] = [
			requests().find(({ method, path: at }) => `${method} ${at}` === "POST /api/v1/reserve"),
			OPERATIONS.find((one) => one.path === "/api/v1/reserve"),
		];
		const wrong = { ...must(sent, "a reserve"), body: '{"items":[]}', query: [["a", "b"]] as const, hasKey: false };
		expect(problemsOf(wrong, must(operation, "the operation"))).toEqual([
			"a is unknown",
			expect.stringContaining("items"),
			"the key",
		]);
	});
});

it("the variables are the two addresses and the token, which is a secret and empty", () => {
	const { variable } = read("fixtures/collections/postman.json");
	const { environments } = read("fixtures/collections/bruno.json");
	const names = ["baseUrl", "coaUrl", "token"];
	expect(variable.map(({ key }: { key: string }) => key)).toEqual(names);
	expect(environments[0].variables).toEqual(
		names.map((name) => ({
			name,
			value: variable.find(({ key }: { key: string }) => key === name).value,
			type: "text",
			enabled: true,
			secret: name === "token",
		})),
	);
	expect(variable.at(-1).value).toBe("");
});
