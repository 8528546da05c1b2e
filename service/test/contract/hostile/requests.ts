import type { Operation } from "../../../src/partners/http/operation.ts";
import type { Random } from "../random.ts";
import { fitting, HOSTILE_TEXTS, hostile, type Known, spoiled, textOf } from "./values.ts";

/** One request as bytes. */
export interface Shot {
	readonly method: string;
	/** As in the first line. */
	readonly target: string;
	readonly bytes: Buffer;
	/** True when the announced length is right: then the connection can be used for another request. */
	readonly framed: boolean;
}

export interface Arsenal {
	readonly operations: readonly Operation[];
	/** Valid tokens, of keys with different permissions. */
	readonly tokens: readonly string[];
	readonly known: Known;
}

type Header = readonly [name: string, value: string];

/** Bytes over the limit of a body: the "5 MB" of the guarantee. */
const FIVE_MB = 5 * 1024 * 1024;
const ALMOST_1_MB = 1024 * 1024 - 200;

/** A request to one of the operations: right, nearly right, or completely wrong. */
export function nextShot(random: Random, arsenal: Arsenal): Shot {
	const operation = random.pick(arsenal.operations);
	const mood = random.below(10);
	const method = random.once(60) ? random.pick(METHODS) : operation.method;
	const target = targetFor(random, operation, arsenal.known, mood);
	const body = operation.method === "GET" && !random.once(30) ? null : bodyFor(random, operation, arsenal.known, mood);
	const headers = headersFor(random, arsenal.tokens, body !== null, mood);
	return assemble(random, method, target, headers, body, mood === 9 && random.once(4));
}

const METHODS = [
	"GET",
	"POST",
	"PUT",
	"PATCH",
	"DELETE",
	"OPTIONS",
	"HEAD",
	"TRACE",
	"PROPFIND",
	"PURGE",
	"get",
	"FOO",
];

function bodyFor(random: Random, { body }: Operation, known: Known, mood: number): Buffer {
	if (random.once(2_000)) return Buffer.alloc(FIVE_MB, random.pick(["x", "[", " ", '{"a":']));
	if (random.once(1_000)) return Buffer.from(`{"items":[${"[".repeat(100_000)}`);
	if (random.once(2_000)) return Buffer.from(`{"${"x".repeat(ALMOST_1_MB)}":1}`);
	const right = body === undefined ? {} : fitting(random, body, known);
	if (mood < 4) return Buffer.from(textOf(right));
	const bytes = Buffer.from(textOf(mood < 8 ? spoiled(random, right) : hostile(random)));
	return mood % 2 === 0 ? bytes : damaged(random, bytes);
}

/** Cut off, with a byte changed, added or doubled; or unchanged. */
function damaged(random: Random, bytes: Buffer): Buffer {
	const at = random.below(bytes.length + 1);
	switch (random.below(7)) {
		case 0:
			return bytes.subarray(0, at);
		case 1:
			return Buffer.concat([bytes.subarray(0, at), Buffer.from([random.below(256)]), bytes.subarray(at)]);
		case 2:
			return Buffer.concat([bytes, bytes]);
		case 3:
			return Buffer.concat([Buffer.from(random.pick(["\ufeff", "\u0000", " ", ")]}',\n"])), bytes]);
		case 4: {
			const changed = Buffer.from(bytes);
			if (changed.length > 0) changed[at % changed.length] = random.below(256);
			return changed;
		}
		case 5:
			return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xc0, 0xaf, 0xed, 0xa0, 0x80]), bytes.subarray(at)]);
		default:
			return bytes;
	}
}

