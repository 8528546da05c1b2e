import Type from "typebox";
import { CURRENT_API_DATE } from "../../glossary.ts";
import { operation } from "../http/operation.ts";
import { Day, ReplyObject } from "../http/text.ts";

const Version = ReplyObject("ApiVersion", {
	version: Day("The API date, as X-Partner-Version carries it."),
	status: Type.Union([Type.Literal("current"), Type.Literal("supported"), Type.Literal("deprecated")], {
		description: "`deprecated`: works until `sunset_on`, and no longer.",
	}),
	sunset_on: Type.Union([Day(), Type.Null()]),
});

export const ListVersions = operation({
	id: "listVersions",
	method: "GET",
	path: "/api/versions",
	scope: null,
	anyDate: true,
	conditional: true,
	summary: "The API dates this deployment accepts",
	description: "Needs no key and ignores X-Partner-Version. Newest first.",
	replies: {
		200: ReplyObject("ApiVersions", { items: Type.Array(Version) }),
	},
	examples: { replies: { 200: { items: [{ version: CURRENT_API_DATE, status: "current", sunset_on: null }] } } },
});
