/** Every reader of a list ends with every row in its final state, in whichever manner it reads. */
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import type { Oracle } from "../room.ts";
import type { PageNote, ReaderNote, Row, WholeNote } from "./notes.ts";

const ALWAYS = [401, 429];
/** Minimum number of readings per minute, of every list in every manner. */
const LEAST_PER_MINUTE = 10;

export const READER_ORACLE: Oracle = {
	lookUp: async () => null,
	settle: () => undefined,
	judge: (on) => [...judgeRefused(on), ...judgeMirrors(on)],
	probes: () => [],
	exercised: (on) =>
		[...mirrorsIn(on)].map(([name, pages]) => ({
			what: `readings of ${name}`,
			count: pages.length,
			perMinute: LEAST_PER_MINUTE,
		})),
};

const notesIn = (on: Case): { at: number; note: ReaderNote }[] =>
	on.records("readers").map(({ at, note }) => ({ at, note: note as ReaderNote }));

function judgeRefused(on: Case): Finding[] {
	return notesIn(on).flatMap(({ at, note }) =>
		note.what !== "refused" || ALWAYS.includes(note.status)
			? []
			: [finding("unexpected", `${nameOf(note)} was refused with ${note.status} ${JSON.stringify(note.reply)}`, at)],
	);
}

const nameOf = ({ list, manner }: Pick<PageNote, "list" | "manner">): string => `${list} by ${manner}`;

const mirrorsIn = (on: Case): Map<string, PageNote[]> =>
	Map.groupBy(
		notesIn(on).flatMap(({ note }) => (note.what === "page" ? [note] : [])),
		nameOf,
	);

function judgeMirrors(on: Case): Finding[] {
	const wholes = new Map(
		notesIn(on)
			.flatMap(({ note }): WholeNote[] => (note.what === "whole" ? [note] : []))
			.map(({ list, rows }) => [list, rows]),
	);
	return [...mirrorsIn(on)].flatMap(([name, pages]) => {
		const mirror = new Map(pages.flatMap(({ rows }) => rows).map((row) => [row[0], row]));
		const whole = wholes.get(pages[0]?.list ?? "");
		if (whole === undefined) return [];
		return whole.flatMap((row) => judgeRow(name, row, mirror.get(row[0])));
	});
}

function judgeRow(name: string, [id, time, state]: Row, kept: Row | undefined): Finding[] {
	if (kept?.[2] === state) return [];
	// changed again after the list was read
	if (kept && time !== null && kept[1] !== null && kept[1] > time) return [];
	const has = kept ? `still has it as ${kept[2]}` : "never saw it";
	return [finding("lost", `a reader that follows ${name} ${has}: ${id}, which is ${state}`)];
}
