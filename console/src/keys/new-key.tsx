import { type FormEvent, type ReactNode, useState } from "react";
import { useNavigate } from "react-router";
import type { Asked } from "../api/call.ts";
import { useRead, useWrite } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Choice, Field, isAboutFields, problemAt, textOf } from "../parts/form.tsx";
import { Page, Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { Token } from "./token.tsx";

type Body = NonNullable<Asked<"mint_key">["body"]>;
const FIELDS = ["name", "partner", "environment", "brand_code", "preset", "expires_at"];
/**
 * Stands for no brand, and is no brand's code. A key for every brand must be chosen: an empty field does not make one.
 */
const UNBOUND = "*";
const PRESETS = ["self_ship", "fulfilment", "read_only"] as const;

/** Makes a key for a partner. Its token is shown once. */
export default function NewKey({ me }: { me: Me }): ReactNode {
	const navigate = useNavigate();
	const [environment, setEnvironment] = useState<Body["environment"]>("sandbox");
	const { data: partners } = useRead("list_partners", { query: { limit: 500 } });
	const { run, isBusy, error, done } = useWrite("mint_key");
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		void run({ body: bodyOf(new FormData(event.currentTarget), environment) });
	};
	if (done !== undefined) {
		return (
			<Page title={`${done.partner}: ${done.name}`}>
				<Token
					token={done.token}
					environment={done.environment}
					onKept={() => void navigate(`/api-keys/${done.pk}`, { replace: true })}
				/>
			</Page>
		);
	}
	const environments = hasRole(me, "admin") ? (["sandbox", "live"] as const) : (["sandbox"] as const);
	return (
		<Page title={words.keys.mintTitle}>
			<form onSubmit={submit}>
				{isAboutFields(error, FIELDS) ? null : <Problem error={error} />}
				<Field
					label={words.keys.partner}
					hint={words.keys.partnerHint}
					name="partner"
					list="partners"
					problem={problemAt(error, "partner")}
					required
					autoComplete="off"
				/>
				<datalist id="partners">
					{partners?.items.map(({ name }) => (
						<option key={name} value={name} />
					))}
				</datalist>
				<Field
					label={words.keys.name}
					hint={words.keys.nameHint}
					name="name"
					problem={problemAt(error, "name")}
					required
					autoComplete="off"
				/>
				<Choice
					label={words.keys.environment}
					name="environment"
					value={environment}
					onChange={({ target }) => setEnvironment(target.value as Body["environment"])}
					options={environments.map((one) => [one, words.keys.environments[one]] as const)}
				/>
				<Choice
					label={words.keys.preset}
					name="preset"
					options={PRESETS.map((preset) => [preset, words.keys.presets[preset]] as const)}
				/>
				{environment === "live" ? <Stock error={error} /> : null}
				<Field label={words.keys.expires} name="expires_on" type="date" problem={problemAt(error, "expires_at")} />
				<button type="submit" className="main" disabled={isBusy}>
					{words.keys.mint}
				</button>
			</form>
		</Page>
	);
}

/** Which stock a live key sells. */
function Stock({ error }: { error: Error | null }): ReactNode {
	const { data: brands } = useRead("list_brands", { query: { limit: 500 } });
	const own = brands?.items.filter(({ code }) => code !== "SANDBOX") ?? [];
	return (
		<>
			<Choice
				label={words.keys.brand}
				hint={words.keys.brandHint}
				name="brand_code"
				problem={problemAt(error, "brand_code")}
				required
				options={[
					...(own.length === 0 ? [] : [["", words.keys.chooseBrand] as const]),
					[UNBOUND, words.keys.noBrand],
					...own.map(({ code, name }) => [code, `${name} (${code})`] as const),
				]}
			/>
			<label className="check">
				<input key={own.length} type="checkbox" name="shared_pool" defaultChecked={own.length === 0} />{" "}
				{words.keys.sharedPool}
			</label>
		</>
	);
}

/** The end of a day in the reader's time zone. */
const endOf = (day: string): string => new Date(`${day}T23:59:59`).toISOString();

function bodyOf(form: FormData, environment: Body["environment"]): Body {
	const brand = textOf(form, "brand_code");
	const expires = textOf(form, "expires_on");
	return {
		partner: textOf(form, "partner") ?? "",
		name: textOf(form, "name") ?? "",
		environment,
		preset: (textOf(form, "preset") ?? "self_ship") as (typeof PRESETS)[number],
		...(environment === "live" ? { shared_pool: form.get("shared_pool") === "on" } : {}),
		...(brand === undefined || brand === UNBOUND ? {} : { brand_code: brand }),
		...(expires === undefined ? {} : { expires_at: endOf(expires) }),
	};
}
