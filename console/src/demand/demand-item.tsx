import { type ReactNode, useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useRead, type Writing } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Table } from "../parts/list.tsx";
import { Facts, Failed, Loading, Page, Problem } from "../parts/page.tsx";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { Moment } from "../parts/time.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { ReplaceDemand } from "./replace-demand.tsx";

type Item = DataOf<"get_demand">;
type Shipped = NonNullable<Writing<"ship_demand">["done"]>;

/** The demand under one reference, with what can be done with it. */
export default function DemandItem({ me }: { me: Me }): ReactNode {
	const { reference = "" } = useParams();
	const { data, error, refetch } = useRead("get_demand", { params: { reference } });
	const [shipped, setShipped] = useState<Shipped | null>(null);
	const title = words.demandItem.title(reference);
	if (shipped !== null) return <ShippedPage title={title} shipped={shipped} />;
	const retry = (): void => void refetch();
	// demand that was shipped or cleared cannot be read any more: its last state stays until the dialog is closed
	if (data === undefined) return error === null ? <Loading /> : <Failed title={title} error={error} retry={retry} />;
	return (
		<Page title={title} actions={hasRole(me, "operator") ? <Actions of={data} onShipped={setShipped} /> : undefined}>
			<Problem error={error} retry={retry} />
			<Facts facts={[[words.demand.source, data.source ?? words.demand.entered]]} />
			{data.source === null ? null : <p>{words.demandItem.reported(data.source)}</p>}
			<Table
				caption={words.demandItem.items}
				rows={data.items}
				keyOf={({ formula, brand_code }) => JSON.stringify([formula, brand_code])}
				columns={[
					{
						head: words.demand.formula,
						cell: ({ formula }) => <Link to={`/stock?q=${encodeURIComponent(formula)}`}>{formula}</Link>,
					},
					{ head: words.demand.pool, cell: ({ brand_code }) => brand_code ?? words.stock.shared },
					{ head: words.demand.units, cell: ({ units }) => units, isNumber: true },
					{ head: words.demand.since, cell: ({ since }) => <Moment at={since} /> },
				]}
			/>
		</Page>
	);
}

function Actions({ of: item, onShipped }: { of: Item; onShipped: (shipped: Shipped) => void }): ReactNode {
	const navigate = useNavigate();
	const [doing, setDoing] = useState<"change" | "ship" | "clear" | null>(null);
	const close = (): void => setDoing(null);
	const params = { reference: item.reference };
	const verbs = item.source === null ? (["ship", "change", "clear"] as const) : (["clear"] as const);
	return (
		<>
			{verbs.map((verb) => (
				<button
					key={verb}
					type="button"
					className={verb === "ship" ? "main" : undefined}
					onClick={() => setDoing(verb)}
				>
					{words.demandItem[verb]}
				</button>
			))}
			{doing === "change" ? <ReplaceDemand of={item} onClose={close} /> : null}
			{doing === "ship" ? (
				<WriteDialog
					id="ship_demand"
					title={words.demandItem.ship}
					asked={(form) => ({ params, body: { ...reasonIn(form), shared: form.get("shared") === "on" } })}
					onClose={close}
					onDone={onShipped}
				>
					{() => (
						<>
							<p>{words.demandItem.shipHint}</p>
							<label className="check">
								<input type="checkbox" name="shared" /> {words.demandItem.shared}
							</label>
							<ReasonField />
						</>
					)}
				</WriteDialog>
			) : null}
			{doing === "clear" ? (
				<WriteDialog
					id="clear_demand"
					title={words.demandItem.clear}
					asked={() => ({ params })}
					onClose={close}
					onDone={() => void navigate("/demand", { replace: true })}
				>
					{() => <p>{words.demandItem.clearHint}</p>}
				</WriteDialog>
			) : null}
		</>
	);
}

/** What left the stock, and what could not be found. */
const ShippedPage = ({ title, shipped }: { title: string; shipped: Shipped }): ReactNode => (
	<Page title={title}>
		<p role="status" className="strong">
			{words.demandItem.shipped(shipped.drawn_units)}
		</p>
		{shipped.missing_units === 0 ? null : (
			<p className="wrong">
				{words.demandItem.missing(shipped.missing_units)}{" "}
				<Link to={`/exceptions?reference=${encodeURIComponent(shipped.reference)}`}>
					{words.demandItem.toExceptions}
				</Link>
			</p>
		)}
		{shipped.drawn.length === 0 ? null : (
			<Table
				caption={words.demandItem.lots}
				rows={shipped.drawn}
				keyOf={({ fg_id }) => fg_id}
				columns={[
					{ head: words.demandItem.lot, cell: ({ fg_id }) => <LotLink fg_id={fg_id} /> },
					{ head: words.demand.units, cell: ({ units }) => units, isNumber: true },
				]}
			/>
		)}
		<Link to="/demand">{words.demandItem.back}</Link>
	</Page>
);

/** Shows a lot by its formula and batch number, which the reply does not contain. */
function LotLink({ fg_id }: { fg_id: string }): ReactNode {
	const { data: lot } = useRead("get_lot", { params: { fg_id } });
	return <Link to={`/stock/${fg_id}`}>{lot === undefined ? fg_id : `${lot.formula} ${lot.batch_number}`}</Link>;
}
