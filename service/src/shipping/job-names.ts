/** The jobs of this room by name, for whoever adds one; jobs.ts says what they do. */
export const PUSH_ORDER = { name: "push_order" } as const;
export const WITHDRAW_BOX = { name: "withdraw_box" } as const;
export const LOOK_AT_BOX = { name: "look_at_box" } as const;
export const SWEEP_BOXES = { name: "sweep_boxes" } as const;
export const TAKE_HINT = { name: "take_hint" } as const;

/** The key of the one sweep. */
export const THE_SWEEP = "all";