function targetFor(random: Random, { path: pattern, params, query }: Operation, known: Known, mood: number): string {
	const parts = params === undefined ? {} : (fitting(random, params, known) as Record<string, unknown>);
	const path = pattern.replace(/:(\w+)/g, (_all, name: string) =>
		mood >= 4 && random.once(3) ? someEncoded(random) : encodeURIComponent(String(parts[name]).toWellFormed()),
	);
	if (mood === 9 && random.once(6)) return random.pick(TARGETS).replace("PATH", path);
	const given = query === undefined ? {} : (fitting(random, query, known) as Record<string, unknown>);
	const pairs = Object.entries(given).map(
		([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`,
	);
	if (mood >= 4 && random.once(2)) pairs.splice(random.below(pairs.length + 1), 0, random.pick(PAIRS));
	if (mood >= 6 && random.once(3))
		pairs.push(`${random.pick(["sku", "limit", "brand_code", "cursor"])}=${someEncoded(random)}`);
	if (mood >= 6 && random.once(8)) pairs.push(...pairs);
	return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}

const someEncoded = (random: Random): string =>
	encodeURIComponent(random.pick(HOSTILE_TEXTS).toWellFormed().slice(0, 2_000));

const PAIRS = [
	"x=1",
	"=",
	"=1",
	"sku",
	"sku=",
	"sku[]=A",
	"sku=A&sku=B",
	"__proto__=x",
	"constructor[prototype]=1",
	"limit=1e400",
	"limit=-1",
	"limit=99999999999999999999",
	"limit=0x10",
	"limit=٣",
	"sku=%00",
	"sku=%ff",
	"sku=%ed%a0%80",
	"sku=%",
	"sku=%zz",
	"sku=%u0041",
	"sku=a;b=c",
	"a=b=c",
	"&&&",
	"+",
	"sku=+",
	"cursor=AAAA",
	"cursor=LTEueA",
	"updated_since=0",
	"updated_since=2026-02-30T00:00:00Z",
	"updated_since=%F0%9F%98%80",
	"toString=1",
	`${"x".repeat(5_000)}=1`,
	"a&".repeat(1_500),
];

const TARGETS = [
	"/",
	"//",
	"*",
	"PATH/",
	"PATH//",
	"/PATH",
	"PATH%2f",
	"PATH%00",
	"PATH/../check",
	"/api/v1/../../etc/passwd",
	"PATH;x=1",
	"PATH#x",
	"PATH?",
	"PATH??",
	"/api/v1/%zz",
	"/api/v1/%ff",
	"http://other.example/api/v1/check",
	"/api/v1/orders",
	"/admin",

	`/${"x".repeat(9_000)}`,
	`/${"a/".repeat(2_000)}`,
	"PATH?x=%",
	"/api/v1/__proto__",
	"/api/v1/constructor",
];

const BAD_AUTHORIZATION = [
	"",
	"Bearer",
	"Bearer ",
	"Basic YTpi",
	"Bearer x",
	"Bearer pk_hf_live_x:sk_hf_live_y",
	"Bearer \u00ff",
	`Bearer ${"x".repeat(8_000)}`,
	"Bearer a, Bearer b",
];
const DATES = [
	"2026-09-06",
	"2026-09-06",
	"2026-09-05",
	"2099-01-01",
	"2026-02-30",
	"",
	"x",
	"2026-09-06, 2026-09-06",
	"９",
	"-1",
	"0000-00-00",
	"9".repeat(3_000),
];
const TYPES = [
	"application/json",
	"application/json; charset=utf-8",
	"APPLICATION/JSON",
	"application/json;charset=UTF-8;charset=latin1",
	"text/plain",
	"",
	"*/*",
	"application/json, application/json",
	"multipart/form-data; boundary=x",
	"application/vnd.api+json",
	`application/json; a=${"b".repeat(2_000)}`,
];
const OTHERS: readonly Header[] = [
	["Accept", "text/html"],
	["Accept-Encoding", "gzip, br"],
	["Content-Encoding", "gzip"],
	["Content-Encoding", "identity"],
	["If-None-Match", "*"],
	["If-None-Match", 'W/"x", "y'],
	["If-Match", '"x"'],
	["Range", "bytes=0-1"],
	["Cookie", "a=b; __proto__=c"],
	["X-Request-Id", "'; drop table lot; --"],
	["X-Forwarded-For", "127.0.0.1"],
	["X-HTTP-Method-Override", "DELETE"],
	["X-Partner-Version", "2026-09-06"],
	["Idempotency-Key", "\u00e9"],
	["Upgrade", "websocket"],
	["Expect", "nothing"],
	["Transfer-Encoding", "identity"],
	["Connection", "Keep-Alive, TE"],
	["Content-Length", "5"],
	["Host", "other.example"],
	["__proto__", "x"],
	["Authorization", "Bearer other"],
	["X-Long", "x".repeat(14_000)],
	["X-Too-Long", "x".repeat(17_000)],
];

function headersFor(random: Random, tokens: readonly string[], hasBody: boolean, mood: number): Header[] {
	const headers: Header[] = [["Host", "holdfast.test"]];
	const token = `Bearer ${random.pick(tokens)}`;
	headers.push(["Authorization", mood >= 6 && random.once(20) ? random.pick(BAD_AUTHORIZATION) : token]);
	if (hasBody) headers.push(["Content-Type", mood >= 5 && random.once(12) ? random.pick(TYPES) : "application/json"]);
	if (!hasBody && random.once(15)) headers.push(["If-None-Match", random.pick(["*", '"x"', ""])]);
	if (mood >= 4 && random.once(12)) headers.push(["X-Partner-Version", random.pick(DATES)]);
	for (let n = mood >= 7 ? random.below(3) : 0; n > 0; n--) headers.push(random.pick(OTHERS));
	if (mood >= 8 && random.once(10)) headers.push(random.pick(headers));
	if (mood >= 8 && random.once(40)) headers.splice(random.below(headers.length), 1);
	if (mood === 9 && random.once(60)) for (let n = 0; n < 300; n++) headers.push([`X-${n}`, "x"]);
	return headers;
}

/** Header values are bytes here: characters above 255 are sent as UTF-8. */
function assemble(
	random: Random,
	method: string,
	target: string,
	headers: readonly Header[],
	body: Buffer | null,
	torn: boolean,
): Shot {
	const names = new Set(headers.map(([name]) => name.toLowerCase()));
	const meddled = ["transfer-encoding", "content-length", "upgrade"].some((name) => names.has(name));
	const chunked = body !== null && !meddled && random.once(15);
	const length: Header[] =
		body === null ? [] : [chunked ? ["Transfer-Encoding", "chunked"] : ["Content-Length", String(body.length)]];
	const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`).join("");
	const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`);
	const bytes = Buffer.concat([head, body === null ? Buffer.alloc(0) : chunked ? inChunks(random, body) : body]);
	if (!torn) return { method, target, bytes, framed: !meddled };
	return { method, target, bytes: tear(random, bytes, head.length), framed: false };
}

function inChunks(random: Random, body: Buffer): Buffer {
	const parts: Buffer[] = [];
	for (let at = 0; at < body.length; ) {
		const size = random.between(1, Math.max(1, Math.ceil(body.length / 3)));
		const chunk = body.subarray(at, at + size);
		parts.push(
			Buffer.from(`${chunk.length.toString(16)}${random.once(5) ? ";x=y" : ""}\r\n`),
			chunk,
			Buffer.from("\r\n"),
		);
		at += size;
	}
	return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** Invalid HTTP: cut off, a byte changed in the head, other line ends, lengths that contradict each other. */
function tear(random: Random, bytes: Buffer, headLength: number): Buffer {
	const at = random.below(headLength);
	const head = bytes.subarray(0, headLength).toString("latin1");
	const withHead = (text: string): Buffer => Buffer.concat([Buffer.from(text, "latin1"), bytes.subarray(headLength)]);
	switch (random.below(9)) {
		case 0:
			return bytes.subarray(0, random.below(bytes.length));
		case 1: {
			const changed = Buffer.from(bytes);
			changed[at] = random.below(256);
			return changed;
		}
		case 2:
			return withHead(head.replaceAll("\r\n", "\n"));
		case 3:
			return withHead(head.replace("\r\n", "\r\nTransfer-Encoding: chunked\r\n"));
		case 4:
			return withHead(
				head.replace(
					/Content-Length: \d+/,
					`Content-Length: ${random.pick(["-1", "1e3", "99999999999999999999", "+5", "5, 6", "0x5", " "])}`,
				),
			);
		case 5:
			return withHead(head.replace("\r\n", "\r\n folded: line\r\n"));
		case 6:
			return withHead(
				head.replace(
					"HTTP/1.1",
					random.pick(["HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/1.1.1", "http/1.1", "HTTPS/1.1", ""]),
				),
			);
		case 7:
			return Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), bytes]);
		default:
			return withHead(head.replace("\r\n", `\r\nX-Na me: \u0001\u0000\r\n`));
	}
}
