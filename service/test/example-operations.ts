import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import Type from "typebox";
import { refuse } from "../src/ground/lib/refusal.ts";
import { type Gate, type HttpServer, mount } from "../src/partners/http/mount.ts";
import { operation } from "../src/partners/http/operation.ts";
import type { Surface } from "../src/partners/http/surface.ts";

/*
 * Operations and a surface that only tests have: each uses a feature of the gate that no real operation uses yet.
 */

export const CSV = "text/csv; charset=utf-8";
export const PDF = "application/pdf";
const words = { summary: "A test.", description: "Only tests have it." };

export const ReadReport = operation({
	...words,
	id: "readReport",
	method: "GET",
	path: "/api/v1/report",
	scope: "atp.inventory",
	conditional: true,
	headers: { Accept: { schema: Type.String({ description: "`text/csv`, or JSON." }), missing: null } },
	replies: { 200: Type.Object({ rows: Type.Integer() }) },
	contents: { 200: { [CSV]: { example: "sku,units\r\n" } } },
	replyHeaders: { "X-Next-Cursor": "Where the next page begins." },
	examples: { replies: { 200: { rows: 1 } } },
});
export const ReadFile = operation({
	...words,
	id: "readFile",
	method: "GET",
	path: "/api/v1/files/:name",
	scope: null,
	conditional: true,
	params: Type.Object({ name: Type.String() }, { additionalProperties: false }),
	replies: {},
	contents: { 200: { [PDF]: {} } },
	examples: { replies: {}, errors: { not_found: "There is no such file." } },
});
export const Place = operation({
	...words,
	id: "place",
	method: "POST",
	path: "/api/v1/place",
	scope: "atp.reserve",
	headers: {
		"Idempotency-Key": {
			schema: Type.String({ pattern: "^[!-~]*$", maxLength: 20, description: "Names this request." }),
			missing: "idempotency_required",
		},
	},
	body: Type.Object(
		{
			reservation_token: Type.String(),
			customer: Type.Object(
				{
					name: Type.String(),
					ship_to: Type.Object({ city: Type.String(), country: Type.String() }, { additionalProperties: false }),
				},
				{ additionalProperties: false },
			),
		},
		{ additionalProperties: false },
	),
	codes: { "/customer": "invalid_customer" },
	replies: { 201: Type.Object({ ref: Type.String() }) },
	examples: {
		request: { reservation_token: "t", customer: { name: "A", ship_to: { city: "B", country: "US" } } },
		replies: { 201: { ref: "r" } },
		errors: {
			idempotency_required: "Idempotency-Key: this header is required.",
			invalid_customer: "/customer/name: required.",
		},
	},
});
/** Takes at most two files, and answers with what it received, or with each file's problem. */
export const Deliver = operation({
	...words,
	id: "deliver",
	method: "PUT",
	path: "/api/v1/deliver",
	scope: "atp.reserve",
	body: Type.Object({ note: Type.Optional(Type.String()) }, { additionalProperties: false }),
	files: { most: 2, types: [PDF], description: "What is delivered." },
	problems: true,
	replies: {
		200: Type.Object({
			note: Type.Union([Type.String(), Type.Null()]),
			files: Type.Array(Type.Object({ name: Type.String(), text: Type.String() })),
		}),
	},
	examples: { request: { note: "n" }, replies: { 200: { note: "n", files: [{ name: "a.pdf", text: "%PDF-" }] } } },
});
export const ListAccounts = operation({
	...words,
	id: "listAccounts",
	method: "GET",
	path: "/admin/api/accounts",
	scope: "atp.summary",
	replies: { 200: Type.Object({ who: Type.String() }) },
	examples: { replies: { 200: { who: "ann" } } },
});

/** A surface for another kind of caller, without API dates: two badges are accepted as credentials. */
interface Badge {
	readonly owner: string;
	readonly reads: boolean;
}
const BADGES = new Map<string, Badge>([
	["ann", { owner: "ann", reads: true }],
	["bob", { owner: "bob", reads: false }],
]);
export const BADGE_SURFACE: Surface<Badge> = {
	id: "badge",
	title: "Badges",
	description: "Only tests have it.",
	tag: { name: "Badges", description: "What a badge may do." },
	dates: null,
	errors: ["bad_request", "invalid_input", "unauthorized", "forbidden", "rate_limited", "internal_error"],
	security: {
		caller: "badge",
		id: "badge",
		scheme: { type: "apiKey", in: "header", name: "X-Badge", description: "A badge." },
		challenge: "Badge",
		message: "Show a badge.",
		lacks: (scope) => `This badge does not have the scope ${scope}.`,
		needs: (scope) => `Needs the scope \`${scope}\`.`,
	},
	authenticate: ({ headers }) => {
		const caller = BADGES.get(String(headers["x-badge"]));
		return caller === undefined ? { why: "unknown" } : { caller, inForce: () => true, confirm: async () => true };
	},
	budget: { nameOf: ({ owner }) => `badge:${owner}`, perMinute: () => 3 },
	may: ({ reads }) => reads,
	nameOf: ({ owner }) => owner,
};

export const FILE = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x00, 0xff, 0x0d, 0x0a]);
export const CSV_TEXT = "sku,units\r\nGrüße,1\r\n";
/** Number of pieces of the large file: more than all buffers on the way can hold. */
export const PIECES = 400;
export const PIECE = Buffer.alloc(64 * 1024, 7);

async function* pieces(until: number): AsyncGenerator<Buffer> {
	for (let n = 0; n < PIECES; n++) {
		if (n === until) throw new Error("bug: the file broke off");
		yield PIECE;
		await nextTurn();
	}
}

/** The stream of the last reply of ReadFile. */
export let lastStream: Readable | null = null;

/** Mounts the operations above: those for keys on the partner API's gate, the others on gates of their own. */
export function mountExamples(gate: Gate, server: HttpServer): void {
	mount(gate, ReadReport, ({ headers }) =>
		headers.Accept === "text/csv"
			? { status: 200, type: CSV, content: CSV_TEXT, headers: { "X-Next-Cursor": "c2" } }
			: { status: 200, data: { rows: 1 }, headers: { "X-Next-Cursor": "c2" } },
	);
	mount(gate, ReadFile, ({ params }) => {
		if (params.name === "small") return { status: 200, type: PDF, content: FILE };
		lastStream = Readable.from(pieces(params.name === "broken" ? 3 : PIECES), { objectMode: false });
		return { status: 200, type: PDF, content: lastStream, etag: "d1g3st" };
	});
	mount(gate, Place, ({ headers }) => ({ status: 201, data: { ref: headers["Idempotency-Key"] } }));
	mount(gate, Deliver, ({ body, files }) => {
		const wrong = files.filter(({ bytes }) => bytes.toString() === "wrong");
		const problems = wrong.map(({ name }) => ({ at: name, message: "is wrong" }));
		if (problems.length > 0) return { ...refuse("invalid_input", "Some files are wrong."), problems };
		return {
			status: 200,
			data: {
				note: body.note ?? null,
				files: files.map(({ name, bytes }) => ({ name, text: bytes.toString("latin1") })),
			},
		};
	});
	mount(server.gate(BADGE_SURFACE), ListAccounts, ({ caller }) => ({ status: 200, data: { who: caller.owner } }));
}

/** The status, code and message of an error. */
export const errorOf = async (response: Response): Promise<[status: number, code: string, message: string]> => {
	const { error } = (await response.json()) as { error: { code: string; message: string } };
	return [response.status, error.code, error.message];
};
