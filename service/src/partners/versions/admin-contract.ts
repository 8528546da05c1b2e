import Type from "typebox";
import { CURRENT_API_DATE } from "../../glossary.ts";
import { pageOf, pageQuery } from "../admin/page.ts";
import { LEAST_ROLE } from "../admin/role.ts";
import { operation } from "../http/operation.ts";
import { Day, OrNull } from "../http/text.ts";

const AcceptedDate = Type.Object(
	{
		date: Day("The API date, as partners send it in `X-Partner-Version`."),
		status: Type.Enum(["current", "supported", "deprecated"], {
			description: "`deprecated`: it is accepted until `sunset_on`. A request without a date gets the current one.",
		}),
		sunset_on: OrNull(Day("The last day on which it is accepted; null: none is set.")),
	},
	{ title: "AcceptedApiDate" },
);

export const ListApiDates = operation({
	id: "list_api_dates",
	method: "GET",
	path: "/admin/api/v1/api-dates",
	scope: LEAST_ROLE.list_api_dates,
	summary: "List the API dates that partners may use",
	description: "Those that this version accepts, the newest first.",
	query: pageQuery({}),
	replies: { 200: pageOf(AcceptedDate, "AcceptedApiDates") },
	examples: {
		replies: {
			200: { items: [{ date: CURRENT_API_DATE, status: "current", sunset_on: null }], next_cursor: null },
		},
	},
});
