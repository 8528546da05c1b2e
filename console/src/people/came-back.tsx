import { type ReactNode, useEffect, useState } from "react";
import { Loading, Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { comeBack } from "./provider.ts";

/** Where a browser comes back to from the provider. */
export default function CameBack(): ReactNode {
	const [error, setError] = useState<Error | null>(null);
	useEffect(() => {
		const query = location.search.slice(1);
		// what the provider sent is not in the history, and a reload does not send it again
		history.replaceState(null, "", location.pathname);
		if (query === "") return location.assign("/admin/");
		comeBack(query).then(
			(how) => (how === "signed in" ? location.assign("/admin/") : window.close()),
			(refused: unknown) => setError(refused as Error),
		);
	}, []);
	return (
		<main className="alone">
			<h1>{words.signIn.title}</h1>
			{error === null ? <Loading /> : <Problem error={error} />}
			{error === null ? null : (
				<a className="button" href="/admin/">
					{words.again}
				</a>
			)}
		</main>
	);
}
