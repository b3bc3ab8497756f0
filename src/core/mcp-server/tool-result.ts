import type { CallToolResult } from '@modelcontextprotocol/server';

/** The result of a tool that did what it was called for. */
export const toResult = (answer: { text: string; structured: Record<string, unknown> }): CallToolResult => ({
  content: [{ type: 'text', text: answer.text }],
  structuredContent: answer.structured,
});

/** The result of a tool that did not. */
export const toFailure = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
});
