import { assert } from "../ground/lib/assert.ts";
import type { Reads } from "../ground/pg/reads.ts";
import { admin as catalogAdmin } from "../inventory/catalog/admin.ts";
import * as catalogAdminContract from "../inventory/catalog/admin-contract.ts";
import { admin as certificateAdmin } from "../inventory/certificates/admin.ts";
import * as certificateAdminContract from "../inventory/certificates/admin-contract.ts";
import * as certificateWriteContract from "../inventory/certificates/certificate-write-contract.ts";
import * as certificates from "../inventory/certificates/contract.ts";
import { routes as certificateRoutes } from "../inventory/certificates/routes.ts";
import { admin as demandAdmin } from "../inventory/demand/admin.ts";
import * as demandAdminContract from "../inventory/demand/admin-contract.ts";
import * as reportedAdminContract from "../inventory/demand/reported-admin-contract.ts";
import { admin as holdAdmin } from "../inventory/holds/admin.ts";
import * as holdAdminContract from "../inventory/holds/admin-contract.ts";
import * as holds from "../inventory/holds/contract.ts";
import { routes as holdRoutes } from "../inventory/holds/routes.ts";
import { admin as orderAdmin } from "../inventory/orders/admin.ts";
import * as orderAdminContract from "../inventory/orders/admin-contract.ts";
import * as orders from "../inventory/orders/contract.ts";
import { routes as orderRoutes } from "../inventory/orders/routes.ts";
import * as prepaid from "../inventory/prepaid/contract.ts";
import { routes as prepaidRoutes } from "../inventory/prepaid/routes.ts";
import { admin as recallAdmin } from "../inventory/recall/admin.ts";
import * as recallAdminContract from "../inventory/recall/admin-contract.ts";
import * as lotAdminContract from "../inventory/recall/lot-admin-contract.ts";
import { admin as shippingAdmin } from "../inventory/shipping/admin.ts";
import * as boxAdminContract from "../inventory/shipping/box-admin-contract.ts";
import * as papersAdminContract from "../inventory/shipping/papers-admin-contract.ts";
import * as shipAdminContract from "../inventory/shipping/ship-admin-contract.ts";
import { admin as stockAdmin } from "../inventory/stock/admin.ts";
import * as stockAdminContract from "../inventory/stock/admin-contract.ts";
import * as stock from "../inventory/stock/contract.ts";
import * as lotWriteContract from "../inventory/stock/lot-write-contract.ts";
import { routes as stockRoutes } from "../inventory/stock/routes.ts";
import { createApiDates, NO_DATES } from "../partners/http/api-date.ts";
import { addDocs } from "../partners/http/docs/add-docs.ts";
import type { Gate, HttpServer } from "../partners/http/mount.ts";
import { openApi, openApiText } from "../partners/http/openapi/document.ts";
import type { Operation } from "../partners/http/operation.ts";
import type { SurfaceDocument } from "../partners/http/surface.ts";
import { admin as keyAdmin } from "../partners/keys/admin.ts";
import * as keys from "../partners/keys/contract.ts";
import * as keyAdminContract from "../partners/keys/key-admin-contract.ts";
import * as partnerAdminContract from "../partners/keys/partner-admin-contract.ts";
import { routes as keyRoutes } from "../partners/keys/routes.ts";
import { admin as operatorAdmin } from "../partners/operators/admin.ts";
import type { AuthenticateOperator } from "../partners/operators/authenticate-operator.ts";
import * as operators from "../partners/operators/contract.ts";
import { admin as peopleAdmin } from "../partners/people/admin.ts";
import type { AuthenticateSession } from "../partners/people/authenticate-session.ts";
import * as signInContract from "../partners/people/contract.ts";
import * as meContract from "../partners/people/me-contract.ts";
import * as peopleContract from "../partners/people/people-contract.ts";
import { BeginProviderSignIn, SignInByProvider } from "../partners/people/provider-contract.ts";
import { routes as peopleRoutes } from "../partners/people/routes.ts";
import { admin as runAdmin } from "../partners/runs/admin.ts";
import * as runAdminContract from "../partners/runs/admin-contract.ts";
import { admin as versionAdmin } from "../partners/versions/admin.ts";
import * as versionAdminContract from "../partners/versions/admin-contract.ts";
import * as versions from "../partners/versions/contract.ts";
import { routes as versionRoutes } from "../partners/versions/routes.ts";
import { admin as webhookAdmin } from "../partners/webhooks/admin.ts";
import * as webhooks from "../partners/webhooks/contract.ts";
import * as deliveryAdminContract from "../partners/webhooks/delivery-admin-contract.ts";
import * as endpointAdminContract from "../partners/webhooks/endpoint-admin-contract.ts";
import { routes as webhookRoutes } from "../partners/webhooks/routes.ts";
import { admin as backupAdmin } from "../upkeep/backup/admin.ts";
import * as backupAdminContract from "../upkeep/backup/admin-contract.ts";
import { admin as certificateImportAdmin } from "../upkeep/certificate-import/admin.ts";
import * as certificateImportContract from "../upkeep/certificate-import/certificate-import-contract.ts";
import { admin as consoleAdmin } from "../upkeep/console/admin.ts";
import * as liveContract from "../upkeep/console/live-contract.ts";
import * as overviewContract from "../upkeep/console/overview-contract.ts";
import { routes as addConsole } from "../upkeep/console/routes.ts";
import { admin as customerAdmin } from "../upkeep/customers/admin.ts";
import * as customerAdminContract from "../upkeep/customers/admin-contract.ts";
import { admin as goLiveAdmin } from "../upkeep/golive/admin.ts";
import * as goLiveAdminContract from "../upkeep/golive/admin-contract.ts";
import * as goLive from "../upkeep/golive/contract.ts";
import { routes as goLiveRoutes } from "../upkeep/golive/routes.ts";
import * as goLiveWriteContract from "../upkeep/golive/run-write-contract.ts";
import { admin as healthAdmin } from "../upkeep/health/admin.ts";
import * as healthContract from "../upkeep/health/health-contract.ts";
import { admin as importAdmin } from "../upkeep/import/admin.ts";
import * as importAdminContract from "../upkeep/import/admin-contract.ts";
import * as demandImportContract from "../upkeep/import/demand-admin-contract.ts";
import * as exportContract from "../upkeep/import/export-contract.ts";
import * as trackingAdminContract from "../upkeep/import/tracking-admin-contract.ts";
import { admin as ledgerAdmin } from "../upkeep/ledger/admin.ts";
import * as ledgerAdminContract from "../upkeep/ledger/admin-contract.ts";
import { admin as sandboxAdmin } from "../upkeep/sandbox/admin.ts";
import * as sandboxAdminContract from "../upkeep/sandbox/admin-contract.ts";
import * as sandbox from "../upkeep/sandbox/contract.ts";
import { routes as sandboxRoutes } from "../upkeep/sandbox/routes.ts";
import { admin as seriesAdmin } from "../upkeep/series/admin.ts";
import * as seriesContract from "../upkeep/series/admin-contract.ts";
import { type TrafficAdminDeps, admin as trafficAdmin } from "../upkeep/traffic/admin.ts";
import * as trafficAdminContract from "../upkeep/traffic/admin-contract.ts";
import * as traffic from "../upkeep/traffic/contract.ts";
import { routes as trafficRoutes } from "../upkeep/traffic/routes.ts";
import { followWrites } from "./follow-writes.ts";
import { coaDocument, keyedSurface, partnerDocument } from "./keyed-surfaces.ts";
import { byCredentials, bySocket, OPERATOR_DOCUMENT, operatorSurface, type PeopleRules } from "./operator-surface.ts";

