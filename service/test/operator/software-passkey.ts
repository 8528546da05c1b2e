import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from "node:crypto";

/*
 * An authenticator as a browser and its device are together, in software: ES256, attestation "none" (WebAuthn, sections
 * 5.8.1, 6.1 and 6.5). What it is told to do wrong, it does.
 */

interface Deviation {
	readonly origin?: string;
	readonly rpId?: string;
	readonly type?: string;
	/** False: the device did not ask for a fingerprint or a PIN. */
	readonly isVerified?: boolean;
	readonly counter?: number;
}

interface Asked {
	readonly challenge: string;
	readonly rp_id: string;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

export class SoftwarePasskey {
	readonly #privateKey: KeyObject;
	readonly #publicKey: KeyObject;
	readonly #origin: string;
	readonly id = randomBytes(16);
	#counter = 0;

	constructor(origin: string) {
		const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
		this.#privateKey = pair.privateKey;
		this.#publicKey = pair.publicKey;
		this.#origin = origin;
	}

	/** The body of `add_passkey`. */
	create(asked: Asked, name: string, deviation: Deviation = {}) {
		const data = this.#authenticatorData(asked, HAS_CREDENTIAL, deviation);
		const { x = "", y = "" } = this.#publicKey.export({ format: "jwk" });
		const key = cbor(
			new Map<number, unknown>([
				[1, 2],
				[3, -7],
				[-1, 1],
				[-2, Buffer.from(x, "base64url")],
				[-3, Buffer.from(y, "base64url")],
			]),
		);
		const length = Buffer.alloc(2);
		length.writeUInt16BE(this.id.length);
		const authData = Buffer.concat([data, Buffer.alloc(16), length, this.id, key]);
		const attestation = cbor(
			new Map<string, unknown>([
				["fmt", "none"],
				["attStmt", new Map()],
				["authData", authData],
			]),
		);
		return {
			name,
			credential_id: this.id.toString("base64url"),
			client_data: this.#clientData(asked, "webauthn.create", deviation).toString("base64url"),
			attestation: attestation.toString("base64url"),
		};
	}

	/** The body of `sign_in_by_passkey`. */
	answer(asked: Asked, deviation: Deviation = {}) {
		const data = this.#authenticatorData(asked, 0, deviation);
		const client = this.#clientData(asked, "webauthn.get", deviation);
		const signature = sign("sha256", Buffer.concat([data, hash("sha256", client, "buffer")]), this.#privateKey);
		return {
			credential_id: this.id.toString("base64url"),
			client_data: client.toString("base64url"),
			authenticator_data: data.toString("base64url"),
			signature: signature.toString("base64url"),
		};
	}

	#clientData({ challenge }: Asked, type: string, deviation: Deviation): Buffer {
		const origin = deviation.origin ?? this.#origin;
		return Buffer.from(JSON.stringify({ type: deviation.type ?? type, challenge, origin, crossOrigin: false }));
	}

	#authenticatorData({ rp_id }: Asked, more: number, { rpId = rp_id, isVerified = true, counter }: Deviation): Buffer {
		const count = Buffer.alloc(4);
		count.writeUInt32BE(counter ?? ++this.#counter);
		const flags = USER_PRESENT | (isVerified ? USER_VERIFIED : 0) | more;
		return Buffer.concat([hash("sha256", rpId, "buffer"), Buffer.from([flags]), count]);
	}
}

/** CBOR (RFC 8949) of integers, texts, bytes and maps below 2^16. */
function cbor(value: unknown): Buffer {
	if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
	if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
	if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
	if (!(value instanceof Map)) throw new Error(`no CBOR for ${typeof value}`);
	const entries = [...value].map(([key, one]) => Buffer.concat([cbor(key), cbor(one)]));
	return Buffer.concat([head(5, value.size), ...entries]);
}

function head(major: number, size: number): Buffer {
	if (size < 24) return Buffer.from([(major << 5) | size]);
	if (size < 256) return Buffer.from([(major << 5) | 24, size]);
	const bytes = Buffer.from([(major << 5) | 25, 0, 0]);
	bytes.writeUInt16BE(size, 1);
	return bytes;
}
