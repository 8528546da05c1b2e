import type { Holdfast } from "../../client/holdfast.ts";
import { instant, plural } from "../terminal.ts";
import type { Tour } from "./tour.ts";

/** A SKU of the sandbox with more than enough stock. */
export const ITEMS = [{ sku: "SBX-PLENTY", qty: 1 }];
/** Minutes that each hold lasts, so that none outlives a killed program for long. */
export const TTL_MINUTES = 5;

/** A reference of the partner, such as a cart has. */
export const newReference = (): string => `init-${crypto.randomUUID()}`;

/** Holds that end in every way except as an order. */
export async function visitHolds(tour: Tour, holdfast: Holdfast): Promise<void> {
	const externalRef = newReference();
	const request = { items: ITEMS, externalRef, ttlMinutes: TTL_MINUTES };
	const hold = await tour.visit(
		"reserve",
		"Holds units before the customer is charged: all lines or none.",
		() => holdfast.reserve(request),
		({ expiresAt }) => `One SBX-PLENTY was yours until ${instant(expiresAt)}.`,
	);
	if (hold === undefined) {
		return tour.skip("Not tried: it needs a hold.", "holds.get", "holds.find", "release", "consume", "reverse");
	}
	const { token } = hold;
	try {
		await tour.visit(
			"holds.get",
			"Reads a hold back by its token.",
			() => holdfast.holds.get(token),
			({ status }) => `It was ${status}.`,
		);
		await tour.visit(
			"holds.find",
			"Finds the hold of a reference, for example after a crash. The same reserve again would give it, too.",
			() => holdfast.holds.find({ externalRef }),
			(found) => `It ${found.token === token ? "was that hold" : "was another one"}.`,
		);
		const released = await tour.visit(
			"release",
			"Ends a hold early, for example after a payment that failed: its units are free at once.",
			() => holdfast.release(token),
			() => "It was released.",
		);
		if (released !== undefined) await visitConsume(tour, holdfast);
	} finally {
		await endQuietly(tour, holdfast, token);
	}
}

async function visitConsume(tour: Tour, holdfast: Holdfast): Promise<void> {
	const externalRef = newReference();
	const { token } = await holdfast.reserve({ items: ITEMS, externalRef, ttlMinutes: TTL_MINUTES });
	try {
		const consumed = await tour.visit(
			"consume",
			"Takes a hold's units out of stock under your reference, if you ship them yourself.",
			() => holdfast.consume({ token, externalRef }),
			({ consumedUnits }) => `${plural(consumedUnits, "unit")} was taken.`,
		);
		if (consumed === undefined) return tour.skip("Not tried: it needs units that were consumed.", "reverse");
		await tour.visit(
			"reverse",
			"Gives back what was consumed under a reference and did not leave.",
			() => holdfast.reverse({ externalRef }),
			({ returnedUnits }) => `${plural(returnedUnits, "unit")} was given back.`,
		);
	} finally {
		await endQuietly(tour, holdfast, token);
	}
}

/** Releases a hold that may still be active, or says that it could not. */
async function endQuietly(tour: Tour, holdfast: Holdfast, token: string): Promise<void> {
	await tour.undo("release", async () => {
		const { status } = await holdfast.holds.get(token);
		if (status === "active") await holdfast.release(token);
	});
}