/** What one room adds to a surface: its contract is documented, and its routes are mounted. */
interface Room<Who, Deps> {
	readonly contract: object;
	readonly routes: (gate: Gate<Who>, deps: Deps) => void;
}

/** The rooms of each surface. A new operation of a room that is listed here needs no change in this file. */
const PARTNER_ROOMS = [
	{ contract: versions, routes: versionRoutes },
	{ contract: stock, routes: stockRoutes },
	{ contract: holds, routes: holdRoutes },
	{ contract: orders, routes: orderRoutes },
	{ contract: webhooks, routes: webhookRoutes },
	{ contract: prepaid, routes: prepaidRoutes },
	{ contract: keys, routes: keyRoutes },
	{ contract: sandbox, routes: sandboxRoutes },
	{ contract: traffic, routes: trafficRoutes },
	{ contract: goLive, routes: goLiveRoutes },
];
const COA_ROOMS = [{ contract: certificates, routes: certificateRoutes }];
const OPERATOR_ROOMS = [
	{ contract: { ...signInContract, BeginProviderSignIn, SignInByProvider }, routes: peopleRoutes },
	{ contract: { ...meContract, ...peopleContract }, routes: peopleAdmin },
	{ contract: operators, routes: operatorAdmin },
	{ contract: runAdminContract, routes: runAdmin },
	{ contract: versionAdminContract, routes: versionAdmin },
	{ contract: { ...overviewContract, ...liveContract }, routes: consoleAdmin },
	{ contract: healthContract, routes: healthAdmin },
	{ contract: { ...partnerAdminContract, ...keyAdminContract }, routes: keyAdmin },
	{ contract: catalogAdminContract, routes: catalogAdmin },
	{
		contract: { ...importAdminContract, ...exportContract, ...demandImportContract, ...trackingAdminContract },
		routes: importAdmin,
	},
	{ contract: { ...stockAdminContract, ...lotWriteContract }, routes: stockAdmin },
	{ contract: { ...lotAdminContract, ...recallAdminContract }, routes: recallAdmin },
	{ contract: { ...demandAdminContract, ...reportedAdminContract }, routes: demandAdmin },
	{ contract: holdAdminContract, routes: holdAdmin },
	{ contract: orderAdminContract, routes: orderAdmin },
	{ contract: { ...boxAdminContract, ...shipAdminContract, ...papersAdminContract }, routes: shippingAdmin },
	{ contract: ledgerAdminContract, routes: ledgerAdmin },
	{ contract: backupAdminContract, routes: backupAdmin },
	{ contract: { ...certificateAdminContract, ...certificateWriteContract }, routes: certificateAdmin },
	{ contract: certificateImportContract, routes: certificateImportAdmin },
	{ contract: { ...endpointAdminContract, ...deliveryAdminContract }, routes: webhookAdmin },
	{ contract: sandboxAdminContract, routes: sandboxAdmin },
	{ contract: seriesContract, routes: seriesAdmin },
	{ contract: trafficAdminContract, routes: trafficAdmin },
	{ contract: customerAdminContract, routes: customerAdmin },
	{ contract: { ...goLiveAdminContract, ...goLiveWriteContract }, routes: goLiveAdmin },
];

