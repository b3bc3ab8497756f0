import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../helpers/long.ts';
import { callsTools } from '../helpers/model-server.ts';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { hasTmux } from '../cli/tui/terminal.ts';
import { Person } from './person.ts';

describe.runIf(hasTmux && isLong)('a person with a project (needs tmux)', () => {
  beforeAll(ensureBuilt);

  it('sees the instructions of the project reach the model, nested ones when their directory is touched', async () => {
    await using ada = await Person.sitsDown();
    await ada.connectsModel();
    await ada.runs('git init -q');
    ada.writesFile('AGENTS.md', 'Prices are in cents.');
    ada.writesFile('api/AGENTS.md', 'Routes end without a slash.');
    ada.writesFile('api/prices.js', '1');
    ada.model.script = callsTools([[{ name: 'read_file', args: { path: 'api/prices.js' } }]], 'Read');
    const read = await ada.runs('svc run "read the prices"');
    expect(read.code).toBe(0);
    const [first, second] = ada.model.asked.map(({ body }) => JSON.stringify(body.messages));
    expect(first).toContain('Prices are in cents.');
    expect(first).not.toContain('Routes end without a slash.');
    expect(second).toContain('Routes end without a slash.');
    expect(read.screen.match(/Following AGENTS\.md/g)).toHaveLength(1);
  });

  it('does not find what another project taught, unless asked to', async () => {
    await using ada = await Person.sitsDown();
    await ada.connectsModel();
    const other = join(ada.home, 'blog');
    mkdirSync(other);
    writeFileSync(join(other, 'notes.md'), '# Deploy\nThe zeppelin deploys on Fridays.\n');
    await ada.runs('cd ~/blog && svc memory sync . ; cd ~/shop');
    expect((await ada.runs('svc memory search zeppelin')).screen).toContain('on Fridays');
    ada.model.script = callsTools([], 'On Fridays');
    await ada.runs('svc run "when does the zeppelin deploy"');
    expect(JSON.stringify(ada.model.asked.at(-1)?.body.messages)).not.toContain('on Fridays');
    await ada.runs('svc run --memory all "when does the zeppelin deploy"');
    expect(JSON.stringify(ada.model.asked.at(-1)?.body.messages)).toContain('on Fridays');
  });
});
