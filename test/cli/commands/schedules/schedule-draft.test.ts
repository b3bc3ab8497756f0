import { describe, expect, it } from 'vitest';
import { patchOf, withChange } from '../../../../src/cli/commands/schedules/schedule-draft.ts';

const before = {
  name: 'check the backups',
  cron: '0 3 * * *',
  timezone: 'UTC',
  title: 'check the backups',
  prompt: 'check the backups\nall of them',
  priority: 3,
  labels: [],
  cwd: '/tmp',
};

describe('a change of a schedule', () => {
  it('takes a title and a name that came from the prompt along, and no others', () => {
    expect(withChange(before, { prompt: 'water the plants' })).toMatchObject({
      name: 'water the plants',
      title: 'water the plants',
    });
    expect(withChange(before, { title: 'Backups' })).toMatchObject({ name: 'Backups', title: 'Backups' });
    expect(withChange({ ...before, name: 'Nightly' }, { prompt: 'x' })).toMatchObject({ name: 'Nightly' });
    const titled = { ...before, name: 'T', title: 'T' };
    expect(withChange(titled, { prompt: 'x' })).toMatchObject({ name: 'T', title: 'T', prompt: 'x' });
  });

  it('sends its own fields that changed, and the whole task if anything of it changed', () => {
    expect(patchOf(before, withChange(before, { timezone: 'Europe/Berlin' }))).toEqual({
      timezone: 'Europe/Berlin',
    });
    expect(patchOf(before, { ...before, cwd: undefined })).toEqual({
      task: { title: before.title, prompt: before.prompt, priority: 3, labels: [] },
    });
    expect(patchOf(before, before)).toEqual({});
  });

  it('has one kind of time', () => {
    expect(patchOf(before, withChange(before, { at: '2030-01-01T10:00' }))).toEqual({
      at: '2030-01-01T10:00',
    });
    expect(() => patchOf(before, { ...before, cron: undefined })).toThrow('needs a time');
  });
});
