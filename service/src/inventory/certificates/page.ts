import { hash } from "node:crypto";
import type { ErrorCode } from "../../glossary.ts";
import { escapeHtml } from "../../ground/lib/escape-html.ts";
import type { LotLookup } from "./look-up-lot.ts";
import { styleOf } from "./page-style.ts";
import type { CoaRecord } from "./record.ts";

/** How the page presents the manufacturer. */
export interface Branding {
	readonly name: string | null;
	/** A `data:` URL. */
	readonly logo: string | null;
	/** `#rrggbb`. */
	readonly colour: string;
	/** An address or a sentence. */
	readonly contact: string | null;
}

/** The result shown at the top of a page. */
type Verdict = LotLookup["state"] | "unknown" | "busy" | "wrong" | "failed";

/** The HTML pages of the lookup, without scripts or external resources. */
export interface LookupPages {
	readonly headers: { readonly "Content-Security-Policy": string; readonly "Referrer-Policy": string };
	form(): string;
	found(lookup: LotLookup): string;
	/** The page for a refusal. `lot`: the requested number, if known. */
	refused(code: ErrorCode, lot: string | null): string;
}

export function createPages(branding: Branding): LookupPages {
	const style = styleOf(branding.colour);
	const page = (title: string, ...parts: string[]): string => wrap(branding, style, title, parts);
	return {
		headers: {
			"Content-Security-Policy": [
				"default-src 'none'",
				`style-src 'sha256-${hash("sha256", style, "base64")}'`,
				"img-src data:",
				"form-action 'self'",
				"base-uri 'none'",
				"frame-ancestors 'none'",
			].join("; "),
			"Referrer-Policy": "no-referrer",
		},
		form: () => page("Check a lot number", heading("Check a lot number"), formOf(null)),
		found: ({ lot, state, items }) =>
			page(
				`Lot ${lot}: ${WORDS[state].word}`,
				heading(`Lot ${lot}`),
				verdict(state, branding),
				...(state === "sample" ? [] : items.map(card)),
				formOf(null),
			),
		refused: (code, lot) => {
			const what = REFUSED[code] ?? "failed";
			const about = lot === null ? "Check a lot number" : `Lot ${lot}`;
			return page(`${about}: ${WORDS[what].word}`, heading(about), verdict(what, branding), formOf(lot));
		},
	};
}

const REFUSED: { readonly [code in ErrorCode]?: Verdict } = {
	not_found: "unknown",
	rate_limited: "busy",
	invalid_input: "wrong",
	bad_request: "wrong",
};

const WORDS: { readonly [verdict in Verdict]: { readonly word: string; readonly text: string } } = {
	current: {
		word: "Certificate found",
		text: "This lot number is one of ours, and its certificate of analysis is in force.",
	},
	archived: {
		word: "Certificate found, archived",
		text: "This lot number is one of ours. The lot is no longer sold; its certificate of analysis is kept for those who have some of it.",
	},
	withdrawn: {
		word: "Withdrawn: do not use",
		text: "We have withdrawn this lot or its certificate. Do not use it, and do not pass it on.",
	},
	pending: {
		word: "Certificate not published yet",
		text: "This lot number is one of ours. Its certificate of analysis is not published yet: look again in a few days.",
	},
	sample: {
		word: "A sample, not a product",
		text: "This number is for trying this page out, and no product that we sell has it. If something that you bought has it, do not use it.",
	},
	unknown: {
		word: "Unknown lot number",
		text: "We know no lot of this number. Compare it with the label, letter by letter and digit by digit; upper and lower case, spaces, hyphens and dots matter only if they are the only difference between several lots. If it is the same, do not use it.",
	},
	busy: {
		word: "Too many lookups",
		text: "There were too many lookups from your network in the last minute. Wait a minute, then try again.",
	},
	wrong: {
		word: "This is not a lot number",
		text: "Type the lot number as it is on the label, at most 200 characters.",
	},
	failed: {
		word: "Something failed on our side",
		text: "We cannot say anything about this lot now. Try again in a few minutes.",
	},
};

/** Results that come with advice on whom to contact. */
const ASKS: ReadonlySet<Verdict> = new Set(["withdrawn", "unknown", "pending", "sample"]);

/** Results that come with a warning that a lot number alone proves little. */
const MAY_BE_COPIED: ReadonlySet<Verdict> = new Set(["current", "archived", "pending"]);
const COPIED =
	"<p>A number alone does not prove where a package comes from: anybody can copy one from a label. Compare what is printed on yours with what is shown here, and buy from shops that you trust.</p>";

const heading = (text: string): string => `<h1>${escapeHtml(text)}</h1>`;

function verdict(what: Verdict, { contact }: Branding): string {
	const { word, text } = WORDS[what];
	const copied = MAY_BE_COPIED.has(what) ? COPIED : "";
	const ask = ASKS.has(what) ? `<p>${whomToAsk(contact)}</p>` : "";
	return `<section class="state ${what}" aria-label="Result"><p class="word">${word}</p><p>${text}</p>${copied}${ask}</section>`;
}

function whomToAsk(contact: string | null): string {
	if (contact === null) return "Ask the shop that you bought it from.";
	if (!/^(https:\/\/|mailto:)\S+$/.test(contact)) return escapeHtml(contact);
	const shown = contact.replace(/^(https:\/\/|mailto:)/, "");
	return `Contact us: <a href="${escapeHtml(contact)}">${escapeHtml(shown)}</a>`;
}

const STATUS_WORDS = { current: "Current", archived: "Archived", retired: "Withdrawn" } as const;

function card(record: CoaRecord, at: number): string {
	const { product, batch_number, vial_size, tested_on, lab_name, purity_pct, status, certificate_url } = record;
	const facts: [string, string | null][] = [
		["Batch", batch_number],
		["Certificate", STATUS_WORDS[status]],
		["Size", vial_size],
		["Tested on", tested_on],
		["Laboratory", lab_name],
		["Purity", purity_pct === null ? null : `${purity_pct} %`],
	];
	const rows = facts
		.filter((fact): fact is [string, string] => fact[1] !== null)
		.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`)
		.join("");
	const pdf =
		certificate_url === ""
			? ""
			: `<a class="pdf" href="${escapeHtml(certificate_url)}">Certificate of ${escapeHtml(product.name)} (PDF)</a>`;
	return `<section aria-labelledby="p${at}"><h2 id="p${at}">${escapeHtml(product.name)}</h2><dl>${rows}</dl>${pdf}</section>`;
}

const formOf = (lot: string | null): string =>
	`<form action="/coa/lookup" method="get"><label for="lot">Lot number</label><p class="hint" id="hint">As printed on the label.</p><input id="lot" name="lot" required maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="hint" value="${escapeHtml(lot ?? "")}"><button>Check</button></form>`;

function wrap({ name, logo }: Branding, style: string, title: string, parts: readonly string[]): string {
	const image = logo === null ? "" : `<img src="${logo}" alt="${name === null ? "Logo" : ""}">`;
	const band =
		name === null && logo === null ? "" : `${image}${name === null ? "" : `<span>${escapeHtml(name)}</span>`}`;
	return [
		'<!doctype html><html lang="en"><head><meta charset="utf-8">',
		'<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
		`<title>${escapeHtml(name === null ? title : `${title} – ${name}`)}</title><style>${style}</style></head><body>`,
		'<a class="skip" href="#main">Skip to the result</a>',
		`<header><div>${band === "" ? "<span>Certificates of analysis</span>" : band}</div></header><main id="main">`,
		...parts,
		"</main></body></html>",
	].join("");
}
