import type { ReactNode } from "react";
import { Link } from "react-router";
import { useRead } from "../api/use.ts";

/**
 * Who did something, as the ledger and the log name them: an operator by name, a partner by the key, which has a page.
 */
export function Actor({ actor }: { actor: string }): ReactNode {
	const [, kind, name = ""] = /^(operator|key):(.+)$/s.exec(actor) ?? [];
	if (kind === "key") return <KeyLink pk={name} />;
	return kind === "operator" ? name : actor;
}

/** A key, by its partner's name and its own once these are read: nobody recognises a key by its public half. */
export function KeyLink({ pk }: { pk: string }): ReactNode {
	const { data: key } = useRead("get_key", { params: { pk } });
	const isIt = key?.pk === pk; // until this key is read, `data` is that of the previous one
	return <Link to={`/api-keys/${encodeURIComponent(pk)}`}>{isIt ? `${key.partner}, ${key.name}` : pk}</Link>;
}
