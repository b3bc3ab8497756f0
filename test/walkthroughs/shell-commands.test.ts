import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { isLong } from '../helpers/long.ts';
import { hasTmux } from '../cli/tui/terminal.ts';
import { Person } from './person.ts';

describe.runIf(hasTmux && isLong)('a person who runs commands of the shell (needs tmux)', () => {
  beforeAll(ensureBuilt);

  it('gets the directory, variables, umask, output and exit code that the shell would give', async () => {
    await using ada = await Person.sitsDown();
    ada.writesFile('prices.txt', '3\n4\n');
    const first = await ada.runs("umask 027; svc run --agent command -- 'wc -l < prices.txt; touch sum'");
    expect(first.code).toBe(0);
    expect(first.screen).toMatch(/^2$[^]*^✓ done in .* task \w{8}$/m);
    expect((await ada.runs('stat -c %a sum')).screen).toMatch(/^640$/m);

    const failing = await ada.runs("svc run --agent command -- 'echo out; echo broken >&2; exit 3'");
    expect(failing.code).toBe(1);
    // Two streams have no order between them.
    expect(failing.screen).toMatch(/^out$[^]*exit code 3: broken/m);
    expect(failing.screen).toMatch(/^broken$[^]*exit code 3: broken/m);
    // The attached command has reported the failure.
    expect((await ada.runs('svc dlq ls')).screen).toContain('No pending dead letters');

    const dumped = await ada.runs(
      'head -c 300000 /dev/urandom > bytes; svc run --agent command -- "cat bytes" > dump; cmp bytes dump && echo same',
    );
    expect(dumped.screen).toMatch(/^same$/m);
    const apart = await ada.runs('svc run --agent command -- "echo kept; echo aside >&2" > /dev/null');
    const id = /task (\w{8})/.exec(apart.screen)?.[1] ?? '';
    const kept = await ada.runs(`svc tasks output ${id}; svc tasks output ${id} --stderr`);
    expect(kept.screen).toMatch(/^kept\naside$/m);
  });

  it('hands on only the variables that were named, and shows no value anywhere', async () => {
    await using ada = await Person.sitsDown();
    await ada.runs('export TOKEN=s3cret-value OTHER=unnamed');
    const named = await ada.runs(
      'svc run --agent command --env TOKEN --env REGION=eu -- \'echo ${#TOKEN} $REGION "<$OTHER>"\'',
    );
    expect(named.screen).toMatch(/^12 eu <>$/m);
    const id = /task (\w{8})/.exec(named.screen)?.[1] ?? '';
    const shown = await ada.runs(`svc tasks show ${id}; svc tasks logs ${id}`);
    expect(shown.screen).toContain('TOKEN');
    const found = await ada.runs(`grep -rlF s3cret-value "$SVC_HOME" || echo nowhere`);
    expect(found.screen).toMatch(/^nowhere$/m);
    expect(shown.screen).not.toContain('s3cret-value');
  });
});
