import Type from "typebox";
import { Closed } from "../../ground/lib/closed.ts";
import { examplePage, listOf, listQuery } from "../../partners/http/list.ts";
import { operation } from "../../partners/http/operation.ts";
import { Day, GivenId, Instant, ReplyObject, Text } from "../../partners/http/text.ts";
import { FILE_MISSES_PER_MINUTE, LOOKUPS_PER_MINUTE, MAX_PRODUCTS, MAX_TEXT_LENGTH } from "./limits.ts";
import { NONE_OF_LOT, UNKNOWN_LOT } from "./look-up-lot.ts";
import { NO_CERTIFICATE, WITHDRAWN } from "./open-file.ts";

export const CSV_TYPE = "text/csv; charset=utf-8";
export const HTML_TYPE = "text/html; charset=utf-8";
export const PDF_TYPE = "application/pdf";

const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Coa = ReplyObject("Coa", {
	product: ReplyObject("CoaProduct", { slug: Type.String(), name: Type.String() }),
	batch_number: Type.String({ description: "The lot number on the label." }),
	vial_size: orNull(Type.String()),
	tested_on: orNull(Day()),
	lab_name: orNull(Type.String()),
	purity_pct: orNull(Type.Number({ minimum: 0, maximum: 100, description: "Per cent, at most two decimals." })),
	status: Type.Union([Type.Literal("current"), Type.Literal("archived"), Type.Literal("retired")]),
	certificate_url: Type.String({
		description: "Address of the PDF; needs no key. Empty when retired: take the certificate down.",
	}),
	verify_url: Type.String({ description: "Page on which a buyer sees what is known of the lot." }),
	updated_at: Instant("When the certificate last changed."),
});

const EXAMPLE = {
	product: { slug: "glow-serum", name: "Glow Serum" },
	batch_number: "C-2611",
	vial_size: "30 ml",
	tested_on: "2026-08-20",
	lab_name: "Northern Analytical",
	purity_pct: 99.12,
	status: "current",
	certificate_url:
		"https://coa.example.com/coa/file/0199f0a0-0000-7000-8000-0000000000c1/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	verify_url: "https://coa.example.com/coa/lookup?lot=C-2611",
	updated_at: "2026-09-05T09:30:00.000Z",
} as const;

/** A certificate of the sandbox, which every partner can look up. */
const SAMPLE = {
	...EXAMPLE,
	product: { slug: "sbx-plenty", name: "Test: more than enough" },
	batch_number: "SANDBOX",
	vial_size: null,
	lab_name: "Sample Laboratory",
	purity_pct: 99.1,
	verify_url: "https://coa.example.com/coa/lookup?lot=SANDBOX",
} as const;

const CSV_EXAMPLE = [
	"product_slug,product_name,batch_number,vial_size,tested_on,lab_name,purity_pct,status,certificate_url,verify_url,updated_at",
	`glow-serum,Glow Serum,C-2611,30 ml,2026-08-20,Northern Analytical,99.12,current,${EXAMPLE.certificate_url},${EXAMPLE.verify_url},${EXAMPLE.updated_at}`,
	"",
].join("\r\n");

export const CoaFeed = operation({
	id: "coaFeed",
	method: "GET",
	path: "/api/partner/v1/coa",
	scope: "atp.products",
	summary: "Follow the certificates",
	description:
		"Certificates of analysis in the order of their changes, by product and batch. The last page still returns a cursor: keep it, and send it later to read what has changed since then. With `status=all` a certificate that was withdrawn comes as a tombstone: `retired`, with an empty `certificate_url`. JSON and CSV of the same query have the same records; in CSV the cursor is in `X-Next-Cursor`, and a cell that begins with `=`, `+`, `-`, `@`, tab or CR has a `'` before it.",
	query: listQuery({
		status: Type.Optional(
			Type.Union([Type.Literal("current"), Type.Literal("archived"), Type.Literal("retired"), Type.Literal("all")], {
				description: "`current` when absent.",
			}),
		),
		product: Type.Optional(
			Type.Array(Text({ min: 1, max: MAX_TEXT_LENGTH }), {
				maxItems: MAX_PRODUCTS,
				description: "Only certificates of this product, by its slug; may be given more than once.",
			}),
		),
		updated_since: Type.Optional(
			Text({ min: 1, max: 64, description: "RFC 3339; only certificates that changed at or after it." }),
		),
		format: Type.Optional(
			Type.Union([Type.Literal("json"), Type.Literal("csv")], { description: "`json` when absent." }),
		),
	}),
	replies: {
		200: listOf(Coa, {
			title: "CoaPage",
			asOf: "Pass it as `updated_since` next time to miss no change.",
		}),
	},
	contents: { 200: { [CSV_TYPE]: { example: CSV_EXAMPLE } } },
	replyHeaders: {
		"X-Next-Cursor": "The cursor of the next page, even when there is none yet.",
		Link: '`<…>; rel="next"`: the address of the next page, when there is one.',
		"Partner-Warning":
			"`tombstones_hidden`: with `updated_since` and only current certificates, those that were withdrawn are left out; ask with `status=all`.",
	},
	conditional: true,
	examples: {
		request: { status: "all", limit: 1 },
		replies: {
			200: examplePage(EXAMPLE),
		},
	},
});

