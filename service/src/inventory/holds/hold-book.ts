import type { BookWithStock } from "../stock/book.ts";
import type { Hold, Part, PartState } from "./hold.ts";

/** A key and one of its references, as a map key. A key id has no slash. */
export const refKey = (keyId: string, ref: string): string => `${keyId}/${ref}`;

/** A book of lots and holds. */
export interface BookWithHolds extends BookWithStock {
	readonly holds: HoldBook;
}

/** The holds that a batch's commands name, locked like the lots. */
export class HoldBook {
	readonly byToken = new Map<string, Hold>();
	/** Holds whose row says active, by key and external_ref. */
	readonly activeByRef = new Map<string, Hold>();
	/** Holds consumed under a reference (also when reversed since), by key and that reference. */
	readonly consumedByRef = new Map<string, Hold>();
	/** What became of references that were only reserved under: `placed` if any hold was, else `reserved`. */
	readonly reservedRefs = new Map<string, "placed" | "reserved">();
	/** Units in active holds of capped keys, by key id. */
	readonly heldByKey = new Map<string, number>();
	/** Was a hold found by its reference, for a reserve to replay? */
	hasReplays = false;
	readonly newHolds = new Set<Hold>();
	readonly changedHolds = new Set<Hold>();
	/** Holds and orders of which units were picked again, or lost. */
	readonly repicked = new Set<Hold>();
	readonly newParts = new Map<Part, Hold>();
	/** Parts whose stored row must change, with the token and status of their hold. */
	readonly changedParts = new Map<Part, Pick<Hold, "reservationToken" | "status">>();
	/** Parts still bound on the batch's shelves although their hold, which the batch may not name, is past its end. */
	lapsed: readonly { readonly token: string; readonly part: Part }[] = [];
	/** What the rows of parts say that do not follow their hold. */
	readonly ownStates = new Map<Part, PartState>();

	addHold(hold: Hold): void {
		this.byToken.set(hold.reservationToken, hold);
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
			if (hold.status === "placed") this.reservedRefs.set(key, "placed"); // for a reverse in the same batch
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

	changePart(hold: Pick<Hold, "reservationToken" | "status">, part: Part): void {
		if (!this.newParts.has(part)) this.changedParts.set(part, hold);
	}
}
