import { drawsOf, isUnknownBrand } from "../catalog/brand.ts";
import { type Catalog, visibleSku } from "../catalog/catalog.ts";
import { must } from "../lib/assert.ts";
import { isRefusal } from "../lib/refusal.ts";
import { addShelvesOfSku, type Shelves } from "../stock/shelves.ts";
import type { Command, Reserve } from "./commands.ts";

export interface KeyRef {
	readonly keyId: string;
	readonly ref: string;
}

/** A hold named by its token. `keyId`: whose it must be, so that another key's hold is not even looked at; null: anybody's. */
export interface NamedToken {
	readonly token: string;
	readonly keyId: string | null;
}

/** What a batch must lock and read before it can be decided. */
export interface Needs {
	/** Every lot with units in it on these shelves, and what is promised there. */
	readonly shelves: Shelves;
	/** These lots, and the same batch of a shelf if it exists. */
	readonly fgIds: Set<string>;
	readonly batches: { readonly formulaId: string; readonly poolId: number; readonly batchNumber: string }[];
	/** Every lot of the formulas that these are of: units of them that holds have are picked again. */
	readonly takenOut: Set<string>;
	readonly tokens: NamedToken[];
	/** Active holds by external_ref. */
	readonly activeRefs: KeyRef[];
	/** Holds by the reference they were consumed under. */
	readonly consumeRefs: KeyRef[];
	/** Whether anything was reserved under these references. */
	readonly reservedRefs: KeyRef[];
	/** Keys with a cap on held units. */
	readonly cappedKeys: Set<string>;
}

export function needsOf(commands: readonly Command[], catalog: Catalog): Needs {
	const needs: Needs = {
		shelves: new Map(),
		fgIds: new Set(),
		batches: [],
		takenOut: new Set(),
		tokens: [],
		activeRefs: [],
		consumeRefs: [],
		reservedRefs: [],
		cappedKeys: new Set(),
	};
	for (const command of commands) addNeeds(needs, command, catalog);
	return needs;
}

function addNeeds(needs: Needs, command: Command, catalog: Catalog): void {
	switch (command.kind) {
		case "reserve":
			addReserveNeeds(needs, command, catalog);
			return;
		case "consume":
			needs.tokens.push({ token: command.token, keyId: command.caller.keyId });
			needs.consumeRefs.push({ keyId: command.caller.keyId, ref: command.externalRef });
			return;
		case "release":
			needs.tokens.push({ token: command.token, keyId: command.caller.keyId });
			return;
		case "expire":
			needs.tokens.push({ token: command.token, keyId: null });
			return;
		case "reverse": {
			const keyRef = { keyId: command.caller.keyId, ref: command.externalRef };
			needs.consumeRefs.push(keyRef);
			needs.reservedRefs.push(keyRef);
			return;
		}
		case "receive":
			needs.batches.push(command);
			return;
		case "correct":
		case "restore":
			needs.fgIds.add(command.fgId);
			return;
		case "quarantine":
		case "destroy":
			needs.fgIds.add(command.fgId);
			for (const token of command.holders) {
				needs.takenOut.add(command.fgId);
				needs.tokens.push({ token, keyId: null });
			}
			return;
	}
}

function addReserveNeeds(needs: Needs, { caller, lines, externalRef }: Reserve, catalog: Catalog): void {
	const named = lines.map(({ brandCode }) => brandCode);
	const draws = drawsOf(caller, named, catalog);
	if (isRefusal(draws)) return; // and so will the decision be
	for (const [index, { sku }] of lines.entries()) {
		const draw = must(draws[index], "draw of a line");
		const found = visibleSku(catalog, sku, caller.environment);
		if (found && !isUnknownBrand(draw)) addShelvesOfSku(needs.shelves, found, draw.pools);
	}
	if (externalRef !== null) needs.activeRefs.push({ keyId: caller.keyId, ref: externalRef });
	if (caller.maxHeldUnits !== null) needs.cappedKeys.add(caller.keyId);
}
