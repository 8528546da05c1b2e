/*
 * Migrations expand or contract; see docs/decisions/0103. Nodes of the previous release continue to serve while an
 * expansion runs, and may be started again afterwards. A contract step removes what no release that may still run uses.
 */

/** The ending of the name of a contract step. Builds that lack such a migration do not start on a database with it. */
const CONTRACT_STEP = /_contract$/;

/** Whether this is the name of a migration that older builds must not run with. */
export const isContractStep = (name: string): boolean => CONTRACT_STEP.test(name);
