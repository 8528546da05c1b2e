import { expect, it } from "vitest";
import { inOptionNames } from "./option-names.ts";

const OPTIONS = new Set(["--new-batch", "--brand", "--formula", "--batch", "--reason"]);

it.each([
	["With new_batch it is accepted.", "With --new-batch it is accepted."],
	["To create it anyway, set new_batch.", "To create it anyway, set --new-batch."],
	["/reason: is missing", "--reason: is missing"],
	["/batch_number: expected either batch_number or fg_id", "--batch: expected either --batch or id"],
	["Give the `fg_id` of one, or a `formula` and `brand_code`.", "Give the id of one, or a --formula and --brand."],
])("%s is told as %s", (message, told) => {
	expect(inOptionNames(message, OPTIONS)).toBe(told);
});

it.each([
	'There is no brand "new_batch", nor a formula.',
	"With other_carrier it ships without one: the command has no such option.",
	"Order 7 is awaiting_shipment.",
	"/lots/0/batch_number: is missing",
	"batch_number.csv, /srv/new_batch and new_batch.csv are files",
	"`npm run -s holdfast -- orders list` shows them.",
])("%s is told as it is", (message) => {
	expect(inOptionNames(message, OPTIONS)).toBe(message);
});
