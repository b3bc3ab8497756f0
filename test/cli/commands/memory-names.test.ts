import { beforeAll, describe, expect, it } from 'vitest';
import { type ContractServer, startContractServer } from '../../helpers/contract-server.ts';
import { ensureBuilt, hasTerminals, outcomeOf, SvcHome } from '../svc-binary.ts';
import { ago } from './webhook-samples.ts';
import { synced } from './memory-samples.ts';

const name = 'a\u001b[2J\u202e\nb.md';
const shown = String.raw`a\x1b[2J\u{202e}\nb.md`;
let home: SvcHome;
let server: ContractServer;

beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  const file = { path: `/n/${name}`, hash: '0'.repeat(64), size: 12, chunkCount: 1, updatedAt: ago(3) };
  server = await startContractServer({
    memory: {
      listFiles: ({ query: { limit, offset } }) => ({ files: [file, file], total: 2, limit, offset }),
      deleteFile: ({ params }) => ({ message: `Deleted ${params.path.length} characters` }),
      sync: () => synced({ cancelled: true }),
    },
  });
  return async () => {
    await server[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  };
});

const argsOf = (args: string[]) => ['memory', ...args, '--url', server.url];
const onTerminal = async (...args: string[]) =>
  outcomeOf(await home.startOnTerminal(argsOf(args)))
    .stdout.replaceAll('\r', '')
    .split('\n');

describe.skipIf(!hasTerminals)('file names with control characters (needs script)', () => {
  it('escapes control characters of file names in the list and on forget', async () => {
    expect(await onTerminal('files', '-q')).toEqual([`/n/${shown}`, `/n/${shown}`, '']);
    expect((await onTerminal('forget', `/n/${name}`))[0]).toBe(`/n/${shown}`);
  });

  it('escapes control characters of file names in hints', async () => {
    expect((await onTerminal('sync', `/n/${name}`)).at(-2)).toContain(`svc memory sync /n/${shown}`);
  });
});

describe('file names without a terminal', () => {
  it('prints exact file names when stdout is not a terminal', async () => {
    expect((await home.svc(argsOf(['files', '-q']))).stdout).toBe(`/n/${name}\n/n/${name}\n`);
    expect((await home.svc(argsOf(['forget', name]))).stdout).toBe(`${name}\n`);
    expect(server.asked.at(-1)?.route).toContain('DELETE');
  });
});
