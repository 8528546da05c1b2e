/** How far the platform was told of an order. */
export type PushState = "wanted" | "under_way" | "taken" | "address_refused" | "refused" | "withdrawn";

/** What the service knows of an order's push; null: it was never to be handed over. */
export interface LabelPush {
	readonly orderId: string;
	readonly generation: number;
	readonly state: PushState;
	readonly platformId: string | null;
}

/** What must be done before an order is cancelled here. */
export type CancelStep = "free" | "withdraw" | "ask" | "wait";

/** `wait`: a push is under way, and nobody knows yet whether it arrived. */
export function cancelStep(push: LabelPush | null): CancelStep {
	if (push === null) return "free";
	if (push.state === "wanted") return "withdraw";
	if (push.state === "under_way") return "wait";
	return push.state === "taken" ? "ask" : "free";
}

/**
 * What must be done before orders are combined here: nothing, when the platform knows none of them; ask it, when it has
 * taken all of them.
 */
export function combineStep(pushes: readonly (LabelPush | null)[]): "free" | "ask" | "wait" {
	if (pushes.every((push) => push === null || push.state === "wanted")) return "free";
	return pushes.every((push) => push?.state === "taken") ? "ask" : "wait";
}
