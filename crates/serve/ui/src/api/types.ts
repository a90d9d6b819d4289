/** The answers of the gateway, as /api/openapi.json describes them. The names are those in the JSON. */

export type * from "./types/flow";
export type * from "./types/live";
export type * from "./types/matching";
export type * from "./types/people";
export type * from "./types/records";
export type * from "./types/replay";
export type * from "./types/tariffs";
export type * from "./types/trace";
export type * from "./types/work";
