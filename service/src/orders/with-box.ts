import { isRefusal, type Refusal } from "../lib/refusal.ts";

/** Times that a box which is packed differently under a verb's hands is looked up. */
const MAX_LOOKS = 4;

/**
 * Looks a box up and does something with it; again, when it has been packed differently meanwhile. The engine answers that as it does a
 * lock that lasts, so it is seen from the box itself: of one that is as it was, the refusal stands.
 */
export async function withBox<B, A>(look: () => Promise<B | Refusal>, act: (box: B) => Promise<A | Refusal>) {
	let box = await look();
	for (let looks = 1; ; looks++) {
		if (isRefusal(box)) return box;
		const answer = await act(box);
		if (!isRefusal(answer) || !AGAIN.includes(answer.refusal) || looks === MAX_LOOKS) return answer;
		const now = await look();
		if (JSON.stringify(now) === JSON.stringify(box)) return answer;
		box = now;
	}
}

const AGAIN: readonly string[] = ["retry", "rate_limited"];
