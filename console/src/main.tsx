import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";
import { App } from "./app/app.tsx";
import "./app/style.css";

/** Milliseconds for which a read is shown without asking again; changes arrive by the live stream. */
const FRESH_MS = 30_000;

const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: FRESH_MS } } });
const root = document.getElementById("console");
if (root !== null) {
	createRoot(root).render(
		<QueryClientProvider client={client}>
			<BrowserRouter basename="/admin">
				<App />
			</BrowserRouter>
		</QueryClientProvider>,
	);
}
