/** Where the daemon serves other agents (A2A). */
export const a2aPath = '/a2a';
/** Where it describes itself to them. */
export const agentCardPath = '/.well-known/agent-card.json';
/** The version of the protocol that is served. */
export const A2A_VERSION = '1.0';
/** The version before, in whose form it is served too: what a request without the header `A2A-Version` means. */
export const A2A_LEGACY_VERSION = '0.3';
export type A2aVersion = typeof A2A_VERSION | typeof A2A_LEGACY_VERSION;
