import { spawn } from 'node:child_process';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { makeMcpServer } from './mcp-server.ts';

/** A program that is an MCP server, or pretends to be one: `node mcp-stdio-server.ts BEHAVIOUR`. */
const behaviours: Record<string, () => unknown> = {
  good: () => makeMcpServer().connect(new StdioServerTransport()),
  /** Speaks the later versions of the protocol only. */
  modern: () => serveStdio(() => makeMcpServer(), { legacy: 'reject' }),
  greeting: () => {
    process.stdout.write('Welcome!\n{"not":"a message"}\n');
    return makeMcpServer().connect(new StdioServerTransport());
  },
  garbage: () => {
    process.stdin.resume();
    process.stdout.write('Traceback (most recent call last)\n');
  },
  endlessLine: () => write('x'.repeat(65_536)),
  flood: () => write(`${'{"jsonrpc":"2.0","method":"notifications/message"}\n'.repeat(100)}`),
  silent: () => process.stdin.resume(),
  exit: () => process.exit(7),
  /** Ends with its answer to the first call, and leaves a child that left the process group. */
  hasty: () => {
    spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    const transport = new StdioServerTransport();
    const send = transport.send.bind(transport);
    transport.send = async (message) => {
      await send(message);
      if (JSON.stringify(message).includes('You said')) process.exit(0);
    };
    return makeMcpServer().connect(transport);
  },
  /** Heeds no TERM, and has a child that leaves the process group. */
  deaf: () => {
    process.on('SIGTERM', () => undefined);
    spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    return makeMcpServer().connect(new StdioServerTransport());
  },
  /** Offers more than is taken, on several pages, with tools that cannot be taken among them. */
  many: () => listing((page) => ({ tools: pageOf(page, 90), nextCursor: String(page + 1) })),
  pages: () =>
    listing((page) => ({
      tools: [
        ...pageOf(page, 3),
        { name: 'tool0_0', inputSchema },
        { name: `big${page}`, inputSchema: { ...inputSchema, description: 'x'.repeat(70_000) } },
        { name: `deep${page}`, inputSchema: { ...inputSchema, properties: nested(1000) } },
      ],
      ...(page < 2 && { nextCursor: String(page + 1) }),
    })),
};

interface Listed {
  name: string;
  description?: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
}
const inputSchema: Listed['inputSchema'] = { type: 'object' };
const pageOf = (page: number, count: number): Listed[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `tool${page}_${index}`,
    description: `A\u0000\u{E0041}b${'c'.repeat(3000)}`,
    inputSchema,
  }));
const nested = (depth: number): Record<string, object> =>
  depth === 0 ? {} : { properties: nested(depth - 1) };

function listing(answer: (page: number) => { tools: Listed[]; nextCursor?: string }) {
  const server = new Server({ name: 'list', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', ({ params }) => answer(Number(params?.cursor ?? 0)));
  return server.connect(new StdioServerTransport());
}

function write(text: string): void {
  process.stdout.on('error', () => process.exit());
  while (process.stdout.write(text));
  process.stdout.once('drain', () => write(text));
}

await behaviours[process.argv[2] ?? '']?.();
