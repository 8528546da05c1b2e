/** Characters that the platform keeps of an external id. */
export const EXTERNAL_ID_CHARACTERS = 50;
/** Stands between an order's id and its generation. */
const SEPARATOR = "~";
const EXTERNAL_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:~([2-9]|[1-9]\d{1,5}))?$/;

/**
 * The id under which the platform keeps an order: the order's own id, which is unique there. Once the platform has
 * cancelled a box its id is used up, so a later generation carries its number behind it.
 */
export const externalIdOf = (orderId: string, generation: number): string =>
	generation === 1 ? orderId : `${orderId}${SEPARATOR}${generation}`;

/** The order that an external id is for; null: it is none of ours. */
export const orderIdOf = (externalId: string | null): string | null => EXTERNAL_ID.exec(externalId ?? "")?.[1] ?? null;
