import type { FormEvent, ReactNode } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useWrite } from "../api/use.ts";
import { Field, isAboutFields, problemAt, textOf } from "../parts/form.tsx";
import { Page, Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";

const FIELDS = ["key", "status_url"];

/** Starts the go-live of a sandbox key, which the address of the page may name. */
export default function NewGoLive(): ReactNode {
	const navigate = useNavigate();
	const [search] = useSearchParams();
	const { run, isBusy, error } = useWrite("start_golive");
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const url = textOf(form, "status_url");
		const body = { key: textOf(form, "key") ?? "", ...(url === undefined ? {} : { status_url: url }) };
		const started = await run({ body });
		if (started !== null) await navigate(`/golives/${started.number}`, { replace: true });
	};
	return (
		<Page title={words.golives.start}>
			<form onSubmit={(event) => void submit(event)}>
				{isAboutFields(error, FIELDS) ? null : <Problem error={error} />}
				<Field
					label={words.golives.key}
					hint={words.golives.keyHint}
					name="key"
					defaultValue={search.get("key") ?? ""}
					problem={problemAt(error, "key")}
					required
					autoComplete="off"
				/>
				<Field
					label={words.golives.statusUrl}
					hint={words.golives.statusUrlHint}
					name="status_url"
					type="url"
					problem={problemAt(error, "status_url")}
					autoComplete="off"
				/>
				<button type="submit" className="main" disabled={isBusy}>
					{words.golives.start}
				</button>
			</form>
		</Page>
	);
}
