/** The jobs of this room, for whoever adds one; jobs.ts says what they do. */
export const PUSH_ORDER = "push_order";
export const FOLLOW_ORDER = "follow_order";
export const WITHDRAW_BOX = "withdraw_box";
export const LOOK_AT_BOX = "look_at_box";
export const SWEEP_BOXES = "sweep_boxes";
export const TAKE_HINT = "take_hint";

/** The key of the one sweep. */
export const THE_SWEEP = "all";
