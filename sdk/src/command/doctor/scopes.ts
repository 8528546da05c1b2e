import { HoldfastError } from "../../client/errors.ts";
import type { Holdfast } from "../../client/holdfast.ts";
import type { Introspection } from "../../client/types.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** The scope that is needed to ask what a key may do. */
const INTROSPECT = "atp.introspect";
/**
 * For each other scope, a request that changes nothing: a read, or one that is refused. The scope is checked before the
 * body (guide: errors), so every answer but `forbidden` means that the key has it.
 */
const PROBES: Readonly<Record<string, (holdfast: Holdfast) => Promise<unknown>>> = {
	"atp.products": ({ raw }) => raw.products.list({ limit: 1 }),
	"atp.inventory": ({ raw }) => raw.inventory.get({ sku: "-" }),
	"atp.check": ({ raw }) => raw.check([]),
	"atp.reserve": ({ raw }) => raw.reserve({ items: [] }),
	"atp.release": ({ raw }) => raw.release("-"),
	"atp.consume": ({ raw }) => raw.consume({ token: "-", externalRef: "-" }),
	"atp.orders": ({ raw }) => raw.orders.list({ limit: 1 }),
	"atp.shipments": ({ raw }) => raw.shipments.list({ limit: 1 }),
	"atp.shipments.combine": ({ raw }) => raw.shipments.combine([]),
	"atp.summary": ({ raw }) => raw.inventory.summary({ limit: 1 }),
	"atp.receipts": ({ raw }) => raw.receipts.list({ limit: 1 }),
	"atp.reserve_cache": ({ raw }) => raw.prepaid.push({ brandCode: "", sequence: 0, asOf: "", items: [] }),
	"atp.webhooks": ({ raw }) => raw.webhookEndpoints.list(),
};
/** Without these a key cannot keep a mirror. */
const NEEDED = ["atp.products", "atp.inventory", "atp.check"];

export interface Scopes {
	readonly may: readonly string[];
	readonly mayNot: readonly string[];
	/** What the service says about the key; null: the key may not ask. */
	readonly key: Introspection | null;
}

/** What a key may and may not do. @throws HoldfastError if the service cannot be asked, or refuses the key */
export async function findScopes(holdfast: Holdfast, token: string): Promise<Scopes> {
	const key = (await answerOf(holdfast.keys.introspect(token))) ?? null;
	const [may, mayNot]: [string[], string[]] = [[], []];
	for (const [scope, probe] of Object.entries(PROBES)) {
		const has = key?.active ? key.scopes.some((one) => one === scope) : (await answerOf(probe(holdfast))) !== null;
		(has ? may : mayNot).push(scope);
	}
	(key === null ? mayNot : may).push(INTROSPECT);
	return { may, mayNot, key };
}

/** What the service answered, a refusal included; null: the key lacks the scope. */
async function answerOf<T>(asked: Promise<T>): Promise<T | null | undefined> {
	return await asked.catch((error: unknown) => {
		if (error instanceof HoldfastError && error.code === "forbidden") return null;
		const isRefusal = error instanceof HoldfastError && error.status >= 400 && error.status < 500;
		if (!isRefusal || error.status === 401 || error.status === 429) throw error;
		return undefined;
	});
}

export function judgeScopes(may: readonly string[], mayNot: readonly string[]): Finding {
	const says =
		mayNot.length === 0
			? "The key has every scope."
			: `The key has ${may.join(", ") || "no scope"}; it lacks ${mayNot.join(", ")}.`;
	const lacks = NEEDED.filter((scope) => mayNot.includes(scope));
	if (lacks.length === 0) return ok("scopes", says);
	const cure = `Ask the operator for a key that also has ${lacks.join(", ")}: the scopes of a key never change.`;
	return (lacks.length === NEEDED.length ? fail : warn)("scopes", says, cure);
}
