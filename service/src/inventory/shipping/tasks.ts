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
		failure: "due boxes of the label platform were not queued for reading",
		run: ({ db }) => lookAtDueBoxes(db),
	},
	{
		name: "push_forgotten_orders",
		everyMs: DUE_EVERY_MS,
		failure: "forgotten orders were not pushed to the label platform",
		run: ({ db, labels }) => (labels.deps.platform.id === "built-in" ? Promise.resolve(0) : pushForgotten(db)),
	},
];
