import * as holds from "../holds/contract.ts";
import * as stock from "../stock/contract.ts";
import * as versions from "../versions/contract.ts";
import type { Operation } from "./operation.ts";

const isOperation = (declared: unknown): declared is Operation =>
	typeof declared === "object" && declared !== null && "id" in declared && "replies" in declared;

/** Every operation the partner API declares, whether or not a gate has mounted it: what the OpenAPI documents are written from. */
export const PARTNER_OPERATIONS: readonly Operation[] = [versions, stock, holds].flatMap((contract) =>
	(Object.values(contract) as unknown[]).filter(isOperation),
);
