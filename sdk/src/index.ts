export { checkCustomer } from "./client/check-customer.ts";
export {
	type Count,
	type CountTexts,
	isKnown,
	type KnownCount,
	shown,
	type UnknownCount,
	type UnknownReason,
	type UntrackedCount,
} from "./client/count.ts";
export { ChargeUnknown, HoldfastError, OutcomeUnknown, RateLimited, Unauthorized } from "./client/errors.ts";
export type { Finished } from "./client/finished.ts";
export { Holdfast, type HoldfastOptions, type KeyOptions, type LookupOptions } from "./client/holdfast.ts";
export type * from "./client/methods.ts";
export type { Conditional, Raw, Reply } from "./client/raw.ts";
export type * from "./client/types.ts";
export type { SaleInput, WholeHold } from "./client/whole-hold.ts";
export type { GivenTime, UnknownWord } from "./wire/given.ts";
