import { assert } from "../ground/lib/assert.ts";
import * as certificates from "../inventory/certificates/contract.ts";
import { type CoaDeps, routes as certificateRoutes } from "../inventory/certificates/routes.ts";
import * as holds from "../inventory/holds/contract.ts";
import { type HoldDeps, routes as holdRoutes } from "../inventory/holds/routes.ts";
import * as orders from "../inventory/orders/contract.ts";
import { type OrderDeps, routes as orderRoutes } from "../inventory/orders/routes.ts";
import * as prepaid from "../inventory/prepaid/contract.ts";
import { type PrepaidDeps, routes as prepaidRoutes } from "../inventory/prepaid/routes.ts";
import * as stock from "../inventory/stock/contract.ts";
import { type StockDeps, routes as stockRoutes } from "../inventory/stock/routes.ts";
import { NO_DATES } from "../partners/http/api-date.ts";
import type { Caller } from "../partners/http/caller.ts";
import { addDocs } from "../partners/http/docs/add-docs.ts";
import type { Gate, HttpServer } from "../partners/http/mount.ts";
import { openApi, openApiText } from "../partners/http/openapi/document.ts";
import type { Operation } from "../partners/http/operation.ts";
import type { SurfaceDocument } from "../partners/http/surface.ts";
import * as keys from "../partners/keys/contract.ts";
import type { IntrospectDeps } from "../partners/keys/introspect.ts";
import { routes as keyRoutes } from "../partners/keys/routes.ts";
import * as versions from "../partners/versions/contract.ts";
import { routes as versionRoutes } from "../partners/versions/routes.ts";
import * as webhooks from "../partners/webhooks/contract.ts";
import { type WebhookDeps, routes as webhookRoutes } from "../partners/webhooks/routes.ts";
import * as sandbox from "../upkeep/sandbox/contract.ts";
import { type SandboxDeps, routes as sandboxRoutes } from "../upkeep/sandbox/routes.ts";
import { coaDocument, keyedSurface, partnerDocument } from "./keyed-surfaces.ts";
import { OPERATOR_DOCUMENT, OPERATOR_SURFACE, type Operator } from "./operator-surface.ts";

/** The dependencies of the operations of all rooms. */
type RouteDeps = CoaDeps &
	HoldDeps &
	IntrospectDeps &
	OrderDeps &
	PrepaidDeps &
	SandboxDeps &
	StockDeps &
	WebhookDeps & { readonly addresses: { readonly coa: string } };

/** A room's part of a surface: the contract is documented, the routes are mounted. */
interface Room<Who> {
	readonly contract: object;
	readonly routes: (gate: Gate<Who>, deps: RouteDeps) => void;
}

/* The surfaces and the rooms on each. A new operation of a listed room needs no change of this file. */
const PARTNER_ROOMS: readonly Room<Caller>[] = [
	{ contract: versions, routes: versionRoutes },
	{ contract: stock, routes: stockRoutes },
	{ contract: holds, routes: holdRoutes },
	{ contract: orders, routes: orderRoutes },
	{ contract: webhooks, routes: webhookRoutes },
	{ contract: prepaid, routes: prepaidRoutes },
	{ contract: keys, routes: keyRoutes },
	{ contract: sandbox, routes: sandboxRoutes },
];
const COA_ROOMS: readonly Room<Caller>[] = [{ contract: certificates, routes: certificateRoutes }];
const OPERATOR_ROOMS: readonly Room<Operator>[] = [];

/** Every operation of the partner API. */
export const PARTNER_OPERATIONS: readonly Operation[] = operationsOf(PARTNER_ROOMS);

/** Every operation of the COA address. */
export const COA_OPERATIONS: readonly Operation[] = operationsOf(COA_ROOMS);

/** A surface with its documentation. */
export interface DocumentedSurface {
	readonly document: SurfaceDocument;
	readonly operations: readonly Operation[];
}

/** Every surface. Each gets one OpenAPI document for each of its API dates. */
export const SURFACES: readonly DocumentedSurface[] = [
	{ document: partnerDocument(), operations: PARTNER_OPERATIONS },
	{ document: coaDocument(), operations: COA_OPERATIONS },
	{ document: OPERATOR_DOCUMENT, operations: operationsOf(OPERATOR_ROOMS) },
];

/** The OpenAPI documents of a surface as committed: path below `openapi/`, and text. */
export function documentsOf({
	document,
	operations,
}: DocumentedSurface): { readonly file: string; readonly text: string }[] {
	const { id, dates } = document;
	return (dates ?? NO_DATES).accepted.map((date) => ({
		file: dates === null ? `${id}.json` : `${id}/${date.date}.json`,
		text: openApiText(openApi(document, operations, date)),
	}));
}

/** The servers of the surfaces. */
export interface Servers {
	readonly api: HttpServer;
	readonly coa: HttpServer;
}

/** Opens every surface on its server and mounts its operations. The operator's API shares the partner API's server. */
export function openSurfaces({ api, coa }: Servers, deps: RouteDeps): void {
	const { authenticate } = deps;
	const partner = api.gate(keyedSurface(partnerDocument(), authenticate));
	mountRooms(partner, PARTNER_ROOMS, deps);
	addDocs(api, partner);
	mountRooms(api.gate(OPERATOR_SURFACE), OPERATOR_ROOMS, deps);
	const feed = coa.gate(keyedSurface(coaDocument(), authenticate));
	mountRooms(feed, COA_ROOMS, deps);
	addDocs(coa, feed, () => deps.addresses.coa);
}

function mountRooms<Who>(gate: Gate<Who>, rooms: readonly Room<Who>[], deps: RouteDeps): void {
	for (const { routes } of rooms) routes(gate, deps);
	const mounted = new Set<Operation>(gate.operations);
	const missing = operationsOf(rooms).filter((operation) => !mounted.has(operation));
	assert(missing.length === 0, `documented and not mounted: ${missing.map(({ id }) => id).join(", ")}`);
}

/** Every operation that the contracts of these rooms declare. */
function operationsOf(rooms: readonly { readonly contract: object }[]): Operation[] {
	return rooms.flatMap(({ contract }) => (Object.values(contract) as unknown[]).filter(isOperation));
}

function isOperation(declared: unknown): declared is Operation {
	return typeof declared === "object" && declared !== null && "id" in declared && "replies" in declared;
}
