/** Where the daemon serves the Model Context Protocol over streamable HTTP. */
export const mcpPath = '/mcp';
