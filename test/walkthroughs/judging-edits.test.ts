import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { callsTools } from '../helpers/model-server.ts';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { hasTmux } from '../cli/tui/terminal.ts';
import { Person } from './person.ts';

const sum =
  'export const total = (prices) => {\n  let sum = 0;\n  for (const price of prices) sum -= price;\n  return sum;\n};\n';
const edit = (newText: string) => ({
  name: 'edit_file',
  args: { path: 'sum.js', oldText: 'sum -= price', newText },
});

describe.skipIf(!hasTmux)('a person who judges edits (needs tmux)', () => {
  beforeAll(ensureBuilt);

  it('sees them as a diff of the file, gives a reason, changes the call, and undoes the turn', async () => {
    await using ada = await Person.sitsDown();
    await ada.connectsModel();
    ada.writesFile('sum.js', sum);
    const editor = join(ada.home, 'editor');
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/sum = price/sum += price/" "$1"\n');
    chmodSync(editor, 0o755);
    ada.model.script = callsTools([[edit('sum *= price')], [edit('sum = price')]], 'It adds them now.');
    const { terminal } = ada;
    ada.types(`EDITOR=${editor} svc chat`);
    await terminal.until(/› Write a message/);
    ada.types('Fix the sum');
    const asks = /Allow edit_file\?/;
    await terminal.until(asks);
    // With the number of the line and what is around it.
    await terminal.until(/2 +let sum = 0;[^]*3 +- +for \(const price of prices\) sum -= price;/);
    await terminal.until(/3 *\+ +for \(const price of prices\) sum \*= price;/);
    await terminal.presses('d', asks, /Why\?/);
    ada.types('it has to add');
    await terminal.until(/sum = price;/);
    const told = ada.model.asked.at(-1)?.body.messages.at(-1);
    expect(JSON.stringify(told)).toContain('it has to add');
    await terminal.presses('e', asks, /\+ +for \(const price of prices\) sum \+= price;/);
    await terminal.presses('a', asks, /It adds them now\./);
    terminal.type('C-u');
    expect(ada.readsFile('sum.js')).toContain('sum += price');
    ada.types('/diff');
    await terminal.until(/\+ .*sum \+= price[^]*1 file/);
    ada.types('/undo');
    await terminal.until(/[Rr]estored/);
    expect(ada.readsFile('sum.js')).toBe(sum);
  });

  it('reads what a task changed as a patch, and restores the files unless they changed since', async () => {
    await using ada = await Person.sitsDown();
    await ada.connectsModel();
    await ada.runs('git init -q');
    ada.writesFile('sum.js', sum);
    const fixes = callsTools([[edit('sum += price')]], 'It adds them now.');
    ada.model.script = fixes;
    const run = await ada.runs('svc run --mode full "fix the sum"');
    expect(run.screen).toMatch(/svc tasks diff/);
    const id = /task (\w{8})/.exec(run.screen)?.[1] ?? '';
    expect((await ada.runs(`svc tasks diff ${id} > fix.patch && git apply -R --check fix.patch`)).code).toBe(
      0,
    );
    expect((await ada.runs(`svc tasks undo ${id}`)).code).toBe(0);
    expect(ada.readsFile('sum.js')).toBe(sum);

    const again = await ada.runs('svc run --mode full "fix the sum"');
    const second = /task (\w{8})/.exec(again.screen)?.[1] ?? '';
    ada.writesFile('sum.js', '// mine\n');
    const refused = await ada.runs(`svc tasks undo ${second}`);
    expect([refused.code, refused.screen]).toEqual([1, expect.stringMatching(/changed/)]);
    expect(ada.readsFile('sum.js')).toBe('// mine\n');
  });
});
