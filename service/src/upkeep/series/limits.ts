/** The steps of a series, and how long their points are kept (operator contract, section 4). */
export const STEPS = ["minute", "hour"] as const;
export type Step = (typeof STEPS)[number];
/** Hours for which minutes are kept, and days for which hours are. */
export const MINUTES_FOR_HOURS = 48;
export const HOURS_FOR_DAYS = 400;
