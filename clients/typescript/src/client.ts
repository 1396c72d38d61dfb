import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./schema.js";

export type { paths } from "./schema.js";

/** A client of the server at `baseUrl`: `commonplace serve`. `token`: where the server asks for one. */
export function commonplace(baseUrl = "http://127.0.0.1:8787", token?: string): Client<paths> {
  return createClient<paths>({ baseUrl, headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } });
}
