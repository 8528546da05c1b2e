import { PAGES } from "../../wire/__generated__/pages.ts";
import { command } from "../command.ts";
import { EXIT, usage } from "../failure.ts";
import { readVariables, settingsOf } from "../settings.ts";
import { didYouMean } from "../similar.ts";
import { print } from "../terminal.ts";
import { CLASSES, OF_KIT, type Page } from "./own-pages.ts";

/** Where a code comes from: the service, or the SDK itself. */
type Maker = "service" | "kit";

const EXPLAINED: Readonly<Record<string, Page & { readonly by: Maker }>> = {
	...madeBy("kit", { ...OF_KIT, ...CLASSES }),
	...madeBy("service", PAGES),
};
/** Codes of the service that the SDK also throws by itself, with `status` 0. */
const ALSO_WITHOUT_A_REQUEST: Readonly<Record<string, string>> = {
	invalid_customer: "With `status` 0 it is thrown by `checkCustomer`, or by `withHold` before a request was made.",
	kit_incomplete: "With `status` 0 it is thrown by `withHold`: each hold lost units, and nothing is held.",
};
/** The reason of an unknown count that has the same name as a code of the service. */
const ALSO_A_REASON: Readonly<Record<string, string>> = {
	unauthorized: "A count that is unknown for this reason was not read because the key is refused: it is not 0.",
};

export const help = command({
	takes: ["CODE"],
	about: [
		"Explains a code or a class of errors, of the service or of this SDK: when it happens, and what to do. It needs no service.",
		"Before the name of a command it prints that command's help.",
	].join("\n"),
	example: "help reference_used",
	options: {},
	async run({ json }, given) {
		const code = codeOf(given ?? "");
		const { when, todo, by } = EXPLAINED[code] as Page & { readonly by: Maker };
		const more = ALSO_WITHOUT_A_REQUEST[code] ?? ALSO_A_REASON[code] ?? null;
		const { url } = settingsOf({}, await readVariables());
		const page = by === "kit" || !url ? null : `${url}/docs/errors/${code}`;
		print({ code, by, when, todo, more, page }, json, () =>
			[
				`${code}${by === "kit" ? ", of the SDK" : ""}`,
				`When it happens:\n${when}${more === null ? "" : `\n${more}`}`,
				`What to do:\n${todo}`,
				...(page === null ? [] : [page]),
			].join("\n\n"),
		);
		return EXIT.ok;
	},
});

/** The code or class that was meant, in upper or lower case. @throws CommandFailure `usage` */
function codeOf(given: string): string {
	const known = Object.keys(EXPLAINED);
	const code = known.find((one) => one.toLowerCase() === given.toLowerCase());
	if (code !== undefined) return code;
	throw usage(`There is no code "${given}".${didYouMean(given, known)} The guide on errors lists the service's.`);
}

function madeBy(by: Maker, pages: Readonly<Record<string, Page>>): Record<string, Page & { readonly by: Maker }> {
	return Object.fromEntries(Object.entries(pages).map(([code, page]) => [code, { ...page, by }]));
}
