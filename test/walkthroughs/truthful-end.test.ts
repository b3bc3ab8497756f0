import { beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../helpers/long.ts';
import { callsTools } from '../helpers/model-server.ts';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { hasTmux } from '../cli/tui/terminal.ts';
import { Person } from './person.ts';

describe.runIf(hasTmux && isLong)('a person who relies on "done" (needs tmux)', () => {
  beforeAll(ensureBuilt);

  it('sees when a call was refused, by the exit code too', async () => {
    await using ada = await Person.sitsDown({
      script: callsTools([[{ name: 'write_file', args: { path: '../escaped', content: 'x' } }]], 'Written'),
    });
    await ada.connectsModel();
    const refused = await ada.runs('svc run "write the file"');
    expect(refused.code).toBe(9);
    expect(refused.screen).toMatch(/write_file[^]*refused/);
    expect((await ada.runs('svc run --allow-refusals "write the file"')).code).toBe(0);
  });

  it('has the work checked, sees the repair, and gets exit code 7 when it stays broken', async () => {
    await using ada = await Person.sitsDown();
    await ada.connectsModel();
    ada.model.script = callsTools([], 'It is done');
    const broken = await ada.runs(`svc run --verify 'test -f proof' --repair 1 "make the proof"`);
    expect(broken.code).toBe(7);
    expect(broken.screen).toContain('test -f proof');
    const told = ada.model.asked.at(-1)?.body.messages.at(-1);
    expect(JSON.stringify(told)).toContain('test -f proof');
    ada.writesFile('proof', '');
    const verified = await ada.runs(`svc run --verify 'test -f proof' "make the proof"`);
    expect(verified.code).toBe(0);
    expect(verified.screen).toMatch(/verified/);
  });

  it('gets an answer that fits the schema, or a failure', async () => {
    await using ada = await Person.sitsDown();
    await ada.connectsModel();
    ada.writesFile(
      'schema.json',
      '{"type":"object","required":["total"],"properties":{"total":{"type":"number"}}}',
    );
    ada.model.script = callsTools([], '{"total": 7}');
    const fits = await ada.runs('svc run --output-schema schema.json -o last.json "add them"; cat last.json');
    expect(fits.screen).toMatch(/\{"total": ?7\}/);
    ada.model.script = callsTools([], 'seven');
    const wrong = await ada.runs('svc run --output-schema schema.json "add them"');
    expect(wrong.code).toBe(1);
    expect(wrong.screen).toMatch(/schema/);
  });
});
