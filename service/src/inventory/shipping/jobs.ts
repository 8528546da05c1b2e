import { type Job, textOf } from "../../ground/jobs/job.ts";
import { assert } from "../../ground/lib/assert.ts";
import { DELAYS_MS } from "./again.ts";
import { followOrder } from "./follow-order.ts";
import { FOLLOW_ORDER, LOOK_AT_BOX, PUSH_ORDER, SWEEP_BOXES, TAKE_HINT, WITHDRAW_BOX } from "./job-names.ts";
import { lookAtBox } from "./look-at-box.ts";
import { type LabelDeps, pushOrder, withdrawBox } from "./push-order.ts";
import { takeHint } from "./receive-hook.ts";
import { sweepBoxes } from "./sweep-boxes.ts";

/** The limits of a job for one box, in milliseconds: it sends a few requests, each with a limit of its own. */
const ONE_BOX = { withinMs: 90_000, delaysMs: DELAYS_MS };

/** The jobs for a label platform; unused with the built-in queue. */
export const LABEL_JOBS: readonly Job<LabelDeps>[] = [
	{
		name: PUSH_ORDER,
		failure: "an order was not pushed to the label platform",
		...ONE_BOX,
		run: (payload, deps, attempt) => pushOrder(deps, textOf(payload, "orderId"), attempt),
	},
	{
		name: FOLLOW_ORDER,
		failure: "a box at the label platform could not be held, released or cancelled to match its order here",
		...ONE_BOX,
		run: (payload, deps, attempt) => followOrder(deps, textOf(payload, "orderId"), attempt),
	},
	{
		name: WITHDRAW_BOX,
		failure: "the label platform did not cancel a box that must not be shipped",
		...ONE_BOX,
		run: (payload, deps, attempt) => {
			const { generation } = payload;
			assert(typeof generation === "number", "a job that withdraws names the generation");
			const order = { orderId: textOf(payload, "orderId"), platformId: textOf(payload, "platformId"), generation };
			return withdrawBox(deps, order, attempt);
		},
	},
	{
		name: LOOK_AT_BOX,
		failure: "a box of the label platform was not read",
		...ONE_BOX,
		run: (payload, deps, attempt) => lookAtBox(deps, textOf(payload, "platformId"), attempt),
	},
	{
		name: TAKE_HINT,
		failure: "a notification of the label platform could not be processed",
		...ONE_BOX,
		run: (payload, deps, attempt) => takeHint(deps, textOf(payload, "hint"), attempt),
	},
	{
		name: SWEEP_BOXES,
		failure: "the changes at the label platform could not be read",
		withinMs: 110_000,
		delaysMs: [30_000, 60_000],
		run: (_, deps, attempt) => sweepBoxes(deps, attempt),
	},
];
