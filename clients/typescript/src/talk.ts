/** Stores a statement and finds it: `node dist/talk.js URL [TOKEN]` prints what was found, and what a wrong call is told. */
import { commonplace } from "./client.js";

const client = commonplace(process.argv[2], process.argv[3]);
const stored = await client.POST("/tools/store_memory", { body: { content: "My daughter Mia is allergic to peanuts." } });
const found = await client.POST("/tools/search_memory", { body: { query: "is anybody allergic?", limit: 3 } });
const wrong = await client.POST("/tools/search_memory", {
  // @ts-expect-error: a question must be there
  body: { limit: 3 },
});
// @ts-expect-error: there is no such tool
const nothing = await client.POST("/tools/forget_everything", { body: {} });

console.log(
  JSON.stringify({
    stored: stored.data?.memory_id,
    found: found.data?.results.map((hit) => hit.content),
    wrong: wrong.error?.error.code,
    nothing: nothing.response.status,
  }),
);
