/** Why an MCP server cannot be used or did not answer: the end of a sentence that begins with its name. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';
}

/** The server has forgotten us, such as after a restart: what was asked was not done, and can be asked again. */
export class McpSessionOver extends McpFailure {}
