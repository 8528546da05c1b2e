import { describe, expect, it } from "vitest";
import { plainArray, plainOrNone, textArray, textOrNone } from "./array.ts";

describe("an array parameter", () => {
	it.each([
		["of plain values", plainArray(["a", 1, null]), "{a,1,NULL}"],
		["of nothing", plainArray([]), "{}"],
		[
			"of texts from anywhere",
			textArray(['a "quote"', "back\\slash", "NULL", "a,b", "{}", null]),
			'{"a \\"quote\\"","back\\\\slash","NULL","a,b","{}",NULL}',
		],
		["without any value is not sent", plainOrNone([null, null]), null],
		["with one value is sent whole", textOrNone([null, "x", null]), '{NULL,"x",NULL}'],
	])("%s", (_, sent, expected) => expect(sent).toBe(expected));
});
