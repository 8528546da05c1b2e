/** The jobs of this room, for whoever adds one; jobs.ts says what they do. */
export const SEND_EVENTS = { name: "send_events", urgency: "prompt" } as const;
export const MAIL_NOTICE = { name: "mail_notice", urgency: "patient" } as const;
