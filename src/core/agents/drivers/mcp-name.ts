const PREFIX = 'mcp__';

/** The server and the tool in a name such as `mcp__github__create_issue`; a tool may have `__` in its name, a server not. */
export function mcpOf(name: string): { server: string; tool: string } | undefined {
  if (!name.startsWith(PREFIX)) return undefined;
  // A server has one character at least.
  const end = name.indexOf('__', PREFIX.length + 1);
  const tool = end < 0 ? '' : name.slice(end + 2);
  return tool === '' ? undefined : { server: name.slice(PREFIX.length, end), tool };
}
