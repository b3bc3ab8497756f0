/** Where the daemon serves other agents (A2A). */
export const a2aPath = '/a2a';
/** Where it describes itself to them. */
export const agentCardPath = '/.well-known/agent-card.json';
/** The version of the protocol that is served. */
export const A2A_VERSION = '1.0';
