import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../helpers/long.ts';
import { says } from '../helpers/model-server.ts';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { hasTmux } from '../cli/tui/terminal.ts';
import { Person } from './person.ts';

describe.runIf(hasTmux && isLong)('a person on the first day (needs tmux)', () => {
  beforeAll(ensureBuilt);

  it('runs, connects a model, asks, backs up, and finds everything on a new machine', async () => {
    await using ada = await Person.sitsDown();
    ada.model.script = says('Four lines');
    const first = await ada.runs("svc run --agent command -- 'echo it works'");
    expect([first.code, first.screen]).toEqual([0, expect.stringMatching(/^it works$/m)]);
    const without = await ada.runs('svc run "how many lines are there"');
    expect(without.code).not.toBe(0);
    expect(without.screen).toContain('svc providers configure');
    await ada.connectsModel();
    expect((await ada.runs('svc run "how many lines are there"')).screen).toMatch(/^Four lines$/m);

    const saved = await ada.runs('svc backup --identity ~/svc.backup');
    expect([saved.code, saved.screen]).toEqual([0, expect.stringMatching(/verified|checked/i)]);
    const elsewhere = join(ada.home, 'new-machine');
    const restored = await ada.runs(`svc daemon stop; SVC_HOME='${elsewhere}' svc restore ~/svc.backup`);
    expect([restored.code, restored.screen]).toEqual([0, expect.anything()]);
    const known = await ada.runs(`SVC_HOME='${elsewhere}' svc tasks ls`);
    expect(known.screen).toContain('how many lines are there');
    expect((await ada.runs(`SVC_HOME='${elsewhere}' svc daemon stop`)).code).toBe(0);
  });

  it('reads what an upgrade and an uninstall would do', async () => {
    await using ada = await Person.sitsDown();
    await ada.runs("svc run --agent command -- 'true'");
    const upgrade = await ada.runs('svc upgrade');
    expect(upgrade.screen).toMatch(/upgrade/i);
    const uninstall = await ada.runs('svc uninstall --yes');
    expect(uninstall.screen).toMatch(/daemon/i);
    expect(uninstall.screen).toMatch(/data/i);
    expect((await ada.runs('svc daemon status')).code).not.toBe(0);
  });
});
