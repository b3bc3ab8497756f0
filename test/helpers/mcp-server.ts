import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface TestMcpEvents {
  /** Called as soon as the tool that never answers is called, with the signal that ends it. */
  onHang?: (signal: AbortSignal) => void;
}

/** An MCP server with a tool for everything that a tool can do, made with the SDK. */
export function makeMcpServer({ onHang }: TestMcpEvents = {}): McpServer {
  const server = new McpServer({ name: 'test', version: '1.0.0' });
  const textTool = (name: string, answer: (text: string) => string | Promise<string>) =>
    server.registerTool(
      name,
      { description: `The tool ${name}`, inputSchema: z.object({ text: z.string().default('') }) },
      async ({ text }) => ({ content: [{ type: 'text', text: await answer(text) }] }),
    );
  textTool('echo', (text) => `You said ${text}`);
  textTool('environment', () => JSON.stringify(process.env));
  textTool('folder', () => process.cwd());
  textTool('crash', () => process.exit(3));
  textTool('freeze', () => {
    for (;;);
  });
  textTool('grow', () => {
    textTool('grown', () => 'grown');
    return 'done';
  });
  textTool('long', () => 'x'.repeat(60_000));
  server.registerTool('fail', { description: 'Fails' }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'no such ticket' }],
  }));
  server.registerTool('hang', { description: 'Never answers' }, (context) => {
    onHang?.(context.mcpReq.signal);
    return new Promise(() => undefined);
  });
  server.registerTool('ask', { description: 'Asks for everything a client may have' }, async ({ mcpReq }) => {
    const asked = [
      mcpReq.send({ method: 'roots/list' }),
      mcpReq.send({ method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } }),
    ];
    const answers = (await Promise.allSettled(asked)).map(({ status }) => status);
    return { content: [{ type: 'text', text: answers.join('\n') }] };
  });
  server.registerTool('more', { description: 'Wants to be asked again' }, () =>
    inputRequired({ requestState: 'more' }),
  );
  server.registerTool('slow', { description: 'Reports progress before it answers' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) throw new Error('nobody wants to hear of progress');
    for (let progress = 0; progress < 5; progress++) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    return { content: [{ type: 'text', text: 'at last' }] };
  });
  server.registerTool('everything', { description: 'Answers in every form' }, () => ({
    content: [
      { type: 'text', text: 'one' },
      { type: 'image', data: Buffer.from('12345').toString('base64'), mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'test://a', text: 'two' } },
      { type: 'resource', resource: { uri: 'test://b', blob: Buffer.from('123').toString('base64') } },
      { type: 'resource_link', uri: 'test://c', name: 'three' },
    ],
    structuredContent: { four: 4 },
  }));
  server.registerTool('twice', { description: 'Answers the same in two forms' }, () => ({
    content: [{ type: 'text', text: '{ "four": 4 }' }],
    structuredContent: { four: 4 },
  }));
  return server;
}
