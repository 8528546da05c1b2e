import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";
import { App } from "./app/app.tsx";
import "./app/style.css";

/** Milliseconds for which a read is shown without asking again; changes arrive by the live stream. */
const FRESH_MS = 30_000;

// a browser may call itself offline although it reaches the service. What it holds back while it does so would be sent
// later, even if the person had cancelled it
const networkMode = "always";
const client = new QueryClient({
	defaultOptions: {
		queries: { retry: false, staleTime: FRESH_MS, networkMode, refetchOnReconnect: true },
		mutations: { networkMode },
	},
});
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
