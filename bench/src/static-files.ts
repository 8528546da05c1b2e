/** The alternative for PDFs: plain `@fastify/static` over the folder in the first argument. Prints its port. */
import fastifyStatic from "@fastify/static";
import Fastify from "fastify";

const app = Fastify();
await app.register(fastifyStatic, { root: process.argv[2] ?? "", cacheControl: false });
const address = await app.listen({ port: 0, host: "127.0.0.1" });
process.send?.({ port: Number(new URL(address).port) });
process.on("disconnect", () => process.exit());
