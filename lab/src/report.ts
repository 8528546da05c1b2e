import { type Subject, WRONGS, type Wrong } from "./check/findings.ts";
import type { Tally } from "./rooms/room.ts";
import type { Verdict } from "./verdict.ts";

/** Findings of each kind that are printed in full. */
const SHOWN = 8;
const LONGEST_LINE = 400;

const list = (counts: Readonly<Record<string, number>>): string =>
	Object.entries(counts)
		.map(([name, count]) => `${name} ${count}`)
		.join(", ") || "none";

/**
 * The report of a run for people. `history`: the path of the history; null: it was not kept. `again`: the options that
 * start it once more, besides the seed.
 */
export function reportLines(
	{ figures, findings, verify, inconclusive, result }: Verdict,
	history: string | null,
	again = `--minutes ${figures.minutes}`,
): string[] {
	const { seed, commit, minutes, operations, byOperation, byOutcome, byStatus, errands, errandsUnknown, faults } =
		figures;
	const total = Object.values(faults).reduce((sum, count) => sum + count, 0);
	const { longestWait: wait } = figures;
	const kinds = Object.keys(WRONGS) as Wrong[];
	return [
		`seed ${seed}, commit ${commit}, ${Number(minutes.toFixed(2))} min`,
		`operations ${operations}: ${list(byOperation)}`,
		`by outcome: ${list(byOutcome)}`,
		`by answer: ${list(byStatus)}`,
		`operators' commands ${errands}, ${errandsUnknown} of them with an unknown outcome; rows of the foreign database ${figures.foreignWrites}`,
		`faults ${total}: ${list(faults)}`,
		...(Object.keys(figures.toNothing).length > 0 ? [`had no effect: ${list(figures.toNothing)}`] : []),
		...Object.entries(figures.notOffered).map(([kind, why]) => `not available on this machine: ${kind} (${why})`),
		`exercised: ${figures.exercised.map(({ what, count, least }) => `${what} ${count} (least ${least})`).join(", ")}`,
		`checked again through the API: ${figures.probes}`,
		kinds.map((kind) => `${kind} ${findings.filter(({ wrong }) => wrong === kind).length}`).join(", "),
		...tallyLines(figures.tally, findings),
		wait === null
			? "longest wait of a SKU that no fault affected: every SKU was affected"
			: `longest wait of a SKU that no fault affected: ${Math.round(wait.ms)} ms (${wait.what})`,
		`verify: ${verify ?? "clean"}`,
		...kinds.flatMap((kind) => findingLines(kind, findings)),
		...inconclusive.map((why) => `the run proves nothing: ${why}`),
		...(history === null
			? []
			: [`history and logs: ${history}`, `to run it again: npm run lab -- ${again} --seed ${seed}`]),
		result.toUpperCase(),
	];
}

/** One line for each subject that rooms count: how many, in which states, and with which findings. */
function tallyLines(tally: Tally, findings: Verdict["findings"]): string[] {
	return (Object.entries(tally) as [Subject, Readonly<Record<string, number>>][]).map(([subject, counts]) => {
		const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
		const wrong = (kind: Wrong): number => findings.filter((one) => one.about === subject && one.wrong === kind).length;
		return `${subject} ${total} (${list(counts)}): lost ${wrong("lost")}, doubled ${wrong("doubled")}`;
	});
}

function findingLines(kind: Wrong, findings: Verdict["findings"]): string[] {
	const found = findings.filter(({ wrong }) => wrong === kind);
	const shown = found
		.slice(0, SHOWN)
		.map(({ what, at }) =>
			`  ${at === null ? "at the end" : `${(at / 1000).toFixed(3)} s`}: ${what}`.slice(0, LONGEST_LINE),
		);
	return found.length === 0
		? []
		: [
				"",
				`${kind} (${WRONGS[kind]}):`,
				...shown,
				...(found.length > SHOWN ? [`  … and ${found.length - SHOWN} more`] : []),
			];
}
