/** A failure of an MCP server; the message continues a sentence whose subject is the server. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';
}

/** The session expired, such as after a restart of the server: the request was not executed and can be retried. */
export class McpSessionExpired extends McpFailure {}
