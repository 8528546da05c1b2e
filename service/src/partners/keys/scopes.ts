import type { Scope } from "../../glossary.ts";

const READ_ONLY = ["atp.products", "atp.inventory", "atp.check"] as const satisfies readonly Scope[];
const FULFILMENT = [
	...READ_ONLY,
	"atp.reserve",
	"atp.release",
	"atp.orders",
	"atp.shipments",
	"atp.shipments.combine",
	"atp.summary",
	"atp.receipts",
	"atp.webhooks",
] as const satisfies readonly Scope[];
const SELF_SHIP = [...FULFILMENT, "atp.consume"] as const satisfies readonly Scope[];

/** The usual sets of scopes, by name (settlements, section 3). */
export const PRESETS = { read_only: READ_ONLY, fulfilment: FULFILMENT, self_ship: SELF_SHIP } as const;
export type Preset = keyof typeof PRESETS;

/** Scopes added to presets later: a key minted before still counts as having its preset. */
const JOINED_LATER: ReadonlySet<Scope> = new Set(["atp.shipments.combine"]);

/** The preset with exactly these scopes, or null. */
export const presetOf = (scopes: ReadonlySet<Scope>): Preset | null =>
	(Object.keys(PRESETS) as Preset[]).find((name) => {
		const preset: ReadonlySet<Scope> = new Set(PRESETS[name]);
		return scopes.isSubsetOf(preset) && preset.difference(scopes).isSubsetOf(JOINED_LATER);
	}) ?? null;
