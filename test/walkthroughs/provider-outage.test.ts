import { beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../helpers/long.ts';
import { says } from '../helpers/model-server.ts';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { hasTmux } from '../cli/tui/terminal.ts';
import { Person } from './person.ts';

describe.runIf(hasTmux && isLong)('a person whose provider is away (needs tmux)', () => {
  beforeAll(ensureBuilt);

  it('sees when the next try is, and gets the answer once the provider is back', async () => {
    await using ada = await Person.sitsDown();
    await ada.connectsModel();
    await ada.runs('svc config set queue.retry.backoff 100');
    let isAway = true;
    ada.model.script = (reply, asked) =>
      isAway
        ? reply.json(503, { error: { message: 'overloaded' } }, { 'retry-after': '4' })
        : says('Here it is')(reply, asked);
    ada.types('svc run "say where it is"');
    const waiting = await ada.terminal.until(/in \d+ s\b/);
    expect(waiting).not.toMatch(/✗/);
    isAway = false;
    const ended = await ada.getsPromptBack();
    expect(ended.code).toBe(0);
    expect(ended.screen).toContain('Here it is');
  });
});
