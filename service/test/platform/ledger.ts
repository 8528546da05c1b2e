import type { LabelBox, PlatformBox } from "../../src/inventory/shipping/label-platform.ts";
import type { BoxChange, BoxWish, OrdersSide } from "../../src/inventory/shipping/orders-side.ts";

/**
 * The orders' side for tests: which boxes are to be handed over, and what was carried over, as a table in memory. Like
 * the orders, it takes a change once and answers `already` afterwards.
 */
export class Ledger implements OrdersSide {
	readonly boxes = new Map<string, LabelBox>();
	/** By the platform's id. */
	readonly carried = new Map<string, PlatformBox>();
	/** By the order's id. */
	readonly notAccepted = new Map<string, string>();
	readonly #seen = new Set<string>();
	/** How often the same change was taken: never more than once each. */
	readonly taken: string[] = [];
	/** Called before and after a change is taken; throws, as a service that ends there. */
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
