import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Column } from "../parts/list.tsx";
import { State } from "../parts/page.tsx";
import { ShortTable } from "../parts/short-table.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import type { ToldRecall } from "./state.tsx";

interface OfPartner {
	readonly partner: string;
	readonly key: string;
	readonly key_name: string;
	readonly units: number;
}
interface OfOrder {
	readonly order_id: string;
	readonly ref: string;
	readonly external_order_id: string | null;
}
interface InBox {
	readonly shipment_id: string;
	readonly carrier_code: string | null;
	readonly tracking_number: string | null;
}

const PARTNER: Column<OfPartner> = {
	head: words.recalls.partner,
	cell: ({ partner, key, key_name }) => (
		<>
			{partner}, <Link to={`/api-keys/${encodeURIComponent(key)}`}>{key_name}</Link>
		</>
	),
};
const ORDER: Column<OfOrder> = {
	head: words.recalls.order,
	cell: ({ order_id, ref, external_order_id }) => <Link to={`/orders/${order_id}`}>{external_order_id ?? ref}</Link>,
};
const UNITS: Column<{ readonly units: number }> = {
	head: words.recalls.units,
	cell: ({ units }) => units,
	isNumber: true,
};
const BATCHES: Column<{ readonly batch_numbers: readonly string[] }> = {
	head: words.recalls.batches,
	cell: ({ batch_numbers }) => batch_numbers.join(", "),
};
const BOX: Column<InBox> = {
	head: words.recalls.box,
	cell: ({ shipment_id }) => <Link to={`/boxes/${shipment_id}`}>{words.recalls.toBox}</Link>,
};
const TRACKING: Column<InBox> = {
	head: words.recalls.tracking,
	cell: ({ carrier_code, tracking_number }) => [carrier_code, tracking_number].filter(Boolean).join(" "),
};

/** Those who have units of the lots, or are about to get some: goods to call back. */
export const Recipients = ({ told }: { told: ToldRecall }): ReactNode => (
	<>
		<Listed hint={words.recalls.packedHint} n={told.packed_orders.length}>
			<ShortTable
				caption={words.recalls.packed}
				rows={told.packed_orders}
				keyOf={({ order_id, shipment_id }) => `${order_id} ${shipment_id}`}
				columns={[
					PARTNER,
					ORDER,
					UNITS,
					BATCHES,
					BOX,
					TRACKING,
					{ head: words.recalls.picked, cell: ({ picked_at }) => <Moment at={picked_at} /> },
					{
						head: words.recalls.pickedAnew,
						cell: ({ picked_anew_at: at }) =>
							at === null ? <State word={words.recalls.notAnew} tone="bad" /> : <Moment at={at} />,
					},
				]}
			/>
		</Listed>
		<Listed hint={words.recalls.shippedHint} n={told.shipped_orders.length}>
			<ShortTable
				caption={words.recalls.shipped}
				rows={told.shipped_orders}
				keyOf={({ order_id, shipment_id }) => `${order_id} ${shipment_id}`}
				columns={[
					PARTNER,
					ORDER,
					UNITS,
					BATCHES,
					{
						head: words.orders.customer,
						cell: ({ customer, city, country, email, phone }) =>
							[`${customer}, ${city}, ${country}`, email, phone].filter(Boolean).join("; "),
					},
					BOX,
					TRACKING,
					{ head: words.recalls.shippedAt, cell: ({ shipped_at }) => <Moment at={shipped_at} /> },
				]}
			/>
		</Listed>
		<Sales consumed={told.consumed} />
		<Listed hint={words.recalls.elsewhereHint} n={told.shipped_elsewhere.length}>
			<ShortTable
				caption={words.recalls.elsewhere}
				rows={told.shipped_elsewhere}
				keyOf={({ reference }) => reference}
				columns={[
					{ head: words.recalls.reference, cell: ({ reference }) => reference },
					UNITS,
					BATCHES,
					{ head: words.recalls.leftAt, cell: ({ at }) => <Moment at={at} /> },
				]}
			/>
		</Listed>
	</>
);

/** What partners took to ship it themselves. */
const Sales = ({ consumed }: { consumed: ToldRecall["consumed"] }): ReactNode => (
	<Listed hint={words.recalls.consumedHint} n={consumed.length}>
		<ShortTable
			caption={words.recalls.consumed}
			rows={consumed}
			keyOf={({ reservation_token }) => reservation_token}
			columns={[
				PARTNER,
				{
					head: words.recalls.reference,
					cell: ({ reservation_token, external_ref }) => <Link to={`/holds/${reservation_token}`}>{external_ref}</Link>,
				},
				UNITS,
				{ head: words.recalls.reported, cell: ({ shipped_units }) => shipped_units, isNumber: true },
				BATCHES,
				{ head: words.recalls.soldAt, cell: ({ consumed_at }) => <Moment at={consumed_at} /> },
			]}
		/>
	</Listed>
);

/** Those who lack units because of the recall. */
export const Holders = ({ told }: { told: ToldRecall }): ReactNode => (
	<>
		<Listed hint={words.recalls.heldHint} n={told.held_orders.length}>
			<ShortTable
				caption={words.recalls.held}
				rows={told.held_orders}
				keyOf={({ order_id }) => order_id}
				columns={[
					PARTNER,
					ORDER,
					UNITS,
					{ head: words.recalls.placed, cell: ({ placed_at }) => <Moment at={placed_at} /> },
				]}
			/>
		</Listed>
		<Listed hint={words.recalls.impairedHint} n={told.impaired_holds.length}>
			<ShortTable
				caption={words.recalls.impaired}
				rows={told.impaired_holds}
				keyOf={({ reservation_token }) => reservation_token}
				columns={[
					PARTNER,
					{
						head: words.recalls.hold,
						cell: ({ reservation_token, external_ref }) => (
							<Link to={`/holds/${reservation_token}`}>{external_ref ?? reservation_token}</Link>
						),
					},
					UNITS,
					{ head: words.recalls.ends, cell: ({ expires_at }) => <Moment at={expires_at} /> },
				]}
			/>
		</Listed>
	</>
);

/** A list with what to do about it; nothing if nobody is on it. */
const Listed = ({ hint, n, children }: { hint: string; n: number; children: ReactNode }): ReactNode =>
	n === 0 ? null : (
		<section>
			{children}
			<p className="hint">{hint}</p>
		</section>
	);
