import type { PastDate } from "./api-date.ts";

/**
 * Past dates that are still accepted. When a breaking change creates a new date, the old one is added here with the
 * changes that lead back to it (CONTRIBUTING, Add an API date). A date is removed in a release after its sunset.
 */
export const PAST_DATES: readonly PastDate[] = [];
