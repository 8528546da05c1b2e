import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Dialog } from "../parts/dialog.tsx";
import { words } from "../words/words.ts";
import { CorrectDialog, LocateDialog, MoreUnitsDialog } from "./lot-dialogs.tsx";
import { TakeOutDialog } from "./take-out.tsx";

type Verb = "receive" | "locate" | "correct" | "quarantine" | "restore" | "destroy";

const NAMES: { readonly [verb in Verb]: string } = {
	receive: words.lot.receive,
	locate: words.lot.locate,
	correct: words.stock.correct,
	quarantine: words.lot.quarantine,
	restore: words.lot.restore,
	destroy: words.lot.destroy,
};

/** What this person may do to a lot. */
export function LotActions({ lot, me }: { lot: DataOf<"get_lot">; me: Me }): ReactNode {
	const [doing, setDoing] = useState<Verb | null>(null);
	const [told, setTold] = useState<string | null>(null);
	if (!hasRole(me, "warehouse")) return null;
	const mayAll = hasRole(me, "operator");
	const verbs: readonly Verb[] = [
		"receive",
		"locate",
		...(mayAll ? (["correct", "quarantine"] as const) : []),
		...(mayAll && lot.quarantined > 0 ? (["restore"] as const) : []),
		...(mayAll ? (["destroy"] as const) : []),
	];
	const close = (): void => setDoing(null);
	return (
		<>
			{verbs.map((verb) => (
				<button
					key={verb}
					type="button"
					className={verb === "destroy" ? "bad" : undefined}
					onClick={() => setDoing(verb)}
				>
					{NAMES[verb]}
				</button>
			))}
			{mayAll && lot.recalled_at === null ? (
				<Link className="button" to={`/recalls/new?fg_id=${lot.fg_id}`}>
					{words.lot.recall}
				</Link>
			) : null}
			{doing === "receive" ? <MoreUnitsDialog lot={lot} onClose={close} onTold={setTold} /> : null}
			{doing === "locate" ? <LocateDialog lot={lot} onClose={close} /> : null}
			{doing === "correct" ? <CorrectDialog lot={lot} onClose={close} onTold={setTold} /> : null}
			{doing === "quarantine" || doing === "restore" || doing === "destroy" ? (
				<TakeOutDialog key={doing} lot={lot} verb={doing} title={NAMES[doing]} onClose={close} />
			) : null}
			{told === null ? null : (
				<Dialog title={words.stock.quarantined} onClose={() => setTold(null)}>
					<p>{told}</p>
					<button type="button" onClick={() => setTold(null)}>
						{words.close}
					</button>
				</Dialog>
			)}
		</>
	);
}