const BatchNumber = (description: string) => Text({ min: 1, max: MAX_TEXT_LENGTH, description });

export const CoaLot = operation({
	id: "coaLot",
	method: "GET",
	path: "/api/partner/v1/coa/lot/:lot",
	scope: "atp.products",
	summary: "Read the certificates of a lot",
	description:
		"The certificates of a batch number, whatever their product and status. The batch number is matched exactly; percent-encode it.",
	params: Closed({ lot: BatchNumber("The batch number on the label.") }),
	replies: { 200: ReplyObject("CoasOfLot", { items: Type.Array(Coa) }) },
	conditional: true,
	examples: {
		params: { lot: "SANDBOX" },
		replies: { 200: { items: [SAMPLE] } },
		errors: { not_found: NONE_OF_LOT.message },
	},
});

const Accept = (description: string) => ({ schema: Text({ min: 1, max: 1_000, description }), missing: null });

const PAGE = { [HTML_TYPE]: { example: "<!doctype html>…" } };

export const CoaLookup = operation({
	id: "coaLookup",
	method: "GET",
	path: "/coa/lookup",
	scope: null,
	summary: "Look a lot up",
	description: `A page for buyers: the certificate of a lot, and whether it was withdrawn. Upper and lower case, spaces, hyphens and dots do not matter if that leaves one answer; an exact match comes first. JSON by \`Accept: application/json\`. Without \`lot\` it is a form. No key is needed; at most ${LOOKUPS_PER_MINUTE} a minute from one address.`,
	query: Closed({ lot: Type.Optional(BatchNumber("The lot number on the label.")) }),
	headers: { Accept: Accept("`application/json` for JSON; anything else is answered with a page.") },
	replies: {
		200: ReplyObject("LotLookup", {
			lot: Type.String({ description: "The lot number as it is on record." }),
			state: Type.Union(
				[
					Type.Literal("current"),
					Type.Literal("archived"),
					Type.Literal("withdrawn"),
					Type.Literal("pending"),
					Type.Literal("sample"),
				],
				{
					description:
						"`withdrawn`: the certificate was withdrawn, or a lot of this number is recalled, with or without a certificate. `pending`: a lot of ours whose certificate is not published. `sample`: of the sandbox, not a product. Readers should expect further states.",
				},
			),
			items: Type.Array(Coa),
		}),
	},
	contents: { 200: PAGE, 400: PAGE, 404: PAGE, 429: PAGE, 500: PAGE },
	replyHeaders: {
		"Access-Control-Allow-Origin": "`*`: a page of any origin may read the reply.",
		"Content-Security-Policy": "What the page may load: nothing.",
		"Referrer-Policy": "`no-referrer`",
	},
	anyDate: true,
	anyOrigin: true,
	perAddress: LOOKUPS_PER_MINUTE,
	examples: {
		request: { lot: "SANDBOX" },
		replies: { 200: { lot: "SANDBOX", state: "sample", items: [SAMPLE] } },
		errors: {
			not_found: UNKNOWN_LOT.message,
			rate_limited: "More than 30 requests in a minute from this address. Try again in 12 s.",
		},
	},
});

export const CoaFile = operation({
	id: "coaFile",
	method: "GET",
	path: "/coa/file/:certificate_id/:digest",
	scope: null,
	summary: "Read the PDF of a certificate",
	description:
		"The address that `certificate_url` gives. Its bytes never change; its digest is the `ETag`. No key is needed. When the certificate is withdrawn or replaced, it answers 410 at once, so ask again before you show a copy: an unchanged one is a 304. One `Range` of bytes is served. After 30 addresses that lead nowhere within a minute, every further request from that network address is answered 429.",
	params: Closed({
		certificate_id: GivenId("As in `certificate_url`."),
		digest: Text({ min: 1, max: 64, description: "As in `certificate_url`." }),
	}),
	query: Closed({
		disposition: Type.Optional(
			Type.Union([Type.Literal("inline"), Type.Literal("attachment")], {
				description: "`attachment`: a browser saves it instead of showing it. `inline` when absent.",
			}),
		),
	}),
	headers: {
		Range: {
			schema: Text({
				min: 1,
				max: 200,
				description: "`bytes=0-1023`; anything but one part is answered with the whole file.",
			}),
			missing: null,
		},
		"If-Range": {
			schema: Text({ min: 1, max: 200, description: "Serve the part only if this is the `ETag`." }),
			missing: null,
		},
	},
	replies: {},
	contents: { 200: { [PDF_TYPE]: {} }, 206: { [PDF_TYPE]: {} } },
	replyHeaders: {
		"Content-Length": "Bytes.",
		"Content-Range": "With 206: which bytes, of how many.",
		"Accept-Ranges": "`bytes`",
		"Content-Disposition": "Whether a browser shows or saves it, and under which name.",
		"Content-Security-Policy": "`sandbox`: nothing in it may run.",
	},
	anyDate: true,
	missesPerAddress: FILE_MISSES_PER_MINUTE,
	conditional: true,
	examples: {
		params: {
			certificate_id: "0199f0a0-0000-7000-8000-0000000000c1",
			digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		},
		replies: {},
		errors: {
			not_found: NO_CERTIFICATE.message,
			gone: WITHDRAWN.message,
			rate_limited: "More than 30 requests in a minute from this address found nothing. Try again in 12 s.",
		},
	},
});
