/** Where the daemon serves other agents (A2A). */
export const a2aPath = '/a2a';
/** Where it describes itself to them. */
export const agentCardPath = '/.well-known/agent-card.json';
