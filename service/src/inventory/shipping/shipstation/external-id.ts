/** Characters that the platform keeps of an external id. */
export const EXTERNAL_ID_CHARACTERS = 50;
/** Separates an order's id from its generation. */
const SEPARATOR = "~";
const EXTERNAL_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:~([2-9]|[1-9]\d{1,5}))?$/;

/**
 * The id under which the platform keeps an order: the order's own id, which is unique there. The id of a cancelled box
 * cannot be reused, so later generations append their number.
 */
export const externalIdOf = (orderId: string, generation: number): string =>
	generation === 1 ? orderId : `${orderId}${SEPARATOR}${generation}`;

/** The order of an external id; null: not one of ours. */
export const orderIdOf = (externalId: string | null): string | null => EXTERNAL_ID.exec(externalId ?? "")?.[1] ?? null;
