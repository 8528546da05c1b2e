import type { ReactNode } from "react";
import { CopyText } from "../parts/copy.tsx";
import { words } from "../words/words.ts";

/** The secret of an endpoint, which is shown only now. */
export const EndpointSecret = ({ secret, onKept }: { secret: string; onKept: () => void }): ReactNode => (
	<section className="card">
		<h2>{words.endpoints.secret}</h2>
		<p>{words.endpoints.secretHint}</p>
		<CopyText label={words.endpoints.secretLabel} text={secret} />
		<button type="button" className="main" onClick={onKept}>
			{words.endpoints.kept}
		</button>
	</section>
);
