// Sends one request to this service as the page shows it, and shows the answer. The key stays in this tab.
const form = document.querySelector(".try form");
const answer = document.querySelector(".try .answer");
const KEPT = "holdfast-docs-key";

const key = form.elements.namedItem("key");
if (key) key.value = sessionStorage.getItem(KEPT) ?? "";

/** The address with the values filled in; empty query parameters are left out. */
const addressOf = () => {
	const query = new URLSearchParams();
	let { path } = form.dataset;
	for (const input of form.querySelectorAll("[data-in]")) {
		if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
		if (input.dataset.in === "query" && input.value !== "") query.append(input.name, input.value);
	}
	const text = query.toString();
	return `${document.body.dataset.docs}/..${path}${text === "" ? "" : `?${text}`}`;
};

const headersOf = () => {
	const headers = new Headers();
	if (key) {
		sessionStorage.setItem(KEPT, key.value.trim());
		headers.set("Authorization", `Bearer ${key.value.trim()}`);
	}
	if (form.elements.namedItem("body")) headers.set("Content-Type", "application/json");
	for (const input of form.querySelectorAll('[data-in="header"]')) {
		if (input.value !== "") headers.set(input.name, input.value);
	}
	return headers;
};

const pretty = (text) => {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
};

/** Headers worth showing. */
const TOLD = ["x-request-id", "idempotent-replayed", "partner-warning", "ratelimit", "retry-after", "etag", "link"];

form.closest(".try").hidden = false;
document.querySelector(".instead").remove();
const send = async () => {
	answer.textContent = "Waiting for the answer …";
	try {
		const response = await fetch(addressOf(), {
			method: form.dataset.method,
			headers: headersOf(),
			body: form.elements.namedItem("body")?.value,
		});
		const heads = TOLD.filter((name) => response.headers.has(name)).map(
			(name) => `${name}: ${response.headers.get(name)}`,
		);
		answer.className = `answer ${response.ok ? "good" : "bad"}`;
		answer.textContent = [response.status, ...heads, "", pretty(await response.text())].join("\n");
	} catch (error) {
		answer.className = "answer bad";
		answer.textContent = `The request could not be sent: ${error.message}`;
	}
};

form.addEventListener("submit", (event) => {
	event.preventDefault();
	void send();
});
