import type { Task } from '../../../contract/task.ts';
import { escapeLine } from '../../output/escape-text.ts';

const byWhom = { verify: '', judge: ', chosen by a model', person: ', chosen by a person' } as const;

/** Which candidate was taken, and why; undefined where the task had none. */
export function choiceLine({ choice, result }: Pick<Task, 'choice' | 'result'>): string | undefined {
  const winner = result?.candidates?.find(({ isWinner }) => isWinner);
  if (!choice || !winner) return undefined;
  const count = result?.candidates?.length ?? 0;
  const number = (result?.candidates?.indexOf(winner) ?? 0) + 1;
  const name = `${winner.agent ?? 'candidate'} (${number} of ${count})`;
  const why = choice.by === 'person' ? '' : `: ${choice.reason}`;
  return escapeLine(`Took ${name}${byWhom[choice.by]}${why}`);
}
