import Type from "typebox";
import { CURRENT_API_DATE } from "../../glossary.ts";
import { adminOperation } from "../admin/operation.ts";
import { pageOf, pageQuery } from "../admin/page.ts";
import { Day, Instant, OrNull, ReplyObject } from "../http/text.ts";
import { MOST_USERS } from "./date-uses-sql.ts";

const AcceptedDate = ReplyObject("AcceptedApiDate", {
	date: Day("The API date, as partners send it in `X-Partner-Version`."),
	status: Type.Enum(["current", "supported", "deprecated"], {
		description: "`deprecated`: it is accepted until `sunset_on`. A request without a date gets the current one.",
	}),
	sunset_on: OrNull(Day("The last day on which it is accepted; null: none is set.")),
	used_by: Type.Array(
		ReplyObject("ApiDateUser", {
			key: Type.String({ description: "The public half of the key." }),
			key_name: Type.String({ description: "Its name." }),
			partner: Type.String({ description: "The name of its partner." }),
			last_seen_at: Instant("Its last request on this date."),
		}),
		{ description: `Keys whose last requests used it, the last seen first; at most ${MOST_USERS}.` },
	),
	more_users: Type.Boolean({ description: "More keys used it than are named." }),
});

export const ListApiDates = adminOperation({
	id: "list_api_dates",
	method: "GET",
	path: "/admin/api/v1/api-dates",
	summary: "List the API dates that partners may use",
	description:
		"Those that this version accepts, the newest first, and who still uses which, from the log of requests: the last requests of each key that is in force.",
	query: pageQuery({}),
	replies: { 200: pageOf(AcceptedDate, "AcceptedApiDates") },
	examples: {
		replies: {
			200: {
				items: [
					{
						date: CURRENT_API_DATE,
						status: "current",
						sunset_on: null,
						used_by: [
							{
								key: "pk_hf_live_3ZrT0mGq8yXvB2kLw9QaE1nHc",
								key_name: "web",
								partner: "North Web Shop",
								last_seen_at: "2026-09-06T12:00:00.000Z",
							},
						],
						more_users: false,
					},
				],
				next_cursor: null,
			},
		},
	},
});
