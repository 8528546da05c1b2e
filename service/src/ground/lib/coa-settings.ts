import { readFileSync } from "node:fs";
import { extname, resolve } from "node:path";

/** The settings of certificates, with their meaning; config.ts reads them with all others. */
export const COA_VARIABLES = {
	HOLDFAST_COA_STORE:
		"where the PDFs of certificates are kept: a folder, or s3://bucket/prefix?region=…&endpoint=… (the folder coa in the data folder)",
	HOLDFAST_COA_REQUIRED: "true: units of a lot without a current certificate are not available (false)",
	HOLDFAST_COA_ARCHIVE_SOLD_OUT: "true: certificates whose lots are sold out are archived by themselves (false)",
	HOLDFAST_COA_NAME: "the manufacturer's name on the page that looks up lots (unset: none)",
	HOLDFAST_COA_LOGO: "SVG, PNG or JPEG file with the logo on that page (unset: none)",
	HOLDFAST_COA_COLOUR: "colour of that page, such as #0a5c4a (#1f4e79)",
	HOLDFAST_COA_CONTACT:
		"whom a buyer turns to: an address https://… or mailto:…, or a sentence (unset: where it was bought)",
} as const;
export type CoaVariable = keyof typeof COA_VARIABLES;

/** Where the PDFs are kept. */
export type CoaStore =
	| { readonly kind: "folder"; readonly path: string }
	| {
			readonly kind: "s3";
			readonly bucket: string;
			/** With a slash at its end, or empty. */
			readonly prefix: string;
			/** Null: as the S3 client finds it out by itself. */
			readonly region: string | null;
			readonly endpoint: string | null;
	  };

export interface CoaSettings {
	readonly store: CoaStore;
	readonly required: boolean;
	readonly archiveSoldOut: boolean;
	readonly name: string | null;
	/** A `data:` address; null: none. */
	readonly logo: string | null;
	/** `#rrggbb`, lower case. */
	readonly colour: string;
	readonly contact: string | null;
}

const DEFAULT_COLOUR = "#1f4e79";
/** Bytes of a logo at most: it goes out with every page. */
const MAX_LOGO_BYTES = 256 * 1024;
const MAX_NAME_LENGTH = 200;
const MAX_CONTACT_LENGTH = 500;
const LOGO_TYPES: { readonly [ending: string]: string } = {
	".svg": "image/svg+xml",
	".png": "image/png",
	".jpg": "image/jpeg",
	".jpeg": "image/jpeg",
};

type Env = Readonly<Partial<Record<CoaVariable, string>>>;

/** Reads the settings; `say` is told what is wrong with a variable. `dataDir` is absolute. */
export function readCoaSettings(
	env: Env,
	dataDir: string,
	say: (name: CoaVariable, problem: string) => void,
): CoaSettings {
	const read = <T>(name: CoaVariable, parse: (text: string) => T | null, absent: T, expected: string): T => {
		const text = env[name];
		if (text === undefined) return absent;
		const value = parse(text);
		if (value !== null) return value;
		say(name, `must be ${expected}, not "${text}"`);
		return absent;
	};
	const text = (most: number) => (given: string) => (given.trim() !== "" && given.length <= most ? given : null);
	const home: CoaStore = { kind: "folder", path: resolve(dataDir, "coa") };
	const STORE = "a folder, or an address like s3://bucket/prefix?region=eu-central-1";
	return {
		store: read("HOLDFAST_COA_STORE", toStore, home, STORE),
		required: read("HOLDFAST_COA_REQUIRED", toBoolean, false, "true or false"),
		archiveSoldOut: read("HOLDFAST_COA_ARCHIVE_SOLD_OUT", toBoolean, false, "true or false"),
		name: read<string | null>(
			"HOLDFAST_COA_NAME",
			text(MAX_NAME_LENGTH),
			null,
			`a name of at most ${MAX_NAME_LENGTH} characters`,
		),
		logo: read<string | null>(
			"HOLDFAST_COA_LOGO",
			toLogo,
			null,
			`an SVG, PNG or JPEG file of at most ${MAX_LOGO_BYTES / 1024} KiB that can be read`,
		),
		colour: read("HOLDFAST_COA_COLOUR", toColour, DEFAULT_COLOUR, "a colour like #0a5c4a"),
		contact: read<string | null>(
			"HOLDFAST_COA_CONTACT",
			text(MAX_CONTACT_LENGTH),
			null,
			`a text of at most ${MAX_CONTACT_LENGTH} characters`,
		),
	};
}

/** The settings by variable, as an operator may read them aloud. */
export function shownCoaSettings({ store, logo, ...coa }: CoaSettings): Record<CoaVariable, string | boolean | null> {
	return {
		HOLDFAST_COA_STORE: storeName(store),
		HOLDFAST_COA_REQUIRED: coa.required,
		HOLDFAST_COA_ARCHIVE_SOLD_OUT: coa.archiveSoldOut,
		HOLDFAST_COA_NAME: coa.name,
		HOLDFAST_COA_LOGO: logo === null ? null : `${logo.slice(0, logo.indexOf(","))},…`,
		HOLDFAST_COA_COLOUR: coa.colour,
		HOLDFAST_COA_CONTACT: coa.contact,
	};
}

/** A store in one line. */
export function storeName(store: CoaStore): string {
	if (store.kind === "folder") return store.path;
	const query = new URLSearchParams();
	if (store.region !== null) query.set("region", store.region);
	if (store.endpoint !== null) query.set("endpoint", store.endpoint);
	return `s3://${store.bucket}/${store.prefix}${query.size === 0 ? "" : `?${query}`}`;
}

const toBoolean = (text: string): boolean | null => (text === "true" || text === "false" ? text === "true" : null);
const toColour = (text: string): string | null => (/^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : null);

function toStore(text: string): CoaStore | null {
	if (!text.startsWith("s3://"))
		return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? null : { kind: "folder", path: resolve(text) };
	const url = URL.parse(text);
	if (url === null || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname) || url.username || url.password)
		return null;
	if ([...url.searchParams.keys()].some((name) => name !== "region" && name !== "endpoint")) return null;
	const endpoint = url.searchParams.get("endpoint");
	if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? "")) return null;
	const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
	return {
		kind: "s3",
		bucket: url.hostname,
		prefix: prefix === "" ? "" : `${prefix}/`,
		region: url.searchParams.get("region"),
		endpoint,
	};
}

function toLogo(text: string): string | null {
	const type = LOGO_TYPES[extname(text).toLowerCase()];
	if (type === undefined) return null;
	try {
		const bytes = readFileSync(resolve(text));
		return bytes.length > MAX_LOGO_BYTES ? null : `data:${type};base64,${bytes.toString("base64")}`;
	} catch {
		return null;
	}
}
