import {
	type AdminAddress,
	adminUrlOf,
	isReadable,
	READABLE,
	READABLE_ADVICE,
} from "../../partners/people/admin-url.ts";
import { bad, type Diagnosis, good } from "./diagnosis.ts";

const WHAT = "operator's API";

/** Whether the operator's API is reached over loopback or TLS. Pure. */
export function judgeAdminUrl(address: AdminAddress): Diagnosis {
	const url = adminUrlOf(address);
	if (!address.admin) return good(WHAT, "not served on the network (HOLDFAST_ADMIN=off)");
	return isReadable(address) ? bad(WHAT, `at ${url}: ${READABLE}`, READABLE_ADVICE) : good(WHAT, `at ${url}`);
}
