import type { ReactNode } from "react";
import { CopyText } from "../parts/copy.tsx";
import { words } from "../words/words.ts";

/** A token that is shown only now, with the request that uses it. */
export function Token(props: { token: string; environment: "live" | "sandbox"; onKept: () => void }): ReactNode {
	const { token, environment, onKept } = props;
	const item = { sku: environment === "sandbox" ? "SBX-PLENTY" : "YOUR-SKU", qty: 1 };
	const body = JSON.stringify({ items: [item], external_ref: "first-hold" });
	const curl = `curl -sS ${location.origin}/api/v1/reserve -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${body}'`;
	return (
		<section className="card">
			<h2>{words.keys.token}</h2>
			<p>{words.keys.tokenHint}</p>
			<CopyText label={words.keys.name} text={token} />
			<CopyText label={words.keys.curl} text={curl} />
			<button type="button" className="main" onClick={onKept}>
				{words.keys.kept}
			</button>
		</section>
	);
}
