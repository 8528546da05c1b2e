import type { JsonObject } from "../openapi/schemas.ts";
import { PREFIX } from "./address.ts";
import type { Schema, Schemas } from "./schema-words.ts";

export interface Parameter {
	readonly name: string;
	readonly in: "path" | "query" | "header";
	readonly required: boolean;
	readonly description?: string;
	readonly schema: Schema;
	readonly example?: string | number | boolean;
}

export interface Media {
	readonly schema: Schema;
	readonly example?: unknown;
	readonly examples?: { readonly [code: string]: { readonly value: { readonly error: { readonly message: string } } } };
}

interface Response {
	readonly description: string;
	readonly headers?: { readonly [name: string]: { readonly $ref?: string; readonly description?: string } };
	readonly content?: { readonly [type: string]: Media };
}

/** An operation of an OpenAPI document, with its method and path. */
export interface DocumentedOperation {
	readonly method: string;
	readonly path: string;
	readonly operationId: string;
	readonly tags: readonly string[];
	readonly summary: string;
	readonly description: string;
	readonly security?: readonly unknown[];
	readonly parameters: readonly Parameter[];
	readonly requestBody?: { readonly content: { readonly "application/json": Media } };
	readonly responses: { readonly [status: string]: Response };
}

/** The parts of an OpenAPI document that the reference shows. */
export interface ReferenceDocument {
	readonly title: string;
	readonly description: string;
	readonly groups: readonly { readonly name: string; readonly description: string }[];
	readonly operations: readonly DocumentedOperation[];
	readonly schemas: Schemas;
}

/** The page that lists the operations. */
export const REFERENCE = `${PREFIX}/reference`;
/** The OpenAPI document itself. */
export const DOCUMENT = `${PREFIX}/json`;

export const addressOfOperation = ({ operationId }: DocumentedOperation): string => `${REFERENCE}/${operationId}`;

/** Reads one of our OpenAPI documents and resolves its shared parameters. */
export function readDocument(document: JsonObject): ReferenceDocument {
	const { info, tags, paths, components } = document as unknown as {
		info: { title: string; description: string };
		tags: { name: string; description: string }[];
		paths: { [path: string]: { [method: string]: Omit<DocumentedOperation, "method" | "path"> } };
		components: { schemas: Schemas; parameters: { [name: string]: Parameter } };
	};
	const used = (one: Parameter & { readonly $ref?: string }): Parameter =>
		one.$ref === undefined ? one : (components.parameters[one.$ref.replace(/^.*\//, "")] as Parameter);
	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, one]) => ({
			...one,
			path,
			method: method.toUpperCase(),
			parameters: one.parameters.map(used),
		})),
	);
	return { ...info, groups: tags, operations, schemas: components.schemas };
}
