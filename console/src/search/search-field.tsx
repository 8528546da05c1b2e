import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { textOf } from "../parts/form.tsx";
import { words } from "../words/words.ts";

/** Elements in which a person types: there, `/` is a character. */
const TYPED_IN = "input, textarea, select, [contenteditable]";

/** Phones and tablets have no key `/` to press. */
const HAS_KEYS = !window.matchMedia("(pointer: coarse)").matches;

/** The field in the header that searches everything. The key `/` leads to it from anywhere but another field. */
export function SearchField(): ReactNode {
	const navigate = useNavigate();
	const field = useRef<HTMLInputElement>(null);
	const { pathname } = useLocation();
	useEffect(() => {
		if (pathname !== "/search" && field.current !== null) field.current.value = "";
	}, [pathname]);
	useEffect(() => {
		const onKey = (event: KeyboardEvent): void => {
			if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
			const isTyping = event.target instanceof Element && event.target.closest(TYPED_IN) !== null;
			if (isTyping || document.querySelector("dialog[open]") !== null) return;
			event.preventDefault();
			field.current?.select();
			field.current?.focus();
		};
		window.addEventListener("keydown", onKey);
		return () => window.removeEventListener("keydown", onKey);
	}, []);
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		const q = withoutSecret((textOf(new FormData(event.currentTarget), "q") ?? "").trim());
		if (field.current !== null) field.current.value = q;
		void navigate(`/search?${new URLSearchParams({ q })}`);
	};
	return (
		<search className="find">
			<form onSubmit={submit}>
				<input
					ref={field}
					type="search"
					name="q"
					aria-label={words.find.field}
					aria-keyshortcuts="/"
					placeholder={HAS_KEYS ? words.find.placeholder : words.search}
					maxLength={200}
					autoComplete="off"
				/>
			</form>
		</search>
	);
}

/** A token is found by its public half: a secret must not be in an address. */
const withoutSecret = (q: string): string =>
	/^(sk|os|whsec)_/.test(q) ? "" : (/^((?:pk|op)_[^:\s]+):/.exec(q)?.[1] ?? q);
