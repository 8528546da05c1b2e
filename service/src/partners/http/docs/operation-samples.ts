import type { DocumentedOperation } from "./reference-document.ts";

/** Stands for the key in samples: the pages replace it with the reader's key. */
export const SAMPLE_KEY = "pk_hf_sandbox_…:sk_hf_sandbox_…";
/** Addresses of samples while the service has no public one. */
const LOCAL = "http://127.0.0.1:4000";
const LOCAL_COA = "http://127.0.0.1:4001";
const JSON_TYPE = "application/json";

/** An operation's example in one language. */
export interface OperationSample {
	/** As samples of the guides are marked. */
	readonly language: "sh" | "ts" | "python";
	readonly code: string;
}

/** An operation's example request in each language; in TypeScript only where the SDK has a method for it. */
export function operationSamples(one: DocumentedOperation, origin: string): OperationSample[] {
	const inTypeScript = typeScriptOf(one, origin);
	return [
		{ language: "sh", code: curlOf(one, origin) },
		...(inTypeScript === null ? [] : [{ language: "ts" as const, code: inTypeScript }]),
		{ language: "python", code: pythonOf(one, origin) },
	];
}

/** The values of an operation's example. */
interface Example {
	/** With its values. */
	readonly path: string;
	readonly inPath: readonly unknown[];
	readonly query: readonly (readonly [name: string, value: unknown])[];
	readonly headers: readonly (readonly [name: string, value: string])[];
	readonly body: unknown;
}

/** The types of an operation's successes. */
const contentsOf = ({ responses }: DocumentedOperation): ReadonlySet<string> =>
	new Set(
		Object.entries(responses).flatMap(([status, { content = {} }]) =>
			status.startsWith("2") ? Object.keys(content) : [],
		),
	);

/** The name under which a sample saves the reply of an operation that only answers PDFs; null: any other operation. */
const fileOf = (one: DocumentedOperation): string | null => {
	const contents = [...contentsOf(one)];
	return contents.length > 0 && contents.every((type) => type === "application/pdf") ? "certificate.pdf" : null;
};

function exampleOf(one: DocumentedOperation): Example {
	const { path: pattern, parameters, requestBody } = one;
	const contents = contentsOf(one);
	const given = parameters.filter(({ example }) => example !== undefined);
	const inPath = given.filter((one) => one.in === "path");
	return {
		path: inPath.reduce((path, { name, example }) => path.replace(`{${name}}`, String(example)), pattern),
		inPath: inPath.map(({ example }) => example),
		query: given.filter((one) => one.in === "query").map(({ name, example }) => [name, example] as const),
		headers: [
			...([...contents].some((type) => type.startsWith("text/html")) ? [["Accept", JSON_TYPE] as const] : []),
			...parameters
				.filter((one) => one.in === "header" && one.required)
				.map(({ name }) => [name, "cart-1001"] as const),
		],
		body: requestBody?.content[JSON_TYPE].example,
	};
}

const needsKey = ({ security }: DocumentedOperation): boolean => security === undefined;

/** An operation's example request as a curl command. If `origin` is empty, it is left for the reader to fill in. */
export function curlOf(one: DocumentedOperation, origin: string): string {
	const { path, query, headers, body } = exampleOf(one);
	const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, String(value)]));
	const address = `${origin === "" ? "$BASE" : origin}${path}`;
	const words = [`curl -sS ${search.size === 0 ? address : `"${address}?${search}"`}`];
	if (needsKey(one)) words.push('-H "Authorization: Bearer $KEY"');
	for (const [name, value] of headers) words.push(`-H '${name}: ${value}'`);
	if (body !== undefined) {
		words.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
	}
	const file = fileOf(one);
	if (file !== null) words.push(`-o ${file}`);
	// what curl does by itself: POST with a body, else GET
	if (one.method !== (body === undefined ? "GET" : "POST")) words.push(`-X ${one.method}`);
	return words.join(" \\\n  ");
}

/** An operation's example request in Python, with the package requests. */
export function pythonOf(one: DocumentedOperation, origin: string): string {
	const { path, query, headers, body } = exampleOf(one);
	const sent = headers.map(([name, value]): [string, string] => [name, value]);
	if (needsKey(one)) sent.unshift(["Authorization", `Bearer ${SAMPLE_KEY}`]);
	const words = [`    "${origin === "" ? LOCAL : origin}${path}",`];
	if (sent.length > 0) words.push(`    headers=${written(Object.fromEntries(sent), 1, PYTHON)},`);
	if (query.length > 0) words.push(`    params=${written(Object.fromEntries(query), 1, PYTHON)},`);
	if (body !== undefined) words.push(`    json=${written(body, 1, PYTHON)},`);
	const file = fileOf(one);
	return [
		"import requests",
		"",
		`reply = requests.${one.method.toLowerCase()}(`,
		...words,
		")",
		...(file === null
			? ["print(reply.status_code, reply.text)"]
			: ["reply.raise_for_status()", `open("${file}", "wb").write(reply.content)`]),
	].join("\n");
}

/** Longest line of a sample. */
const WIDTH = 90;

/** How a language writes values. */
interface Notation {
	readonly indent: string;
	/** A value in one line. */
	readonly literal: (value: unknown) => string;
	readonly nameOf: (member: string) => string;
}

const PYTHON: Notation = { indent: "    ", literal: pythonLiteral, nameOf: (name) => JSON.stringify(name) };

