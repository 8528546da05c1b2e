import { asReply } from "../../ground/lib/as-reply.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { asImpossible } from "../../partners/admin/as-impossible.ts";
import { mountWrite, type ReadWriteDeps, type Write } from "../../partners/admin/mount-write.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import { readPageFrom, rowId, writeOperatorPage } from "../../partners/admin/page.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { GetCertificate, GetCertificateQr, ListCertificates, PrintLotLabels, SVG } from "./admin-contract.ts";
import type { ListedStatus } from "./certificate.ts";
import {
	ArchiveCertificate,
	PublishCertificate,
	PutCertificate,
	RetireCertificate,
} from "./certificate-write-contract.ts";
import { type CertificateName, selectRecalled } from "./change-sql.ts";
import { PDF_TYPE } from "./contract.ts";
import type { Digest } from "./digest.ts";
import type { FileStore } from "./file-store.ts";
import { findCertificate, findToPrint, refuseUnknownBatch, refuseUnknownProduct } from "./find-certificate.ts";
import { drawLabels } from "./labels.ts";
import { MAX_LABELS } from "./limits.ts";
import { listCertificates, type ShownCertificate } from "./list-certificates-sql.ts";
import { type EnteredCertificate, putCertificate, refuseEntered, storePdf } from "./put-certificate.ts";
import { drawQr } from "./qr.ts";
import type { CoaLinks } from "./record.ts";
import { findStillForSale, judgeStatus, setStatusIn } from "./set-status.ts";

/** The effect of a recall on the lots of a certificate, in units. */
export interface RecalledWithCertificate {
	readonly fgIds: readonly string[];
	readonly moved: number;
	readonly replaced: number;
	readonly lost: number;
	/** Units still bound to holds and orders. */
	readonly left: number;
}

export interface CertificateAdminDeps extends ReadWriteDeps {
	readonly files: FileStore;
	readonly links: CoaLinks;
	/** Recalls the lots of a certificate in the transaction of a write; null: there are none. `more`: as in `Write`. */
	readonly recallLotsOf: (
		tx: Query,
		name: CertificateName,
		why: { readonly origin: { readonly actor: string; readonly requestId: string }; readonly reason: string | null },
		more: unknown,
	) => Promise<RecalledWithCertificate | Refusal<"not_found"> | null>;
}

/** The operations of the operator's API on certificates. */
export function admin(gate: Gate<Operator>, deps: CertificateAdminDeps): void {
	mountReads(gate, deps);
	mountLabels(gate, deps);
	mountPut(gate, deps);
	mountMoves(gate, deps);
	mountRetire(gate, deps);
}

function mountReads(gate: Gate<Operator>, { readDb, listDb, links }: CertificateAdminDeps): void {
	mount(gate, ListCertificates, async ({ query }) => {
		const page = readPageFrom(query, rowId);
		if (isRefusal(page)) return page;
		const { after, limit } = page;
		const { status, product: slug, batch_number: batch, q } = query;
		const unknown = slug === undefined ? null : await refuseUnknownProduct(listDb, slug);
		if (unknown !== null) return unknown;
		const filter = { status, slug, batchNumbers: batch === undefined ? null : [batch], q, after };
		const list = await listCertificates(listDb, filter, limit);
		const isOfBatch = batch !== undefined && status === undefined && slug === undefined && q === undefined;
		if (isOfBatch && after === null && list.items.length === 0) return await refuseUnknownBatch(listDb, batch);
		return { status: 200, data: writeOperatorPage(list, (one) => one.certificateId, replyOf(links)) };
	});

	mount(gate, GetCertificate, async ({ params }) => ok(await readCertificate(readDb, links, params)));

	mount(gate, GetCertificateQr, async ({ params }) => {
		const found = await readCertificate(readDb, links, params);
		if (isRefusal(found)) return found;
		return { status: 200, type: SVG, content: await drawQr(found.verify_url, "svg") };
	});
}

function mountLabels(gate: Gate<Operator>, deps: CertificateAdminDeps): void {
	const print: Write<typeof PrintLotLabels> = async (tx, { body }) => {
		const { batch_numbers: batches, copies = 1, paper = "A4" } = body;
		const tooMany = refuse("invalid_input", `/copies: at most ${MAX_LABELS} labels in all`);
		if (batches.length * copies > MAX_LABELS) return tooMany;
		const found = await findToPrint(tx, batches, MAX_LABELS);
		if (isRefusal(found)) return found;
		if (found.length * copies > MAX_LABELS) return tooMany;
		const labels = found.flatMap(({ productName, batchNumber }) =>
			Array.from({ length: copies }, () => ({
				productName,
				batchNumber,
				verifyUrl: deps.links.verifyUrl(batchNumber),
			})),
		);
		const headers = {
			"X-Labels": String(labels.length),
			"X-Verify-Url": labels[0]?.verifyUrl ?? "",
			"Content-Disposition": 'inline; filename="labels.pdf"',
		};
		const about = batches.length === 1 ? (batches[0] ?? "") : `${batches.length} batches`;
		return { status: 200, type: PDF_TYPE, content: await drawLabels(labels, paper), headers, about };
	};
	mountWrite(gate, deps, PrintLotLabels, print);
}

interface NamedCertificate {
	readonly slug: string;
	readonly batch: string;
}

const nameOf = ({ slug, batch }: NamedCertificate): CertificateName => ({ slug, batchNumber: batch });

async function readCertificate(db: Query, links: CoaLinks, params: NamedCertificate) {
	const found = await findCertificate(db, nameOf(params));
	return isRefusal(found) ? found : replyOf(links)(found);
}

const readOf =
	({ links }: CertificateAdminDeps) =>
	(db: Query, params: NamedCertificate) =>
		readCertificate(db, links, params);

