import type { Task } from "../../ground/lib/task.ts";
import { lookAtDueBoxes } from "./look-at-box.ts";
import type { LabelDeps } from "./push-order.ts";
import { pushForgotten } from "./want-push.ts";

/** Milliseconds between checks for due boxes and forgotten orders. */
const DUE_EVERY_MS = 60_000;

interface LabelTaskDeps extends Pick<LabelDeps, "db"> {
	readonly labels: { readonly deps: Pick<LabelDeps, "platform"> };
}

export const LABEL_TASKS: readonly Task<LabelTaskDeps>[] = [
	{
		name: "look_at_due_boxes",
		everyMs: DUE_EVERY_MS,
		failure: "boxes of the label platform that are due could not be found",
		run: ({ db }) => lookAtDueBoxes(db),
	},
	{
		name: "push_forgotten_orders",
		everyMs: DUE_EVERY_MS,
		failure: "orders that were not handed to the label platform could not be found",
		run: ({ db, labels }) => (labels.deps.platform.id === "built-in" ? Promise.resolve(0) : pushForgotten(db)),
	},
];
