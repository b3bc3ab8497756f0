import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { transcriptPath } from './transcripts.ts';

/** The processes that a run of the task has started and that are alive. */
export const processesOf = (taskId: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`/${taskId}/`);
      } catch {
        return false;
      }
    });

/** A transcript that can be changed for another one while a task waits. */
export function changeable(cwd: string) {
  const path = join(cwd, 'transcript.jsonl');
  return {
    path,
    play(agent: string, scenario: string) {
      for (const ending of ['.jsonl', '.meta.json']) {
        const link = path.replace(/\.jsonl$/, ending);
        rmSync(link, { force: true });
        symlinkSync(transcriptPath(agent, scenario).replace(/\.jsonl$/, ending), link);
      }
    },
  };
}
