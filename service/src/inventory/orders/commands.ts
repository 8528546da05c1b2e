import { defineKinds } from "../../ground/engine/kind.ts";
import { cancel } from "./cancel.ts";
import { combine } from "./combine.ts";
import { createLabel } from "./create-label.ts";
import { holdOrder } from "./hold-order.ts";
import { pick } from "./pick.ts";
import { place } from "./place.ts";
import { releaseOrder } from "./release-order.ts";
import { ship } from "./ship.ts";
import { voidShipment } from "./void-shipment.ts";

export const ORDER_COMMANDS = defineKinds({
	place,
	cancel,
	holdOrder,
	releaseOrder,
	pick,
	createLabel,
	ship,
	voidShipment,
	combine,
});
