import Type from "typebox";
import { LEAST_ROLE } from "../../partners/admin/role.ts";
import { operation } from "../../partners/http/operation.ts";
import { Instant, ReplyObject, Text } from "../../partners/http/text.ts";
import { HOURS_FOR_DAYS, MINUTES_FOR_HOURS, STEPS } from "./limits.ts";
import { SERIES, type SeriesName } from "./tally.ts";

/** Maximum code points of a time. */
const MAX_TIME = 40;

export const GetSeries = operation({
	id: "get_series",
	method: "GET",
	path: "/admin/api/v1/series",
	scope: LEAST_ROLE.get_series,
	summary: "Show figures over time",
	description: `A series by the minute (kept ${MINUTES_FOR_HOURS} hours) or by the hour (kept ${HOURS_FOR_DAYS} days): \`requests\` by status and \`refusals\` by code (both of the requests that the log keeps), \`holds\` by outcome, \`deliveries\` by outcome, \`orders\` that are open by state, \`units\` by pool and state. The first four count what happened in each step; the others are the last sample of it. A step without a point had none.`,
	query: Type.Object(
		{
			name: Type.Enum(Object.keys(SERIES) as SeriesName[], { type: "string", description: "The series." }),
			step: Type.Optional(Type.Enum([...STEPS], { type: "string", description: "`minute` or `hour` (hour)." })),
			from: Type.Optional(
				Text({
					min: 1,
					max: MAX_TIME,
					description: "From this time (RFC 3339); by default a day ago, or an hour by the minute.",
				}),
			),
			to: Type.Optional(Text({ min: 1, max: MAX_TIME, description: "To this time, exclusive (now)." })),
		},
		{ additionalProperties: false },
	),
	replies: {
		200: ReplyObject("Series", {
			name: Type.String({ description: "The series." }),
			step: Type.Enum([...STEPS], { description: "The length of a step." }),
			from: Instant("The beginning."),
			to: Instant("The end."),
			lines: Type.Array(
				ReplyObject("SeriesLine", {
					label: Type.String({ description: "What it counts, such as `201` or `no_inventory`." }),
					points: Type.Array(
						ReplyObject("SeriesPoint", {
							at: Instant("The beginning of its step."),
							value: Type.Integer({ description: "The figure." }),
						}),
						{ description: "In the order of their times." },
					),
				}),
				{ description: "In the order of their labels." },
			),
		}),
	},
	examples: {
		replies: {
			200: {
				name: "holds",
				step: "hour",
				from: "2026-09-05T12:00:00.000Z",
				to: "2026-09-06T12:00:00.000Z",
				lines: [{ label: "made", points: [{ at: "2026-09-06T11:00:00.000Z", value: 412 }] }],
			},
		},
	},
});
