interface NumberedLot {
	readonly batch_number: string;
	readonly fg_id: string;
}

/** The lot that a scanned code names: the address in a QR code has it as `lot`; any other code is the name itself. */
export const lotIn = (code: string): string =>
	(URL.canParse(code) ? new URL(code).searchParams.get("lot") : null) ?? code;

/** Whether a scanned code is that of a lot: its batch number, its id, or the address in its QR code. */
export function isCodeOf({ batch_number, fg_id }: NumberedLot, code: string): boolean {
	const meant = lotIn(code).toLowerCase();
	return meant === batch_number.toLowerCase() || meant === fg_id;
}
