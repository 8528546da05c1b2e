import Type, { type TProperties } from "typebox";

/** A schema of an object that has these members and no other. */
export const Closed = <Fields extends TProperties>(fields: Fields) =>
	Type.Object(fields, { additionalProperties: false });
