import { type Job, textOf } from "../../ground/jobs/job.ts";
import { assert } from "../../ground/lib/assert.ts";
import { DELAYS_MS } from "./again.ts";
import { followOrder } from "./follow-order.ts";
import { FOLLOW_ORDER, LOOK_AT_BOX, PUSH_ORDER, SWEEP_BOXES, TAKE_HINT, WITHDRAW_BOX } from "./job-names.ts";
import { lookAtBox } from "./look-at-box.ts";
import { type LabelDeps, pushOrder, withdrawBox } from "./push-order.ts";
import { takeHint } from "./receive-hook.ts";
import { sweepBoxes } from "./sweep-boxes.ts";

/** Milliseconds for one box: a few requests, each with its own limit. */
const ONE_BOX_MS = 90_000;

/** The jobs for a label platform; unused with the built-in queue. */
export const LABEL_JOBS: readonly Job<LabelDeps>[] = [
	{
		name: PUSH_ORDER,
		failure: "an order was not pushed to the label platform",
		withinMs: ONE_BOX_MS,
		delaysMs: DELAYS_MS,
		run: (payload, deps, attempt) => pushOrder(deps, textOf(payload, "orderId"), attempt),
	},
	{
		name: FOLLOW_ORDER,
		failure: "a box at the label platform could not be held, released or cancelled to match its order here",
		withinMs: ONE_BOX_MS,
		delaysMs: DELAYS_MS,
		run: (payload, deps, attempt) => followOrder(deps, textOf(payload, "orderId"), attempt),
	},
	{
		name: WITHDRAW_BOX,
		failure: "the label platform did not cancel a box that must not be shipped",
		withinMs: ONE_BOX_MS,
		delaysMs: DELAYS_MS,
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
		withinMs: ONE_BOX_MS,
		delaysMs: DELAYS_MS,
		run: (payload, deps, attempt) => lookAtBox(deps, textOf(payload, "platformId"), attempt),
	},
	{
		name: TAKE_HINT,
		failure: "a notification of the label platform could not be processed",
		withinMs: ONE_BOX_MS,
		delaysMs: DELAYS_MS,
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
