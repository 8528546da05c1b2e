import type { Reply } from "./raw.ts";

const LINE_FEED = 10;

/** All pages of a CSV list as one text with one header row. `read`: reads the page after a cursor. */
export function csvStream(
	read: (cursor: string | undefined) => Promise<Reply<Uint8Array>>,
	start: string | undefined,
): ReadableStream<Uint8Array> {
	let cursor = start;
	let isFirst = true;
	return new ReadableStream({
		async pull(controller) {
			const { data, headers } = await read(cursor);
			// the names of the columns contain no line break
			controller.enqueue(isFirst ? data : data.subarray(data.indexOf(LINE_FEED) + 1));
			isFirst = false;
			cursor = headers.get("x-next-cursor") ?? undefined;
			if (!/rel="?next"?/.test(headers.get("link") ?? "")) controller.close();
		},
	});
}
