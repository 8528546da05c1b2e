import type { ReactNode } from "react";
import { Link } from "react-router";

/** Who did something, as ledger and log name them: an operator by name, a partner by the key, which has a page. */
export function Actor({ actor }: { actor: string }): ReactNode {
	const [, kind, name = ""] = /^(operator|key):(.+)$/s.exec(actor) ?? [];
	if (kind === "key") return <Link to={`/api-keys/${encodeURIComponent(name)}`}>{name}</Link>;
	return kind === "operator" ? name : actor;
}
