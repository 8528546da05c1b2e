import { type ComponentType, lazy } from "react";
import type { Me, Role } from "./roles.ts";

type PageComponent = ComponentType<{ me: Me }>;

/**
 * The pages by their addresses below /admin, and the lowest role for those that consist of a form alone, or that lower
 * roles may not read. The browser loads each as a separate file.
 */
export const PAGES: readonly (readonly [path: string, page: PageComponent, least?: Role])[] = [
	["", lazy(() => import("../today/today.tsx"))],
	["search", lazy(() => import("../search/search.tsx"))],

	["orders", lazy(() => import("../orders/orders.tsx"))],
	["orders/:id", lazy(() => import("../orders/order.tsx"))],
	["holds", lazy(() => import("../holds/holds.tsx"))],
	["holds/:token", lazy(() => import("../holds/hold.tsx"))],
	["warehouse", lazy(() => import("../warehouse/queue.tsx"))],
	["warehouse/walk", lazy(() => import("../warehouse/walk.tsx"))],
	["warehouse/orders/:id", lazy(() => import("../warehouse/pack.tsx"))],
	["warehouse/tracking", lazy(() => import("../warehouse/tracking.tsx"))],
	["boxes", lazy(() => import("../boxes/boxes.tsx"))],
	["boxes/combine", lazy(() => import("../boxes/combine.tsx"))],
	["boxes/:id", lazy(() => import("../boxes/box.tsx"))],

	["stock", lazy(() => import("../stock/lots.tsx"))],
	["stock/receive", lazy(() => import("../stock/receive.tsx")), "warehouse"],
	["stock/:fg_id", lazy(() => import("../stock/lot.tsx"))],
	["recalls", lazy(() => import("../recalls/recalls.tsx"))],
	["recalls/new", lazy(() => import("../recalls/new-recall.tsx")), "operator"],
	["recalls/:id", lazy(() => import("../recalls/recall.tsx"))],
	["ledger", lazy(() => import("../ledger/ledger.tsx"))],
	["counts", lazy(() => import("../ledger/explain.tsx"))],
	["catalogue", lazy(() => import("../catalogue/skus.tsx"))],
	["catalogue/products", lazy(() => import("../catalogue/products.tsx"))],
	["catalogue/formulas", lazy(() => import("../catalogue/formulas.tsx"))],
	["catalogue/brands", lazy(() => import("../catalogue/brands.tsx"))],
	["import", lazy(() => import("../import/import.tsx"))],

	["certificates", lazy(() => import("../certificates/certificates.tsx"))],
	["certificates/new", lazy(() => import("../certificates/new-certificates.tsx")), "operator"],
	["certificates/:slug/:batch", lazy(() => import("../certificates/certificate.tsx"))],
	["demand", lazy(() => import("../demand/demand.tsx"))],
	["demand/buffers", lazy(() => import("../demand/buffers.tsx"))],
	["demand/item/:reference", lazy(() => import("../demand/demand-item.tsx"))],
	["exceptions", lazy(() => import("../demand/exceptions.tsx"))],
	["stores", lazy(() => import("../demand/stores.tsx"))],

	["api-keys", lazy(() => import("../keys/keys.tsx"))],
	["api-keys/new", lazy(() => import("../keys/new-key.tsx")), "operator"],
	["api-keys/:pk", lazy(() => import("../keys/key.tsx"))],
	["webhooks", lazy(() => import("../webhooks/endpoints.tsx"))],
	["webhooks/deliveries", lazy(() => import("../webhooks/deliveries.tsx"))],
	["webhooks/events", lazy(() => import("../webhooks/events.tsx"))],
	["webhooks/endpoints/:id", lazy(() => import("../webhooks/endpoint.tsx"))],

	["golives", lazy(() => import("../golives/golives.tsx"))],
	["golives/new", lazy(() => import("../golives/new-golive.tsx")), "operator"],
	["golives/:id", lazy(() => import("../golives/golive.tsx"))],

	["requests", lazy(() => import("../requests/requests.tsx"))],
	["requests/errors", lazy(() => import("../requests/errors.tsx"))],
	["requests/:request_id", lazy(() => import("../requests/request.tsx"))],

	["runs", lazy(() => import("../runs/runs.tsx"))],
	["runs/:run_id", lazy(() => import("../runs/run.tsx"))],
	["health", lazy(() => import("../health/health.tsx"))],
	["people", lazy(() => import("../people/people.tsx")), "admin"],
	["tokens", lazy(() => import("../people/tokens.tsx")), "admin"],
	["audit", lazy(() => import("../audit/audit.tsx")), "admin"],
	["account", lazy(() => import("../people/account.tsx"))],
];
