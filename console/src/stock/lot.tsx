import { type FormEvent, type ReactNode, useState } from "react";
import { useParams } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useRead, useWrite } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { words } from "../app/words.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Buttons, Field, isAboutFields, problemAt, textOf } from "../parts/form.tsx";
import { Table } from "../parts/list.tsx";
import { Facts, Failed, Loading, Page, Problem } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";

/** One lot: where its units are, and every move of them. */
export default function LotPage({ me }: { me: Me }): ReactNode {
	const { fg_id = "" } = useParams();
	const params = { fg_id };
	const { data: lot, error, refetch } = useRead("get_lot", { params });
	const { data: moves } = useRead("list_lot_moves", { params });
	if (error !== null) return <Failed title={words.stock.title} error={error} retry={() => void refetch()} />;
	if (lot === undefined) return <Loading />;
	return (
		<Page
			title={`${lot.formula} ${lot.batch_number}`}
			actions={hasRole(me, "operator") ? <Actions lot={lot} /> : undefined}
		>
			<Facts
				facts={[
					[words.stock.pool, lot.brand_code ?? words.stock.shared],
					[words.stock.expires, lot.expires_on],
					[words.stock.location, lot.location],
					[words.stock.available, lot.available],
					[words.stock.held, lot.held],
					[words.stock.allocated, lot.allocated],
					[words.stock.quarantined, lot.quarantined],
				]}
			/>
			{moves === undefined ? (
				<Loading />
			) : (
				<Table
					caption={words.stock.moves}
					rows={moves.items}
					keyOf={({ seq }) => String(seq)}
					columns={[
						{ head: words.audit.at, cell: ({ at }) => <Moment at={at} /> },
						{ head: words.audit.operation, cell: ({ from, to }) => `${from} → ${to}` },
						{ head: words.stock.units, cell: ({ units }) => units, isNumber: true },
						{ head: words.stock.cause, cell: ({ cause, reason }) => [cause, reason].filter(Boolean).join(": ") },
						{ head: words.audit.actor, cell: ({ actor }) => actor },
					]}
				/>
			)}
		</Page>
	);
}

type Lot = DataOf<"get_lot">;
type Doing = "correct" | "quarantine" | "restore";

function Actions({ lot }: { lot: Lot }): ReactNode {
	const [doing, setDoing] = useState<Doing | null>(null);
	const verbs: readonly Doing[] =
		lot.quarantined > 0 ? ["correct", "quarantine", "restore"] : ["correct", "quarantine"];
	return (
		<>
			{verbs.map((verb) => (
				<button key={verb} type="button" onClick={() => setDoing(verb)}>
					{words.stock[verb]}
				</button>
			))}
			{doing === null ? null : <Act lot={lot} doing={doing} onClose={() => setDoing(null)} />}
		</>
	);
}

const FIELDS = ["units", "reason"];

function Act({ lot, doing, onClose }: { lot: Lot; doing: Doing; onClose: () => void }): ReactNode {
	const params = { fg_id: lot.fg_id };
	const writes = {
		correct: useWrite("correct_lot"),
		quarantine: useWrite("quarantine_lot"),
		restore: useWrite("restore_lot"),
	};
	const { isBusy, error, run } = writes[doing];
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const body = { units: Number(textOf(form, "units")), reason: textOf(form, "reason") ?? "" };
		if ((await run({ params, body })) !== null) onClose();
	};
	return (
		<Dialog title={words.stock[doing]} onClose={onClose}>
			<form onSubmit={(event) => void submit(event)}>
				{isAboutFields(error, FIELDS) ? null : <Problem error={error} />}
				<Field
					label={doing === "correct" ? words.stock.counted : words.stock.units}
					name="units"
					type="number"
					min={doing === "correct" ? undefined : 1}
					step={1}
					problem={problemAt(error, "units")}
					required
				/>
				<Field label={words.reason} name="reason" maxLength={500} problem={problemAt(error, "reason")} required />
				<Buttons send={words.stock[doing]} isBusy={isBusy} leave={words.cancel} onLeave={onClose} />
			</form>
		</Dialog>
	);
}
