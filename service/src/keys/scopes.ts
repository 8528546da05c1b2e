import type { Scope } from "../glossary.ts";

const READ_ONLY = ["atp.products", "atp.inventory", "atp.check"] as const satisfies readonly Scope[];
const FULFILMENT = [
	...READ_ONLY,
	"atp.reserve",
	"atp.release",
	"atp.orders",
	"atp.shipments",
	"atp.summary",
	"atp.receipts",
	"atp.webhooks",
] as const satisfies readonly Scope[];
const SELF_SHIP = [...FULFILMENT, "atp.consume"] as const satisfies readonly Scope[];

/** The usual sets of scopes, by name (settlements, section 3). */
export const PRESETS = { read_only: READ_ONLY, fulfilment: FULFILMENT, self_ship: SELF_SHIP } as const;
export type Preset = keyof typeof PRESETS;

/** The preset that has just these scopes, or null. */
export const presetOf = (scopes: ReadonlySet<Scope>): Preset | null =>
	(Object.keys(PRESETS) as Preset[]).find((name) => scopes.symmetricDifference(new Set(PRESETS[name])).size === 0) ??
	null;
