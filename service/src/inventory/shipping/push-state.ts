export type PushState = "wanted" | "under_way" | "taken" | "address_refused" | "refused" | "withdrawn";

export interface LabelPush {
	readonly orderId: string;
	readonly generation: number;
	readonly state: PushState;
	readonly platformId: string | null;
}

/** The step needed before an order is cancelled in Holdfast. */
export type CancelStep = "free" | "withdraw" | "ask" | "wait";

/** `wait`: a push is in flight, and its result is unknown. */
export function cancelStep(push: LabelPush | null): CancelStep {
	if (push === null) return "free";
	if (push.state === "wanted") return "withdraw";
	if (push.state === "under_way") return "wait";
	return push.state === "taken" ? "ask" : "free";
}

/**
 * The step needed before orders are combined in Holdfast: `free` if the platform has none of them, `ask` if it has all.
 */
export function combineStep(pushes: readonly (LabelPush | null)[]): "free" | "ask" | "wait" {
	if (pushes.every((push) => push === null || push.state === "wanted")) return "free";
	return pushes.every((push) => push?.state === "taken") ? "ask" : "wait";
}
