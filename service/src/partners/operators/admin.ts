import { rfc3339OrNull, toRfc3339 } from "../../ground/lib/clock.ts";
import { firstRows } from "../../ground/lib/page.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { createTurns } from "../../ground/lib/turns.ts";
import { onOwnConnection } from "../../ground/pg/own-connection.ts";
import { selectNow } from "../../ground/pg/query.ts";
import { mountWrite, type ReadWriteDeps } from "../admin/mount-write.ts";
import { actorOf, type Operator } from "../admin/operator.ts";
import { readOperatorPage, readPageFrom, rowNumber, writeOperatorPage } from "../admin/page.ts";
import { type Gate, mount } from "../http/mount.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { type AuditRow, selectAuditPage } from "./audit-list-sql.ts";
import { ListAudit, ListTokens, MintToken, RevokeToken, VerifyAudit } from "./contract.ts";
import { mintToken } from "./mint-token.ts";
import { revokeToken } from "./revoke-token.ts";
import { selectTokenPage, type TokenRow } from "./sql.ts";
import { tokenIdOf } from "./token.ts";
import { verifyAudit } from "./verify-audit.ts";

export interface TokenDeps extends ReadWriteDeps {
	readonly ring: KeyRing;
	readonly databaseUrl: string;
}

/** The operations on the tokens of scripts and on the audit log. */
export function admin(gate: Gate<Operator>, deps: TokenDeps): void {
	mount(gate, ListTokens, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const list = await firstRows(page.limit, (most) => selectTokenPage(deps.readDb, page.after, most));
		const nowMs = await selectNow(deps.readDb);
		const reply = (row: TokenRow) => tokenReply(row, nowMs);
		return { status: 200, data: writeOperatorPage(list, ({ name }) => name, reply) };
	});

	mountWrite(gate, deps, MintToken, async (tx, { caller, body }) => {
		const { name, role, expires_at: expiresAt } = body;
		const minted = await mintToken(tx, deps.ring, caller, { name, role, expiresAt });
		if (isRefusal(minted)) return minted;
		const { row, token } = minted;
		return { status: 201, data: { ...tokenReply(row, row.createdAt), token }, about: name };
	});

	mountWrite(gate, deps, RevokeToken, async (tx, { params }) => {
		const revoked = await revokeToken(tx, params.id);
		if (isRefusal(revoked)) return revoked;
		const { row, changed } = revoked;
		return { status: 200, data: tokenReply(row, row.revokedAt ?? 0), about: row.name, changed };
	});

	mount(gate, ListAudit, async ({ query }) => {
		const page = readPageFrom(query, rowNumber);
		if (isRefusal(page)) return page;
		const list = await firstRows(page.limit, (most) => selectAuditPage(deps.listDb, query, page.after, most));
		return { status: 200, data: writeOperatorPage(list, ({ seq }) => String(seq), auditReply) };
	});

	// it reads the whole log: one at a time, on a connection that nothing else needs
	const turns = createTurns();
	mount(gate, VerifyAudit, async ({ caller }) => {
		const verified = await turns.take(actorOf(caller), () =>
			onOwnConnection(deps.databaseUrl, { name: "holdfast audit" }, (own) => verifyAudit(own, deps.ring)),
		);
		if (isRefusal(verified)) return verified;
		const { rows, broken, sealedTo } = verified;
		const { at = null, day = null, why = null } = broken ?? {};
		const data = { whole: broken === null, rows, broken_at: at, broken_day: day, why, sealed_to: sealedTo };
		return { status: 200, data };
	});
}

function tokenReply({ op, name, role, createdBy, createdAt, expiresAt, revokedAt }: TokenRow, nowMs: number) {
	const isExpired = expiresAt !== null && expiresAt <= nowMs;
	const state: "active" | "expired" | "revoked" = revokedAt !== null ? "revoked" : isExpired ? "expired" : "active";
	return {
		id: tokenIdOf(op),
		name,
		role,
		state,
		created_by: createdBy,
		created_at: toRfc3339(createdAt),
		expires_at: rfc3339OrNull(expiresAt),
		revoked_at: rfc3339OrNull(revokedAt),
	};
}

const auditReply = ({ at, requestId, ...row }: AuditRow) => ({
	...row,
	at: at.toISOString(),
	request_id: requestId,
});