/** A value as a language writes it, in several lines if it is too long for one. */
function written(value: unknown, depth: number, notation: Notation): string {
	const { indent, literal, nameOf } = notation;
	const line = literal(value);
	if (depth * indent.length + line.length <= WIDTH || typeof value !== "object" || value === null) return line;
	const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
	const lines = Object.entries(value).map(([name, one]) => {
		const inner = written(one, depth + 1, notation);
		return `${indent.repeat(depth + 1)}${Array.isArray(value) ? inner : `${nameOf(name)}: ${inner}`},`;
	});
	return [open, ...lines, `${indent.repeat(depth)}${close}`].join("\n");
}

function pythonLiteral(value: unknown): string {
	if (value === null) return "None";
	if (typeof value === "boolean") return value ? "True" : "False";
	if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
	if (typeof value !== "object") return JSON.stringify(value);
	return `{${Object.entries(value)
		.map(([name, one]) => `${JSON.stringify(name)}: ${pythonLiteral(one)}`)
		.join(", ")}}`;
}

/**
 * The method of the SDK for each operation, and how it takes the example. `path`: its values in the path; `body`: the
 * whole body; `query`: the filters; any other name: the member of the body with that name in the contract. A test
 * compares this with the SDK's own table.
 */
const METHODS: { readonly [operationId: string]: readonly [method: string, ...takes: string[]] } = {
	check: ["check", "items"],
	inventory: ["inventory.get", "query"],
	products: ["products.list", "query"],
	inventorySummary: ["inventory.summary", "query"],
	reserve: ["reserve", "body"],
	release: ["release", "reservation_token"],
	consume: ["consume", "body"],
	reverseConsume: ["reverse", "body"],
	findHold: ["holds.find", "query"],
	readHold: ["holds.get", "path"],
	placeOrder: ["orders.place", "body"],
	listOrders: ["orders.list", "query"],
	getOrder: ["orders.get", "path"],
	cancelOrder: ["orders.cancel", "path", "body"],
	listShipments: ["shipments.list", "query"],
	combineShipments: ["shipments.combine", "order_refs"],
	createWebhookEndpoint: ["webhookEndpoints.create", "body"],
	listWebhookEndpoints: ["webhookEndpoints.list", "query"],
	getWebhookEndpoint: ["webhookEndpoints.get", "path"],
	changeWebhookEndpoint: ["webhookEndpoints.update", "path", "body"],
	deleteWebhookEndpoint: ["webhookEndpoints.delete", "path"],
	rotateWebhookSecret: ["webhookEndpoints.rotateSecret", "path", "body"],
	testWebhookEndpoint: ["webhookEndpoints.test", "path"],
	listWebhookDeliveries: ["webhookEndpoints.deliveries", "path", "query"],
	resendWebhookDelivery: ["webhookEndpoints.resend", "path"],
	recoverWebhookEvents: ["webhookEndpoints.recover", "path", "body"],
	receipts: ["receipts.list", "query"],
	reserveCache: ["prepaid.push", "body"],
	introspect: ["keys.introspect", "token"],
	listVersions: ["versions.list"],
	advanceSandbox: ["sandbox.advance", "body"],
	restockSandbox: ["sandbox.restock"],
	listSandboxRequests: ["sandbox.requests", "query"],
	readGoLive: ["sandbox.golive"],
	startDrill: ["sandbox.drill", "what"],
	postShown: ["sandbox.shown", "items"],
	coaFeed: ["coa.list", "query"],
	coaLot: ["coa.lot", "path"],
};
const LISTS = /\.(?:list|summary|deliveries|requests)$/;

/** An operation's example request with the SDK, or null if the SDK has no method for it. */
export function typeScriptOf(one: DocumentedOperation, origin: string): string | null {
	const [method, ...takes] = METHODS[one.operationId] ?? [];
	if (method === undefined) return null;
	const { inPath, query, headers, body } = exampleOf(one);
	const members = (body ?? {}) as Readonly<Record<string, unknown>>;
	const given = takes.flatMap((taken): unknown[] => {
		if (taken === "path") return [...inPath];
		if (taken === "query") return query.length === 0 ? [] : [Object.fromEntries(query)];
		if (taken === "body") return [{ ...members, ...Object.fromEntries(headers) }];
		return [members[taken]];
	});
	const call = `holdfast.${method}(${given.map((value) => written(value, 0, TYPESCRIPT)).join(", ")})`;
	const isOfList = LISTS.test(method) && method !== "versions.list";
	const isOfCertificates = method.startsWith("coa.");
	return [
		'import { Holdfast } from "@holdfast/partner";',
		"",
		"const holdfast = new Holdfast({",
		`  baseUrl: "${origin === "" || isOfCertificates ? LOCAL : origin}",`,
		...(isOfCertificates ? [`  coaUrl: "${origin === "" ? LOCAL_COA : origin}",`] : []),
		`  token: "${SAMPLE_KEY}",`,
		"});",
		isOfList ? `for await (const item of ${call}) console.log(item);` : `console.log(await ${call});`,
	].join("\n");
}

/** The names that the SDK has for members of requests: in camelCase, and `token` for a hold's token. */
const memberOf = (name: string): string => {
	if (name === "reservation_token") return "token";
	if (name === "Idempotency-Key") return "idempotencyKey";
	return name.replaceAll(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());
};

const TYPESCRIPT: Notation = { indent: "  ", literal: typeScriptLiteral, nameOf: memberOf };

function typeScriptLiteral(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(typeScriptLiteral).join(", ")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const members = Object.entries(value).map(([name, one]) => `${memberOf(name)}: ${typeScriptLiteral(one)}`);
	return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
