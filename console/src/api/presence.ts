/** Milliseconds after an act for which a person counts as present, and between two requests that tell of acts. */
const MINUTE_MS = 60_000;
/** What only a person does; a scroll is none, because a page may scroll by itself. */
const ACTS = ["pointerdown", "pointermove", "keydown", "touchstart", "touchmove", "wheel"] as const;

/** When a person last did something here. Somebody opened the page. */
let actedAt = performance.now();

/** Is a person at this page? What it reads meanwhile keeps the session from ending for want of use. */
export const isAttended = (): boolean => performance.now() - actedAt < MINUTE_MS;

/**
 * Notes what a person does. `tell` is called then, at most once a minute: somebody who reads, scrolls or types uses the
 * session too, even if the page asks the service for nothing. Returns how to stop.
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
