import { ChargeUnknown, HoldfastError, OutcomeUnknown } from "@holdfast/partner";
import type { Sale } from "./book.ts";
import { linesOf, totalOf } from "./catalogue.ts";
import { noteOrder } from "./orders.ts";
import type { Shop } from "./shop.ts";

const running = new WeakMap<Sale, Promise<void>>();

/** Brings a sale to its end, or as far as possible now. After a crash it continues where it stopped. */
export async function finish(shop: Shop, sale: Sale): Promise<void> {
	const selling = running.get(sale) ?? sell(shop, sale).finally(() => running.delete(sale));
	running.set(sale, selling);
	await selling;
}

/** Continues every sale that a crash, the bank or Holdfast left open. */
export async function finishAll(shop: Shop): Promise<void> {
	for (const sale of Object.values(shop.book.value.sales)) if (sale.state === "paying") await finish(shop, sale);
}

async function sell(shop: Shop, sale: Sale): Promise<void> {
	const { holdfast, payments } = shop;
	const { id, lines, customer, card } = sale;
	const items = linesOf(lines).map(({ product: { sku }, qty }) => ({ sku, qty }));
	try {
		const order = await holdfast.withHold({ externalRef: id, items }, async (hold) => {
			const payment = await payments.charge(id, totalOf(lines), card).catch((cause: unknown) => {
				throw new ChargeUnknown("The bank did not answer.", { cause }); // the hold stays, and finishAll asks again
			});
			return payment === "paid" ? await hold.place({ customer, externalOrderId: id }) : await hold.release();
		});
		if (order === null) await giveUp(shop, sale, "Your card was declined.");
		else await noteOrder(shop, order);
	} catch (error) {
		shop.log(`Sale ${id}: ${String(error)}`);
		const isCharged = (await payments.find(id)) === "paid";
		const isUnsold = error instanceof HoldfastError && error.isUnsold;
		const mayBeHeld = isCharged || error instanceof OutcomeUnknown;
		if (error instanceof ChargeUnknown || (mayBeHeld && !isUnsold)) return; // finishAll continues
		const isSoldOut = error instanceof HoldfastError && error.code === "no_inventory";
		await giveUp(
			shop,
			sale,
			isSoldOut ? "Sold out: there is not enough left in stock." : "The order could not be placed.",
		);
	} finally {
		void shop.inventory.refresh(); // so that pages show at once what is left
	}
}

/** Gives the money back; a sale that was never paid for becomes a cart again. */
async function giveUp({ book, payments }: Shop, sale: Sale, problem: string): Promise<void> {
	await payments.refund(sale.id);
	const isRefunded = (await payments.find(sale.id)) === "refunded";
	await book.change(({ carts, sales }) => {
		if (isRefunded) {
			sale.state = "refunded"; // its id is used up
		} else {
			delete sales[sale.id];
			carts[sale.id] = { lines: sale.lines, problem: `${problem} You were not charged.` };
		}
	});
}
