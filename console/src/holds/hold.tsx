import { type FormEvent, type ReactNode, useState } from "react";
import { Link, useParams } from "react-router";
import { useRead, useWrite } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Buttons, Field, textOf } from "../parts/form.tsx";
import { Table } from "../parts/list.tsx";
import { Facts, Failed, Loading, Page, Problem, State } from "../parts/page.tsx";
import { BATCH, FORMULA, POOL } from "../stock/lot-columns.tsx";
import { nameOfOrder } from "../warehouse/order-name.ts";
import { words } from "../words/words.ts";
import { Ends } from "./ends.tsx";
import { HoldState } from "./state.tsx";

/** One hold with its units, and how it ended. */
export default function HoldPage({ me }: { me: Me }): ReactNode {
	const { token = "" } = useParams();
	const [isReleasing, setReleasing] = useState(false);
	const { data: hold, error, refetch } = useRead("get_hold", { params: { token } });
	const retry = (): void => void refetch();
	if (hold === undefined) {
		return error === null ? <Loading /> : <Failed title={words.holds.title} error={error} retry={retry} />;
	}
	const mayRelease = hold.status === "active" && hasRole(me, "operator");
	return (
		<Page
			title={`${words.holds.ref} ${hold.external_ref ?? token}`}
			actions={
				mayRelease ? (
					<button type="button" onClick={() => setReleasing(true)}>
						{words.holds.release}
					</button>
				) : undefined
			}
		>
			<Problem error={error} retry={retry} />
			<Facts
				facts={[
					[words.holds.status, <HoldState key="state" status={hold.status} impaired={hold.impaired} />],
					[words.holds.partner, `${hold.partner}, ${hold.key_name}`],
					[words.holds.ends, <Ends {...hold} key="ends" />],
					[words.holds.units, hold.units],
					[words.orders.ref, hold.order_id === null ? null : <OrderLink key="order" id={hold.order_id} />],
				]}
			/>
			<Table
				caption={words.holds.items}
				rows={hold.lines}
				keyOf={({ sku }) => sku}
				columns={[
					{ head: words.orders.sku, cell: ({ sku }) => sku },
					{ head: words.orders.qty, cell: ({ qty }) => qty, isNumber: true },
				]}
			/>
			<Table
				caption={words.holds.lots}
				rows={hold.parts.map((part, index) => ({ ...part, index }))}
				keyOf={({ index }) => String(index)}
				columns={[
					BATCH,
					FORMULA,
					POOL,
					{ head: words.holds.units, cell: ({ units }) => units, isNumber: true },
					{ head: words.holds.partState, cell: ({ state }) => <PartState state={state} /> },
				]}
			/>
			{isReleasing ? <Release token={token} onClose={() => setReleasing(false)} /> : null}
		</Page>
	);
}

/** Where units of a hold are: in a bucket of their lot, or no longer in the hold. */
const PartState = ({ state }: { state: string }): ReactNode =>
	state === "displaced" ? <State word={words.holds.lost} tone="bad" /> : (words.buckets[state] ?? state);

function OrderLink({ id }: { id: string }): ReactNode {
	const { data: order } = useRead("get_order", { params: { id } });
	return <Link to={`/orders/${id}`}>{order === undefined ? words.orders.ref : nameOfOrder(order)}</Link>;
}

function Release({ token, onClose }: { token: string; onClose: () => void }): ReactNode {
	const { run, isBusy, error } = useWrite("release_hold");
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		const reason = textOf(new FormData(event.currentTarget), "reason");
		const body = reason === undefined ? {} : { reason };
		if ((await run({ params: { token }, body })) !== null) onClose();
	};
	return (
		<Dialog title={words.holds.release} onClose={onClose}>
			<p>{words.holds.releaseHint}</p>
			<form onSubmit={(event) => void submit(event)}>
				<Problem error={error} />
				<Field label={words.reason} hint={words.reasonHint} name="reason" maxLength={500} />
				<Buttons send={words.holds.release} isBusy={isBusy} leave={words.cancel} onLeave={onClose} />
			</form>
		</Dialog>
	);
}
