import { HoldfastError } from "../../client/errors.ts";
import type { Holdfast } from "../../client/holdfast.ts";
import type { GoLive } from "../../client/types.ts";
import { plural } from "../terminal.ts";
import { publicHalf } from "../token.ts";
import type { Tour } from "./tour.ts";
import { orNull } from "./visit-counts.ts";
import { ITEMS, TTL_MINUTES } from "./visit-holds.ts";

/** The go-live run of the key, if it has one. */
export async function visitGoLive(tour: Tour, holdfast: Holdfast): Promise<GoLive | null> {
	const run = await tour.visit(
		"sandbox.golive",
		"Your go-live run, which grades what your site does before you get a production key.",
		() => holdfast.sandbox.golive().catch(orNull),
		(found) =>
			found === null
				? "There is none yet: the operator starts it when you are ready."
				: `Run ${found.number} is ${found.state}: ${found.line}.`,
	);
	return run ?? null;
}

/** What only the sandbox has. */
export async function visitSandbox(tour: Tour, holdfast: Holdfast): Promise<void> {
	const hold = await holdfast.reserve({ items: ITEMS, ttlMinutes: TTL_MINUTES }).catch((error: unknown) => {
		if (error instanceof HoldfastError && error.code === "forbidden") return null;
		throw error;
	});
	if (hold === null) tour.skip("Not tried: it needs a hold or an order.", "sandbox.advance");
	else {
		await tour.visit(
			"sandbox.advance",
			"Moves an order to its next state, or ends a hold, without waiting for the warehouse or for time.",
			() => holdfast.sandbox.advance({ token: hold.token, to: "expired" }),
			({ status }) => `A hold is ${status}, and its unit is free.`,
		);
	}
	await tour.visit(
		"sandbox.restock",
		"Sets the free units of every test SKU back to their first number.",
		() => holdfast.sandbox.restock(),
		({ receivedUnits, removedUnits }) => `${receivedUnits} came in and ${removedUnits} went out.`,
	);
	await tour.visit(
		"sandbox.shown",
		"Tells a go-live run what your site shows, if it has no status address.",
		() => holdfast.sandbox.shown([]).catch(orNull),
		(kept) => (kept === null ? "There is no run that would take it." : "The run was told that the site shows nothing."),
	);
}

/** The operations about the key itself. */
export async function visitKey(tour: Tour, holdfast: Holdfast, token: string): Promise<void> {
	await tour.visit(
		"keys.introspect",
		"Which key a token of yours is, and what it may do.",
		() => holdfast.keys.introspect(token),
		(key) =>
			key.active
				? `${publicHalf(token)} is "${key.name}", with ${plural(key.scopes.length, "scope")}.`
				: "It is not in force.",
	);
	await tour.visit(
		"prepaid.push",
		"Replaces your brand's list of prepaid units, which informs and changes no count.",
		// never above a sequence that was pushed before, so that it replaces nothing
		() => holdfast.prepaid.push({ brandCode: "SANDBOX", sequence: 0, asOf: new Date(), items: [] }),
		({ applied }) => (applied ? "An empty one was stored." : "The one that was there was kept."),
	);
	await tour.visit(
		"sandbox.requests",
		'What your key sent, and why it was refused: "holdfast-partner requests tail" follows it.',
		() => holdfast.raw.sandbox.requests({ limit: 1 }),
		({ data }) =>
			data.items[0] === undefined ? "Nothing is listed yet." : `The last one was ${data.items[0].operation}.`,
	);
}
