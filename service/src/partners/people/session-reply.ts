import type { Role } from "../../glossary.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { SessionRow } from "./person.ts";
import { endsAt } from "./session.ts";

/** A session as replies show it. `currentId`: the session of the request. */
export const sessionReply = (session: SessionRow, role: Role, currentId: string | null) => ({
	id: session.sessionId,
	address: session.address,
	user_agent: session.userAgent,
	signed_in_at: toRfc3339(session.createdAt),
	seen_at: toRfc3339(session.seenAt),
	ends_at: toRfc3339(endsAt(session, role)),
	current: session.sessionId === currentId,
});
