import type { QueryClient } from "@tanstack/react-query";
import { ADDRESSES, type Operations } from "../../../openapi/__generated__/operations.ts";

/** The reads that a change of each topic makes stale. */
const READS: { readonly [topic: string]: readonly (keyof Operations)[] } = {
	holds: ["list_holds", "get_hold"],
	orders: [
		"list_orders",
		"get_order",
		"list_queue",
		"list_boxes",
		"get_box",
		"list_combinable",
		"list_events",
		"get_recall",
	],
	boxes: ["list_boxes", "get_box", "list_queue", "list_combinable", "get_order"],
	lots: ["list_lots", "get_lot", "list_lot_moves", "list_moves", "list_certificates", "get_certificate"],
	exceptions: ["list_exceptions", "list_demand", "get_demand", "list_stores"],
	deliveries: ["list_deliveries", "list_endpoints", "get_endpoint"],
	runs: ["list_runs", "get_run", "list_recalls", "get_recall"],
	traffic: ["list_requests", "list_request_errors"],
};
/** Milliseconds for which changes are gathered before anything is read again. */
const GATHER_MS = 500;
/** Milliseconds until a stream that was refused is opened again. */
const OPEN_AGAIN_MS = 3_000;
/** Reading again may take at most this share of the time, so that consoles cost a busy service little. */
const LARGEST_SHARE = 1 / 20;

/**
 * Follows the stream of changes while the page is visible, and reads again what it shows of the changed objects. A
 * browser opens six connections to a service that it reaches by HTTP/1.1: with a stream for each hidden tab, the
 * seventh tab could not load. Returns a function that stops it.
 */
export function followChanges(client: QueryClient, onState: (isConnected: boolean) => void): () => void {
	const stale = new Set<string>(["get_overview"]);
	let timer: ReturnType<typeof setTimeout> | null = null;
	let notBefore = 0;
	const readAgain = async (): Promise<void> => {
		const began = performance.now();
		const reads = [...stale].map((read) => client.invalidateQueries({ queryKey: [read] }));
		stale.clear();
		stale.add("get_overview");
		await Promise.allSettled(reads);
		notBefore = performance.now() + (performance.now() - began) / LARGEST_SHARE;
		timer = null;
		if (stale.size > 1) plan();
	};
	const plan = (): void => {
		timer ??= setTimeout(() => void readAgain(), Math.max(GATHER_MS, notBefore - performance.now()));
	};
	const note = (topic: string): void => {
		for (const read of READS[topic] ?? []) stale.add(read);
		plan();
	};
	const onEvent = ({ data }: MessageEvent<string>): void => note((JSON.parse(data) as { topic: string }).topic);
	let opening: ReturnType<typeof setTimeout> | null = null;
	/** `isAgain`: an earlier stream broke off, and what has changed since is not known. */
	const open = (isAgain: boolean): EventSource => {
		const opened = new EventSource(ADDRESSES.get_live.split(" ")[1] ?? "");
		let mayHaveMissed = isAgain;
		opened.addEventListener("message", onEvent);
		opened.addEventListener("reload", onEvent);
		opened.addEventListener("open", () => {
			onState(true);
			if (mayHaveMissed) for (const topic of Object.keys(READS)) note(topic);
			mayHaveMissed = false; // from here on, the browser reconnects by itself at the last event
		});
		opened.addEventListener("error", () => {
			onState(false);
			// a browser does not reopen a stream that was refused, for instance because the session has ended
			if (opened.readyState !== EventSource.CLOSED) return;
			opening = setTimeout(() => {
				source = open(true);
			}, OPEN_AGAIN_MS);
		});
		return opened;
	};
	let source = document.hidden ? null : open(false);
	const close = (): void => {
		source?.close();
		source = null;
		if (opening !== null) clearTimeout(opening);
		opening = null;
	};
	const onVisibility = (): void => {
		close();
		if (!document.hidden) source = open(true);
	};
	document.addEventListener("visibilitychange", onVisibility);
	return () => {
		document.removeEventListener("visibilitychange", onVisibility);
		close();
		if (timer !== null) clearTimeout(timer);
	};
}
