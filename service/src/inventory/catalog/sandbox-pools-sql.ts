import { SANDBOX_BRAND } from "../../glossary.ts";

/**
 * A condition of SQL: the pool with this id is a sandbox, a partner's or the model. The pools are read once in a
 * statement.
 */
export const isSandboxPool = (poolId: string): string =>
	`${poolId} = any(array(select pool_id from pool where brand_code = '${SANDBOX_BRAND}'))`;
