import Type from "typebox";
import { Closed } from "../../ground/lib/closed.ts";
import { adminOperation } from "../../partners/admin/operation.ts";
import { Instant, OrNull, ReplyObject, Text } from "../../partners/http/text.ts";
import { HOURS_FOR_DAYS, MINUTES_FOR_HOURS, MOST_POINTS, STEPS } from "./limits.ts";
import { SERIES, type SeriesName } from "./tally.ts";

/** Maximum code points of a time, and of the name of a key. */
const MAX_TIME = 40;
const MAX_KEY = 700;

/** Figures by label. */
const By = Type.Unsafe<{ readonly [label: string]: number }>({
	type: "object",
	additionalProperties: { type: "integer" },
	description: "Each figure by what it counts, such as `201` or `no_inventory`.",
});

export const GetSeries = adminOperation({
	id: "get_series",
	method: "GET",
	path: "/admin/api/v1/series",
	summary: "Show figures over time",
	description: `A series by the minute (kept ${MINUTES_FOR_HOURS} hours), by the hour (kept ${HOURS_FOR_DAYS} days) or by the day (UTC, added up from the hours): \`requests\` by status and \`refusals\` by code (both of the requests that the log keeps), \`holds\` by outcome, \`deliveries\` by outcome of each attempt, \`orders\` that are open by state, \`units\` by pool and state. The first four count what happened in each step, of all keys or of one; the others are the last sample of it. A step without a point had none. A reply has at most ${MOST_POINTS} points.`,
	query: Closed({
		name: Type.Enum(Object.keys(SERIES) as SeriesName[], { type: "string", description: "The series." }),
		step: Type.Optional(Type.Enum([...STEPS], { type: "string", description: "`minute`, `hour` or `day` (hour)." })),
		from: Type.Optional(
			Text({
				min: 1,
				max: MAX_TIME,
				description:
					"From this time (RFC 3339), with all of its step; by default an hour ago by the minute, a day by the hour, 30 days by the day.",
			}),
		),
		to: Type.Optional(Text({ min: 1, max: MAX_TIME, description: "To this time, exclusive (now)." })),
		key: Type.Optional(
			Text({
				min: 1,
				max: MAX_KEY,
				description:
					"Only of this key: public half, name, or `partner/name`. Its deliveries are those to the endpoints of its partner in its environment. Not for `orders` and `units`.",
			}),
		),
	}),
	replies: {
		200: ReplyObject("Series", {
			name: Type.String({ description: "The series." }),
			step: Type.Enum([...STEPS], { description: "The length of a step." }),
			key: OrNull(Type.String({ description: "The public half of the key; null: of all." })),
			from: Instant("The beginning of the first step."),
			to: Instant("The end."),
			points: Type.Array(
				ReplyObject("SeriesPoint", {
					at: Instant("The beginning of its step."),
					by: By,
					n: Type.Integer({ description: "The sum of the figures." }),
				}),
				{ description: "In the order of their times." },
			),
		}),
	},
	examples: {
		replies: {
			200: {
				name: "holds",
				step: "hour",
				key: null,
				from: "2026-09-05T12:00:00.000Z",
				to: "2026-09-06T12:00:00.000Z",
				points: [{ at: "2026-09-06T11:00:00.000Z", by: { consumed: 300, made: 412 }, n: 712 }],
			},
		},
		errors: { not_found: 'No key has the name or public half "storfront". Did you mean "storefront"?' },
	},
});
