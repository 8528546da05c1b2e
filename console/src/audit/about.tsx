import type { ReactNode } from "react";
import { Link } from "react-router";
import type { DataOf, OperationId } from "../api/call.ts";
import { words } from "../words/words.ts";

type AuditRow = DataOf<"list_audit">["items"][number];
/** A kind of object that has a page, or a list that can show a single one. */
type Thing = keyof typeof words.auditLog.things;

const OPERATIONS: Readonly<Record<Thing, readonly OperationId[]>> = {
	order: ["hold_order", "release_order", "cancel_order", "pick_order", "pack_order"],
	box: ["label_box", "ship_box", "void_box"],
	hold: ["release_hold", "ship_consume"],
	lot: ["receive_batch", "receive_units", "correct_lot", "locate_lot", "quarantine_lot", "restore_lot", "destroy_lot"],
	key: ["mint_key", "rotate_key", "suspend_key", "resume_key", "revoke_key"],
	run: ["stop_run"],
	person: ["invite_person", "change_person", "end_sessions_of_person"],
	token: ["mint_token", "revoke_token"],
	webhook: [
		"make_endpoint",
		"change_endpoint",
		"rotate_endpoint_secret",
		"test_endpoint",
		"pause_endpoint",
		"resume_endpoint",
		"recover_endpoint",
	],
	demand: ["put_demand", "add_demand", "ship_demand"],
	sku: ["put_sku"],
	product: ["put_product"],
	formula: ["put_formula"],
	brand: ["put_brand"],
	certificate: ["put_certificate", "publish_certificate", "archive_certificate", "retire_certificate"],
};
const things = new Map(
	Object.entries(OPERATIONS).flatMap(([thing, ids]) => ids.map((id) => [id as string, thing as Thing] as const)),
);

/** The page of each thing, by what the log calls it. */
const PAGES: Readonly<Record<Thing, (about: string) => string>> = {
	order: (id) => `/orders/${id}`,
	box: (id) => `/boxes/${id}`,
	hold: (token) => `/holds/${token}`,
	lot: (id) => `/stock/${id}`,
	key: (pk) => `/api-keys/${pk}`,
	run: (id) => `/runs/${id}`,
	person: () => "/people",
	token: () => "/tokens",
	webhook: (id) => `/webhooks/endpoints/${id}`,
	demand: (reference) => `/demand/item/${reference}`,
	sku: (sku) => `/catalogue?q=${sku}`,
	product: (slug) => `/catalogue/products?q=${slug}`,
	formula: (code) => `/catalogue/formulas?q=${code}`,
	brand: (code) => `/catalogue/brands?q=${code}`,
	// a slug has no blanks
	certificate: (name) => `/certificates/${name.replace("%20", "/")}`,
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Number of characters of an id that are shown: enough to tell two rows apart. */
const SHOWN_OF_ID = 8;

/** What a row of the log is about, as a link if it has a page. */
export function About({ row: { operation, about, body, code } }: { row: AuditRow }): ReactNode {
	if (about === null) return null;
	const thing = things.get(operation);
	const name = UUID.test(about)
		? (lotIn(operation, body) ??
			words.auditLog.idOf(thing === undefined ? null : words.auditLog.things[thing], about.slice(0, SHOWN_OF_ID)))
		: about;
	if (thing === undefined || code === "not_found") return <span title={about}>{name}</span>;
	return (
		<Link to={PAGES[thing](encodeURIComponent(about))} title={about}>
			{name}
		</Link>
	);
}

/** The name of a lot that was received, as the row itself contains it; null: it contains none. */
function lotIn(operation: string, body: unknown): string | null {
	if (operation !== "receive_batch" || typeof body !== "object" || body === null) return null;
	const { formula, batch_number } = body as Readonly<Record<string, unknown>>;
	return typeof formula === "string" && typeof batch_number === "string" ? `${formula} ${batch_number}` : null;
}
