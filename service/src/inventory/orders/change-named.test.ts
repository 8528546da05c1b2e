import { describe, expect, it } from "vitest";
import { refuse } from "../../ground/lib/refusal.ts";
import { withBox } from "./change-named.ts";

describe("A box that is looked up before it is changed", () => {
	it("is looked up a bounded number of times when it is packed differently each time", async () => {
		let looks = 0;
		const tried: number[] = [];
		const different = refuse("retry", "It was packed differently meanwhile.");
		const act = async (box: number) => {
			tried.push(box);
			return different;
		};
		expect(await withBox(async () => ++looks, act)).toBe(different);
		expect(tried).toEqual([1, 2, 3, 4]);
	});

	it("is first tried as it was just found, and looked up when it is packed differently", async () => {
		let looks = 0;
		const tried: string[] = [];
		const act = async (box: string) => {
			tried.push(box);
			return box === "found" ? refuse("retry", "It was packed differently meanwhile.") : "done";
		};
		expect(await withBox(async () => `looked up ${++looks}`, act, "found")).toBe("done");
		expect(tried).toEqual(["found", "looked up 1"]);
	});

	it("is left alone after another refusal, and when there is none", async () => {
		const gone = refuse("not_found", "There is no such box.");
		const shipped = refuse("wrong_state", "It has left.");
		let looks = 0;
		expect(
			await withBox(
				async () => ++looks,
				async () => shipped,
			),
		).toBe(shipped);
		expect(looks).toBe(1);
		const never = async () => expect.unreachable("there is no box");
		expect(await withBox(async () => gone, never)).toBe(gone);
	});
});
