/** A text as it is stored encrypted. */
export interface Sealed {
	/** The entry of the key ring under which it is encrypted. */
	readonly ringId: string;
	readonly sealed: Buffer;
}

/** Encrypts texts for one use, and reads them again. */
export interface Sealer {
	/**
	 * Encrypts under the current entry. The result can be read only under the same `id`, so rows cannot be exchanged.
	 */
	seal(id: string, text: string): Sealed;
	/** Null: the ring has no such entry any more, or the row was tampered with. */
	open(id: string, sealed: Sealed): string | null;
	/**
	 * A digest by which a value is recognised, and which tells nobody without the key ring what it was. `ringId`: under
	 * that entry, or the current one. Null: the ring has no such entry any more.
	 */
	digest(id: string, value: Buffer, ringId?: string): Buffer | null;
}
