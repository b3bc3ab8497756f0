import { defineCommand } from '../program/define-command.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serve tools over the Model Context Protocol (stdio)',
  examples: ['claude mcp add svc -- svc mcp', 'codex mcp add svc -- svc mcp', 'svc --context work mcp'],
  run: async ({ cli }) => (await import('./mcp/serve-mcp.ts')).serveMcp(cli),
});