/** What the operations of all these rooms depend on. */
type DepsOf<Rooms extends readonly { readonly routes: unknown }[]> = Rooms[number]["routes"] extends (
	gate: never,
	deps: infer Deps,
) => void
	? Deps
	: never;
type RouteDeps = DepsOf<typeof PARTNER_ROOMS> &
	DepsOf<typeof COA_ROOMS> & { readonly addresses: { readonly coa: string } };
type AdminDeps = DepsOf<typeof OPERATOR_ROOMS> & {
	readonly authenticateOperator: AuthenticateOperator;
	readonly authenticateSession: AuthenticateSession;
	readonly peopleRules: PeopleRules;
	readonly reads: Pick<Reads, "follow">;
};

export const PARTNER_OPERATIONS: readonly Operation[] = operationsOf(PARTNER_ROOMS);

export const COA_OPERATIONS: readonly Operation[] = operationsOf(COA_ROOMS);

export const OPERATOR_OPERATIONS: readonly Operation[] = operationsOf(OPERATOR_ROOMS);

const OPERATIONS_BY_ID = new Map([...PARTNER_OPERATIONS, ...COA_OPERATIONS].map((one) => [one.id, one]));

/** What an explanation of a partner's request must know about its operation. */
const OF_OPERATIONS: Pick<TrafficAdminDeps, "scopeOf" | "isOfCoa" | "dates"> = {
	scopeOf: (id) => OPERATIONS_BY_ID.get(id)?.scope ?? null,
	isOfCoa: (id) => COA_OPERATIONS.some((one) => one.id === id),
	dates: createApiDates().accepted.map(({ date }) => date),
};
/** The dependencies of operations, except those that this file adds. */
type Given<AllDeps> = Omit<AllDeps, keyof typeof OF_OPERATIONS>;

