import { plainArray, textArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { TypedParcel } from "./check-parcels.ts";

export interface TrackedElsewhere {
	readonly index: number;
	readonly shipmentId: string;
	/** The order's external id or reference. */
	readonly order: string;
}

/** Labelled or shipped boxes with the tracking number of one of these parcels but of another order; one per parcel. */
export const selectBoxesTracked = async (db: Query, parcels: readonly TypedParcel[]): Promise<TrackedElsewhere[]> =>
	(
		await db.query<TrackedElsewhere>(
			`select distinct on (p.index) p.index, s.shipment_id as "shipmentId", coalesce(o.external_order_id, o.ref) as "order"
			   from unnest($1::int[], $2::text[], $3::text[]) p(index, name, tracking)
			   join shipment s on s.tracking_number = p.tracking and s.status in ('label_created', 'shipped')
			   join orders o on o.order_id = s.order_ids[1]
			  where not exists (
			    select from orders of where of.order_id = any(s.order_ids)
			       and (lower(p.name) = of.order_id::text or p.name in (of.ref, of.external_order_id)))
			  order by p.index, s.shipment_id`,
			[
				plainArray(parcels.map((_, index) => index)),
				textArray(parcels.map(({ order }) => order)),
				textArray(parcels.map(({ trackingNumber }) => trackingNumber)),
			],
		)
	).rows;
