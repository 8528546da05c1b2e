import { useEffect, useRef } from "react";

/*
 * A barcode scanner is a keyboard: it types the code and Enter, wherever the focus is. What it types is told from what
 * a person types by its speed.
 */

/** Milliseconds from one key to the next, on average over a code: nobody types that fast. */
const MEAN_GAP_MS = 50;
/** Milliseconds after which a key begins another code. */
const LONGEST_GAP_MS = 300;
/** Characters of the shortest code. */
const SHORTEST = 4;
const NO_TEXT = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);

type TextField = HTMLInputElement | HTMLTextAreaElement;

interface Typed {
	text: string;
	readonly beganAt: number;
	lastAt: number;
	/** Null: no text field had the focus. */
	readonly field: TextField | null;
	/** What stood in the field. */
	readonly before: string;
}

interface Reader {
	readonly where: "page" | "dialog";
	readonly read: (code: string) => void;
}

/** The last one reads. */
const readers: Reader[] = [];
let typed: Typed | null = null;

/**
 * Calls `onScan` with each code that a scanner types. A scan into a text field stays there as ordinary text, unless the
 * field has the attribute `data-scan`: then it is taken out again and Enter sends no form. While a dialog is open, only
 * its own hook (`where`) is called.
 */
export function useScanner(onScan: (code: string) => void, where: Reader["where"] = "page"): void {
	const latest = useRef(onScan);
	useEffect(() => {
		latest.current = onScan;
	});
	useEffect(() => {
		const reader: Reader = { where, read: (code) => latest.current(code) };
		if (readers.length === 0) document.addEventListener("keydown", onKey, true);
		readers.push(reader);
		return () => {
			readers.splice(readers.indexOf(reader), 1);
			if (readers.length === 0) document.removeEventListener("keydown", onKey, true);
		};
	}, [where]);
}

function onKey(event: KeyboardEvent): void {
	const { key, isComposing, repeat, ctrlKey, altKey, metaKey } = event;
	if (key === "Shift") return;
	const was = typed;
	typed = null;
	if (isComposing || repeat || ctrlKey || altKey || metaKey) return;
	if (key === "Enter") endOf(was, event);
	else if (key.length === 1) typed = next(was, event);
}

function next(was: Typed | null, event: KeyboardEvent): Typed {
	const { key, timeStamp, target } = event;
	const field = isTextField(target) ? target : null;
	const gap = was === null || was.field !== field ? Number.POSITIVE_INFINITY : timeStamp - was.lastAt;
	if (was === null || gap > LONGEST_GAP_MS) {
		return { text: key, beganAt: timeStamp, lastAt: timeStamp, field, before: field?.value ?? "" };
	}
	// a space of a code must not press the button that has the focus
	if (field === null && gap <= MEAN_GAP_MS && !(target instanceof HTMLSelectElement)) event.preventDefault();
	was.text += key;
	was.lastAt = timeStamp;
	return was;
}

const isTextField = (target: EventTarget | null): target is TextField =>
	target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !NO_TEXT.has(target.type));

/** Enter: if a scanner typed what came before it, hands it over, and presses no button and sends no form. */
function endOf(was: Typed | null, event: KeyboardEvent): void {
	if (was === null || was.text.length < SHORTEST) return;
	if (event.timeStamp - was.beganAt > MEAN_GAP_MS * was.text.length) return;
	if (was.field !== null && was.field.dataset.scan === undefined) return;
	event.preventDefault();
	if (was.field !== null) was.field.value = was.before;
	const reader = readers.at(-1);
	const isCovered = reader?.where === "page" && document.querySelector("dialog[open]") !== null;
	if (!isCovered) reader?.read(was.text.trim());
}