export interface DocumentedSurface {
	readonly document: SurfaceDocument;
	readonly operations: readonly Operation[];
}

/** Every surface. Each gets one OpenAPI document for each of its API dates. */
export const SURFACES: readonly DocumentedSurface[] = [
	{ document: partnerDocument(), operations: PARTNER_OPERATIONS },
	{ document: coaDocument(), operations: COA_OPERATIONS },
	{ document: OPERATOR_DOCUMENT, operations: OPERATOR_OPERATIONS },
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

export interface Servers {
	readonly api: HttpServer;
	readonly coa: HttpServer;
	/**
	 * The operator's API on the network: the server of the partner API, or a separate one; null: it is not served
	 * there.
	 */
	readonly network: HttpServer | null;
	/** The Unix socket of the operator's API; null: there is none. */
	readonly socket: HttpServer | null;
}

/** Opens every surface at its address and mounts its operations. */
export function openSurfaces({ api, coa, network, socket }: Servers, given: Given<RouteDeps & AdminDeps>): void {
	const { authenticate } = given;
	const deps = { ...given, ...OF_OPERATIONS };
	const partner = api.gate(keyedSurface(partnerDocument(), authenticate));
	mountRooms(partner, PARTNER_ROOMS, deps);
	const coaAddress = () => deps.addresses.coa;
	addDocs(api, partner, { coa: coaAddress });
	if (network !== null) {
		const { authenticateSession, peopleRules, people } = deps;
		const { isSecondFactorRequired } = peopleRules;
		addConsole(network, { hasProvider: people.provider !== null, authenticateSession, isSecondFactorRequired });
		openOperator(network, byCredentials(deps.authenticateOperator, authenticateSession), deps);
	}
	if (socket !== null) openOperator(socket, bySocket(), deps);
	const feed = coa.gate(keyedSurface(coaDocument(), authenticate));
	mountRooms(feed, COA_ROOMS, deps);
	addDocs(coa, feed, { coa: coaAddress, isCoa: true });
}

/** The address of the operator API's document, which is served without a token. */
const OPERATOR_DOCUMENT_PATH = "/admin/api/openapi.json";

/** Opens the operator's API on a server, for callers that `authenticate` accepts. */
export function openOperator(
	server: HttpServer,
	authenticate: Parameters<typeof operatorSurface>[2],
	given: Given<AdminDeps>,
): void {
	const gate = followWrites(server.gate(operatorSurface(given.db, given.peopleRules, authenticate)), given.reads);
	mountRooms(gate, OPERATOR_ROOMS, { ...given, ...OF_OPERATIONS });
	let document: ReturnType<typeof openApi> | null = null; // built at the first request for it
	server.serve(OPERATOR_DOCUMENT_PATH, async () => {
		document ??= openApi(OPERATOR_DOCUMENT, gate.operations, NO_DATES.current);
		return { status: 200, body: document };
	});
}

function mountRooms<Who, Deps>(gate: Gate<Who>, rooms: readonly Room<Who, Deps>[], deps: Deps): void {
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
