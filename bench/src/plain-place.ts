/**
 * The alternative for orders: one transaction per request, written plainly: consecutive statements on a pooled
 * connection, each awaited. Refusals are left out, because the bench only places existing holds.
 */

import { newId } from "../../service/src/ground/lib/ids.ts";
import type { Database } from "../../service/src/ground/pg/connect.ts";
import type { HoldLine } from "../../service/src/inventory/holds/hold.ts";
import type { PlaceOrder } from "../../service/src/inventory/orders/contract.ts";
import { orderReply } from "../../service/src/inventory/orders/order-reply.ts";
import { newBox } from "../../service/src/inventory/orders/place.ts";
import type { Request } from "../../service/src/partners/http/operation.ts";
import * as sql from "./order-sql.ts";

type Asked = Pick<Request<typeof PlaceOrder>, "caller" | "body" | "headers" | "requestId">;
interface Part {
	readonly line: number;
	readonly formula_id: string;
	readonly fg_id: string;
	readonly units: number;
	readonly batch_number: string;
}

const LINKS = { verifyUrl: () => "", trackingUrl: () => null };

export async function placePlainly(db: Database, { caller, body, headers, requestId }: Asked) {
	const { keyId, partnerId, poolId, pk, brandCode } = caller;
	const token = body.reservation_token;
	const ref = headers["Idempotency-Key"];
	const [orderId, shipmentId] = [newId(), newId()];
	const tx = await db.take();
	try {
		await tx.query("begin");
		const { rows: earlier } = await tx.query(sql.SELECT_ORDER_BY_REF, [keyId, ref]);
		const { rows: holds } = await tx.query<{ status: string; lives: boolean; lines: HoldLine[] }>(sql.LOCK_HOLD, [
			token,
			keyId,
		]);
		const [hold] = holds;
		if (earlier.length > 0 || hold?.status !== "active" || !hold.lives)
			throw new Error("the bench's world has no such hold");
		const { rows: parts } = await tx.query<Part>(sql.SELECT_PARTS_WITH_LOTS, [token]);
		for (const { fg_id, units } of parts) {
			await tx.query(sql.ALLOCATE_LOT, [fg_id, units]);
			await tx.query(sql.INSERT_PLACE_MOVE, [fg_id, units, token, `key:${pk}`, requestId]);
		}
		await tx.query(sql.END_HOLD, [token]);
		const values = [orderId, keyId, partnerId, ref, token, poolId, JSON.stringify(body.customer), shipmentId];
		const { rows } = await tx.query<{ placed_at: Date }>(sql.INSERT_ORDER, values);
		await tx.query(sql.INSERT_SHIPMENT, [shipmentId, poolId, orderId]);
		await tx.query("commit");
		const now = rows[0]!.placed_at.getTime();
		return replyOf({ orderId, shipmentId, ref, token, now, brandCode }, caller, body, { lines: hold.lines, parts });
	} catch (error) {
		await tx.query("rollback");
		throw error;
	} finally {
		tx.release();
	}
}

interface Facts {
	readonly orderId: string;
	readonly shipmentId: string;
	readonly ref: string;
	readonly token: string;
	readonly now: number;
	readonly brandCode: string | null;
}

function replyOf(
	{ orderId, shipmentId, ref, token, now, brandCode }: Facts,
	{ keyId, partnerId, environment, poolId }: Asked["caller"],
	{ customer }: Asked["body"],
	{ lines, parts }: { lines: readonly HoldLine[]; parts: readonly Part[] },
) {
	const contents = {
		lines,
		parts: parts.map(({ line, formula_id, fg_id, units, batch_number }) => ({
			line,
			formulaId: formula_id,
			fgId: fg_id,
			units,
			batchNumber: batch_number,
			state: "allocated" as const,
		})),
	};
	const order = {
		orderId,
		keyId,
		partnerId,
		environment,
		ref,
		externalOrderId: null,
		reservationToken: token,
		poolId: poolId ?? 0,
		status: "placed" as const,
		version: 1,
		holdReason: null,
		holdDetail: null,
		cancelReason: null,
		customer,
		serviceLevel: "standard" as const,
		note: null,
		shipmentIds: [shipmentId],
		placedAt: now,
		heldAt: null,
		pickedAt: null,
		pickAgain: false,
		shippedAt: null,
		cancelledAt: null,
		updatedAt: now,
		customerErasedAt: null,
	};
	const boxed = { orderId, ref, externalOrderId: null, shipTo: customer.ship_to, contents };
	const box = { shipment: newBox({ now }, order, shipmentId), brandCode, orders: [boxed] };
	return orderReply({ order, brandCode, contents, shipments: [box] }, LINKS);
}
