/** Milliseconds for which a person counts as present after an act, and between two requests that report acts. */
const MINUTE_MS = 60_000;
/** Events that only a person causes; `scroll` is not one, because a page may scroll by itself. */
const ACTS = ["pointerdown", "pointermove", "keydown", "touchstart", "touchmove", "wheel"] as const;

/** When a person last did something here; at first, when somebody opened the page. */
let actedAt = performance.now();

/** Whether a person is at this page. If so, its reads count as use of the session, which ends when it is not used. */
export const isAttended = (): boolean => performance.now() - actedAt < MINUTE_MS;

/**
 * Notes what a person does. `tell` is called then, at most once a minute: somebody who reads, scrolls or types uses the
 * session too, even if the page asks the service for nothing. Returns a function that stops it.
 */
export function followPresence(tell: () => void): () => void {
	let toldAt = performance.now();
	const onAct = (event: Event): void => {
		if (isOfPage(event)) return;
		actedAt = performance.now();
		if (actedAt - toldAt < MINUTE_MS) return;
		toldAt = actedAt;
		tell();
	};
	const options = { capture: true, passive: true };
	for (const act of ACTS) window.addEventListener(act, onAct, options);
	return () => {
		for (const act of ACTS) window.removeEventListener(act, onAct, options);
	};
}

/** A browser reports that the pointer moved when the page moves below it. */
const isOfPage = (event: Event): boolean =>
	event instanceof PointerEvent && event.type === "pointermove" && event.movementX === 0 && event.movementY === 0;
