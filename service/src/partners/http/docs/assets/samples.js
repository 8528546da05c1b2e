// Makes tabs of samples of the same step, adds buttons to copy, and fills in the reader's sandbox key. The key stays in
// this tab: it is kept in sessionStorage, and only the form of the reference sends it, to this service.
const KEPT_KEY = "holdfast-docs-key";
const KEPT_LANGUAGE = "holdfast-docs-language";
const WRITTEN_KEY = "pk_hf_sandbox_…:sk_hf_sandbox_…";
/** The form of a sandbox key: nothing in it has a meaning to a shell. */
const SANDBOX_KEY = /^pk_hf_sandbox_\w+:sk_hf_sandbox_\w+$/;
/** Milliseconds for which a button says that it has copied. */
const SAID_MS = 2_000;

/** A browser may forbid storage: then a choice holds for one page. */
const recall = (storage, name) => {
	try {
		return storage().getItem(name);
	} catch {
		return null;
	}
};
const keep = (storage, name, value) => {
	try {
		storage().setItem(name, value);
	} catch {}
};
const session = () => sessionStorage;
const local = () => localStorage;

const element = (name, properties = {}, ...children) => {
	const made = Object.assign(document.createElement(name), properties);
	made.append(...children);
	return made;
};

// tabs

const groups = [...document.querySelectorAll(".samples")].map((group, number) => {
	const tablist = element("div", { className: "tabs", role: "tablist", ariaLabel: "Language of the sample" });
	const samples = [...group.querySelectorAll(".sample")].map((sample) => {
		const { language } = sample.dataset;
		const label = sample.querySelector("p");
		const tab = element(
			"button",
			{ type: "button", role: "tab", id: `sample-${number}-${language}` },
			label.textContent,
		);
		label.remove();
		sample.id = `${tab.id}-panel`;
		sample.role = "tabpanel";
		sample.setAttribute("aria-labelledby", tab.id);
		tab.setAttribute("aria-controls", sample.id);
		tab.addEventListener("click", () => choose(language));
		tablist.append(tab);
		return { language, sample, tab };
	});
	tablist.addEventListener("keydown", (event) => {
		const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (by === undefined) return;
		event.preventDefault();
		const at = samples.findIndex(({ tab }) => tab === document.activeElement);
		const next = samples[(at + by + samples.length) % samples.length];
		choose(next.language);
		next.tab.focus();
	});
	group.prepend(tablist);
	return samples;
});

/** Shows every group of samples in a language; a group without it shows its first. */
const show = (language) => {
	for (const samples of groups) {
		const chosen = samples.find((one) => one.language === language) ?? samples[0];
		for (const { sample, tab } of samples) {
			const isChosen = sample === chosen.sample;
			sample.hidden = !isChosen;
			tab.ariaSelected = String(isChosen);
			tab.tabIndex = isChosen ? 0 : -1;
		}
	}
};

const choose = (language) => {
	// what the reader clicked stays where it is, although samples above it change their heights
	const clicked = document.activeElement;
	const before = clicked.getBoundingClientRect().top;
	show(language);
	scrollBy(0, clicked.getBoundingClientRect().top - before);
	keep(local, KEPT_LANGUAGE, language);
};

show(recall(local, KEPT_LANGUAGE) ?? "sh");
addEventListener("storage", ({ key, newValue }) => {
	if (key === KEPT_LANGUAGE && newValue !== null) show(newValue);
});

// buttons to copy

const copy = async (text) => {
	if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
	// without https there is no clipboard: a selection can still be copied
	const area = element("textarea", { value: text, className: "away" });
	document.body.append(area);
	area.select();
	document.execCommand("copy");
	area.remove();
};

const sayCopied = async (button, text) => {
	try {
		await copy(text);
		button.textContent = "Copied";
	} catch {
		button.textContent = "Not copied";
	}
	setTimeout(() => {
		button.textContent = "Copy";
	}, SAID_MS);
};

for (const code of document.querySelectorAll("pre > code[class]")) {
	const button = element("button", { type: "button", className: "copy" }, "Copy");
	button.addEventListener("click", () => {
		void sayCopied(button, code.textContent);
	});
	const around = element("div", { className: "code" });
	code.parentElement.replaceWith(around);
	around.append(code.parentElement, button);
}

// the reader's key

const { api } = document.body.dataset;
const written = [...document.querySelectorAll("pre > code[class]")]
	.map((code) => ({ code, text: code.textContent, isShell: code.className === "language-sh" }))
	.filter(({ text, isShell }) => text.includes(WRITTEN_KEY) || (isShell && text.includes("$KEY")));

const fillIn = (key) => {
	for (const { code, text, isShell } of written) {
		if (key === "") {
			code.textContent = text;
			continue;
		}
		const withKey = text.replaceAll(WRITTEN_KEY, key);
		code.textContent = isShell
			? withKey.replaceAll("$KEY", key).replaceAll("$BASE", api === "" ? "$BASE" : api)
			: withKey;
	}
};

if (written.length > 0) {
	const field = element("input", { id: "sample-key", type: "password", autocomplete: "off", spellcheck: false });
	const status = element("p", { role: "status", className: "quiet" });
	const label = element(
		"label",
		{ htmlFor: field.id },
		"Your sandbox key, ",
		element("code", {}, "pk_hf_sandbox_…:sk_hf_sandbox_…"),
	);
	const summary = element("summary", {}, "Show the samples with your sandbox key");
	const about = "It stays in this tab, is not sent, and is forgotten when you close the tab.";
	const trial = document.querySelector("#try-key");
	const take = (key) => {
		const isKey = SANDBOX_KEY.test(key);
		fillIn(isKey ? key : "");
		if (isKey) status.textContent = "The samples on every page of this tab now show your key.";
		else if (key === "") status.textContent = about;
		else status.textContent = "This is not a whole sandbox key, so the samples stay as they are.";
		if (isKey) keep(session, KEPT_KEY, key);
		if (trial !== null && isKey) trial.value = key;
	};
	const earlier = recall(session, KEPT_KEY) ?? "";
	field.value = SANDBOX_KEY.test(earlier) ? earlier : ""; // the form of the reference keeps other keys too
	field.addEventListener("input", () => {
		if (field.value.trim() === "") keep(session, KEPT_KEY, "");
		take(field.value.trim());
	});
	take(field.value.trim());
	const bar = element("details", { className: "own-key" }, summary, label, field, status);
	document.querySelector("article h1").after(bar);
}
