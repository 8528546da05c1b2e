import type { BookWithStock } from "../stock/book.ts";
import type { Hold, Part, PartState } from "./hold.ts";

/** A map key for a key's reference. Key ids contain no slash. */
export const refKey = (keyId: string, ref: string): string => `${keyId}/${ref}`;

export interface BookWithHolds extends BookWithStock {
	readonly holds: HoldBook;
}

/** The holds named by a batch's commands, locked like the lots. */
export class HoldBook {
	readonly byToken = new Map<string, Hold>();
	/** Holds stored as active, by key and external_ref. */
	readonly activeByRef = new Map<string, Hold>();
	/** Holds consumed under a reference, even if reversed since, by key and reference. */
	readonly consumedByRef = new Map<string, Hold>();
	/** References used by a reserve, by key and reference; `placed` if any of their holds was. */
	readonly usedRefs = new Map<string, "placed" | "reserved">();
	/** Units in active holds of capped keys, by key id. */
	readonly heldByKey = new Map<string, number>();
	/** Whether a hold was found by its reference, for a reserve to replay. */
	hasReplays = false;
	readonly newHolds = new Set<Hold>();
	readonly changedHolds = new Set<Hold>();
	/** Holds and orders whose units were picked again or lost. */
	readonly repicked = new Set<Hold>();
	/** Those of `repicked` that lost units in a command and did not get replacements for all of them. */
	readonly lessened = new Set<Hold>();
	readonly newParts = new Map<Part, Hold>();
	/** Parts whose stored row must change, with the token and status of their hold. */
	readonly changedParts = new Map<Part, Pick<Hold, "reservationToken" | "status">>();
	/** Parts on the batch's shelves still bound to a lapsed hold, whether or not the batch names that hold. */
	lapsed: readonly { readonly token: string; readonly part: Part }[] = [];
	/** The stored states of parts that do not follow their hold. */
	readonly ownStates = new Map<Part, PartState>();

	addHold(hold: Hold): void {
		this.byToken.set(hold.reservationToken, hold);
		if (hold.externalRef !== null) {
			const key = refKey(hold.keyId, hold.externalRef);
			if (hold.status === "active") this.activeByRef.set(key, hold);
			if (!this.usedRefs.has(key)) this.usedRefs.set(key, "reserved"); // for a reverse in the same batch
		}
		if (hold.consumeRef !== null) this.consumedByRef.set(refKey(hold.keyId, hold.consumeRef), hold);
	}

	changeHold(hold: Hold): void {
		if (!this.newHolds.has(hold)) this.changedHolds.add(hold);
		if (hold.status !== "active" && hold.externalRef !== null) {
			const key = refKey(hold.keyId, hold.externalRef);
			if (this.activeByRef.get(key) === hold) this.activeByRef.delete(key);
			if (hold.status === "placed") this.usedRefs.set(key, "placed"); // for a reverse in the same batch
		}
	}

	/** Updates a capped key's total. `units` may be negative. */
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
