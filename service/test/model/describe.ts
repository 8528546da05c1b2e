import type { Step } from "./steps.ts";

/** The text of a history for a failure, one line per step. */
export const describeHistory = (steps: readonly Step[]): string =>
	steps.map((of, at) => `  ${String(at).padStart(2)} ${describeStep(of)}`).join("\n");

function describeStep(of: Step): string {
	switch (of.do) {
		case "reserve": {
			const lines = of.lines.map(({ sku, qty, brand }) => `${qty} ${sku}${brand ? `@${brand}` : ""}`).join(" + ");
			return `${of.key} reserves ${lines} for ${of.ttl} min${of.ref ? ` as ${of.ref}` : ""}`;
		}
		case "release":
			return `${of.key} releases hold #${of.hold}`;
		case "consume":
			return `${of.key} consumes hold #${of.hold} as ${of.ref}`;
		case "reverse":
			return `${of.key} reverses ${of.ref}`;
		case "expire":
			return `the sweep looks at hold #${of.hold}`;
		case "receive": {
			const good = of.goodFor === null ? "never expires" : `good for ${of.goodFor} days`;
			return `${of.units} ${of.formula} arrive in ${of.pool}, batch ${of.batch}, ${good}`;
		}
		case "promise":
			return `${of.units} ${of.formula} of ${of.pool} are promised`;
		case "place":
			return `${of.key} orders hold #${of.hold} as ${of.ref} to ${of.city}`;
		case "cancel":
		case "pick":
		case "hold order":
		case "release order":
		case "label":
			return `${of.do} of order #${of.order}`;
		case "ship": {
			const what = of.items === null ? "all" : `${of.items.qty} ${of.items.sku}`;
			return `ship ${what} of orders ${of.orders.map((n) => `#${n}`).join(", ")}`;
		}
		case "void":
			return `void parcel #${of.parcel}`;
		case "combine":
			return `combine orders ${of.orders.map((n) => `#${n}`).join(", ")}`;
		case "wait":
			return `${of.minutes} minutes pass`;
		case "sleep":
			return `${of.days} days pass`;
		case "midnight":
			return "midnight strikes";
		default:
			return `${of.do} ${of.units} of lot #${of.lot}`;
	}
}
