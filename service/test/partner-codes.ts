import { SURFACES } from "../src/assembly/surfaces.ts";
import { ERROR_STATUS, type ErrorCode } from "../src/glossary.ts";

const codesOf = (isOperators: boolean): Set<ErrorCode> =>
	new Set(
		SURFACES.filter(({ document }) => (document.id === "operator") === isOperators).flatMap(({ operations }) =>
			operations.flatMap(({ errors }) => errors),
		),
	);

/** The codes that partners may see: all but those that only operations of the operator's API answer. */
export function partnerCodes(): ErrorCode[] {
	const operatorsOnly = codesOf(true).difference(codesOf(false));
	return (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => !operatorsOnly.has(code));
}
