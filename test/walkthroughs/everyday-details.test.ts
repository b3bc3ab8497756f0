import { beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../helpers/long.ts';
import { says } from '../helpers/model-server.ts';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { hasTmux } from '../cli/tui/terminal.ts';
import { Person } from './person.ts';

describe.runIf(hasTmux && isLong)('a person who uses it every day (needs tmux)', () => {
  beforeAll(ensureBuilt);

  it('finds tasks by place and part of an ID, picks fields, and reads errors as JSON', async () => {
    await using ada = await Person.sitsDown();
    const first = await ada.runs("svc run --agent command -- 'echo one'");
    const id = /task (\w{8})/.exec(first.screen)?.[1] ?? '';
    expect((await ada.runs(`svc tasks show ${id}`)).code).toBe(0);
    await ada.runs("cd ~ && svc run --agent command -- 'echo elsewhere'; cd ~/shop");
    const here = await ada.runs('svc tasks ls --here');
    expect(here.screen).toContain('echo one');
    expect(here.screen).not.toContain('echo elsewhere');
    expect((await ada.runs('svc tasks ls')).screen).toMatch(/~\/shop/);
    const fields = await ada.runs(`svc tasks show ${id} --json --fields status,result.output`);
    expect(fields.screen.replaceAll(/\s/g, '')).toContain('"status":"completed"');
    const failed = await ada.runs(
      'svc tasks show 00000000 --json 2> error.json; jq -r .error.exitCode error.json || cat error.json',
    );
    expect(ada.readsFile('error.json')).toMatch(/^\{"error":\{"code":/);
    expect(failed.screen).not.toBe('');
  });

  it('reads what to do where svc is not configured, and where the queue is paused', async () => {
    await using ada = await Person.sitsDown();
    const without = await ada.runs('svc run "hello"');
    expect([without.code, without.screen]).toEqual([78, expect.stringContaining('svc providers')]);
    ada.model.script = says('Hello');
    const added = await ada.runs(
      `svc providers add lab --base-url ${ada.model.url} --default-model test-model --default --no-key`,
    );
    expect([added.code, added.screen]).toEqual([0, expect.any(String)]);
    const unknown = await ada.runs('svc run --model test-modle "hello"');
    expect([unknown.code, unknown.screen]).toEqual([78, expect.stringContaining('test-model')]);
    expect((await ada.runs('svc run --provider lab "hello"')).screen).toMatch(/^Hello$/m);
    const checked = await ada.runs('svc doctor');
    expect(checked.screen).toMatch(/lab/);
    await ada.runs('svc queue pause');
    ada.types('svc run "hello"');
    await ada.terminal.until(/paused[^]*svc queue resume/);
    expect((await ada.svc.svc(['queue', 'resume'], { env: ada.environment })).code).toBe(0);
    expect((await ada.getsPromptBack()).code).toBe(0);
  });

  it('completes at the first Tab, and edits a schedule', async () => {
    await using ada = await Person.sitsDown();
    await ada.runs("svc run --agent command -- 'true'");
    await ada.runs('eval "$(svc completion bash)"');
    ada.terminal.write('svc sched');
    ada.terminal.type('Tab');
    await ada.terminal.until(/svc schedules/);
    ada.terminal.type('C-u');
    const made = await ada.runs(
      "svc schedules add '0 3 * * *' --name nightly --agent command -- 'echo night'",
    );
    expect([made.code, made.screen]).toEqual([0, expect.any(String)]);
    const id =
      /(\w{8})/.exec((await ada.runs('svc schedules ls --quiet')).screen.split('\n')[1] ?? '')?.[1] ?? '';
    const edited = await ada.runs(`svc schedules edit ${id} --cron '30 4 * * *'`);
    expect([edited.code, edited.screen]).toEqual([0, expect.any(String)]);
    expect((await ada.runs('svc schedules ls')).screen).toMatch(/30 4 \* \* \*/);
  });
});
