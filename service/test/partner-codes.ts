import { SURFACES } from "../src/assembly/surfaces.ts";
import { ERROR_STATUS, type ErrorCode } from "../src/glossary.ts";
import { COMMON_ERRORS, KEYLESS_ERRORS } from "../src/partners/http/errors.ts";

const codesOf = (isOperators: boolean): Set<ErrorCode> =>
	new Set(
		SURFACES.filter(({ document }) => (document.id === "operator") === isOperators).flatMap(({ operations }) =>
			operations.flatMap(({ errors }) => errors),
		),
	);

/** The codes that partners may see: all except those that only the operator's API answers. */
export function partnerCodes(): ErrorCode[] {
	const ofPartners = codesOf(false).union(new Set<ErrorCode>([...COMMON_ERRORS, ...KEYLESS_ERRORS]));
	const operatorsOnly = codesOf(true).difference(ofPartners);
	return (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => !operatorsOnly.has(code));
}
