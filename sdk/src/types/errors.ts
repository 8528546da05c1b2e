import type { Pair } from "./pair.ts";

/** Mistakes with errors, and with enumerated values that the service may extend. */
export const ERRORS: readonly Pair[] = [
	{
		mistake: "a code is misspelt",
		error: 2367,
		wrong: 'export const soldOut = error instanceof HoldfastError && error.code === "no_inventroy";',
		right: 'export const soldOut = error instanceof HoldfastError && error.code === "no_inventory";',
	},
	{
		mistake: "a switch over codes has no default for later ones",
		error: 2366,
		wrong: `export function isOver(code: "gone" | "reservation_gone" | Extract<Code, \`unknown \${string}\`>): boolean {
	switch (code) {
		case "gone":
		case "reservation_gone":
			return true;
	}
}`,
		right: `export function isOver(code: "gone" | "reservation_gone" | Extract<Code, \`unknown \${string}\`>): boolean {
	switch (code) {
		case "gone":
		case "reservation_gone":
			return true;
		default:
			return false;
	}
}`,
	},
	{
		mistake: "a case of a switch over codes is misspelt",
		error: 2678,
		wrong: `export function mayRepeat(error: HoldfastError): boolean {
	switch (error.code) {
		case "retry_later":
			return true;
		default:
			return false;
	}
}`,
		right: `export function mayRepeat(error: HoldfastError): boolean {
	switch (error.code) {
		case "retry":
			return true;
		default:
			return false;
	}
}`,
	},
	{
		mistake: "a code is made up",
		error: 2322,
		wrong: 'export const code: Code = "sold_out";',
		right: 'export const code: Code = "no_inventory";',
	},
	{
		mistake: "whatever was thrown is taken for an error of the service",
		error: 18046,
		wrong: "export const code = error.code;",
		right: "export const code = error instanceof HoldfastError ? error.code : undefined;",
	},
	{
		mistake: "every error is asked how long to wait",
		error: 2339,
		wrong: "export const wait = error instanceof HoldfastError ? error.retryAfterMs : 0;",
		right: "export const wait = error instanceof RateLimited ? error.retryAfterMs : 0;",
	},
	{
		mistake: "every error is asked what may have been done",
		error: 2339,
		wrong: "export const ask = error instanceof HoldfastError ? error.reference : null;",
		right: "export const ask = error instanceof OutcomeUnknown ? error.reference : null;",
	},
	{
		mistake: "an error is matched by its status as a text",
		error: 2367,
		wrong: 'export const isOut = error instanceof HoldfastError && error.status === "401";',
		right: "export const isOut = error instanceof Unauthorized;",
	},
	{
		mistake: "the status of an order is misspelt",
		error: 2367,
		wrong: 'export const hasLeft = (order: Order): boolean => order.status === "shiped";',
		right: 'export const hasLeft = (order: Order): boolean => order.status === "shipped";',
	},
	{
		mistake: "a switch over an order's status has no default for later ones",
		error: 2366,
		wrong: `export function text({ status }: Order): string {
	switch (status) {
		case "placed": case "picked": case "partially_shipped": case "shipped": case "held": case "cancelled":
			return status;
	}
}`,
		right: `export function text({ status }: Order): string {
	switch (status) {
		case "placed": case "picked": case "partially_shipped": case "shipped": case "held": case "cancelled":
			return status;
		default:
			return "being processed";
	}
}`,
	},
	{
		mistake: "a verdict of a go-live run is misspelt",
		error: 2367,
		wrong: 'export const bad = (run: GoLive): boolean => run.checks.some(({ verdict }) => verdict === "fail");',
		right: 'export const bad = (run: GoLive): boolean => run.checks.some(({ verdict }) => verdict === "failed");',
	},
	{
		mistake: "the data of a webhook are read before its type",
		error: 2339,
		wrong: "export const number = event.data.shipment;",
		right: 'export const number = event.type === "order.shipped" ? event.data.shipment : undefined;',
	},
	{
		mistake: "the type of a webhook is misspelt",
		error: 2367,
		wrong: 'export const hasLeft = event.type === "order.shiped";',
		right: 'export const hasLeft = event.type === "order.shipped";',
	},
	{
		mistake: "a webhook is verified without a secret",
		error: 2554,
		wrong: "export const read = async (request: Request) => verifyWebhook(request);",
		right: 'export const read = async (request: Request) => verifyWebhook(request, "whsec_…");',
	},
	{
		mistake: "a webhook is handled without remembering which were handled",
		error: 2554,
		wrong: "export const handle = once();",
		right: "export const handle = once(memorySeen());",
	},
];
