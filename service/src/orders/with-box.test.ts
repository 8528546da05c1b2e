import { expect, it } from "vitest";
import { refuse } from "../lib/refusal.ts";
import { withBox } from "./with-box.ts";

const busy = refuse("rate_limited", "Another request holds what this one needs.");

it("a refusal of a box that is as it was stands, and nothing is tried again", async () => {
	const tried: string[] = [];
	const act = async (box: string) => {
		tried.push(box);
		return busy;
	};
	expect(await withBox(async () => "as it was", act)).toBe(busy);
	expect(tried).toEqual(["as it was"]);
});

it("a box that is packed differently each time is looked up a bounded number of times", async () => {
	let looks = 0;
	let tries = 0;
	const look = async () => `packed ${++looks} times`;
	const act = async () => {
		tries++;
		return busy;
	};
	expect(await withBox(look, act)).toBe(busy);
	expect(tries).toBe(4);
});

it("a refusal for another reason, and a box that there is not, are answered at once", async () => {
	const gone = refuse("not_found", "There is no such box.");
	const shipped = refuse("wrong_state", "It has left.");
	let looks = 0;
	expect(
		await withBox(
			async () => `look ${++looks}`,
			async () => shipped,
		),
	).toBe(shipped);
	expect(looks).toBe(1);
	const never = async () => expect.unreachable("there is no box");
	expect(await withBox(async () => gone, never)).toBe(gone);
});
