import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallDiff } from '../../../src/core/agents/drivers/driver.ts';
import { previewOf } from '../../../src/core/agent-programs/change-preview.ts';

describe('the preview of a change that an agent asks for', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-test-')));
    file = join(folder, 'a.txt');
    writeFileSync(file, 'one\ntwo\n');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const preview = (change: Omit<CallDiff, 'path'>, path = file) => previewOf({ path, ...change }, path);

  it('puts a part of the file in its place', async () => {
    const { change } = await preview({ oldText: 'two', newText: 'three' });
    expect(change).toEqual({ before: 'one\ntwo\n', after: 'one\nthree\n' });
  });

  it('takes a text for the whole file where no old one is named', async () => {
    expect((await preview({ newText: 'new\n' })).change).toEqual({ before: 'one\ntwo\n', after: 'new\n' });
    const added = await preview({ oldText: '', newText: 'new\n' }, join(folder, 'b.txt'));
    expect(added.change).toEqual({ before: undefined, after: 'new\n' });
  });

  it('applies a diff', async () => {
    const { change } = await preview({ diff: '@@ -1,2 +1,2 @@\n one\n-two\n+three\n' });
    expect(change).toEqual({ before: 'one\ntwo\n', after: 'one\nthree\n' });
  });

  it.each(['', 'not a diff', '@@ -1 +1 @@\n-other\n+three\n', '@@ -1,5 +1 @@\n-a'])(
    'shows no change for a diff that does not fit: %j',
    async (diff) => {
      const { change, problem } = await preview({ diff });
      expect(change).toBeUndefined();
      expect(problem).toContain('does not fit');
    },
  );
});
