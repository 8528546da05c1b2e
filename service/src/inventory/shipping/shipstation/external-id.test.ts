import { expect, it } from "vitest";
import { EXTERNAL_ID_CHARACTERS, externalIdOf, orderIdOf } from "./external-id.ts";

const A = "01890a5d-ac96-774b-bcce-b302099a8057";

it.for([1, 2, 9, 10, 999_999])(
	"an order of generation %i is known again by its external id, of which the platform keeps every character",
	(n) => {
		const id = externalIdOf(A, n);
		expect(orderIdOf(id)).toBe(A);
		expect(id.length).toBeLessThanOrEqual(EXTERNAL_ID_CHARACTERS);
	},
);

it("the first generation's is the order's own id", () => {
	expect(externalIdOf(A, 1)).toBe(A);
});
