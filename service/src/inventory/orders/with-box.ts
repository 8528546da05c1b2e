import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";

/** Times that a box which is packed differently under a verb's hands is looked up. */
const MAX_LOOKS = 4;

/**
 * Looks a box up and does something with it; again, when the engine found it packed differently meanwhile and nothing
 * was done.
 */
export async function withBox<B, A>(look: () => Promise<B | Refusal>, act: (box: B) => Promise<A | Refusal>) {
	for (let looks = 1; ; looks++) {
		const box = await look();
		if (isRefusal(box)) return box;
		const answer = await act(box);
		if (!isRefusal(answer) || answer.refusal !== "retry" || looks === MAX_LOOKS) return answer;
	}
}
