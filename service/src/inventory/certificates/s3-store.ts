import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import type { CoaStore } from "../../ground/lib/coa-settings.ts";
import { type Digest, digestOf } from "./digest.ts";
import type { FileStore } from "./file-store.ts";

/** Milliseconds to connect to the store, and to wait for its answer. */
const CONNECT_WITHIN_MS = 3_000;
const ANSWER_WITHIN_MS = 30_000;
/** Maximum number of times that a request is sent. */
const MAX_ATTEMPTS = 3;

/**
 * Stores files in a bucket of any S3-compatible store, named by digest. Credentials are found as the AWS SDK finds
 * them: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, or the machine's role. An object appears complete
 * or not at all; the store verifies the digest sent with it.
 */
export function createS3Store(store: Extract<CoaStore, { readonly kind: "s3" }>): FileStore {
	let opened: Promise<S3> | null = null;
	const s3 = (): Promise<S3> => (opened ??= openClient(store)); // loaded on first use, because the library is large
	const keyOf = (digest: Digest): { Bucket: string; Key: string } => ({
		Bucket: store.bucket,
		Key: `${store.prefix}${digest}.pdf`,
	});
	return {
		async put(bytes) {
			const digest = digestOf(bytes);
			const { client, library } = await s3();
			await client.send(
				new library.PutObjectCommand({
					...keyOf(digest),
					Body: bytes,
					ContentLength: bytes.length,
					ContentType: "application/pdf",
					ChecksumSHA256: Buffer.from(digest, "hex").toString("base64"),
				}),
			);
			return digest;
		},
		async open(digest, size, range) {
			const { client, library } = await s3();
			const part = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` };
			try {
				const found = await client.send(new library.GetObjectCommand({ ...keyOf(digest), ...part }));
				const body = found.Body as Readable;
				const whole = range === undefined ? found.ContentLength : Number(found.ContentRange?.split("/")[1]);
				if (whole === size) return body;
				body.destroy();
				return null;
			} catch (error) {
				if (error instanceof library.NoSuchKey || (error as Error).name === "NotFound") return null;
				throw error;
			}
		},
		async remove(digest) {
			const { client, library } = await s3();
			await client.send(new library.DeleteObjectCommand(keyOf(digest)));
		},
		close: () => void opened?.then(({ client }) => client.destroy()).catch(() => undefined),
	};
}

interface S3 {
	readonly client: S3Client;
	readonly library: typeof import("@aws-sdk/client-s3");
}

async function openClient({ region, endpoint }: Extract<CoaStore, { readonly kind: "s3" }>): Promise<S3> {
	const library = await import("@aws-sdk/client-s3");
	const client = new library.S3Client({
		...(region === null ? {} : { region }),
		// a self-hosted store names the bucket in the path and accepts any region
		...(endpoint === null ? {} : { endpoint, forcePathStyle: true, region: region ?? "us-east-1" }),
		maxAttempts: MAX_ATTEMPTS,
		requestHandler: { connectionTimeout: CONNECT_WITHIN_MS, requestTimeout: ANSWER_WITHIN_MS },
	});
	return { client, library };
}
