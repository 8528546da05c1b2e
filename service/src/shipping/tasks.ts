import type { Task } from "../lib/task.ts";
import { lookAtDueBoxes } from "./look-at-box.ts";
import type { LabelDeps } from "./push-order.ts";

/** Milliseconds between two looks for boxes whose time to be looked at has come. */
const DUE_EVERY_MS = 60_000;

export const LABEL_TASKS: readonly Task<Pick<LabelDeps, "db">>[] = [
	{
		name: "look_at_due_boxes",
		everyMs: DUE_EVERY_MS,
		failure: "boxes of the label platform that are due were not looked for",
		run: ({ db }) => lookAtDueBoxes(db),
	},
];
