import type { LabelBox, PlatformBox } from "../../src/inventory/shipping/label-platform.ts";
import type { BoxChange, BoxWish, OrdersSide } from "../../src/inventory/shipping/orders-side.ts";

/**
 * The orders' side for tests, as a table in memory: the boxes to push, and the changes that were applied. Like the real
 * orders' side, it applies a change once and answers `already` afterwards.
 */
export class Ledger implements OrdersSide {
	readonly boxes = new Map<string, LabelBox>();
	/** By the platform's id. */
	readonly carried = new Map<string, PlatformBox>();
	/** By the order's id. */
	readonly notAccepted = new Map<string, string>();
	readonly #seen = new Set<string>();
	/** How often each change was applied: never more than once. */
	readonly taken: string[] = [];
	/** Called before and after a change is applied; it may throw, to simulate that the service ends there. */
	trouble: (when: "before" | "after") => void = () => undefined;

	add(box: LabelBox): string {
		const [{ orderId }] = box.orders;
		this.boxes.set(orderId, box);
		return orderId;
	}

	wishOf(): Promise<BoxWish> {
		return Promise.resolve("go");
	}

	readBox(orderId: string): Promise<LabelBox | null> {
		return Promise.resolve(this.boxes.get(orderId) ?? null);
	}

	async applyChange(change: BoxChange): Promise<"applied" | "already"> {
		this.trouble("before");
		if (this.#seen.has(change.changeId)) return "already";
		if (change.kind === "box") this.carried.set(change.box.platformId, change.box);
		else for (const id of change.orderIds) this.notAccepted.set(id, change.reason);
		this.#seen.add(change.changeId);
		this.taken.push(change.changeId);
		this.trouble("after");
		return "applied";
	}
}
