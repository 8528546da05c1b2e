import { type FormEvent, type ReactNode, useState } from "react";
import { Link, useParams } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useRead, useWrite } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Actor } from "../audit/actor.tsx";
import { BoxState } from "../boxes/state.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Buttons, Choice, Field, textOf } from "../parts/form.tsx";
import { Table } from "../parts/list.tsx";
import { Facts, Failed, Loading, Page, Problem } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { nameOfOrder } from "../warehouse/order-name.ts";
import { words } from "../words/words.ts";
import { EraseCustomer } from "./erase.tsx";
import { Lacks } from "./lacks.tsx";
import { HOLD_REASONS, type HoldReason, OrderState } from "./state.tsx";

type Order = DataOf<"get_order">;

/** One order: what it is, where it goes, and everything that happened to it. */
export default function OrderPage({ me }: { me: Me }): ReactNode {
	const { id = "" } = useParams();
	const { data: order, error, refetch } = useRead("get_order", { params: { id } });
	const retry = (): void => void refetch();
	if (order === undefined) {
		return error === null ? <Loading /> : <Failed title={words.orders.title} error={error} retry={retry} />;
	}
	return (
		<Page
			title={`${words.orders.ref} ${order.external_order_id ?? order.ref}`}
			actions={
				<>
					{hasRole(me, "warehouse") ? (
						<Link className="button" to={`/warehouse/orders/${order.order_id}`}>
							{words.orders.pack}
						</Link>
					) : null}
					{hasRole(me, "operator") ? <Actions order={order} /> : null}
					{hasRole(me, "admin") && isOver(order) && order.customer_erased_at === undefined ? (
						<EraseCustomer orderId={order.order_id} />
					) : null}
				</>
			}
		>
			<Problem error={error} retry={retry} />
			{order.status === "held" ? <Lacks order_id={order.order_id} name={nameOfOrder(order)} /> : null}
			<Facts
				facts={[
					[words.orders.status, <OrderState key="state" status={order.status} hold_reason={order.hold_reason} />],
					[words.orders.partner, `${order.partner}, ${order.key_name}`],
					[words.orders.customer, customerOf(order)],
					...(order.customer_erased_at === undefined
						? []
						: [[words.orders.erased, <Moment key="erased" at={order.customer_erased_at} />] as const]),
					[words.orders.contact, [order.customer.email, order.customer.phone].filter(Boolean).join(", ") || null],
					[words.orders.placed, <Moment key="placed" at={order.placed_at} />],
					[
						words.orders.held,
						<Link key="hold" to={`/holds/${order.reservation_token}`}>
							{order.ref}
						</Link>,
					],
				]}
			/>
			<Table
				caption={words.orders.lines}
				rows={order.items}
				keyOf={({ sku, brand_code }) => `${sku} ${brand_code}`}
				columns={[
					{ head: words.orders.sku, cell: ({ sku }) => sku },
					{ head: words.orders.qty, cell: ({ qty, shipped_qty }) => `${shipped_qty} / ${qty}`, isNumber: true },
				]}
			/>
			<Table
				caption={words.orders.boxes}
				rows={order.shipments}
				keyOf={({ shipment_id }) => shipment_id}
				columns={[
					{
						head: words.orders.boxes,
						cell: ({ shipment_id, status }) => (
							<Link to={`/boxes/${shipment_id}`}>
								<BoxState status={status} />
							</Link>
						),
					},
					{
						head: words.orders.tracking,
						cell: ({ carrier_code, tracking_number }) => `${carrier_code ?? ""} ${tracking_number ?? ""}`,
					},
					{ head: words.orders.lines, cell: ({ items }) => items.map(({ sku, qty }) => `${qty} × ${sku}`).join(", ") },
				]}
			/>
			<h2>{words.orders.timeline}</h2>
			<ol className="timeline">
				{order.timeline.map(({ at, what, by, why }) => (
					<li key={`${at} ${what}`}>
						<Moment at={at} /> <span className="strong">{words.orders.happened[what]}</span>{" "}
						{by === null ? null : <Actor actor={by} />} {inWords(why)}
					</li>
				))}
			</ol>
		</Page>
	);
}

function customerOf({ customer: { name, ship_to } }: Order): string {
	const { line1, line2, city, state, postal_code, country } = ship_to;
	return [name, line1, line2, `${postal_code} ${city}`, state, country].filter(Boolean).join(", ");
}

/** Puts the code that begins the reason of an entry (`lot_recalled: Lot 7`) into words. Partners are sent the code. */
function inWords(why: string | null): string | null {
	const [, code = "", rest = ""] = /^([a-z_]+)(:.*)?$/s.exec(why ?? "") ?? [];
	const word: string | undefined = words.orders.reasons[code as HoldReason];
	return word === undefined ? why : word + rest;
}

const isOver = ({ status }: Order): boolean => ["shipped", "cancelled"].includes(status);

type Doing = "hold" | "release" | "cancel";

function Actions({ order }: { order: Order }): ReactNode {
	const [doing, setDoing] = useState<Doing | null>(null);
	if (isOver(order)) return null;
	return (
		<>
			<button type="button" onClick={() => setDoing(order.status === "held" ? "release" : "hold")}>
				{order.status === "held" ? words.orders.release : words.orders.hold}
			</button>
			<button type="button" onClick={() => setDoing("cancel")}>
				{words.orders.cancel}
			</button>
			{doing === null ? null : <Act order={order} doing={doing} onClose={() => setDoing(null)} />}
		</>
	);
}

function Act({ order, doing, onClose }: { order: Order; doing: Doing; onClose: () => void }): ReactNode {
	const params = { id: order.order_id };
	const hold = useWrite("hold_order");
	const release = useWrite("release_order");
	const cancel = useWrite("cancel_order");
	const { isBusy, error } = { hold, release, cancel }[doing];
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const text = textOf(form, "text");
		const body = text === undefined ? {} : { reason: text };
		const reason = (textOf(form, "reason") ?? "operator") as (typeof HOLD_REASONS)[number];
		const held = () => hold.run({ params, body: text === undefined ? { reason } : { reason, detail: text } });
		const act = {
			hold: held,
			release: () => release.run({ params, body }),
			cancel: () => cancel.run({ params, body }),
		};
		if ((await act[doing]()) !== null) onClose();
	};
	return (
		<Dialog title={words.orders[doing]} onClose={onClose}>
			<form onSubmit={(event) => void submit(event)}>
				<Problem error={error} />
				{doing === "hold" ? (
					<Choice
						label={words.orders.holdReason}
						name="reason"
						options={HOLD_REASONS.map((reason) => [reason, words.orders.reasons[reason]] as const)}
					/>
				) : null}
				<Field
					label={words.reason}
					hint={doing === "release" ? words.reasonHint : words.orders.toldHint}
					name="text"
					maxLength={500}
				/>
				<Buttons send={words.orders[doing]} isBusy={isBusy} leave={words.close} onLeave={onClose} />
			</form>
		</Dialog>
	);
}
