import type { PastDate } from "./api-date.ts";

/**
 * The dates before the current one that are still accepted. When a breaking change makes a new date, the old one comes
 * here with the changes that lead back to it (CONTRIBUTING, Add an API date). A date leaves this list in a release
 * after its sunset.
 */
export const PAST_DATES: readonly PastDate[] = [];
