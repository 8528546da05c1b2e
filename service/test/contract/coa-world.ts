import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { must } from "../../src/ground/lib/assert.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import type { CertificateEntry } from "../../src/inventory/certificates/plan.ts";
import { putCertificates } from "../../src/inventory/certificates/put-certificates.ts";
import { drawSamplePdf } from "../../src/inventory/certificates/sample-pdf.ts";
import { checkReply } from "../check-reply.ts";
import { LINKS } from "../links.ts";
import { setStatus } from "../set-status.ts";
import { openWorld, type World } from "./world.ts";

/** A reply of the COA address, already checked against its OpenAPI document. */
export interface CoaAnswer {
	readonly status: number;
	readonly headers: Headers;
	readonly bytes: Buffer;
	readonly text: string;
	/** Null when it is not JSON. */
	// oxlint-disable-next-line typescript/no-explicit-any -- every shape there is
	readonly json: any;
}

export interface Ask {
	readonly token?: string;
	readonly headers?: Record<string, string>;
	readonly method?: string;
}

export interface CoaWorld extends World {
	/** The COA address. */
	readonly coa: string;
	/** Sends it a request; `at` is a path with its query, or a whole address. */
	ask(at: string, options?: Ask): Promise<CoaAnswer>;
	/** Creates certificates whose product exists; each has a PDF of its own unless the entry names another. */
	certify(...entries: Certified[]): Promise<void>;
	/** Publishes, archives or retires. */
	set(slug: string, batchNumber: string, status: "current" | "archived" | "retired"): Promise<void>;
}

export type Certified = Pick<CertificateEntry, "slug" | "batchNumber"> &
	Partial<CertificateEntry> & { readonly pdf?: Buffer };

export const ACTOR = "operator:test";

/** A whole service with its COA address and a store in a folder of its own. */
export async function openCoaWorld(env: Record<string, string> = {}): Promise<CoaWorld> {
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-coa-"));
	const world = await openWorld({ HOLDFAST_COA_STORE: folder, ...env });
	const { deps, db } = world;
	const coa = must(deps.addresses.coa, "the COA address");
	return {
		...world,
		coa,
		ask: (at, options) => askAt(new URL(at, coa), options),
		async certify(...certified) {
			const entries = await Promise.all(
				certified.map(async ({ pdf, ...given }): Promise<CertificateEntry> => {
					const bytes = pdf ?? (await pdfOf(given.slug, given.batchNumber));
					const digest = await deps.files.put(bytes);
					return { ...BLANK, ...given, digest, size: bytes.length };
				}),
			);
			const answer = await putCertificates(db, entries, { actor: ACTOR, reissue: true });
			if ("problems" in answer) throw new Error(JSON.stringify(answer.problems));
		},
		async set(slug, batchNumber, status) {
			const answer = await setStatus(db, LINKS, { slug, batchNumber }, status, { actor: ACTOR, reason: null });
			if (isRefusal(answer)) throw new Error(answer.message);
		},
		stop: async () => {
			await world.stop();
			await rm(folder, { recursive: true });
		},
	};
}

const BLANK = { vialSize: null, testedOn: null, labName: null, purityPct: null, status: "current" } as const;

/** A real PDF that no other certificate has. */
export const pdfOf = (productName: string, batchNumber: string): Promise<Buffer> =>
	drawSamplePdf({
		productName: productName.slice(0, 50),
		batchNumber: batchNumber.slice(0, 50),
		testedOn: "2026-08-20",
		labName: "Lab",
		purityPct: 99,
	});

async function askAt(url: URL, { token, headers = {}, method = "GET" }: Ask = {}): Promise<CoaAnswer> {
	const response = await fetch(url, {
		method,
		headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
	});
	const bytes = Buffer.from(await response.arrayBuffer());
	const text = bytes.toString("utf8");
	const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
	const json: unknown = isJson && text !== "" ? JSON.parse(text) : null;
	checkReply({
		surface: "coa",
		method,
		path: url.pathname,
		status: response.status,
		headers: response.headers,
		body: isJson || text === "" ? json : text,
	});
	return { status: response.status, headers: response.headers, bytes, text, json };
}
