/** The steps whose figures are kept, and how long (operator contract, section 4). */
export type KeptStep = "minute" | "hour";
/** Hours for which figures by the minute are kept, and days for those by the hour. */
export const MINUTES_FOR_HOURS = 48;
export const HOURS_FOR_DAYS = 400;

/** The steps of a series (operator contract, section 8); days are added up from the hours. */
export const STEPS = ["minute", "hour", "day"] as const;
export type Step = (typeof STEPS)[number];

export const STEP_MS: { readonly [step in Step]: number } = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
/** Steps that a reply covers if no beginning is requested: an hour, a day, thirty days. */
export const USUAL_STEPS: { readonly [step in Step]: number } = { minute: 60, hour: 24, day: 30 };
/** Maximum number of points of a reply: a day of minutes, two months of hours, or all existing days. */
export const MOST_POINTS = 1_500;