function mountPut(gate: Gate<Operator>, deps: CertificateAdminDeps): void {
	const put: Write<typeof PutCertificate> = async (tx, { caller, params, body, files }, _more, asked) => {
		const entered = enteredOf(params, body, files);
		if (isRefusal(entered)) return entered;
		const done = await putCertificate(tx, entered, { actor: actorOf(caller), reissue: body.reissue === true });
		if (isRefusal(done)) return asImpossible(done, "wrong_state");
		const { what } = done.plan;
		const { stored } = asked as { readonly stored: Digest | null };
		const isStored = what === "unchanged" || entered.pdf === null || body.dry_run === true || stored === done.digest;
		if (!isStored)
			return refuse("retry", "The certificate was changed meanwhile. Nothing was done: send the request again.");
		const certificate = await readCertificate(tx, deps.links, params);
		if (isRefusal(certificate)) return certificate;
		const data = { ...certificate, what, fields: what === "unchanged" ? [] : done.plan.fields };
		return { status: what === "created" ? 201 : 200, data, about: aboutOf(params), changed: what !== "unchanged" };
	};
	mountWrite(gate, deps, PutCertificate, put, {
		read: readOf(deps),
		async ask({ caller, params, body, files }) {
			const entered = enteredOf(params, body, files);
			const refused = isRefusal(entered) ? entered : refuseEntered(entered);
			if (isRefusal(entered) || refused !== null) return refused ?? undefined;
			const options = { actor: actorOf(caller), reissue: body.reissue === true };
			return { stored: body.dry_run === true ? null : await storePdf(deps, entered, options) };
		},
	});
}

type PutRequest = Parameters<Write<typeof PutCertificate>>[1];

function enteredOf(
	params: NamedCertificate,
	body: PutRequest["body"],
	files: PutRequest["files"],
): EnteredCertificate | Refusal<"invalid_input"> {
	const { product_slug: slug = params.slug, batch_number: batch = params.batch } = body;
	if (slug !== params.slug) return refuse("invalid_input", "/product_slug: differs from the product in the path");
	if (batch !== params.batch)
		return refuse("invalid_input", "/batch_number: differs from the batch number in the path");
	return {
		name: nameOf(params),
		facts: {
			vialSize: body.vial_size ?? null,
			testedOn: body.tested_on ?? null,
			labName: body.lab_name ?? null,
			purityPct: body.purity_pct ?? null,
			status: body.status,
		},
		pdf: files[0] ?? null,
	};
}

const aboutOf = ({ slug, batch }: NamedCertificate): string => `${slug} ${batch}`;

function mountMoves(gate: Gate<Operator>, deps: CertificateAdminDeps): void {
	const read = readOf(deps);
	const publish: Write<typeof PublishCertificate> = (tx, request) => moveTo(tx, deps, "current", request);
	mountWrite(gate, deps, PublishCertificate, publish, { read });
	const archive: Write<typeof ArchiveCertificate> = (tx, request) => moveTo(tx, deps, "archived", request);
	mountWrite(gate, deps, ArchiveCertificate, archive, { read });
}

type MoveRequest = Pick<Parameters<Write<typeof PublishCertificate>>[1], "caller" | "params" | "body">;

async function moveTo(
	tx: Query,
	{ links }: CertificateAdminDeps,
	status: Exclude<ListedStatus, "retired">,
	{ caller, params, body }: MoveRequest,
) {
	const why = { actor: actorOf(caller), reason: body.reason ?? null };
	const set = await setStatusIn(tx, links, nameOf(params), status, why);
	if (isRefusal(set)) return asImpossible(set, "wrong_state");
	return { status: 200 as const, data: asReply(set), about: aboutOf(params), changed: set.changed };
}

function mountRetire(gate: Gate<Operator>, deps: CertificateAdminDeps): void {
	const retire: Write<typeof RetireCertificate> = async (tx, { caller, params, body, requestId }, more) => {
		const name = nameOf(params);
		const { reason = null } = body;
		const actor = actorOf(caller);
		if (body.recall !== true) {
			const set = await setStatusIn(tx, deps.links, name, "retired", { actor, reason });
			if (isRefusal(set)) return asImpossible(set, "wrong_state");
			const data = { ...asReply(set), still_for_sale: asReply(await findStillForSale(tx, name)), recalled: null };
			return { status: 200, data, about: aboutOf(params), changed: set.changed };
		}
		const before = await judgeStatus(tx, name, "retired");
		if (isRefusal(before)) return asImpossible(before, "wrong_state");
		const isRecalled = (await selectRecalled(tx, [name])).length > 0;
		// if there are lots, their recall retires the certificate
		const recalled = await deps.recallLotsOf(tx, name, { origin: { actor, requestId }, reason }, more);
		if (isRefusal(recalled)) return recalled;
		const set = await setStatusIn(tx, deps.links, name, "retired", { actor, reason });
		if (isRefusal(set)) return asImpossible(set, "wrong_state");
		const isNew = before.status !== "retired";
		const data = {
			...asReply({ ...set, from: before.status, changed: isNew }),
			still_for_sale: null,
			recalled: asReply(recalled),
		};
		const changed = isNew || (recalled !== null && (!isRecalled || recalled.moved > 0));
		return { status: 200, data, about: aboutOf(params), changed };
	};
	mountWrite(gate, deps, RetireCertificate, retire, {
		read: readOf(deps),
		asksFresh: ({ body }) => body.recall === true,
	});
}

const replyOf =
	({ fileUrl, verifyUrl }: CoaLinks) =>
	(one: ShownCertificate) => ({
		...asReply(one),
		certificate_url:
			one.status === "current" || one.status === "archived" ? fileUrl(one.certificateId, one.digest as Digest) : null,
		verify_url: verifyUrl(one.batchNumber),
	});
