/**
 * The jobs of this room, for whoever adds one; jobs.ts says what they do. Each waits for somebody else's platform, so
 * all are patient.
 */
export const PUSH_ORDER = { name: "push_order", urgency: "patient" } as const;
export const FOLLOW_ORDER = { name: "follow_order", urgency: "patient" } as const;
export const WITHDRAW_BOX = { name: "withdraw_box", urgency: "patient" } as const;
export const LOOK_AT_BOX = { name: "look_at_box", urgency: "patient" } as const;
export const SWEEP_BOXES = { name: "sweep_boxes", urgency: "patient" } as const;
export const TAKE_HINT = { name: "take_hint", urgency: "patient" } as const;

/** The key of the one sweep. */
export const THE_SWEEP = "all";
