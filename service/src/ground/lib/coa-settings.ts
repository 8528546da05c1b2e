import { readFileSync } from "node:fs";
import { extname, resolve } from "node:path";
import { expecting, optional, setting, toBoolean, type ValuesOf } from "./setting.ts";

export type CoaStore =
	| { readonly kind: "folder"; readonly path: string }
	| {
			readonly kind: "s3";
			readonly bucket: string;
			/** Ends with a slash, or is empty. */
			readonly prefix: string;
			/** Null: the S3 client's default. */
			readonly region: string | null;
			readonly endpoint: string | null;
	  };

const DEFAULT_COLOUR = "#1f4e79";
/** Maximum size in bytes of a logo, which is sent with every page. */
const MAX_LOGO_BYTES = 256 * 1024;
const MAX_NAME_LENGTH = 200;
const MAX_CONTACT_LENGTH = 500;
const LOGO_TYPES: { readonly [ending: string]: string } = {
	".svg": "image/svg+xml",
	".png": "image/png",
	".jpg": "image/jpeg",
	".jpeg": "image/jpeg",
};

/** The settings of certificates; config.ts reads them with all others. */
export const COA_SETTINGS = {
	/** Null only until the configuration is complete. */
	store: optional(
		"HOLDFAST_COA_STORE",
		"where the PDFs of certificates are kept: a folder, or s3://bucket/prefix?region=…&endpoint=… (the folder coa in the data folder)",
		expecting("a folder, or an address like s3://bucket/prefix?region=eu-central-1", toStore),
		storeName,
	),
	required: setting(
		"HOLDFAST_COA_REQUIRED",
		"true: units of a lot without a current certificate are not available (false)",
		toBoolean,
		false,
	),
	archiveSoldOut: setting(
		"HOLDFAST_COA_ARCHIVE_SOLD_OUT",
		"true: certificates whose lots are sold out are archived automatically (false)",
		toBoolean,
		false,
	),
	name: optional(
		"HOLDFAST_COA_NAME",
		"the manufacturer's name on the page where buyers look up lots (unset: none)",
		expecting(`a name of at most ${MAX_NAME_LENGTH} characters`, shortText(MAX_NAME_LENGTH)),
	),
	/** A `data:` address. */
	logo: optional(
		"HOLDFAST_COA_LOGO",
		"SVG, PNG or JPEG file with the logo on that page (unset: none)",
		expecting(`an SVG, PNG or JPEG file of at most ${MAX_LOGO_BYTES / 1024} KiB that can be read`, toLogo),
		(logo) => `${logo.slice(0, logo.indexOf(","))},…`,
	),
	/** `#rrggbb`, lower case. */
	colour: setting(
		"HOLDFAST_COA_COLOUR",
		`colour of that page, such as #0a5c4a (${DEFAULT_COLOUR})`,
		expecting("a colour like #0a5c4a", toColour),
		DEFAULT_COLOUR,
	),
	contact: optional(
		"HOLDFAST_COA_CONTACT",
		"whom a buyer should contact: https://…, mailto:…, or a sentence (unset: the shop)",
		expecting(`a text of at most ${MAX_CONTACT_LENGTH} characters`, shortText(MAX_CONTACT_LENGTH)),
	),
};

export interface CoaSettings extends Omit<ValuesOf<typeof COA_SETTINGS>, "store"> {
	readonly store: CoaStore;
}

/** `dataDir` is absolute: the default store is a folder in it. */
export const coaSettingsOf = (settings: ValuesOf<typeof COA_SETTINGS>, dataDir: string): CoaSettings => ({
	...settings,
	store: settings.store ?? { kind: "folder", path: resolve(dataDir, "coa") },
});

function shortText(most: number): (text: string) => string | null {
	return (text) => (text.trim() !== "" && text.length <= most ? text : null);
}

/** A store, as one line of text. */
export function storeName(store: CoaStore): string {
	if (store.kind === "folder") return store.path;
	const query = new URLSearchParams();
	if (store.region !== null) query.set("region", store.region);
	if (store.endpoint !== null) query.set("endpoint", store.endpoint);
	return `s3://${store.bucket}/${store.prefix}${query.size === 0 ? "" : `?${query}`}`;
}

function toColour(text: string): string | null {
	return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : null;
}

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
