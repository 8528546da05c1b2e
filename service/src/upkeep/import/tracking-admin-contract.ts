import Type from "typebox";
import { CONFLICT_EXAMPLE, REASON, RETRY_EXAMPLE } from "../../partners/admin/headers.ts";
import { adminWrite } from "../../partners/admin/operation.ts";
import { Id, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { STARTED_RUN_EXAMPLE, StartedRun } from "../../partners/runs/admin-contract.ts";
import { MAX_PARCELS } from "./import-tracking.ts";

/** Maximum code points of the name of an order. */
const MAX_NAME = 200;

const Parcel = RequestObject("ImportedParcel", {
	order: Text({ min: 1, max: MAX_NAME, description: "The order: any name of it that no other order has." }),
	carrier: Type.Optional(Text({ description: "The carrier's code, such as `ups`." })),
	service: Type.Optional(Text({ description: "The carrier's code of the service." })),
	tracking: Text({ description: "The tracking number." }),
});

const Line = ReplyObject("ImportedParcelOutcome", {
	line: Type.Integer({ description: "The line of the file; of `parcels`: the place in the list, from 1." }),
	order: Type.String({ description: "The order as it was named." }),
	order_id: Id("The order."),
	outcome: Type.Enum(["shipped", "unchanged", "refused"], {
		description: "`unchanged`: its box was shipped under this number before, or with an earlier line.",
	}),
	shipment_id: OrNull(Id("The box; null: it was refused.")),
	message: OrNull(Type.String({ description: "Why it was refused; null: it was not." })),
});

export const ImportTracking = adminWrite({
	id: "import_tracking",
	method: "POST",
	path: "/admin/api/v1/tracking-imports",
	summary: "Ship many boxes by their tracking numbers",
	description: `Ships whole boxes from a CSV file with the columns \`order,carrier,service,tracking\`, or from \`parcels\`: ${MAX_PARCELS} lines at most. If a line is wrong, \`problems\` names each wrong line, and nothing is done. A box that changes meanwhile is \`refused\` and does not affect the others. Sending the same lines again ships the rest: a box that was shipped under its number is \`unchanged\`. A request that takes longer than two seconds becomes a run.`,
	files: { most: 1, types: ["text/csv"], description: "The CSV file, in UTF-8; the columns in any order." },
	body: RequestObject("ImportTrackingRequest", {
		parcels: Type.Optional(
			Type.Array(Parcel, { minItems: 1, maxItems: MAX_PARCELS, description: "Without a file: the parcels." }),
		),
		other_carrier: Type.Optional(
			Type.Boolean({
				description: "Accept carriers without a known tracking page: their parcels have no tracking link.",
			}),
		),
		same_parcel: Type.Optional(
			Type.Boolean({ description: "Accept tracking numbers that other boxes have: they are in one parcel." }),
		),
		...REASON,
	}),
	problems: true,
	replies: {
		200: ReplyObject("TrackingImport", {
			shipped: Type.Integer({ description: "Lines whose boxes were shipped." }),
			unchanged: Type.Integer({ description: "Lines whose boxes had been shipped." }),
			refused: Type.Integer({ description: "Lines whose boxes changed meanwhile." }),
			items: Type.Array(Line, { description: "Every line, in its order." }),
		}),
		202: StartedRun,
	},
	examples: {
		request: {
			parcels: [{ order: "shop-1001", carrier: "ups", service: "ground", tracking: "1Z999AA10123456784" }],
		},
		replies: {
			200: {
				shipped: 1,
				unchanged: 0,
				refused: 0,
				items: [
					{
						line: 1,
						order: "shop-1001",
						order_id: "0199f0a0-3333-7000-8000-000000000003",
						outcome: "shipped",
						shipment_id: "0199f0a0-4444-7000-8000-000000000004",
						message: null,
					},
				],
			},
			202: STARTED_RUN_EXAMPLE,
		},
		errors: { retry: RETRY_EXAMPLE, idempotency_conflict: CONFLICT_EXAMPLE },
	},
});
