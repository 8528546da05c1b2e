import { useLayoutEffect, useRef } from "react";
import { isTextField, setFieldText, type TextField, textOfField } from "./typed-field.ts";

/*
 * A barcode scanner is a keyboard: it types the code and Enter, wherever the focus is. What it types differs from what
 * a person types by its speed.
 */

/** Milliseconds from one key to the next, on average over a code: nobody types that fast. */
const MEAN_GAP_MS = 50;
/** Milliseconds after which a key begins another code. */
const LONGEST_GAP_MS = 300;
/** Characters of the shortest code in a text field, where people type. Elsewhere, a code may be of any length. */
const SHORTEST_IN_FIELD = 4;
/** Milliseconds for which a code waits while nothing on the screen can take it, such as while a page loads. */
const KEPT_MS = 10_000;

interface Typed {
	text: string;
	readonly beganAt: number;
	lastAt: number;
	/** Where the keys went, and what stood there before. Empty: no text field had the focus. */
	readonly fields: Map<TextField, string>;
	/** The field that has the focus. */
	field: TextField | null;
}

interface Reader {
	readonly where: "page" | "dialog";
	readonly read: (code: string) => unknown;
	isBusy: boolean;
	/** It is still handling the previous code. */
	isReading: boolean;
}

/** Returned by a reader that opens another page for a code: the next code is for that page. */
export const LEAVING = Symbol("leaving");

/** The last one gets the codes: a dialog's comes after its page's. */
const readers: Reader[] = [];
/** Codes that no reader could take yet, in the order of the scans. */
let waiting: { readonly code: string; readonly at: number }[] = [];
let typed: Typed | null = null;

// never removed while the console is open, so that no key is lost between two pages or dialogs
window.addEventListener("keydown", onKey, true);

/**
 * Calls `onScan` with each code that a scanner types. A scan into a text field stays there as ordinary text, unless the
 * field has the attribute `data-scan`: then it is taken out again and Enter sends no form. While a dialog is open, only
 * its own hook (`where`) is called. Codes are read one after the other: the next one waits for what `onScan` returns,
 * for a form that is being sent (`isBusy`), and for the page that is being opened.
 */
export function useScanner(
	onScan: (code: string) => unknown,
	where: Reader["where"] = "page",
	isBusy: boolean = false,
): void {
	const latest = useRef(onScan);
	const own = useRef<Reader | null>(null);
	useLayoutEffect(() => {
		latest.current = onScan;
	});
	useLayoutEffect(() => {
		const reader: Reader = { where, read: (code) => latest.current(code), isBusy: false, isReading: false };
		own.current = reader;
		readers.push(reader);
		queueMicrotask(handOver);
		return () => {
			readers.splice(readers.indexOf(reader), 1);
			queueMicrotask(handOver);
		};
	}, [where]);
	useLayoutEffect(() => {
		if (own.current === null) return;
		own.current.isBusy = isBusy;
		if (!isBusy) queueMicrotask(handOver);
	}, [isBusy]);
}

/** Hands what waits to the top reader, as far as it takes it. */
function handOver(): void {
	const now = performance.now();
	waiting = waiting.filter(({ at }) => now - at < KEPT_MS);
	const reader = readers.findLast(({ where }) => where === "dialog") ?? readers.at(-1);
	if (reader === undefined || reader.isBusy || reader.isReading) return;
	// a dialog that reads nothing
	const isCovered = reader.where === "page" && document.querySelector("dialog[open]") !== null;
	const next = waiting.shift();
	if (next === undefined || isCovered) return;
	reader.isReading = true;
	void Promise.resolve(reader.read(next.code)).then((answer) => {
		if (answer === LEAVING) return;
		reader.isReading = false;
		handOver();
	});
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
	const gap = was === null ? Number.POSITIVE_INFINITY : timeStamp - was.lastAt;
	// a dialog that closes moves the focus while a scanner types: the keys are still one code
	const isSame = was !== null && gap <= (was.field === field ? LONGEST_GAP_MS : MEAN_GAP_MS);
	if (!isSame) {
		return { text: key, beganAt: timeStamp, lastAt: timeStamp, fields: textOfField(field), field };
	}
	if (field !== null && !was.fields.has(field)) was.fields.set(field, field.value);
	// a space in a code must not press the button that has the focus, and a slash must not lead to the search
	if (readers.length > 0 && field === null && gap <= MEAN_GAP_MS && !(target instanceof HTMLSelectElement)) {
		event.preventDefault();
		event.stopPropagation();
	}
	was.text += key;
	was.lastAt = timeStamp;
	was.field = field;
	return was;
}

/** On Enter: hands over what a scanner typed before it, and keeps the key from pressing a button or sending a form. */
function endOf(was: Typed | null, event: KeyboardEvent): void {
	if (was === null || (was.field !== null && was.text.length < SHORTEST_IN_FIELD)) return;
	if (event.timeStamp - was.beganAt > MEAN_GAP_MS * was.text.length) return;
	if (was.field !== null && (was.field.dataset.scan === undefined || readers.length === 0)) return;
	event.preventDefault();
	event.stopPropagation();
	for (const [field, before] of was.fields) if (field.dataset.scan !== undefined) setFieldText(field, before);
	waiting.push({ code: was.text.trim(), at: performance.now() });
	handOver();
}
