import { expect, it } from "vitest";
import { createRows } from "../../../service/src/assembly/rows.ts";
import { FOLLOWING } from "./engine.ts";

it("the fake's engine follows a decision with the rows that the service's does, in its order", () => {
	const propagating = createRows({ handsOver: true }).flatMap(({ propagate }) => propagate ?? []);
	expect(FOLLOWING.map(({ propagate }) => propagate)).toEqual(propagating);
});
