/** Names of this room's jobs, for code that enqueues them; jobs.ts defines them. */
export const PUSH_ORDER = "push_order";
export const FOLLOW_ORDER = "follow_order";
export const WITHDRAW_BOX = "withdraw_box";
export const LOOK_AT_BOX = "look_at_box";
export const SWEEP_BOXES = "sweep_boxes";
export const TAKE_HINT = "take_hint";

/** The job key of the single sweep. */
export const THE_SWEEP = "all";
