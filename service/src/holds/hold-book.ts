import { Book } from "../stock/book.ts";
import type { Shelves } from "../stock/shelves.ts";
import type { Hold, Part, PartState } from "./hold.ts";

/** A key and one of its references, as a map key. A key id has no slash. */
export const refKey = (keyId: string, ref: string): string => `${keyId}/${ref}`;

/** What was locked for a book. */
export interface Locked {
	readonly shelves: Shelves;
	readonly fgIds: ReadonlySet<string>;
}

/** A book with the holds that the batch's commands name, locked like the lots. */
export class HoldBook extends Book {
	/** Whole shelves and single lots. */
	locked: Locked = { shelves: new Map(), fgIds: new Set() };
	readonly holds = new Map<string, Hold>();
	/** Holds whose row says active, by key and external_ref. */
	readonly activeByRef = new Map<string, Hold>();
	/** Holds consumed under a reference (also when reversed since), by key and that reference. */
	readonly consumedByRef = new Map<string, Hold>();
	/** What became of references that were only reserved under: `placed` if any hold was, else `reserved`. */
	readonly reservedRefs = new Map<string, "placed" | "reserved">();
	/** Where a reserve found too few units. */
	readonly shortShelves: Shelves = new Map();
	/** Units in active holds of capped keys, by key id. */
	readonly heldByKey = new Map<string, number>();
	readonly newHolds = new Set<Hold>();
	readonly changedHolds = new Set<Hold>();
	readonly newParts = new Map<Part, Hold>();
	/** Parts that got a state of their own, or other units, with what of their hold the rows go by. */
	readonly changedParts = new Map<Part, Pick<Hold, "token" | "status">>();
	/** What the rows of parts say that do not follow their hold. */
	readonly ownStates = new Map<Part, PartState>();

	addHold(hold: Hold): void {
		this.holds.set(hold.token, hold);
		if (hold.externalRef !== null) {
			const key = refKey(hold.keyId, hold.externalRef);
			if (hold.status === "active") this.activeByRef.set(key, hold);
			if (!this.reservedRefs.has(key)) this.reservedRefs.set(key, "reserved"); // for a reverse in the same batch
		}
		if (hold.consumeRef !== null) this.consumedByRef.set(refKey(hold.keyId, hold.consumeRef), hold);
	}

	changeHold(hold: Hold): void {
		if (!this.newHolds.has(hold)) this.changedHolds.add(hold);
		if (hold.status !== "active" && hold.externalRef !== null) {
			const key = refKey(hold.keyId, hold.externalRef);
			if (this.activeByRef.get(key) === hold) this.activeByRef.delete(key);
		}
	}

	/** Keeps the capped key's total in step. `units` may be negative. */
	noteHeld(keyId: string, units: number): void {
		const held = this.heldByKey.get(keyId);
		if (held !== undefined) this.heldByKey.set(keyId, held + units);
	}

	addPart(hold: Hold, part: Part): void {
		hold.parts.push(part);
		this.newParts.set(part, hold);
	}

	changePart(hold: Pick<Hold, "token" | "status">, part: Part): void {
		if (!this.newParts.has(part)) this.changedParts.set(part, hold);
	}
}
