import Type from "typebox";
import { SCOPES } from "../../glossary.ts";
import { adminOperation } from "../../partners/admin/operation.ts";
import { Instant, OrNull, ReplyObject } from "../../partners/http/text.ts";
import { CSV_KINDS } from "./csv.ts";

export const CSV_TYPE = "text/csv; charset=utf-8";

export const ExportSection = adminOperation({
	id: "export_section",
	method: "GET",
	path: "/admin/api/v1/exports/:section.csv",
	summary: "Export a section of import",
	description:
		"As the CSV file that an import takes: imported again, it changes nothing. What the sandbox creates itself is left out, because no import may name it.",
	params: Type.Object({ section: Type.Enum([...CSV_KINDS], { description: "A section of import other than keys." }) }),
	replies: {},
	contents: { 200: { [CSV_TYPE]: { example: "code,name\r\nACME,Acme\r\n" } } },
	replyHeaders: { "Content-Disposition": "With the name that an import expects of the file." },
	examples: { params: { section: "brands" }, replies: {} },
});

export const Key = ReplyObject("ExportedKey", {
	name: Type.String({ description: "Its name." }),
	partner: Type.String({ description: "The name of its partner." }),
	environment: Type.Enum(["live", "sandbox"], { description: "Where it is valid." }),
	brand_code: OrNull(Type.String({ description: "The brand that it is bound to; null: none." })),
	scopes: Type.Array(Type.Enum([...SCOPES]), { description: "What it may do." }),
	shared_pool: Type.Boolean({ description: "It may draw on the shared pool." }),
	requests_per_minute: Type.Integer({ description: "Its budget of requests." }),
	max_held_units: OrNull(Type.Integer({ description: "Units that its holds may have at a time; null: no cap." })),
	expires_at: OrNull(Instant("When it ends; null: never.")),
});

export const ExportKeys = adminOperation({
	id: "export_keys",
	method: "GET",
	path: "/admin/api/v1/exports/keys.json",
	summary: "Export the keys",
	description:
		"The section `keys` of a `world.json`, without tokens and without keys that have ended. An import leaves existing keys alone, and mints the others.",
	replies: { 200: ReplyObject("ExportedKeys", { keys: Type.Array(Key, { description: "By partner and name." }) }) },
	examples: {
		replies: {
			200: {
				keys: [
					{
						name: "web",
						partner: "Acme Web Shop",
						environment: "live",
						brand_code: "ACME",
						scopes: ["atp.products"],
						shared_pool: false,
						requests_per_minute: 60,
						max_held_units: null,
						expires_at: null,
					},
				],
			},
		},
	},
});
