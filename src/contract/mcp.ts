import { z } from 'zod';
import { mcpPath } from './mcp-path.ts';
import { defineRoutes } from './route.ts';

const idSchema = z.union([z.string(), z.number()]);

/** A message of JSON-RPC 2.0, as the Model Context Protocol uses it. */
export const jsonRpcMessageSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: idSchema.nullable().optional().meta({ description: 'Absent in a notification' }),
    method: z.string().optional(),
    params: z.looseObject({}).optional(),
    result: z.looseObject({}).optional(),
    error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
  })
  .meta({ id: 'JsonRpcMessage' });
export type JsonRpcMessage = z.output<typeof jsonRpcMessageSchema>;

/** The Model Context Protocol over streamable HTTP; which tools there are depends on the scopes of the token. */
export const mcpRoutes = defineRoutes({
  send: {
    method: 'POST',
    path: mcpPath,
    access: 'session',
    scopes: ['tasks:read', 'tasks:write', 'memory:read'],
    summary: 'Send a message of the Model Context Protocol',
    headers: z.object({
      accept: z.string().optional().meta({ description: '`application/json, text/event-stream`' }),
      'mcp-protocol-version': z.string().optional(),
      'mcp-method': z.string().optional().meta({ description: 'The method; since revision 2026-07-28' }),
      'mcp-name': z.string().optional().meta({ description: 'The tool, URI or task that is named' }),
      'mcp-session-id': z.string().optional().meta({ description: 'As `initialize` answered it' }),
    }),
    body: jsonRpcMessageSchema,
    response: jsonRpcMessageSchema,
    events: jsonRpcMessageSchema,
  },
});
