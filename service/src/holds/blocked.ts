import type { Catalog } from "../catalog/catalog.ts";
import type { Blocked } from "../engine/steps.ts";
import { plainArray } from "../pg/array.ts";
import type { Query } from "../pg/connect.ts";
import { selectBlockedHolds, selectBlockedKeys, selectBlockedLots, selectTokensOnLots } from "./blocked-sql.ts";
import type { Command } from "./commands.ts";
import { refKey } from "./hold-book.ts";
import { type LoadSettings, whatIsNeeded } from "./load.ts";
import { type Needs, needsOf } from "./needs.ts";
import { namedColumns, neededLotColumns } from "./sql.ts";

/** Rows that somebody else has locked, by the names under which commands need them. */
interface LockedRows {
	readonly fgIds: ReadonlySet<string>;
	/** Formula and pool of locked lots, as `shelfKey` writes them. */
	readonly shelves: ReadonlySet<string>;
	/** Holds that are locked, or whose units lie on locked lots. */
	readonly tokens: ReadonlySet<string>;
	/** The references of those holds, as `refKey` writes them. */
	readonly refs: ReadonlySet<string>;
	readonly keyIds: ReadonlySet<string>;
}

const shelfKey = (formulaId: string, poolId: number): string => `${formulaId}/${poolId}`;

/** Finds, without waiting, what the commands need and somebody else has locked. The answer judges later commands too. */
export async function findBlocked(
	tx: Query,
	settings: Pick<LoadSettings, "catalog">,
	commands: readonly Command[],
): Promise<Blocked<Command> | null> {
	const { needs } = await whatIsNeeded(tx, settings, commands);
	const [keys, lots, holds] = await Promise.all([
		selectBlockedKeys(tx, [plainArray([...needs.cappedKeys])]),
		selectBlockedLots(tx, neededLotColumns(needs)),
		selectBlockedHolds(tx, namedColumns(needs)),
	]);
	if (keys.length + lots.length + holds.length === 0) return null;
	const fgIds = lots.map(([fgId]) => fgId);
	const onLots = lots.length === 0 ? [] : await selectTokensOnLots(tx, [...namedColumns(needs), plainArray(fgIds)]);
	const refs = [
		...holds.flatMap(([, keyId, ...both]) => both.map((ref) => [keyId, ref] as const)),
		...onLots.map(([, keyId, ref]) => [keyId, ref] as const),
	];
	const locked: LockedRows = {
		fgIds: new Set(fgIds),
		shelves: new Set(lots.map(([, formulaId, poolId]) => shelfKey(formulaId, poolId))),
		tokens: new Set([...holds, ...onLots].map(([token]) => token)),
		refs: new Set(refs.flatMap(([keyId, ref]) => (ref === null ? [] : [refKey(keyId, ref)]))),
		keyIds: new Set(keys.map(([keyId]) => keyId)),
	};
	return (command) => meets(needsOfOne(command, settings.catalog.guess()), locked);
}

const known = new WeakMap<Command, { readonly catalog: Catalog; readonly needs: Needs }>();

/** A command may be asked about several locks, one after the other: its needs are worked out once. */
function needsOfOne(command: Command, catalog: Catalog): Needs {
	const before = known.get(command);
	if (before?.catalog === catalog) return before.needs;
	const needs = needsOf([command], catalog);
	known.set(command, { catalog, needs });
	return needs;
}

/** Does a command with these needs meet a locked row? Pure. */
function meets(needs: Needs, { fgIds, shelves, tokens, refs, keyIds }: LockedRows): boolean {
	const named = [...needs.activeRefs, ...needs.consumeRefs];
	return (
		[...needs.cappedKeys].some((keyId) => keyIds.has(keyId)) ||
		[...needs.fgIds].some((fgId) => fgIds.has(fgId)) ||
		needs.tokens.some(({ token }) => tokens.has(token)) ||
		named.some(({ keyId, ref }) => refs.has(refKey(keyId, ref))) ||
		needs.batches.some(({ formulaId, poolId }) => shelves.has(shelfKey(formulaId, poolId))) ||
		[...needs.shelves].some(([formulaId, pools]) => pools.some((poolId) => shelves.has(shelfKey(formulaId, poolId))))
	);
}

/** Tokens and references by which a command is repeated or continued. */
export function identitiesOf(command: Command): readonly string[] {
	switch (command.kind) {
		case "reserve":
			return command.externalRef === null ? [] : [refKey(command.caller.keyId, command.externalRef)];
		case "consume":
			return [command.token, refKey(command.caller.keyId, command.externalRef)];
		case "reverse":
			return [refKey(command.caller.keyId, command.externalRef)];
		case "release":
		case "expire":
			return [command.token];
		default:
			return []; // an operator's commands are each an effect of its own, in whatever order
	}
}
