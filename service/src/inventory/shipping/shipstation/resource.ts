export interface Resource {
	readonly shipmentId: string | null;
	readonly labelId: string | null;
}

const SHIPMENT = /^\/v2\/shipments\/(se(?:-[a-z0-9]+)+)(?:[/?]|$)/;
const LABEL = /^\/v2\/labels\/(se(?:-[a-z0-9]+)+)(?:[/?]|$)/;
const BY_SHIPMENT = /[?&]shipment_id=(se(?:-[a-z0-9]+)+)(?:&|$)/;

/** `path`: includes the query. */
export const resourceOf = (path: string): Resource => ({
	shipmentId: (SHIPMENT.exec(path) ?? BY_SHIPMENT.exec(path))?.[1] ?? null,
	labelId: LABEL.exec(path)?.[1] ?? null,
});
